// What goes between devices beside the stories: who the reader is, pictures as they are seen, vectors where they are wanted.

import assert from 'node:assert/strict';
import test from 'node:test';

import axe from 'axe-core';

import { NETWORK, stage } from '../support/browser.mjs';
import { carry } from '../support/cards.mjs';
import { PATIENCE, connect, stands, sync } from '../support/devices.mjs';
import { eventually } from '../support/page.mjs';
import { png } from '../support/pictures.mjs';
import { needs, startProxy, startWebdav } from '../support/remote.mjs';

const at = stage();

const ids = async (app, store) => (await app.records(store)).map(({ id }) => id).sort();
const drawn = (image) => eventually(async () => assert.ok(await image.evaluate((image) => image.complete && image.naturalWidth > 0)), PATIENCE);

for (const [language, words] of [
  ['zh-CN', { name: '阿达', user: '弥拉', left: /还有 2 张图片没有取来/ }],
  ['en-GB', { name: 'Ada', user: 'Mira', left: /2 pictures still to come/ }],
]) {
  test(`the reader's name is there, and pictures come when they are seen (${language})`, needs('webdav'), async (t) => {
    const webdav = await startWebdav();
    t.after(webdav.stop);
    const llm = await at.provider(t);
    const here = await at.open(t, { language, viewport: { width: 1440, height: 900 }, allow: NETWORK });
    const there = await at.open(t, { language, viewport: { width: 390, height: 844 }, allow: NETWORK });
    await here.addConnection({ url: llm.base('openai') });
    const card = { spec: 'chara_card_v2', spec_version: '2.0', data: { name: words.name, description: 'd', first_mes: '…', extensions: {} } };
    await here.go('characters');
    await here.upload('character-import', { name: 'card.png', mimeType: 'image/png', buffer: carry(png(600, 900), { chara: card }) });
    await here.item('character-item', words.name).waitFor();
    await here.go('storylines');
    await here.id('storyline-new').click();
    await here.id('storyline-character').selectOption({ label: words.name });
    await here.id('storyline-user').fill(words.user);
    await here.id('storyline-create').click();
    await here.id('composer-input').waitFor();
    await connect(here, webdav);
    await stands(here, 'ok');
    const pictures = await ids(here, 'blobs');
    assert.equal(pictures.length, 2, 'a face, and a small one for the page');

    // Here nothing comes that nobody looks at.
    await there.go('settings');
    await there.id('devices-set-up').locator('summary').first().click();
    await there.id('devices-begin-seen').check();
    await connect(there, webdav);
    await stands(there, 'ok');
    await eventually(async () => assert.match(await there.id('devices-counts').innerText(), words.left), PATIENCE);
    assert.deepEqual(await ids(there, 'blobs'), []);
    await there.page.evaluate(axe.source);
    const found = await there.page.evaluate(() => globalThis.axe.run('.devices', { resultTypes: ['violations'] }));
    assert.deepEqual(found.violations.map(({ id, nodes }) => `${id}: ${nodes[0].target}`), []);
    await there.go('characters');
    await drawn(there.item('character-item', words.name).locator('img'));
    assert.equal((await ids(there, 'blobs')).length, 1);

    // Who the reader is has come, and what a card looks like there is its own.
    await there.go('storylines');
    await there.id('storyline-new').click();
    await eventually(async () => assert.equal(await there.id('storyline-user').inputValue(), words.user));

    // What leaves as a file is whole, and in the end all comes.
    await there.go('settings');
    await there.id('devices-seen').uncheck();
    await eventually(async () => assert.deepEqual(await ids(there, 'blobs'), pictures), PATIENCE);
    assert.equal(await there.id('devices-seen').isChecked(), false);
    await there.reload();
    await there.go('settings');
    await there.id('devices-seen').waitFor();
    assert.equal(await there.id('devices-seen').isChecked(), false);
  });
}

test('what embeddings one device has paid for serve the other, where the reader wants it', needs('webdav'), async (t) => {
  const webdav = await startWebdav();
  t.after(webdav.stop);
  const llm = await at.provider(t);
  const here = await at.open(t, { language: 'en-GB', viewport: { width: 1440, height: 900 }, allow: NETWORK });
  const there = await at.open(t, { language: 'en-GB', viewport: { width: 1440, height: 900 }, allow: NETWORK });
  const lines = [{ user_name: 'Mira', character_name: 'Ada', chat_metadata: {} }];
  for (let index = 0; index <= 1_100; index += 1) {
    const is_user = index % 2 === 1;
    lines.push({ name: is_user ? 'Mira' : 'Ada', is_user, is_system: false, mes: `Message ${index}, said slowly.`, extra: {} });
  }
  const embedder = async (app) => {
    await app.addConnection({ url: llm.base('openai') });
    await app.addConnection({ url: llm.base('openai'), name: 'Vectors', model: 'bge-m3' });
    await app.id('settings-embedding-connection').selectOption({ label: 'Vectors · bge-m3' });
  };
  const embedded = async (app) => {
    await app.openStory('The quay');
    await app.id('tab-memory').click();
    await app.id('embedding-begin').click();
    await eventually(async () => {
      const [done, all] = (await app.id('embedding-count').innerText()).replaceAll(',', '').match(/\d+/g).map(Number);
      assert.ok(all > 1_000 && done === all, `${done} of ${all}`);
    }, PATIENCE);
  };
  const paid = () => llm.requests.filter(({ kind }) => kind === 'embeddings').reduce((sum, { body }) => sum + body.input.length, 0);
  await embedder(here);
  await here.go('storylines');
  await here.upload('storyline-import', { name: 'The quay.jsonl', mimeType: 'application/jsonl', buffer: Buffer.from(lines.map((line) => JSON.stringify(line)).join('\n')) });
  await here.id('import-merge').click();
  await eventually(async () => assert.ok((await here.records('turns')).length > 500), PATIENCE);
  await embedded(here);
  const all = paid();
  assert.ok(all > 1_000, `${all}`);
  await connect(here, webdav);
  await stands(here, 'ok');

  // Nobody asked for them.
  await connect(there, webdav);
  await stands(there, 'ok');
  assert.deepEqual(await ids(there, 'vectors'), []);
  for (const app of [here, there]) {
    await app.go('settings');
    await app.id('devices-vectors').check();
    await sync(app);
  }
  await eventually(async () => assert.equal((await ids(there, 'vectors')).length, 1), PATIENCE);
  await embedder(there);
  await embedded(there);
  assert.ok(paid() - all < all / 5, `${paid() - all} of ${all} were paid for once more`);
});

test('a clock that is a day late, and a server that minds', needs('webdav'), async (t) => {
  const webdav = await startWebdav();
  t.after(webdav.stop);
  const proxy = await startProxy(webdav);
  t.after(proxy.stop);
  const llm = await at.provider(t);
  const here = await at.open(t, { language: 'en-GB', allow: NETWORK });
  const late = await at.open(t, { language: 'en-GB', allow: NETWORK, ready: false });
  await late.page.addInitScript(() => {
    const now = Date.now;
    Date.now = () => now() - 86_400_000;
  });
  await late.open();
  await here.begin(llm, { character: { name: 'Wren' }, title: 'The lamp' });
  llm.script('The bees sleep.', 'A moth came.');
  await here.play('Where are the bees?');
  await connect(here, webdav);
  await stands(here, 'ok');

  const skewed = '<Error><Code>RequestTimeTooSkewed</Code><Message>Too far apart.</Message></Error>';
  proxy.fail({ method: 'PUT', status: 403, body: skewed });
  await connect(late, { ...webdav, url: proxy.url });
  await eventually(async () => assert.equal(await late.id('devices-tried').getAttribute('data-kind'), 'clock'), PATIENCE);
  assert.match(await late.id('devices-tried').innerText(), /set the time/);
  proxy.clear();
  await connect(late, { ...webdav, url: proxy.url });
  await stands(late, 'ok');

  // What is changed there is newer than what it knew, whatever its clock says.
  await late.addConnection({ url: llm.base('openai') });
  await late.openStory('The lamp');
  await late.play('And now?');
  // A server that is at odds with itself for a moment.
  proxy.fail({ method: 'PUT', status: 409 });
  await late.go('characters');
  await late.press(late.item('character-item', 'Wren'), 'character-edit');
  await late.id('character-name').fill('Wren of the quay');
  await late.id('character-save').click();
  await late.item('character-item', 'Wren of the quay').waitFor();
  await late.go('settings');
  await stands(late, 'busy');
  proxy.clear();
  await sync(late);
  await sync(here);
  assert.deepEqual((await here.records('characters')).map(({ name }) => name), ['Wren of the quay']);
  await here.openStory('The lamp');
  await eventually(async () => assert.deepEqual(await here.id('turn-user').allInnerTexts(), ['Where are the bees?', 'And now?']));
});
