// Apache for one test: a process of its own with a configuration, a port and a folder of its own, of which nothing stays.

import { existsSync } from 'node:fs';
import { chown, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';

import { start } from './process.mjs';

/** Where Debian has it, which is not on every user's path. */
export const APACHE = process.env.APACHE ?? ['/usr/sbin/apache2'].find(existsSync);

/** What each answer carries, so that a page of any origin may read it. */
export const CORS = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Methods': 'GET, HEAD, PUT, DELETE, POST, OPTIONS, PROPFIND, MKCOL',
  // `*` would not cover Authorization.
  'Access-Control-Allow-Headers':
    'Authorization, Content-Type, Depth, If-Match, If-None-Match, Range, x-amz-content-sha256, x-amz-date',
  'Access-Control-Expose-Headers': 'ETag, Content-Range',
  'Access-Control-Max-Age': '600',
};

const MODULES = [
  'mpm_event',
  'authn_core',
  'authn_file',
  'authz_core',
  'authz_user',
  'auth_basic',
  'headers',
  'rewrite',
  'alias',
  'dav',
  'dav_fs',
  'proxy',
  'proxy_http',
];

/** Apache does not serve as root: where the tests are root, it is nobody. */
const NOBODY = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : undefined;

const config = (folder, port, site) => `
ServerRoot "${folder}"
DefaultRuntimeDir .
PidFile httpd.pid
Mutex file:.
ErrorLog error.log
ServerName 127.0.0.1
Listen 127.0.0.1:${port}
${MODULES.map((name) => `LoadModule ${name}_module "${join(APACHE, '../../lib/apache2/modules', `mod_${name}.so`)}"`).join('\n')}

# A preflight carries no password; mod_dav would answer it in its own way, and a proxy would ask the server behind it.
RewriteEngine On
RewriteCond %{REQUEST_METHOD} =OPTIONS
RewriteCond %{HTTP:Access-Control-Request-Method} .
RewriteRule ^ - [R=204,L]

# With 401, 404 and 412 too, or the page sees a network error in place of the status.
${Object.entries(CORS).map(([name, value]) => `Header always set ${name} "${value}"`).join('\n')}
${site}`;

/** Lets Apache have a file or folder. */
export async function give(path) {
  if (NOBODY) await chown(path, NOBODY.uid, NOBODY.gid);
}

/** Serves `site` (lines of its configuration), with all that Apache itself writes in `folder`. */
export async function startApache(folder, site) {
  if (!APACHE) throw new Error('no Apache found: install it (apache2-bin), or name it in APACHE');
  await give(folder);
  const file = join(folder, 'httpd.conf');
  await writeFile(file, '');
  await give(file);
  for (let left = 3; ; left -= 1) {
    const port = await freePort();
    await writeFile(file, config(folder, port, site));
    // In the foreground, as one process.
    const apache = start(APACHE, ['-X', '-f', file], { cwd: folder, ...NOBODY });
    try {
      // It writes this once the port is its own.
      await apache.until(() => existsSync(join(folder, 'httpd.pid')));
      return { url: `http://127.0.0.1:${port}`, kill: apache.kill };
    } catch (error) {
      const log = await readFile(join(folder, 'error.log'), 'utf8').catch(() => '');
      // Somebody else may have taken the port that was free.
      if (left > 1 && /in use/.test(error.message + log)) continue;
      throw new Error(`${error.message}\n${log}`);
    }
  }
}

async function freePort() {
  const server = createServer();
  await new Promise((done, fail) => server.once('error', fail).listen(0, '127.0.0.1', done));
  const { port } = server.address();
  await new Promise((done) => server.close(done));
  return port;
}
