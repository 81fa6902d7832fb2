import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { carry, zip } from '../support/cards.mjs';
import { png } from '../support/pictures.mjs';
import { Stage } from './stage.mjs';
const N=+(process.argv[2]??100);
function card(nth) {
  const words = (about) => `${about} of card ${nth}. ${'She keeps the light at the end of the quay. '.repeat(20)}`;
  const data = {
    name: `Card ${nth}`, description: words('The description'), personality: words('The nature'), scenario: words('The scene'),
    first_mes: words('A greeting'), mes_example: '', creator_notes: '', system_prompt: '', post_history_instructions: '',
    alternate_greetings: [], tags: ['sea'], creator: 'x', character_version: '1', extensions: {},
  };
  return { spec: 'chara_card_v2', spec_version: '2.0', data };
}
const stage = await Stage.begin();
const { app, page, close } = await stage.browse(stage.newProfile());
await page.addInitScript(() => {
  globalThis.tl = []; globalThis.t0 = 0;
  globalThis.log = (what) => tl.push([Math.round(performance.now() - t0), what]);
  new PerformanceObserver((l) => l.getEntries().forEach((e) => tl.push([Math.round(e.startTime - t0), 'longtask ' + Math.round(e.duration)]))).observe({ type: 'longtask' });
  const orig = IDBDatabase.prototype.transaction;
  let n = 0;
  IDBDatabase.prototype.transaction = function (...a) { const tx = orig.apply(this, a); const id = n++; const b = performance.now(); tx.addEventListener('complete', () => log(`tx ${id} ${a[1] ?? ''} ${a[2]?.durability??''} ${[].concat(a[0] instanceof DOMStringList ? [...a[0]] : a[0]).join('+')} took ${Math.round(performance.now() - b)}`)); return tx; };
  const bm = createImageBitmap; globalThis.createImageBitmap = async (...a) => { const b = performance.now(); const r = await bm(...a); log('bitmap ' + Math.round(performance.now() - b)); return r; };
  const cv = OffscreenCanvas.prototype.convertToBlob; OffscreenCanvas.prototype.convertToBlob = async function (...a) { const b = performance.now(); const r = await cv.apply(this, a); log('convert ' + Math.round(performance.now() - b)); return r; };
});
await app.open('#/settings');
const face = png(400, 600);
const files = Object.fromEntries(Array.from({ length: N }, (_, nth) => [`characters/Card ${nth}.png`, carry(face, { chara: card(nth) })]));
const path = join(stage.folder, 'cards.zip');
await writeFile(path, zip(files));
await app.upload('folder-zip', path);
await app.id('folder-begin').waitFor();
const r = await page.evaluate(async () => { tl.length = 0; t0 = performance.now(); const seen = bench.when(() => bench.all('folder-report').length, 180000); bench.all('folder-begin')[0].click(); return (await seen) - t0; });
console.log('total', r, 'face', face.length);
const tl = await page.evaluate(() => tl);
for (const [at, w] of tl.slice(-60)) console.log(at, w);
console.log('long', JSON.stringify(tl.filter(([, w]) => w.startsWith('long'))));
await close(); await stage.end();
