// The cradle: a character grows out of what it is fed, over a week with the page closed in between.

import assert from 'node:assert/strict';
import test from 'node:test';

import axe from 'axe-core';

import { NETWORK, stage } from '../support/browser.mjs';
import { eventually } from '../support/page.mjs';

const at = stage();

const DAY = 24 * 60 * 60 * 1000;

const LANGUAGES = {
  'zh-CN': {
    reads: /^你在用一段段读给你的文字/,
    empty: /摇篮是空的/,
    nothing: /没有文字/,
    notText: /不是文本文件/,
    task: /3 次调用，发出约 [\d,]+ 个 token/,
    waits: /读了 0 段，共 2 段。下一步：4 天后/,
    one: /读了 1 段，共 2 段/,
    rests: /正在休息/,
    missed: /上一次没有成.*太频繁|上一次没有成/,
    ripe: /长成了/,
    fed: '她守灯三十年，怕黑，却从不说。',
    known: '灯塔建于一九一二年，烧的是鲸油。',
    description: '守灯的人。',
    opening: '楼梯响了三声，{{user}}站在门口。',
    shown: /楼梯响了三声/,
  },
  'en-GB': {
    reads: /^You grow a character for interactive fiction/,
    empty: /The cradle is empty/,
    nothing: /There is no text in it/,
    notText: /This is no text file/,
    task: /3 calls, about [\d,]+ tokens sent/,
    waits: /0 of 2 pieces read\. Next step in 4 days/,
    one: /1 of 2 pieces read/,
    rests: /It rests/,
    missed: /The newest try failed/,
    ripe: /a full character now/,
    fed: 'She has kept the light for thirty years. She fears the dark, and never says so.',
    known: 'The tower was built in 1912 and burnt whale oil.',
    description: 'She keeps the light.',
    opening: 'Three steps creak. {{user}} stands in the door.',
    shown: /Three steps creak/,
  },
};

/**
 * What is due is looked at some seconds after a start, once the page has been quiet; where the page before still holds the
 * character, half a minute later.
 */
const LONG = 80_000;
const says = (locator, pattern) => eventually(async () => assert.match((await locator.allInnerTexts()).join('\n'), pattern), LONG);
const count = (locator, wanted) => eventually(async () => assert.equal(await locator.count(), wanted), LONG);

for (const [language, words] of Object.entries(LANGUAGES)) {
  test(`a character grows over a week, and is played (${language})`, async (t) => {
    const llm = await at.provider(t, {});
    const app = await at.open(t, { language, viewport: { width: 1440, height: 900 }, allow: NETWORK });
    // The clock of the page: so many days ahead.
    await app.page.context().addInitScript(() => {
      const now = Date.now;
      Date.now = () => now() + Number(localStorage.getItem('test.ahead') ?? 0);
    });
    const ahead = async (days) => {
      await app.page.evaluate((ahead) => localStorage.setItem('test.ahead', String(ahead)), days * DAY);
      await app.reload();
    };
    await app.addConnection({ url: llm.base('openai') });
    const reading = () => llm.chat().filter((request) => words.reads.test(request.user));
    llm.on((request) => {
      if (!words.reads.test(request.user)) {
        return JSON.stringify({ first_message: words.opening, other_greetings: ['…'], emotions: ['calm'], goals: ['light'] });
      }
      const knows = request.user.includes(words.known);
      return JSON.stringify(knows ? { knowledge: [{ title: '1912', keys: ['1912'], text: words.known }] } : { description: words.description, core_traits: ['quiet'] });
    });

    await app.go('cradle');
    await says(app.page.locator('.sheet-page'), words.empty);
    await app.id('cradle-name').fill('林夕');
    await app.id('cradle-new').click();
    // What is no food is said so, beside the place.
    await app.id('cradle-feed-give').click();
    await says(app.id('cradle-feed-fault'), words.nothing);
    await app.upload('cradle-feed-file', { name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from([0xff, 0xfe, 0x00, 0xd8]) });
    await says(app.id('cradle-feed-fault'), words.notText);
    await app.id('cradle-feed-text').fill(words.fed);
    await app.id('cradle-feed-give').click();
    await count(app.id('cradle-feed'), 1);
    await count(app.id('cradle-feed-fault'), 0);
    await app.id('cradle-feed-kind').selectOption('knowledge');
    await app.upload('cradle-feed-file', { name: 'tower.txt', mimeType: 'text/plain', buffer: Buffer.from(words.known) });
    await count(app.id('cradle-feed'), 2);
    await says(app.id('cradle-task'), words.task);
    await app.page.evaluate(axe.source);
    const found = await app.page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }));
    assert.deepEqual(found.violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]), []);

    await app.id('cradle-begin').click();
    await says(app.id('cradle-state'), words.waits);
    assert.equal(llm.chat().length, 0, 'nothing is due yet');

    // Four days later, in two tabs: the first piece is due, and is read once.
    llm.script({ text: JSON.stringify({ description: words.description, core_traits: ['quiet'] }), hold: true });
    const other = await app.page.context().newPage();
    await ahead(4);
    await other.goto(app.page.url());
    await eventually(() => assert.equal(reading().length, 1), LONG);
    await other.waitForFunction(() => document.documentElement.dataset.whole !== undefined, null, { timeout: LONG });
    await other.waitForTimeout(1_500);
    assert.equal(reading().length, 1);
    llm.release();
    await count(app.id('cradle-step'), 1);
    await says(app.id('cradle-state'), words.one);
    await says(app.id('cradle-field').and(app.page.locator('[data-field="description"]')), new RegExp(words.description));
    await other.close();
    assert.equal(reading().length, 1);

    // It rests while it is told to.
    await app.id('cradle-pause').click();
    await says(app.id('cradle-state'), words.rests);
    await app.id('cradle-begin').click();
    await eventually(async () => assert.doesNotMatch(await app.id('cradle-state').innerText(), words.rests));

    // A week later all is due; it fails, says why, and is tried again.
    llm.script({ status: 429, errorMessage: 'slow down' });
    await ahead(11);
    await says(app.id('cradle-missed'), words.missed);
    await app.id('cradle-again').click();
    await says(app.id('cradle-state'), words.ripe);
    await count(app.id('cradle-step'), 3);
    await says(app.id('cradle-field').and(app.page.locator('[data-field="knowledge"]')), /1912/);
    await says(app.id('cradle-step').first(), /calm/);

    // The last step is taken back, and made again.
    const before = llm.chat().length;
    await app.id('cradle-back').click();
    await says(app.id('cradle-state'), words.rests);
    await count(app.id('cradle-step'), 2);
    assert.equal(llm.chat().length, before);
    await app.id('cradle-begin').click();
    await says(app.id('cradle-state'), words.ripe);
    assert.equal(llm.chat().length, before + 1);

    // It is played as any other.
    await app.id('cradle-editor').click();
    await eventually(async () => assert.equal(await app.id('character-description').inputValue(), words.description));
    await app.createStoryline({ character: '林夕' });
    await says(app.turn(0).reply, words.shown);
    await app.play('1912?');
    assert.match(JSON.stringify(llm.chat().at(-1).body), new RegExp(words.known.slice(0, 8)));
    assert.deepEqual(app.unexpected(), []);
  });
}

const AHEAD = {
  'zh-CN': { unusable: /没法用/, would: /下一步会改的/, of: /灯，第 1 段/, left: /1 段不读/ },
  'en-GB': { unusable: /cannot be used/, would: /What the next step would change/, of: /The lamp, piece 1/, left: /1 left out/ },
};

for (const [language, words] of Object.entries(AHEAD)) {
  test(`what the next step would change is seen before it is let in (${language})`, async (t) => {
    const llm = await at.provider(t, {});
    const app = await at.open(t, { language, viewport: { width: 1440, height: 900 }, allow: NETWORK });
    await app.addConnection({ url: llm.base('openai') });
    await app.go('cradle');
    await app.id('cradle-new').click();
    await app.id('cradle-feed-title').fill(language === 'zh-CN' ? '灯' : 'The lamp');
    const chapter = (nth) => `Chapter ${nth}. ${'The keeper lit the lamp and spoke of the sea. '.repeat(170)}`;
    await app.id('cradle-feed-text').fill([1, 2, 3].map(chapter).join('\n'));
    await app.id('cradle-feed-give').click();
    await count(app.id('cradle-feed'), 1);
    // One press too many is taken back.
    await app.id('cradle-feed-drop').click();
    await count(app.id('cradle-feed'), 0);
    await app.id('notice-undo').click();
    await count(app.id('cradle-feed'), 1);
    await count(app.id('cradle-look-ahead'), 0);
    await app.id('cradle-begin').click();
    const ahead = app.id('cradle-ahead');
    const kept = async () => (await app.records('characters')).find((one) => one.cradle);
    const look = async (description, button = 'cradle-look-ahead') => {
      llm.script(JSON.stringify({ description }));
      await app.id(button).click();
      // What differs is marked word by word.
      await says(ahead, new RegExp(description.split(' ').at(-1)));
    };
    // Why it cannot be seen is said; then it is, and nothing is changed by that.
    llm.script('No.');
    await app.id('cradle-look-ahead').click();
    await says(app.id('notice'), words.unusable);
    await look('Keeper one');
    await says(ahead, words.would);
    await says(ahead, words.of);
    assert.ok(!(await kept()).description);
    await app.page.evaluate(axe.source);
    const found = await app.page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }));
    assert.deepEqual(found.violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]), []);
    // It is there after a reload; another try is another one; let in, it is the character's.
    await app.reload();
    await says(ahead, /Keeper one/);
    await look('Keeper two', 'cradle-ahead-again');
    const calls = llm.chat().length;
    await app.id('cradle-let-in').click();
    await count(app.id('cradle-step'), 1);
    assert.equal((await kept()).description, 'Keeper two');
    assert.equal(llm.chat().length, calls);
    await count(ahead, 0);
    // The next is left out: it changed nothing, and is not read.
    await look('Keeper three');
    await app.id('cradle-leave-out').click();
    await says(app.id('cradle-feed'), words.left);
    assert.equal((await kept()).description, 'Keeper two');
    assert.deepEqual(app.unexpected(), []);
  });
}

test('at once is at once, can be stopped, and a step is undone piece by piece', async (t) => {
  const llm = await at.provider(t, {});
  const app = await at.open(t, { language: 'en-GB', allow: NETWORK });
  await app.addConnection({ url: llm.base('openai') });
  await app.go('cradle');
  await app.id('cradle-new').click();
  const chapter = (nth) => `Chapter ${nth}. ${'The keeper lit the lamp and spoke of the sea. '.repeat(170)}`;
  await app.id('cradle-feed-title').fill('The lamp');
  await app.id('cradle-feed-text').fill([1, 2, 3].map(chapter).join('\n'));
  await app.id('cradle-feed-give').click();
  await count(app.id('cradle-feed'), 1);
  await app.id('cradle-days').selectOption('0');
  llm.on((request) => {
    const nth = Number(/Chapter (\d)/.exec(request.user)?.[1]);
    return nth === 2 ? { text: '{"personality": "Dry."}', hold: true } : JSON.stringify({ description: `After ${nth}.`, name: 'Ada' });
  });
  await app.id('cradle-begin').click();
  await says(app.id('cradle-progress'), /step 2 of about/);
  await app.id('cradle-stop').click();
  await says(app.id('cradle-state'), /It rests/);
  await count(app.id('cradle-step'), 1);
  llm.release();
  llm.on((request) => {
    const nth = Number(/Chapter (\d)/.exec(request.user)?.[1]);
    return JSON.stringify(nth ? { description: `After ${nth}.` } : { first_message: 'The end.' });
  });
  await app.id('cradle-begin').click();
  await says(app.id('cradle-state'), /a full character now/);
  await count(app.id('cradle-step'), 4);
  const description = app.id('cradle-field').and(app.page.locator('[data-field="description"]'));
  await says(description, /After 3/);
  for (const left of [3, 2]) {
    await app.id('cradle-back').click();
    await count(app.id('cradle-step'), left);
  }
  await says(description, /After 2/);
  await says(app.id('cradle-feed'), /1 left out/);
  await app.id('cradle-feed-again').click();
  await app.id('cradle-begin').click();
  await says(app.id('cradle-state'), /a full character now/);
  await says(description, /After 3/);
  // The name that it was given lies in the list, and all of it is there after a reload.
  await app.reload();
  await count(app.id('cradle-step'), 4);
  await app.go('cradle');
  await says(app.id('cradle-item'), /Ada/);
  assert.deepEqual(app.unexpected(), []);
});
