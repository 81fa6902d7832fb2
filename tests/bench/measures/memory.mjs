// The memory's search in its worker: how soon it answers, takes in a turn, and stands after a start.

import { pause, traced } from '../instruments.mjs';
import { STORYLINE } from '../library.mjs';

const SIZES = [10_000, 100_000];
const QUERIES = 200;
const INSERTS = 30;

export async function measure(stage) {
  const rows = [];
  for (const turns of SIZES) {
    const of = `${turns.toLocaleString('en')} turns`;
    const { page, close } = await stage.withStory(turns);
    // The first start builds the index out of the turns, and writes it.
    const built = await page.evaluate(cold, { storyline: STORYLINE, turns });
    const { result, tasks } = await traced(page, () => page.evaluate(queries, { storyline: STORYLINE, turns, count: QUERIES, inserts: INSERTS }));
    // A second worker finds it in the store.
    const started = await page.evaluate(cold, { storyline: STORYLINE, turns });
    await close();
    const p95 = (times) => [...times].sort((a, b) => a - b)[Math.floor(times.length * 0.95)];
    rows.push(
      { what: `memory, ${of}: query p95, in the worker`, aim: turns > 10_000 ? 20 : 5, unit: 'ms', digits: 1, value: p95(result.took), note: `${built.units.toLocaleString('en')} texts; there and back p95 ${p95(result.round).toFixed(1)} ms` },
      { what: `memory, ${of}: a turn is taken in, p95`, aim: 5, unit: 'ms', digits: 1, value: p95(result.insert), note: 'index, segment and notes written' },
      { what: `memory, ${of}: cold start of the index`, aim: turns > 10_000 ? undefined : 300, unit: 'ms', value: started.ms, note: `built out of the turns once: ${(built.ms / 1000).toFixed(1)} s` },
      { what: `memory, ${of}: longest task of the page meanwhile`, aim: 50, unit: 'ms', value: tasks[0]?.ms ?? 0 },
    );
    await pause(300);
  }
  return rows;
}

/** In the page: starts a worker, and waits until it has the index. */
async function cold({ storyline }) {
  globalThis.memory?.terminate();
  const worker = (globalThis.memory = new Worker(document.querySelector('meta[name="memory-worker"]').content));
  let asked = 0;
  const waiting = new Map();
  worker.onmessage = ({ data }) => {
    const told = JSON.parse(data);
    waiting.get(told.id)(told);
  };
  globalThis.askMemory = (request) =>
    new Promise((resolve) => {
      asked += 1;
      waiting.set(asked, resolve);
      worker.postMessage(JSON.stringify({ id: asked, request }));
    });
  // The worker's own start is not the index's.
  await askMemory({ catch_up: { storyline: 'none', embedder: '' } });
  const began = performance.now();
  const told = await askMemory({ catch_up: { storyline, embedder: '' } });
  return { ms: performance.now() - began, units: told.answer.Ok.extent.units };
}

/** In the page: questions one after the other; then turns that are noted as due, each taken in. */
async function queries({ storyline, turns, count, inserts }) {
  const open = () => new Promise((resolve, reject) => {
    const request = indexedDB.open('fabula');
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  const database = await open();
  const read = (store, index, key) => new Promise((resolve, reject) => {
    const request = database.transaction(store).objectStore(store).index(index).getAll(key);
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  const [branch] = await read('branches', 'storyline', storyline);
  const ASKED = ['钟楼的地图缺了哪一角？', 'Who opened the atlas since the flood?', '她的指尖留着什么？', 'what did the clock strike below the floor', '巷口的猫去了哪里，page', '你还记得那封信吗'];
  const end = turns + 1;
  const search = (n) => ({
    search: {
      storyline, path: { spans: [{ branch: branch.id, first: 0, last: end - 1, leaves_by: null }], end }, until: end - 60,
      words: { text: `${ASKED[n % ASKED.length]} ${(n * 37) % turns}`, earlier: ['“别回头。”她说。'], expansions: [], vector: null }, among: 'all', limit: 5,
    },
  });
  await askMemory(search(0));
  const round = [];
  const took = [];
  for (let n = 1; n <= count; n += 1) {
    const began = performance.now();
    const told = await askMemory(search(n));
    round.push(performance.now() - began);
    took.push(told.took);
  }
  const insert = [];
  for (let n = 0; n < inserts; n += 1) {
    const [turn] = await read('turns', 'place', [branch.id, end - 1 - n]);
    await new Promise((resolve, reject) => {
      const transaction = database.transaction(['turns', 'due'], 'readwrite');
      transaction.objectStore('turns').put({ ...turn, user: `${turn.user} 又一次，第 ${n} 回。` });
      transaction.objectStore('due').put({ id: `turns/${turn.id}`, storyline });
      transaction.oncomplete = resolve;
      transaction.onerror = () => reject(transaction.error);
    });
    const told = await askMemory({ catch_up: { storyline, embedder: '' } });
    insert.push(told.took);
  }
  database.close();
  return { round, took, insert };
}
