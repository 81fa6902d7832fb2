// One library on two devices, through storage of the reader's own.

import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'node:test';

import axe from 'axe-core';

import { NETWORK, stage } from '../support/browser.mjs';
import { PATIENCE, connect, stands, sync } from '../support/devices.mjs';
import { eventually } from '../support/page.mjs';
import { needs, startProxy, startS3, startWebdav } from '../support/remote.mjs';

const at = stage();
/** What lies there, one text. */
async function stored(folder) {
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  const whole = files.filter((file) => file.isFile()).map(async (file) => `${file.name}\n${await readFile(join(file.parentPath, file.name), 'latin1')}`);
  return (await Promise.all(whole)).join('\n');
}

const said = (app) => app.id('turn-user').allInnerTexts();

for (const language of ['zh-CN', 'en-GB']) {
  test(`played here, gone on with there, and both at once (${language})`, needs('webdav'), async (t) => {
    const webdav = await startWebdav();
    t.after(webdav.stop);
    const proxy = await startProxy(webdav);
    t.after(() => proxy.stop());
    const llm = await at.provider(t);
    const here = await at.open(t, { language, viewport: { width: 1440, height: 900 }, allow: NETWORK });
    const there = await at.open(t, { language, viewport: { width: 390, height: 844 }, allow: NETWORK });
    await here.begin(llm, { character: { name: 'Wren' }, title: 'The lamp' });
    llm.script('The bees sleep.', 'A moth came.', 'It rained.', 'It snowed.', 'And then?');
    await here.play('Where are the bees?');

    await connect(here, webdav);
    await stands(here, 'ok');
    await here.page.evaluate(axe.source);
    const found = await here.page.evaluate(() => globalThis.axe.run('.devices', { resultTypes: ['violations'] }));
    assert.deepEqual(found.violations.map(({ id, nodes }) => `${id}: ${nodes[0].target}`), []);
    const files = await stored(webdav.folder);
    for (const word of ['bees', 'Wren', 'lamp', 'turns', llm.key ?? 'sk-']) assert.ok(!files.includes(word), word);

    await connect(there, { ...webdav, url: proxy.url });
    await stands(there, 'ok');
    await there.go('settings');
    await there.openStory('The lamp');
    await eventually(async () => assert.match((await said(there)).join(), /bees/));
    // The way to a model stays with each device.
    await there.addConnection({ url: llm.base('openai') });
    await there.openStory('The lamp');
    await there.play('What else?');
    await sync(there);
    await sync(here);
    await here.openStory('The lamp');
    await eventually(async () => assert.equal((await said(here)).length, 2));
    await eventually(async () => assert.match(await here.id('turn-reply').last().innerText(), /moth/));

    // Both go on before either hears of the other.
    proxy.fail({ status: 503 });
    await here.play('Rain?');
    await there.openStory('The lamp');
    await there.play('Snow?');
    await sync(here);
    proxy.clear();
    await sync(there);
    await there.id('devices-tree').waitFor({ timeout: PATIENCE });
    await sync(here);
    for (const [app, own] of [[here, /Rain/], [there, /Snow/]]) {
      await app.openStory('The lamp');
      // Each reader stands where they stood, and the other's way is in the tree.
      await eventually(async () => assert.match((await said(app)).join(), own));
      const turns = await app.records('turns');
      assert.deepEqual(turns.map(({ user }) => user).filter(Boolean).sort(), ['Rain?', 'Snow?', 'What else?', 'Where are the bees?']);
    }
  });
}

test('what comes for a story amid its turn is there once the turn has ended', needs('webdav'), async (t) => {
  const webdav = await startWebdav();
  t.after(webdav.stop);
  const llm = await at.provider(t);
  const here = await at.open(t, { language: 'zh-CN', allow: NETWORK });
  const there = await at.open(t, { language: 'zh-CN', allow: NETWORK });
  await here.begin(llm, { character: { name: '林夕' }, title: '灯' });
  llm.script('蜂睡了。', { text: '它们在哪里？', hold: true }, '飞来一只蛾。');
  await here.play('蜂在哪里？');
  await connect(here, webdav);
  await stands(here, 'ok');
  await connect(there, webdav);
  await stands(there, 'ok');
  await there.addConnection({ url: llm.base('openai') });
  await sync(there);
  await there.openStory('灯');
  await eventually(async () => assert.deepEqual(await said(there), ['蜂在哪里？']));

  // The model has the story to itself while it thinks of the reader's words; to stop it changes nothing.
  await there.id('composer-impersonate').click();
  await there.id('impersonating').waitFor();
  await eventually(() => assert.equal(llm.chat().length, 2));
  await here.openStory('灯');
  await here.play('还有呢？');
  await sync(here);
  await sync(there);
  await there.openStory('灯');
  assert.deepEqual(await said(there), ['蜂在哪里？']);
  await there.id('composer-stop').click();
  await eventually(async () => assert.deepEqual(await said(there), ['蜂在哪里？', '还有呢？']), PATIENCE);
});

test('what is wrong with a storage is said beside it, and nothing is lost', needs('webdav'), async (t) => {
  const webdav = await startWebdav();
  t.after(webdav.stop);
  const proxy = await startProxy(webdav);
  t.after(() => proxy.stop());
  const llm = await at.provider(t);
  const here = await at.open(t, { language: 'en-GB', viewport: { width: 1440, height: 900 }, allow: NETWORK });
  await here.begin(llm, { character: { name: 'Wren' }, title: 'The lamp' });
  llm.script('The bees sleep.', 'A moth came.');
  await here.play('Where are the bees?');
  const tried = (kind) => eventually(async () => assert.equal(await here.id('devices-tried').getAttribute('data-kind'), kind), PATIENCE);

  const remote = { ...webdav, url: proxy.url };
  await connect(here, { ...remote, url: 'nowhere' });
  await tried('lacks');
  await connect(here, { ...remote, url: 'http://cloud.example/dav' });
  await tried('lacks');
  await connect(here, { ...remote, url: 'http://127.0.0.1:9/dav' });
  await tried('unreachable');
  await here.id('devices-cors').waitFor();
  await connect(here, { ...remote, password: 'another' });
  await tried('refused');
  await connect(here, remote, 'short');
  await tried('weak');
  proxy.fail({ method: 'PUT', status: 507 });
  await connect(here, remote);
  await tried('full');
  proxy.clear();
  await connect(here, remote);
  await stands(here, 'ok');

  // Another device with another passphrase: nothing of it changes, and the library stays as it was.
  const there = await at.open(t, { language: 'en-GB', allow: NETWORK });
  await connect(there, remote, 'quarry sandal fountain ember willow');
  await eventually(async () => assert.equal(await there.id('devices-tried').getAttribute('data-kind'), 'passphrase'), PATIENCE);
  await connect(there, remote);
  await stands(there, 'ok');

  // Broken off in the middle of a pack, and its answer lost: told once more, and heard once.
  await here.openStory('The lamp');
  await here.play('And now?');
  proxy.cut({ method: 'PUT', times: 1 });
  await here.go('settings');
  await here.id('devices-now').click();
  await eventually(async () => assert.match(await here.id('devices-status').getAttribute('data-kind'), /unreachable|ok/), PATIENCE);
  proxy.lose({ method: 'PUT', times: 1 });
  await eventually(async () => assert.ok(await here.id('devices-now').isEnabled()), PATIENCE);
  await here.id('devices-now').click();
  await eventually(async () => assert.ok(await here.id('devices-now').isEnabled()), PATIENCE);
  proxy.clear();
  await sync(here);
  await sync(there);
  await there.openStory('The lamp');
  await eventually(async () => assert.deepEqual(await said(there), ['Where are the bees?', 'And now?']));

  // Stopped: all stays, and the storage is not asked any more.
  await there.go('settings');
  await there.id('devices-stop').click();
  await there.id('devices-set-up').waitFor();
  assert.equal((await there.records('turns')).filter(({ user }) => user).length, 2);
  assert.deepEqual(await there.records('sync'), []);
  await here.go('settings');
  await here.id('devices-wipe').click();
  await here.id('devices-wipe-yes').click();
  await here.id('devices-set-up').waitFor({ timeout: PATIENCE });
  assert.equal((await stored(webdav.folder)).replace(/\s/g, ''), '');
});

test('the same through S3', needs('s3'), async (t) => {
  const s3 = await startS3();
  t.after(s3.stop);
  const llm = await at.provider(t);
  const here = await at.open(t, { language: 'en-GB', allow: NETWORK });
  const there = await at.open(t, { language: 'en-GB', allow: NETWORK });
  const sealed = { key: 'sk-lamp', keeping: 'sealed', passphrase: 'plum anchor thistle barrow' };
  await here.begin(llm, { connection: sealed, character: { name: 'Wren' }, title: 'The lamp' });
  llm.script('The bees sleep.');
  await here.play('Where are the bees?');
  await connect(here, { ...s3, secret: 'another' });
  await eventually(async () => assert.equal(await here.id('devices-tried').getAttribute('data-kind'), 'refused'), PATIENCE);
  await connect(here, { ...s3, keep: 'sealed' });
  await stands(here, 'ok');
  await here.reload();
  await here.go('settings');
  await stands(here, 'sealed');
  await here.id('vault-passphrase').fill(sealed.passphrase);
  await here.id('vault-unlock').click();
  await stands(here, 'ok');
  await connect(there, s3);
  await stands(there, 'ok');
  await there.openStory('The lamp');
  await eventually(async () => assert.deepEqual(await said(there), ['Where are the bees?']));
});

test('what goes wrong with S3 is said, tried again, and loses nothing', needs('s3'), async (t) => {
  const s3 = await startS3();
  t.after(s3.stop);
  const proxy = await startProxy(s3);
  t.after(() => proxy.stop());
  const remote = { ...s3, url: proxy.url };
  const error = (code) => `<?xml version="1.0"?><Error><Code>${code}</Code><Message>As ordered.</Message></Error>`;
  const llm = await at.provider(t);
  const here = await at.open(t, { language: 'zh-CN', viewport: { width: 390, height: 844 }, allow: NETWORK });
  const there = await at.open(t, { language: 'zh-CN', allow: NETWORK });
  await here.begin(llm, { character: { name: '林夕' }, title: '灯' });
  const tried = (kind) => eventually(async () => assert.equal(await here.id('devices-tried').getAttribute('data-kind'), kind), PATIENCE);
  for (const [status, code, kind] of [[403, 'RequestTimeTooSkewed', 'clock'], [403, 'QuotaExceeded', 'full'], [404, 'NoSuchBucket', 'no_such_place'], [500, 'InternalError', 'server']]) {
    proxy.fail({ method: 'PUT', status, body: error(code) });
    await connect(here, remote);
    await tried(kind);
    proxy.clear();
  }
  await connect(here, remote);
  await stands(here, 'ok');
  await connect(there, remote);
  await stands(there, 'ok');

  // Each fault amid a telling; once it is over all is there, and once.
  const said = [];
  for (const order of [
    () => proxy.fail({ method: 'PUT', status: 409, body: error('OperationAborted') }),
    () => proxy.fail({ method: 'PUT', status: 429, body: error('SlowDown') }),
    () => proxy.cut({ method: 'PUT' }),
    () => proxy.lose({ method: 'PUT' }),
    () => proxy.stale({ match: 'list-type' }),
  ]) {
    order();
    said.push(`第 ${said.length} 句`);
    llm.script(`答 ${said.length}。`);
    await here.openStory('灯');
    await here.play(said.at(-1));
    await here.go('settings');
    await here.id('devices-now').click();
    await eventually(async () => assert.notEqual(await here.id('devices-status').getAttribute('data-kind'), 'working'), PATIENCE);
    proxy.clear();
  }
  await sync(here);
  await sync(there);
  await there.openStory('灯');
  await eventually(async () => assert.deepEqual(await there.id('turn-user').allInnerTexts(), said));
});

test('a storage that is busy, late, silent or out of reach', needs('webdav'), async (t) => {
  const webdav = await startWebdav();
  t.after(webdav.stop);
  const proxy = await startProxy(webdav);
  t.after(() => proxy.stop());
  const llm = await at.provider(t);
  const remote = { ...webdav, url: proxy.url };
  const here = await at.open(t, { language: 'zh-CN', viewport: { width: 390, height: 844 }, allow: NETWORK });
  await here.begin(llm, { character: { name: '林夕' }, title: '灯' });
  llm.script('蜂睡了。', '飞来一只蛾。', '下雨了。');
  await here.play('蜂在哪里？');
  await connect(here, remote);
  await stands(here, 'ok');
  const there = await at.open(t, { language: 'zh-CN', allow: NETWORK });
  await connect(there, remote, 'quarry sandal fountain ember willow');
  await eventually(async () => assert.match(await there.page.locator('.devices-form').innerText(), /另一个口令/), PATIENCE);
  await connect(there, remote);
  await stands(there, 'ok');

  // Busy: it is said so, and tried again.
  proxy.fail({ method: 'PUT', status: 429 });
  await here.openStory('灯');
  await here.play('还有呢？');
  await here.go('settings');
  await stands(here, 'busy');
  await eventually(async () => assert.match(await here.id('devices-counts').innerText(), /还有 \d+ 条没有发出/), PATIENCE);
  proxy.clear();
  // Late: what the list does not show yet is heard once it does.
  proxy.stale({ match: '/log' });
  await sync(there);
  await sync(here);
  await sync(there);
  assert.deepEqual((await there.records('turns')).map(({ user }) => user).filter(Boolean), ['蜂在哪里？']);
  proxy.clear();
  await sync(there);
  await there.openStory('灯');
  await eventually(async () => assert.deepEqual(await said(there), ['蜂在哪里？', '还有呢？']));

  // Out of reach: it waits, and goes on by itself.
  await here.page.context().setOffline(true);
  await here.createCharacter({ name: '阿尔瑟奇' });
  await here.go('settings');
  await stands(here, 'offline');
  await here.page.context().setOffline(false);
  await stands(here, 'ok');
  await sync(there);
  assert.deepEqual((await there.records('characters')).map(({ name }) => name).sort(), ['林夕', '阿尔瑟奇'].sort());

  // Silent: who has enough of it is not held.
  proxy.delay(600_000);
  // Unless a round is under way by itself.
  await eventually(async () => {
    const kind = () => here.id('devices-status').getAttribute('data-kind');
    if ((await kind()) !== 'working') await here.id('devices-now').click({ timeout: 2_000 });
    assert.equal(await kind(), 'working');
  });
  await here.id('devices-stop').click();
  await here.id('devices-set-up').waitFor();
  assert.equal((await here.records('turns')).filter(({ user }) => user).length, 2);
});

for (const [language, viewport] of [['zh-CN', { width: 390, height: 844 }], ['en-GB', { width: 1440, height: 900 }]]) {
  test(`a long story is read from its end while the rest is on its way (${language})`, needs('webdav'), async (t) => {
    const webdav = await startWebdav();
    t.after(webdav.stop);
    const proxy = await startProxy(webdav);
    t.after(proxy.stop);
    const llm = await at.provider(t);
    const here = await at.open(t, { language, viewport: { width: 1440, height: 900 }, allow: NETWORK });
    const there = await at.open(t, { language, viewport, allow: NETWORK });
    const lines = [{ user_name: 'Mira', character_name: 'Ada', chat_metadata: {} }];
    for (let index = 0; index <= 1_000; index += 1) {
      const is_user = index % 2 === 1;
      lines.push({ name: is_user ? 'Mira' : 'Ada', is_user, is_system: false, mes: `Message ${index}, *said* slowly.`, extra: {} });
    }
    const buffer = Buffer.from(lines.map((line) => JSON.stringify(line)).join('\n'));
    await here.upload('storyline-import', { name: 'The quay.jsonl', mimeType: 'application/jsonl', buffer });
    await here.id('import-merge').click();
    await eventually(async () => assert.match(await here.turn(500).root.innerText(), /Message 1000/));
    await connect(here, webdav);
    await stands(here, 'ok');
    const [story] = await here.records('storylines');

    // What comes between its first records and its last pages is late.
    proxy.fail({ method: 'GET', match: '.0000000002-' });
    await connect(there, { ...webdav, url: proxy.url });
    const shelf = there.id('shelf-open').first();
    if (await shelf.isVisible()) await shelf.click();
    await there.item('storyline-arriving', story.title).getByRole('link').click({ timeout: PATIENCE });
    const pages = there.id('arriving-page');
    await eventually(async () => assert.match(await pages.last().innerText(), /Message 1000, said slowly/), PATIENCE);
    assert.ok(await pages.last().isVisible());
    assert.match(await pages.nth(-2).innerText(), /Message 997[^]*Message 998/);
    assert.equal(await there.id('composer-input').count(), 0);
    await there.page.evaluate(axe.source);
    const found = await there.page.evaluate(() => globalThis.axe.run('main', { resultTypes: ['violations'] }));
    assert.deepEqual(found.violations.map(({ id, nodes }) => `${id}: ${nodes[0].target}`), []);

    // Once the rest has come, it is the story, and is played on.
    proxy.clear();
    await there.turn(500).reply.waitFor({ timeout: 2 * PATIENCE });
    assert.equal(await pages.count(), 0);
    assert.equal(await there.id('storyline-arriving').count(), 0);
    await there.addConnection({ url: llm.base('openai') });
    await there.openStory(story.title);
    llm.script('The lamp is lit.');
    await there.play('And now?');
    assert.match(await there.turn(501).root.innerText(), /The lamp is lit/);
  });
}
