// The storage that the journeys stand on does what it says, and so does what can go wrong before it.

import assert from 'node:assert/strict';
import { createHash, createHmac } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, readdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import test from 'node:test';

import { REMOTES, startProxy, startS3, startWebdav } from './remote.mjs';

const sha256 = (data) => createHash('sha256').update(data).digest('hex');
const hmac = (key, text) => createHmac('sha256', key).update(text).digest();

/** What a request to S3 is signed with: host and path as they are asked for. */
function signed({ region, key, secret }, method, url, body) {
  const { host, pathname, searchParams } = new URL(url);
  const time = new Date().toISOString().replace(/[-:]|\.\d+/g, '');
  const scope = `${time.slice(0, 8)}/${region}/s3/aws4_request`;
  const own = { host, 'x-amz-content-sha256': sha256(body), 'x-amz-date': time };
  const names = Object.keys(own).join(';');
  const lines = Object.entries(own).map(([name, value]) => `${name}:${value}\n`).join('');
  const asked = [method, pathname, searchParams, lines, names, own['x-amz-content-sha256']].join('\n');
  const keys = [...scope.split('/')].reduce(hmac, `AWS4${secret}`);
  const signature = hmac(keys, ['AWS4-HMAC-SHA256', time, scope, sha256(asked)].join('\n')).toString('hex');
  return { ...own, authorization: `AWS4-HMAC-SHA256 Credential=${key}/${scope}, SignedHeaders=${names}, Signature=${signature}` };
}

/** How each is asked, as a page would, and what it says to who may not. */
const KINDS = {
  webdav: {
    start: startWebdav,
    base: ({ url }) => url,
    headers: ({ user, password }) => ({ authorization: `Basic ${btoa(`${user}:${password}`)}` }),
    list: (ask) => ask('PROPFIND', '/', { headers: { depth: '1' } }),
    wrong: { password: 'candle' },
    refused: 401,
  },
  s3: {
    start: startS3,
    base: ({ url, bucket }) => `${url}/${bucket}`,
    headers: signed,
    list: (ask) => ask('GET', '?list-type=2'),
    wrong: { secret: 'candle' },
    refused: 403,
  },
};

/** Asks a server, or a proxy before it, as a page of another origin does. */
const asking = (kind, server) => (method, path, { body, headers } = {}) => {
  const url = KINDS[kind].base(server) + path;
  const own = KINDS[kind].headers(server, method, url, body ?? '');
  return fetch(url, { method, body, headers: { origin: 'http://page', ...own, ...headers } });
};

const said = async (answer) => [answer.status, await answer.text()];
const allows = (answer) => assert.equal(answer.headers.get('access-control-allow-origin'), '*');

for (const kind of REMOTES) {
  async function begun(t) {
    const server = await KINDS[kind].start();
    t.after(server.stop);
    const proxy = await startProxy(server);
    t.after(proxy.stop);
    const ask = asking(kind, { ...server, url: proxy.url });
    const listed = async () => [...(await (await KINDS[kind].list(ask)).text()).matchAll(/[a-z]+\.bin/g)].map(([name]) => name).join();
    return { server, proxy, ask, listed };
  }

  test(`${kind}: keeps what is put there, tells what there is, and leaves nothing behind`, async (t) => {
    const server = await KINDS[kind].start();
    t.after(server.stop);
    const ask = asking(kind, server);
    const put = await ask('PUT', '/a%20b%26.bin', { body: 'one' });
    allows(put);
    assert.ok(put.ok);
    assert.equal(await readFile(`${server.folder}/a b&.bin`, 'utf8'), 'one');
    const got = await ask('GET', '/a%20b%26.bin');
    assert.match(got.headers.get('access-control-expose-headers'), /ETag/);
    assert.ok(got.headers.get('etag'));
    assert.deepEqual(await said(got), [200, 'one']);
    assert.equal((await ask('PUT', '/a%20b%26.bin', { body: 'two', headers: { 'if-none-match': '*' } })).status, 412);
    assert.match(await (await KINDS[kind].list(ask)).text(), /a( |%20)b(&amp;|%26)\.bin/);
    const none = await ask('GET', '/none.bin');
    allows(none);
    assert.equal(none.status, 404);
    assert.equal((await ask('DELETE', '/a%20b%26.bin')).status, 204);
    assert.deepEqual(await readdir(server.folder), []);
    await server.stop();
    await assert.rejects(ask('GET', '/none.bin'));
    assert.ok(!existsSync(dirname(server.folder)));
  });

  test(`${kind}: refuses who may not so that a page sees it, and lets a preflight ask without`, async (t) => {
    const server = await KINDS[kind].start();
    t.after(server.stop);
    const wrong = await asking(kind, { ...server, ...KINDS[kind].wrong })('PUT', '/a.bin', { body: 'one' });
    assert.equal(wrong.status, KINDS[kind].refused);
    allows(wrong);
    const asks = { origin: 'http://page', 'access-control-request-method': 'PUT', 'access-control-request-headers': 'authorization' };
    const preflight = await fetch(`${KINDS[kind].base(server)}/a.bin`, { method: 'OPTIONS', headers: asks });
    assert.deepEqual(await said(preflight), [204, '']);
    allows(preflight);
    assert.match(preflight.headers.get('access-control-allow-headers'), /authorization/i);
    assert.match(preflight.headers.get('access-control-allow-methods'), /PUT.*PROPFIND/);
  });

  test(`${kind}: the proxy passes on and counts, and answers as ordered`, async (t) => {
    const { server, proxy, ask } = await begun(t);
    proxy.fail({ method: 'PUT', match: 'a.bin', status: 507, times: 1 });
    const failed = await ask('PUT', '/a.bin', { body: 'one' });
    allows(failed);
    assert.equal(failed.status, 507);
    assert.deepEqual(await readdir(server.folder), []);
    assert.ok((await ask('PUT', '/a.bin', { body: 'one' })).ok);
    proxy.fail({ match: /b\.bin$/ });
    assert.deepEqual(await said(await ask('GET', '/a.bin')), [200, 'one']);
    for (let time = 0; time < 3; time += 1) assert.equal((await ask('GET', '/b.bin')).status, 503);
    proxy.clear();
    assert.equal((await ask('GET', '/b.bin')).status, 404);
    const asks = { origin: 'http://page', 'access-control-request-method': 'PUT' };
    assert.equal((await fetch(proxy.url, { method: 'OPTIONS', headers: asks })).status, 204);
    const seen = proxy.requests.map(({ method, path, bytes, status }) => `${method} ${path.split('/').pop()} ${bytes} ${status}`);
    assert.deepEqual(seen.slice(0, 3), ['PUT a.bin 3 507', `PUT a.bin 3 ${proxy.requests[1].status}`, 'GET a.bin 0 200']);
    assert.equal(proxy.requests[2].came, 3);
    assert.equal(seen.length, 7);
  });

  test(`${kind}: what is cut off half way is not there, and what is there comes half`, async (t) => {
    const { server, proxy, ask } = await begun(t);
    const body = 'x'.repeat(1_000_000);
    proxy.cut({ times: 1 });
    await assert.rejects(ask('PUT', '/a.bin', { body }));
    assert.equal((await ask('GET', '/a.bin')).status, 404);
    assert.ok((await ask('PUT', '/a.bin', { body })).ok);
    proxy.cut({ method: 'GET', times: 1 });
    const answer = await ask('GET', '/a.bin');
    assert.equal(answer.status, 200);
    let came = 0;
    await assert.rejects(async () => {
      for await (const piece of answer.body) came += piece.length;
    });
    assert.equal(came, body.length / 2);
    assert.equal(proxy.requests.at(-1).status, undefined);
    proxy.cut({ method: 'DELETE', times: 1 });
    await assert.rejects(ask('DELETE', '/a.bin'));
    assert.deepEqual(await readdir(server.folder), []);
  });

  test(`${kind}: an answer may be lost, late or old`, async (t) => {
    const { server, proxy, ask, listed } = await begun(t);
    proxy.lose({ method: 'PUT', times: 1 });
    await assert.rejects(ask('PUT', '/a.bin', { body: 'one' }));
    assert.equal(await readFile(`${server.folder}/a.bin`, 'utf8'), 'one');

    proxy.delay(150);
    const start = performance.now();
    assert.equal(await listed(), 'a.bin');
    assert.ok(performance.now() - start >= 149);
    proxy.clear();

    proxy.stale({ times: 2 });
    assert.equal(await listed(), 'a.bin');
    assert.ok((await ask('PUT', '/b.bin', { body: 'two' })).ok);
    assert.deepEqual(await said(await ask('GET', '/b.bin')), [200, 'two']);
    assert.equal(await listed(), 'a.bin');
    assert.equal(await listed(), 'a.bin');
    assert.deepEqual((await listed()).split(',').sort(), ['a.bin', 'b.bin']);
  });
}
