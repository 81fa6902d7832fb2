// With fingers alone: whatever can be pressed is large enough, in every place.

import assert from 'node:assert/strict';
import test from 'node:test';

import { stage } from '../support/browser.mjs';
import { eventually } from '../support/page.mjs';
import { tooSmall } from '../support/touch.mjs';

const at = stage();

const PHONE = { width: 390, height: 844 };
const TABLET = { width: 1180, height: 820 };
const TABS = ['story', 'persona', 'plot', 'world', 'memory', 'tree', 'prompt'];
const STATE = JSON.stringify({
  growth_state: { beliefs: [{ content: '守信', formed_from: '约定' }], relationships: [{ entity: '陈默', status: '朋友' }] },
  current_state: { emotions: [{ content: '警觉' }], goals: [{ content: '找到信' }] },
});

async function furnished(t, options) {
  const llm = await at.provider(t);
  const app = await at.open(t, { touch: true, ...options });
  await app.addConnection({ url: llm.base('openai') });
  await app.createCharacter({ name: '林夕', first_mes: '门上的铃响了。' });
  await app.createBackground({ name: '雨城', world: '一座终年下雨的城市。', outline: '找到信\n读完信' });
  await app.createStoryline({ character: '林夕', background: '雨城', preset: 'persona' });
  const reply = { text: `「你也听见了吗？」\n\n<state_update>${STATE}</state_update>`, reasoning: '想一想。' };
  llm.script(reply, '有人。', '又一个回答。', { text: '一半就', stallAfter: 2 });
  await app.play('我推开门。');
  await app.play('有人吗？');
  await app.turn(2).id('turn-regenerate').click();
  await app.turn(2).id('swipe-count').waitFor();
  await app.waitStatus(2, 'done');
  const last = await app.send('谁？');
  await app.replyGrows(last);
  await app.id('composer-stop').click();
  await app.waitStatus(last, 'interrupted');
  return app;
}

/** A touch, or none where it is not to be seen. */
async function tap(locator) {
  if (await locator.first().isVisible()) await locator.first().tap();
}

/** Back from an open sheet. */
async function putSheetsAway(app) {
  if (!(await app.page.locator('.scrim').isVisible())) return;
  await app.page.evaluate(() => history.back());
  await app.page.locator('.scrim').waitFor({ state: 'detached' });
}

/** Every place a person may be in, in the order of a walk. */
const WALK = {
  chat: (app) => app.openStory(),
  'a turn reworded': (app) => app.turn(2).id('turn-edit').tap(),
  'its reader reworded': async (app) => {
    await app.page.keyboard.press('Escape');
    await app.turn(2).id('turn-edit-user').tap();
  },
  'the shelf': async (app) => {
    await app.page.keyboard.press('Escape');
    if (!(await app.id('nav-characters').isVisible())) await app.id('shelf-open').tap();
    await app.page.locator('.shelf-more').first().tap();
  },
  'a storyline renamed': (app) => app.id('storyline-edit').first().tap(),
  ...Object.fromEntries(
    TABS.map((tab) => [
      `the notebook: ${tab}`,
      async (app) => {
        await app.page.reload();
        await app.ready();
        await app.id('composer-input').waitFor();
        await putSheetsAway(app);
        if (!(await app.id(`tab-${tab}`).isVisible())) await app.id('notebook-open').tap();
        await app.id(`tab-${tab}`).tap();
        await app.page.waitForTimeout(300);
        for (const opens of ['action-savepoint', 'memory-write', 'world-add', 'event-add', 'item-add', 'plot-menu']) await tap(app.id(opens));
        for (const summary of await app.page.locator('.notebook summary').all()) {
          // Others come in between as these unfold.
          if (await summary.isVisible()) await summary.tap({ timeout: 1_000 }).catch(() => {});
        }
      },
    ]),
  ),
  characters: (app) => app.go('characters'),
  'a character': (app) => app.id('character-edit').first().tap(),
  backgrounds: (app) => app.go('backgrounds'),
  'a background': (app) => app.id('background-edit').first().tap(),
  presets: (app) => app.go('presets'),
  'a preset': async (app) => {
    await app.id('preset-duplicate').first().tap();
    await app.id('preset-edit').first().tap();
    await app.id('preset-block-open').first().tap();
  },
  search: async (app) => {
    await app.go('search');
    await app.id('search-input').fill('听见');
    await app.id('search-hit').first().waitFor();
  },
  'a new storyline': (app) => app.go('storylines').then(() => app.id('storyline-new').tap()),
  'the circle': async (app) => {
    await app.go('circle');
    // Who is in it already need not be let in.
    await app.id('circle-text').waitFor();
    if (!(await app.id('circle-member').count())) await app.id('circle-let-in').selectOption({ index: 1 });
    await app.id('circle-member').waitFor({ state: 'attached' });
    await app.id('circle-text').fill('今晚的雾很大。');
    await app.id('circle-post').tap();
    await app.id('circle-item').first().waitFor();
    await app.id('circle-answer').first().tap();
    await app.id('circle-answer-text').waitFor();
  },
  'the cradle': (app) => app.go('cradle'),
  'one in the cradle': async (app) => {
    await app.id('cradle-new').tap();
    await app.id('cradle-feed-text').fill('她守灯三十年。');
    await app.id('cradle-feed-give').tap();
    await app.id('cradle-feed-drop').waitFor();
  },
  settings: (app) => app.go('settings'),
  'a connection': (app) => app.id('connection-edit').first().tap(),
  notices: async (app) => {
    await app.go('characters');
    await app.id('character-delete').first().tap();
    await app.id('notice-undo').waitFor();
  },
};

for (const [device, viewport] of [['phone', PHONE], ['tablet', TABLET]]) {
  for (const language of device === 'phone' ? ['zh-CN', 'en-US'] : ['zh-CN']) {
    test(`nothing is too small for a finger, on a ${device}, in ${language}`, async (t) => {
      const fresh = await at.open(t, { viewport, language, touch: true });
      await fresh.id('welcome').waitFor();
      assert.deepEqual(await tooSmall(fresh.page), [], 'in the welcome');
      await fresh.id('welcome-demo').tap();
      await fresh.id('demo-suggestion').first().waitFor();
      assert.deepEqual(await tooSmall(fresh.page), [], 'in the demo');
      const app = await furnished(t, { viewport, language });
      for (const [place, go] of Object.entries(WALK)) {
        await t.test(place, async () => {
          await go(app);
          const wide = await app.page.evaluate(() => document.scrollingElement.scrollWidth - innerWidth);
          assert.ok(wide <= 0, `${wide} pixels over the side`);
          assert.deepEqual(await tooSmall(app.page), []);
        });
      }
    });
  }
}

test('the screen stays on while a reply is on its way, and no longer', async (t) => {
  const llm = await at.provider(t);
  const app = await at.open(t, { ready: false });
  await app.page.addInitScript(() => {
    globalThis.awake = { asked: 0, held: 0 };
    Object.defineProperty(navigator, 'wakeLock', {
      value: {
        request: async () => {
          globalThis.awake.asked += 1;
          globalThis.awake.held += 1;
          return { release: async () => void (globalThis.awake.held -= 1) };
        },
      },
    });
  });
  await app.open();
  await app.begin(llm, { character: { name: 'Ada' } });
  const awake = () => app.page.evaluate(() => globalThis.awake);
  assert.deepEqual(await awake(), { asked: 0, held: 0 });
  llm.on(() => ({ text: 'It takes its time.', holdAfter: 2 }));
  const turn = await app.send('Go on.');
  await app.replyGrows(turn);
  await eventually(async () => assert.deepEqual(await awake(), { asked: 1, held: 1 }));
  llm.release();
  await app.waitStatus(turn, 'done');
  await eventually(async () => assert.deepEqual(await awake(), { asked: 1, held: 0 }));
});

test('under fingers Enter begins a line, and a button sends', async (t) => {
  const llm = await at.provider(t);
  const app = await at.open(t, { touch: true, viewport: PHONE });
  await app.begin(llm, { character: { name: 'Ada', first_mes: 'The door opens.' } });
  llm.script('Yes.', 'No.');
  const input = app.id('composer-input');
  await input.tap();
  await app.page.keyboard.type('I knock.');
  await app.page.keyboard.press('Enter');
  await app.page.keyboard.type('Twice.');
  assert.equal(await input.inputValue(), 'I knock.\nTwice.');
  await app.id('composer-send').tap();
  await eventually(async () => assert.equal(await app.replyText(1), 'Yes.'));
  // A keyboard that is put to it has another way, and a command is one line.
  await app.waitStatus(1, 'done');
  await input.fill('Again.');
  await input.press('Control+Enter');
  await eventually(async () => assert.equal(await app.replyText(2), 'No.'));
  await app.waitStatus(2, 'done');
  await input.fill('/note Rain.');
  await input.press('Enter');
  await eventually(async () => assert.equal((await app.records('storylines'))[0].author_note?.text, 'Rain.'));
});

test('a sheet follows the finger, and goes when it is drawn to its side', async (t) => {
  const llm = await at.provider(t);
  const app = await at.open(t, { touch: true, viewport: PHONE });
  await app.begin(llm, { character: { name: 'Ada', first_mes: 'The door opens.' } });
  await app.whole();
  const session = await app.page.context().newCDPSession(app.page);
  const touch = (type, x, y) => session.send('Input.dispatchTouchEvent', { type, touchPoints: type === 'touchEnd' ? [] : [{ x, y }] });
  const draw = async (from, across, down = 0) => {
    await touch('touchStart', ...from);
    for (let step = 1; step <= 8; step += 1) {
      await touch('touchMove', from[0] + (across * step) / 8, from[1] + (down * step) / 8);
      await app.page.waitForTimeout(30);
    }
  };
  const place = (sheet) => app.page.locator(sheet).evaluate((element) => Math.round(new DOMMatrix(getComputedStyle(element).translate === 'none' ? '' : `translate(${getComputedStyle(element).translate})`).e));
  const nav = app.id('nav-settings');
  const isThere = async (sheet) => {
    await eventually(async () => assert.equal(await place(sheet), 0));
    assert.ok(await app.page.locator(sheet).isVisible());
  };

  await app.id('shelf-open').tap();
  await nav.waitFor();
  // A little way, and back it comes; the other way and down it does not move.
  await draw([200, 700], -80);
  await eventually(async () => assert.ok((await place('.shelf')) < -60, 'it follows'));
  await touch('touchEnd');
  await isThere('.shelf');
  for (const [across, down] of [[120, 0], [-30, 160]]) {
    await draw([150, 500], across, down);
    assert.equal(await place('.shelf'), 0);
    await touch('touchEnd');
  }
  await draw([260, 700], -220);
  await touch('touchEnd');
  await nav.waitFor({ state: 'hidden' });
  // A touch that stops what still rolls is no tap to the browser.
  const tab = app.id('tab-memory');
  const unfolds = () => eventually(async () => {
    if (!(await tab.isVisible())) await app.id('notebook-open').tap({ timeout: 1_000 });
    await tab.waitFor({ timeout: 1_000 });
  });
  await unfolds();
  await draw([150, 600], 200);
  await eventually(async () => assert.ok((await place('.notebook')) > 150));
  await touch('touchEnd');
  await tab.waitFor({ state: 'hidden' });
  // It is whole when it is opened again.
  await unfolds();
  await isThere('.notebook');
});
