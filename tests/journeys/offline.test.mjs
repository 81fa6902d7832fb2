// The page kept on a device: it opens without a network, gives way to a newer one when it is asked to, is installed as an
// app, and takes what other apps share with it.

import assert from 'node:assert/strict';
import { cp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'node:test';

import { NETWORK, dist, scratch, stage } from '../support/browser.mjs';
import { listed, renew } from '../support/newer.mjs';
import { eventually } from '../support/page.mjs';
import { serve } from '../support/static.mjs';

const at = stage();

const LANGUAGES = {
  'zh-CN': { none: /现在没有网络/, kept: /没有网络也能打开/, newer: /有新版本/, after: /写完/ },
  'en-GB': { none: /There is no network/, kept: /opens without a network/, newer: /A newer Fabula/, after: /once this reply is written/ },
};

/** The page of its own server, kept on the device. */
async function keptPage(t, { language = 'zh-CN', keep = true, ...options } = {}) {
  const folder = await scratch(t);
  await cp(dist(), folder, { recursive: true });
  const site = await serve({ root: folder, base: '/fabula/' });
  t.after(() => site.close());
  const app = await at.open(t, { url: site.url, language, kept: true, allow: [...NETWORK, /ServiceWorker/i], ...options });
  if (keep) await isKept(app);
  return { app, site, folder };
}

const isKept = (app) =>
  eventually(async () => {
    const state = await app.page.evaluate(async () => (await navigator.serviceWorker.getRegistration())?.active?.state);
    assert.equal(state, 'activated');
  });

/** Lets the browser look for a newer page, as it does by itself when the page is opened. */
const look = (app) =>
  app.page.evaluate(async () => {
    const registration = await navigator.serviceWorker.getRegistration();
    await registration.update().catch(() => {});
  });

const caches = (app) => app.page.evaluate(async () => (await caches.keys()).filter((name) => name.startsWith('fabula-')));
const loaded = (app) => app.page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name).join(' '));

for (const [language, words] of Object.entries(LANGUAGES)) {
  test(`what was here once opens without a network, and says what does not go (${language})`, async (t) => {
    const { app, site } = await keptPage(t, { language, viewport: { width: 1440, height: 900 } });
    await app.id('welcome-demo').click();
    await app.id('composer-input').waitFor();
    const turn = await app.send('…');
    await app.stopAmid(turn);
    const story = await app.story();
    // A model that is far away.
    await app.addConnection({ url: 'https://model.invalid/v1', key: 'k', keeping: 'clear' });
    await app.createCharacter({ name: '林夕', first_mes: '门上的铃响了。' });
    await app.createStoryline({ title: '远方' });
    await app.go('settings');
    assert.match(await app.id('offline-kept').innerText(), words.kept);

    await site.close();
    await app.page.context().setOffline(true);
    await app.page.goto('about:blank');
    await app.open();
    await app.openStory('远方');
    assert.match(await app.id('offline-note').innerText(), words.none);
    assert.equal(await app.replyText(0), '门上的铃响了。');
    // What is said is kept, and why nothing answers stands in its turn.
    const lost = await app.send('有人吗？');
    await app.waitStatus(lost, 'interrupted', 30_000);
    assert.equal(await app.userText(lost), '有人吗？');
    await app.reload();
    assert.equal(await app.userText(lost), '有人吗？');

    // The demo plays from what is here: nothing is missed there. The memory's worker and the desk are here, too.
    await app.go('storylines');
    await app.id('storyline-item').filter({ hasNotText: '远方' }).first().click({ position: { x: 16, y: 16 } });
    await eventually(async () => assert.deepEqual(await app.story(), story));
    assert.equal(await app.id('offline-note').count(), 0);
    const told = await app.send('……');
    await app.stopAmid(told);
    await app.id('tab-memory').click();
    await app.id('memory-panel').waitFor();
    await app.createCharacter({ name: '离线' });
    await app.item('character-item', '离线').waitFor();

    await app.page.context().setOffline(false);
    await app.openStory('远方');
    await eventually(async () => assert.equal(await app.id('offline-note').count(), 0));
    assert.deepEqual(app.unexpected(), []);
  });

  test(`a newer page waits until it is asked for, and no reply is cut by it (${language})`, async (t) => {
    const llm = await at.provider(t, {});
    const { app, folder } = await keptPage(t, { language, viewport: { width: 1440, height: 900 } });
    await app.begin(llm, { connection: { key: 'k-1', keeping: 'memory' }, character: { name: '林夕' } });
    await app.play('你好。');
    const before = (await listed(folder)).map(([path]) => path).find((path) => path.endsWith('_split_desk.wasm'));

    const fresh = await renew(folder);
    await look(app);
    await app.item('notice', words.newer).waitFor();
    assert.equal(await app.page.evaluate(async () => (await navigator.serviceWorker.getRegistration()).waiting?.state), 'installed');
    // One that is opened by now has the older page as well. Whoever goes on is left alone.
    const other = await app.tab();
    llm.on(() => ({ text: '灯亮着。雨还在下。', holdAfter: 1 }));
    const turn = await app.send('继续。');
    await app.replyGrows(turn);
    assert.ok(await app.id('offline-use').isDisabled());
    assert.match(await app.id('offline-use').getAttribute('title'), words.after);
    llm.release();
    await app.waitStatus(turn, 'done');
    assert.doesNotMatch(await loaded(app), new RegExp(fresh));

    await app.id('composer-input').fill('还没说的话');
    await app.id('offline-use').click();
    await app.page.waitForFunction((fresh) => performance.getEntriesByType('resource').some(({ name }) => name.includes(fresh)), fresh);
    await app.ready();
    assert.equal(await app.replyText(turn), '灯亮着。雨还在下。');
    await eventually(async () => assert.equal(await app.id('composer-input').inputValue(), '还没说的话'));
    // The key that was in memory came along.
    llm.on(() => '她点点头。');
    await app.play('走吧。');
    assert.equal(await app.id('offline-use').count(), 0);

    // A tab that is older than it finds its parts, until it is gone.
    const part = await other.page.evaluate(async (path) => (await fetch(`./${path}`)).status, before);
    assert.equal(part, 200);
    assert.equal((await caches(app)).length, 2);
    await other.page.close();
    await app.reload();
    await app.whole();
    await eventually(async () => assert.equal((await caches(app)).length, 1));
    assert.deepEqual(app.unexpected(), []);
  });
}

test('a newer page that did not come whole is not taken', async (t) => {
  const { app, folder, site } = await keptPage(t);
  await renew(folder);
  const part = (await listed(folder)).map(([path]) => path).find((path) => path.endsWith('_split_desk.wasm'));
  await rm(join(folder, part));
  await look(app);
  await eventually(async () => {
    const state = await app.page.evaluate(async () => {
      const { installing, waiting } = await navigator.serviceWorker.getRegistration();
      return [installing, waiting].filter(Boolean).length;
    });
    assert.equal(state, 0);
    assert.equal((await caches(app)).length, 1);
  });
  assert.equal(await app.id('offline-use').count(), 0);
  await site.close();
  await app.reload();
  await app.go('characters');
  await app.id('character-new').waitFor();
});

test('it can be installed', async (t) => {
  const { app, folder } = await keptPage(t);
  const devtools = await app.page.context().newCDPSession(app.page);
  const { installabilityErrors } = await devtools.send('Page.getInstallabilityErrors');
  // A profile that leaves no trace installs nothing; nothing else is amiss.
  assert.deepEqual(installabilityErrors.map(({ errorId }) => errorId).filter((id) => id !== 'in-incognito'), []);
  const { errors } = await devtools.send('Page.getAppManifest');
  assert.deepEqual(errors, []);
  const manifest = JSON.parse(await readFile(join(folder, 'manifest.webmanifest'), 'utf8'));
  const paths = (await listed(folder)).map(([path]) => path);
  for (const { src } of manifest.icons) assert.ok(paths.includes(src.replace('./', '')), src);
});

const CARD = { spec: 'chara_card_v2', spec_version: '2.0', data: { name: '来客', description: '从别处来。' } };

test('what another app shares is taken in, as if it had been dropped', async (t) => {
  const { app } = await keptPage(t);
  await app.reload();
  await app.page.evaluate((card) => {
    const form = Object.assign(document.createElement('form'), { method: 'post', enctype: 'multipart/form-data', action: './share' });
    const field = Object.assign(document.createElement('input'), { type: 'file', name: 'files', multiple: true });
    const transfer = new DataTransfer();
    transfer.items.add(new File([card], '来客.json', { type: 'application/json' }));
    field.files = transfer.files;
    form.append(field);
    // The page's policy lets no form be sent: the system does it from outside, as this frame without one does.
    return fetch('./share', { method: 'POST', body: new FormData(form), redirect: 'manual' });
  }, JSON.stringify(CARD));
  await app.reload();
  await app.item('character-item', '来客').waitFor();
  assert.deepEqual((await caches(app)).filter((name) => name === 'fabula-shared'), []);
});

test('a file that the system opens with it is taken in', async (t) => {
  const { app } = await keptPage(t, { ready: false, keep: false });
  await app.page.addInitScript((card) => {
    const handle = (name, text) => ({ kind: 'file', name, getFile: async () => new File([text], name, { type: 'application/json' }) });
    const value = { setConsumer: (take) => take({ files: [handle('来客.json', card)] }) };
    Object.defineProperty(window, 'launchQueue', { value });
  }, JSON.stringify(CARD));
  await app.open();
  await app.item('character-item', '来客').waitFor();
});
