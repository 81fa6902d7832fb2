// Firefox, over WebDriver BiDi.

import puppeteer from 'puppeteer-core';

import { EngineContext } from './page.mjs';

/** A driver as `EnginePage` wants it. */
function driver(browser, page) {
  const keys = (text) => text.split('+').map((key) => (key === 'ControlOrMeta' ? 'Control' : key));
  return {
    run: (source, args) => page.evaluate(`(${source})(...${JSON.stringify(args)})`),
    goto: (url) => page.goto(url),
    reload: () => page.reload(),
    url: () => page.url(),
    click: (x, y) => page.mouse.click(x, y),
    hover: (x, y) => page.mouse.move(x, y),
    async press(text) {
      const all = keys(text);
      for (const key of all) await page.keyboard.down(key);
      for (const key of all.reverse()) await page.keyboard.up(key);
    },
    write: (text) => page.keyboard.type(text),
    tab: async () => driver(browser, await browser.newPage()),
    leave: () => page.close(),
    resize: (width, height) => page.setViewport({ width, height }),
    shot: () => page.screenshot(),
  };
}

/** A profile in Firefox; the folder, where one is named, keeps it. */
export async function open({ language, viewport, profile }) {
  const browser = await puppeteer.launch({
    browser: 'firefox',
    executablePath: process.env.FIREFOX,
    userDataDir: profile,
    defaultViewport: viewport,
    extraPrefsFirefox: {
      'intl.accept_languages': language,
      'intl.locale.requested': language,
      // A mouse that points finely and hovers, which a machine without a screen does not have.
      'ui.primaryPointerCapabilities': 6,
      'ui.allPointerCapabilities': 6,
    },
  });
  const [page] = await browser.pages();
  const child = browser.process();
  const gone = new Promise((done) => child.once('exit', done));
  return new EngineContext(driver(browser, page ?? (await browser.newPage())), {
    end: () => browser.close(),
    async kill() {
      child.kill('SIGKILL');
      await gone;
    },
  });
}
