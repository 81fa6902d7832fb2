// From the key that sends to the request at the provider, and to the reader's own words on the screen.

import { clockOffset, median, pause, profiled } from '../instruments.mjs';

const SIZES = [10, 1000, 10_000];
const AFTER = 5;

export async function measure(stage) {
  const rows = [];
  for (const turns of SIZES) {
    const { app, page, close } = await stage.inStory(turns);
    const requests = [];
    const words = [];
    const preflights = [];
    let characters = 0;
    for (let round = 0; round <= AFTER; round += 1) {
      const one = () => send(stage.llm, app, `第 ${round} 句：打开那封信。`);
      const { request, preflight, own, body } = round ? await one() : await profiled(page, `the first send at ${turns} turns`, one);
      requests.push(request);
      words.push(own);
      preflights.push(preflight);
      characters = Math.round(body.length / 1000);
      await app.waitStatus(turns + 1 + round, 'done');
      await pause(700);
    }
    await close();
    const of = `${turns.toLocaleString('en')} turns`;
    const row = (what, values, note) => [
      { what: `${what}, ${of}, first`, aim: 50, unit: 'ms', value: values[0] },
      {
        what: `${what}, ${of}, later`, aim: 50, unit: 'ms', value: median(values.slice(1)),
        note: `median of ${show(values.slice(1))}${note}`,
      },
    ];
    const asked = `; the preflight after ${median(preflights.slice(1)).toFixed(0)}; ${characters},000 characters asked`;
    rows.push(...row('send → request', requests, asked), ...row('own words visible', words, ''));
  }
  return rows;
}

/** Sends a line: milliseconds until the request was there, and until the line was painted. */
export async function send(llm, app, line) {
  const { page } = app;
  const offset = await clockOffset(page);
  await app.id('composer-input').fill(line);
  await page.evaluate((line) => {
    bench.pressed = bench.event('keydown');
    bench.own = bench.when(() => bench.all('turn-user').some((words) => words.textContent.trim() === line));
  }, line);
  await page.keyboard.press('Enter');
  const request = await llm.next(60_000);
  const { pressed, own } = await page.evaluate(async () => ({ pressed: await bench.pressed, own: await bench.own }));
  const since = (at) => at - offset - pressed;
  return { request: since(request.at), preflight: since(llm.preflights.at(-1).at), own: own - pressed, body: request.text };
}

const show = (values) => values.map((value) => value.toFixed(0)).join(' ');
