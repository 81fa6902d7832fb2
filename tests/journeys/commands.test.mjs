// Commands in the composer: a slash opens the list, the keyboard completes and does them, and what fails leaves the words.

import assert from 'node:assert/strict';
import test from 'node:test';

import axe from 'axe-core';

import { NETWORK, stage } from '../support/browser.mjs';
import { eventually } from '../support/page.mjs';

const at = stage();

const WORDS = {
  'zh-CN': { again: '重写', unknown: /没有“\/唱歌”这个命令/, sing: '/唱歌', lamp: '/世界 设 灯 = 亮着', key: '灯', value: '亮着', odd: /不明白“七”/, go: '/跳到 七', range: /0 到 1/, save: '/存档 风暴之前', name: '风暴之前', note: '/作者注 要短', text: '要短', busy: /等这一轮结束/, full: /没有空间保存了/ },
  'en-GB': { again: 'regenerate', unknown: /no command \/sing/, sing: '/sing', lamp: '/world set lamp = lit', key: 'lamp', value: 'lit', odd: /“seven” is not understood/, go: '/go seven', range: /0 to 1/, save: '/save Before the storm', name: 'Before the storm', note: '/note keep it short', text: 'keep it short', busy: /Wait for this turn/, full: /There is no room left/ },
};

for (const [language, words] of Object.entries(WORDS)) {
  test(`what a story can do is done from the composer (${language})`, async (t) => {
    const llm = await at.provider(t, {});
    const app = await at.open(t, { language, viewport: { width: 1440, height: 900 } });
    await app.begin(llm, { character: { name: 'Ada' }, title: 'Tale' });
    let count = 0;
    llm.on(() => `Reply ${(count += 1)}.`);
    await app.play('One.');
    const input = app.id('composer-input');
    // A reply is read before its turn has ended, and until then nothing is done.
    const isReady = () => app.id('composer-send').waitFor();
    const line = async (text) => {
      await input.fill(text);
      await app.page.keyboard.press('Enter');
    };
    const isEmpty = () => eventually(async () => assert.equal(await input.inputValue(), ''));
    const story = async () => (await app.records('storylines'))[0];

    // The list, by keys alone.
    await isReady();
    await input.press('/');
    await app.id('palette').waitFor();
    assert.ok((await app.id('command').count()) > 10);
    await app.page.evaluate(axe.source);
    const found = await app.page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }));
    assert.deepEqual(found.violations.map(({ id, nodes }) => `${id}: ${nodes[0].target}`), []);
    await app.page.keyboard.press('ArrowDown');
    const chosen = app.page.locator('[data-testid="command"][aria-selected="true"]');
    assert.equal(await chosen.getAttribute('data-command'), 'regenerate');
    assert.ok((await chosen.innerText()).includes(words.again));
    assert.equal(await input.getAttribute('aria-activedescendant'), await chosen.getAttribute('id'));
    await app.page.keyboard.press('Tab');
    assert.equal(await input.inputValue(), '/regenerate');
    await app.page.keyboard.press('Enter');
    await isEmpty();
    await eventually(async () => assert.equal(await app.replyText(1), 'Reply 2.'));
    await app.id('palette').waitFor({ state: 'detached' });

    await isReady();
    await line('/swipe prev');
    await isEmpty();
    await eventually(async () => assert.equal(await app.replyText(1), 'Reply 1.'));
    await line('/swipe 2');
    await eventually(async () => assert.equal(await app.replyText(1), 'Reply 2.'));
    await line('/swipe');
    await eventually(async () => assert.equal(await app.replyText(1), 'Reply 3.'));

    // What fails says why, and leaves the words.
    await isReady();
    for (const [said, why] of [[words.sing, words.unknown], [words.go, words.odd], ['/go 9', words.range]]) {
      await line(said);
      await eventually(async () => assert.match(await app.id('command-error').innerText(), why));
      assert.equal(await input.inputValue(), said);
    }
    assert.equal(llm.chat().length, 3, 'none of it was said to the model');

    await line(words.lamp);
    await isEmpty();
    await app.id('tab-world').click();
    await app.page.locator(`[data-testid="world-entry"][data-key="${words.key}"]`).getByText(words.value).first().waitFor();
    await line(words.save);
    await isEmpty();
    assert.deepEqual((await story()).savepoints.map(({ name }) => name), [words.name]);
    await line(words.note);
    await isEmpty();
    await eventually(async () => assert.equal((await story()).author_note?.text, words.text));
    await line('/note');
    await eventually(async () => assert.equal((await story()).author_note?.enabled, false));

    // What follows a command is the reader's: Tab goes on to the next control, and the list takes nothing of it.
    await input.fill('/note 信在抽屉里');
    await input.press('Tab');
    assert.equal(await input.inputValue(), '/note 信在抽屉里');
    assert.equal(await input.evaluate((input) => document.activeElement === input), false);
    await app.id('command').first().click();
    await app.page.waitForTimeout(200);
    assert.equal(await input.inputValue(), '/note 信在抽屉里');
    await input.fill('');

    // What is not stored stays in the line, and says why.
    await app.page.evaluate(() => {
      const put = IDBObjectStore.prototype.put;
      IDBObjectStore.prototype.put = function (...record) {
        if (globalThis.isFull) throw new DOMException('no room', 'QuotaExceededError');
        return put.apply(this, record);
      };
      globalThis.isFull = true;
    });
    await line(`${words.note}!`);
    await eventually(async () => assert.match(await app.id('command-error').innerText(), words.full));
    assert.equal(await input.inputValue(), `${words.note}!`);
    await app.page.evaluate(() => (globalThis.isFull = false));
    await input.press('Enter');
    await isEmpty();
    assert.equal((await story()).author_note.text, `${words.text}!`);

    // A line that is said though it begins with a slash.
    await app.play('//me waves', 'done');
    assert.equal(llm.chat().at(-1).body.messages.at(-1).content, '/me waves');

    // While a reply comes nothing is done to it; what only looks is.
    llm.on(() => ({ text: 'At last.', hold: true }));
    await isReady();
    await line('Go on.');
    await app.id('composer-stop').waitFor();
    await line('/regenerate');
    await eventually(async () => assert.match(await app.id('command-error').innerText(), words.busy));
    await line('/prompt');
    await app.id('prompt-panel').waitFor();
    llm.release();
    await app.waitStatus(3, 'done');

    await isReady();
    await line('/branch 1');
    await isEmpty();
    await app.id('branch-hint').waitFor();
    assert.equal((await story()).head.end, 2);
  });
}

const MINE = {
  'zh-CN': { label: '替我写', asks: /^有人在玩下面这个互动故事/, hint: '/代我写 问那封信', told: '大意是：问那封信', writing: /正在替你想/, none: /没有写出你的话/ },
  'en-GB': { label: 'Write for me', asks: /^Somebody plays the interactive story/, hint: '/impersonate Ask about the letter.', told: 'They have this in mind: Ask about the letter.', writing: /Thinking of what you might say/, none: /none of your words/ },
};

for (const [language, words] of Object.entries(MINE)) {
  test(`the model writes the reader's next words, for them to change or send (${language})`, async (t) => {
    const llm = await at.provider(t, {});
    const app = await at.open(t, { language, allow: NETWORK });
    await app.begin(llm, { character: { name: 'Ada' }, title: 'Tale' });
    llm.on(() => 'The bell rang.');
    await app.play('I wait.');
    const input = app.id('composer-input');
    const rests = () => app.id('composer-send').waitFor();
    const holds = (text) => eventually(async () => assert.equal(await input.inputValue(), text));

    // By the button; of what the model goes on to tell, only the reader's words.
    llm.on(() => ({ text: 'I open the door.\nAda: Who is there?', holdAfter: 1 }));
    await rests();
    await app.page.getByRole('button', { name: words.label }).click();
    await eventually(async () => assert.match(await app.id('impersonating').innerText(), words.writing));
    llm.release();
    await holds('I open the door.');
    await app.id('palette').waitFor({ state: 'detached' });
    assert.match(llm.chat().at(-1).user, words.asks);
    assert.ok(llm.chat().at(-1).user.includes('The bell rang.'));
    assert.equal(await app.lastTurn(), 1, 'nothing is said yet');
    llm.on(() => 'Nobody.');
    await input.press('Enter');
    await eventually(async () => assert.equal(await app.userText(2), 'I open the door.'));
    await eventually(async () => assert.equal(await app.replyText(2), 'Nobody.'));
    await rests();

    // By the command, with what it shall say; stopped, it leaves nothing behind.
    llm.on(() => ({ text: 'I ask.', holdAfter: 1 }));
    await input.fill(words.hint);
    await input.press('Enter');
    await app.id('impersonating').waitFor();
    await eventually(async () => assert.ok(llm.chat().at(-1).user.includes(words.told)));
    await app.id('composer-stop').click();
    await holds('');
    await rests();

    // What fails says so, and the command stays.
    llm.on(() => 'Ada: Who is there?');
    await input.fill(words.hint);
    await input.press('Enter');
    await eventually(async () => assert.match(await app.id('command-error').innerText(), words.none));
    assert.equal(await input.inputValue(), words.hint);
    llm.on(() => ({ status: 429 }));
    await input.press('Enter');
    await eventually(async () => assert.match(await app.id('command-error').innerText(), /太频繁|Too many/));
    assert.equal(await input.inputValue(), words.hint);
    assert.equal(await app.lastTurn(), 2);
  });
}

test('where the picture comes late, a second press still means the line that was done', async (t) => {
  const llm = await at.provider(t, {});
  const app = await at.open(t, { language: 'en-GB' });
  await app.begin(llm, { character: { name: 'Ada' }, title: 'Tale' });
  llm.on(() => 'The bell rang.');
  await app.play('I wait.');
  await app.id('composer-send').waitFor();
  const input = app.id('composer-input');
  await input.fill('/note keep it short');
  const asked = llm.chat().length;
  const late = 900;
  await input.evaluate((input, late) => new Promise((done) => {
    const frame = window.requestAnimationFrame.bind(window);
    window.requestAnimationFrame = (then) => setTimeout(() => frame(then), late);
    const press = () => input.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }));
    press();
    // The box is seen to be empty with a frame, and then it is pressed.
    const look = () => (input.value ? requestAnimationFrame(look) : done(press()));
    requestAnimationFrame(look);
  }), late);
  assert.equal(await input.inputValue(), '');
  await app.id('composer-send').waitFor();
  assert.equal(llm.chat().length, asked, 'the reply did not go on');
  // Later it does.
  await input.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 800))));
  await input.press('Enter');
  await eventually(async () => assert.equal(llm.chat().length, asked + 1));
});
