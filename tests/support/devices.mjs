// A library that is kept in storage of the reader's own (`remote.mjs`), as its section of the settings is used.

import assert from 'node:assert/strict';

import { eventually } from './page.mjs';

const PASSPHRASE = 'harbour lantern velvet gravel moth';
export const PATIENCE = 30_000;

/** Fills the form in and connects. */
export async function connect(app, remote, passphrase = PASSPHRASE) {
  await app.go('settings');
  const setUp = app.id('devices-set-up');
  if ((await setUp.getAttribute('open')) === null) await setUp.locator('summary').first().click();
  if (remote.bucket) {
    await app.id('devices-kind').selectOption('s3');
    await app.id('devices-bucket').fill(remote.bucket);
    await app.id('devices-region').fill(remote.region);
  }
  await app.id('devices-url').fill(remote.url);
  await app.id('devices-user').fill(remote.user ?? remote.key);
  await app.id('devices-secret').fill(remote.password ?? remote.secret);
  await app.id('devices-passphrase').fill(passphrase);
  if (remote.keep) await app.id('devices-keep').selectOption(remote.keep);
  await app.id('devices-start').click();
}

/** Waits until it is said so. */
export const stands = (app, kind) => eventually(async () => assert.equal(await app.id('devices-status').getAttribute('data-kind'), kind), PATIENCE);

/** Asks for a round, and waits for its end. */
export async function sync(app) {
  await app.go('settings');
  // A round may be under way already; what was changed before this one is told in it.
  await eventually(async () => assert.ok(await app.id('devices-now').isEnabled()), PATIENCE);
  await app.id('devices-now').click();
  await stands(app, 'ok');
}
