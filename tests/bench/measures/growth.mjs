// Small texts that grow: what each costs the page's main thread, on the CPU.

import { pause, profiled } from '../instruments.mjs';
import { ADDRESS, STORYLINE } from '../library.mjs';

const AIM = 200;
const KEYS = 5_000;
const BRANCHES = 10_000;

export async function measure(stage) {
  return [...(await table(stage)), ...(await world(stage)), ...(await tree(stage))];
}

/** Milliseconds of the main thread until `work` is done and the page has come to rest. */
async function cost(page, title, work) {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Performance.enable', { timeDomain: 'threadTicks' });
  const spent = async () => (await cdp.send('Performance.getMetrics')).metrics.find(({ name }) => name === 'TaskDuration').value * 1000;
  const before = await spent();
  await profiled(page, title, async () => {
    await work();
    await pause(1500);
  });
  const ms = (await spent()) - before;
  await cdp.detach();
  return ms;
}

/** A reply that is a table, beside one of as many letters that is prose. */
async function table(stage) {
  const columns = 512;
  const rows = columns + 1;
  const grid = `${'|a'.repeat(columns)}\n${'|-'.repeat(columns)}\n${'|bbbbbbbbbbb\n'.repeat(rows)}`;
  const { app, page, close } = await stage.inStory(10);
  const play = (text) =>
    cost(page, `a reply of ${text.length} characters`, async () => {
      stage.llm.script({ text, atOnce: true });
      await app.play('画一张表', 'done');
    });
  await play('好。');
  const prose = await play('灯下的书又翻过一页，雨还在下。'.repeat(Math.round(grid.length / 15)));
  const ms = await play(grid);
  const cells = await page.locator('td, th').count();
  await close();
  const what = `a reply of ${(grid.length / 1000).toFixed(1)} kB that is a table of ${columns} columns and ${rows} rows`;
  return [{ what: `${what}, beyond as much prose`, aim: AIM, unit: 'ms', value: ms - prose, note: `${cells} cells in the page; ${ms.toFixed(0)} in all, as prose ${prose.toFixed(0)}` }];
}

async function world(stage) {
  const { app, page, close } = await stage.inStory(10);
  await page.evaluate(many, { count: KEYS });
  await app.reload();
  await app.turn(10).reply.waitFor();
  await pause(1000);
  const ms = await cost(page, `a world of ${KEYS} keys`, async () => {
    await app.id('tab-world').click();
    await app.id('world-entry').first().waitFor();
  });
  const listed = await app.id('world-entry').count();
  await close();
  return [{ what: `the world panel of ${KEYS.toLocaleString('en')} keys, from the click`, aim: AIM, unit: 'ms', value: ms, note: `${listed} of them in the page` }];
}

async function tree(stage) {
  const turn = ({ app, page }, line) => cost(page, 'a turn', () => app.play(line, 'done'));
  const short = await stage.inStory(10);
  await turn(short, '零');
  const before = await turn(short, '一');
  await short.close();
  const long = await stage.inStory(10);
  const { app, page, close } = long;
  const end = await page.evaluate(chain, { storyline: STORYLINE, count: BRANCHES });
  await page.goto(new URL(ADDRESS, app.url).href);
  await app.reload();
  await app.turn(end).reply.waitFor();
  // What a start does besides goes through all branches too.
  await pause(6000);
  const listed = await cost(page, `a tree of ${BRANCHES} branches`, async () => {
    await app.id('tab-tree').click();
    await page.locator('[data-testid="tree-node"][aria-current="true"]').waitFor();
  });
  const places = await app.id('tree-node').count();
  await app.id('tab-story').click();
  await pause(500);
  const turns = [];
  for (const line of ['第一句', '第二句', '第三句']) {
    turns.push(await turn(long, line));
  }
  await close();
  const of = `${BRANCHES.toLocaleString('en')} branches, each from the last`;
  return [
    { what: `the tree of ${of}, from the click`, aim: AIM, unit: 'ms', value: listed, note: `${places} places in the page` },
    { what: `a turn on the deepest of ${of}, beyond one on the only branch`, aim: AIM, unit: 'ms', value: turns.at(-1) - before, note: `${turns.map((ms) => ms.toFixed(0)).join(' ')}; before ${before.toFixed(0)}` },
  ];
}

/** Runs in the page: a world of so many keys in every state. */
async function many({ count }) {
  const done = (request) => new Promise((resolve, reject) => Object.assign(request, { onsuccess: () => resolve(request.result), onerror: () => reject(request.error) }));
  const database = await done(indexedDB.open('fabula'));
  const states = await done(database.transaction('states').objectStore('states').getAll());
  const transaction = database.transaction('states', 'readwrite');
  const world = Object.fromEntries(Array.from({ length: count }, (_, n) => [`第 ${n} 样`, n % 3 ? n : `值 ${n}`]));
  for (const state of states) transaction.objectStore('states').put({ ...state, world });
  await new Promise((resolve) => (transaction.oncomplete = resolve));
  database.close();
}

/** Runs in the page: branches of one turn, each from the last, and the reader at the end of them. Gives that turn. */
async function chain({ storyline, count }) {
  /** Turns of the session that is open: what goes into a prompt. */
  const LAST = 5;
  const done = (request) => new Promise((resolve, reject) => Object.assign(request, { onsuccess: () => resolve(request.result), onerror: () => reject(request.error) }));
  const database = await done(indexedDB.open('fabula'));
  const all = async (store) => (await done(database.transaction(store).objectStore(store).getAll())).filter((each) => (each.storyline ?? each.id) === storyline);
  const [[story], [root], turns, generations] = await Promise.all(['storylines', 'branches', 'turns', 'generations'].map(all));
  const last = root.length - 1;
  const turn = turns.find(({ position }) => position === last);
  const generation = generations.find(({ position }) => position === last);
  const id = (kind, n) => `0190${kind}-0000-7000-8000-${n.toString(16).padStart(12, '0')}`;
  const transaction = database.transaction(['storylines', 'branches', 'turns', 'generations'], 'readwrite');
  const put = (store, record) => transaction.objectStore(store).put(record);
  let parent = { branch: root.id, position: last, generation: generation.id };
  for (let n = 1; n <= count; n += 1) {
    const branch = id('3001', n);
    const position = last + n;
    put('branches', { id: branch, storyline, parent, first: position, length: 1, created: Date.now() + n });
    const session = n > count - LAST ? id('3004', 1) : turn.session;
    put('turns', { ...turn, session, id: id('3002', n), branch, position, chosen: id('3003', n) });
    put('generations', { ...generation, id: id('3003', n), turn: id('3002', n), branch, position });
    parent = { branch, position, generation: id('3003', n) };
  }
  put('storylines', { ...story, head: { branch: parent.branch, end: last + count + 1 }, total_turns: last + count, current_session: id('3004', 1), sessions: [...story.sessions, { id: id('3004', 1), created: story.created, turns: LAST }] });
  await new Promise((resolve, reject) => Object.assign(transaction, { oncomplete: resolve, onabort: () => reject(transaction.error) }));
  database.close();
  return last + count;
}
