// The first minute: a stranger opens the page.

import assert from 'node:assert/strict';
import test from 'node:test';

import { stage } from '../support/browser.mjs';
import { eventually } from '../support/page.mjs';

const at = stage();

test('the page loads in a few requests, and does not grow', async (t) => {
  const before = at.sent.length;
  const app = await at.open(t);
  await app.page.waitForLoadState('networkidle');
  const sent = at.sent.slice(before);
  const bytes = sent.reduce((sum, answer) => sum + answer.bytes, 0);
  t.diagnostic(`${sent.length} requests, ${bytes} bytes as sent`);
  for (const { path, type, bytes } of sent) t.diagnostic(`${String(bytes).padStart(8)}  ${path}  ${type}`);
  assert.ok(sent.length >= 3, 'a page, a script and a wasm file at least');
  assert.ok(sent.every((answer) => answer.status === 200), 'nothing is missing');
  assert.ok(sent.length <= 12, `${sent.length} requests`);
  // The aim is 800 KB. It is not held since the story engine's pages came in: this only keeps it from growing on.
  assert.ok(bytes <= 1_510_000, `${bytes} bytes`);
  assert.ok(sent.some(({ path, type }) => path.endsWith('.wasm') && type === 'application/wasm'));
  assert.deepEqual(app.foreign(), []);
});

for (const [language, labelled] of [['zh-CN', /演示|录制|预录/], ['en-US', /demo|recorded/i]]) {
  test(`the demo plays without a key, labelled as one, and asks nobody else (${language})`, async (t) => {
    const app = await at.open(t, { language });
    await app.id('welcome').waitFor();
    await app.id('welcome-demo').click();
    await app.id('composer-input').waitFor();
    assert.match(await app.id('demo-label').innerText(), labelled);

    const suggestion = app.id('demo-suggestion').first();
    const line = (await suggestion.innerText()).trim();
    await suggestion.click();
    const first = await eventually(async () => {
      const number = await app.lastTurn();
      assert.ok(number >= 1, 'a turn begins');
      return number;
    });
    assert.equal(await app.userText(first), line);
    const early = await app.replyGrows(first, 3);
    await app.waitStatus(first, 'done', 60_000);
    const reply = await app.replyText(first);
    assert.ok(reply.length > early.length, 'the reply streams');
    assert.ok(reply.length > 40, `a reply worth reading, not ${JSON.stringify(reply)}`);

    const second = await app.send(language === 'zh-CN' ? '我推开门。' : 'I open the door.');
    await app.waitStatus(second, 'done', 60_000);
    const story = await app.story();
    await app.reload();
    await eventually(async () => assert.deepEqual(await app.story(), story));
    assert.deepEqual(app.foreign(), []);
  });
}

test('the welcome leads to a connection in one step', async (t) => {
  const app = await at.open(t);
  await app.id('welcome-connect').click();
  await app.id('connection-kind').waitFor();
  const kinds = await app.id('connection-kind').locator('option').evaluateAll((all) => all.map((option) => option.value));
  assert.deepEqual(kinds, ['openai', 'anthropic', 'gemini']);
  assert.equal(await app.id('connection-key').getAttribute('type'), 'password');
});

test('the language follows the browser, and can be switched for good', async (t) => {
  const chinese = await at.open(t, { language: 'zh-CN' });
  assert.match(await chinese.page.locator('html').getAttribute('lang'), /^zh/);
  assert.ok(await chinese.speaksChinese());

  const app = await at.open(t, { language: 'en-US' });
  const places = ['characters', 'backgrounds', 'storylines', 'settings'];
  assert.equal(await app.page.locator('html').getAttribute('lang'), 'en');
  for (const place of places) {
    await app.go(place);
    assert.doesNotMatch(await app.words(), /[\u4e00-\u9fff]/, `no Chinese in ${place}`);
  }
  await app.id('language-select').selectOption('zh');
  await eventually(async () => assert.match(await app.page.locator('html').getAttribute('lang'), /^zh/));
  for (const place of places) {
    await app.go(place);
    assert.ok(await app.speaksChinese(), `Chinese in ${place}`);
  }
  await app.reload();
  assert.match(await app.page.locator('html').getAttribute('lang'), /^zh/);
});

test('once loaded, the page works without a network', async (t) => {
  const app = await at.open(t);
  await app.page.context().setOffline(true);
  await app.createCharacter({ name: '离线', description: '没有网络也在。' });
  await app.go('storylines');
  await app.go('characters');
  await app.item('character-item', '离线').waitFor();
});
