// Personas of the reader: written once, played with a character or in a story, and carried in and out as SillyTavern has them.

import assert from 'node:assert/strict';
import test from 'node:test';

import axe from 'axe-core';

import { stage } from '../support/browser.mjs';
import { eventually } from '../support/page.mjs';

const at = stage();

const json = (name, value) => ({ name, mimeType: 'application/json', buffer: Buffer.from(JSON.stringify(value)) });
const told = (llm) => llm.requests.at(-1).body.messages.map(({ content }) => content).join('\n');
const is = (locate, expected) => eventually(async () => assert.equal(await locate(), expected));
const PNG = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');

for (const [language, words] of Object.entries({
  'zh-CN': { heading: /小雨（用户扮演的人物）\n送信人，认识Ada。/, usual: '不用人设' },
  'en-GB': { heading: /小雨, whom the user plays\n送信人，认识Ada。/, usual: 'No persona' },
})) {
  test(`a persona is written, is the usual one, and the model is told of it (${language})`, async (t) => {
    const llm = await at.provider(t, {});
    const app = await at.open(t, { language, viewport: { width: 1440, height: 900 } });
    await app.addConnection({ url: llm.base('openai') });
    await app.createCharacter({ name: 'Ada', description: 'A smith.' });
    await app.go('personas');
    await app.id('persona-new').click();
    await app.id('persona-name').fill('小雨');
    await app.id('persona-description').fill('送信人，认识{{char}}。');
    await app.upload('character-avatar', { name: 'face.png', mimeType: 'image/png', buffer: PNG });
    await app.id('persona-save').click();
    await app.item('persona-item', '小雨').waitFor();
    await app.press(app.item('persona-item', '小雨'), 'persona-edit');
    await app.id('persona-usual').check();
    await app.page.evaluate(axe.source);
    const found = await app.page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }));
    assert.deepEqual(found.violations.map(({ id, nodes }) => `${id}: ${nodes[0].target}`), []);

    // The next story begins with it.
    await eventually(async () => assert.ok((await app.records('settings')).some(({ plays_as }) => plays_as)));
    await app.go('storylines');
    await app.id('storyline-new').click();
    await is(() => app.id('storyline-user').inputValue(), '小雨');
    await app.id('storyline-preset').selectOption('plain');
    await app.id('storyline-title').fill('Tale');
    await app.id('storyline-create').click();
    await app.id('composer-input').waitFor();
    llm.on(() => 'Yes.');
    await app.play('Hello.');
    assert.match(told(llm), words.heading);

    // Nowhere but the name; then none at all.
    await app.go('personas');
    await app.press(app.item('persona-item', '小雨'), 'persona-edit');
    await app.id('persona-place').selectOption('9');
    await eventually(async () => assert.equal((await app.records('personas'))[0].position, 9));
    await app.openStory('Tale');
    await app.play('Again.');
    assert.doesNotMatch(told(llm), /送信人/);
    assert.match(told(llm), /小雨/);
    await app.id('tab-story').click();
    await app.page.locator('[data-testid=story-plays-as]').selectOption({ label: words.usual });
    await eventually(async () => assert.equal((await app.records('storylines'))[0].plays_as, undefined));
    await is(() => app.id('story-user').inputValue(), '小雨');
  });
}

test("SillyTavern's backup comes in whole and goes out as it came; one goes with its story", async (t) => {
  const app = await at.open(t);
  const backup = {
    personas: { 'a.png': 'Lin', 'b.png': 'Ada' },
    persona_descriptions: {
      'a.png': { description: 'A courier.', position: 4, depth: 3, role: 0, lorebook: 'Roads' },
      'b.png': { description: 'A smith.', position: 0 },
    },
    default_persona: 'b.png',
  };
  await app.createCharacter({ name: '林夕' });
  await app.go('personas');
  await app.upload('persona-import', json('book.json', { entries: {} }));
  assert.match(await app.id('import-error').innerText(), /世界书/);
  await app.upload('persona-import', json('personas.json', backup));
  await is(() => app.id('persona-item').count(), 2);
  const carried = async (form) => {
    const item = app.item('persona-item', 'Ada');
    if (!(await item.getByTestId(`persona-export-${form}`).isVisible())) await app.press(item, 'persona-export');
    return JSON.parse((await app.download(() => item.getByTestId(`persona-export-${form}`).click())).bytes);
  };
  assert.deepEqual((await carried('one')).personas, { 'b.png': 'Ada' });
  const all = await carried('all');
  assert.deepEqual(all.personas, backup.personas);
  assert.deepEqual(all.persona_descriptions, backup.persona_descriptions);

  // With this character I am…: the story begins so, and its file brings the persona along.
  await app.go('characters');
  await app.press(app.item('character-item', '林夕'), 'character-edit');
  await app.id('character-persona').selectOption({ label: 'Lin' });
  await eventually(async () => assert.ok((await app.records('characters'))[0].plays_as));
  await app.createStoryline({ title: '雨夜' });
  await app.go('storylines');
  const { bytes, name } = await app.download(() => app.press(app.item('storyline-item', '雨夜'), 'storyline-export'));
  const other = await at.open(t);
  await other.go('storylines');
  await other.upload('storyline-import', { name, mimeType: 'application/gzip', buffer: bytes });
  await other.id('import-copy').click();
  await other.id('composer-input').waitFor();
  await eventually(async () => {
    const [personas, [story]] = [await other.records('personas'), await other.records('storylines')];
    assert.deepEqual(personas.map((one) => [one.name, one.lorebook]), [['Lin', 'Roads']]);
    assert.equal(story.plays_as, personas[0].id);
    assert.equal(story.user_name, 'Lin');
  });

  // Thrown away and fetched back.
  await app.go('personas');
  await app.press(app.item('persona-item', 'Lin'), 'persona-delete');
  await is(() => app.id('persona-item').count(), 1);
  await app.id('notice-undo').last().click();
  await is(() => app.id('persona-item').count(), 2);
});
