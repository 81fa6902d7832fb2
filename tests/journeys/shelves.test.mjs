// A library of many: found by words and tags, put in an order that stays, with the favourites first.

import assert from 'node:assert/strict';
import test from 'node:test';

import axe from 'axe-core';

import { stage } from '../support/browser.mjs';
import { eventually } from '../support/page.mjs';

const at = stage();

const PEOPLE = [
  { name: '林夕', description: '旧书店的店主。', tags: ['slow', 'books'] },
  { name: 'Wren', description: 'A keeper of bees.', tags: ['bees', 'slow'] },
  { name: '阿达', description: '造船的人。', tags: ['ships'] },
  { name: 'Mira', description: 'Keeps the light.', tags: [] },
  { name: 'Tomas', description: 'A ferryman.', tags: ['ships', 'slow'] },
  { name: '周舟', description: '信使。', tags: [] },
];

const card = (data) => ({
  name: `${data.name}.json`,
  mimeType: 'application/json',
  buffer: Buffer.from(JSON.stringify({ spec: 'chara_card_v2', spec_version: '2.0', data: { first_mes: '', extensions: {}, ...data } })),
});

const WORDS = {
  'zh-CN': { shown: /显示 3 个，共 6 个/, none: /没有找到/, byName: ['阿达', '林夕', '周舟', 'Mira', 'Tomas', 'Wren'] },
  'en-GB': { shown: /3 of 6 shown/, none: /Nothing found/ },
};

for (const [language, words] of Object.entries(WORDS)) {
  test(`characters are found, ordered and favoured (${language})`, async (t) => {
    const app = await at.open(t, { language, viewport: { width: 1440, height: 900 } });
    const names = () => app.id('character-item').locator('b').allInnerTexts();
    const are = (expected) => eventually(async () => assert.deepEqual(await names(), expected));
    const hold = (expected) => eventually(async () => assert.deepEqual((await names()).sort(), expected));
    await app.go('characters');
    await app.upload('character-import', PEOPLE.slice(0, 5).map(card));
    await eventually(async () => assert.equal((await names()).length, 5));
    assert.equal(await app.id('character-find').count(), 0, 'a few are seen whole');
    await app.upload('character-import', card(PEOPLE[5]));
    await app.item('character-item', PEOPLE[5].name).waitFor();
    // Whatever came at the same moment stands in any order; as many as there are.
    const all = async () => assert.deepEqual((await names()).sort(), PEOPLE.map(({ name }) => name).sort());
    await eventually(all);
    await eventually(async () => assert.equal((await names())[0], PEOPLE[5].name, 'the newest first'));

    await app.id('character-find').fill('KEEP');
    await hold(['Mira', 'Wren']);
    await app.id('character-find').fill('');
    await app.id('character-tag').selectOption('slow');
    await hold(['Tomas', 'Wren', '林夕']);
    await eventually(async () => assert.match(await app.id('character-shown').innerText(), words.shown));
    await app.page.evaluate(axe.source);
    const found = await app.page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }));
    assert.deepEqual(found.violations.map(({ id, nodes }) => `${id}: ${nodes[0].target}`), []);
    await app.id('character-find').fill('ferry bees');
    await app.page.locator('.library .empty', { hasText: words.none }).locator('button').click();
    await eventually(all);

    await app.id('character-sort').selectOption('Name');
    await eventually(async () => assert.deepEqual((await names()).filter((name) => /[A-z]/.test(name)), ['Mira', 'Tomas', 'Wren']));
    // By pinyin where the page speaks Chinese.
    if (language === 'zh-CN') await are(words.byName);
    await app.press(app.item('character-item', 'Wren'), 'character-favourite');
    const first = async () => assert.equal((await names())[0], 'Wren');
    await eventually(first);
    assert.equal(await app.item('character-item', 'Wren').getByTestId('character-favourite').getAttribute('aria-pressed'), 'true');

    // Both stay, and the favourite goes with its card.
    await app.reload();
    await eventually(first);
    assert.equal(await app.id('character-sort').inputValue(), 'Name');
    const out = JSON.parse((await app.exportCharacter('Wren', 'v2')).bytes);
    assert.equal(out.data.extensions.fav, true);
    await app.press(app.item('character-item', 'Wren'), 'character-favourite');
    await eventually(async () => assert.notEqual((await names())[0], 'Wren'));
    assert.ok(!('fav' in (await app.records('characters')).find(({ name }) => name === 'Wren').extensions));
  });
}

test('lorebooks, presets and stories have favourites, which stand first', async (t) => {
  const app = await at.open(t, { language: 'en-GB', viewport: { width: 1440, height: 900 } });
  const llm = await at.provider(t);
  await app.begin(llm, { character: { name: 'Wren' } });
  const book = (name) => ({ name: `${name}.json`, mimeType: 'application/json', buffer: Buffer.from(JSON.stringify({ name, entries: { 0: { uid: 0, key: [`${name} key`], content: 'x' } } })) });
  const first = (kind, name) => eventually(async () => assert.match(await app.id(`${kind}-item`).first().innerText(), new RegExp(name)));
  const pressed = (kind, name) => eventually(async () => assert.equal(await app.item(`${kind}-item`, name).getByTestId(`${kind}-favourite`).getAttribute('aria-pressed'), 'true'));

  await app.go('lorebooks');
  for (const name of ['Moor', 'Quay', 'Tower']) {
    await app.upload('lorebook-import', book(name));
    await app.item('lorebook-item', name).waitFor();
  }
  await app.press(app.item('lorebook-item', 'Moor'), 'lorebook-favourite');
  await first('lorebook', 'Moor');
  await pressed('lorebook', 'Moor');
  await app.id('lorebook-find').fill('tower key');
  await eventually(async () => assert.equal(await app.id('lorebook-item').count(), 1));
  await app.id('lorebook-find').fill('');
  await app.id('lorebook-sort').selectOption('Name');
  await eventually(async () => assert.deepEqual(await app.id('lorebook-item').locator('b').allInnerTexts(), ['Moor', 'Quay', 'Tower']));

  await app.go('presets');
  const copies = () => app.page.locator('[data-testid=preset-item]', { has: app.page.getByTestId('preset-edit') });
  for (const count of [1, 2]) {
    await app.press(app.item('preset-item', 'Plain chat').last(), 'preset-duplicate');
    await eventually(async () => assert.equal(await copies().count(), count));
  }
  const older = await copies().last().getAttribute('data-preset');
  await app.press(copies().last(), 'preset-favourite');
  await eventually(async () => assert.equal(await copies().first().getAttribute('data-preset'), older));

  // The story that was played before the last stands first, and stays there when another is played.
  const titles = () => app.id('storyline-item').locator('b').allInnerTexts();
  await app.createStoryline({ title: 'The second', character: 'Wren' });
  await eventually(async () => assert.equal((await titles()).length, 2));
  const item = app.id('storyline-item').last();
  await app.press(item, 'storyline-edit');
  await app.id('storyline-title').fill('The kept one');
  await app.id('storyline-favourite').check();
  await app.id('storyline-save').click();
  await eventually(async () => assert.equal((await titles())[0], 'The kept one'));
  llm.script('Yes.');
  await app.play('Hello?');
  await eventually(async () => assert.deepEqual(await titles(), ['The kept one', 'The second']));
  await app.reload();
  await eventually(async () => assert.deepEqual(await titles(), ['The kept one', 'The second']));
});
