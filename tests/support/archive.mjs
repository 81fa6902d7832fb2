// Files that a person, or a prankster, might give to the page.

import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { constants, deflateRawSync, gunzipSync, gzipSync } from 'node:zlib';

/** An archive taken apart: the header, a record a line, and the end that seals them. */
export function unpack(bytes) {
  const lines = gunzipSync(bytes).toString().split('\n').filter(Boolean);
  const end = lines.pop();
  if (!end?.startsWith('{"end":')) throw new Error(`an archive without an end: ${end}`);
  return { header: lines[0], records: lines.slice(1) };
}

/** Puts an archive together, sealed as the page seals it. */
export function pack({ header, records }) {
  const body = [header, ...records].map((line) => `${line}\n`).join('');
  const sha256 = createHash('sha256').update(body).digest('hex');
  return gzipSync(`${body}${JSON.stringify({ end: { records: records.length, sha256 } })}\n`);
}

/** An archive that holds the stories of another so many times, each under ids of its own. */
export function multiply(archive, times) {
  const { header, records } = unpack(archive);
  const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-([0-9a-f]{12})/g;
  const copies = Array.from({ length: times }, (_, copy) => {
    const mark = (copy + 1).toString(16).padStart(8, '0');
    return records.map((line) => line.replace(uuid, (id) => mark + id.slice(8)));
  });
  // Tables come in their order, so that what a record points to is there before it.
  const table = (line) => /^\{"t":"(\w+)"/.exec(line)[1];
  const tables = [...new Set(records.map(table))];
  const sorted = tables.filter((name) => name !== 'blobs').flatMap((name) => copies.flat().filter((line) => table(line) === name));
  return pack({ header: JSON.stringify({ ...JSON.parse(header), counts: {} }), records: sorted });
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
