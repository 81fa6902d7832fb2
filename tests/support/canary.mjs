// Where a secret may have got to, and the writings that it may have there.

import assert from 'node:assert/strict';
import { gunzipSync } from 'node:zlib';

const hex = (text, width) => Array.from(text, (char) => char.charCodeAt(0).toString(16).padStart(width, '0'));
const base64 = (text) => Buffer.from(text).toString('base64');

/** A key as an answer may carry it, by name. */
export const WRITINGS = {
  'as it is': (key) => key,
  'in capitals': (key) => key.toUpperCase(),
  'with other hyphens': (key) => key.replaceAll('-', '\u2011'),
  spaced: (key) => [...key].join(' '),
  'in percent': (key) => hex(key, 2).map((code) => `%${code}`).join(''),
  'in escapes of JSON': (key) => hex(key, 4).map((code) => `\\u${code}`).join(''),
  backwards: (key) => [...key].reverse().join(''),
  'backwards in escapes of JSON': (key) => hex(key, 4).reverse().map((code) => `\\u${code}`).join(''),
  'in escapes of HTML': (key) => hex(key, 2).map((code) => `&#x${code};`).join(''),
  'in hex': (key) => hex(key, 2).join(''),
  'in Base64': base64,
  'in Base64, with what stands before it': (key) => base64(`Bearer ${key}`),
  'in Base64 for addresses': (key) => Buffer.from(`u:${key}`).toString('base64url'),
};

/** Texts of which none may stand where the key may not: each writing, whole and without its ends, which depend on what is around it. */
function likenesses(secret) {
  const likeness = ([name, write]) => {
    const text = write(secret);
    return [name, name.includes('Base64') ? text.slice(4, -4) : text];
  };
  return Object.entries(WRITINGS).map(likeness);
}

/** Everywhere that a key could have got to, each with what was found there. Ends in the settings. */
export async function places(app) {
  const { page } = app;
  const shown = () =>
    page.evaluate(() => {
      const values = [...document.querySelectorAll('input, textarea, select')].map((field) => field.value);
      const within = [...document.querySelectorAll('iframe')].map((frame) => frame.srcdoc);
      return [document.documentElement.outerHTML, document.title, location.href, JSON.stringify(history.state), ...values, ...within].join('\n');
    });
  const found = { 'the page': await shown() };
  const file = ({ name, bytes }) => `${name}\n${bytes[0] === 0x1f ? gunzipSync(bytes) : bytes}`;
  for (const [place, item] of [['characters', 'character'], ['backgrounds', 'background'], ['presets', 'preset'], ['storylines', 'storyline']]) {
    await app.go(place);
    const first = app.id(`${item}-item`).first();
    if ((await first.count()) && (await first.getByTestId(`${item}-export`).count())) {
      // A character's forms tell the same text; a preset's file is asked for by its form, too.
      const ask = async () => {
        await app.press(first, `${item}-export`);
        if (item === 'preset') await first.getByTestId('preset-export-fabula').click();
      };
      const taken = item === 'character' ? app.exportCharacter('', 'v3') : app.download(ask);
      found[`the file of a ${item}`] = file(await taken);
    }
  }
  await app.go('settings');
  found['a backup'] = file(await app.download(() => app.id('backup-export').click()));
  found['the settings'] = await shown();
  if (await app.id('connection-edit').count()) {
    await app.id('connection-edit').first().click();
    await app.id('connection-key').waitFor();
    found['the form of the connection'] = await shown();
    await app.id('connection-cancel').click();
  }
  found.caches = await page.evaluate(async () => {
    const kept = [];
    for (const name of await globalThis.caches.keys()) {
      const cache = await globalThis.caches.open(name);
      for (const request of await cache.keys()) kept.push(name, request.url, await (await cache.match(request)).text());
    }
    return kept.join('\n');
  });
  const stored = await app.stored();
  const { vault, ...stores } = stored.databases.fabula;
  found['the vault'] = JSON.stringify(vault);
  found.storage = JSON.stringify({ ...stored, databases: { ...stored.databases, fabula: stores } });
  found['the name of the tab'] = await page.evaluate(() => window.name);
  found['the console'] = app.messages.join('\n');
  found.addresses = app.requests.join('\n');
  return found;
}

/** Holds that `secret` is in none of the places, in no writing. */
export function assertNotIn(places, secret) {
  for (const [place, text] of Object.entries(places)) {
    for (const [name, likeness] of likenesses(secret)) assert.ok(!text.includes(likeness), `${secret} is in ${place}, ${name}`);
  }
}
