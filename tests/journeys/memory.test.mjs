// The memory: what is noted, what the reader writes, what is told of it, and what is found again.

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'node:test';

import axe from 'axe-core';

import { pack, unpack } from '../support/archive.mjs';
import { NETWORK, scratch, stage } from '../support/browser.mjs';
import { eventually } from '../support/page.mjs';

const at = stage();
const WIDE = { viewport: { width: 1440, height: 900 } };

const update = (narrative, state) =>
  `<thought>嗯。</thought><narrative>${narrative}</narrative>\n<state_update_json>${JSON.stringify(state)}</state_update_json>`;
const TRUST = { growth_state: { relationships: { update: [{ entity: '玩家', status: '可以托付的人', history: '雨夜的承诺' }] } } };

const shows = (locator, pattern) => eventually(async () => assert.match((await locator.allInnerTexts()).join('\n'), pattern));
const count = (locator, expected) => eventually(async () => assert.equal(await locator.count(), expected));
const told = (request) => request.body.messages.map((message) => message.content).join('\n');
const memories = (app, kind) => app.page.locator(`[data-testid="memory-item"][data-kind="${kind}"]`);

async function violations(app) {
  await app.page.evaluate(axe.source);
  const found = await app.page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }));
  return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.target.join(' ')).join(', ')}`);
}

/** What the next turn's prompt tells. */
async function prompt(app, llm, text) {
  const before = llm.chat().length;
  await app.play(text);
  return told(llm.chat()[before]);
}

test('a change of the character is an event in the panel, of the reply that is seen', async (t) => {
  const llm = await at.provider(t, {});
  const app = await at.open(t, WIDE);
  await app.begin(llm, { character: { name: '林夕', first_mes: '门上的铃响了。' } });
  await app.id('tab-persona').click();
  await app.id('module-persona').check();
  await eventually(async () => assert.equal((await app.records('storylines'))[0].modules?.persona?.enabled, true));
  await app.id('tab-memory').click();
  await app.id('memory-empty').waitFor();

  llm.on(() => update('他把刀递给你。', TRUST));
  const first = await app.play('我答应你。');
  await shows(memories(app, 'event'), /可以托付的人/);
  await shows(memories(app, 'event'), /第 1 轮/);

  // Another reply has not made it; the swipe back has.
  llm.on(() => '他摇了摇头。');
  await app.turn(first).id('turn-regenerate').click();
  await app.waitStatus(first, 'done');
  await count(memories(app, 'event'), 0);
  await app.turn(first).id('swipe-prev').click();
  await count(memories(app, 'event'), 1);

  await app.id('memory-kind').and(app.page.locator('[data-kind="note"]')).click();
  await count(app.id('memory-item'), 0);
  await app.id('memory-kind').and(app.page.locator('[data-kind="event"]')).click();
  await count(app.id('memory-item'), 1);
  assert.deepEqual(await violations(app), []);
});

test('a turn that has ended is taken in, before anybody asks', async (t) => {
  const llm = await at.provider(t, {});
  const app = await at.open(t, WIDE);
  await app.begin(llm, { character: { name: '林夕', first_mes: '门上的铃响了。' } });
  await app.play('钥匙在花盆下。');
  await eventually(async () => assert.deepEqual(await app.records('due'), []));
});

test('what hangs on other branches is counted, but for what lies in the bin', async (t) => {
  const llm = await at.provider(t, {});
  const app = await at.open(t, WIDE);
  await app.begin(llm, { character: { name: '林夕', first_mes: '门上的铃响了。' } });
  await app.play('一');
  await app.play('二');
  await app.turn(1).root.hover();
  await app.turn(1).id('turn-branch').click();
  await eventually(async () => assert.equal(await app.lastTurn(), 1));
  await app.play('三');
  await app.id('tab-memory').click();
  await app.id('memory-write').click();
  await app.id('memory-text').fill('钥匙在花盆下');
  await app.id('memory-save').click();
  await count(memories(app, 'note'), 1);

  const other = app.page.locator('[data-testid="tree-node"][data-turn="2"][data-bud="false"]:not([aria-current="true"])');
  await app.id('tab-tree').click();
  await other.click();
  await app.id('tree-go').click();
  await eventually(async () => assert.equal(await app.userText(2), '二'));
  await app.id('tab-memory').click();
  await shows(app.id('memory-elsewhere'), /1/);
  await count(memories(app, 'note'), 0);

  await app.id('tab-tree').click();
  await other.click();
  await app.id('tree-delete').click();
  await count(other, 0);
  await app.id('tab-memory').click();
  await app.id('memory-empty').waitFor();
  await count(app.id('memory-elsewhere'), 0);
  await app.id('tab-tree').click();
  await app.id('tree-bin').locator('summary').click();
  await app.id('tree-bin-restore').click();
  await count(other, 1);
  await app.id('tab-memory').click();
  await shows(app.id('memory-elsewhere'), /1/);
});

test('a note by hand is told when pinned, not when hidden, and comes back after its deletion', async (t) => {
  const llm = await at.provider(t, {});
  const app = await at.open(t, WIDE);
  await app.begin(llm, { character: { name: '林夕', first_mes: '门上的铃响了。' } });
  await app.id('tab-memory').click();
  await app.id('memory-write').click();
  await app.id('memory-save').click();
  await shows(app.id('memory-form'), /需要填写/);
  await app.id('memory-text').fill('钥匙在花盆下');
  await app.id('memory-save').click();
  await shows(memories(app, 'note'), /钥匙在花盆下/);

  const note = memories(app, 'note').first();
  await app.press(note, 'memory-edit');
  await app.id('memory-text').fill('银色的钥匙在花盆下');
  await app.id('memory-detail').fill('下雨那天藏的');
  await app.id('memory-save').click();
  await shows(memories(app, 'note'), /银色的钥匙在花盆下/);
  await app.press(note, 'memory-pin');
  await shows(memories(app, 'note'), /始终告诉/);
  assert.match(await prompt(app, llm, '外面下雪了。'), /银色的钥匙在花盆下/);
  await app.id('memory-recalled').locator('summary').click();
  await shows(app.id('recalled-item'), /银色的钥匙在花盆下[^]*始终告诉/);

  await app.press(note, 'memory-hide');
  await shows(memories(app, 'note'), /不告诉/);
  assert.doesNotMatch(await prompt(app, llm, '银色的钥匙呢？'), /花盆/);
  await app.press(note, 'memory-hide');
  await app.press(note, 'memory-delete');
  await count(memories(app, 'note'), 0);
  assert.equal((await app.records('memories')).length, 0);
  await app.id('notice-undo').click();
  await shows(memories(app, 'note'), /银色的钥匙在花盆下/);
  assert.match(await prompt(app, llm, '雪停了。'), /银色的钥匙在花盆下/);

  // As one types, by the memory's own search.
  await app.id('memory-search').fill('花盆');
  await shows(app.id('memory-item').locator('mark'), /花盆/);
  await app.id('memory-search').fill('没有说过的');
  await app.id('memory-empty').waitFor();

  // The way to the turn, from the keyboard.
  await app.id('memory-search').fill('');
  await Promise.all([app.stoodOut(0), memories(app, 'note').first().getByTestId('turn-link').press('Enter')]);
});

const FILL = '雨一直下着，街上没有人，灯一盏一盏地灭了，他们沿着河岸慢慢地走，谁也没有说话。'.repeat(4);
const FACTS = { left: '我把地图藏在钟楼的夹层里。', right: '我把地图藏在井底的石头下。' };

/** A story of `length` turns on two branches that part after turn 3, each with its own fact in turn 6. */
function forked(bytes, length) {
  const { header, records } = unpack(bytes);
  const all = records.map((line) => JSON.parse(line));
  const of = (table) => all.filter(({ t }) => t === table).map(({ r }) => r);
  const [storyline] = of('storylines');
  const [root] = of('branches');
  const [opening] = of('turns').filter(({ position }) => position === 0);
  const [greeting] = of('generations').filter(({ turn }) => turn === opening.id);
  const id = (kind, n) => `01900000-000${kind}-7000-8000-${n.toString(16).padStart(12, '0')}`;
  const right = id(1, 1);
  const turns = [opening];
  const generations = [greeting];
  const write = (branch, position, side) => {
    const n = position + (side === 'right' ? 1000 : 0);
    const user = position === 6 ? FACTS[side] : `第 ${position} 夜，我们继续往前走。${FILL}`;
    turns.push({ ...opening, id: id(2, n), branch, position, user, chosen: id(3, n), created: opening.created + n });
    const text = position === 6 ? '她点点头。' : `第 ${position} 夜的灯。${FILL}${FILL}`;
    generations.push({ ...greeting, id: id(3, n), turn: id(2, n), branch, position, text, started: greeting.started + n, finished: greeting.started + n });
  };
  for (let position = 1; position <= length; position += 1) write(root.id, position, 'left');
  for (let position = 4; position <= length; position += 1) write(right, position, 'right');
  const branches = [
    { ...root, length: length + 1 },
    { ...root, id: right, parent: { branch: root.id, position: 3, generation: id(3, 3) }, first: 4, length: length - 3 },
  ];
  const tables = { branches, turns, generations, accounts: [], storylines: [{ ...storyline, head: { branch: root.id, end: length + 1 }, total_turns: length }] };
  const order = [...new Set(all.map(({ t }) => t))];
  const lines = order.flatMap((t) => (tables[t] ?? of(t)).map((r) => JSON.stringify({ t, r })));
  return pack({ header: JSON.stringify({ ...JSON.parse(header), counts: {} }), records: lines });
}

test('each branch remembers its own, and the search leads to either', async (t) => {
  const llm = await at.provider(t, {});
  const app = await at.open(t, WIDE);
  await app.begin(llm, { connection: { context: 4096 }, character: { name: '林夕', first_mes: '门上的铃响了。' } });
  await app.play('你好。');
  const { bytes } = await app.download(() => app.press(app.item('storyline-item', '雨夜'), 'storyline-export'));
  const file = join(await scratch(t), 'forked.fabula.gz');
  await writeFile(file, forked(bytes, 30));
  await app.upload('storyline-import', file);
  await app.id('import-copy').click();
  await app.id('import-summary').waitFor({ state: 'hidden' });
  await app.item('storyline-item', '副本').first().waitFor();
  await app.openStory('副本');
  await eventually(async () => assert.equal(await app.lastTurn(), 30));
  // A turn waits for what is found only so long, and the memory has to read all of it first.
  await eventually(async () => assert.deepEqual(await app.records('due'), []));

  const left = await prompt(app, llm, '你还记得我把地图藏在哪里吗？');
  assert.match(left, /钟楼的夹层/);
  assert.doesNotMatch(left, /井底/);
  await app.id('tab-memory').click();
  await app.id('memory-recalled').locator('summary').click();
  await shows(app.id('recalled-item'), /钟楼[^]*第 6 轮/);
  await shows(app.id('recalled-item'), /相关度 \d/);

  await t.test('from the other branch, where the search has led', async () => {
    await app.page.keyboard.press('Control+k');
    await app.id('search-input').pressSequentially('井底');
    await shows(app.id('search-hit').locator('mark'), /井底/);
    const hit = app.item('search-hit', '井底');
    await count(hit, 1);
    assert.match(await hit.innerText(), /副本[^]*第 6 轮[^]*你的话/);
    assert.deepEqual(await violations(app), []);
    await Promise.all([app.stoodOut(6), app.page.keyboard.press('Enter')]);
    assert.match(await app.userText(6), /井底/);
    const right = await prompt(app, llm, '你还记得我把地图藏在哪里吗？');
    assert.match(right, /井底的石头/);
    assert.doesNotMatch(right, /钟楼/);
    await app.id('memory-recalled').waitFor();
  });

  await t.test('the words of a search stay, on the way back and after a reload', async () => {
    await app.page.keyboard.press('Control+k');
    await app.id('search-input').pressSequentially('井底');
    await Promise.all([app.stoodOut(6), app.item('search-hit', '井底').first().click()]);
    const again = async () => {
      await eventually(async () => assert.equal(await app.id('search-input').inputValue(), '井底'));
      await shows(app.id('search-hit').locator('mark'), /井底/);
    };
    await app.page.goBack();
    await again();
    await app.page.keyboard.press('Control+k');
    await again();
    await app.reload();
    await again();
    assert.equal(await app.id('nav-search').getAttribute('aria-current'), 'page');
    assert.match(await app.page.title(), /搜索/);
    // Enter means what is in the box, not what the last answer was for.
    await app.id('search-input').fill('钟楼');
    await shows(app.id('search-hit').locator('mark'), /钟楼/);
    await app.id('search-input').fill('井底');
    await Promise.all([app.stoodOut(6), app.page.keyboard.press('Enter')]);
    await app.openStory('副本');
  });

  await t.test('what is no memory is looked for in everything said', async () => {
    await app.id('tab-memory').click();
    await app.id('memory-search').fill('50% 的井底');
    await app.id('memory-empty').waitFor();
    await app.id('memory-everywhere').click();
    await eventually(async () => assert.equal(await app.id('search-input').inputValue(), '50% 的井底'));
    await shows(app.id('search-hit').locator('mark'), /井底/);
    assert.deepEqual(await violations(app), []);
  });

  await t.test('in English too, and nothing where nothing is', async () => {
    await app.page.keyboard.press('Control+k');
    await app.id('search-input').fill('rain had stop');
    await shows(app.id('search-hit'), /The rain had stopped/);
    await app.id('search-input').fill('zzzqqq');
    await shows(app.id('search-status'), /没有找到“zzzqqq”/);
    await count(app.id('search-hit'), 0);
    await app.go('settings');
    await app.page.locator('h1').click();
    await app.page.keyboard.press('/');
    await app.id('search-input').waitFor();
  });
});

test('an embedding server helps, and whatever it does the story goes on', async (t) => {
  const llm = await at.provider(t, {});
  const app = await at.open(t, { ...WIDE, allow: NETWORK });
  await app.addConnection({ url: llm.base('openai') });
  await app.addConnection({ url: llm.base('openai'), name: 'Vectors', model: 'bge-m3' });
  await app.id('settings-embedding-connection').selectOption({ label: 'Vectors · bge-m3' });
  await app.id('settings-embedding-test').click();
  await shows(app.id('settings-embedding-status'), /64 维/);
  llm.set({ embeddings: 'down' });
  await app.id('settings-embedding-test').click();
  await shows(app.id('settings-embedding-status'), /服务出错或过载/);
  llm.set({ embeddings: 'good' });
  await app.createCharacter({ name: '林夕', first_mes: '门上的铃响了。' });
  await app.createStoryline({ character: '林夕' });
  await app.id('tab-memory').click();
  await app.play('我们去看灯会吧。');
  // The opening, and two texts a turn.
  const settled = (turns) => {
    const units = 1 + 2 * turns;
    return eventually(async () => assert.equal(await app.id('embedding-count').innerText(), `${units} / ${units} 段文字有向量`));
  };
  await settled(1);
  const vectors = async () => (await app.records('vectors')).length;
  const kept = await vectors();
  assert.ok(kept > 0, 'vectors are stored');

  await t.test('slow: the turn waits no longer than it may', async () => {
    llm.set({ embeddings: 'slow' });
    const [from, chats] = [llm.requests.length, llm.chat().length];
    await app.play('灯会上人多吗？');
    const asked = llm.requests.slice(from).find(({ kind }) => kind === 'embeddings');
    const waited = llm.chat()[chats].at - asked.at;
    // The answer comes after 12 s.
    assert.ok(waited < 11_500, `the prompt waited ${Math.round(waited)} ms`);
    llm.set({ embeddings: 'good' });
    await settled(2);
  });

  let turns = 2;
  for (const [mode, words] of [['nonsense', /不是由有限的数字组成|格式/], ['other', /什么都没有保存/], ['down', /服务出错或过载/]]) {
    await t.test(`${mode}: the panel says so`, async () => {
      llm.set({ embeddings: mode });
      const before = JSON.stringify(await app.records('vectors'));
      await app.play(`${mode}：我们回去吧。`);
      await eventually(async () => assert.match(await app.id('embedding-error').innerText({ timeout: 500 }), words));
      assert.ok(JSON.stringify(await app.records('vectors')) === before, 'nothing wrong is stored');
      llm.set({ embeddings: 'good' });
      await app.id('embedding-begin').click();
      await settled((turns += 1));
      await count(app.id('embedding-error'), 0);
    });
  }
});
