// The two servers that the journeys stand on do what they say.

import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';

import { PROTOCOLS, echo, startProvider, tokenize } from './provider.mjs';
import { serve } from './static.mjs';

const MODEL = 'story-large';

/** A chat request in each protocol, and how its stream is read. */
const CLIENTS = {
  openai: {
    path: '/chat/completions',
    headers: (key) => ({ authorization: `Bearer ${key}` }),
    body: (text) => ({ model: MODEL, stream: true, stream_options: { include_usage: true }, messages: [{ role: 'user', content: text }] }),
    text: (event) => event.choices?.[0]?.delta?.content ?? '',
    reasoning: (event) => event.choices?.[0]?.delta?.reasoning_content ?? '',
    usage: (event) => event.usage?.completion_tokens,
    fault: (event) => event.error?.message,
  },
  anthropic: {
    path: '/messages',
    headers: (key) => ({ 'x-api-key': key, 'anthropic-version': '2023-06-01' }),
    body: (text) => ({ model: MODEL, stream: true, max_tokens: 100, messages: [{ role: 'user', content: text }] }),
    text: (event) => event.delta?.text ?? '',
    reasoning: (event) => event.delta?.thinking ?? '',
    usage: (event) => event.usage?.output_tokens,
    fault: (event) => event.error?.message,
  },
  gemini: {
    path: `/models/${MODEL}:streamGenerateContent?alt=sse`,
    headers: (key) => ({ 'x-goog-api-key': key }),
    body: (text) => ({ contents: [{ role: 'user', parts: [{ text }] }] }),
    text: (event) => parts(event).filter((part) => !part.thought).map((part) => part.text).join(''),
    reasoning: (event) => parts(event).filter((part) => part.thought).map((part) => part.text).join(''),
    usage: (event) => event.usageMetadata?.candidatesTokenCount,
    fault: (event) => event.error?.message,
  },
};
const parts = (event) => event.candidates?.[0]?.content?.parts ?? [];

function ask(llm, kind, text, { key = 'k', headers = {}, signal } = {}) {
  const client = CLIENTS[kind];
  return fetch(llm.base(kind) + client.path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...client.headers(key), ...headers },
    body: JSON.stringify(client.body(text)),
    signal,
  });
}

const events = (wire) =>
  wire.split(/\r?\n/).filter((line) => line.startsWith('data: {')).map((line) => JSON.parse(line.slice(6)));
const told = (kind, wire, what = 'text') => events(wire).map(CLIENTS[kind][what]).join('');

async function provider(t, options) {
  const llm = await startProvider(options);
  t.after(() => llm.close());
  return llm;
}

for (const kind of Object.keys(PROTOCOLS)) {
  test(`${kind}: streams what the script says, thoughts apart, and counts tokens`, async (t) => {
    const llm = await provider(t, { key: 'k' });
    const text = '雨停了。 The lamp burned on,\nand 二人 waited…';
    llm.script({ text, reasoning: '她在想。' });
    const wire = await (await ask(llm, kind, 'hello')).text();
    assert.equal(told(kind, wire), text);
    assert.equal(told(kind, wire, 'reasoning'), '她在想。');
    assert.equal(events(wire).map(CLIENTS[kind].usage).findLast(Number), tokenize(text).length);
    const request = await llm.next();
    assert.equal(request.user, 'hello');
    assert.equal(request.number, 1);
    assert.equal(told(kind, await (await ask(llm, kind, 'again')).text()), echo({ number: 2, user: 'again' }));
  });

  test(`${kind}: any cutting of the bytes is the same text`, async (t) => {
    const llm = await provider(t);
    const text = '一二三 four 五六';
    for (const cut of [{ cutEvery: 1 }, { cutEvery: 7 }, { cutBytes: [5, 90, 91] }, { atOnce: true }]) {
      llm.script({ text, ...cut });
      assert.equal(told(kind, await (await ask(llm, kind, 'x')).text()), text);
    }
  });

  test(`${kind}: refuses in its own words`, async (t) => {
    const llm = await provider(t, { key: 'right', corsOnWrongKey: false });
    const origin = { headers: { origin: 'http://page', 'anthropic-dangerous-direct-browser-access': 'true' } };
    const wrong = await ask(llm, kind, 'x', { key: 'wrong', ...origin });
    assert.equal(wrong.status, PROTOCOLS[kind].wrongKey.status);
    assert.equal(wrong.headers.get('access-control-allow-origin'), null);
    assert.equal((await wrong.json()).error.message, PROTOCOLS[kind].wrongKey.message);
    llm.script({ status: 429, retryAfter: 17, errorMessage: 'slow down' });
    const late = await ask(llm, kind, 'x', { key: 'right', ...origin });
    assert.deepEqual([late.status, late.headers.get('retry-after')], [429, '17']);
    assert.equal(late.headers.get('access-control-allow-origin'), 'http://page');
    assert.equal((await late.json()).error.message, 'slow down');
    llm.script({ errorAmid: 2, pieces: ['a', 'b', 'c'], errorMessage: 'overloaded' });
    const wire = await (await ask(llm, kind, 'x', { key: 'right' })).text();
    assert.equal(told(kind, wire), 'ab');
    assert.equal(events(wire).map(CLIENTS[kind].fault).filter(Boolean).join(), 'overloaded');
  });

  test(`${kind}: lists models and answers preflights by the rule set`, async (t) => {
    const llm = await provider(t, { cors: 'static', models: ['a', 'b'] });
    const url = `${llm.base(kind)}/models`;
    const list = await (await fetch(url, { headers: CLIENTS[kind].headers('k') })).json();
    assert.deepEqual((list.data ?? list.models).map((model) => model.id ?? model.name.replace('models/', '')), ['a', 'b']);
    const preflight = (headers) =>
      fetch(url, { method: 'OPTIONS', headers: { origin: 'http://page', 'access-control-request-headers': headers } });
    const known = Object.keys(CLIENTS[kind].headers('k')).join(',');
    assert.equal((await preflight(known)).status, 204);
    assert.equal((await preflight(`${known},x-app-name`)).status, 403);
    llm.set({ cors: 'reflect' });
    assert.match((await preflight(`${known},x-app-name`)).headers.get('access-control-allow-headers'), /x-app-name/);
    llm.set({ cors: 'none' });
    assert.equal((await preflight(known)).headers.get('access-control-allow-headers'), null);
    assert.equal(llm.preflights.length, 4);
  });
}

test('a rate is kept, a stall holds on, a drop breaks off', async (t) => {
  const llm = await provider(t);
  const start = performance.now();
  llm.script({ pieces: Array(21).fill('x'), rate: 100 });
  await (await ask(llm, 'openai', 'x')).text();
  const took = performance.now() - start;
  assert.ok(took >= 195, `21 tokens at 100 a second took ${took} ms`);

  llm.script({ text: 'never to end', stallAfter: 2 }, { text: 'broken off here', dropAfter: 2 });
  const leave = new AbortController();
  const stalled = (await ask(llm, 'openai', 'x', { signal: leave.signal })).body.getReader();
  for (let seen = ''; !seen.includes('to'); ) seen += Buffer.from((await stalled.read()).value);
  const more = stalled.read().then(() => 'more', () => 'left');
  assert.equal(await Promise.race([more, new Promise((done) => setTimeout(done, 300, 'nothing'))]), 'nothing');
  leave.abort();
  assert.equal(await more, 'left');
  await llm.requests.at(-1).closed;
  assert.equal(llm.requests.at(-1).aborted, true);
  await assert.rejects(ask(llm, 'openai', 'x').then((answer) => answer.text()));
});

test('an answer waits until it is released', async (t) => {
  const llm = await provider(t);
  llm.script({ text: 'ab cd', holdAfter: 1 }, { text: 'late', hold: true });
  const answer = await ask(llm, 'openai', 'x');
  const reader = answer.body.getReader();
  let seen = '';
  while (!seen.includes('"content":"ab"')) seen += Buffer.from((await reader.read()).value);
  llm.release();
  for (let step; !(step = await reader.read()).done; ) seen += Buffer.from(step.value);
  assert.equal(told('openai', seen), 'ab cd');

  let headed = false;
  const held = ask(llm, 'openai', 'x').then((late) => ((headed = true), late.text()));
  await llm.next();
  await llm.next();
  assert.equal(headed, false);
  llm.release();
  assert.equal(told('openai', await held), 'late');
});

test('HTML, false content types, empty replies, missing end marks, unknown models, redirects', async (t) => {
  const llm = await provider(t);
  llm.script({ html: true }, { text: 'x', contentType: 'text/plain' }, { empty: true }, { text: 'x', noDone: true });
  assert.match(await (await ask(llm, 'openai', 'x')).text(), /^<!doctype html>/);
  assert.equal((await ask(llm, 'openai', 'x')).headers.get('content-type'), 'text/plain');
  assert.equal(told('openai', await (await ask(llm, 'openai', 'x')).text()), '');
  assert.doesNotMatch(await (await ask(llm, 'openai', 'x')).text(), /DONE/);
  llm.set({ models: ['other'] });
  assert.equal((await ask(llm, 'openai', 'x')).status, 404);
  llm.set({ models: [MODEL] });
  llm.script({ status: 307, headers: { location: `${llm.origin}/canary/key` } });
  assert.equal((await ask(llm, 'openai', 'x')).status, 200);
  assert.equal(llm.canary.length, 1);
  for (const { number } of llm.chat()) assert.equal((await llm.next()).number, number);
  await assert.rejects(llm.next(1), /no chat request within 1 ms/);
});

test('Anthropic refuses a browser that does not own up to being one', async (t) => {
  const llm = await provider(t);
  const answer = await ask(llm, 'anthropic', 'x', { headers: { origin: 'http://page' } });
  assert.equal(answer.status, 401);
  assert.match((await answer.json()).error.message, /dangerous-direct-browser-access/);
});

test('the folder server: types, gzip, tags, sub path, fallback', async (t) => {
  const root = await mkdtemp(join(tmpdir(), 'fabula-static-'));
  t.after(() => rm(root, { recursive: true }));
  await writeFile(join(root, 'index.html'), '<p>home</p>');
  await writeFile(join(root, '404.html'), '<p>lost</p>');
  await writeFile(join(root, 'app.wasm'), Buffer.alloc(10_000));
  const log = [];
  const site = await serve({ root, base: '/fabula/', onResponse: (entry) => log.push(entry) });
  t.after(site.close);

  const home = await fetch(site.url);
  assert.deepEqual([home.status, home.headers.get('cache-control'), await home.text()], [200, 'no-cache', '<p>home</p>']);
  const again = await fetch(site.url, { headers: { 'if-none-match': home.headers.get('etag') }, cache: 'no-store' });
  assert.equal(again.status, 304);
  const wasm = await fetch(`${site.url}app.wasm`);
  assert.equal(wasm.headers.get('content-type'), 'application/wasm');
  assert.equal(wasm.headers.get('content-encoding'), 'gzip');
  assert.equal(wasm.headers.get('cache-control'), 'max-age=600');
  assert.equal((await wasm.arrayBuffer()).byteLength, 10_000);
  assert.ok(log.at(-1).bytes < 100, 'the log counts the bytes sent');
  const plain = await fetch(`${site.url}app.wasm`, { headers: { 'accept-encoding': 'identity' } });
  assert.equal(plain.headers.get('content-encoding'), null);
  const lost = await fetch(`${site.url}chat/7`);
  assert.deepEqual([lost.status, await lost.text()], [404, '<p>lost</p>']);
  assert.equal((await fetch(new URL('/elsewhere', site.url))).status, 404);
  assert.equal((await fetch(`${site.url}..%2f..%2fetc%2fpasswd`)).status, 404);
  assert.equal((await fetch(site.url.slice(0, -1))).url, site.url);
});
