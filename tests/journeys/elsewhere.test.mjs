// A story elsewhere: exported, backed up, cut off at a save point. What it is at every turn, it is there.

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'node:test';

import { scratch, stage } from '../support/browser.mjs';
import { eventually } from '../support/page.mjs';

const at = stage();
const WIDE = { viewport: { width: 1440, height: 900 } };

const count = (locator, expected) => eventually(async () => assert.equal(await locator.count(), expected));
const reads = (app, expected) => eventually(async () => assert.deepEqual((await app.story()).slice(1).map(([, user]) => user), expected));
const nodes = (app) => app.page.locator('[data-testid="tree-node"]');
const storyline = async (app) => (await app.records('storylines'))[0];

/** A reply that feels something, changes the world, and moves the plot. */
const moves = (n) =>
  `<narrative>第${n}步。</narrative><state_update><set key="金币" value="${n * 10}"></set></state_update>` +
  `<state_update_json>${JSON.stringify({ current_state: { emotions: { add: [{ content: `心情${n}` }] } } })}</state_update_json>` +
  (n < 4 ? `[PROGRESS:${n}:completed]` : '');

/** A story with a branch, a name, a note, sessions, events, and save points on both sides of the fork. */
async function begun(t) {
  let reply = 0;
  const llm = await at.provider(t, {});
  llm.on(() => moves((reply += 1)));
  const app = await at.open(t, WIDE);
  await app.addConnection({ url: llm.base('openai') });
  await app.createCharacter({ name: '林夕', first_mes: '门上的铃响了。' });
  await app.createBackground({ name: '边境', outline: '1. 出发\n2. 过河\n3. 到达' });
  await app.press(app.item('background-item', '边境'), 'background-edit');
  await app.id('event-new').click();
  await app.id('event-name').fill('猎人');
  await app.id('event-when').fill('world.金币 >= 20');
  await app.id('event-turns').fill('2');
  await app.id('event-save').click();
  await app.id('event-item').waitFor();
  await app.createStoryline({ preset: 'director', background: '边境' });
  for (const tab of ['persona', 'world']) {
    await app.id(`tab-${tab}`).click();
    await app.id(`module-${tab}`).check();
    await eventually(async () => assert.equal((await storyline(app)).modules?.[tab]?.enabled, true));
  }
  for (const text of ['一', '二', '三']) await app.play(text);
  await save(app, '过河之后');
  await app.turn(1).root.hover();
  await app.turn(1).id('turn-branch').click();
  await reads(app, ['一']);
  await app.play('四');
  await save(app, '另一边');
  return app;
}

async function save(app, name) {
  await app.id('tab-story').click();
  const before = await app.id('savepoint-item').count();
  await app.id('action-savepoint').click();
  await app.id('savepoint-name').fill(name);
  await app.id('savepoint-save').click();
  await count(app.id('savepoint-item'), before + 1);
}

/** What the notebook tells at every place of the tree, by the place. */
async function everywhere(app) {
  await app.id('tab-tree').click();
  await nodes(app).first().waitFor();
  const turns = await nodes(app).evaluateAll((all) => all.map((one) => [one.dataset.turn, one.dataset.branch]));
  const told = {};
  for (const [turn, branch] of turns) {
    await app.id('tab-tree').click();
    const here = app.page.locator(`[data-testid="tree-node"][data-turn="${turn}"][data-branch="${branch}"]`);
    await here.focus();
    await app.page.keyboard.press('Enter');
    await eventually(async () => assert.equal(await here.getAttribute('aria-current'), 'true'));
    const words = { story: (await app.story()).map((turn) => turn.join(' | ')) };
    for (const tab of ['persona', 'plot', 'world', 'memory']) {
      await app.id(`tab-${tab}`).click();
      const panel = app.id(`${tab}-panel`);
      await panel.waitFor();
      // What is read comes after the panel.
      let before;
      let same = 0;
      words[tab] = await eventually(async () => {
        const now = (await panel.innerText()).replace(/\s+/g, ' ').replace(/刚刚|\d+ (?:分钟|小时)前/g, '·');
        same = now === before ? same + 1 : 0;
        before = now;
        const reads = await app.page.locator('.notebook [aria-busy="true"]').count();
        assert.ok(same > 8 && !now.includes('正在读取') && !reads, 'it still changes');
        return now;
      });
    }
    told[`${turn} ${branch}`] = words;
  }
  return told;
}

async function file(t, app, press) {
  const { bytes, name } = await app.download(press);
  const path = join(await scratch(t), name.endsWith('.fabula') ? 'story.fabula' : name);
  await writeFile(path, bytes);
  return path;
}

/** Takes a story in, in a profile that has nothing yet or in one that has it. */
async function takeIn(app, path) {
  await app.go('storylines');
  const before = await app.id('storyline-item').count();
  await app.upload('storyline-import', path);
  await app.id('import-merge').or(app.id('storyline-item').nth(before)).first().waitFor();
  if (await app.id('import-merge').isVisible()) await app.id('import-merge').click();
  await count(app.id('storyline-item'), before + 1);
}

test('an exported story and a backup are the same at every turn', async (t) => {
  const app = await begun(t);
  const kept = ['branches', 'turns', 'generations', 'states', 'memories'];
  const records = async (app) => Object.fromEntries(await Promise.all(kept.map(async (store) => [store, await app.records(store)])));
  const here = await everywhere(app);
  assert.equal(Object.keys(here).length, 5, Object.keys(here).join());
  assert.match(JSON.stringify(here), /心情3/);
  const before = await records(app);
  const { savepoints, sessions } = await storyline(app);

  await app.go('storylines');
  const exported = await file(t, app, () => app.press(app.id('storyline-item').first(), 'storyline-export'));
  const other = await at.open(t, WIDE);
  await takeIn(other, exported);
  await other.openStory();
  assert.deepEqual(await records(other), before);
  assert.deepEqual(await everywhere(other), here);
  assert.deepEqual({ savepoints: (await storyline(other)).savepoints, sessions: (await storyline(other)).sessions }, { savepoints, sessions });

  await app.go('settings');
  const backup = await file(t, app, () => app.id('backup-export').click());
  const third = await at.open(t, WIDE);
  await third.go('settings');
  await third.upload('backup-import', backup);
  await third.id('import-merge').click();
  await eventually(async () => assert.deepEqual(await records(third), before));
  await third.openStory();
  assert.deepEqual(await everywhere(third), here);
  for (const each of [app, other, third]) assert.deepEqual(each.unexpected(), []);
});

test('a story up to a save point is a story of its own', async (t) => {
  const app = await begun(t);
  const here = await everywhere(app);
  await app.id('tab-story').click();
  const point = app.item('savepoint-item', '过河之后');
  const path = await file(t, app, () => point.getByTestId('savepoint-export').click());

  const other = await at.open(t, WIDE);
  await takeIn(other, path);
  await other.openStory();
  await reads(other, ['一', '二', '三']);
  assert.match((await storyline(other)).title, /雨夜 · 过河之后/);
  const lengths = await Promise.all(['branches', 'turns', 'generations'].map(async (store) => (await other.records(store)).length));
  assert.deepEqual(lengths, [1, 4, 4], 'nothing of the other branch');
  assert.doesNotMatch(JSON.stringify(await other.library()), /心情4|第4步/);
  const there = Object.values(await everywhere(other));
  const wanted = Object.entries(here).filter(([place]) => place.startsWith('3 ')).map(([, words]) => words);
  assert.deepEqual(there.at(-1).story, wanted[0].story);
  for (const tab of ['persona', 'plot', 'world', 'memory']) {
    // What hangs on other branches is counted there, and is not here.
    assert.equal(there.at(-1)[tab], wanted[0][tab].replace(/故事树的别处还有 \d+ 条 /, ''), tab);
  }
  await other.id('tab-story').click();
  await count(other.id('savepoint-item'), 1);

  // In the library that it is from it stands beside the story.
  await takeIn(app, path);
  assert.equal((await app.records('storylines')).length, 2);
  assert.deepEqual(app.unexpected(), []);
});
