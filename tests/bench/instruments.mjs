// What measures are taken with: clocks, medians, the page's own probe, and Chromium's trace and profiler.

import { createHash } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

export const pause = sleep;

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** The value that this share of the values does not exceed. */
export function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

/** Milliseconds for a fixed piece of work: how fast this machine is just now. */
export function yardstick() {
  const began = performance.now();
  createHash('sha256').update(Buffer.alloc(64 << 20)).digest();
  return performance.now() - began;
}

/** Runs in the page before anything of it: what is seen from inside. */
export function probe() {
  const bench = { ready: undefined, tasks: [], memories: new Set() };
  globalThis.bench = bench;

  /** After the frame that paints what is in the document now. */
  bench.painted = () =>
    new Promise((done) => {
      requestAnimationFrame(() => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => done(performance.now());
        port2.postMessage(0);
      });
    });
  /**
   * The moment at which `test` first held on the screen. Looked at with every change of the document and every scroll; not
   * after every frame, for to ask for frames keeps the page and the compositor busy with what nobody waits for.
   */
  bench.when = (test, timeout = 30_000) =>
    new Promise((done, fail) => {
      const observer = new MutationObserver(() => look());
      const late = setTimeout(() => fail(new Error(`not seen within ${timeout} ms: ${test}`)), timeout);
      const look = () => {
        if (!test()) return;
        observer.disconnect();
        removeEventListener('scroll', look, true);
        clearTimeout(late);
        bench.painted().then(done);
      };
      addEventListener('scroll', look, { capture: true, passive: true });
      observer.observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
      look();
    });
  /** When the browser took in the next event of this kind. */
  bench.event = (kind) =>
    new Promise((done) => addEventListener(kind, (event) => done(event.timeStamp), { capture: true, once: true }));
  bench.all = (name, root = document) => [...root.querySelectorAll(`[data-testid="${name}"]`)];

  const observer = new MutationObserver(() => {
    if (!document.documentElement?.dataset.ready) return;
    bench.ready = performance.now();
    observer.disconnect();
  });
  observer.observe(document, { subtree: true, attributes: true, attributeFilter: ['data-ready'] });

  new PerformanceObserver((list) => bench.tasks.push(...list.getEntries().map((task) => task.duration))).observe({ type: 'longtask' });

  const note = ({ exports }) => {
    for (const value of Object.values(exports)) if (value instanceof WebAssembly.Memory) bench.memories.add(value);
  };
  for (const name of ['instantiate', 'instantiateStreaming']) {
    const original = WebAssembly[name];
    WebAssembly[name] = async (...args) => {
      const made = await original.apply(WebAssembly, args);
      note(made.instance ?? made);
      return made;
    };
  }
}

/** What to add to the page's `performance.now()` for this process's, to half a round trip. */
export async function clockOffset(page) {
  let best = { width: Infinity };
  for (let round = 0; round < 30; round += 1) {
    const before = performance.now();
    const there = await page.evaluate(() => performance.now());
    const width = performance.now() - before;
    if (width < best.width) best = { width, offset: before + width / 2 - there };
  }
  return best.offset;
}

/** Chromium's own counters of a page. */
export async function counters(cdp) {
  const { metrics } = await cdp.send('Performance.getMetrics');
  return Object.fromEntries(metrics.map(({ name, value }) => [name, value]));
}

/**
 * Does `work` under a trace, and gives the tasks of the page's main thread, each with what it held.
 * `ms` is time on the CPU, by which they are sorted; `clock` goes on while other programs have it.
 */
export async function traced(page, work) {
  const cdp = await page.context().newCDPSession(page);
  const events = [];
  cdp.on('Tracing.dataCollected', ({ value }) => events.push(...value));
  const includedCategories = ['toplevel', 'devtools.timeline', 'disabled-by-default-devtools.timeline'];
  const complete = new Promise((done) => cdp.once('Tracing.tracingComplete', done));
  await cdp.send('Tracing.start', { transferMode: 'ReportEvents', traceConfig: { includedCategories, excludedCategories: ['*'] } });
  const result = await work();
  await cdp.send('Tracing.end');
  await complete;
  await cdp.detach();
  return { result, tasks: mainThreadTasks(events) };
}

const TASK = /^ThreadControllerImpl::RunTask$/;
/** What stands around the work and says nothing of it. */
const WRAPPER = /RunTask|mojo|SimpleWatcher|BlinkScheduler/;

const time = ({ dur, tdur }) => tdur ?? dur ?? 0;

function mainThreadTasks(events) {
  const key = ({ pid, tid }) => `${pid}:${tid}`;
  const mains = new Set(events.filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain').map(key));
  const busy = new Map();
  for (const event of events) {
    if (TASK.test(event.name) && mains.has(key(event))) busy.set(key(event), (busy.get(key(event)) ?? 0) + (event.dur ?? 0));
  }
  // A spare renderer stands by, and does nothing.
  const [thread] = [...busy].sort((a, b) => b[1] - a[1])[0] ?? [];
  const own = events.filter((event) => key(event) === thread && event.ph === 'X');
  const tasks = own.filter(({ name }) => TASK.test(name)).sort((a, b) => time(b) - time(a));
  return tasks.slice(0, 50).map((task) => {
    const { ts, dur } = task;
    const inside = new Map();
    for (const event of own) {
      if (WRAPPER.test(event.name) || event.ts < ts || event.ts + event.dur > ts + dur) continue;
      inside.set(event.name, (inside.get(event.name) ?? 0) + time(event) / 1000);
    }
    const parts = [...inside].sort((a, b) => b[1] - a[1]).slice(0, 6);
    const said = parts.map(([name, ms]) => `${name} ${ms.toFixed(0)}`).join(', ');
    return { ms: time(task) / 1000, clock: dur / 1000, parts: said };
  });
}

/** Does `work` under the CPU profiler if FABULA_PROFILE is set, and prints where the time went. */
export async function profiled(page, title, work) {
  if (!process.env.FABULA_PROFILE) return work();
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Profiler.enable');
  await cdp.send('Profiler.setSamplingInterval', { interval: 200 });
  await cdp.send('Profiler.start');
  const result = await work();
  const { profile } = await cdp.send('Profiler.stop');
  await cdp.detach();
  console.log(`\n  profile of ${title}, ms by itself and with what it called:\n${hottest(profile)}\n`);
  return result;
}

function hottest({ nodes, samples, timeDeltas }) {
  const self = new Map();
  samples.forEach((id, at) => self.set(id, (self.get(id) ?? 0) + timeDeltas[at] / 1000));
  const name = ({ callFrame: { functionName, url } }) =>
    `${functionName || '(anonymous)'}${url ? ` ${url.split('/').at(-1).slice(0, 24)}` : ''}`;
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const totals = new Map();
  const walk = (node, above) => {
    const label = name(node);
    const inner = above.has(label) ? above : new Set([...above, label]);
    const own = self.get(node.id) ?? 0;
    const entry = totals.get(label) ?? { own: 0, total: 0 };
    entry.own += own;
    totals.set(label, entry);
    for (const caller of inner) totals.get(caller).total += own;
    for (const child of node.children ?? []) walk(byId.get(child), inner);
  };
  walk(nodes[0], new Set());
  const line = ([label, { own, total }]) => `  ${own.toFixed(1).padStart(8)} ${total.toFixed(1).padStart(8)}  ${label}`;
  const top = (by) => [...totals].sort((a, b) => b[1][by] - a[1][by]);
  const interesting = top('total').filter(([label]) => !/^\((root|program|idle)\)/.test(label));
  return [...top('own').slice(0, 25).map(line), '  by what they called:', ...interesting.slice(0, 40).map(line)].join('\n');
}
