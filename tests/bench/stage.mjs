// One run: the page's server, the scripted provider, and profiles on disk that already hold a story.

import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { chromium } from 'playwright-core';
import puppeteer from 'puppeteer-core';

import { ARGS, chromiumPath, dist } from '../support/browser.mjs';
import { App } from '../support/page.mjs';
import { startProvider, tokenize } from '../support/provider.mjs';
import { serve } from '../support/static.mjs';
import { pause, probe } from './instruments.mjs';
import { ADDRESS, STORYLINE, index, seed, story } from './library.mjs';

export class Stage {
  sent = [];
  #profiled = new Map();
  #profiles = 0;

  static async begin() {
    const stage = new Stage();
    stage.folder = await mkdtemp(join(tmpdir(), 'fabula-bench-'));
    stage.site = await serve({ root: dist(), base: '/fabula/', onResponse: (answer) => stage.sent.push(answer) });
    stage.llm = await startProvider({ anyModel: true });
    return stage;
  }

  async end() {
    await this.site.close();
    await this.llm.close();
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  newProfile() {
    return join(this.folder, `profile-${(this.#profiles += 1)}`);
  }

  /** Chromium on a profile folder, with the probe in every page. */
  async browse(profile) {
    const options = { executablePath: chromiumPath(), args: ARGS, locale: 'zh-CN', viewport: { width: 1280, height: 800 } };
    const context = await chromium.launchPersistentContext(profile, options);
    await context.addInitScript(probe);
    const app = new App(context.pages()[0] ?? (await context.newPage()), this.site.url);
    context.setDefaultTimeout(60_000);
    const close = async () => {
      for (const error of new Set(app.unexpected())) console.warn(`  the page complained: ${error}`);
      await context.close();
    };
    return { app, page: app.page, close, profile };
  }

  /** A browser just started, in which a story of `turns` turns was written in an earlier one; its memory has not seen it. */
  async withStory(turns, path = '#/characters', varied = false) {
    return this.#copy(await this.#profile(`${turns} ${varied}`, () => this.#seed(turns, varied)), path);
  }

  /** The same, with the story open at its end, as one that was open before: its memory has its index. */
  async inStory(turns) {
    const browser = await this.#copy(await this.#indexed(turns), ADDRESS);
    await browser.app.turn(turns).reply.waitFor();
    await pause(1000);
    return browser;
  }

  /**
   * The same as a reader has it: nobody listens to the page's network. To be told of each piece of a stream, as a page of
   * Playwright's is, takes the page's own main thread. `see` gives what an expression is in the page.
   */
  async unheard(turns) {
    const profile = this.newProfile();
    await cp(await this.#indexed(turns), profile, { recursive: true });
    const browser = await puppeteer.launch({
      executablePath: chromiumPath(), args: [...ARGS, '--window-size=1280,800'], userDataDir: profile,
      defaultViewport: null, waitForInitialPage: false,
    });
    const target = await browser.waitForTarget((target) => target.type() === 'page');
    const cdp = await target.createCDPSession();
    const see = async (expression) => (await cdp.send('Runtime.evaluate', { expression, returnByValue: true })).result.value;
    const until = async (expression) => {
      const late = Date.now() + 60_000;
      while (!(await see(expression))) {
        if (Date.now() > late) throw new Error(`not seen within a minute: ${expression}`);
        await pause(200);
      }
    };
    const close = () => browser.close();
    try {
      await cdp.send('Page.navigate', { url: this.site.url + ADDRESS });
      await until(`document.querySelector('[data-turn="${turns}"] [data-testid="turn-reply"]')?.textContent`);
    } catch (error) {
      await close();
      throw error;
    }
    await pause(1000);
    return { cdp, see, until, close };
  }

  #indexed(turns) {
    return this.#profile(`${turns} indexed`, async () => {
      const { page, close, profile } = await this.withStory(turns);
      await page.evaluate(index, STORYLINE);
      await close();
      return profile;
    });
  }

  async #profile(name, make) {
    if (!this.#profiled.has(name)) this.#profiled.set(name, await make());
    return this.#profiled.get(name);
  }

  async #copy(from, path) {
    const profile = this.newProfile();
    await cp(from, profile, { recursive: true });
    const browser = await this.browse(profile);
    await browser.app.open(path);
    return browser;
  }

  async #seed(turns, varied) {
    const profile = this.newProfile();
    const { app, page, close } = await this.browse(profile);
    await app.open('#/characters');
    await page.evaluate(seed, story(turns, this.llm.base('openai'), varied));
    await close();
    return profile;
  }
}

/** A reply of so many tokens, in paragraphs, with an end that cannot be mistaken. */
export function longReply(tokens, end = '【终】') {
  const SENTENCES = [
    '灯下的书又翻过一页，', 'the rain kept its own time, ', '“你还在听吗？”她问，', 'and *nobody* answered. ', '**钟楼**的影子落在纸上。',
  ];
  const pieces = [];
  for (let n = 0; pieces.length < tokens - 1; n += 1) {
    pieces.push(...tokenize(SENTENCES[n % SENTENCES.length]));
    if (n % 12 === 11) pieces.push('\n\n');
  }
  return [...pieces.slice(0, tokens - 1), end];
}
