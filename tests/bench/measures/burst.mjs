// A long reply as fast as it comes: until its end is on the screen, and whether the page could be used meanwhile.

import { clockOffset, median, pause, profiled, traced } from '../instruments.mjs';
import { longReply } from '../stage.mjs';

const TURNS = 100;
const TOKENS = 2000;
const ROUNDS = 5;

export async function measure(stage) {
  const { app, page, close } = await stage.inStory(TURNS);
  const pieces = longReply(TOKENS);
  const length = pieces.join('').length;
  await page.evaluate(() => bench.tasks.splice(0));
  const took = [];
  const sending = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const { shown, sent } = await burst(stage.llm, app, pieces);
    took.push(shown);
    sending.push(sent);
  }
  const seen = await page.evaluate(() => bench.tasks.splice(0));
  const { tasks } = await traced(page, () => burst(stage.llm, app, pieces));
  const longest = tasks.slice(0, 3);
  await profiled(page, `${TOKENS} tokens at once`, () => burst(stage.llm, app, pieces));
  await close();
  const tall = seen.length ? `; in the ${ROUNDS} runs without trace ${seen.length} over 50, worst ${Math.max(...seen)}` : '';
  return [
    {
      what: `${TOKENS.toLocaleString('en')} tokens at once, to the last on screen`, aim: 200, unit: 'ms', value: median(took),
      note: `median of ${show(took)}; ${length} characters; sending them took the provider ${median(sending).toFixed(0)}`,
    },
    {
      what: 'the longest task meanwhile, CPU time', aim: 50, unit: 'ms', value: longest[0].ms,
      note: `${longest.map(({ ms, clock, parts }) => `${ms.toFixed(0)} (by the clock ${clock.toFixed(0)}; ${parts})`).join('; ')}${tall}`,
    },
  ];
}

async function burst(llm, app, pieces) {
  const { page } = app;
  const number = (await app.lastTurn()) + 1;
  const offset = await clockOffset(page);
  const end = pieces.at(-1);
  let began;
  llm.script(() => {
    began = performance.now();
    return { pieces };
  });
  await app.id('composer-input').fill('一口气说完。');
  await page.evaluate(
    ([number, end]) => {
      const reply = () => document.querySelector(`[data-turn="${number}"] [data-testid="turn-reply"]`);
      bench.last = bench.when(() => reply()?.textContent.includes(end));
    },
    [number, end],
  );
  await page.keyboard.press('Enter');
  const request = await llm.next(60_000);
  await request.closed;
  const sent = performance.now() - began;
  const shown = (await page.evaluate(() => bench.last)) + offset - began;
  await app.waitStatus(number, 'done', 60_000);
  await pause(700);
  return { shown, sent };
}

const show = (values) => values.map((value) => value.toFixed(0)).join(' ');
