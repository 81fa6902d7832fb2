// A turn in reach of a lorebook of ten thousand entries: from the key that sends to the request, beside the same without it.
// The editor of one of five thousand: from the press to its first rows on the screen.

import { median, pause } from '../instruments.mjs';
import { ADDRESS, STORYLINE } from '../library.mjs';
import { send } from './send.mjs';

const TURNS = 1000;
const ENTRIES = 10_000;
const EDITED = 5_000;
const ROUNDS = 6;

export async function measure(stage) {
  const without = await rounds(stage, 0);
  const beside = await rounds(stage, ENTRIES);
  const of = `${ENTRIES.toLocaleString('en')} entries`;
  const opened = await openings(stage);
  const show = (values) => values.map((value) => value.toFixed(0)).join(' ');
  return [
    { what: `send → request, ${of} in reach, first`, aim: 50, unit: 'ms', value: beside[0] },
    {
      what: `send → request, ${of} in reach, later`, aim: 50, unit: 'ms', value: median(beside.slice(1)),
      note: `median of ${show(beside.slice(1))}`,
    },
    {
      what: `what they add to it, ${of}`, aim: 10, unit: 'ms', value: median(beside.slice(1)) - median(without.slice(1)),
      note: `without them ${show(without)}`,
    },
    {
      what: `the editor opens, ${EDITED.toLocaleString('en')} entries`, aim: 300, unit: 'ms', value: median(opened),
      note: `median of ${show(opened)}`,
    },
  ];
}

async function rounds(stage, entries) {
  const { app, page, close } = await stage.withStory(TURNS);
  await page.evaluate(hang, { storyline: STORYLINE, entries });
  await app.open(ADDRESS);
  await app.turn(TURNS).reply.waitFor();
  await pause(3000);
  const requests = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    // Three of the keys stand in it.
    const { request, body } = await send(stage.llm, app, `第 ${round} 句：word${round + 1}7 与 word${round + 1}8 与 词${round + 1}9 在哪里？`);
    const told = body.split('[lore').length - 1;
    if (told !== (entries ? 3 : 0)) throw new Error(`${told} entries were told`);
    requests.push(request);
    await app.waitStatus(TURNS + 1 + round, 'done');
    await pause(700);
  }
  await close();
  return requests;
}

async function openings(stage) {
  const { app, page, close } = await stage.withStory(TURNS);
  await page.evaluate(hang, { storyline: STORYLINE, entries: EDITED });
  const took = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    await app.open('#/lorebooks');
    const edit = app.id('lorebook-item').getByTestId('lorebook-edit');
    await edit.waitFor({ state: 'attached' });
    await pause(1000);
    took.push(await edit.evaluate(pressed));
    await page.goto('about:blank');
  }
  await close();
  return took;
}

/** In the page: milliseconds from the press to the frame with the first rows. */
async function pressed(button) {
  const seen = bench.when(() => bench.all('lorebook-entry').length);
  const began = performance.now();
  button.click();
  return (await seen) - began;
}

/** In the page: hangs a book on the story, each entry with three keys of its own. */
async function hang({ storyline, entries }) {
  const database = await new Promise((done, fail) => {
    const request = indexedDB.open('fabula');
    request.onsuccess = () => done(request.result);
    request.onerror = () => fail(request.error);
  });
  const transaction = database.transaction(['lorebooks', 'storylines'], 'readwrite');
  const story = await new Promise((done) => {
    transaction.objectStore('storylines').get(storyline).onsuccess = ({ target }) => done(target.result);
  });
  const entry = (n) => ({
    id: String(n), name: `Entry ${n}`, keys: [`word${n}`, `词${n}`, `the keeper of gate ${n}`], content: `[lore ${n}]`,
    enabled: true, order: 100, position: 'before_character', role: 'system', probability: 100, logic: 'any', scan_depth: 1,
  });
  if (entries) {
    const list = Array.from({ length: entries }, (_, n) => entry(n));
    transaction.objectStore('lorebooks').put({ id: 'many', name: 'Many', description: '', entries: list, created: 1, updated: 1 });
    transaction.objectStore('storylines').put({ ...story, lorebooks: ['many'] });
  }
  await new Promise((done, fail) => {
    transaction.oncomplete = done;
    transaction.onabort = () => fail(transaction.error);
  });
  database.close();
}
