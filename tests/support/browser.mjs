// Chromium and the built page: what every journey starts from.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before } from 'node:test';

import { chromium } from 'playwright-core';

import { named } from './engine/all.mjs';
import { App } from './page.mjs';
import { startProvider } from './provider.mjs';
import { serve } from './static.mjs';

const PLACES = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];
export const ARGS = [
  '--disable-quic',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
];

/** Console errors that a browser writes by itself when a request fails: for journeys that make requests fail. */
export const NETWORK = [/Failed to load resource/, /blocked by CORS policy/, /net::ERR_/];

export function chromiumPath() {
  const path = process.env.CHROMIUM ?? PLACES.find(existsSync);
  if (!path) throw new Error('no Chromium found: install it, or name it in CHROMIUM');
  return path;
}

/** The built page. */
export function dist() {
  const folder = resolve(process.env.FABULA_DIST ?? 'dist');
  if (existsSync(join(folder, 'index.html'))) return folder;
  throw new Error(`no built page in ${folder}: build it first (cargo xtask build), or name its folder in FABULA_DIST`);
}

export const read = (name) => readFile(join(dist(), name), 'utf8');

/** A folder that goes with the test. */
export async function scratch(t) {
  const folder = await mkdtemp(join(tmpdir(), 'fabula-'));
  t.after(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

/**
 * The stage of a test file: one browser, one server for the page under a sub path, as a project page has one.
 * Each `open` is a fresh profile.
 */
export function stage() {
  const sent = [];
  let browser;
  let site;
  before(async () => {
    site = await serve({ root: dist(), base: '/fabula/', onResponse: (answer) => sent.push(answer) });
    browser = await chromium.launch({ executablePath: chromiumPath(), args: ARGS });
  });
  after(async () => {
    await browser?.close();
    await site?.close();
  });

  return {
    get url() {
      return site.url;
    },
    /** What the page's server has sent so far. */
    sent,
    /**
     * Opens the page in a fresh profile, or in the profile folder named.
     * `allow`: console errors that are part of the journey. All others fail the test. `touch`: there are fingers only.
     * `args`: more arguments of a browser of its own, for a profile. `url`: of another server than the stage's. `kept`: the
     * page may be kept on the device, so that what it is made of comes from there from the second time on. `engine`: another
     * one than Chromium (`engine/all.mjs`), which keeps the page whenever it can.
     */
    async open(t, { engine = process.env.ENGINE, ...how } = {}) {
      const { allow = [], path = '', url = site.url, ready = true } = how;
      const context = engine ? await named(engine)(how) : await this.context(how);
      const page = context.pages()[0] ?? (await context.newPage());
      const app = new App(page, url, allow);
      t.after(async () => {
        await app.read();
        await context.close();
        assert.deepEqual(app.unexpected(), [], 'errors on the console');
      });
      if (ready) await app.open(path);
      return app;
    },
    context({ language = 'zh-CN', scheme = 'light', viewport, profile, args = [], touch = false, kept = false }) {
      const options = {
        locale: language,
        colorScheme: scheme,
        viewport: viewport ?? { width: 1280, height: 800 },
        acceptDownloads: true,
        hasTouch: touch,
        isMobile: touch,
        serviceWorkers: kept ? 'allow' : 'block',
      };
      return profile
        ? chromium.launchPersistentContext(profile, { executablePath: chromiumPath(), args: [...ARGS, ...args], ...options })
        : browser.newContext(options);
    },
    async provider(t, options) {
      const llm = await startProvider(options);
      t.after(() => llm.close());
      return llm;
    },
  };
}

/** Chromium as a process group of its own, so that it can die as a whole, as when the machine kills it. */
export async function mortal(profile) {
  await Promise.all(['Lock', 'Cookie', 'Socket'].map((name) => rm(join(profile, `Singleton${name}`), { force: true })));
  const args = [...ARGS, '--headless=new', '--window-size=1280,900', '--remote-debugging-port=0', `--user-data-dir=${profile}`, 'about:blank'];
  const child = spawn(chromiumPath(), args, { detached: true, stdio: ['ignore', 'ignore', 'pipe'] });
  const exited = new Promise((done) => child.once('exit', done));
  const endpoint = await new Promise((done, fail) => {
    let said = '';
    child.stderr.on('data', (piece) => {
      said += piece;
      const found = /DevTools listening on (ws:\S+)/.exec(said);
      if (found) done(found[1]);
    });
    child.once('exit', () => fail(new Error(`Chromium did not start:\n${said}`)));
  });
  const browser = await chromium.connectOverCDP(endpoint);
  const context = browser.contexts()[0];
  context.setDefaultTimeout(15_000);
  return {
    page: context.pages()[0] ?? (await context.newPage()),
    /** SIGKILL for the whole group. */
    async kill() {
      if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid, 'SIGKILL');
      await exited;
      await browser.close().catch(() => {});
    },
  };
}
