// Lore in play: what a book says comes into the prompt where its words come up, and the inspector says why.

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'node:test';

import { scratch, stage } from '../support/browser.mjs';
import { eventually } from '../support/page.mjs';

const at = stage();

const WORDS = {
  'zh-CN': { key: '渡船', says: '{{char}}的渡船黎明开。', told: '阿达的渡船黎明开。', name: '阿达', silent: '我等着。', asks: '渡船什么时候开？', why: /最新一条消息里有“渡船”/, always: /常驻/, room: /放不下/ },
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

const CHOSEN = {
  'zh-CN': {
    name: '阿达', reply: '渡船从雨城出发。雨城的渡船很旧，阿达等着。', part: '雨城的渡船很旧', keys: '渡船\n雨城', asks: '雨城在哪里？',
    book: '雨城志', noKeys: /至少要有一个键/, noText: /内容不能为空/, noName: /新书要有名字/, kept: /“渡船”已存入《雨城志》/,
  },
  'en-GB': {
    name: 'Ada', reply: 'The ferry leaves the Old Harbour at dawn. Ada waits at the Old Harbour.', part: 'The ferry leaves the Old Harbour at dawn.', keys: 'Old Harbour', asks: 'Where is the old harbour?',
    book: 'Chronicle', noKeys: /It takes a key/, noText: /The text is empty/, noName: /takes a name/, kept: /“Old Harbour” is in “Chronicle” now/,
  },
};

for (const [language, words] of Object.entries(CHOSEN)) {
  test(`what is selected in a story becomes an entry of a lorebook (${language})`, async (t) => {
    const llm = await at.provider(t, {});
    const app = await at.open(t, { language, viewport: { width: 1440, height: 900 } });
    await app.begin(llm, { connection: { context: 8192 }, character: { name: words.name }, title: 'Tale' });
    llm.on(() => words.reply);
    const turn = app.turn(await app.play('…'));
    const noted = (name) => app.id(name).evaluate((field) => document.getElementById(field.getAttribute('aria-describedby').split(' ').at(-1)).innerText);
    await turn.reply.evaluate((reply, part) => {
      const walker = document.createTreeWalker(reply, NodeFilter.SHOW_TEXT);
      while (walker.nextNode()) {
        const from = walker.currentNode.data.indexOf(part);
        if (from >= 0) getSelection().setBaseAndExtent(walker.currentNode, from, walker.currentNode, from + part.length);
      }
    }, words.part);
    await turn.root.hover();
    await turn.id('turn-lore').click();
    await app.id('lore-chosen-content').waitFor();
    assert.equal(await app.id('lore-chosen-content').inputValue(), words.part);

    // What is amiss is said beside its place, and nothing is stored.
    for (const field of ['keys', 'content', 'book-name']) await app.id(`lore-chosen-${field}`).fill(' ');
    await app.id('lore-chosen-keep').click();
    await eventually(async () => assert.match(await noted('lore-chosen-keys'), words.noKeys));
    assert.match(await noted('lore-chosen-content'), words.noText);
    assert.match(await noted('lore-chosen-book-name'), words.noName);
    assert.deepEqual(await app.records('lorebooks'), []);
    await app.id('lore-chosen-cancel').click();

    // Nothing is selected: the whole reply. Who is in every turn is no key.
    await app.page.evaluate(() => getSelection().removeAllRanges());
    await turn.root.hover();
    await turn.id('turn-lore').click();
    await app.id('lore-chosen-keys').waitFor();
    assert.equal(await app.id('lore-chosen-content').inputValue(), words.reply);
    assert.equal(await app.id('lore-chosen-keys').inputValue(), words.keys);
    await app.id('lore-chosen-content').fill(`[[${words.part}]]`);
    await app.id('lore-chosen-book-name').fill(words.book);
    await app.id('lore-chosen-keep').click();
    assert.match(await app.id('lore-chosen-kept').innerText(), words.kept);
    await app.id('lore-chosen-close').click();
    const [book] = await app.records('lorebooks');
    assert.deepEqual(book.entries.map(({ keys, content }) => [keys.join('\n'), content]), [[words.keys, `[[${words.part}]]`]]);
    await eventually(async () => assert.deepEqual((await app.records('storylines'))[0].lorebooks, [book.id]));

    // The next turn is told it, and the next entry is offered the book.
    const next = await app.play(words.asks);
    assert.ok(llm.chat().at(-1).body.messages.some((message) => message.content.includes(`[[${words.part}]]`)));
    await app.turn(next).id('turn-lore').click();
    await eventually(async () => assert.equal(await app.id('lore-chosen-book').inputValue(), book.id));
    await app.id('lore-chosen-keep').click();
    await app.id('lore-chosen-open').click();
    await app.id('lorebook-name').waitFor();
    assert.equal(await app.id('lorebook-name').inputValue(), words.book);
    assert.equal(await app.id('lorebook-entry').count(), 2);
  });
}

const MEANT = {
  'zh-CN': { says: '渡船什么时候离开码头，要看潮水。', asks: '渡船什么时候离开码头？', needs: /计算向量的连接/, why: /意思相近，0\.\d\d/ },
  'en-GB': { says: 'The ferry leaves the quay at dawn.', asks: 'When does the ferry leave the quay?', needs: /connection for embeddings/, why: /by meaning, 0\.\d\d/ },
};

for (const [language, words] of Object.entries(MEANT)) {
  test(`an entry is found by meaning where there are embeddings (${language})`, async (t) => {
    // The page goes before the provider: what was said last is given a vector by and by.
    const app = await at.open(t, { language, viewport: { width: 1440, height: 900 } });
    const llm = await at.provider(t, {});
    await app.begin(llm, { connection: { context: 8192 }, character: { name: 'Ada' }, title: 'Tale' });
    const entry = (uid, content) => ({ uid, key: ['zzz'], keysecondary: [], comment: `E${uid}`, content, vectorized: true, order: 100, position: 0, disable: false });
    const path = join(await scratch(t), 'River.json');
    await writeFile(path, JSON.stringify({ entries: { 0: entry(0, words.says), 1: entry(1, '#'.repeat(40)) } }));
    await app.go('lorebooks');
    await app.upload('lorebook-import', path);
    await app.item('lorebook-item', 'River').getByTestId('lorebook-open').click();
    await app.id('lorebook-for-all').check();
    await app.item('lorebook-entry', 'E0').getByTestId('lorebook-entry-open').click();
    assert.ok(await app.id('lorebook-entry-by-meaning').isChecked());
    assert.match(await app.id('lorebook-no-embedder').innerText(), words.needs);

    await app.openStory('Tale');
    llm.on(() => '…');
    await app.play('…');
    assert.ok(llm.requests.every(({ kind }) => kind !== 'embeddings'), 'nothing is asked without a connection for it');
    await app.addConnection({ url: llm.base('openai'), name: 'Vectors', model: 'bge-m3' });
    await app.id('settings-embedding-connection').selectOption({ label: 'Vectors · bge-m3' });
    await app.openStory('Tale');
    await app.id('lore-settings').locator('summary').click();
    await app.id('lore-likeness').fill('40');
    await app.id('lore-likeness').blur();
    await app.play('…');
    await eventually(async () => assert.ok((await app.records('vectors')).some(({ id }) => id.includes('/lore/'))));
    await app.play(words.asks);
    const told = llm.chat().at(-1).body.messages.map((message) => message.content).join('\n\n');
    assert.ok(told.includes(words.says) && !told.includes('####'), told);
    const before = llm.requests.slice(0, llm.requests.indexOf(llm.chat().at(-1)));
    const asked = before.filter(({ kind, body }) => kind === 'embeddings' && body.input.includes(words.asks));
    assert.equal(asked.length, 1, 'lore and memory ask the same once');
    await app.id('tab-prompt').click();
    const block = app.page.locator('[data-testid="prompt-block"][data-block="lore_before"]');
    await block.waitFor();
    assert.match(await block.innerText(), words.why);
  });
}
