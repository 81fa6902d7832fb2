// The shelf and the notebook: beside the page where there is room, else sheets, one at a time and none unasked.

import assert from 'node:assert/strict';
import test from 'node:test';

import { stage } from '../support/browser.mjs';
import { eventually } from '../support/page.mjs';

const at = stage();

const WIDE = { width: 1440, height: 900 };
const HALF = { width: 700, height: 900 };
const PHONE = { width: 390, height: 844 };

async function story(t, options, reply = '她没有抬头。') {
  const llm = await at.provider(t);
  const app = await at.open(t, options);
  await app.begin(llm, { character: { name: '林夕', first_mes: '门上的铃响了。' } });
  llm.script(reply);
  return app;
}

const shown = async (app) => ({ shelf: await app.id('nav-characters').isVisible(), notebook: await app.id('tab-story').isVisible() });
const becomes = (read, expected) => eventually(async () => assert.deepEqual(await read(), expected));
const NONE = { shelf: false, notebook: false };

test('where the room goes, no sheet comes over a reply that streams', async (t) => {
  const app = await story(t, { viewport: WIDE }, { text: '雨还在下。雨还在下。', stallAfter: 2 });
  assert.deepEqual(await shown(app), { shelf: true, notebook: true });
  const turn = await app.send('有人吗？');
  await app.replyGrows(turn);
  await app.page.setViewportSize(HALF);
  await becomes(() => shown(app), NONE);
  // What is asked for comes, alone.
  await app.id('shelf-open').click();
  await becomes(() => shown(app), { shelf: true, notebook: false });
  await app.page.keyboard.press('Escape');
  await becomes(() => shown(app), NONE);
  await app.id('notebook-open').click();
  await becomes(() => shown(app), { shelf: false, notebook: true });
  await app.page.setViewportSize(WIDE);
  await becomes(() => shown(app), { shelf: true, notebook: true });
  await app.page.setViewportSize(HALF);
  await becomes(() => shown(app), NONE);
  await app.id('composer-stop').click();
  await app.waitStatus(turn, 'interrupted');
});

test('on a phone the way back closes a sheet first, and then leaves', async (t) => {
  const app = await story(t, { viewport: PHONE, touch: true });
  const place = () => app.page.evaluate(() => location.hash);
  const back = () => app.page.evaluate(() => history.back());
  await app.go('settings');
  await app.openStory();
  const here = await place();
  for (const [opens, sheet] of [['shelf-open', 'shelf'], ['notebook-open', 'notebook']]) {
    await app.id(opens).click();
    await becomes(() => shown(app), { ...NONE, [sheet]: true });
    // The keyboard is in the sheet, cannot leave it for what lies under it, and is back in the page after it.
    const focused = (selector) => app.page.evaluate((selector) => document.activeElement.closest(selector) !== null, selector);
    await becomes(() => focused(`#${sheet}`), true);
    assert.equal(await app.page.locator('main').evaluate((main) => main.inert), true);
    await back();
    await becomes(() => shown(app), NONE);
    await becomes(() => focused('main'), true);
    assert.equal(await app.page.locator('main').evaluate((main) => main.inert), false);
    assert.equal(await place(), here, 'the place is the same');
  }
  // A sheet that was closed by hand leaves no step behind, nor does one that was left for another place.
  await app.id('notebook-open').click();
  await app.page.locator('.notebook-close').click();
  await becomes(() => shown(app), NONE);
  await app.id('shelf-open').click();
  await app.id('nav-characters').click();
  await app.id('character-item').waitFor();
  await becomes(() => shown(app), NONE);
  await back();
  await becomes(place, here);
  assert.deepEqual(await shown(app), NONE);
  await app.id('composer-input').waitFor();
  await back();
  await eventually(async () => assert.notEqual(await place(), here));
  // The open sheet outlives a reload, and is closed by the same way.
  await app.openStory();
  await app.id('notebook-open').click();
  await app.reload();
  await becomes(() => shown(app), { shelf: false, notebook: true });
  await back();
  await becomes(() => shown(app), NONE);
  assert.equal(await place(), here);
});

test('the way to the end of the story stays clear of the composer', async (t) => {
  const app = await story(t, { viewport: PHONE }, { text: '雨还在下。\n\n'.repeat(80) });
  await app.play('有人吗？');
  await app.id('composer-input').fill(Array.from({ length: 12 }, (_, line) => `第 ${line} 行`).join('\n'));
  await app.id('history').evaluate((history) => history.scrollTo(0, 0));
  await app.id('to-end').waitFor();
  const [button, composer] = [await app.box('to-end'), await app.box('.composer')];
  assert.ok(composer.height > 200, 'it has grown');
  assert.ok(button.y + button.height <= composer.y, `${button.y + button.height} in ${composer.y}`);
  await app.id('to-end').click();
  await app.id('to-end').waitFor({ state: 'detached' });
});

test('the shelf shows the open story', async (t) => {
  const app = await story(t, { viewport: WIDE });
  const first = new URL(app.page.url()).hash;
  await app.createStoryline({ title: '另一个' });
  const second = new URL(app.page.url()).hash;
  // One at the end of the shelf, the other in its middle.
  const [one, other] = await app.records('storylines').then((all) => (first.endsWith(all[0].id) ? all : all.toReversed()));
  const others = Array.from({ length: 60 }, (_, n) => ({ ...one, id: `${one.id}-${n}`, title: `别的 ${n}`, last_active: one.last_active + n + 1 }));
  await app.put('storylines', ...others, { ...other, last_active: others[29].last_active });
  const inSight = async () => {
    const [item, list] = [await app.box('.storyline[aria-current]'), await app.box('.storylines')];
    assert.ok(item && item.y >= list.y - 1 && item.y + item.height <= list.y + list.height + 1, JSON.stringify([item, list]));
  };
  await app.reload();
  await eventually(inSight);
  for (const hash of [first, second]) {
    await app.page.evaluate((hash) => (location.hash = hash), hash);
    await app.page.locator(`.storyline[aria-current][href="${hash}"]`).waitFor();
    await eventually(inSight);
  }
  // As a sheet, too.
  await app.page.setViewportSize(PHONE);
  await app.id('shelf-open').click();
  await eventually(inSight);
});

test('what is written from the right runs from the right', async (t) => {
  const name = 'ליאורה';
  const llm = await at.provider(t);
  const app = await at.open(t, { viewport: WIDE });
  await app.begin(llm, { character: { name, first_mes: 'הפעמון צלצל.' }, title: 'לילה גשום' });
  llm.script('היא לא הרימה את עיניה.\n\n- נר\n- מכתב\n\n> שורה\n\nAnd in English.');
  await app.id('composer-input').fill('יש כאן מישהו?');
  const direction = (locator) => locator.evaluate((element) => getComputedStyle(element).direction);
  assert.equal(await direction(app.id('composer-input')), 'rtl');
  const turn = await app.play('יש כאן מישהו?');
  const { user, reply } = app.turn(turn);
  for (const place of [user, reply.locator('p').first(), reply.locator('ul'), reply.locator('blockquote'), app.page.locator('.storyline b'), app.page.locator('.chat-title h1')]) {
    assert.equal(await direction(place), 'rtl', `${place}`);
  }
  assert.equal(await direction(reply.locator('p').last()), 'ltr');
  // The rule of the reader's words stands where the line begins.
  const rule = await user.evaluate((element) => getComputedStyle(element).borderRightWidth);
  assert.equal(rule, '2px');
  await app.go('characters');
  assert.equal(await direction(app.page.locator('.entry-words b')), 'rtl');
  await app.press(app.id('character-item').first(), 'character-edit');
  assert.equal(await direction(app.id('character-name')), 'rtl');
  assert.equal(await direction(app.id('character-first-mes')), 'rtl');
});
