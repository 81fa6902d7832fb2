// The figures to hold, measured on the built page in Chromium against a scripted provider.
//
//   node tests/bench/run.mjs [NAME…]       names: load send lore company burst cpu open heap memory vectors tree growth kills intake devices; all of them without one
//
// FABULA_DIST     the built page (default ./dist)      CHROMIUM        the browser
// FABULA_KILLS    how often to kill it (default 100)   FABULA_PROFILE  if set, prints where the time went
//
// Machines differ, and one machine from hour to hour: no figure fails the run. It ends with an error only where
// something could not be measured.

import os from 'node:os';

import { yardstick } from './instruments.mjs';
import { Stage } from './stage.mjs';

const NAMES = ['load', 'send', 'lore', 'company', 'burst', 'cpu', 'open', 'heap', 'memory', 'vectors', 'tree', 'growth', 'kills', 'intake', 'devices'];

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !NAMES.includes(name));
if (unknown.length) {
  console.error(`there is no measure ${unknown.join(', ')}; there are: ${NAMES.join(' ')}`);
  process.exit(2);
}

const cpus = os.cpus();
console.log(`${cpus.length} × ${cpus[0].model.trim()}, ${Math.round(os.totalmem() / 2 ** 30)} GB`);
const machine = () => `load ${os.loadavg()[0].toFixed(1)}, 64 MB hashed in ${yardstick().toFixed(0)} ms`;

const figure = ({ value, unit, digits = 0 }) => `${Number.isFinite(value) ? value.toFixed(digits) : '?'} ${unit}`.trim();
const aim = ({ aim, unit }) => (aim === undefined ? '–' : aim === 0 ? '0' : `≤ ${aim} ${unit}`.trim());
const held = ({ aim, value }) => (aim === undefined ? '' : value <= aim ? 'yes' : 'no');

const rows = [];
const failed = [];
const stage = await Stage.begin();
for (const name of NAMES.filter((name) => !wanted.length || wanted.includes(name))) {
  const began = performance.now();
  const before = machine();
  try {
    const { measure } = await import(`./measures/${name}.mjs`);
    const measured = await measure(stage);
    console.log(`\n${name}, ${((performance.now() - began) / 1000).toFixed(0)} s (${before}; at the end ${machine()})`);
    for (const row of measured) console.log(`  ${row.what}: ${figure(row)} (aim ${aim(row)})${row.note ? `\n      ${row.note}` : ''}`);
    rows.push(...measured);
    const nothing = measured.filter(({ value }) => !Number.isFinite(value));
    if (nothing.length) failed.push(name);
  } catch (error) {
    failed.push(name);
    console.error(`\n${name} could not be measured: ${error.stack}`);
  }
}
await stage.end();

console.log('\n| what | aim | measured | held |\n|---|---|---|---|');
for (const row of rows) console.log(`| ${row.what} | ${aim(row)} | ${figure(row)} | ${held(row)} |`);
if (failed.length) console.error(`\nnot measured: ${failed.join(', ')}`);
process.exit(failed.length ? 1 : 0);
