// What a reader has typed, chosen or asked for is there when they come back to it, whatever they did in between.

import assert from 'node:assert/strict';
import test from 'node:test';

import { NETWORK, stage } from '../support/browser.mjs';
import { eventually } from '../support/page.mjs';

const at = stage();

const CHARACTER = { name: '林夕', first_mes: '门上的铃响了。' };
const shows = (locator, pattern) => eventually(async () => assert.match((await locator.allInnerTexts()).join('\n'), pattern));
const holds = (locator, text) => eventually(async () => assert.equal(await locator.inputValue(), text));

test('where a page has no locks, stories open again and files come in', async (t) => {
  const app = await at.open(t, { ready: false });
  // As outside a secure context.
  await app.page.addInitScript(() => Object.defineProperty(navigator, 'locks', { value: undefined }));
  await app.open();
  const llm = await at.provider(t);
  await app.begin(llm, { character: CHARACTER, title: '灯' });
  for (let times = 0; times < 2; times += 1) {
    await app.go('settings');
    await app.openStory('灯');
    await shows(app.turn(0).reply, /门上的铃响了/);
  }
  for (const name of ['阿青', '老周']) {
    const buffer = Buffer.from(JSON.stringify({ spec: 'chara_card_v2', spec_version: '2.0', data: { name, description: '…' } }));
    await app.go('characters');
    await app.upload('character-import', { name: `${name}.json`, mimeType: 'application/json', buffer });
    await app.item('character-item', name).waitFor();
  }
});

for (const language of ['zh-CN', 'en-GB']) {
  test(`a key that is gone is asked for in the cradle and the circle, too (${language})`, async (t) => {
    const llm = await at.provider(t, { key: 'sk-lamp' });
    const app = await at.open(t, { language, allow: NETWORK });
    await app.addConnection({ url: llm.base('openai'), key: 'sk-lamp' });
    await app.createCharacter({ name: '阿青' });
    llm.on((request) => (request.user.includes('阿青') ? JSON.stringify({ text: '今天擦了灯。' }) : JSON.stringify({ description: '守灯的人。' })));
    await app.reload();

    await app.go('circle');
    await app.id('circle-let-in').selectOption({ label: '阿青' });
    await app.press(app.item('circle-member', '阿青'), 'circle-post-now');
    await app.id('ask-key-cancel').click();
    await app.id('ask-key').waitFor({ state: 'detached' });
    await app.id('circle-progress').waitFor({ state: 'detached' });

    await app.go('cradle');
    await app.id('cradle-name').fill('林夕');
    await app.id('cradle-new').click();
    await app.id('cradle-feed-text').fill('她守灯三十年。');
    await app.id('cradle-feed-give').click();
    await app.id('cradle-feed').waitFor();
    await app.id('cradle-days').selectOption('0');
    await app.id('cradle-begin').click();
    await app.id('ask-key').waitFor();
    assert.equal(llm.chat().length, 0);
    await app.id('ask-key-key').fill('sk-lamp');
    await app.id('ask-key-key').press('Enter');
    await eventually(async () => assert.ok(llm.chat().length > 0));
  });
}

test('what was typed for a character that grows, and what answers somebody, waits', async (t) => {
  const app = await at.open(t, { language: 'en-GB' });
  await app.createCharacter({ name: 'Ada' });
  await app.go('cradle');
  await app.id('cradle-name').fill('Wren');
  await app.id('cradle-new').click();
  await app.id('cradle-feed-title').fill('Of the light');
  await app.id('cradle-feed-text').fill('She has kept the light for thirty years.');
  await app.go('settings');
  await app.go('cradle');
  await app.item('cradle-item', 'Wren').getByRole('link').first().click();
  await holds(app.id('cradle-feed-text'), 'She has kept the light for thirty years.');
  await app.id('cradle-feed-give').click();
  await app.id('cradle-feed').waitFor();
  await holds(app.id('cradle-feed-title'), '');
  await app.go('settings');
  await app.go('cradle');
  await app.item('cradle-item', 'Wren').getByRole('link').first().click();
  await holds(app.id('cradle-feed-text'), '');

  // The circle: what is too long is said so and not cut; an answer goes along to whom it is said in the end.
  await app.go('circle');
  for (const text of ['First.', 'Second.']) {
    await app.id('circle-text').fill(text);
    await app.id('circle-post').click();
    await app.item('circle-item', text).waitFor();
  }
  await app.id('circle-text').fill('a'.repeat(4_001));
  await eventually(async () => assert.match(await app.page.locator('.circle-write').innerText(), /4000 characters at most; there are 4001 now/));
  assert.ok(await app.id('circle-post').isDisabled());
  await app.id('circle-text').fill('a'.repeat(4_000));
  assert.ok(await app.id('circle-post').isEnabled());
  await app.id('circle-text').fill('');
  await app.item('circle-item', 'First.').getByTestId('circle-answer').click();
  await app.id('circle-answer-text').fill('What about it?');
  await app.item('circle-item', 'Second.').getByTestId('circle-answer').click();
  await holds(app.item('circle-item', 'Second.').getByTestId('circle-answer-text'), 'What about it?');
  await app.id('circle-answer-send').click();
  await shows(app.item('circle-item', 'Second.').getByTestId('circle-said'), /What about it/);
  await app.item('circle-item', 'First.').getByTestId('circle-answer').click();
  await holds(app.id('circle-answer-text'), '');
});

test('Escape in a form stops no reply, and takes nothing that was typed', async (t) => {
  const llm = await at.provider(t);
  const app = await at.open(t, { viewport: { width: 1440, height: 900 } });
  await app.begin(llm, { character: CHARACTER, title: '灯' });
  llm.script('好。', { text: '灯亮着。雨停了。', holdAfter: 2 });
  const first = await app.play('走。');
  const turn = app.turn(first);
  await turn.root.hover();
  await turn.id('turn-lore').click();
  await app.id('lore-chosen-name').fill('灯');
  await app.id('lore-chosen-name').press('Escape');
  await holds(app.id('lore-chosen-name'), '灯');
  const second = await app.send('然后呢？');
  await app.replyGrows(second, 1);
  await app.id('lore-chosen-name').press('Escape');
  await app.page.waitForTimeout(300);
  await app.waitStatus(second, 'streaming');
  llm.release();
  await app.waitStatus(second, 'done');
  assert.equal(await app.replyText(second), '灯亮着。雨停了。');
  await app.id('lore-chosen-cancel').click();
  await app.id('lore-chosen').waitFor({ state: 'detached' });
});

test('a memory comes back though its story was left', async (t) => {
  const llm = await at.provider(t);
  const app = await at.open(t, { viewport: { width: 1440, height: 900 } });
  await app.begin(llm, { character: CHARACTER, title: '灯' });
  await app.id('tab-memory').click();
  await app.id('memory-write').click();
  await app.id('memory-text').fill('钥匙在花盆下');
  await app.id('memory-save').click();
  await app.press(app.id('memory-item').first(), 'memory-delete');
  await eventually(async () => assert.equal(await app.id('memory-item').count(), 0));
  await app.go('settings');
  await app.id('notice-undo').click();
  await eventually(async () => assert.deepEqual((await app.records('memories')).map(({ text }) => text), ['钥匙在花盆下']));
  assert.equal(await app.id('notice').count(), 0, 'and nothing went wrong');
});

test('what cannot be copied is not said to be', async (t) => {
  const llm = await at.provider(t);
  const app = await at.open(t, { language: 'en-GB', ready: false });
  await app.page.addInitScript(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }));
  await app.open();
  await app.begin(llm, { character: CHARACTER, title: 'The lamp' });
  const turn = app.turn(await app.play('Go.'));
  await turn.root.hover();
  await turn.id('turn-copy').click();
  await shows(app.id('notice'), /does not let this page copy/);
});
