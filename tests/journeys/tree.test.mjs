// The tree: going about in it, branching, naming, comparing, deleting; save points.

import assert from 'node:assert/strict';
import test from 'node:test';

import axe from 'axe-core';

import { stage } from '../support/browser.mjs';
import { eventually } from '../support/page.mjs';

const at = stage();
const WIDE = { viewport: { width: 1440, height: 900 } };

const feels = (text) =>
  `<narrative>${text}</narrative>\n<state_update_json>${JSON.stringify({ current_state: { emotions: { add: [{ content: text }] } } })}</state_update_json>`;

const count = (locator, expected) => eventually(async () => assert.equal(await locator.count(), expected));
const reads = (app, expected) => eventually(async () => assert.deepEqual((await app.story()).slice(1).map(([, user]) => user), expected));
const node = (app, turn) => app.page.locator(`[data-testid="tree-node"][data-turn="${turn}"][data-bud="false"]`);
const emotions = (app) => app.page.locator('[data-testid="persona-item"][data-kind="emotion"]');

async function violations(app) {
  // A turn that was just found stands out for a moment.
  await count(app.page.locator('.found'), 0);
  await app.page.evaluate(axe.source);
  const found = await app.page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }));
  return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map((each) => each.target.join(' ')).join(', ')}`);
}

/** Back to a turn: what is said next begins a branch. */
async function back(app, turn) {
  await app.turn(turn).root.hover();
  await app.turn(turn).id('turn-branch').click();
  await eventually(async () => assert.equal(await app.lastTurn(), turn));
}

/** A story of three turns; each reply tells of another feeling. */
async function begun(t) {
  let reply = 0;
  const llm = await at.provider(t, { reply: () => feels(`心情${(reply += 1)}`) });
  const app = await at.open(t, WIDE);
  await app.begin(llm, { character: { name: '林夕', first_mes: '门上的铃响了。' } });
  await app.id('tab-persona').click();
  await app.id('module-persona').check();
  await eventually(async () => assert.equal((await app.records('storylines'))[0].modules?.persona?.enabled, true));
  llm.on(() => feels(`心情${(reply += 1)}`));
  for (const text of ['一', '二', '三']) await app.play(text);
  await count(emotions(app), 3);
  return { app, llm };
}

test('a branch from any turn: the state goes back with it, and what was there stays', async (t) => {
  const { app } = await begun(t);
  await back(app, 1);
  await reads(app, ['一']);
  await count(emotions(app), 1);
  await app.id('branch-hint').waitFor();
  await app.play('四');
  await reads(app, ['一', '四']);
  await count(emotions(app), 2);
  await count(app.id('branch-hint'), 0);

  await app.id('tab-tree').click();
  await count(app.id('tree-node'), 4);
  assert.deepEqual(await violations(app), []);
  await node(app, 3).click();
  await app.id('tree-card').waitFor();
  await eventually(async () => assert.match(await app.id('tree-card').innerText(), /三/));
  await app.id('tree-go').click();
  await reads(app, ['一', '二', '三']);
  await app.id('tab-persona').click();
  await count(emotions(app), 3);
  assert.equal((await app.records('turns')).length, 5, 'nothing was copied, nothing lost');
  assert.deepEqual(app.unexpected(), []);
});

test('a name stands in the tree and in the story', async (t) => {
  const { app } = await begun(t);
  await app.id('tab-tree').click();
  await node(app, 3).click();
  await app.id('tree-name').fill('雨夜的约定');
  await app.id('tree-name').press('Enter');
  await eventually(async () => assert.equal(await app.turn(3).id('turn-name').innerText(), '雨夜的约定'));
  await eventually(async () => assert.match((await node(app, 3).getAttribute('aria-label')) ?? '', /雨夜的约定/));
  await app.reload();
  await app.id('tab-tree').click();
  await eventually(async () => assert.match((await node(app, 3).getAttribute('aria-label')) ?? '', /雨夜的约定/));
});

test('arrows move among the places, Enter goes there', async (t) => {
  const { app } = await begun(t);
  await back(app, 2);
  await app.play('四');
  await app.id('tab-tree').click();
  await count(app.id('tree-node'), 4);
  const stop = app.page.locator('[data-testid="tree-node"][tabindex="0"]');
  assert.equal(await stop.count(), 1);
  await stop.focus();
  const focused = () => app.page.evaluate(() => document.activeElement?.getAttribute('data-turn'));
  const press = async (key, turn) => {
    await app.page.keyboard.press(key);
    await eventually(async () => assert.equal(await focused(), turn, key));
  };
  await press('ArrowUp', '2');
  await press('ArrowUp', '0');
  await press('ArrowDown', '2');
  await app.page.keyboard.press('Enter');
  await reads(app, ['一', '二']);
  await eventually(async () => assert.equal(await focused(), '2', 'the focus stays where one went'));
});

test('a swipe amid the story leads into what followed that reply', async (t) => {
  const { app } = await begun(t);
  await app.turn(1).root.hover();
  await app.turn(1).id('turn-regenerate').click();
  await app.waitStatus(1, 'done');
  await reads(app, ['一']);
  await app.play('四');
  await app.turn(1).root.hover();
  await app.turn(1).id('swipe-prev').click();
  await reads(app, ['一', '二', '三']);
  await app.turn(1).root.hover();
  await app.turn(1).id('swipe-next').click();
  await reads(app, ['一', '四']);
});

test('a deleted branch goes from sight, and comes back whole', async (t) => {
  const { app } = await begun(t);
  await back(app, 1);
  await app.play('四');
  await app.id('tab-tree').click();
  await count(app.id('tree-node'), 4);
  await app.page.locator('[data-testid="tree-node"][aria-current="true"]').click();
  await app.id('tree-delete').click();
  await reads(app, ['一']);
  await count(app.id('tree-node'), 3);
  await app.id('notice-undo').click();
  await reads(app, ['一', '四']);
  await count(app.id('tree-node'), 4);

  await app.page.locator('[data-testid="tree-node"][aria-current="true"]').click();
  await app.id('tree-delete').click();
  await count(app.id('tree-node'), 3);
  await app.reload();
  await app.id('tab-tree').click();
  await app.id('tree-bin').locator('summary').click();
  await app.id('tree-bin-restore').click();
  await count(app.id('tree-node'), 4);
});

test('two branches side by side', async (t) => {
  const { app } = await begun(t);
  await back(app, 1);
  await app.play('四');
  await app.id('tab-tree').click();
  await node(app, 3).click();
  await app.id('tree-compare').click();
  await count(app.id('compare-row'), 2);
  const row = app.page.locator('[data-testid="compare-row"][data-turn="2"]');
  await eventually(async () => assert.match(await row.innerText(), /四[\s\S]*二/));
  const persona = app.page.locator('[data-testid="compare-state"][data-part="persona"]');
  await eventually(async () => assert.match(await persona.innerText(), /心情4[\s\S]*心情2/));
  assert.equal(await app.page.locator('[data-testid="compare-state"][data-part="world"]').getAttribute('data-same'), 'true');
  assert.deepEqual(await violations(app), []);
  await app.page.keyboard.press('Escape');
  await count(app.id('compare-row'), 0);
});

test('a rewording amid the story asks once where it goes', async (t) => {
  const { app } = await begun(t);
  await app.turn(1).root.hover();
  await app.turn(1).id('turn-edit').click();
  await app.turn(1).id('turn-edit-input').fill('另一个样子。');
  await app.turn(1).id('turn-edit-save').click();
  await app.turn(1).id('turn-edit-branch').click();
  await reads(app, ['一']);
  await eventually(async () => assert.match(await app.replyText(1), /另一个样子/));
  await app.turn(1).root.hover();
  await app.turn(1).id('swipe-prev').click();
  await reads(app, ['一', '二', '三']);
  await eventually(async () => assert.match(await app.replyText(1), /心情1/));

  // From now on without asking; the reader's own words too.
  await app.turn(2).root.hover();
  await app.turn(2).id('turn-edit-user').click();
  await app.turn(2).id('turn-edit-input').fill('二乙');
  await app.turn(2).id('turn-edit-regenerate').click();
  await reads(app, ['一', '二乙']);
  await app.waitStatus(2, 'done');
  await app.go('settings');
  assert.equal(await app.id('settings-edit-as').inputValue(), 'branch');
  await app.id('settings-edit-as').selectOption('in_place');
  await app.openStory();
  await app.turn(1).root.hover();
  await app.turn(1).id('turn-edit-user').click();
  await app.turn(1).id('turn-edit-input').fill('一甲');
  await app.turn(1).id('turn-edit-save').click();
  await reads(app, ['一甲', '二乙']);
});

test('a save point brings back the place and what it was played with, and copies nothing', async (t) => {
  const { app } = await begun(t);
  await app.id('tab-story').click();
  await app.id('action-savepoint').click();
  await app.id('savepoint-name').fill('约定之前');
  await app.id('savepoint-note').fill('还没有说出口');
  await app.id('savepoint-save').click();
  await count(app.id('savepoint-item'), 1);
  await eventually(async () => assert.match(await app.id('savepoint-item').innerText(), /约定之前[\s\S]*还没有说出口[\s\S]*心情3/));
  assert.deepEqual(await violations(app), []);
  await app.play('四');
  await app.turn(2).root.hover();
  await app.turn(2).id('turn-regenerate').click();
  await app.waitStatus(2, 'done');
  await app.id('tab-persona').click();
  await app.id('module-persona').uncheck();
  await eventually(async () => assert.equal((await app.records('storylines'))[0].modules.persona.enabled, false));
  const before = (await app.records('turns')).length;
  await app.id('tab-story').click();
  const stood = await app.story();
  for (let times = 0; times < 2; times += 1) {
    await app.id('savepoint-restore').click();
    await reads(app, ['一', '二', '三']);
    // What was set since it was kept is not lost: it is a press away.
    if (times) continue;
    await app.item('notice', '约定之前').getByTestId('notice-undo').click();
    await eventually(async () => assert.deepEqual(await app.story(), stood));
    await eventually(async () => assert.equal((await app.records('storylines'))[0].modules.persona.enabled, false));
  }
  assert.equal((await app.records('storylines'))[0].modules.persona.enabled, true);
  assert.equal((await app.records('turns')).length, before);
  await app.id('savepoint-delete').click();
  await count(app.id('savepoint-item'), 0);
  await app.id('notice-undo').last().click();
  await count(app.id('savepoint-item'), 1);
});

/** Deletes what the picture calls the branch of the place that is selected. */
const discard = async (app) => {
  await app.id('tree-card').waitFor();
  // What the next click on an undo takes back is this.
  while (await app.id('notice-close').count()) await app.id('notice-close').first().click({ timeout: 1_000 }).catch(() => {});
  await app.id('tree-delete').click();
};

test('the older future of a fork can be deleted, and comes back', async (t) => {
  const { app } = await begun(t);
  await back(app, 1);
  await app.play('四');
  await app.id('tab-tree').click();
  await node(app, 3).click();
  await discard(app);
  await count(app.id('tree-node'), 3);
  await reads(app, ['一', '四']);
  await app.turn(1).root.waitFor();
  await app.id('nav-search').click();
  await app.id('search-input').fill('心情3');
  await app.id('search-hit').first().waitFor();
  await eventually(async () => assert.doesNotMatch((await app.id('search-hit').allInnerTexts()).join(), /心情[23]|[二三]/));
  await app.openStory();
  await app.id('tab-tree').click();
  await app.id('tree-bin').locator('summary').click();
  await eventually(async () => assert.match(await app.id('tree-bin-item').innerText(), /第 1 轮之后 · 2 轮/));

  // What is said where it was begins a branch: it may come back.
  await node(app, 1).click();
  await app.id('tree-go').click();
  await reads(app, ['一']);
  await app.play('五');
  await reads(app, ['一', '五']);
  await app.id('tree-bin-restore').click();
  await count(app.id('tree-node'), 5);
  await node(app, 3).click();
  await app.id('tree-go').click();
  await reads(app, ['一', '二', '三']);
  // From there, with the notice.
  await discard(app);
  await reads(app, ['一']);
  await app.id('notice-undo').click();
  await reads(app, ['一', '二', '三']);
  assert.deepEqual(app.unexpected(), []);
});

test('points that were finished and replies that nobody went on from stand in the picture', async (t) => {
  const llm = await at.provider(t);
  const app = await at.open(t, WIDE);
  const background = { name: '废土', outline: '1. 发现线索\n2. 潜入据点\n3. 与仇人对峙' };
  await app.begin(llm, { character: { name: '林夕', first_mes: '门上的铃响了。' }, background });
  await app.id('tab-story').click();
  await app.id('story-preset').selectOption('director');
  await eventually(async () => assert.equal((await app.records('storylines'))[0].preset, 'director'));
  llm.script('她在墙上找到了记号。[PROGRESS:1:completed]', '他翻过了墙。', '他没有动。', '他又等了一夜。[PROGRESS:2:completed]', '天亮了。');
  await app.play('一');
  await app.play('二');
  const again = async () => {
    await app.turn(2).root.hover();
    await app.turn(2).id('turn-regenerate').click();
    await app.waitStatus(2, 'done');
  };
  await again();
  await again();
  await app.id('tab-tree').click();
  const label = (turn, expected) => eventually(async () => assert.match((await node(app, turn).getAttribute('aria-label')) ?? '', expected));
  await label(1, /完成剧情点：1 发现线索/);
  await label(2, /完成剧情点：2 潜入据点[^]*还有没走过的回复/);
  assert.match(await node(app, 1).locator('title').innerHTML(), /发现线索/, 'told where one points');
  assert.deepEqual(await violations(app), []);
  await node(app, 2).click();
  await eventually(async () => assert.match(await app.id('tree-card-point').innerText(), /剧情点：2 潜入据点/));
  await count(app.id('tree-other'), 2);
  assert.deepEqual(await violations(app), []);
  await app.id('tree-other').filter({ hasText: '他翻过了墙' }).getByTestId('tree-other-go').click();
  await eventually(async () => assert.match(await app.replyText(2), /他翻过了墙/));
  // Another reply is seen: the point that the other one finished is not.
  await eventually(async () => assert.equal(await node(app, 2).getAttribute('data-point'), 'false'));
  await eventually(async () => assert.equal(await node(app, 2).getAttribute('data-others'), 'true'));
  await app.turn(2).root.hover();
  await app.turn(2).id('swipe-next').click();
  await app.turn(2).root.hover();
  await app.turn(2).id('swipe-next').click();
  await label(2, /潜入据点/);
  await app.play('三');
  await app.reload();
  await app.id('tab-tree').click();
  await label(1, /发现线索/);
  await label(2, /潜入据点/);
  // Far away too.
  for (let times = 0; times < 6; times += 1) await app.id('tree-zoom-out').click();
  assert.equal(await app.page.locator('.far .tree-bead').count(), 2);
  assert.deepEqual(app.unexpected(), []);
});
