// A turn in a scene of eight who came and went five hundred times, and who remember a circle: from the key that sends to the
// request, and to the reader's own words on the screen.

import { median, pause, profiled } from '../instruments.mjs';
import { ADDRESS, STORYLINE } from '../library.mjs';
import { send } from './send.mjs';

const TURNS = 10_000;
const CAST = 8;
const MOVES = 500;
const POSTS = 500;
const ROUNDS = 6;

export async function measure(stage) {
  const { app, page, close } = await stage.inStory(TURNS);
  await page.evaluate(gather, { storyline: STORYLINE, cast: CAST, moves: MOVES, posts: POSTS, turns: TURNS });
  await page.goto('about:blank');
  await app.open(ADDRESS);
  await app.turn(TURNS).reply.waitFor();
  await pause(3000);
  const requests = [];
  const words = [];
  await profiled(page, 'turns of several', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { request, own, body } = await send(stage.llm, app, `第 ${round} 句：打开那封信。`);
      if (!body.includes('Words of post')) throw new Error('nobody remembers the circle');
      requests.push(request);
      words.push(own);
      await app.waitStatus(TURNS + 1 + round, 'done');
      await pause(700);
    }
  });
  await close();
  const show = (values) => values.map((value) => value.toFixed(0)).join(' ');
  const of = `${CAST} characters, ${TURNS.toLocaleString('en')} turns`;
  const row = (what, values) => [
    { what: `${what}, ${of}, first`, aim: 50, unit: 'ms', value: values[0] },
    { what: `${what}, ${of}, later`, aim: 50, unit: 'ms', value: median(values.slice(1)), note: `median of ${show(values.slice(1))}` },
  ];
  return [...row('send → request', requests), ...row('own words visible', words)];
}

/** In the page: gives the story a cast that came and went, and a circle that all of them have read. */
async function gather({ storyline, cast, moves, posts, turns }) {
  const database = await new Promise((done, fail) => {
    const request = indexedDB.open('fabula');
    request.onsuccess = () => done(request.result);
    request.onerror = () => fail(request.error);
  });
  const transaction = database.transaction(['characters', 'storylines', 'branches', 'posts'], 'readwrite');
  const table = (name) => transaction.objectStore(name);
  const got = (request) => new Promise((done) => (request.onsuccess = () => done(request.result)));
  const story = await got(table('storylines').get(storyline));
  const own = await got(table('characters').get(story.cast[0]));
  const [branch] = await got(table('branches').getAll());
  const circle = { standing: 'rests', joined: 1 };
  const all = [own.id, ...Array.from({ length: cast - 1 }, (_, n) => `0190000a-0000-7000-8000-${String(n).padStart(12, '0')}`)];
  for (const [n, id] of all.entries()) table('characters').put({ ...own, id, name: n ? `客人${n}` : own.name, circle });
  const company = Array.from({ length: moves }, (_, n) => {
    const heard = all.filter((_, who) => who !== (n % (cast - 1)) + 1);
    return { at: Math.floor((n * (turns - 100)) / moves) + 1, heard, present: heard };
  });
  // In the end all are there.
  company.push({ at: turns - 50, heard: all, present: all });
  table('branches').put({ ...branch, company });
  table('storylines').put({ ...story, cast: all, modules: { ...story.modules, group: { mode: 'turns', most: 1 }, circle: { enabled: true } } });
  const now = Date.now();
  for (let n = 0; n < posts; n += 1) {
    const created = now - (posts - n) * 3_600_000;
    const looks = all.map((who) => ({ who, seen: created, times: 1, kept: ['She thinks of the old days.'] }));
    const comments = all.map((author, at) => ({ id: `${n}-${at}`, author, name: 'X', text: 'Well said, and so late at night.', at: created }));
    table('posts').put({ id: `p${n}`, author: all[n % cast], name: 'X', text: `Words of post ${n}. `.repeat(4), likes: [], comments, looks, created, updated: created });
  }
  await new Promise((done, fail) => {
    transaction.oncomplete = done;
    transaction.onabort = () => fail(transaction.error);
  });
  database.close();
}
