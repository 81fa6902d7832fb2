// Files of other programs: a long chat from the press that takes it in until it is read, and a ZIP of many cards, with the
// longest task of the page meanwhile.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { carry, zip } from '../../support/cards.mjs';
import { png } from '../../support/pictures.mjs';
import { traced } from '../instruments.mjs';

const MESSAGES = 5_000;
const CARDS = 1_000;

export async function measure(stage) {
  return [...(await chat(stage)), ...(await cards(stage))];
}

async function chat(stage) {
  const { app, page, close } = await stage.browse(stage.newProfile());
  await app.open();
  await app.upload('storyline-import', { name: 'long.jsonl', mimeType: 'application/jsonl', buffer: Buffer.from(lines()) });
  await app.id('import-merge').waitFor();
  const { result, tasks } = await traced(page, () => page.evaluate(taken, (MESSAGES / 2) - 1));
  await close();
  const of = `${MESSAGES.toLocaleString('en')} messages with swipes`;
  return [
    { what: `a chat of ${of} comes in and is read`, aim: 2000, unit: 'ms', value: result },
    { what: 'longest task meanwhile, CPU time', aim: 50, unit: 'ms', value: tasks[0].ms, note: tasks[0].parts },
  ];
}

/** In the page: milliseconds from the press to the frame with the last turn. */
async function taken(last) {
  const seen = bench.when(() => document.querySelector(`[data-turn="${last}"] [data-testid="turn-reply"]`)?.textContent.trim());
  const began = performance.now();
  bench.all('import-merge')[0].click();
  return (await seen) - began;
}

async function cards(stage) {
  const { app, page, close } = await stage.browse(stage.newProfile());
  await app.open('#/settings');
  const face = png(400, 600);
  const files = Object.fromEntries(
    Array.from({ length: CARDS }, (_, nth) => [`characters/Card ${nth}.png`, carry(face, { chara: card(nth) })]),
  );
  const path = join(stage.folder, 'cards.zip');
  await writeFile(path, zip(files));
  await app.upload('folder-zip', path);
  await app.id('folder-begin').waitFor();
  const { result, tasks } = await traced(page, () => page.evaluate(moved));
  const count = (await app.records('characters')).length;
  if (count !== CARDS) throw new Error(`${count} of ${CARDS} came in`);
  await close();
  return [
    { what: `${CARDS.toLocaleString('en')} cards in a ZIP come in`, aim: 60, unit: 's', digits: 1, value: result / 1000 },
    { what: 'longest task meanwhile, CPU time', aim: 50, unit: 'ms', value: tasks[0].ms, note: tasks[0].parts },
  ];
}

/** In the page: milliseconds from the press to the report. */
async function moved() {
  const seen = bench.when(() => bench.all('folder-report').length, 180_000);
  const began = performance.now();
  bench.all('folder-begin')[0].click();
  return (await seen) - began;
}

function lines() {
  const head = { user_name: 'Mira', character_name: 'Ada', chat_metadata: {} };
  const messages = Array.from({ length: MESSAGES }, (_, nth) => {
    const is_user = nth % 2 === 1;
    const mes = `Message ${nth}. ${'The rain falls on the quay and the lamp is lit. '.repeat(6)}`;
    const line = { name: is_user ? 'Mira' : 'Ada', is_user, send_date: new Date(1.7e12 + nth * 6e4).toISOString(), mes, extra: {} };
    return is_user ? line : { ...line, swipe_id: 0, swipes: [mes, `Another ${nth}.`, `A third ${nth}.`] };
  });
  return [head, ...messages].map((line) => JSON.stringify(line)).join('\n');
}

function card(nth) {
  const words = (about) => `${about} of card ${nth}. ${'She keeps the light at the end of the quay. '.repeat(20)}`;
  const data = {
    name: `Card ${nth}`, description: words('The description'), personality: words('The nature'), scenario: words('The scene'),
    first_mes: words('A greeting'), mes_example: '', creator_notes: '', system_prompt: '', post_history_instructions: '',
    alternate_greetings: [], tags: ['sea'], creator: 'x', character_version: '1', extensions: {},
  };
  return { spec: 'chara_card_v2', spec_version: '2.0', data };
}
