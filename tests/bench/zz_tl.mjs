import { Stage } from './stage.mjs';
const MESSAGES=5000;
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
const stage = await Stage.begin();
const { app, page, close } = await stage.browse(stage.newProfile());
await page.addInitScript(() => {
  globalThis.tl = []; globalThis.t0 = 0;
  globalThis.log = (what) => tl.push([Math.round(performance.now() - t0), what]);
  new PerformanceObserver((l) => l.getEntries().forEach((e) => tl.push([Math.round(e.startTime - t0), 'longtask ' + Math.round(e.duration)]))).observe({ type: 'longtask' });
  const orig = IDBDatabase.prototype.transaction;
  let n = 0;
  IDBDatabase.prototype.transaction = function (...a) { const tx = orig.apply(this, a); const id = n++; const b = performance.now(); tx.addEventListener('complete', () => log(`tx ${id} ${a[1] ?? ''} ${[].concat(a[0] instanceof DOMStringList ? [...a[0]] : a[0]).join('+')} took ${Math.round(performance.now() - b)}`)); return tx; };
  addEventListener('hashchange', () => log('hash ' + location.hash));
});
await app.open();
const t = Date.now();
await app.upload('storyline-import', { name: 'long.jsonl', mimeType: 'application/jsonl', buffer: Buffer.from(lines()) });
await app.id('import-merge').waitFor();
console.log('to dialog', Date.now() - t, JSON.stringify(await page.evaluate(() => tl.filter(([, w]) => w.startsWith('long')))));
const total = await page.evaluate(async (last) => {
  tl.length = 0; t0 = performance.now();
  const seen = bench.when(() => document.querySelector(`[data-turn="${last}"] [data-testid="turn-reply"]`)?.textContent.trim());
  const any = bench.when(() => document.querySelector(`[data-testid="turn-reply"]`)?.textContent.trim()).then(() => log('first reply seen'));
  bench.all('import-merge')[0].click();
  const r = (await seen) - t0; return r;
}, MESSAGES / 2 - 1);
console.log('total', total);
for (const [at, w] of await page.evaluate(() => tl)) console.log(at, w);
await close(); await stage.end();
