// The key goes to its provider and nowhere else.

import assert from 'node:assert/strict';
import { createCipheriv, pbkdf2Sync, randomBytes } from 'node:crypto';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'node:test';

import { NETWORK, scratch, stage } from '../support/browser.mjs';
import { WRITINGS, assertNotIn, places } from '../support/canary.mjs';
import { eventually } from '../support/page.mjs';

const at = stage();

const KEY = 'sk-canary-4f1d7c52e9';
const PASSPHRASE = '灯下的书 correct horse';
const CHARACTER = { name: '林夕', first_mes: '门上的铃响了。' };

async function assertNowhere(app, ...secrets) {
  const found = await places(app);
  for (const secret of secrets) assertNotIn(found, secret);
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
  await app.id('turn-retry').last().click();
  await app.id('ask-key-key').waitFor();
  assert.equal(llm.chat().length, asked, 'it asks nobody without it');
  await assertNowhere(app, KEY);

  await app.page.context().close();
  await assertNotOnDisk(profile);
});

/** The key is in no file of a browser that has ended. */
async function assertNotOnDisk(profile) {
  for (const entry of await readdir(profile, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const bytes = await readFile(join(entry.parentPath ?? entry.path, entry.name));
    assert.ok(!bytes.includes(KEY) && !bytes.includes(Buffer.from(KEY, 'utf16le')), `the key is on the disk in ${entry.name}`);
  }
}

/** What is stored of the story itself. */
async function story(app) {
  const { turns, generations, storylines, branches, states, memories } = (await app.stored()).databases.fabula;
  return { turns, generations, storylines, branches, states, memories };
}

for (const [shift, keeping] of ['memory', 'sealed', 'clear'].entries()) {
  test(`an answer that echoes the key, in whatever writing, leaves it nowhere (${keeping})`, async (t) => {
    const llm = await at.provider(t, { key: KEY });
    const app = await at.open(t, { allow: NETWORK });
    const connection = { key: KEY, keeping, passphrase: keeping === 'sealed' ? PASSPHRASE : undefined };
    await app.begin(llm, { connection, character: CHARACTER, background: { name: '雨城', world: '一座终年下雨的城市。' } });
    llm.script('第一答。');
    await app.play('第一句');
    await app.id('tab-prompt').click();
    await app.id('prompt-block').first().waitFor();
    // Each in one kind of answer, and in another one with each way to keep the key.
    for (const [nth, [name, write]] of Object.entries(WRITINGS).entries()) {
      const echo = write(KEY);
      // Said as it is written, not as JSON would write it: escapes of it are escapes of the answer.
      const errorBody = `{"error": {"message": "no model for ${echo}", "type": "invalid_request_error"}}`;
      const html = `<!doctype html><html><head><title>Denied: ${echo}</title></head><body>${echo}</body></html>`;
      const answers = [
        { status: 400, errorBody },
        { status: 502, errorBody: html, contentType: 'text/html' },
        { text: '说到一半。', errorAmid: 1, errorMessage: `overloaded: ${echo}` },
      ];
      llm.script(answers[(nth + shift) % answers.length]);
      await app.play(name, 'error');
    }
    const faults = (await app.records('generations')).flatMap(({ fault }) => fault ?? []);
    assert.equal(faults.length, Object.keys(WRITINGS).length);
    for (const { detail } of faults) assert.match(detail, /•••/);
    // What is typed to be tried is answered as well.
    await app.go('settings');
    await app.id('connection-edit').first().click();
    llm.script({ status: 400, errorMessage: `no model for ${KEY}` });
    await app.id('connection-test').click();
    await eventually(async () => assert.match(await app.id('connection-status').innerText(), /•••/));
    await app.id('connection-cancel').click();
    await app.openStory();
    const { 'the vault': vault, ...others } = await places(app);
    assertNotIn(others, KEY);
    assert.equal(vault.includes(KEY), keeping === 'clear', 'only where it was so chosen, and only there');
    if (keeping !== 'clear') assertNotIn({ 'the vault': vault }, KEY);
    assertNotIn({ ...others, 'the vault': vault }, PASSPHRASE);
  });
}

/** What the field of the passphrase says of itself. */
const told = (app) =>
  app.id('vault-passphrase').evaluate((field) => {
    const note = document.getElementById(field.getAttribute('aria-describedby'));
    return [note.getAttribute('aria-live'), note.innerText.trim()];
  });

for (const [language, words] of [
  ['zh-CN', { advice: /八个以上不成套话的汉字/, short: /太弱。太短/, repeated: /太弱。重复的部分/, sequence: /太弱。顺着/, common: /太弱。很多人/, fair: /够用/, strong: /很强/ }],
  ['en-US', { advice: /Five unrelated words/, short: /too weak\. It is too short/, repeated: /too weak\. What is repeated/, sequence: /too weak\. What follows/, common: /too weak\. Many people/, fair: /Strength: fair/, strong: /Strength: strong/ }],
]) {
  test(`a new passphrase is judged as it is typed, and a weak one is not taken (${language})`, async (t) => {
    const llm = await at.provider(t, { key: KEY });
    const app = await at.open(t, { language });
    await app.go('settings');
    await app.id('connection-url').fill(llm.base('openai'));
    await app.id('connection-model').fill('story-large');
    await app.id('connection-key').fill(KEY);
    await app.id('vault-mode').selectOption('sealed');
    const field = app.id('vault-passphrase');
    for (const [text, word] of [
      ['', 'advice'], ['x', 'short'], ['灯下的书', 'short'], ['哈哈哈哈哈哈哈哈哈哈', 'repeated'], ['abcdefghijklmnop', 'sequence'],
      ['P@ssw0rd', 'common'], [PASSPHRASE, 'fair'], ['钟楼的铃响了三声，没有人回头看她一眼', 'strong'],
    ]) {
      await field.fill(text);
      await eventually(async () => {
        const [live, said] = await told(app);
        assert.equal(live, 'polite');
        assert.match(said, words[word], text);
      });
    }
    for (const [text, word] of [['x', 'short'], ['password', 'common']]) {
      await field.fill(text);
      await app.id('connection-save').click();
      await eventually(async () => {
        const said = await app.id('vault-error').innerText();
        assert.match(said, words[word]);
        assert.match(said, words.advice, 'and what would do');
      });
      assert.deepEqual(await app.records('vault'), [], 'nothing is kept under it');
      assert.equal(await app.id('connection-item').count(), 0);
    }
    await field.fill(PASSPHRASE);
    await app.id('connection-save').click();
    await app.id('connection-item').waitFor();
    await eventually(async () => assert.equal((await app.records('vault')).length, 2));
  });
}

test('a lock from before, under a passphrase that would not be taken today, still opens', async (t) => {
  const llm = await at.provider(t, { key: KEY });
  const app = await at.open(t, { allow: NETWORK });
  await app.begin(llm, { connection: { key: KEY, keeping: 'sealed', passphrase: PASSPHRASE }, character: CHARACTER });
  const sealed = (await app.records('vault')).find((record) => record.sealed);
  await app.put('vault', ...locked('x', sealed.id, KEY));
  await app.reload();
  await app.go('settings');
  await app.id('vault-passphrase').fill('x');
  assert.deepEqual(await told(app), ['polite', '密钥已加密。输入口令解锁。'], 'nothing is judged here');
  await app.id('vault-unlock').click();
  await app.id('vault-unlock').waitFor({ state: 'hidden' });
  await app.openStory();
  await app.play('第一句');
  assert.equal(llm.chat().at(-1).headers.authorization, `Bearer ${KEY}`);
});

/** The records of a vault with one key, as the page keeps them: made here by other means than its own. */
function locked(passphrase, id, key) {
  const [salt, rounds] = [randomBytes(16), 600_000];
  const lock = pbkdf2Sync(passphrase, salt, rounds, 32, 'sha256');
  const seal = (boundTo, text) => {
    const nonce = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', lock, nonce).setAAD(Buffer.from(boundTo));
    const sealed = Buffer.concat([cipher.update(text), cipher.final(), cipher.getAuthTag()]);
    return { nonce: nonce.toString('base64'), text: sealed.toString('base64') };
  };
  return [{ id: 'lock', rounds, salt: salt.toString('base64'), check: seal('lock', 'fabula') }, { id, sealed: seal(id, key) }];
}

for (const [language, words, missing] of [
  ['zh-CN', '第二句，没有发出去的。', /“My openai”的密钥不在手边/],
  ['en-US', 'A second line, not sent.', /The key of “My openai” is not at hand/],
]) {
  test(`a key that is gone is asked for in place, and nothing is written before (${language})`, async (t) => {
    const llm = await at.provider(t, { key: KEY });
    const app = await at.open(t, { language, allow: NETWORK });
    await app.begin(llm, { connection: { key: KEY }, character: CHARACTER });
    llm.script('第一答。');
    const first = await app.play('第一句');
    await app.reload();
    const before = await story(app);
    const composer = app.id('composer-input');

    await t.test('cancelled, the words stay where they were typed', async () => {
      await composer.fill(words);
      await composer.press('Enter');
      await app.id('ask-key').waitFor();
      assert.match(await app.id('ask-key').innerText(), missing);
      await eventually(async () => assert.equal(await app.page.evaluate(() => document.activeElement?.dataset.testid), 'ask-key-key'));
      await app.page.keyboard.press('Escape');
      await app.id('ask-key').waitFor({ state: 'hidden' });
      assert.equal(await composer.inputValue(), words);
      assert.equal(await app.page.evaluate(() => document.activeElement?.dataset.testid), 'composer-input');
      assert.deepEqual(await story(app), before, 'nothing is written');
      assert.equal(await app.id('notice').count(), 0, 'and nothing went wrong');
    });

    await t.test('so with another reply, with more of one and with a summary', async () => {
      const begins = {
        'turn-regenerate': () => app.turn(first).id('turn-regenerate').click(),
        'turn-continue': () => app.turn(first).id('turn-continue').click(),
        'action-summarize': async () => {
          if (!(await app.id('action-summarize').isVisible())) await app.id('tab-memory').click();
          await app.id('action-summarize').click();
        },
      };
      for (const [name, begin] of Object.entries(begins)) {
        await begin();
        await app.id('ask-key').waitFor();
        await app.id('ask-key-cancel').click();
        await app.id('ask-key').waitFor({ state: 'hidden' });
        assert.deepEqual(await story(app), before, `${name} wrote`);
        assert.equal(await app.id('summarize-error').count(), 0);
      }
      assert.equal(llm.chat().length, 1, 'and nobody was asked');
    });

    await t.test('given, what was begun goes on', async () => {
      await composer.press('Enter');
      await app.id('ask-key-go').click();
      await app.id('vault-error').waitFor();
      await app.id('ask-key-key').fill('钥匙');
      await app.id('ask-key-go').click();
      await eventually(async () => assert.match(await app.id('vault-error').innerText(), /密钥|key/, 'no header takes it'));
      llm.script('第二答。');
      await app.id('ask-key-key').fill(KEY);
      await app.id('ask-key-go').click();
      await app.waitStatus(first + 1, 'done');
      assert.equal(await app.userText(first + 1), words);
      assert.equal(await composer.inputValue(), '');
      assert.equal(llm.chat().at(-1).headers.authorization, `Bearer ${KEY}`);
      assert.equal(await app.id('ask-key').count(), 0);
    });
    await assertNowhere(app, KEY);
  });
}

test('a second address: the key in memory goes along with the reload that takes, and is nowhere after it', async (t) => {
  const [one, two] = [await at.provider(t, { key: KEY }), await at.provider(t, { key: KEY })];
  const profile = await scratch(t);
  const app = await at.open(t, { profile });
  await app.begin(one, { connection: { name: 'One', key: KEY }, character: CHARACTER });
  await app.play('第一句');
  await one.next();
  // The page allows no more than the first address by now.
  await app.page.evaluate(() => (window.isBefore = true));
  await app.addConnection({ url: two.base('openai'), name: 'Two', key: KEY });
  await app.page.waitForFunction(() => !window.isBefore && document.documentElement.dataset.ready === '1');
  assert.deepEqual((await app.records('vault')).map(({ id, ...kept }) => kept), [{ memory: true }, { memory: true }]);
  await assertNowhere(app, KEY);
  await app.id('connection-default').click();
  await app.openStory();
  await app.play('第二句');
  assert.equal((await two.next()).headers.authorization, `Bearer ${KEY}`);
  await assertNowhere(app, KEY);

  await t.test('one that the reader asks for takes nothing along', async () => {
    await app.openStory();
    await app.reload();
    await app.id('composer-input').fill('第三句');
    await app.id('composer-send').click();
    await app.id('ask-key-key').waitFor();
  });
  await app.page.context().close();
  await assertNotOnDisk(profile);
});

test('a kept key goes to no other server, unless it is told to', async (t) => {
  const [one, two] = [await at.provider(t, { key: KEY }), await at.provider(t, { key: KEY })];
  const app = await at.open(t, { language: 'en-GB' });
  await app.begin(one, { connection: { name: 'One', key: KEY }, character: CHARACTER });
  // Both may be reached.
  await app.addConnection({ url: two.base('openai'), name: 'Two', key: 'sk-other-0123456789' });
  await app.press(app.item('connection-item', 'One'), 'connection-edit');
  await app.id('connection-url').fill(two.base('openai'));
  await app.id('connection-url').blur();
  for (const way of ['connection-fetch', 'connection-test', 'connection-save']) {
    await app.id('connection-model').fill('story-large');
    await app.id('connection-lend-key').waitFor({ state: 'detached' });
    await app.id(way).click();
    await app.id('connection-lend-key').waitFor();
    assert.match(await app.id('connection-key').locator('xpath=ancestor::*[contains(@class, "field")][1]').innerText(), /was given for http:\/\/127\.0\.0\.1:\d+/);
    assert.equal(await app.id('connection-key').getAttribute('aria-invalid'), 'true');
  }
  assert.ok(two.requests.every(({ headers }) => headers.authorization !== `Bearer ${KEY}`));
  await app.id('connection-lend-key').click();
  await app.id('connection-test').click();
  await eventually(async () => assert.equal(await app.id('connection-status').getAttribute('data-kind'), 'ok'));
  assert.equal(two.chat().at(-1).headers.authorization, `Bearer ${KEY}`);
  await app.id('connection-save').click();
  await eventually(async () => assert.deepEqual((await app.records('settings')).flatMap(({ list }) => list ?? []).map(({ url }) => url), [two.base('openai'), two.base('openai')]));
});

test('the form says of each way to keep a key what it means', async (t) => {
  for (const [language, words] of [
    ['zh-CN', [/只在内存里.*刷新或关掉标签页就没有了/s, /用口令加密.*口令/s, /明文存在本机.*都能读到/s]],
    ['en-US', [/In memory only.*Gone when you reload/s, /Encrypted by a passphrase/, /In the clear.*can read it/s]],
  ]) {
    const app = await at.open(t, { language });
    await app.go('settings');
    const ways = app.id('vault-ways').locator('li');
    await eventually(async () => assert.equal(await ways.count(), 3));
    for (const [nth, said] of words.entries()) assert.match(await ways.nth(nth).innerText(), said);
    const chosen = () => ways.evaluateAll((all) => all.filter((way) => way.classList.contains('chosen')).map((way) => way.dataset.keeping));
    assert.deepEqual(await chosen(), ['memory']);
    await app.id('vault-mode').selectOption('clear');
    assert.deepEqual(await chosen(), ['clear']);
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
  await app.id('composer-input').fill('第二句');
  await app.id('composer-send').click();
  await app.id('ask-key-passphrase').fill('wrong');
  await app.id('ask-key-go').click();
  await app.id('vault-error').waitFor();
  assert.equal(llm.chat().length, 1, 'no request without the key');
  assert.equal(await app.lastTurn(), 1, 'and no turn');
  await app.id('ask-key-passphrase').fill(PASSPHRASE);
  await app.id('ask-key-go').click();
  await app.waitStatus(2, 'done');
  assert.equal(await app.userText(2), '第二句');
  assert.equal(llm.chat().at(-1).headers.authorization, `Bearer ${KEY}`);
  await assertNowhere(app, KEY, PASSPHRASE);

  await app.openStory();
  await app.reload();
  await app.go('settings');
  await app.id('vault-passphrase').fill('wrong');
  await app.id('vault-unlock').click();
  await app.id('vault-error').waitFor();
  await app.id('vault-passphrase').fill(PASSPHRASE);
  await app.id('vault-unlock').click();
  await app.id('vault-unlock').waitFor({ state: 'hidden' });
  await app.openStory();
  await app.play('第三句');
  assert.equal(llm.chat().at(-1).headers.authorization, `Bearer ${KEY}`);
});

test('in the clear by choice, the key survives a reload, and still is in no file and no address', async (t) => {
  const llm = await at.provider(t, { key: KEY });
  const app = await at.open(t);
  await app.begin(llm, { connection: { kind: 'gemini', key: KEY, keeping: 'clear' }, character: CHARACTER });
  await app.reload();
  await app.play('第一句');
  assert.equal((await llm.next()).headers['x-goog-api-key'], KEY);
  const { 'the vault': vault, ...others } = await places(app);
  assert.ok(vault.includes(KEY), 'it is kept, as chosen');
  assertNotIn(others, KEY);

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
