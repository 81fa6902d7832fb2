// The memory summary: the middle of a long conversation is told in short, and the conversation itself stays whole.

import assert from 'node:assert/strict';
import test from 'node:test';

import axe from 'axe-core';

import { NETWORK, stage } from '../support/browser.mjs';
import { eventually } from '../support/page.mjs';

const at = stage();

const LANGUAGES = {
  'zh-CN': {
    asks: /^一个互动故事的对话很长了/,
    heading: '以上是开头。从那以后到下文之前，发生了这些：',
    turns: /代替第 3–6 轮/,
    whose: /所有有Ada的故事/,
    range: /3,?000/,
    nothing: /没有还没总结的/,
    failed: /记忆总结没有更新/,
    unusable: /模型的回答是空的/,
  },
  'en-GB': {
    asks: /^The conversation of an interactive story has grown long/,
    heading: 'That was how it began. This is what happened between then and what follows:',
    turns: /Stands for turns 3–6/i,
    whose: /all stories with Ada/,
    range: /3,?000/,
    nothing: /There is nothing between/,
    failed: /The memory summary was not updated/,
    unusable: /The model’s answer is empty/,
  },
};

const shows = (locator, pattern) => eventually(async () => assert.match((await locator.allInnerTexts()).join('\n'), pattern));

for (const [language, words] of Object.entries(LANGUAGES)) {
  test(`the middle of a long conversation is told in short (${language})`, async (t) => {
    const llm = await at.provider(t, {});
    const app = await at.open(t, { language, viewport: { width: 1440, height: 900 }, allow: NETWORK });
    await app.begin(llm, { character: { name: 'Ada' }, title: 'Tale' });
    let summary = 'They walked along the shore.';
    let [chats, asked] = [0, 0];
    llm.on(({ user }) => {
      if (words.asks.test(user)) {
        asked += 1;
        return summary;
      }
      return `Reply ${(chats += 1)}. ${'They walked on. '.repeat(25)}`;
    });
    const played = async (count) => {
      for (let turn = 0; turn < count; turn += 1) await app.play(`Said ${chats + 1}.`);
    };
    const chat = () => llm.chat().filter(({ user }) => /^Said/.test(user)).at(-1).body.messages.map(({ content }) => content);
    const tells = (text) => chat().some((content) => content.startsWith(text));
    const character = async () => (await app.records('characters')).find(({ name }) => name === 'Ada');

    // Off until it is wanted; of the character, with its ranges.
    await app.id('tab-memory').click();
    const panel = app.id('recap');
    assert.equal(await panel.getByTestId('recap-settings').count(), 0);
    await panel.getByTestId('recap-enabled').check();
    await panel.getByTestId('recap-settings').locator('summary').click();
    await shows(panel.getByTestId('recap-settings'), words.whose);
    await app.id('recap-threshold').fill('200');
    await shows(app.id('recap-number-error'), words.range);
    await app.id('recap-threshold').fill('3000');
    await app.id('recap-threshold').blur();
    await app.id('recap-length').fill('500');
    await app.id('recap-length').blur();
    await eventually(async () => assert.deepEqual((await character()).recap, { enabled: true, threshold: 3000, length: 500 }));
    await panel.getByTestId('recap-write').click();
    await shows(panel.getByTestId('recap-error'), words.nothing);

    await played(8);
    await shows(panel.getByTestId('recap-text'), /They walked along the shore/);
    await shows(panel.getByTestId('recap-turns'), words.turns);
    assert.ok(tells('Reply 1.') && tells('Reply 5.'), 'while it was short, all was told');
    await played(1);
    assert.ok(tells('Said 1.') && tells('Reply 1.') && tells(`${words.heading}\nThey walked along the shore.`));
    assert.ok(tells('Reply 2.') && tells('Reply 7.') && tells('Reply 8.') && !tells('Said 4.') && !tells('Reply 4.'));
    assert.equal(asked, 1);
    assert.equal((await app.records('turns')).filter(({ user }) => user).length, 9, 'nothing of it is gone');

    // The inspector says what stood there.
    await app.id('tab-prompt').click();
    const history = app.page.locator('[data-testid=prompt-block][data-block*=istory]').first();
    await history.locator('summary').click();
    await shows(history.getByTestId('prompt-text'), /Reply 1\.[^]*They walked along the shore[^]*Reply 7\./);

    // In the reader's own words.
    await app.id('tab-memory').click();
    await panel.getByTestId('recap-edit').click();
    await app.id('recap-input').fill('She kept the lamp lit.');
    await app.id('recap-save').click();
    await shows(panel.getByTestId('recap-text'), /She kept the lamp lit/);
    await played(1);
    assert.ok(tells(`${words.heading}\nShe kept the lamp lit.`));
    await app.page.evaluate(axe.source);
    const found = await app.page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }));
    assert.deepEqual(found.violations.map(({ id, nodes }) => `${id}: ${nodes[0].target}`), []);

    // One that fails changes nothing, and is said.
    summary = '';
    await panel.getByTestId('recap-write').click();
    await shows(panel.getByTestId('recap-error'), words.unusable);
    await shows(app.id('turn').last(), words.failed);
    await shows(panel.getByTestId('recap-text'), /She kept the lamp lit/);
    summary = 'They came home.';
    await panel.getByTestId('recap-write').click();
    await shows(panel.getByTestId('recap-text'), /They came home/);

    // The same beneath the character's editor; off, all is told again.
    await app.go('characters');
    await app.press(app.item('character-item', 'Ada'), 'character-edit');
    await app.id('recap-settings').locator('summary').click();
    await app.id('recap-enabled').uncheck();
    await eventually(async () => assert.equal((await character()).recap.enabled, false));
    await app.openStory('Tale');
    await played(1);
    assert.ok(tells('Reply 4.') && !tells(words.heading));
  });
}
