// A folder over HTTP as GitHub Pages serves it: gzip for who asks, 404.html for what is not there, under a sub path.
//
//   node tests/support/static.mjs dist 8080 [/fabula/]

import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const TYPES = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'application/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
  '.woff2': 'font/woff2',
};
const PACKED_ALREADY = new Set(['.png', '.woff2']);

/**
 * Serves `root` on 127.0.0.1 under `base`; port 0 takes any free one.
 * `onResponse({path, status, type, bytes})` hears of each answer, with the bytes of its body as sent.
 */
export async function serve({ root, port = 0, base = '/', onResponse = () => {} }) {
  const folder = resolve(root);
  const cache = new Map();

  /** A file with its gzip form and tag, made once per version of the file; undefined where there is none. */
  async function load(path) {
    const file = resolve(folder, `.${path.endsWith('/') ? `${path}index.html` : path}`);
    if (file !== folder && !file.startsWith(folder + sep)) return undefined;
    const info = await stat(file).catch(() => undefined);
    if (!info?.isFile()) return undefined;
    const version = `${info.mtimeMs}:${info.size}`;
    if (cache.get(file)?.version !== version) {
      const plain = await readFile(file);
      const extension = extname(file).toLowerCase();
      cache.set(file, {
        version,
        plain,
        packed: PACKED_ALREADY.has(extension) ? undefined : gzipSync(plain),
        type: TYPES[extension] ?? 'application/octet-stream',
        tag: `"${createHash('sha256').update(plain).digest('hex').slice(0, 20)}"`,
      });
    }
    return cache.get(file);
  }

  async function answer(request, response) {
    const path = decodeURIComponent(new URL(request.url, 'http://localhost').pathname);
    const end = (status, headers, body = '') => {
      response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) });
      response.end(request.method === 'HEAD' ? undefined : body);
      onResponse({ path, status, type: headers['content-type'], bytes: Buffer.byteLength(body) });
    };
    if (request.method !== 'GET' && request.method !== 'HEAD') return end(405, { allow: 'GET, HEAD' });
    if (`${path}/` === base) return end(301, { location: base });
    const found = path.startsWith(base) ? await load(`/${path.slice(base.length)}`) : undefined;
    const file = found ?? (await load('/404.html'));
    if (!file) return end(404, { 'content-type': TYPES['.txt'] }, 'not found');
    const headers = {
      'content-type': file.type,
      'cache-control': file.type.startsWith('text/html') ? 'no-cache' : 'max-age=600',
      etag: file.tag,
      vary: 'accept-encoding',
    };
    if (found && request.headers['if-none-match'] === file.tag) return end(304, headers);
    const packed = file.packed && /\bgzip\b/.test(request.headers['accept-encoding'] ?? '');
    if (packed) headers['content-encoding'] = 'gzip';
    end(found ? 200 : 404, headers, packed ? file.packed : file.plain);
  }

  const server = createServer((request, response) => {
    answer(request, response).catch((error) => response.writeHead(400).end(String(error.message)));
  });
  await new Promise((done, fail) => server.once('error', fail).listen(port, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${server.address().port}${base}`,
    close: () => new Promise((done) => (server.close(done), server.closeAllConnections())),
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [root = 'dist', wanted = '8080', base = '/'] = process.argv.slice(2);
  for (let port = Number(wanted); ; port += 1) {
    try {
      const { url } = await serve({ root, port, base });
      console.log(port === Number(wanted) ? url : `port ${wanted} is taken: ${url}`);
      break;
    } catch (error) {
      if (error.code !== 'EADDRINUSE') throw error;
    }
  }
}
