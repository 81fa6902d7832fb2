// Character sheet and plot summary: written behind a turn, told to the model, worded, compared, locked, and never in the
// way of the chat.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import test from 'node:test';

import axe from 'axe-core';

import { NETWORK, stage } from '../support/browser.mjs';
import { eventually } from '../support/page.mjs';

const at = stage();

const LANGUAGES = {
  'zh-CN': {
    sheetAsks: /^请更新Ada的角色状态卡/,
    plotAsks: /^请更新这个故事的剧情摘要/,
    sheets: ['## 心情\n- 疲惫\n## 目标\n- 找到灯', '## 心情\n- 安心\n## 目标\n- 找到灯'],
    plots: ['- 他来了。', '- 他来了，又走了。'],
    told: /\[Ada现在的状态\]\n## 心情\n- 疲惫/,
    updated: /角色状态卡更新了/,
    failed: /角色状态卡没有更新/,
    nothing: /没有新的对话/,
    own: '## 心情\n- 我自己写的',
    word: '疲惫',
    lock: '/状态卡 锁定',
    odd: /不明白“烧掉”/,
    burn: '/状态卡 烧掉',
  },
  'en-GB': {
    sheetAsks: /^Update the character sheet of Ada/,
    plotAsks: /^Update the plot summary/,
    sheets: ['## Emotions\n- weary\n## Goals\n- find the lamp', '## Emotions\n- calm\n## Goals\n- find the lamp'],
    plots: ['- He came.', '- He came and left.'],
    told: /\[Ada as of now\]\n## Emotions\n- weary/,
    updated: /The character sheet was updated/,
    failed: /The character sheet was not updated/,
    nothing: /Nothing was told since/,
    own: '## Emotions\n- in my own words',
    word: 'weary',
    lock: '/sheet lock',
    odd: /“burn” is not understood/,
    burn: '/sheet burn',
  },
};

const shows = (locator, pattern) => eventually(async () => assert.match((await locator.allInnerTexts()).join('\n'), pattern));
const story = async (app) => (await app.records('storylines'))[0];

for (const [language, words] of Object.entries(LANGUAGES)) {
  test(`who the character is by now and what has happened are kept, told and worded (${language})`, async (t) => {
    const llm = await at.provider(t, {});
    const app = await at.open(t, { language, viewport: { width: 1440, height: 900 }, allow: NETWORK });
    await app.begin(llm, { character: { name: 'Ada' }, title: 'Tale' });
    const counts = { chat: 0, sheet: 0, plot: 0 };
    let sheetFails = false;
    llm.on(({ user }) => {
      if (words.sheetAsks.test(user)) {
        return sheetFails ? '' : words.sheets[(counts.sheet += 1) % 2 ? 0 : 1];
      }
      if (words.plotAsks.test(user)) return words.plots[(counts.plot += 1) % 2 ? 0 : 1];
      return `Reply ${(counts.chat += 1)}.`;
    });

    // On, every three messages.
    await app.id('tab-story').click();
    await app.id('sheet-settings').locator('summary').click();
    for (const [on, messages] of [['sheet-on', 'sheet-messages'], ['plot_summary-on', 'plot-messages']]) {
      await app.id(on).check();
      await app.id(messages).fill('0x');
      await app.id('sheet-number-error').waitFor();
      await app.id(messages).fill('3');
      await app.id(messages).blur();
      await app.id('sheet-number-error').waitFor({ state: 'detached' });
    }
    await eventually(async () => {
      const { modules } = await story(app);
      assert.deepEqual([modules?.sheet?.messages, modules?.plot_summary?.messages], [3, 3]);
    });
    await app.play('One.');
    await app.play('Two.');
    await eventually(async () => assert.ok((await app.records('generations')).some((reply) => reply.characterSheet && reply.memory)));
    await app.unfold(2);
    await shows(app.id('turn').last(), words.updated);
    const reply = (await app.records('generations')).find((reply) => reply.characterSheet);
    assert.deepEqual([reply.characterSheet, reply.memory, reply.rpContextVersion], [words.sheets[0], words.plots[0], 1]);
    assert.ok(reply.lastUpdate > 0);

    // The panels, and what the next turn is told.
    await app.id('tab-persona').click();
    const sheet = app.id('text-sheet');
    await shows(sheet.getByTestId('sheet-text'), new RegExp(words.sheets[0].split('\n')[1].slice(2)));
    await app.play('Three.');
    const chat = llm.chat().filter(({ user }) => user === 'Three.').at(-1);
    assert.match(chat.body.messages.map(({ content }) => content).join('\n'), words.told);
    await app.play('Four.');
    await shows(sheet.getByTestId('sheet-text'), new RegExp(words.sheets[1].split('\n')[1].slice(2)));
    await sheet.getByTestId('sheet-update').click();
    await shows(sheet.getByTestId('sheet-error'), words.nothing);

    // In the reader's words; all wordings with what differs, and back again.
    await sheet.getByTestId('sheet-edit').click();
    await sheet.getByTestId('sheet-input').fill(words.own);
    await sheet.getByTestId('sheet-save').click();
    await shows(sheet.getByTestId('sheet-text'), new RegExp(words.own.split('\n')[1].slice(2)));
    await sheet.getByTestId('sheet-versions').locator('summary').click();
    await eventually(async () => assert.equal(await sheet.getByTestId('sheet-version').count(), 3));
    await sheet.getByTestId('sheet-version').nth(1).getByTestId('sheet-compare').click();
    await sheet.getByTestId('sheet-difference').waitFor();
    await sheet.getByTestId('sheet-version').nth(2).getByTestId('sheet-restore').click();
    await shows(sheet.getByTestId('sheet-text'), new RegExp(words.sheets[0].split('\n')[1].slice(2)));
    // Other words in all of them.
    await sheet.getByTestId('sheet-bulk').locator('summary').click();
    await app.id('sheet-bulk-find').fill(words.word);
    await shows(app.id('sheet-bulk-count'), /^[12] (of 3|个版本里有，共 3)/);
    await app.id('sheet-bulk-by').fill('★');
    await app.id('sheet-bulk-do').click();
    await app.id('sheet-bulk-done').waitFor();
    await shows(sheet.getByTestId('sheet-text'), /★/);
    await app.id('sheet-bulk-find').fill('★');
    await app.id('sheet-bulk-by').fill(words.word);
    await shows(app.id('sheet-bulk-count'), /^[12] (of 3|个版本里有，共 3)/);
    await app.id('sheet-bulk-do').click();
    await shows(sheet.getByTestId('sheet-text'), new RegExp(words.word));
    await sheet.getByTestId('sheet-drawing').locator('summary').click();
    await eventually(async () => assert.ok((await sheet.getByTestId('sheet-lane').count()) >= 3));
    await app.page.evaluate(axe.source);
    const found = await app.page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }));
    assert.deepEqual(found.violations.map(({ id, nodes }) => `${id}: ${nodes[0].target}`), []);

    // Out as a file, and in.
    const coming = app.page.waitForEvent('download');
    await sheet.getByTestId('sheet-export').click();
    const file = await (await coming).path();
    assert.equal(await readFile(file, 'utf8'), words.sheets[0]);
    await sheet.getByTestId('sheet-import').setInputFiles({ name: 'sheet.txt', mimeType: 'text/plain', buffer: Buffer.from('x'.repeat(30_000)) });
    await sheet.getByTestId('sheet-error').waitFor();
    await sheet.getByTestId('sheet-import').setInputFiles({ name: 'sheet.txt', mimeType: 'text/plain', buffer: Buffer.from('From a file.') });
    await shows(sheet.getByTestId('sheet-text'), /From a file\./);

    // Locked from the composer: the summary follows the sheet.
    const input = app.id('composer-input');
    await input.fill(words.burn);
    await app.page.keyboard.press('Enter');
    await shows(app.id('command-error'), words.odd);
    await input.fill(words.lock);
    await app.page.keyboard.press('Enter');
    await eventually(async () => assert.equal((await story(app)).modules.sheet.lock, true));
    await app.id('tab-plot').click();
    await eventually(async () => assert.equal(await app.id('text-plot_summary').getByTestId('sheet-pause').count(), 0));

    // A sheet that does not come stops neither the summary nor the chat, and is said at the reply.
    sheetFails = true;
    const before = counts.plot;
    await app.play('Five.');
    await app.play('Six.');
    await shows(app.id('turn').last(), words.failed);
    assert.ok(counts.plot > before);
    await shows(app.id('text-plot_summary').getByTestId('sheet-text'), /./);
    await app.play('Seven.');
    assert.match(await app.replyText(7), /Reply 7\./);
  });
}
