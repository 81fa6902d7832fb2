// The tree of a long story with many branches, replies beside those that are seen, and finished points: how soon it is to be seen, and how smoothly it moves.

import { median, pause } from '../instruments.mjs';
import { ADDRESS, STORYLINE } from '../library.mjs';

const TURNS = 10_000;
const BRANCHES = 2_000;
const ROUNDS = 5;
const PANS = 120;
const SWIPES = 1_000;
const POINTS = 40;

export async function measure(stage) {
  const { app, page, close } = await stage.withStory(TURNS);
  await page.evaluate(branch, { storyline: STORYLINE, count: BRANCHES, turns: TURNS, swipes: SWIPES, points: POINTS });
  await page.goto(new URL(ADDRESS, app.url).href);
  await app.reload();
  await app.turn(TURNS).reply.waitFor();
  await pause(1500);
  const took = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    await app.id('tab-story').click();
    await pause(300);
    await page.evaluate(() => {
      bench.pressed = bench.event('click');
      bench.seen = bench.pressed.then(() => bench.when(() => document.querySelector('[data-testid="tree-node"][aria-current="true"]') !== null));
    });
    await app.id('tab-tree').click();
    took.push(await page.evaluate(async () => (await bench.seen) - (await bench.pressed)));
  }
  const inPage = await app.id('tree-node').count();
  const frames = await pan(app, page);
  for (let times = 0; times < 6; times += 1) await app.id('tree-zoom-out').click();
  await pause(300);
  const afar = await app.id('tree-node').count();
  const framesAfar = await pan(app, page);
  await close();
  const of = `${TURNS.toLocaleString('en')} turns and ${BRANCHES.toLocaleString('en')} branches`;
  return [
    { what: `the tree of ${of}, from the click`, aim: 200, unit: 'ms', value: median(took), note: `median of ${took.map((ms) => ms.toFixed(0)).join(' ')}` },
    { what: 'places in the page', unit: '', value: inPage, note: `${afar} as far away as it goes` },
    { what: 'slowest frame while it is dragged', aim: 50, unit: 'ms', value: Math.max(...frames), note: spread(frames) },
    { what: 'the same from far away', aim: 50, unit: 'ms', value: Math.max(...framesAfar), note: spread(framesAfar) },
  ];
}

function spread(frames) {
  const sorted = [...frames].sort((a, b) => a - b);
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))].toFixed(1);
  return `${frames.length} frames, p50 ${at(0.5)}, p95 ${at(0.95)}`;
}

/** Drags the picture up and down, and gives how long each frame took. */
async function pan(app, page) {
  const box = await app.id('tree-map').boundingBox();
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.evaluate(() => {
    bench.frames = [];
    bench.dragging = true;
    let last = performance.now();
    const tick = (now) => {
      bench.frames.push(now - last);
      last = now;
      if (bench.dragging) requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  });
  for (let step = 0; step < PANS; step += 1) await page.mouse.move(x, y + (step % 2 ? 1 : -1) * step * 4);
  await page.mouse.up();
  return page.evaluate(() => {
    bench.dragging = false;
    return bench.frames.slice(1);
  });
}

/** Runs in the page: branches of a few turns (which nobody reads), a third of them from another branch, all over the story. */
async function branch({ storyline, count, turns, swipes, points }) {
  const done = (request) =>
    new Promise((resolve, reject) => {
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
  const database = await done(indexedDB.open('fabula'));
  const [root] = (await done(database.transaction('branches').objectStore('branches').getAll())).filter((each) => each.storyline === storyline);
  const transaction = database.transaction('branches', 'readwrite');
  const finished = new Promise((resolve, reject) => {
    transaction.oncomplete = resolve;
    transaction.onerror = () => reject(transaction.error);
  });
  const id = (kind, n) => `0190${kind}-0000-7000-8000-${n.toString(16).padStart(12, '0')}`;
  let chance = 7;
  const pick = (below) => (chance = (chance * 48271) % 2147483647) % below;
  const every = (number, each) => Array.from({ length: number }, (_, n) => each(1 + Math.floor((n * (turns - 1)) / number), n));
  const beads = every(points, (position, n) => ({ position, generation: id('2001', position), point: n + 1, content: `第 ${n + 1} 点` }));
  transaction.objectStore('branches').put({ ...root, swipes: every(swipes, (position) => position), beads });
  const made = [];
  for (let n = 1; n <= count; n += 1) {
    const parent = made.length && n % 3 === 0 ? made[pick(made.length)] : { id: root.id, first: 0, length: turns };
    const position = parent.first + pick(parent.length);
    const each = { id: id('3001', n), first: position + 1, length: 1 + pick(12) };
    made.push(each);
    transaction.objectStore('branches').put({ ...each, storyline, parent: { branch: parent.id, position, generation: null }, created: Date.now() + n });
  }
  await finished;
  database.close();
}
