// Lorebooks: written, changed by the dozen, hung on what tells stories, carried in and out, thrown away and fetched back.

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'node:test';

import axe from 'axe-core';

import { scratch, stage } from '../support/browser.mjs';
import { eventually } from '../support/page.mjs';

const at = stage();

const WORDS = {
  'zh-CN': { book: '雨城志', ship: '渡船', broken: /正则写错了/, number: /0 到 10000 之间/, hung: '世界书', refused: /世界书/, first: /先改好/ },
  en: { book: 'Harbour', ship: 'Ship', broken: /pattern cannot be read/, number: /from 0 to 10000/, hung: 'Lorebooks', refused: /lorebook/, first: /mend it first/ },
};

/** World Info as SillyTavern writes it, with fields that nobody here knows. */
const FOREIGN = {
  entries: {
    0: {
      uid: 0, key: ['gate', '/ga+te/i'], keysecondary: ['night'], comment: 'The gate', content: '@@depth 2\nIt is shut.', constant: false,
      vectorized: true, selective: true, selectiveLogic: 2, addMemo: true, order: 50, position: 4, disable: false, ignoreBudget: false,
      excludeRecursion: true, preventRecursion: false, delayUntilRecursion: false, probability: 40, useProbability: true, depth: 3,
      group: 'doors, ways', groupOverride: false, groupWeight: 100, scanDepth: null, caseSensitive: null, matchWholeWords: null,
      automationId: 'q', role: 2, sticky: 3, cooldown: null, delay: null, displayIndex: 0, triggers: [], unheard_of: { deep: [1] },
    },
    5: { uid: 5, key: ['x'], keysecondary: [], comment: '', content: 'Second.', order: 100.0, position: 0, disable: true, selective: false },
  },
  tool: { beside: 'kept' },
};

const file = async (t, name, value) => {
  const path = join(await scratch(t), name);
  await writeFile(path, typeof value === 'string' ? value : JSON.stringify(value));
  return path;
};

/** Opens an entry that is closed. */
const openEntry = async (app, text) => {
  await app.item('lorebook-entry', text).getByTestId('lorebook-entry-open').click();
  await app.id('lorebook-entry-form').waitFor();
};

async function write(app, name, entries) {
  await app.go('lorebooks');
  await app.id('lorebook-new').click();
  await app.id('lorebook-name').fill(name);
  for (const [keys, content] of entries) {
    await app.id('lorebook-entry-new').click();
    await app.id('lorebook-entry-keys').fill(keys);
    await app.id('lorebook-entry-content').fill(content);
  }
  await app.id('lorebook-save').click();
  await app.item('lorebook-item', name).waitFor();
}

const violations = async (app) => {
  await app.page.evaluate(axe.source);
  const found = await app.page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }));
  return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.target.join(' ')).join(', ')}`);
};

for (const [language, words] of Object.entries(WORDS)) {
  test(`a lorebook is written, hung, copied, deleted and fetched back, in ${language}`, async (t) => {
    const app = await at.open(t, { language });
    const llm = await at.provider(t);
    await app.begin(llm, { character: { name: 'Ada' }, background: { name: 'Moor', world: 'A moor.' }, title: 'Tale' });
    await write(app, words.book, [[`${words.ship}\n/sa+il/i`, 'It leaves at dawn.'], ['quay', 'Wet stones.']]);
    const [stored] = await app.records('lorebooks');
    assert.deepEqual(stored.entries.map(({ keys, content }) => [keys, content]), [
      [[words.ship, '/sa+il/i'], 'It leaves at dawn.'],
      [['quay'], 'Wet stones.'],
    ]);

    // On all stories, from its own editor.
    await app.press(app.item('lorebook-item', words.book), 'lorebook-edit');
    await app.id('lorebook-for-all').check();
    await eventually(async () => assert.deepEqual((await app.records('settings')).find(({ id }) => id === 'preferences').lorebooks, [stored.id]));
    await app.id('lorebook-for-all').uncheck();
    await eventually(async () => assert.ok(!(await app.records('settings')).find(({ id }) => id === 'preferences').lorebooks?.length));

    for (const [kind, store] of [['character', 'characters'], ['background', 'backgrounds']]) {
      await app.go(`${kind}s`);
      await app.press(app.id(`${kind}-item`).first(), `${kind}-edit`);
      await app.id('lorebooks-hung').locator('summary').click();
      await app.page.getByLabel(words.book).check();
      await eventually(async () => assert.deepEqual((await app.records(store))[0].lorebooks, [stored.id]));
    }
    await app.openStory('Tale');
    if (!(await app.id('tab-story').isVisible())) await app.id('notebook-open').click();
    await app.id('lore-settings').locator('summary').click();
    await app.id('lorebook-hung').getByLabel(words.book).check();
    await eventually(async () => assert.deepEqual((await app.records('storylines'))[0].lorebooks, [stored.id]));
    await app.id('lore-scan-depth').fill('7');
    await app.id('lore-scan-depth').blur();
    await eventually(async () => assert.equal((await app.records('storylines'))[0].modules?.lore?.scan_depth, 7));

    await app.go('lorebooks');
    await eventually(async () => assert.match(await app.item('lorebook-item', words.book).innerText(), /3/));
    await app.id('lorebook-find').fill('QUAY');
    assert.equal(await app.id('lorebook-item').count(), 1);
    await app.id('lorebook-find').fill('nowhere');
    assert.equal(await app.id('lorebook-item').count(), 0);
    await app.id('lorebook-find').fill('');
    await app.press(app.id('lorebook-item').first(), 'lorebook-duplicate');
    await eventually(async () => assert.equal(await app.id('lorebook-item').count(), 2));
    await app.press(app.id('lorebook-item').last(), 'lorebook-delete');
    await eventually(async () => assert.equal(await app.id('lorebook-item').count(), 1));
    await app.id('notice-undo').click();
    await eventually(async () => assert.equal(await app.id('lorebook-item').count(), 2));
    await app.press(app.id('lorebook-item').last(), 'lorebook-delete');
    await eventually(async () => assert.equal(await app.id('lorebook-item').count(), 1));
    await app.go('settings');
    const binned = app.item('bin-item', words.book);
    await binned.getByTestId('bin-restore').click();
    await binned.waitFor({ state: 'detached' });
    await app.go('lorebooks');
    await eventually(async () => assert.equal(await app.id('lorebook-item').count(), 2));
  });

  test(`what is wrong is said beside its field, in ${language}`, async (t) => {
    const app = await at.open(t, { language });
    await app.go('lorebooks');
    await app.id('lorebook-new').click();
    await app.id('lorebook-save').click();
    await app.id('lorebook-error').waitFor();
    assert.deepEqual(await app.records('lorebooks'), []);
    await app.id('lorebook-name').fill(words.book);
    await app.id('lorebook-entry-new').click();
    const noted = (name) => app.id(name).evaluate((field) => document.getElementById(field.getAttribute('aria-describedby').split(' ').at(-1)).innerText);
    await app.id('lorebook-entry-keys').fill('fine\n/(broken/i');
    await eventually(async () => assert.match(await noted('lorebook-entry-keys'), words.broken));
    assert.equal(await app.id('lorebook-entry-keys').getAttribute('aria-invalid'), 'true');
    await app.id('lorebook-entry-keys').fill('k'.repeat(1001));
    await eventually(async () => assert.match(await noted('lorebook-entry-keys'), /1001/));
    await app.id('lorebook-entry-keys').fill('fine');
    await eventually(async () => assert.equal(await app.id('lorebook-entry-keys').getAttribute('aria-invalid'), 'false'));
    await app.id('lorebook-entry-position').selectOption('at_depth');
    await app.id('lorebook-entry-depth').fill('-1');
    await eventually(async () => assert.match(await noted('lorebook-entry-depth'), words.number));
    await app.id('lorebook-save').click();
    await eventually(async () => assert.match(await app.id('lorebook-error').innerText(), words.first));
    assert.deepEqual(await app.records('lorebooks'), []);
    await app.id('lorebook-entry-depth').fill('6');
    await app.id('lorebook-save').click();
    await app.item('lorebook-item', words.book).waitFor();
    assert.deepEqual((await app.records('lorebooks'))[0].entries.map(({ position, depth }) => [position, depth]), [['at_depth', 6]]);

    // Files: what cannot be read, and what is too large.
    await app.upload('lorebook-import', await file(t, 'card.json', { name: 'x', first_mes: 'y' }));
    await eventually(async () => assert.match(await app.id('import-error').innerText(), words.refused));
    await app.upload('lorebook-import', await file(t, 'large.json', `{"entries":{"0":{"uid":0,"content":"${'x'.repeat(20 << 20)}"}}}`));
    await eventually(async () => assert.match(await app.id('import-error').innerText(), /21.0 MB/));
    assert.equal((await app.records('lorebooks')).length, 1);
  });
}

test('World Info goes out as it came in, and a changed entry says what it says now', async (t) => {
  const app = await at.open(t, { language: 'en' });
  await app.go('lorebooks');
  await app.upload('lorebook-import', await file(t, 'Moor lore.json', FOREIGN));
  const item = app.item('lorebook-item', 'Moor lore');
  await item.waitFor();
  const exported = async () => JSON.parse((await app.download(() => app.press(item, 'lorebook-export'))).bytes);
  const within = (some, all, path = '') => {
    for (const [key, value] of Object.entries(some)) {
      if (value !== null && typeof value === 'object' && !Array.isArray(value)) within(value, all[key] ?? {}, `${path}.${key}`);
      else assert.deepEqual(all[key], value, `${path}.${key}`);
    }
  };
  within(FOREIGN, await exported());
  await app.press(item, 'lorebook-edit');
  await openEntry(app, 'The gate');
  assert.equal(await app.id('lorebook-entry-keys').inputValue(), 'gate\n/ga+te/i');
  assert.equal(await app.id('lorebook-entry-logic').inputValue(), 'not_any');
  await app.id('lorebook-entry-content').fill('It is open.');
  await app.id('lorebook-save').click();
  await item.waitFor();
  const changed = structuredClone(FOREIGN);
  changed.entries[0].content = 'It is open.';
  within(changed, await exported());

  await app.press(item, 'lorebook-edit');
  await app.id('lorebook-settings').locator('summary').click();
  const v3 = JSON.parse((await app.download(() => app.id('lorebook-export-v3').click())).bytes);
  assert.equal(v3.spec, 'lorebook_v3');
  assert.deepEqual(v3.data.entries.map(({ keys, enabled, extensions }) => [keys, enabled, extensions.vectorized]), [
    [['gate', '/ga+te/i'], true, true],
    [['x'], false, false],
  ]);
});

test('the book of a card is taken into the library, and goes out with the card again', async (t) => {
  const app = await at.open(t, { language: 'en' });
  const entry = { keys: ['gate'], content: 'It is shut.', insertion_order: 3, enabled: true, extensions: { own: 1 }, use_regex: false };
  const card = { spec: 'chara_card_v2', spec_version: '2.0', data: { name: 'Ada', description: 'd', first_mes: 'f', extensions: {}, character_book: { entries: [entry], extensions: {} } } };
  await app.go('characters');
  await app.upload('character-import', await file(t, 'ada.json', card));
  await app.press(app.item('character-item', 'Ada'), 'character-edit');
  assert.match(await app.id('character-own-book').innerText(), /1 entry/);
  await app.id('character-take-book').click();
  await app.id('character-own-book').waitFor({ state: 'detached' });
  const [book] = await app.records('lorebooks');
  const [ada] = await app.records('characters');
  assert.deepEqual([ada.lorebooks, ada.character_book ?? null, book.name], [[book.id], null, 'Ada']);
  await app.go('characters');
  const { bytes } = await app.exportCharacter('Ada');
  const [out] = JSON.parse(bytes).data.character_book.entries;
  for (const [key, value] of Object.entries(entry)) {
    if (key === 'extensions') assert.equal(out.extensions.own, 1);
    else assert.deepEqual(out[key], value, key);
  }
});

test('five thousand entries open as a page of rows, and are changed by the dozen', async (t) => {
  const app = await at.open(t, { language: 'en' });
  const entries = Object.fromEntries(
    Array.from({ length: 5_000 }, (_, uid) => [uid, { uid, key: [`key ${uid}`], keysecondary: [], comment: `Entry ${uid}`, content: `What is told of ${uid}. `.repeat(10), order: 5_000 - uid, position: 0 }]),
  );
  await app.go('lorebooks');
  await app.upload('lorebook-import', await file(t, 'Large.json', { entries }));
  const item = app.item('lorebook-item', 'Large');
  await item.waitFor();
  await app.press(item, 'lorebook-edit');
  await app.id('lorebook-entry').first().waitFor();
  assert.match(await app.id('lorebook-sums').innerText(), /5,000 entries, 5,000 on/);
  assert.equal(await app.id('lorebook-entry').count(), 50);
  assert.ok((await app.page.evaluate(() => document.querySelectorAll('*').length)) < 2_500, 'no more elements than a page of rows');
  await app.id('lorebook-page-on').click();
  await app.item('lorebook-entry', 'Entry 50').first().waitFor();
  assert.equal(await app.id('lorebook-entry').count(), 50);
  await app.id('lorebook-entry-sort').selectOption('order');
  assert.match(await app.id('lorebook-entry').first().innerText(), /Entry 4999/);
  await app.id('lorebook-entry-find').fill('entry 499');
  await eventually(async () => assert.equal(await app.id('lorebook-entry').count(), 11));
  await app.id('lorebook-choose-shown').check();
  await app.id('lorebook-chosen-off').click();
  await app.id('lorebook-chosen-move').selectOption('after_note');
  assert.match(await app.id('lorebook-sums').innerText(), /5,000 entries, 4,989 on/);
  await app.id('lorebook-entry-find').fill('entry 4998');
  await openEntry(app, 'Entry 4998');
  assert.equal(await app.id('lorebook-entry-form').count(), 1);
  await app.id('lorebook-entry-remove').click();
  // One press too many comes back, where it was.
  await app.item('notice', 'Deleted 1 entry.').getByTestId('notice-undo').click();
  await eventually(async () => assert.match(await app.id('lorebook-sums').innerText(), /5,000 entries, 4,989 on/));
  await openEntry(app, 'Entry 4998');
  await app.id('lorebook-entry-remove').click();
  await eventually(async () => assert.match(await app.id('lorebook-sums').innerText(), /4,999 entries/));
  await app.id('lorebook-save').click();
  await item.waitFor();
  const [book] = await app.records('lorebooks');
  assert.equal(book.entries.length, 4_999);
  assert.deepEqual(book.entries.filter(({ enabled }) => !enabled).map(({ position }) => position), Array(10).fill('after_note'));
});

test('what another tab wrote in another entry stays', async (t) => {
  const app = await at.open(t);
  await write(app, 'Harbour', [['ship', 'A ship.'], ['quay', 'A quay.']]);
  await app.press(app.id('lorebook-item'), 'lorebook-edit');
  await app.id('lorebook-entry').first().waitFor();
  const other = await app.tab();
  await other.id('lorebook-entry').first().waitFor();
  for (const [tab, entry, text] of [[app, 'ship', 'Mine.'], [other, 'quay', 'Theirs.']]) {
    await openEntry(tab, entry);
    await tab.id('lorebook-entry-content').fill(text);
  }
  await other.id('lorebook-save').click();
  await other.id('lorebook-item').waitFor();
  await app.id('lorebook-save').click();
  await app.id('lorebook-item').waitFor();
  assert.deepEqual((await app.records('lorebooks'))[0].entries.map(({ content }) => content), ['Mine.', 'Theirs.']);
});

for (const [scheme, viewport] of [['light', { width: 1440, height: 900 }], ['dark', { width: 390, height: 844 }]]) {
  test(`axe finds nothing, and nothing runs over the side, in ${scheme}`, async (t) => {
    const app = await at.open(t, { scheme, viewport });
    const looks = async (place) => {
      assert.deepEqual(await violations(app), [], place);
      const [wide, room] = await app.page.evaluate(() => [document.scrollingElement.scrollWidth, document.scrollingElement.clientWidth]);
      assert.ok(wide <= room, `${place}: ${wide} in ${room} pixels`);
    };
    await app.createCharacter({ name: 'Ada' });
    await write(app, 'Harbour', [['ship', 'A ship.'], ['/(broken/', 'A quay.']]);
    await looks('library');
    await app.press(app.id('lorebook-item'), 'lorebook-edit');
    await app.id('lorebook-settings').locator('summary').click();
    await app.id('lorebook-choose-shown').check();
    await openEntry(app, 'ship');
    await app.id('lorebook-entry-more').locator('summary').click();
    await app.id('lorebook-entry-position').selectOption('at_depth');
    await app.id('lorebook-entry-secondary').fill('night');
    await looks('editor');
    await app.id('lorebook-save').click();
    await app.go('characters');
    await app.press(app.id('character-item'), 'character-edit');
    await app.id('lorebooks-hung').locator('summary').click();
    await app.id('lorebook-hang').first().waitFor();
    await looks('character');
  });
}
