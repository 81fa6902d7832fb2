// What a steady stream costs.

import { counters, pause, profiled } from '../instruments.mjs';
import { longReply } from '../stage.mjs';

const TURNS = 100;
const RATE = 100;
const SECONDS = 20;

export async function measure(stage) {
  const { app, page, close } = await stage.inStory(TURNS);
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Performance.enable', { timeDomain: 'threadTicks' });
  const pieces = longReply(RATE * SECONDS);
  const idle = await during(cdp, () => pause(5000));
  const stream = () =>
    during(cdp, async () => {
      stage.llm.script({ pieces, rate: RATE });
      await app.id('composer-input').fill('慢慢说。');
      await page.keyboard.press('Enter');
      await (await stage.llm.next(60_000)).closed;
      await app.waitStatus(await app.lastTurn(), 'done');
    });
  await page.evaluate(() => bench.tasks.splice(0));
  const used = await stream();
  const long = await page.evaluate(() => bench.tasks.splice(0));
  await profiled(page, `${SECONDS} s at ${RATE} tokens/s`, stream);
  await close();
  const alone = await unheard(stage, pieces);
  const tasks = `${long.length} tasks over 50 ms by the clock`;
  const parts = ['Script', 'Layout', 'RecalcStyle', 'TaskOther'].map((part) => `${part} ${used[`${part}Duration`].toFixed(2)}`);
  return [
    {
      what: `CPU of the main thread, ${SECONDS} s at ${RATE} tokens/s`, aim: 1.2, unit: 's', value: used.TaskDuration, digits: 2,
      note: `${parts.join(', ')}; ${pieces.length} tokens in ${used.Timestamp.toFixed(1)} s; ${tasks}; idle 5 s: ${idle.TaskDuration.toFixed(2)}`,
    },
    {
      what: 'the same with nobody listening to the network', aim: 1.2, unit: 's', value: alone.TaskDuration, digits: 2,
      note: `in ${alone.Timestamp.toFixed(1)} s`,
    },
    { what: 'CPU of the whole renderer', unit: 's', value: used.ProcessTime, digits: 2, note: 'with the threads of garbage collection, compilation and drawing' },
  ];
}

/** The same stream as a reader has it. */
async function unheard(stage, pieces) {
  const { cdp, see, until, close } = await stage.unheard(TURNS);
  await cdp.send('Performance.enable', { timeDomain: 'threadTicks' });
  const used = during(cdp, async () => {
    stage.llm.script({ pieces, rate: RATE });
    await see('document.querySelector(\'[data-testid="composer-input"]\').focus()');
    await cdp.send('Input.insertText', { text: '慢慢说。' });
    const enter = { key: 'Enter', code: 'Enter', windowsVirtualKeyCode: 13 };
    await cdp.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', ...enter });
    await cdp.send('Input.dispatchKeyEvent', { type: 'keyUp', ...enter });
    await (await stage.llm.next(60_000)).closed;
    await until(`document.querySelector('[data-turn="${TURNS + 1}"] [data-testid="turn-status"][data-status="done"]')`);
  });
  return used.finally(close);
}

async function during(cdp, work) {
  const before = await counters(cdp);
  await work();
  const after = await counters(cdp);
  return Object.fromEntries(Object.keys(after).map((name) => [name, after[name] - before[name]]));
}
