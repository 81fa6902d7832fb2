// Memory with a long story open.

import { counters, pause } from '../instruments.mjs';

const TURNS = 10_000;
const MEGA = 1 << 20;

export async function measure(stage) {
  const { app, page, close } = await stage.inStory(TURNS);
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Performance.enable');
  const opened = await heap(cdp, page);
  for (let line = 1; line <= 3; line += 1) await app.play(`第 ${line} 句。`);
  const played = await heap(cdp, page);
  await close();
  return [
    row(`JS + wasm heap, ${TURNS.toLocaleString('en')} turns open`, opened),
    row('the same after 3 turns played', played),
  ];
}

async function heap(cdp, page) {
  await pause(1000);
  await cdp.send('HeapProfiler.collectGarbage');
  const { JSHeapUsedSize, Nodes } = await counters(cdp);
  const memories = await page.evaluate(() => [...bench.memories].map(({ buffer }) => buffer.byteLength));
  if (!memories.length) throw new Error('the wasm memory was not seen');
  return { js: JSHeapUsedSize / MEGA, wasm: memories.reduce((sum, bytes) => sum + bytes, 0) / MEGA, nodes: Nodes };
}

const row = (what, { js, wasm, nodes }) => ({
  what, aim: 40, unit: 'MB', value: js + wasm, digits: 1, note: `JS ${js.toFixed(1)}, wasm ${wasm.toFixed(1)}; ${nodes} DOM nodes`,
});
