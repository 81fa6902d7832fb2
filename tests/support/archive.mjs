// Files that a person, or a prankster, might give to the page.

import { open } from 'node:fs/promises';
import { constants, deflateRawSync, gunzipSync } from 'node:zlib';

/** The lines of an archive, unpacked if it is packed: the header first, then a record a line. */
export function lines(bytes) {
  const plain = bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes;
  return plain.toString().split('\n').filter(Boolean);
}

/** The records of an archive, without its header and a closing line of sums: they tell of the file, not of the story. */
export function records(bytes) {
  return lines(bytes).slice(1).filter((line) => !/"sha-?256":"[0-9a-f]{64}"\s*}\s*$/i.test(line) || /"id":/.test(line));
}

/** A gzip file of a few megabytes that begins as `head` does, and unpacks to `gigabytes`. */
export function bomb(head, gigabytes = 4) {
  const flush = { level: 9, finishFlush: constants.Z_FULL_FLUSH };
  const start = deflateRawSync(`${head}\n{"text":"`, flush);
  // A block that ends in a full flush is whole in itself: repeated, it unpacks over and over.
  const block = deflateRawSync(Buffer.alloc(64 << 20, 'a'), flush);
  const end = deflateRawSync('"}\n');
  const blocks = Array(gigabytes * 16).fill(block);
  return Buffer.concat([Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]), start, ...blocks, end, Buffer.alloc(8)]);
}

/** A file of zeros that takes no room. */
export async function sparse(path, size) {
  const file = await open(path, 'w');
  await file.truncate(size);
  await file.close();
  return path;
}

/** JSON nested as deep as asked, inside an otherwise plausible character. */
export function nested(depth) {
  return `{"spec":"chara_card_v2","spec_version":"2.0","data":{"name":"深","extensions":${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}}}`;
}
