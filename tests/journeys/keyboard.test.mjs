// Ten turns, a branch and a file, by whoever has a keyboard alone, and by whoever hears the page instead of seeing it.

import assert from 'node:assert/strict';
import test from 'node:test';

import { unpack } from '../support/archive.mjs';
import { stage } from '../support/browser.mjs';
import { eventually } from '../support/page.mjs';

const at = stage();

const TURNS = 10;

const WORDS = {
  'zh-CN': { say: '你的话', send: '发送', export: '导出', branch: '从这里另起一支', comes: '回复正在写', turn: (n) => `第 ${n} 轮`, story: '故事' },
  'en-GB': { say: 'Your words', send: 'Send', export: 'Export', branch: 'Branch from here', comes: 'being written', turn: (n) => `Turn ${n}`, story: 'Story' },
};

/** A story that waits for its first line; each reply is numbered. */
async function begun(t, language) {
  const llm = await at.provider(t, {});
  const app = await at.open(t, { language, allow: [/status of 429/], viewport: { width: 1440, height: 900 } });
  await app.begin(llm, { character: { name: 'Ada', first_mes: 'The door opens.' }, title: 'Tale' });
  let count = 0;
  llm.on(() => `Reply *${(count += 1)}* of Ada.`);
  return { app, llm };
}

const turnsIn = (bytes) => unpack(bytes).records.filter((line) => JSON.parse(line).t === 'turns').length;

for (const [language, words] of Object.entries(WORDS)) {
  test(`ten turns, a branch and a file by keyboard alone (${language})`, async (t) => {
    const { app } = await begun(t, language);
    const { keyboard } = app.page;
    const focused = () => app.page.evaluate(() => document.activeElement?.dataset.testid ?? '');
    /** Tab, until what is named has the focus; `within`, where there are several. */
    const tabTo = async (name, within = 'body', key = 'Tab') => {
      for (let step = 0; step < 200; step += 1) {
        const is = await app.page.evaluate(([name, within]) => document.activeElement?.matches(`${within} [data-testid="${name}"]`), [name, within]);
        if (is) return;
        await keyboard.press(key);
      }
      throw new Error(`${name} is not reached; the focus is on ${await focused()}`);
    };
    const seen = async () => {
      const ring = await app.page.evaluate(() => {
        const { outlineStyle, boxShadow } = getComputedStyle(document.activeElement);
        return outlineStyle !== 'none' || boxShadow !== 'none';
      });
      assert.ok(ring, `the focus on ${await focused()} is seen`);
    };

    await tabTo('composer-input');
    for (let turn = 1; turn <= TURNS; turn += 1) {
      await keyboard.type(`Line ${turn}.`);
      await keyboard.press('Enter');
      await app.waitStatus(turn, 'done');
      assert.equal(await focused(), 'composer-input', 'whoever writes goes on writing');
      await app.id('composer-send').waitFor();
    }

    // Back to the fourth turn, and on from there.
    await tabTo('turn-branch', '[data-turn="4"]', 'Shift+Tab');
    await seen();
    await keyboard.press('Enter');
    await eventually(async () => assert.equal(await app.lastTurn(), 4));
    await tabTo('composer-input');
    await keyboard.type('Another way.');
    await keyboard.press('Enter');
    await app.waitStatus(5, 'done');

    // The file.
    await tabTo('storyline-export', '[data-testid="storyline-item"]', 'Shift+Tab');
    await seen();
    const { bytes } = await app.download(() => keyboard.press('Enter'));
    assert.equal(turnsIn(bytes), 1 + TURNS + 1);
  });

  test(`ten turns, a branch and a file by what a screen reader says (${language})`, async (t) => {
    const { app } = await begun(t, language);
    const said = app.id('reply-said');
    const button = (name, within = app.page) => within.getByRole('button', { name });
    /** As a screen reader presses: what shows itself only to a pointer is there all the same. */
    const press = (control) => control.dispatchEvent('click');
    const line = app.page.getByRole('textbox', { name: words.say });
    for (let turn = 1; turn <= TURNS; turn += 1) {
      await line.fill(`Line ${turn}.`);
      await press(button(words.send));
      // Once it is there it is said, as prose and whole.
      await eventually(async () => assert.equal(await said.textContent(), `Reply ${turn} of Ada.`));
      await button(words.send).waitFor();
    }
    const story = await app.page.getByRole('region', { name: words.story, exact: true }).ariaSnapshot();
    for (const part of ['Line 10.', words.turn(10)]) assert.ok(story.includes(part), `${part} in:\n${story}`);

    const fourth = app.page.getByRole('article', { name: words.turn(4), exact: true });
    await press(button(words.branch, fourth));
    await eventually(async () => assert.equal(await app.page.getByRole('article', { name: words.turn(5), exact: true }).count(), 0));
    await line.fill('Another way.');
    await press(button(words.send));
    await eventually(async () => assert.equal(await said.textContent(), 'Reply 11 of Ada.'));

    const list = app.page.getByRole('navigation').getByRole('listitem').filter({ hasText: 'Tale' });
    const { bytes } = await app.download(() => press(button(new RegExp(`^${words.export}.*Tale`), list)));
    assert.equal(turnsIn(bytes), 1 + TURNS + 1);
  });

  test(`a reply that is long on its way, and one that fails, are said (${language})`, async (t) => {
    const { app, llm } = await begun(t, language);
    const said = app.id('reply-said');
    llm.on(() => ({ text: 'It takes its time.', holdAfter: 2 }));
    const turn = await app.send('Go on.');
    await eventually(async () => assert.match(await said.textContent(), new RegExp(words.comes)));
    await app.replyGrows(turn);
    llm.release();
    await eventually(async () => assert.equal(await said.textContent(), 'It takes its time.'));
    llm.script({ status: 429, errorMessage: 'slow down' });
    await app.play('And then?', 'error');
    const fault = await app.turn(turn + 1).root.innerText();
    await eventually(async () => {
      const words = (await said.textContent()).trim();
      assert.ok(words.length > 5 && fault.includes(words.replace(/[.。]$/, '')), `${words} in ${fault}`);
    });
  });
}
