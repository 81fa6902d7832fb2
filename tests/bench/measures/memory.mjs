// The memory's search in its worker: how soon it answers, takes in a turn, and stands after a start.

import { pause, quantile, traced } from '../instruments.mjs';
import { STORYLINE } from '../library.mjs';
import { beginMemory, insertTurn, rewordTurn, searchMemory } from '../../support/memory.mjs';

const SIZES = [10_000, 100_000];
const QUERIES = 200;
/** Tokens that the memory has where a model takes 8,192. */
const ROOM = 1_640;
const INSERTS = 30;
const STARTS = 3;
/** Milliseconds until the reader asks: the worker has been idle meanwhile. */
const MOMENT = 3000;

export async function measure(stage) {
  const rows = [];
  for (const turns of SIZES) {
    const of = `memory, ${turns.toLocaleString('en')} turns`;
    const { page, close } = await stage.withStory(turns);
    // The first start builds the index out of the turns, and writes it.
    const built = await page.evaluate(beginMemory, { storyline: STORYLINE });
    const head = { storyline: STORYLINE, end: turns + 1 };
    // Each further one finds it in the store. The reader asks a moment later; or at once.
    const starts = [];
    const first = [];
    const hurried = [];
    for (let start = 0; start < STARTS; start += 1) {
      starts.push((await page.evaluate(beginMemory, { storyline: STORYLINE })).ms);
      hurried.push((await page.evaluate(searchMemory, { ...head, count: 1 })).took[0]);
      await page.evaluate(beginMemory, { storyline: STORYLINE });
      await pause(MOMENT);
      first.push((await page.evaluate(searchMemory, { ...head, count: 1 })).took[0]);
    }
    const later = await page.evaluate(searchMemory, { ...head, count: QUERIES });
    const sentences = await page.evaluate(searchMemory, { ...head, count: QUERIES, room: ROOM });
    const inserted = await page.evaluate(insertTurn, { ...head, count: INSERTS });
    const reworded = await page.evaluate(rewordTurn, { ...head, count: INSERTS });
    // The same once more for the page's own tasks: a trace takes time from all threads.
    const grown = { ...head, end: head.end + INSERTS, count: INSERTS };
    const { tasks } = await traced(page, async () => {
      await page.evaluate(searchMemory, grown);
      await page.evaluate(insertTurn, grown);
      await page.evaluate(rewordTurn, grown);
    });
    await close();
    const ms = (what, value, aim, note) => ({ what: `${of}: ${what}`, aim, unit: 'ms', digits: 1, value, note });
    const spread = (times) => `p50 ${quantile(times, 0.5).toFixed(1)} ms, most ${Math.max(...times).toFixed(1)} ms`;
    const query = turns > 10_000 ? 20 : 5;
    rows.push(
      ms('query p95', quantile(later.took, 0.95), query, `${spread(later.took)}; in the worker, texts read from the store; there and back p95 ${quantile(later.round, 0.95).toFixed(1)} ms; ${built.units.toLocaleString('en')} texts`),
      ms('query as a turn asks, p95', quantile(sentences.took, 0.95), query, `${spread(sentences.took)}; in sentences, for ${ROOM.toLocaleString('en')} tokens`),
      ms('first query a moment after a start', Math.max(...first), query, `the slowest of ${STARTS}; at once after the start: ${Math.max(...hurried).toFixed(1)} ms`),
      ms('first query after a turn was taken in, p95', quantile(inserted.asked, 0.95), query, spread(inserted.asked)),
      ms('a turn is taken in, p95', quantile(inserted.took, 0.95), 5, `${spread(inserted.took)}; the reader's words and the reply: index, segment and notes written`),
      ms('a reworded turn is taken in, p95', quantile(reworded.took, 0.95), 5, spread(reworded.took)),
      { ...ms('cold start of the index', Math.max(...starts), turns > 10_000 ? undefined : 300, `the slowest of ${STARTS}; built out of the turns once: ${(built.ms / 1000).toFixed(1)} s`), digits: 0 },
      { ...ms('longest task of the page meanwhile', tasks[0]?.ms ?? 0, 50), digits: 0 },
    );
    await pause(300);
  }
  return rows;
}
