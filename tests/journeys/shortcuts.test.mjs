// Keys and a finger where nothing is typed: other replies, one's last words, the reply that goes on, and the list of keys.

import assert from 'node:assert/strict';
import test from 'node:test';

import axe from 'axe-core';

import { stage } from '../support/browser.mjs';
import { eventually } from '../support/page.mjs';

const at = stage();

const WORDS = {
  'zh-CN': { title: '快捷键', swipe: /写个新的/, said: '你好。', reworded: '你好，艾达。' },
  'en-GB': { title: 'Keys', swipe: /a new one/, said: 'Hello.', reworded: 'Hello, Ada.' },
};

/** A story of one turn; each reply is numbered. */
async function told(t, llm, options, words) {
  const app = await at.open(t, options);
  await app.begin(llm, { character: { name: 'Ada' }, title: 'Tale' });
  let count = 0;
  llm.on(() => `Reply ${(count += 1)}.`);
  await app.play(words.said);
  await app.id('composer-send').waitFor();
  return app;
}

const shows = (app, text) => eventually(async () => assert.equal(await app.replyText(1), text));
const calls = (llm, count) => eventually(() => assert.equal(llm.chat().length, count));

for (const [language, words] of Object.entries(WORDS)) {
  test(`a keyboard alone swipes, rewords, goes on and finds its keys (${language})`, async (t) => {
    const llm = await at.provider(t, {});
    const app = await told(t, llm, { language, viewport: { width: 1440, height: 900 } }, words);
    const { keyboard } = app.page;
    const input = app.id('composer-input');
    const rests = () => app.id('composer-send').waitFor();

    // Past the last reply a new one; back and forth asks for none.
    await app.id('history').focus();
    await keyboard.press('ArrowRight');
    await shows(app, 'Reply 2.');
    await rests();
    await keyboard.press('ArrowLeft');
    await shows(app, 'Reply 1.');
    await keyboard.press('ArrowLeft');
    await input.focus();
    await keyboard.press('ArrowRight');
    await shows(app, 'Reply 2.');
    await calls(llm, 2);

    // Amid words the arrows are the field's.
    await input.fill('ab');
    await keyboard.press('ArrowLeft');
    await keyboard.press('ArrowUp');
    await keyboard.press('ArrowRight');
    assert.equal(await app.replyText(1), 'Reply 2.');
    assert.equal(await app.id('turn-edit-input').count(), 0);
    await calls(llm, 2);

    // One's last words.
    await input.fill('');
    await keyboard.press('ArrowUp');
    const editor = app.id('turn-edit-input');
    await eventually(async () => assert.equal(await editor.inputValue(), words.said));
    await eventually(async () => assert.equal(await app.page.evaluate(() => document.activeElement.dataset.testid), 'turn-edit-input'));
    await editor.fill(words.reworded);
    await keyboard.press('Control+Enter');
    await eventually(async () => assert.equal(await app.userText(1), words.reworded));
    await editor.waitFor({ state: 'detached' });

    // With nothing to say the reply goes on.
    llm.on(() => ' And on.');
    await input.focus();
    await keyboard.press('Enter');
    await shows(app, 'Reply 2. And on.');
    await calls(llm, 3);
    await rests();
    assert.equal(await app.lastTurn(), 1);

    // The list, from where nothing is typed.
    await keyboard.type('?');
    assert.equal(await input.inputValue(), '?');
    await input.fill('');
    await app.id('history').focus();
    await keyboard.press('?');
    const list = app.id('shortcuts');
    await list.waitFor();
    assert.ok((await list.innerText()).includes(words.title));
    assert.match(await list.innerText(), words.swipe);
    await app.page.evaluate(axe.source);
    const found = await app.page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }));
    assert.deepEqual(found.violations.map(({ id, nodes }) => `${id}: ${nodes[0].target}`), []);
    await keyboard.press('ArrowLeft');
    assert.equal(await app.replyText(1), 'Reply 2. And on.');
    await keyboard.press('Escape');
    await list.waitFor({ state: 'detached' });

    // And by hand from the settings.
    await app.go('settings');
    await app.id('shortcuts-open').click();
    await list.waitFor();
    await app.id('shortcuts-close').click();
    await list.waitFor({ state: 'detached' });
  });

  test(`a finger swipes over the last reply (${language})`, async (t) => {
    const llm = await at.provider(t, {});
    const app = await told(t, llm, { language, viewport: { width: 390, height: 844 }, touch: true }, words);
    const session = await app.page.context().newCDPSession(app.page);
    const touch = (type, x, y) => session.send('Input.dispatchTouchEvent', { type, touchPoints: type === 'touchEnd' ? [] : [{ x, y }] });
    const swipe = async (across, down = 0) => {
      const box = await app.turn(1).reply.boundingBox();
      const [x, y] = [195, box.y + box.height / 2];
      await touch('touchStart', x, y);
      for (let step = 1; step <= 8; step += 1) await touch('touchMove', x + (across * step) / 8, y + (down * step) / 8);
      await touch('touchEnd');
    };
    await swipe(-120);
    await shows(app, 'Reply 2.');
    await app.id('composer-send').waitFor();
    await swipe(120);
    await shows(app, 'Reply 1.');
    await swipe(20, 200);
    await swipe(30);
    await swipe(-120);
    await shows(app, 'Reply 2.');
    await calls(llm, 2);

    // Of a list that is longer than the page one sees its title first.
    await app.page.setViewportSize({ width: 390, height: 560 });
    await app.go('settings');
    await app.id('shortcuts-open').click();
    const list = app.id('shortcuts');
    await list.waitFor();
    assert.ok(await list.evaluate((element) => element.scrollHeight > element.clientHeight));
    assert.equal(await list.evaluate((element) => element.scrollTop), 0);
  });
}
