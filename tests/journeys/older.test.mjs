// A database that an older version left behind, opened by this one: tests/fixtures.

import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'node:test';

import { restore } from '../fixtures/dump.mjs';
import { stage } from '../support/browser.mjs';
import { eventually } from '../support/page.mjs';

const at = stage();
const root = new URL('../fixtures/', import.meta.url).pathname;
const versions = (await readdir(root, { withFileTypes: true })).filter((entry) => entry.isDirectory()).map((entry) => entry.name);
const read = async (version, name) => JSON.parse(await readFile(join(root, version, name), 'utf8'));

for (const version of versions) {
  test(`the database of ${version} opens with nothing lost`, async (t) => {
    const [database, shown] = [await read(version, 'database.json'), await read(version, 'shown.json')];
    const app = await at.open(t, { ready: false });
    // The same origin, and no page of the program yet.
    const blank = new URL('blank.html', at.url).href;
    await app.page.route(blank, (route) => route.fulfill({ contentType: 'text/html', body: '<link rel="icon" href="data:,">' }));
    await app.page.goto(blank);
    // What lies in the bin was put there just now: after its time it would go.
    const records = Object.values(database.stores).flatMap((store) => store.records);
    for (const record of records) if (record.deleted) record.deleted = Date.now();
    await restore(app.page, database);
    await app.open();

    for (const [title, turns] of Object.entries(shown)) {
      await app.openStory(title);
      await eventually(async () => assert.deepEqual(await app.story(), turns));
    }
    // What made them is there too: branches, the save point, memories, the mind, the library, the bin.
    const first = Object.keys(shown)[0];
    await app.openStory(first);
    await app.id('tab-story').click();
    await app.item('savepoint-item', '约定之前').waitFor();
    await app.id('tab-tree').click();
    await eventually(async () => assert.ok((await app.id('tree-node').count()) > 5));
    await app.id('tab-memory').click();
    await app.item('memory-item', '钥匙在花盆下').waitFor();
    await app.id('tab-world').click();
    await eventually(async () => assert.match(await app.id('world-panel').innerText(), /酒馆/));
    await app.id('tab-prompt').click();
    await app.id('prompt-block').first().locator('summary').click();
    await eventually(async () => assert.notEqual(await app.id('prompt-text').first().innerText(), ''));
    await app.id('tab-plot').click();
    await eventually(async () => assert.equal(await app.id('plot-point').count(), 3));
    await app.go('characters');
    for (const name of ['林夕', '顾沧']) await app.item('character-item', name).first().waitFor();
    await app.item('character-item', '林夕').first().locator('img').first().waitFor();

    // Not a record is missing, nor has one become less.
    const now = await app.library();
    const kept = (record, then) => Object.entries(then).every(([name, value]) => JSON.stringify(record[name]) === JSON.stringify(value));
    for (const [table, { records }] of Object.entries(database.stores)) {
      if (['settings', 'vault', 'due', 'postings', 'vectors', 'blobs'].includes(table)) continue;
      assert.equal(now[table].length, records.length, table);
      for (const { account, character, ...then } of records) {
        const record = now[table].find((one) => one.id === then.id);
        assert.ok(kept(record, then), `${table} ${then.id}`);
        // What the model was told lies in a table of its own now, and whoever speaks in a cast.
        if (account) assert.ok(kept(now.accounts.find((one) => one.id === then.id), account), `account of ${then.id}`);
        if (character) assert.deepEqual(record.cast, [character]);
      }
    }
    const told = database.stores.generations.records.filter((reply) => reply.account);
    assert.equal(now.accounts.length, told.length);
    assert.equal(now.blobs.length, database.stores.blobs.records.length);
    assert.deepEqual(app.unexpected(), []);
  });

  test(`the archives of ${version} come in`, async (t) => {
    const shown = await read(version, 'shown.json');
    const app = await at.open(t);
    await app.go('settings');
    await app.upload('backup-import', join(root, version, 'library.fabula'));
    await app.id('import-merge').click();
    await eventually(async () => assert.equal((await app.records('storylines')).length, 3));
    await app.open();
    for (const [title, turns] of Object.entries(shown)) {
      await app.openStory(title);
      await eventually(async () => assert.deepEqual(await app.story(), turns));
    }
    const [told, replies] = [await app.records('accounts'), await app.records('generations')];
    assert.ok(told.length > 5);
    for (const { id } of told) assert.ok(replies.find((reply) => reply.id === id).prompt, id);
    assert.ok(replies.every((reply) => !reply.account));
  });
}
