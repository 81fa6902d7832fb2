// Everyone can use it: with a small screen, by keyboard, by ear; in light and in dark.

import assert from 'node:assert/strict';
import test from 'node:test';

import axe from 'axe-core';

import { stage } from '../support/browser.mjs';
import { eventually } from '../support/page.mjs';

const at = stage();

const PHONE = { width: 390, height: 844 };
const REPLY = '她说：「你也听见了吗？」\n\n# 第一章\n\n- **灯**\n- *雨*\n\n> 一封信\n\n| 时 | 地 |\n| - | - |\n| 夜 | 书店 |\n\n```\ncode\n```';

/** Each place a person may be in, and the way there; the chat comes first, so that there is something to show. */
const PLACES = {
  chat: async (app) => {
    await app.openStory();
    // The place to write in is there before the story is read.
    await app.page.locator('.chat-title h1:not(:empty)').waitFor();
  },
  characters: (app) => app.go('characters'),
  'a character': (app) => app.press(app.id('character-item').first(), 'character-edit'),
  backgrounds: (app) => app.go('backgrounds'),
  'a background': (app) => app.press(app.id('background-item').first(), 'background-edit'),
  'a new storyline': (app) => app.go('storylines').then(() => app.id('storyline-new').click()),
  'the circle': async (app) => {
    await app.go('circle');
    // Who is in it already need not be let in.
    await app.id('circle-text').waitFor();
    if (!(await app.id('circle-member').count())) await app.id('circle-let-in').selectOption({ index: 1 });
    await app.id('circle-member').waitFor({ state: 'attached' });
    await app.id('circle-text').fill('今晚的雾很大。');
    await app.id('circle-post').click();
    await app.id('circle-item').first().waitFor();
    await app.id('circle-answer').first().click();
    await app.id('circle-answer-text').waitFor();
  },
  'the cradle': async (app) => {
    await app.go('cradle');
    await app.id('cradle-new').click();
    await app.id('cradle-feed-text').fill('她守灯三十年。');
    await app.id('cradle-feed-give').click();
    await app.id('cradle-feed-drop').waitFor();
  },
  settings: (app) => app.go('settings'),
};

async function furnished(t, options) {
  const llm = await at.provider(t);
  const app = await at.open(t, options);
  await app.begin(llm, {
    character: { name: '林夕', description: '旧书店的店主。', first_mes: '门上的铃响了。' },
    background: { name: '雨城', world: '一座终年下雨的城市。', outline: '找到信\n读完信' },
  });
  llm.script({ text: REPLY, reasoning: '想一想。' }, { text: '一半就', stallAfter: 2 });
  await app.play('我推开门。');
  const second = await app.send('有人吗？');
  await app.replyGrows(second);
  await app.id('composer-stop').click();
  await app.waitStatus(second, 'interrupted');
  return app;
}

async function violations(app) {
  await app.page.evaluate(axe.source);
  const found = await app.page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }));
  return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.target.join(' ')).join(', ')}`);
}

for (const [scheme, theme] of [['light'], ['dark'], ['light', 'sepia'], ['light', 'contrast'], ['dark', 'contrast']]) {
  test(`axe finds nothing, in ${[scheme, theme].join(' ').trim()}`, async (t) => {
    const fresh = await at.open(t, { scheme });
    await fresh.id('welcome').waitFor();
    assert.deepEqual(await violations(fresh), [], 'in the welcome');
    const app = await furnished(t, { scheme });
    if (theme) {
      await app.go('settings');
      await app.id('theme-select').selectOption(theme);
      await app.page.locator(`html[data-theme="${theme}"]`).waitFor();
    }
    for (const [place, go] of Object.entries(PLACES)) {
      await t.test(place, async () => {
        await go(app);
        assert.deepEqual(await violations(app), []);
      });
    }
  });
}

async function fits(app) {
  const wide = await app.page.evaluate(() => {
    const root = document.scrollingElement;
    return [root.scrollWidth, root.clientWidth, document.body.scrollWidth];
  });
  assert.ok(wide[0] <= wide[1] && wide[2] <= wide[1], `${wide[0]} (body ${wide[2]}) in ${wide[1]} pixels`);
  assert.deepEqual(await app.page.evaluate(cutOff), []);
}

/** In the page: what is in sight and cut off at a side, where nobody can scroll to it. */
function cutOff() {
  const scrolls = (element) => element && (/auto|scroll/.test(getComputedStyle(element).overflowX) || scrolls(element.parentElement));
  const is = (element) => {
    const { left, right, width, height } = element.getBoundingClientRect();
    return width > 1 && height > 1 && (left < -1 || right > innerWidth + 1) && !element.closest('[inert]') && !scrolls(element);
  };
  const all = document.querySelectorAll('button, a, input, select, textarea, .turn-words');
  return [...all].filter((element) => element.checkVisibility({ visibilityProperty: true }) && is(element)).map((element) => element.outerHTML.slice(0, 120));
}

test('on a phone nothing runs over the side, and every control can be reached', async (t) => {
  const fresh = await at.open(t, { viewport: PHONE });
  await fresh.id('welcome').waitFor();
  await fits(fresh);
  const app = await furnished(t, { viewport: PHONE });
  for (const [place, go] of Object.entries(PLACES)) {
    await t.test(place, async () => {
      await go(app);
      await fits(app);
    });
  }
});

test('at 200 % nothing runs over the side, and axe finds nothing', async (t) => {
  // As a browser zooms: half the pixels of the page on the same screen.
  const app = await furnished(t, { viewport: { width: 720, height: 450 }, language: 'en-US' });
  for (const [place, go] of Object.entries(PLACES)) {
    await t.test(place, async () => {
      await go(app);
      await fits(app);
      assert.deepEqual(await violations(app), []);
    });
  }
});

test('on a phone Escape puts the sheets away, and not what one is writing', async (t) => {
  const app = await furnished(t, { viewport: PHONE });
  await app.openStory();
  await app.id('notebook-open').click();
  await app.id('tab-memory').click();
  await app.id('memory-write').click();
  await app.id('memory-panel').locator('textarea').first().fill('她怕井。');
  await app.page.keyboard.press('Escape');
  await app.page.waitForTimeout(200);
  const detail = app.id('memory-detail');
  assert.equal(await detail.inputValue(), '她怕井。', 'it is given up by a button alone');
  await detail.fill('');
  // Within an input method Escape gives up a word.
  await detail.dispatchEvent('keydown', { key: 'Escape', isComposing: true, bubbles: true });
  await app.page.waitForTimeout(200);
  await app.id('memory-form').waitFor();
  await app.page.keyboard.press('Escape');
  await app.id('memory-write').waitFor();
  await eventually(async () => assert.equal(await app.page.evaluate(() => document.activeElement.id), 'notebook-panel'));
  await app.id('tab-persona').click();
  await app.id('module-persona').check();
  await app.page.keyboard.press('Escape');
  await app.id('persona-panel').waitFor({ state: 'hidden' });
  // More than once: whether the browser or the page is first to see that the sheet is shut is a matter of moments.
  for (let time = 0; time < 12; time++) {
    await app.id('shelf-open').click();
    await app.id('nav-search').focus();
    await app.page.keyboard.press('Escape');
    await app.id('nav-search').waitFor({ state: 'hidden' });
    await eventually(async () => assert.equal(await app.page.evaluate(() => document.activeElement.closest('main') !== null), true));
  }
});

test('arrows, Home and End move along the tabs, and the focus with them', async (t) => {
  const app = await furnished(t, { viewport: { width: 1440, height: 900 } });
  await app.openStory();
  await app.id('tab-story').click();
  for (const [key, tab] of [['ArrowRight', 'now'], ['ArrowRight', 'persona'], ['End', 'prompt'], ['ArrowRight', 'story'], ['ArrowLeft', 'prompt'], ['Home', 'story']]) {
    await app.page.keyboard.press(key);
    const chosen = await app.page.evaluate(() => [document.activeElement.id, document.querySelector('[role=tab][aria-selected=true]').id]);
    assert.deepEqual(chosen, [`tab-${tab}`, `tab-${tab}`], key);
  }
});

test('every control has a name, in both languages', async (t) => {
  for (const language of ['zh-CN', 'en-US']) {
    const app = await furnished(t, { language });
    for (const [place, go] of Object.entries(PLACES)) {
      await go(app);
      const tree = await app.page.locator('body').ariaSnapshot();
      const nameless = tree.match(/^\s*- (button|link|textbox|combobox|checkbox|radio|slider|spinbutton|searchbox|tab)\b(?! ").*/gm);
      assert.equal(nameless, null, `${place} (${language}) has controls without a name`);
      assert.ok((tree.match(/- (button|link)/g) ?? []).length >= 3, `${place} has controls`);
    }
  }
});

test('a story can be played by keyboard alone', async (t) => {
  const app = await furnished(t);
  await PLACES.chat(app);
  // The place to write in is there before the story is read, and in the moment after a reply nothing is sent.
  await app.turn(2).root.waitFor();
  await app.id('composer-send').waitFor();
  await app.id('composer-input').focus();
  await app.page.keyboard.type('只用键盘。');
  assert.equal(await app.id('composer-input').inputValue(), '只用键盘。');
  await app.page.keyboard.press('Enter');
  await app.waitStatus(3, 'done');
  assert.equal(await app.userText(3), '只用键盘。');
  const reached = new Set();
  for (let step = 0; step < 120; step += 1) {
    await app.page.keyboard.press('Tab');
    reached.add(await app.page.evaluate(() => document.activeElement?.closest('[data-testid]')?.dataset.testid));
  }
  for (const name of ['nav-storylines', 'nav-characters', 'nav-settings', 'composer-input']) {
    assert.ok(reached.has(name), `${name} is reached by Tab; reached: ${[...reached].join(' ')}`);
  }
});

test('the theme follows the system, and can be chosen for good', async (t) => {
  const app = await at.open(t, { scheme: 'light' });
  const paper = () => app.page.evaluate(() => getComputedStyle(document.body).backgroundColor.match(/\d+/g).slice(0, 3).map(Number));
  const dark = (rgb) => rgb.every((part) => part < 80);
  assert.ok(!dark(await paper()));
  await app.page.emulateMedia({ colorScheme: 'dark' });
  assert.ok(dark(await paper()), 'it follows the system');
  await app.go('settings');
  await app.id('theme-select').selectOption('light');
  await app.page.waitForFunction(() => !/^rgba?\(([0-7]?\d), ([0-7]?\d), ([0-7]?\d)\b/.test(getComputedStyle(document.body).backgroundColor));
  await eventually(async () => assert.equal((await app.records('settings')).find(({ id }) => id === 'preferences')?.theme, 'light'));
  await app.reload();
  assert.ok(!dark(await paper()), 'the choice stays');
});
