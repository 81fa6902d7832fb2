// Cards as other programs carry them: in pictures and in packages.

import { crc32, deflateRawSync, inflateRawSync } from 'node:zlib';

import { chunk } from './pictures.mjs';

/** A PNG with these texts before its end. */
export function carry(png, texts) {
  const chunks = Object.entries(texts).map(([keyword, card]) => {
    const text = typeof card === 'string' ? card : Buffer.from(JSON.stringify(card)).toString('base64');
    return chunk('tEXt', Buffer.from(`${keyword}\0${text}`, 'latin1'));
  });
  return Buffer.concat([png.subarray(0, -12), ...chunks, png.subarray(-12)]);
}

/** The texts of a PNG, as cards. */
export function carried(png) {
  const texts = {};
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at);
    const body = png.subarray(at + 8, at + 8 + length);
    if (png.toString('latin1', at + 4, at + 8) === 'tEXt') {
      const [keyword, text] = body.toString('latin1').split('\0');
      texts[keyword] = JSON.parse(Buffer.from(text, 'base64'));
    }
    at += 12 + length;
  }
  return texts;
}

/** A ZIP of files by their paths; `packed`: deflated. */
export function zip(files, { packed = false } = {}) {
  const [bodies, entries] = [[], []];
  let offset = 0;
  for (const [path, content] of Object.entries(files)) {
    const bytes = Buffer.from(content);
    const body = packed ? deflateRawSync(bytes) : bytes;
    const name = Buffer.from(path);
    const about = Buffer.alloc(26);
    about.writeUInt16LE(20, 0);
    about.writeUInt16LE(packed ? 8 : 0, 4);
    about.writeUInt32LE(crc32(bytes), 10);
    about.writeUInt32LE(body.length, 14);
    about.writeUInt32LE(bytes.length, 18);
    about.writeUInt16LE(name.length, 22);
    bodies.push(Buffer.from('PK\x03\x04', 'latin1'), about, name, body);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    entries.push(Buffer.from('PK\x01\x02\x14\0', 'latin1'), about, rest, name);
    offset += 30 + name.length + body.length;
  }
  const directory = Buffer.concat(entries);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 0, 'latin1');
  end.writeUInt16LE(Object.keys(files).length, 8);
  end.writeUInt16LE(Object.keys(files).length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...bodies, directory, end]);
}

/** The files of a ZIP by their paths. */
export function unzip(bytes) {
  const end = bytes.lastIndexOf('PK\x05\x06', undefined, 'latin1');
  const files = {};
  let at = bytes.readUInt32LE(end + 16);
  for (let left = bytes.readUInt16LE(end + 10); left > 0; left -= 1) {
    const [method, size] = [bytes.readUInt16LE(at + 10), bytes.readUInt32LE(at + 20)];
    const [name, extra, comment] = [28, 30, 32].map((field) => bytes.readUInt16LE(at + field));
    const local = bytes.readUInt32LE(at + 42);
    const from = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28);
    const body = bytes.subarray(from, from + size);
    files[bytes.toString('utf8', at + 46, at + 46 + name)] = method === 8 ? inflateRawSync(body) : body;
    at += 46 + name + extra + comment;
  }
  return files;
}
