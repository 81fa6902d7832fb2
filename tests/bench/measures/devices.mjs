// A long story on a device that was never there: from storage of one's own, on a common line.

import { connect } from '../../support/devices.mjs';
import { startProxy, startWebdav } from '../../support/remote.mjs';
import { pause, profiled, traced } from '../instruments.mjs';
import { ADDRESS, TITLE } from '../library.mjs';
import { longReply } from '../stage.mjs';

const TURNS = Number(process.env.FABULA_TURNS ?? 10_000);
const LINE = { mbit: 20, ms: 40 };
const PATIENCE = 900_000;

export async function measure(stage) {
  const dav = await startWebdav();
  const proxy = await startProxy(dav);
  proxy.line(LINE);
  try {
    return await between(stage, dav, proxy);
  } finally {
    await proxy.stop();
    await dav.stop();
  }
}

async function between(stage, dav, proxy) {
  const first = await stage.withStory(TURNS, '#/characters', true);
  const told = await watched(first, () => synced(first, dav, proxy));
  const packs = proxy.requests.filter(({ method }) => method === 'PUT');
  const sent = packs.reduce((sum, { bytes }) => sum + bytes, 0);

  const read = await onNew(stage, dav, proxy, readable);
  const heard = await onNew(stage, dav, proxy, (_, work) => work());
  const seen = await onNew(stage, dav, proxy, watched);

  const turn = await aTurn(stage, first, proxy);
  await first.close();
  const of = `${TURNS.toLocaleString('en')} turns`;
  return [
    { what: `${of} told, whole`, unit: 's', digits: 1, value: told.whole / 1000, note: `${packs.length} files, ${(sent / 1e6).toFixed(1)} MB` },
    { what: `longest task while ${of} are told, CPU time`, aim: 50, unit: 'ms', value: told.tasks[0].ms, note: longest(told) },
    { what: `${of} on a new device: its newest pages are read`, aim: 3, unit: 's', digits: 1, value: read / 1000 },
    { what: `${of} on a new device: in the list, to be played`, aim: 3, unit: 's', digits: 1, value: heard.listed / 1000 },
    { what: `${of} on a new device: whole`, aim: 60, unit: 's', digits: 1, value: heard.whole / 1000 },
    { what: `longest task while ${of} are heard, CPU time`, aim: 50, unit: 'ms', value: seen.tasks[0].ms, note: longest(seen) },
    { what: 'requests of a turn', aim: 2, unit: '', value: turn.requests, note: turn.said },
    { what: 'bytes of a turn', aim: 10_000, unit: 'B', value: turn.bytes },
  ];
}

const longest = ({ tasks }) =>
  `${tasks.filter(({ ms }) => ms > 50).length} over 50; by the clock ${Math.max(...tasks.map(({ clock }) => clock)).toFixed(0)}; ${tasks[0].parts}`;

/** What `how` makes of a device that comes to the library. */
async function onNew(stage, dav, proxy, how) {
  const device = await stage.browse(stage.newProfile());
  await device.app.open('#/characters');
  const toList = ({ page }) => page.evaluate(() => (location.hash = '#/characters'));
  const work = () => synced(device, dav, proxy, toList);
  const heard = await profiled(device.page, `hearing ${TURNS} turns`, () => how(device, work, () => connect(device.app, { ...dav, url: proxy.url })));
  await device.close();
  return heard;
}

/** Until its last turn is on the page, from the moment of *Connect*. */
async function readable({ app, page }, _, connected) {
  await connected();
  const began = performance.now();
  await app.item('storyline-arriving', TITLE).getByRole('link').click();
  await page.locator(`[data-testid=arriving-page]`).last().filter({ hasText: `page ${TURNS}` }).waitFor();
  return performance.now() - began;
}

/** With the tasks of the page, the longest first. */
async function watched({ page }, work) {
  const { result, tasks } = await traced(page, work);
  return { ...result, tasks };
}

/** Sets a device up, until its library is the same as that there. */
async function synced({ app, page }, dav, proxy, meanwhile = () => {}) {
  await connect(app, { ...dav, url: proxy.url });
  const began = performance.now();
  await page.locator('[data-testid=devices-status]').waitFor({ timeout: 60_000 });
  await meanwhile({ app, page });
  const listed = app
    .item('storyline-item', TITLE)
    .waitFor({ timeout: PATIENCE })
    .then(() => performance.now() - began);
  while (!(await page.evaluate(isSynced))) await pause(250);
  const whole = performance.now() - began;
  return { listed: await listed, whole };
}

/** In the page: whether a round has ended that left nothing. */
async function isSynced() {
  const wait = (request) => new Promise((done, fail) => Object.assign(request, { onsuccess: () => done(request.result), onerror: fail }));
  const database = await wait(indexedDB.open('fabula'));
  const tables = database.transaction(['settings', 'sync']);
  const site = await wait(tables.objectStore('settings').get('sync'));
  const left = (of) => wait(tables.objectStore('sync').count(IDBKeyRange.bound(of, `${of}\uffff`)));
  const waits = (await left('!')) + (await left('?'));
  database.close();
  return Boolean(site?.done) && !waits;
}

/** What one turn costs at the storage. */
async function aTurn(stage, { app, page }, proxy) {
  await page.evaluate((address) => (location.hash = address), ADDRESS);
  await app.turn(TURNS).reply.waitFor();
  stage.llm.script(longReply(200));
  const before = proxy.requests.length;
  await app.play('Where are the bees?');
  await pause(15_000);
  const requests = proxy.requests.slice(before);
  const bytes = requests.reduce((sum, { bytes, came = 0 }) => sum + bytes + came, 0);
  const said = requests.map(({ method, bytes, came }) => `${method} ${bytes}/${came}`).join(', ');
  return { requests: requests.length, bytes, said };
}
