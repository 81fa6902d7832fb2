// The key goes to its provider and nowhere else.

import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'node:test';

import { unpack } from '../support/archive.mjs';
import { NETWORK, scratch, stage } from '../support/browser.mjs';
import { eventually } from '../support/page.mjs';

const at = stage();

const KEY = 'sk-canary-4f1d7c52e9';
const PASSPHRASE = '灯下的书 correct horse';
const CHARACTER = { name: '林夕', first_mes: '门上的铃响了。' };

/** Everywhere that a key could have got to, each with what was found there. */
async function places(app) {
  const { page } = app;
  const dom = await page.evaluate(() => {
    const values = [...document.querySelectorAll('input, textarea, select')].map((field) => field.value);
    return [document.documentElement.outerHTML, location.href, JSON.stringify(history.state), ...values].join('\n');
  });
  await app.go('storylines');
  const story = await app.download(() => app.press(app.id('storyline-item').first(), 'storyline-export'));
  await app.go('settings');
  const backup = await app.download(() => app.id('backup-export').click());
  const settings = await page.evaluate(() => [...document.querySelectorAll('input')].map((field) => field.value).join('\n'));
  const caches = await page.evaluate(async () => {
    const urls = [];
    for (const name of await globalThis.caches.keys()) {
      for (const request of await (await globalThis.caches.open(name)).keys()) urls.push(request.url);
    }
    return urls.join('\n');
  });
  const plain = ({ bytes }) => Object.values(unpack(bytes)).flat().join('\n');
  return {
    'the page': dom,
    'the settings': settings,
    storage: JSON.stringify(await app.stored()),
    'the console': app.messages.join('\n'),
    addresses: app.requests.join('\n'),
    caches,
    'a story file': plain(story),
    'a backup': plain(backup),
  };
}

async function assertNowhere(app, ...secrets) {
  for (const [place, text] of Object.entries(await places(app))) {
    for (const secret of secrets) assert.ok(!text.includes(secret), `${secret} is in ${place}`);
  }
}

test('kept in memory, the key is nowhere but in its requests, and gone with the tab', async (t) => {
  const llm = await at.provider(t, { key: KEY });
  const profile = await scratch(t);
  const app = await at.open(t, { profile, allow: NETWORK });
  await app.begin(llm, { connection: { key: KEY, keeping: 'memory' }, character: CHARACTER });
  await app.play('第一句');
  assert.equal((await llm.next()).headers.authorization, `Bearer ${KEY}`);
  llm.script({ status: 500, errorMessage: `your key ${KEY} is fine but the model is not` });
  const failed = await app.play('第二句', 'error');
  assert.match(await app.turn(failed).root.innerText(), /but the model is not/);
  await llm.next();
  const address = app.page.url();
  await assertNowhere(app, KEY);

  await app.open(address);
  await app.reload();
  const asked = llm.chat().length;
  const number = await app.play('第三句', 'error');
  assert.match(await app.turn(number).root.innerText(), /密钥/, 'it says what is missing');
  assert.equal(llm.chat().length, asked, 'and asks nobody without it');
  assert.equal(await app.userText(number), '第三句');
  await assertNowhere(app, KEY);

  await app.page.context().close();
  for (const entry of await readdir(profile, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const bytes = await readFile(join(entry.parentPath ?? entry.path, entry.name));
    assert.ok(!bytes.includes(KEY) && !bytes.includes(Buffer.from(KEY, 'utf16le')), `the key is on the disk in ${entry.name}`);
  }
});

test('sealed, the key comes back with the passphrase and not without', async (t) => {
  const llm = await at.provider(t, { key: KEY });
  const app = await at.open(t, { allow: NETWORK });
  await app.begin(llm, { connection: { key: KEY, keeping: 'sealed', passphrase: PASSPHRASE }, character: CHARACTER });
  await app.play('第一句');
  const address = app.page.url();
  await assertNowhere(app, KEY, PASSPHRASE);
  const [lock] = (await app.records('vault')).filter((record) => record.rounds);
  assert.ok(lock.rounds >= 600_000, `${lock.rounds} rounds`);

  await app.reload();
  await app.open(address);
  const locked = await app.play('第二句', 'error');
  assert.equal(llm.chat().length, 1, 'no request without the key');
  await app.go('settings');
  await app.id('vault-passphrase').fill('wrong');
  await app.id('vault-unlock').click();
  await app.id('vault-error').waitFor();
  await app.id('vault-passphrase').fill(PASSPHRASE);
  await app.id('vault-unlock').click();
  await app.id('vault-unlock').waitFor({ state: 'hidden' });
  await app.openStory();
  await app.turn(locked).id('turn-retry').click();
  await app.waitStatus(locked, 'done');
  assert.equal(llm.chat().at(-1).headers.authorization, `Bearer ${KEY}`);
  await assertNowhere(app, KEY, PASSPHRASE);
});

test('in the clear by choice, the key survives a reload, and still is in no file and no address', async (t) => {
  const llm = await at.provider(t, { key: KEY });
  const app = await at.open(t);
  await app.begin(llm, { connection: { kind: 'gemini', key: KEY, keeping: 'clear' }, character: CHARACTER });
  await app.reload();
  await app.play('第一句');
  assert.equal((await llm.next()).headers['x-goog-api-key'], KEY);
  const { storage, ...others } = await places(app);
  assert.ok(storage.includes(KEY), 'it is kept, as chosen');
  for (const [place, text] of Object.entries(others)) assert.ok(!text.includes(KEY), `the key is in ${place}`);

  await app.id('vault-forget').click();
  await eventually(async () => assert.ok(!JSON.stringify(await app.stored()).includes(KEY), 'forgotten when told to'));
});

for (const status of [301, 302, 307, 308]) {
  test(`a provider that redirects (${status}) is refused, and the key does not follow`, async (t) => {
    const [llm, thief] = [await at.provider(t, { key: KEY }), await at.provider(t)];
    const app = await at.open(t, { allow: [...NETWORK, /redirect/i] });
    await app.begin(llm, { connection: { key: KEY }, character: CHARACTER });
    llm.script({ status, headers: { location: `${thief.origin}/canary/v1/chat/completions` } });
    const number = await app.play('往哪里去？', 'error');
    assert.equal(llm.chat().length, 1, 'the provider was asked');
    assert.deepEqual(thief.canary, []);
    assert.deepEqual(thief.requests, []);
    assert.match(await app.turn(number).root.innerText(), /\(系统错误[:：]/);
  });
}
