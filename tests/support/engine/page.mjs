// A page in an engine that Playwright cannot drive here, with as much of Playwright's interface as the journeys use: what
// they call is found in the page, waited for as Playwright would, and pressed by the driver's own mouse and keys.
//
// A driver gives: `run(source, args)` (the value of an async function in the page), `goto`, `reload`, `url`, `click(x, y)`,
// `hover(x, y)`, `press(keys)`, `write(text)`, `tab()` (a driver of another tab), `leave()`, `resize`, `shot`.

import { randomUUID } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

import { eventually } from '../page.mjs';

const WAIT = 30_000;
const pause = (ms) => new Promise((done) => setTimeout(done, ms));

/** Runs in the page: the elements that the steps of a locator lead to. */
function found(steps, root) {
  const shown = (element) => {
    const box = element.getBoundingClientRect();
    return box.width > 0 && box.height > 0 && getComputedStyle(element).visibility === 'visible';
  };
  let all = [root];
  for (const [step, value] of steps) {
    if (step === 'css') all = [...new Set(all.flatMap((from) => [...from.querySelectorAll(value)]))];
    else if (step === 'text') all = all.filter((each) => each.textContent.toLowerCase().includes(value.toLowerCase()));
    else if (step === 'pattern') all = all.filter((each) => new RegExp(value[0], value[1]).test(each.textContent));
    else if (step === 'has') all = all.filter((each) => found(value, each).length);
    else if (step === 'visible') all = all.filter(shown);
    else if (step === 'nth') all = all.slice(value, value === -1 ? undefined : value + 1);
    else if (step === 'or') {
      const others = new Set([...all, ...found(value, root)]);
      all = [...document.querySelectorAll('*')].filter((each) => others.has(each));
    }
  }
  return all;
}

/** Runs in the page: how a single element stands, and, where it is to be pressed, the point to press. */
async function state(element, pressed, position) {
  if (!element) return { attached: false };
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  const style = getComputedStyle(element);
  let box = element.getBoundingClientRect();
  const visible = box.width > 0 && box.height > 0 && style.visibility === 'visible';
  const enabled = !element.matches(':disabled');
  if (!pressed || !visible) return { attached: true, visible, enabled };
  const isIn = box.top >= 0 && box.left >= 0 && box.bottom <= innerHeight && box.right <= innerWidth;
  const isClear = () => element.contains(document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2));
  if (!isIn || !isClear()) element.scrollIntoView({ block: 'center', inline: 'nearest', behavior: 'instant' });
  box = element.getBoundingClientRect();
  await frame();
  await frame();
  const now = element.getBoundingClientRect();
  const stable = now.left === box.left && now.top === box.top && now.width === box.width && now.height === box.height;
  const [x, y] = [now.left + (position?.x ?? now.width / 2), now.top + (position?.y ?? now.height / 2)];
  const hit = document.elementFromPoint(x, y);
  const over = hit && (element.contains(hit) || hit.contains(element) || hit.closest('label')?.control === element);
  return { attached: true, visible, enabled, stable, hit: Boolean(over), by: hit?.outerHTML.slice(0, 120), x, y };
}

class Locator {
  constructor(page, steps) {
    this.owner = page;
    this.steps = steps;
  }

  #with(...step) {
    return new Locator(this.owner, [...this.steps, step]);
  }

  locator(css) {
    return this.#with('css', css);
  }

  getByTestId(name) {
    return this.locator(`[data-testid="${name}"]`);
  }

  filter({ hasText, has, visible } = {}) {
    let one = this;
    if (hasText instanceof RegExp) one = one.#with('pattern', [hasText.source, hasText.flags]);
    else if (hasText !== undefined) one = one.#with('text', hasText);
    if (has) one = one.#with('has', has.steps);
    return visible ? one.#with('visible', true) : one;
  }

  first() {
    return this.#with('nth', 0);
  }

  last() {
    return this.#with('nth', -1);
  }

  nth(index) {
    return this.#with('nth', index);
  }

  or(other) {
    return this.#with('or', other.steps);
  }

  page() {
    return this.owner;
  }

  /** `body(elements, arg)` in the page, at once. */
  #all(body, arg) {
    const source = `async (steps, arg) => { ${found}; ${state}; return (${body})(found(steps, document), arg); }`;
    return this.owner.driver.run(source, [this.steps, arg ?? null]);
  }

  /** `body(element, arg)` in the page, once there is exactly one. */
  async #one(body, arg, timeout) {
    let result;
    await this.#until(async () => {
      result = await this.#all(`async (all, arg) => all.length === 1 ? { value: await (${body})(all[0], arg) } : { count: all.length }`, arg);
      return 'count' in result ? `${result.count} elements` : null;
    }, timeout);
    return result.value;
  }

  async #until(fault, timeout = WAIT) {
    await eventually(async () => {
      const why = await fault();
      if (why) throw new Error(`${JSON.stringify(this.steps)}: ${why}, after ${timeout} ms`);
    }, timeout);
  }

  async waitFor({ state: wanted = 'visible', timeout } = {}) {
    await this.#until(async () => {
      const { attached, visible, count } = await this.#all(
        'async (all) => ({ count: all.length, ...(await state(all[0])) })',
      );
      if (count > 1 && wanted !== 'hidden' && wanted !== 'detached') return `${count} elements`;
      const is = { visible, hidden: !visible, attached, detached: !attached }[wanted];
      return is ? null : `not ${wanted}`;
    }, timeout);
  }

  /** Where it can be pressed, once it can. */
  async #point(timeout, position) {
    let point;
    await this.#until(async () => {
      const all = await this.#all('async (all, position) => ({ count: all.length, ...(await state(all[0], true, position)) })', position);
      point = all;
      if (all.count !== 1) return `${all.count} elements`;
      if (!all.visible) return 'not visible';
      if (!all.enabled) return 'not enabled';
      if (!all.stable) return 'moving';
      return all.hit ? null : `behind ${all.by}`;
    }, timeout);
    return point;
  }

  async click({ timeout, position } = {}) {
    const { x, y } = await this.#point(timeout, position);
    await this.owner.driver.click(x, y);
  }

  async hover() {
    const { x, y } = await this.#point();
    await this.owner.driver.hover(x, y);
  }

  async check() {
    if (!(await this.isChecked())) await this.click();
  }

  async uncheck() {
    if (await this.isChecked()) await this.click();
  }

  async fill(text) {
    await this.waitFor();
    await this.#one(
      `(element, text) => {
        element.focus();
        const own = element.isContentEditable ? null : Object.getOwnPropertyDescriptor(Object.getPrototypeOf(element), 'value');
        if (own) own.set.call(element, text);
        else element.textContent = text;
        element.dispatchEvent(new InputEvent('input', { bubbles: true }));
        element.dispatchEvent(new Event('change', { bubbles: true }));
      }`,
      text,
    );
  }

  async selectOption(choice) {
    await this.waitFor();
    await this.#until(() =>
      this.#one(
        `(select, choice) => {
          const wanted = typeof choice === 'string' ? { value: choice } : choice;
          const option = [...select.options].find(
            (each, index) =>
              (wanted.value === undefined || each.value === wanted.value || each.label === wanted.value) &&
              (wanted.label === undefined || each.label === wanted.label) &&
              (wanted.index === undefined || index === wanted.index),
          );
          if (!option) return 'no such option';
          select.focus();
          select.value = option.value;
          select.dispatchEvent(new Event('input', { bubbles: true }));
          select.dispatchEvent(new Event('change', { bubbles: true }));
          return null;
        }`,
        choice,
      ),
    );
  }

  async setInputFiles(files) {
    const given = await Promise.all(
      [files].flat().map(async (file) => {
        if (typeof file === 'string') return { name: basename(file), type: '', data: (await readFile(file)).toString('base64') };
        return { name: file.name, type: file.mimeType ?? '', data: Buffer.from(file.buffer).toString('base64') };
      }),
    );
    await this.#one(
      `async (input, given) => {
        const list = new DataTransfer();
        for (const { name, type, data } of given) {
          const bytes = Uint8Array.from(atob(data), (each) => each.charCodeAt(0));
          list.items.add(new File([bytes], name, { type }));
        }
        input.files = list.files;
        input.dispatchEvent(new Event('input', { bubbles: true }));
        input.dispatchEvent(new Event('change', { bubbles: true }));
      }`,
      given,
    );
  }

  async press(keys) {
    await this.focus();
    await this.owner.driver.press(keys);
  }

  focus() {
    return this.#one('(element) => element.focus()');
  }

  innerText({ timeout } = {}) {
    return this.#one('(element) => element.innerText', null, timeout);
  }

  innerHTML() {
    return this.#one('(element) => element.innerHTML');
  }

  textContent() {
    return this.#one('(element) => element.textContent');
  }

  inputValue() {
    return this.#one('(element) => element.value');
  }

  getAttribute(name) {
    return this.#one('(element, name) => element.getAttribute(name)', name);
  }

  isChecked() {
    return this.#one('(element) => element.checked');
  }

  isEnabled() {
    return this.#one(`(element) => !element.matches(':disabled')`);
  }

  async isDisabled() {
    return !(await this.isEnabled());
  }

  isVisible() {
    return this.#all('async (all) => Boolean((await state(all[0])).visible)');
  }

  boundingBox() {
    return this.#one('(element) => { const { x, y, width, height } = element.getBoundingClientRect(); return { x, y, width, height }; }');
  }

  evaluate(body, arg) {
    return this.#one(String(body), arg);
  }

  evaluateAll(body, arg) {
    return this.#all(String(body), arg);
  }

  allInnerTexts() {
    return this.#all('(all) => all.map((each) => each.innerText)');
  }

  allTextContents() {
    return this.#all('(all) => all.map((each) => each.textContent)');
  }

  count() {
    return this.#all('(all) => all.length');
  }

  /** The same in each of those that there are now. */
  async all() {
    return Array.from({ length: await this.count() }, (_, index) => this.nth(index));
  }
}

export class EnginePage {
  #context;

  constructor(driver, context) {
    this.driver = driver;
    this.#context = context;
    this.keyboard = { press: (keys) => driver.press(keys), type: (text) => driver.write(text) };
    this.mouse = { move: (x, y) => driver.hover(x, y), click: (x, y) => driver.click(x, y) };
  }

  context() {
    return this.#context;
  }

  async goto(url) {
    await this.driver.goto(url);
    await this.#listen();
  }

  async reload() {
    await this.driver.reload();
    await this.#listen();
  }

  goBack() {
    return this.driver.run('() => history.back()', []);
  }

  /** An engine without a log of its own has the page keep one. */
  async #listen() {
    await this.driver.run(`() => {
      if (globalThis.faults) return;
      const faults = (globalThis.faults = []);
      const { error } = console;
      console.error = (...said) => (faults.push(said.join(' ')), error.apply(console, said));
      addEventListener('error', (event) => faults.push(event.message));
      addEventListener('unhandledrejection', (event) => faults.push(String(event.reason)));
    }`, []);
  }

  /** What went wrong in the page since it was opened. */
  faults() {
    return this.driver.run('() => globalThis.faults ?? []', []);
  }

  url() {
    return this.driver.url();
  }

  locator(css) {
    return new Locator(this, [['css', css]]);
  }

  getByTestId(name) {
    return this.locator(`[data-testid="${name}"]`);
  }

  evaluate(body, arg) {
    if (typeof body === 'string') return this.driver.run(`() => { ${body} }`, []);
    return this.driver.run(`async (arg) => (${body})(arg)`, [arg ?? null]);
  }

  async waitForFunction(body, arg, { timeout = 20_000 } = {}) {
    // While one page gives way to another there may be none to ask.
    await eventually(async () => {
      if (!(await this.evaluate(body, arg))) throw new Error(`still not: ${body}`);
    }, timeout);
  }

  waitForTimeout(ms) {
    return pause(ms);
  }

  /** Where a download ends is each driver's own affair; what the page gives to it is the same everywhere. */
  async waitForEvent(name, { timeout = WAIT } = {}) {
    if (name !== 'download') throw new Error(`${name} cannot be waited for in this engine`);
    await this.driver.run(`() => {
      const { click } = HTMLAnchorElement.prototype;
      const { createObjectURL } = URL;
      const blobs = new Map();
      globalThis.downloaded = null;
      URL.createObjectURL = (blob) => {
        const url = createObjectURL.call(URL, blob);
        blobs.set(url, blob);
        return url;
      };
      HTMLAnchorElement.prototype.click = function () {
        if (!this.download) return click.call(this);
        URL.createObjectURL = createObjectURL;
        HTMLAnchorElement.prototype.click = click;
        blobs.get(this.href).arrayBuffer().then((bytes) => {
          let text = '';
          for (const byte of new Uint8Array(bytes)) text += String.fromCharCode(byte);
          globalThis.downloaded = { name: this.download, data: btoa(text) };
        });
      };
    }`, []);
    const got = await eventually(async () => {
      const got = await this.driver.run('() => globalThis.downloaded', []);
      if (!got) throw new Error('nothing was downloaded');
      return got;
    }, timeout);
    const path = join(tmpdir(), `fabula-${randomUUID()}`);
    await writeFile(path, Buffer.from(got.data, 'base64'));
    return { suggestedFilename: () => got.name, path: async () => path };
  }

  setViewportSize({ width, height }) {
    return this.driver.resize(width, height);
  }

  async screenshot({ path }) {
    await writeFile(path, await this.driver.shot());
  }

  close() {
    return this.driver.leave();
  }
}

/** The tabs of one profile. */
export class EngineContext {
  #pages = [];

  /** `end`: the browser is closed; `kill`: it is gone in the middle of whatever it does. */
  constructor(driver, { end, kill }) {
    this.close = end;
    this.kill = kill;
    this.#pages = [new EnginePage(driver, this)];
  }

  pages() {
    return this.#pages;
  }

  async newPage() {
    const page = new EnginePage(await this.#pages[0].driver.tab(), this);
    this.#pages.push(page);
    return page;
  }

  // Requests and the console are read from the page and from the servers that the journeys start.
  on() {}

  setDefaultTimeout() {}

  async faults() {
    const all = await Promise.all(this.#pages.map((page) => page.faults().catch(() => [])));
    return all.flat();
  }
}
