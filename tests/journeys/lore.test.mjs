// Lore in play: what a book says comes into the prompt where its words come up, and the inspector says why.

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'node:test';

import { scratch, stage } from '../support/browser.mjs';
import { eventually } from '../support/page.mjs';

const at = stage();

const WORDS = {
  'zh-CN': { key: '渡船', says: '{{char}}的渡船黎明开。', told: '阿达的渡船黎明开。', name: '阿达', silent: '我等着。', asks: '渡船什么时候开？', why: /最新一条消息里有“渡船”/, always: /常驻/, room: /没有余量/ },
  'en-GB': { key: 'ferry', says: 'The ferry of {{char}} leaves at dawn.', told: 'The ferry of Ada leaves at dawn.', name: 'Ada', silent: 'I wait.', asks: 'When does the Ferry leave?', why: /“ferry” is in the newest message/, always: /always told/, room: /there was no room/ },
};

for (const [language, words] of Object.entries(WORDS)) {
  test(`a book that hangs on a story is told where its words come up (${language})`, async (t) => {
    const llm = await at.provider(t, {});
    const app = await at.open(t, { language, viewport: { width: 1440, height: 900 } });
    await app.begin(llm, { connection: { context: 8192 }, character: { name: words.name }, title: 'Tale' });
    const book = {
      entries: {
        0: { uid: 0, key: [words.key], keysecondary: [], comment: 'Boats', content: words.says, order: 100, position: 0, disable: false },
        1: { uid: 1, key: [], keysecondary: [], comment: 'Tide', content: '[the tide turns]', constant: true, order: 100, position: 4, depth: 1, role: 0, disable: false },
        2: { uid: 2, key: [], keysecondary: [], comment: 'Chronicle', content: 'A long tale of the river. '.repeat(3000), constant: true, order: 1, position: 1, disable: false },
      },
    };
    const path = join(await scratch(t), 'River.json');
    await writeFile(path, JSON.stringify(book));
    await app.go('lorebooks');
    await app.upload('lorebook-import', path);
    await app.item('lorebook-item', 'River').waitFor();
    await app.openStory('Tale');
    await app.id('lore-settings').locator('summary').click();
    await app.id('lorebook-hung').getByLabel('River').check();
    await eventually(async () => assert.equal((await app.records('storylines'))[0].lorebooks?.length, 1));

    const messages = () => llm.chat().at(-1).body.messages;
    const told = () => messages().map((message) => message.content).join('\n\n');
    llm.on(() => '…');
    await app.play(words.silent);
    assert.ok(!told().includes(words.told));
    const [before, last] = messages().slice(-2).map((message) => message.content);
    assert.match(before, /\[the tide turns\]/, 'one message from the end');
    assert.equal(last, words.silent);

    await app.play(words.asks);
    assert.equal(told().split(words.told).length, 2, 'once');
    assert.ok(told().indexOf(words.told) < told().indexOf(words.asks));
    await app.id('tab-prompt').click();
    const block = (name) => app.page.locator(`[data-testid="prompt-block"][data-block="${name}"]`);
    await block('lore_before').waitFor();
    assert.match(await block('lore_before').innerText(), words.why);
    const [stored] = await app.records('lorebooks');
    assert.match(await block(`lore:${stored.id}/1`).innerText(), words.always);
    assert.match(await block('lore').innerText(), words.room);

    // Off: no trace; on again: it is there.
    await app.id('tab-story').click();
    await app.id('lore-settings').locator('summary').click();
    await app.id('lore-enabled').uncheck();
    await eventually(async () => assert.equal((await app.records('storylines'))[0].modules?.lore?.enabled, false));
    await app.play(words.asks);
    assert.ok(!told().includes(words.told) && !told().includes('[the tide'));
    await app.id('lore-enabled').check();
    await eventually(async () => assert.equal((await app.records('storylines'))[0].modules?.lore?.enabled, true));
    await app.play(words.asks);
    assert.ok(told().includes(words.told));
  });
}

test('the book of a card wakes without a further step', async (t) => {
  const llm = await at.provider(t, {});
  const app = await at.open(t, { language: 'en-GB' });
  const entry = { keys: ['gate'], content: 'The gate is shut at night.', insertion_order: 3, enabled: true, extensions: {}, use_regex: false };
  const card = { spec: 'chara_card_v2', spec_version: '2.0', data: { name: 'Eve', description: 'd', first_mes: 'f', extensions: {}, character_book: { entries: [entry], extensions: {} } } };
  const path = join(await scratch(t), 'eve.json');
  await writeFile(path, JSON.stringify(card));
  await app.addConnection({ url: llm.base('openai') });
  await app.go('characters');
  await app.upload('character-import', path);
  await app.item('character-item', 'Eve').waitFor();
  await app.go('storylines');
  await app.id('storyline-new').click();
  await app.id('storyline-create').click();
  await app.id('composer-input').waitFor();
  llm.on(() => '…');
  await app.play('I knock at the gate.');
  const told = llm.chat().at(-1).body.messages.map((message) => message.content).join('\n\n');
  assert.equal(told.split('The gate is shut at night.').length, 2);
});
