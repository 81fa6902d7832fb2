// The page comes in parts. What becomes of it where one does not come, or where a newer page has taken its place.

import assert from 'node:assert/strict';
import { cp, readdir } from 'node:fs/promises';
import test from 'node:test';

import { NETWORK, dist, scratch, stage } from '../support/browser.mjs';
import { renew } from '../support/newer.mjs';
import { eventually } from '../support/page.mjs';
import { serve } from '../support/static.mjs';

const at = stage();
const DESK = '**/*_split_desk.wasm';
/** What the loader says on the console of a part that does not come. */
const MISSED = [...NETWORK, /Failed to fetch/, /HTTP status code is not ok/, /Incorrect response MIME type/, /failed to load split module/];
const isCut = (await readdir(dist())).some((name) => name.endsWith('_split_desk.wasm'));
const skip = isCut ? false : 'this page is whole';

/** Milliseconds in which the page has asked for all that it asks for by itself (`startup.rs`: `IDLE`), with room. */
const QUIET = 7_000;

/**
 * Keeps a part from coming. What is given back lets it come again, once nobody asks for it any more: whoever still asks
 * would bring it by itself, and nothing were left to be asked for.
 */
async function withhold(app, pattern) {
  let asked = 0;
  await app.page.route(pattern, (route) => {
    asked = Date.now();
    return route.abort();
  });
  return async () => {
    await app.page.waitForFunction(() => document.documentElement.dataset.ready === '1');
    const ready = Date.now();
    while (Date.now() - Math.max(asked, ready) < QUIET) await app.page.waitForTimeout(100);
    await app.page.unroute(pattern);
  };
}

for (const [language, words] of [['zh-CN', /没有载入/], ['en-US', /did not load/]]) {
  test(`a part that does not come says so in its place, and comes when it is asked again (${language})`, { skip }, async (t) => {
    const app = await at.open(t, { language, allow: MISSED });
    const release = await withhold(app, DESK);
    await app.go('settings');
    assert.match(await app.id('part-missing').innerText(), words);
    await app.id('part-again').click();
    await app.id('part-missing').waitFor();
    // The rest of the page goes on.
    await app.go('storylines');
    await app.id('welcome').waitFor();
    await app.go('settings');
    await app.id('part-missing').waitFor();
    await release();
    await app.id('part-again').click();
    await app.id('connection-kind').waitFor();
    assert.equal(await app.id('part-missing').count(), 0);
  });
}

test('a part that does not come for a moment comes by itself', { skip }, async (t) => {
  const app = await at.open(t, { allow: MISSED });
  let asked = 0;
  await app.page.route(DESK, (route) => ((asked += 1) === 1 ? route.abort() : route.continue()));
  await app.go('settings');
  await app.id('connection-kind').waitFor();
  assert.equal(asked, 2);
});

test('a story whose part does not come can be asked for again, and its notebook with it', { skip }, async (t) => {
  const app = await at.open(t, { allow: MISSED });
  await app.id('welcome-demo').click();
  await app.id('composer-input').waitFor();
  await (await app.page.context().newCDPSession(app.page)).send('Network.clearBrowserCache');
  const release = await withhold(app, '**/*_split_story.wasm');
  await app.page.goto('about:blank');
  await app.open();
  await app.id('part-missing').first().waitFor();
  await release();
  await app.id('part-again').first().click();
  await app.id('composer-input').waitFor();
  await app.id('story-settings').waitFor();
  await eventually(async () => assert.equal(await app.id('part-missing').count(), 0));
});

test('an act that needs a part which does not come says so, and can be tried again', { skip }, async (t) => {
  const app = await at.open(t, { allow: MISSED });
  const release = await withhold(app, '**/*_split_aside.wasm');
  await app.id('welcome-demo').click();
  await eventually(async () => assert.match(await app.id('notice').first().innerText(), /没有载入/));
  await release();
  await app.id('welcome-demo').click();
  await app.id('composer-input').waitFor();
});

test('what stands beside a story does not hold it up, and can be asked for again', { skip }, async (t) => {
  const app = await at.open(t, { allow: MISSED });
  await app.id('welcome-demo').click();
  await app.id('composer-input').waitFor();
  await (await app.page.context().newCDPSession(app.page)).send('Network.clearBrowserCache');
  const release = await withhold(app, '**/*_split_aside.wasm');
  await app.page.goto('about:blank');
  await app.open();
  // The story is there, to be read and to be answered.
  await app.id('composer-input').waitFor();
  assert.ok((await app.story()).length > 0);
  await app.id('part-missing').first().waitFor();
  assert.equal(await app.id('story-settings').count(), 0);
  await release();
  await app.id('part-again').first().click();
  await app.id('story-settings').waitFor();
  await app.id('demo-suggestion').first().waitFor();
  await eventually(async () => assert.equal(await app.id('part-missing').count(), 0));
});

test('a newer page that comes amid a visit costs a reload, and nothing else', { skip }, async (t) => {
  const folder = await scratch(t);
  await cp(dist(), folder, { recursive: true });
  const site = await serve({ root: folder });
  t.after(() => site.close());
  const app = await at.open(t, { url: site.url, allow: MISSED });
  const fresh = await renew(folder);
  await app.go('settings');
  await app.id('part-missing').waitFor();
  await app.id('part-reload').click();
  await app.id('connection-kind').waitFor();
  assert.match(await app.page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name).join(' ')), new RegExp(`fabula-${fresh}\\.js`));
});

test('a story that is open while a newer page comes can be read and answered', { skip }, async (t) => {
  const folder = await scratch(t);
  await cp(dist(), folder, { recursive: true });
  const site = await serve({ root: folder });
  t.after(() => site.close());
  const app = await at.open(t, { url: site.url, allow: MISSED });
  await app.id('welcome-demo').click();
  await app.id('composer-input').waitFor();
  await renew(folder);
  const turn = await app.send('我推开门。');
  await app.waitStatus(turn, 'done', 60_000);
  const story = await app.story();
  await app.reload();
  await eventually(async () => assert.deepEqual(await app.story(), story));
});
