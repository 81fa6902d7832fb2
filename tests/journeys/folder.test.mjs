// A whole SillyTavern, as a folder or as a ZIP, and a RisuAI's backup; what comes of it, what stays, and what is there twice.

import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import test from 'node:test';

import axe from 'axe-core';

import { stage } from '../support/browser.mjs';
import { carry, zip } from '../support/cards.mjs';
import { eventually } from '../support/page.mjs';
import { png } from '../support/pictures.mjs';

const at = stage();

const KEY = 'sk-of-another-program';

const card = (name) => ({
  spec: 'chara_card_v2', spec_version: '2.0',
  data: { name, description: 'A smith.', first_mes: 'Hi.', alternate_greetings: [], tags: [], extensions: { world: 'Eldoria', of_others: { kept: true } } },
});
const chat = (main, said) => [
  { user_name: 'unused', character_name: 'unused', chat_metadata: main ? { main_chat: main } : {} },
  ...said.map((mes, index) => ({ name: index % 2 ? 'Lin' : 'Ada', is_user: index % 2 === 1, is_system: false, mes, extra: {} })),
].map((line) => JSON.stringify(line)).join('\n');

/** SillyTavern's `data`, small. */
const folder = () => ({
  'data/default-user/secrets.json': JSON.stringify({ api_key_openai: KEY }),
  'data/default-user/settings.json': JSON.stringify({
    power_user: { personas: { 'me.png': 'Lin' }, persona_descriptions: { 'me.png': { description: 'A courier.', position: 0 } }, default_persona: 'me.png' },
    extension_settings: { regex: [{ id: 'r', scriptName: 'Shout', findRegex: '/hi/gi', replaceString: 'HI', placement: [2] }] },
    world_info_settings: { world_info: { globalSelect: [] } },
  }),
  'data/default-user/characters/Ada.png': carry(png(60, 90), { chara: card('Ada') }),
  'data/default-user/characters/Ada/joy.png': png(12, 12),
  'data/default-user/characters/picture.png': png(10, 10),
  'data/default-user/worlds/Eldoria.json': JSON.stringify({ entries: { 0: { uid: 0, key: ['forge'], content: 'The forge is hot.', order: 100 } } }),
  'data/default-user/OpenAI Settings/Mine.json': JSON.stringify({ prompts: [{ identifier: 'main', name: 'Main', content: 'Write.' }], prompt_order: [{ character_id: 100001, order: [{ identifier: 'main', enabled: true }] }] }),
  'data/default-user/QuickReplies/Set.json': JSON.stringify({ version: 2, name: 'Set', qrList: [{ id: 1, label: 'Look', message: 'I look around.' }] }),
  'data/default-user/User Avatars/me.png': png(40, 40),
  'data/default-user/chats/Ada/Harbour.jsonl': chat(null, ['Hi.', 'So?', 'Yes.']),
  'data/default-user/chats/Ada/Harbour - Branch #1.jsonl': chat('Harbour', ['Hi.', 'No.', 'Oh.']),
  'data/default-user/thumbnails/avatar/Ada.png': png(8, 8),
  'data/default-user/themes/Dark.json': '{}',
});

const WORDS = {
  'zh-CN': { new: '收进来了', known: '已经有了', no: /没有角色卡/, secret: /没有打开/, kept: /留着以便导出、这里用不到的：extensions.of_others/, stopped: /停下了/, none: /不是装着多个文件的 ZIP/ },
  'en-GB': { new: 'Taken', known: 'There already', no: /no character card/, secret: /was not opened/, kept: /not used here: extensions.of_others/, stopped: /^Stopped/, none: /not a ZIP of several files/ },
};

const rows = (app) => app.id('folder-row').allInnerTexts();

for (const [language, words] of Object.entries(WORDS)) {
  test(`a folder of SillyTavern comes in whole, and once (${language})`, async (t) => {
    const app = await at.open(t, { language, viewport: { width: 1440, height: 900 } });
    const root = await mkdtemp(join(tmpdir(), 'fabula-folder-'));
    t.after(() => rm(root, { recursive: true }));
    for (const [path, bytes] of Object.entries(folder())) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), bytes);
    }
    await app.go('settings');
    await app.id('folder-choose').setInputFiles(join(root, 'data'));
    await app.id('folder-summary').waitFor();
    await app.page.evaluate(axe.source);
    const axed = async () => {
      const found = await app.page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }));
      assert.deepEqual(found.violations.map(({ id, nodes }) => `${id}: ${nodes[0].target}`), []);
    };
    await axed();
    await app.id('folder-begin').click();
    await app.id('folder-report').waitFor();
    await axed();

    // What was refused is looked at first; then all of it.
    const refused = await rows(app);
    assert.equal(refused.length, 1);
    assert.match(refused[0], /picture\.png/);
    assert.match(refused[0], words.no);
    await app.id('folder-show-all').click();
    const all = await rows(app);
    const of = (path) => all.filter((row) => row.includes(path)).join('\n');
    for (const path of ['settings.json', 'Ada.png', 'Ada/joy.png', 'Eldoria.json', 'Mine.json', 'Set.json', 'me.png', 'Harbour.jsonl', 'Branch #1.jsonl']) assert.ok(of(path).includes(words.new), path);
    assert.match(of('secrets.json'), words.secret);
    assert.match(of('characters/Ada.png'), words.kept);
    const report = (await app.download(() => app.id('folder-save').click())).bytes.toString();
    for (const row of all) for (const line of row.split('\n')) assert.ok(report.includes(line), line);
    await app.id('folder-close').click();

    const { stories, characters, branches, books, personas, preferences, scripts } = await (async () => ({
      stories: await app.records('storylines'), characters: await app.records('characters'), branches: await app.records('branches'),
      books: await app.records('lorebooks'), personas: await app.records('personas'), scripts: await app.records('scripts'),
      preferences: (await app.records('settings')).find(({ id }) => id === 'preferences'),
    }))();
    assert.deepEqual([stories.length, stories[0].title, stories[0].cast, branches.length], [1, 'Harbour', [characters[0].id], 2]);
    assert.deepEqual([characters.length, characters[0].lorebooks, scripts.length], [1, [books[0].id], 1]);
    assert.ok(characters[0].avatar && personas[0].avatar);
    assert.deepEqual(characters[0].assets.map(({ kind, name }) => [kind, name]), [['emotion', 'joy']]);
    assert.equal(preferences.plays_as, personas[0].id);
    assert.ok(!JSON.stringify(await app.records('settings')).includes(KEY));

    // Its branch is one of the tree.
    await app.openStory('Harbour');
    await eventually(async () => assert.match(await app.turn(1).root.innerText(), /Yes\./));
    await app.id('tab-tree').click();
    await app.id('tree-node').first().waitFor();

    // The same again, as a ZIP: nothing is there twice.
    await app.go('settings');
    await app.upload('folder-zip', { name: 'st.zip', mimeType: 'application/zip', buffer: zip(folder(), { packed: true }) });
    await app.id('folder-begin').click();
    await app.id('folder-report').waitFor();
    await app.id('folder-show-known').click();
    assert.equal((await rows(app)).length, 9);
    assert.equal(await app.id('folder-show-taken').count(), 0);
    await app.id('folder-close').click();
    for (const [table, count] of [['storylines', 1], ['characters', 1], ['lorebooks', 1], ['personas', 1]]) assert.equal((await app.records(table)).length, count, table);
    // A card is no folder.
    await app.upload('folder-zip', { name: 'ada.charx', mimeType: 'application/zip', buffer: zip({ 'card.json': JSON.stringify(card('Ada')) }) });
    assert.match(await app.id('folder-fault').innerText(), words.none);
  });
}

/** RisuAI's backup: files one behind the other, the database last of them, here as blocks of JSON. */
const risu = () => {
  const number = (value) => { const bytes = Buffer.alloc(4); bytes.writeUInt32LE(value); return bytes; };
  const block = (type, name, value) => {
    const [called, body] = [Buffer.from(name), Buffer.from(JSON.stringify(value))];
    return Buffer.concat([Buffer.from([type, 0, called.length]), called, number(body.length), body]);
  };
  const database = Buffer.concat([
    Buffer.from('RISUSAVE\0'),
    block(1, 'root', { openAIKey: KEY, account: { token: KEY }, username: 'Lin', personas: [{ name: 'Lin', icon: 'assets/lin.png', personaPrompt: 'A courier.' }], selectedPersona: 0 }),
    block(2, 'c1', {
      type: 'character', name: 'Ada', chaId: 'c1', image: 'assets/ada.png', desc: 'A smith.', firstMessage: 'Hi, {{user}}.', globalLore: [],
      chats: [{ name: 'Harbour', note: '', localLore: [], message: [{ role: 'user', data: 'So?' }, { role: 'char', data: 'Yes.' }] }],
    }),
    block(4, 'preset', [{ name: 'Mine', openAIKey: KEY, mainPrompt: 'Write as {{char}}.', formatingOrder: ['main', 'chats'] }]),
  ]);
  const files = { 'ada.png': png(60, 90), 'lin.png': png(40, 40), 'database.risudat': database };
  return Buffer.concat(Object.entries(files).flatMap(([name, bytes]) => [number(name.length), Buffer.from(name), number(bytes.length), bytes]));
};

test('a backup of RisuAI comes in with its pictures and without its keys', async (t) => {
  const app = await at.open(t, { language: 'en-GB', viewport: { width: 1440, height: 900 } });
  await app.go('settings');
  const given = { name: 'risuai_backup.bin', mimeType: 'application/octet-stream', buffer: risu() };
  await app.upload('folder-zip', given);
  await app.id('folder-begin').click();
  await app.id('folder-report').waitFor();
  await app.id('folder-show-all').click();
  const all = await rows(app);
  const of = (path) => all.filter((row) => row.includes(path)).join('\n');
  for (const path of ['Ada.charx', 'Harbour.json', 'presets/Mine.json', 'personas.json', 'lin.png']) assert.ok(of(path).includes(WORDS['en-GB'].new), path);
  assert.match(of('database.risudat/settings'), WORDS['en-GB'].secret);
  await app.id('folder-close').click();
  const [characters, personas, stories] = [await app.records('characters'), await app.records('personas'), await app.records('storylines')];
  assert.ok(characters.length === 1 && characters[0].avatar && personas[0].avatar);
  assert.deepEqual([stories.length, stories[0].cast], [1, [characters[0].id]]);
  assert.deepEqual((await app.records('presets')).map(({ blocks }) => blocks[0].content), ['Write as {{char}}.']);
  for (const table of ['characters', 'personas', 'presets', 'storylines', 'settings']) assert.ok(!JSON.stringify(await app.records(table)).includes(KEY), table);

  // The same again: nothing is there twice. What is cut short says so.
  await app.upload('folder-zip', given);
  await app.id('folder-begin').click();
  await app.id('folder-report').waitFor();
  assert.equal(await app.id('folder-show-taken').count(), 0);
  await app.id('folder-close').click();
  await app.upload('folder-zip', { ...given, buffer: given.buffer.subarray(0, given.buffer.length - 9) });
  await app.id('folder-report').waitFor();
  assert.match(await app.id('folder-ended').innerText(), /cut short/);
});

test('many cards in a ZIP that is dropped: the page lives, it can be stopped, and what came is whole', async (t) => {
  const app = await at.open(t, { language: 'en-GB', viewport: { width: 1440, height: 900 } });
  const cards = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`cards/${index}.json`, JSON.stringify(card(`Card ${index}`))]));
  const bytes = zip(cards, { packed: true }).toString('base64');
  const held = await app.page.evaluateHandle((text) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([Uint8Array.from(atob(text), (char) => char.charCodeAt(0))], 'cards.zip'));
    return transfer;
  }, bytes);
  for (const event of ['dragover', 'drop']) await app.page.dispatchEvent('main', event, { dataTransfer: held });
  // Whoever asks from outside may come too late.
  const stopped = app.page.evaluate(() => new Promise((done, fail) => {
    const told = new MutationObserver(() => {
      const count = document.querySelector('[data-testid="folder-progress"] progress')?.value ?? 0;
      if (!(count > 20)) return;
      told.disconnect();
      document.querySelector('[data-testid="folder-stop"]').click();
      done();
    });
    told.observe(document.body, { subtree: true, childList: true, characterData: true, attributes: true });
    setTimeout(() => fail(new Error('no progress is told')), 30_000);
  }));
  await app.id('folder-begin').click();
  await stopped;
  await app.id('folder-report').waitFor();
  assert.match(await app.id('folder-ended').innerText(), WORDS['en-GB'].stopped);
  const came = await app.records('characters');
  assert.ok(came.length < 1000 && came.every(({ name, description }) => name && description === 'A smith.'), `${came.length}`);
  await app.id('folder-close').click();
  // Once more to the end: those that were there stay one.
  for (const event of ['dragover', 'drop']) await app.page.dispatchEvent('main', event, { dataTransfer: held });
  await app.id('folder-begin').click();
  await app.id('folder-report').waitFor({ timeout: 60_000 });
  assert.equal((await app.records('characters')).length, 1000);
});
