// A long story on two branches: what was told on one is told to the model there, and never on the other; and the graph of
// a story's vectors.

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'node:test';

import { seed, story, STORYLINE } from '../bench/library.mjs';
import { pack, unpack } from '../support/archive.mjs';
import { scratch, stage } from '../support/browser.mjs';
import { beginMemory } from '../support/memory.mjs';
import { eventually } from '../support/page.mjs';
import { askVectors, buildGraph, embedUnits, readyVectors } from '../support/vectors.mjs';

const at = stage();
const WIDE = { viewport: { width: 1440, height: 900 } };

const told = (request) => request.body.messages.map((message) => message.content).join('\n');

/** The exact prompt that the model is sent for what is said next. */
async function prompt(app, llm, text) {
  const before = llm.chat().length;
  await app.play(text);
  assert.equal(llm.chat().length, before + 1);
  return told(llm.chat()[before]);
}

const TURNS = 300;
/** What is asked, and what was said of it on either branch; `words` are in that fact alone. */
const FACTS = [
  {
    asked: '你还记得我把地图藏在哪里吗？',
    left: { said: '我把地图藏在钟楼的夹层里。', words: /钟楼的夹层/ },
    right: { said: '我把地图藏在井底的石头下。', words: /井底的石头/ },
  },
  {
    asked: 'Who did I lend the brass telescope to?',
    left: { said: 'I lent the brass telescope to Marigold, the ferrywoman.', words: /Marigold/ },
    right: { said: 'I lent the brass telescope to Bartholomew, the apothecary.', words: /Bartholomew/ },
  },
  {
    asked: '上次说好的暗号是什么？',
    left: { said: '我们说好了，暗号是“白鹭过江”。', words: /白鹭过江/ },
    right: { said: '我们说好了，暗号是“铁树开花”。', words: /铁树开花/ },
  },
];
const WEATHER = ['雨一直下着', '雾从河面上来', 'the wind turned north', '雪落在窗台上', 'the lamps went out one by one'];
const WAY = ['我们沿着河岸走', '她在灯下缝补', 'we counted the steps', '他往炉子里添柴', 'nobody opened the shutters'];
const fill = (n) => `第 ${n} 夜，${WEATHER[n % 5]}，${WAY[(n * 3) % 5]}，谁也没有多说。`.repeat(3);

/** The story as it was played, with both of its branches gone on to turn `TURNS`. */
function continued(bytes) {
  const { header, records } = unpack(bytes);
  const all = records.map((line) => JSON.parse(line));
  const of = (table) => all.filter(({ t }) => t === table).map(({ r }) => r);
  const id = (kind, n) => `01900000-000${kind}-7000-8000-${n.toString(16).padStart(12, '0')}`;
  const [storyline] = of('storylines');
  const branches = of('branches');
  const turns = of('turns');
  const generations = of('generations');
  const grown = branches.map((branch, number) => {
    const end = branch.first + branch.length;
    const last = turns.find((turn) => turn.branch === branch.id && turn.position === end - 1);
    const reply = generations.find((generation) => generation.id === last.chosen);
    for (let position = end; position <= TURNS; position += 1) {
      const n = number * 1000 + position;
      turns.push({ ...last, id: id(2, n), position, user: fill(position), chosen: id(3, n), created: last.created + n });
      generations.push({ ...reply, id: id(3, n), turn: id(2, n), position, text: fill(position + 1), prompt: null, started: reply.started + n, finished: reply.finished + n });
    }
    return { ...branch, length: TURNS + 1 - branch.first };
  });
  const root = grown.find(({ parent }) => !parent);
  const tables = { branches: grown, turns, generations, storylines: [{ ...storyline, head: { branch: root.id, end: TURNS + 1 }, total_turns: turns.length }] };
  const order = [...new Set(all.map(({ t }) => t))];
  const lines = order.flatMap((t) => (tables[t] ?? of(t)).map((r) => JSON.stringify({ t, r })));
  return pack({ header: JSON.stringify({ ...JSON.parse(header), counts: {} }), records: lines });
}

/** Back to a turn: what is said next begins a branch. */
async function back(app, turn) {
  await app.turn(turn).root.hover();
  await app.turn(turn).id('turn-branch').click();
  await eventually(async () => assert.equal(await app.lastTurn(), turn));
}

/** To a turn on whatever branch, by what was said there. */
async function goTo(app, words, turn) {
  await app.page.keyboard.press('Control+k');
  await app.id('search-input').fill(words);
  await app.item('search-hit', words).filter({ hasText: '副本' }).first().click();
  await eventually(async () => assert.ok((await app.userText(turn)).includes(words)));
}

test('in three hundred turns on two branches, each remembers its own', async (t) => {
  const llm = await at.provider(t, {});
  llm.on(() => '她点点头，没有说话。');
  const app = await at.open(t, WIDE);
  await app.begin(llm, { connection: { context: 4096 }, character: { name: '林夕', first_mes: '门上的铃响了。' } });
  // Planted in the page: first on one branch, then, from the same turn, on the other.
  await app.play('我们到了渡口。');
  for (const { left } of FACTS) await app.play(left.said);
  await back(app, 1);
  for (const { right } of FACTS) await app.play(right.said);
  const { bytes } = await app.download(async () => {
    await app.go('storylines');
    await app.press(app.item('storyline-item', '雨夜'), 'storyline-export');
  });
  const file = join(await scratch(t), 'long.fabula.gz');
  await writeFile(file, continued(bytes));
  await app.upload('storyline-import', file);
  await app.id('import-copy').click();
  await app.id('import-summary').waitFor({ state: 'hidden' });
  await app.openStory('副本');
  await eventually(async () => assert.equal(await app.lastTurn(), TURNS));
  // A turn waits for what is found only so long, and the memory has to read all of it first.
  await eventually(async () => assert.deepEqual(await app.records('due'), []), 60_000);

  const asked = async (side) => {
    const other = side === 'left' ? 'right' : 'left';
    for (const fact of FACTS) {
      const sent = await prompt(app, llm, fact.asked);
      assert.match(sent, fact[side].words, `${side}: ${fact.asked}`);
      for (const others of FACTS) assert.doesNotMatch(sent, others[other].words, `${side}: ${fact.asked}`);
    }
  };

  await t.test('on the one', () => asked('left'));

  await t.test('on the other, where the search has led, and after a reload', async () => {
    await goTo(app, '井底的石头', 2);
    await asked('right');
    await app.reload();
    await app.id('turn').first().waitFor({ state: 'attached' });
    // Its worker has to begin first: a search waits for that, a turn does not.
    await goTo(app, '井底的石头', 2);
    await asked('right');
  });

  await t.test('back on the one', async () => {
    await goTo(app, '钟楼的夹层', 2);
    await asked('left');
  });

  await t.test('before they parted, neither', async () => {
    await goTo(app, '我们到了渡口', 1);
    await back(app, 1);
    for (const fact of FACTS) {
      const sent = await prompt(app, llm, fact.asked);
      assert.match(sent, /我们到了渡口/);
      for (const { left, right } of FACTS) for (const { words } of [left, right]) assert.doesNotMatch(sent, words, fact.asked);
    }
  });
  assert.deepEqual(app.unexpected(), []);
});

/** In the page: lets go of a turn's words, and says something else at the end of the story, with a vector of its own. */
async function changeStory({ storyline, gone, vector }) {
  const database = await openFabula();
  const all = await readAll(database, 'turns', 'storyline', storyline);
  const last = all.reduce((a, b) => (a.position > b.position ? a : b));
  const id = `${last.id}-new`;
  const words = [{ ...last, id, chosen: null, position: last.position + 1, user: 'A thing that nobody has said before.' }];
  const emptied = all.filter((turn) => turn.id === gone).map((turn) => ({ ...turn, user: '' }));
  await commit(database, { turns: [...words, ...emptied], due: [...words, ...emptied].map((turn) => ({ id: `turns/${turn.id}`, storyline })) });
  const [branch] = await readAll(database, 'branches', 'storyline', storyline);
  await commit(database, { branches: [{ ...branch, length: branch.length + 1 }] });
  database.close();
  const { answer } = await askMemory({ lacking: { storyline, embedder: 'bench', limit: 1 } });
  const [{ unit }] = answer.Ok.lacking;
  await askMemory({ embed: { storyline, embedder: 'bench', vectors: [[unit, vector]] } });
  return { user: id };
}

test('a graph of vectors is built in a worker of its own, kept, and follows the story', async (t) => {
  const llm = await at.provider(t, {});
  const app = await at.open(t, WIDE);
  await app.open('#/characters');
  await app.page.evaluate(seed, story(TURNS, llm.base('openai')));
  const of = { storyline: STORYLINE, end: TURNS + 1 };
  const begin = () => app.page.evaluate(beginMemory, of);
  const { units: size } = await begin();
  await app.page.evaluate(embedUnits, { ...of, size });
  const exact = await app.page.evaluate(askVectors, { ...of, count: 30 });
  const built = await app.page.evaluate(buildGraph, of);
  assert.ok(built.bytes > size * 384, 'it holds a code of each vector');

  // Each start finds it in the store, and by it what was found without.
  await begin();
  await app.page.evaluate(readyVectors, { ...of, size, graph: true });
  const near = await app.page.evaluate(askVectors, { ...of, count: 30 });
  const same = exact.hits.map((hits, n) => hits.filter((hit) => near.hits[n].includes(hit)).length);
  const share = same.reduce((a, b) => a + b) / exact.hits.flat().length;
  assert.ok(share >= 0.9, `${share} of what the exact search finds`);

  // A text that went is a tombstone in it, and a new one stands beside it.
  const gone = exact.hits[0].map((hit) => JSON.parse(hit)).find(({ user }) => user);
  const vector = await app.page.evaluate(() => asking[0]);
  const added = JSON.stringify(await app.page.evaluate(changeStory, { ...of, gone: gone?.user, vector }));
  for (const restart of [false, true]) {
    if (restart) await begin();
    const { hits } = await app.page.evaluate(askVectors, { ...of, end: TURNS + 2, count: 30 });
    assert.equal(hits[0][0], added, 'its vector is the question itself');
    if (gone) assert.ok(!hits.flat().includes(JSON.stringify(gone)), 'what is not said any more is not found');
  }
  const graphs = (await app.records('vectors')).filter(({ id }) => id.endsWith('graph'));
  assert.equal(graphs.length, 1);
});

const ON_DEMAND = {
  'zh-CN': {
    hides: '我把地图藏在钟楼的夹层里。',
    silent: ['嗯。', '好的', 'ok'],
    points: ['小满把地图藏进钟楼的夹层。', '两人坐船过了河。'],
    details: ['小满踩着钟摆爬上去，把地图塞进木板后面。', '船夫一句话也没说。'],
    asks: ['你还记得地图藏在哪里吗？', '那次地图是怎么藏的？'],
    waits: '我们再走一段路。',
    recalled: '=== 历史事件回忆 ===\n',
    reminder: '=== 导演提醒 ===\n',
    outline: '过河\n进城',
  },
  'en-US': {
    hides: 'I hid the map under the floor of the bell tower.',
    silent: ['Ok.', 'Yes', 'Hm.'],
    points: ['Mei hid the map in the bell tower.', 'The two crossed the river by boat.'],
    details: ['Mei climbed the pendulum and pushed it behind the boards.', 'The ferryman did not say a word.'],
    asks: ['Do you remember where the map is hidden?', 'That time, how was the map hidden, exactly?'],
    waits: 'Let us walk on a little.',
    recalled: '=== Recalled events ===\n',
    reminder: "=== Director's reminder ===\n",
    outline: 'Cross the river\nEnter the town',
  },
};

for (const [language, said] of Object.entries(ON_DEMAND)) {
  test(`what is asked for is told first and once, and nothing that says nothing (${language})`, async (t) => {
    const llm = await at.provider(t, {});
    const app = await at.open(t, { language, ...WIDE });
    await app.begin(llm, { character: { name: '林夕' }, background: { name: '河', outline: said.outline } });
    await app.go('settings');
    await app.id('settings-summary_last_n_turns').fill('1');
    await app.id('settings-save').click();
    await eventually(async () => {
      const config = (await app.records('settings')).find(({ id }) => id === 'config');
      assert.equal(config.thresholds.summary_last_n_turns, 1);
    });
    await app.openStory();
    await app.id('tab-story').click();
    await app.id('story-preset').selectOption('director');
    await eventually(async () => assert.equal((await app.records('storylines'))[0].preset, 'director'));

    const update = '<state_update_json>{"current_state": {"emotions": {"add": [{"content": "SECRET"}]}}}</state_update_json>';
    llm.on(() => `<thought>SECRET</thought><narrative>${said.silent[0]}[PROGRESS:1:in_progress]</narrative>${update}`);
    await app.play(said.hides);
    for (const words of said.silent) await app.play(words);
    await app.play(said.waits);
    const points = said.points.map((text, n) => ({ turns: [2 * n + 1, 2 * n + 2], text, detail: said.details[n] }));
    llm.script(JSON.stringify({ summary: said.points.join(' '), points }));
    await app.id('tab-persona').click();
    await app.id('action-summarize').click();
    await app.id('session-rule').waitFor();

    llm.on(() => '……');
    const section = (text, title) => (text.split(title)[1] ?? '').split('\n\n===')[0];
    const asked = async (text) => section(await prompt(app, llm, text), said.recalled);
    const count = (text, part) => text.split(part).length - 1;
    const first = await asked(said.asks[0]);
    assert.ok(first.split('\n')[0].endsWith(said.points[0]), first);
    assert.ok(count(first, said.hides) === 1 && count(first, said.points[1]) === 1, first);
    assert.doesNotMatch(first, /PROGRESS|SECRET|state_update/);
    for (const silent of said.silent) assert.ok(!first.split('\n').some((line) => line.endsWith(silent)), `${silent} in ${first}`);
    for (const detail of said.details) assert.ok(!first.includes(detail), 'how it went is not asked');
    const how = await asked(said.asks[1]);
    assert.ok(how.split('\n')[0].endsWith(said.details[0]), how);
    assert.equal(count(how, said.details[0]), 1);

    // Three turns without progress: the reminder tells each point once, too.
    await prompt(app, llm, said.waits);
    const reminder = section(await prompt(app, llm, said.waits), said.reminder);
    for (const point of said.points) assert.equal(count(reminder, point), 1, reminder);
    assert.doesNotMatch(reminder, /PROGRESS|SECRET/);
  });
}

const DROWNED = {
  'zh-CN': {
    was: '我把黄铜钥匙藏在第三级台阶下面。',
    is: '趁你睡着，我把黄铜钥匙挪到了烟囱的裂缝里。',
    walk: (n) => `第 ${n} 天，我们沿着河岸往北走，风从水面上吹来，芦苇一层一层地伏下去，谁也没有提起昨夜的事。远处的磨坊停了，只剩下轮子里的水声。`.repeat(2),
    ask: '我们在渡口坐下，船夫收起缆绳，雨点打在篷上，你把灯拨亮了一些，火光照着你的脸，谁也没有先开口。过了很久，我才低声问：“黄铜钥匙在哪里？”船夫咳了一声，转过头去看河。',
    mark: /后来有变/,
  },
  'en-US': {
    was: 'I hid the brass key under the third stair.',
    is: 'While you slept I moved the brass key into the crack of the chimney.',
    walk: (n) => `On day ${n} we went north along the river, and the wind came off the water and laid the reeds flat, row by row, and nobody spoke of the night before. Far away the mill had stopped. `.repeat(3),
    ask: 'We sit down at the ferry while the ferryman coils his rope; the rain drums on the awning, you turn up the lamp, and the light moves over your face, and neither of us wants to be the first to speak. It is a long time before I ask, very low: "Where is the brass key?" The ferryman coughs and looks away over the river.',
    mark: /has changed since/,
  },
};

for (const [language, said] of Object.entries(DROWNED)) {
  test(`a question amid a long line finds what was said and what became of it, in their order (${language})`, async (t) => {
    const llm = await at.provider(t, {});
    llm.on(() => said.walk(0));
    const app = await at.open(t, { language, ...WIDE });
    await app.begin(llm, { connection: { context: 4096 }, character: { name: '林夕' } });
    let day = 0;
    const walk = async () => {
      for (const end = day + 10; day < end; day += 1) await app.play(said.walk(day));
    };
    await app.play(said.was);
    await walk();
    await app.play(said.is);
    await walk();
    const gone = await prompt(app, llm, said.walk(day));
    assert.ok(!gone.includes(said.was) && !gone.includes(said.is), 'the window holds neither');
    const sent = await prompt(app, llm, said.ask);
    assert.ok(0 < sent.indexOf(said.was) && sent.indexOf(said.was) < sent.indexOf(said.is), sent);
    assert.doesNotMatch(sent, said.mark);
    // Why, in the words of the reader's language.
    await app.id('tab-prompt').click();
    const recalled = app.page.locator('[data-testid="prompt-block"]', { hasText: language === 'en-US' ? 'for the words' : '因为说到' });
    await recalled.first().waitFor();
  });
}
