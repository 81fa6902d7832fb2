// WebKit (its GTK port), over WebDriver, on a screen that nobody sees.

import { spawn } from 'node:child_process';
import { createServer } from 'node:net';

import { Builder, Capabilities, Key, Origin } from 'selenium-webdriver';

import { eventually } from '../page.mjs';
import { EngineContext } from './page.mjs';

const KEYS = {
  Control: Key.CONTROL,
  ControlOrMeta: Key.CONTROL,
  Shift: Key.SHIFT,
  Alt: Key.ALT,
  Enter: Key.ENTER,
  Escape: Key.ESCAPE,
  Tab: Key.TAB,
  Backspace: Key.BACK_SPACE,
  ArrowUp: Key.ARROW_UP,
  ArrowDown: Key.ARROW_DOWN,
  ArrowLeft: Key.ARROW_LEFT,
  ArrowRight: Key.ARROW_RIGHT,
  Home: Key.HOME,
  End: Key.END,
};

/** A driver as `EnginePage` wants it. There is one window that is spoken to at a time. */
function driver(session, handle) {
  // As the page said it last.
  let address = '';
  const here = async () => {
    if (session.handle === handle) return;
    await session.web.switchTo().window(handle);
    session.handle = handle;
  };
  const doing = async (work) => {
    const before = session.turn;
    let done;
    session.turn = new Promise((free) => (done = free));
    await before;
    try {
      await here();
      return await work(session.web);
    } finally {
      done();
    }
  };
  const at = (web, x, y) => web.actions({ async: true }).move({ x: Math.round(x), y: Math.round(y), duration: 0, origin: Origin.VIEWPORT });
  return {
    async run(source, args) {
      const script = `return (async () => [await (${source})(...arguments), location.href])()`;
      const [value, url] = await doing((web) => web.executeScript(script, ...args));
      address = url;
      return value;
    },
    goto: (url) => doing((web) => web.get(url)),
    reload: () => doing((web) => web.navigate().refresh()),
    url: () => address,
    click: (x, y) => doing((web) => at(web, x, y).click().perform()),
    hover: (x, y) => doing((web) => at(web, x, y).perform()),
    press: (text) =>
      doing((web) => {
        const all = text.split('+').map((key) => KEYS[key] ?? key);
        const actions = web.actions({ async: true });
        for (const key of all) actions.keyDown(key);
        for (const key of all.reverse()) actions.keyUp(key);
        return actions.perform();
      }),
    write: (text) => doing((web) => web.actions({ async: true }).sendKeys(text).perform()),
    tab: () =>
      doing(async (web) => {
        await web.switchTo().newWindow('tab');
        session.handle = await web.getWindowHandle();
        return driver(session, session.handle);
      }),
    leave: () => doing(async (web) => {
      await web.close();
      session.handle = null;
    }),
    resize: (width, height) => doing((web) => web.manage().window().setRect({ width, height })),
    shot: () => doing(async (web) => Buffer.from(await web.takeScreenshot(), 'base64')),
  };
}

/** A profile in WebKit. It is always a fresh one, and goes with the browser. */
export async function open({ viewport }) {
  const port = await free();
  const screen = ['--auto-servernum', '--server-args=-screen 0 1920x1200x24'];
  const service = spawn('xvfb-run', [...screen, process.env.WEBKIT_DRIVER, `--port=${port}`], { detached: true, stdio: 'ignore' });
  const gone = new Promise((done) => service.once('exit', done));
  const stop = async () => {
    if (service.exitCode === null && service.signalCode === null) process.kill(-service.pid, 'SIGTERM');
    await gone;
  };
  try {
    const web = await begin(port);
    await web.manage().window().setRect(viewport);
    const session = { web, handle: await web.getWindowHandle(), turn: Promise.resolve() };
    return new EngineContext(driver(session, session.handle), {
      async end() {
        await web.quit().catch(() => {});
        await stop();
      },
    });
  } catch (error) {
    await stop();
    throw error;
  }
}

/** A session, once the driver listens. */
async function begin(port) {
  await eventually(async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/status`).catch(() => null);
    if (!answer?.ok) throw new Error('the driver of WebKit did not start');
  }, 20_000);
  const wanted = new Capabilities({ browserName: 'MiniBrowser' });
  return new Builder().usingServer(`http://127.0.0.1:${port}`).withCapabilities(wanted).build();
}

function free() {
  return new Promise((done, fail) => {
    const server = createServer().once('error', fail);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => done(port));
    });
  });
}
