// Storage of the reader's own, as real servers: Apache with WebDAV, and one for S3, both with CORS. What is stored lies in
// a folder, for a test to look at or to spoil.
//
//   const webdav = await startWebdav();      // { url, user, password, folder, stop }
//   const s3 = await startS3();              // { url, bucket, region, key, secret, folder, stop }
//   const proxy = await startProxy(webdav);  // the same server at proxy.url, which fails when it is told to
//   t.after(webdav.stop);
//
// Where a machine does not have them (`REMOTES` names those it has), starting them fails.

import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { APACHE, give, startApache } from './remote/apache.mjs';
import { start } from './remote/process.mjs';

export { startProxy } from './remote/proxy.mjs';

const { S3S_FS } = process.env;

/** Those that can be started here: `webdav`, `s3`. */
export const REMOTES = [APACHE && 'webdav', APACHE && S3S_FS && 's3'].filter(Boolean);

/** For a test that cannot do without one. */
export const needs = (kind) => ({ skip: !REMOTES.includes(kind) && `no server for ${kind} here` });

/** A WebDAV folder, which asks for a name and a password. */
export function startWebdav() {
  const [user, password] = ['reader', 'lamp'];
  return inScratch(async (home, keep) => {
    const [folder, users] = [join(home, 'files'), join(home, 'users')];
    await mkdir(folder);
    await writeFile(users, `${user}:{SHA}${createHash('sha1').update(password).digest('base64')}\n`);
    await Promise.all([folder, users].map(give));
    const site = `
DocumentRoot "${folder}"
DavLockDB locks
Alias /dav "${folder}"
<Directory "${folder}">
    Dav On
    AuthType Basic
    AuthName dav
    AuthUserFile users
    Require valid-user
</Directory>
`;
    const { url } = keep(await startApache(home, site));
    return { url: `${url}/dav`, user, password, folder };
  });
}

/** A bucket. The server, which knows no CORS, stands behind an Apache that does. */
export function startS3() {
  const [bucket, region, key, secret] = ['box', 'us-east-1', 'AKIAREADER', 'lamp/and+tree'];
  return inScratch(async (home, keep) => {
    if (!S3S_FS) throw new Error('no S3 server found: install s3s-fs, and name it in S3S_FS');
    const root = join(home, 'buckets');
    // Where a bucket is a folder.
    const folder = join(root, bucket);
    await mkdir(folder, { recursive: true });
    const args = ['--host', '127.0.0.1', '--port', '0', '--access-key', key, '--secret-key', secret, root];
    const server = keep(start(S3S_FS, args, { env: { RUST_LOG: 's3s_fs=info' } }));
    const [behind] = await server.until((said) => /http:\/\/127\.0\.0\.1:\d+/.exec(said));
    // Host and path are signed, so they go on as they came.
    const site = `
ProxyPreserveHost On
AllowEncodedSlashes NoDecode
ProxyPass / ${behind}/ nocanon
`;
    const { url } = keep(await startApache(home, site));
    return { url, bucket, region, key, secret, folder };
  });
}

/** What `begin` gives, and `stop`, after which neither the programs that it keeps nor their folder are there any more. */
async function inScratch(begin) {
  const home = await mkdtemp(join(tmpdir(), 'fabula-remote-'));
  const kept = [];
  const keep = (program) => (kept.push(program), program);
  const stop = async () => {
    await Promise.all(kept.map((program) => program.kill()));
    await rm(home, { recursive: true, force: true });
  };
  try {
    return { ...(await begin(home, keep)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
