// The first load: what it weighs and how long it takes, in a new profile and once more.

import { median, pause } from '../instruments.mjs';

const ROUNDS = 5;

export async function measure(stage) {
  const cold = [];
  const warm = [];
  let first;
  for (let round = 0; round < ROUNDS; round += 1) {
    const { app, page, close } = await stage.browse(stage.newProfile());
    stage.sent.length = 0;
    await app.open();
    cold.push(await page.evaluate(() => bench.ready));
    first ??= [...stage.sent];
    // Compiled code is kept some seconds after the page has used it.
    await pause(3000);
    for (let visit = 0; visit < 2; visit += 1) {
      await page.goto('about:blank');
      await app.open();
    }
    warm.push(await page.evaluate(() => bench.ready));
    await close();
  }
  const bytes = first.reduce((sum, answer) => sum + answer.bytes, 0);
  const list = first.map((answer) => `${answer.path.split('/').at(-1) || 'index.html'} ${(answer.bytes / 1000).toFixed(1)} KB`);
  return [
    { what: 'first load, gzip', aim: 500, unit: 'KB', value: bytes / 1000, note: list.join(', ') },
    { what: 'first load, requests', aim: 8, unit: '', value: first.length },
    { what: 'usable, new profile', aim: 1000, unit: 'ms', value: median(cold), note: `median of ${ROUNDS}: ${show(cold)}` },
    { what: 'usable, third visit', aim: 1000, unit: 'ms', value: median(warm), note: `median of ${ROUNDS}: ${show(warm)}` },
  ];
}

const show = (values) => values.map((value) => value.toFixed(0)).join(' ');
