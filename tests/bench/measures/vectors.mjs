// Likeness of vectors in the memory's worker: exact search and graph side by side, through the requests that the page
// makes. Vectors of 384 dimensions in clusters, as texts have topics; no words are asked for.
//
// FABULA_VECTORS   how many vectors (default 10000,50000,100000)

import { pause, quantile } from '../instruments.mjs';
import { STORYLINE } from '../library.mjs';
import { beginMemory } from '../../support/memory.mjs';
import { askVectors, buildGraph, embedUnits, readyVectors } from '../../support/vectors.mjs';

const SIZES = (process.env.FABULA_VECTORS ?? '10000,50000,100000').split(',').map(Number);
const QUERIES = 200;
/** Milliseconds until the reader asks: the worker has been idle meanwhile. */
const MOMENT = 3000;
/** Texts in a story, for each turn of it, at least. */
const TEXTS = 3.3;

export async function measure(stage) {
  const rows = [];
  for (const size of SIZES) {
    const of = `${size.toLocaleString('en')} vectors`;
    const turns = Math.ceil(size / TEXTS / 1000) * 1000;
    const story = { storyline: STORYLINE, end: turns + 1, size };
    const { page, close } = await stage.withStory(turns);
    const say = (text) => console.log(`  ${of}: ${text}`);
    const { units } = await page.evaluate(beginMemory, { storyline: STORYLINE });
    say(`${units.toLocaleString('en')} texts are indexed`);
    const embedded = await page.evaluate(embedUnits, story);
    say(`given in ${(embedded / 1000).toFixed(0)} s`);
    await page.evaluate(beginMemory, { storyline: STORYLINE });
    const exactStart = await page.evaluate(readyVectors, { ...story, graph: false });
    await pause(MOMENT);
    const exact = await page.evaluate(askVectors, { ...story, count: QUERIES });
    say(`asked exactly, p95 ${quantile(exact.took, 0.95).toFixed(1)} ms; the graph is built`);
    const graph = await page.evaluate(buildGraph, story);
    say(`built in ${(graph.ms / 1000).toFixed(0)} s`);
    // The graph in the store is found by the next worker.
    await page.evaluate(beginMemory, { storyline: STORYLINE });
    const graphStart = await page.evaluate(readyVectors, { ...story, graph: true });
    await pause(MOMENT);
    const near = await page.evaluate(askVectors, { ...story, count: QUERIES });
    await close();
    const found = exact.hits.map((hits, n) => hits.filter((id) => near.hits[n].includes(id)).length);
    const recall = found.reduce((sum, found) => sum + found, 0) / exact.hits.reduce((sum, hits) => sum + hits.length, 0);
    say(`asked through the graph, p95 ${quantile(near.took, 0.95).toFixed(1)} ms, ${(recall * 100).toFixed(0)} % of the same`);
    const aim = size > 10_000 ? 20 : 5;
    const ms = (what, value, note, aim) => ({ what: `${of}: ${what}`, aim, unit: 'ms', digits: 1, value, note });
    rows.push(
      ms('exact p95', quantile(exact.took, 0.95), `p50 ${quantile(exact.took, 0.5).toFixed(1)} ms; in the worker, with the texts read; ready ${exactStart.toFixed(0)} ms after the index`, aim),
      ms('graph p95', quantile(near.took, 0.95), `p50 ${quantile(near.took, 0.5).toFixed(1)} ms; ready ${graphStart.toFixed(0)} ms after the index`, aim),
      { what: `${of}: graph, recall@10 against exact`, unit: '', digits: 3, value: recall },
      { what: `${of}: graph built, in a worker of its own`, unit: 's', digits: 1, value: graph.ms / 1000, note: `${(graph.bytes / 2 ** 20).toFixed(0)} MB stored` },
    );
  }
  return rows;
}
