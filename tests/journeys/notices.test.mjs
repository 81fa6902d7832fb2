// Notices: they cover nothing, go when they are told to, and speak the language of the page.

import assert from 'node:assert/strict';
import test from 'node:test';

import { stage } from '../support/browser.mjs';
import { eventually } from '../support/page.mjs';

const at = stage();

const HAN = /[\u4e00-\u9fff]/;
const VIEWPORTS = [[1440, 900], [1000, 800], [700, 900], [390, 844]].map(([width, height]) => ({ width, height }));

const overlap = (a, b) => a.x < b.x + b.width - 1 && b.x < a.x + a.width - 1 && a.y < b.y + b.height - 1 && b.y < a.y + a.height - 1;

/** As if the story had been played for so many turns since the last backup. */
async function turnsWithoutBackup(app, turns) {
  const preferences = (await app.records('settings')).find((record) => record.id === 'preferences');
  await app.put('settings', { ...preferences, turns_since_backup: turns });
  await app.reload();
  await app.id('composer-input').waitFor();
}

const reminder = (app) => app.id('notice').filter({ has: app.id('notice-later') });

for (const [language, remind] of [['zh-CN', /还没有备份过/], ['en-US', /50 turns have never been backed up/]]) {
  test(`the reminder of a backup takes its own room, and goes once it is put off, in ${language}`, async (t) => {
    const llm = await at.provider(t);
    const app = await at.open(t, { language });
    await app.begin(llm, { character: { name: '林夕', first_mes: '门上的铃响了。' } });
    llm.script(...Array.from({ length: 6 }, () => '她没有抬头。'));
    await turnsWithoutBackup(app, 49);
    await app.play('第一句。');
    await reminder(app).waitFor();
    assert.match(await reminder(app).innerText(), remind);
    for (const viewport of VIEWPORTS) {
      await app.page.setViewportSize(viewport);
      const notice = await reminder(app).boundingBox();
      for (const place of ['history', '.composer', '.chat-header']) {
        assert.ok(!overlap(notice, await app.box(place)), `over ${place} at ${viewport.width}`);
      }
    }
    await app.page.setViewportSize(VIEWPORTS[0]);
    await app.play('第二句。');
    assert.equal(await reminder(app).count(), 1, 'said once');
    await app.id('notice-later').click();
    await reminder(app).waitFor({ state: 'detached' });
    await app.play('第三句。');
    await app.reload();
    await app.play('第四句。');
    assert.equal(await reminder(app).count(), 0, 'it was put off');
    // As many turns later it comes again, and the way to the backup is a way to let it go.
    await turnsWithoutBackup(app, 51 + 49);
    await app.play('第五句。');
    await reminder(app).getByTestId('notice-link').click();
    await reminder(app).waitFor({ state: 'detached' });
    await app.id('backup-export').waitFor();
  });
}

test('a backup takes the reminder away', async (t) => {
  const llm = await at.provider(t);
  const app = await at.open(t);
  await app.begin(llm);
  llm.script('好。');
  await turnsWithoutBackup(app, 49);
  await app.play('你好。');
  await reminder(app).waitFor();
  await app.go('settings');
  await app.download(() => app.id('backup-export').click());
  await reminder(app).waitFor({ state: 'detached' });
});

test('what offers a way back stays under the pointer and the focus, and goes after', async (t) => {
  const app = await at.open(t);
  await app.createCharacter({ name: '林夕' });
  const undo = app.id('notice-undo');
  await app.page.clock.install();
  const vanish = async () => {
    await app.go('characters');
    await app.press(app.item('character-item', '林夕'), 'character-delete');
    await undo.waitFor();
  };
  await vanish();
  await undo.hover();
  await app.page.clock.runFor(60_000);
  await undo.focus();
  await app.page.mouse.move(0, 0);
  await app.page.clock.runFor(60_000);
  await undo.press('Enter');
  await app.item('character-item', '林夕').waitFor();
  await vanish();
  await app.page.mouse.move(0, 0);
  await app.page.clock.runFor(60_000);
  await undo.waitFor({ state: 'detached' });
});

test('notices follow the language', async (t) => {
  const llm = await at.provider(t);
  const app = await at.open(t);
  await app.begin(llm);
  llm.script('好。');
  await turnsWithoutBackup(app, 49);
  await app.play('你好。');
  await app.go('characters');
  await app.press(app.id('character-item').first(), 'character-delete');
  await eventually(async () => assert.equal(await app.id('notice').count(), 2));
  await app.go('settings');
  for (const [language, isChinese] of [['en', false], ['zh', true]]) {
    await app.id('language-select').selectOption(language);
    await eventually(async () => {
      const said = (await app.id('notice').allInnerTexts()).map((text) => text.replaceAll('林夕', ''));
      assert.ok(said.length > 0);
      for (const text of said) assert.equal(HAN.test(text), isChinese, text);
    });
  }
});

test('over an open sheet a notice is still in reach', async (t) => {
  const llm = await at.provider(t);
  const app = await at.open(t, { viewport: VIEWPORTS[3], touch: true });
  await app.begin(llm);
  await app.id('shelf-open').click();
  await app.page.locator('.shelf-more').click();
  await app.id('storyline-delete').click();
  await app.id('notice-undo').click();
  // It leads back into the story, which puts the sheet away.
  await app.id('composer-input').waitFor();
  await eventually(async () => assert.equal((await app.records('storylines'))[0].deleted ?? null, null));
});

for (const [language, words, others] of [
  ['zh-CN', /记忆检索没有运行：后台程序出错了/, /worker|failed/i],
  ['en-US', /the worker failed/, HAN],
]) {
  test(`that the memory's worker failed is said in ${language}`, async (t) => {
    const llm = await at.provider(t);
    const app = await at.open(t, { language, allow: [/./] });
    await app.page.route('**/memory-worker*.js*', (route) =>
      route.fulfill({ contentType: 'text/javascript', body: 'addEventListener("message", () => { throw new Error("no more") })' }),
    );
    await app.begin(llm, { character: { name: 'Lin' }, title: 'Rain' });
    llm.script('Yes.');
    await app.play('Do you remember what I told you?');
    const note = app.id('turn-note').filter({ hasText: words });
    await note.waitFor();
    assert.doesNotMatch(await note.innerText(), others);
  });
}
