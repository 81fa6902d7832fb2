// The scribe: what changed is noted by a second call after the reply, and it catches up on what was told without it.

import assert from 'node:assert/strict';
import test from 'node:test';

import { NETWORK, stage } from '../support/browser.mjs';
import { eventually } from '../support/page.mjs';
import { storyFile } from '../support/story.mjs';

const at = stage();

const LANGUAGES = {
  'zh-CN': {
    kind: 'openai',
    asksFor: (body) => body.response_format?.json_schema?.name,
    asks: /^你是一个长篇互动故事的书记/,
    feeling: '疲惫',
    note: /情绪 · 疲惫/,
    noted: /书记记下了第 0–1 轮 · story-large · 问 \d+ · 答 \d+ 个 token · [\d.]+ 秒/,
    reading: /书记正在读/,
    failed: /书记没有记下这里的变化/,
    task: /(\d+) 轮没有读过：(\d+) 次调用/,
    parts: /正在读：第 2 次，共 2 次/,
    kept: /已经记下的会留着/,
    read: /都读过了/,
  },
  'en-GB': {
    kind: 'anthropic',
    asksFor: (body) => body.tools?.[0]?.name,
    asks: /^You are the scribe of a long interactive story/,
    feeling: 'weary',
    note: /Feeling · weary/,
    noted: /The scribe noted turns 0–1 · story-large · tokens in \d+, out \d+ · [\d.]+ s/,
    reading: /The scribe is reading/,
    failed: /The scribe noted nothing here/,
    task: /(\d+) turns not read: (\d+) calls/,
    parts: /Reading: call 2 of 2/,
    kept: /What was noted stays/,
    read: /all of it was read/,
  },
};

const feels = (content) => JSON.stringify({ current_state: { emotions: [{ content, context: '' }] } });
const shows = (locator, pattern) => eventually(async () => assert.match((await locator.allInnerTexts()).join('\n'), pattern));
const gone = (locator) => eventually(async () => assert.equal(await locator.count(), 0));
const story = async (app) => (await app.records('storylines'))[0];
const noted = async (app) => (await app.records('generations')).filter((reply) => reply.noted).map((reply) => reply.noted.turns);

async function turnOn(app) {
  await app.id('tab-story').click();
  await app.id('scribe-settings').locator('summary').click();
  await app.id('scribe-enabled').check();
  await eventually(async () => assert.equal((await story(app)).modules?.scribe?.enabled, true));
}

for (const [language, words] of Object.entries(LANGUAGES)) {
  const isScribe = (request) => words.asks.test(request.user);

  test(`a note comes after the reply, delays nobody, and is made up for where it failed (${language})`, async (t) => {
    const llm = await at.provider(t, {});
    const app = await at.open(t, { language, viewport: { width: 1440, height: 900 }, allow: NETWORK });
    await app.begin(llm, { connection: { kind: words.kind }, character: { name: '林夕', first_mes: '门上的铃响了。' }, preset: 'persona' });
    await turnOn(app);

    // While the scribe reads the first turn, a second one is told.
    llm.on((request) => (isScribe(request) ? { text: feels(words.feeling), holdAfter: 1 } : '她推开门。'));
    const first = await app.play('我回来了。');
    await shows(app.turn(first).id('turn-noting'), words.reading);
    await eventually(() => assert.equal(llm.chat().filter(isScribe).length, 1));
    llm.on((request) => (isScribe(request) ? '{}' : '她点点头。'));
    const second = await app.play('走吧。');
    assert.equal(await app.replyText(second), '她点点头。');
    assert.deepEqual(await noted(app), []);
    llm.release();
    const note = app.turn(first).id('turn-noted');
    await shows(note, words.noted);
    await app.unfold(first);
    await shows(app.turn(first).id('turn-note'), words.note);
    await note.locator('summary').click();
    await shows(note, /current_state/);
    const asked = llm.chat().filter(isScribe);
    assert.equal(words.asksFor(asked[0].body), 'note');
    assert.match(asked[0].user, /我回来了。[^]*她推开门。/);
    assert.ok(llm.chat().filter((request) => !isScribe(request)).every((request) => !words.asksFor(request.body)));
    await app.turn(second).id('turn-noted').waitFor();
    await app.id('tab-persona').click();
    await shows(app.id('persona-item').and(app.page.locator('[data-kind="emotion"]')), new RegExp(words.feeling));

    // It fails, and says so at the reply; asked again, it reads.
    llm.on((request) => (isScribe(request) ? { status: 500, errorMessage: 'oops' } : '她停下。'));
    const third = await app.play('等等。');
    await shows(app.turn(third).id('turn-notices'), words.failed);
    await app.reload();
    await shows(app.turn(third).id('turn-notices'), words.failed);
    assert.equal(llm.chat().filter(isScribe).length, 3, 'not by itself, over and over');
    llm.on(() => ({ text: feels('……'), holdAfter: 1 }));
    await app.turn(third).id('note-retry').click();
    await app.turn(third).id('turn-noting').waitFor();
    await eventually(() => assert.equal(llm.chat().filter(isScribe).length, 4));
    await app.turn(third).id('scribe-stop').click();
    await gone(app.turn(third).id('turn-noting'));
    await shows(app.turn(third).id('turn-notices'), words.failed);
    llm.on(() => '{}');
    await app.turn(third).id('note-retry').click();
    await app.turn(third).id('turn-noted').waitFor();
    await gone(app.turn(third).id('turn-notices'));

    // A page that closes while it reads asks again when the story is opened.
    llm.on((request) => (isScribe(request) ? { text: '{}', hold: true } : '她看着雨。'));
    const fourth = await app.play('雨停了吗？');
    await eventually(() => assert.equal(llm.chat().filter(isScribe).length, 6));
    llm.on(() => '{}');
    await app.reload();
    await app.turn(fourth).id('turn-noted').waitFor();
    assert.deepEqual(await noted(app), [[0, 1], [2, 2], [3, 3], [4, 4]]);
    assert.deepEqual(app.unexpected(), []);
  });

  test(`the scribe catches up on a story that came from a file (${language})`, async (t) => {
    const llm = await at.provider(t, {});
    const app = await at.open(t, { language, viewport: { width: 1440, height: 900 }, allow: NETWORK });
    await app.addConnection({ url: llm.base('openai') });
    await app.go('storylines');
    const turns = Array.from({ length: 20 }, (_, turn) => [`第${turn}问`, `第${turn}答`]);
    const modules = { persona: { enabled: true } };
    await app.upload('storyline-import', storyFile({ character: { name: '林夕' }, opening: '门上的铃响了。', turns, storyline: { language: language.slice(0, 2), modules } }));
    await app.id('import-merge').click();
    await app.openStory();
    await app.id('tab-story').click();
    await app.id('scribe-settings').locator('summary').click();

    // What it takes is said before it begins.
    await shows(app.id('scribe-task'), words.task);
    await app.id('scribe-from').fill('1');
    await eventually(async () => {
      const [, unread, calls] = (await app.id('scribe-task').innerText()).match(words.task);
      assert.deepEqual([unread, calls], ['20', '2']);
    });
    assert.equal(llm.chat().length, 0);

    // Cancelled amid the second call: what is done stays.
    llm.script(feels('一'), { text: feels('二'), hold: true });
    await app.id('scribe-catch-up').click();
    await shows(app.id('scribe-progress'), words.parts);
    await eventually(() => assert.equal(llm.chat().length, 2));
    await app.id('scribe-cancel').click();
    await app.id('scribe-catch-up').waitFor();
    assert.deepEqual(await noted(app), [[1, 12]]);
    await shows(app.turn(20).id('turn-notices'), words.failed);

    // Failed: why is said, and then the rest is read.
    llm.script({ status: 401, errorMessage: 'no such key' });
    await app.id('scribe-catch-up').click();
    await shows(app.id('scribe-failed'), words.kept);
    llm.script(feels('三'));
    await app.id('scribe-catch-up').click();
    await shows(app.id('scribe-task'), words.read);
    assert.deepEqual(await noted(app), [[1, 12], [13, 20]]);
    assert.match(llm.chat().at(-1).user, /一[^]*第12问/);
    await gone(app.turn(20).id('turn-notices'));
    await app.id('tab-persona').click();
    await shows(app.id('persona-item').and(app.page.locator('[data-kind="emotion"]')), /三/);
    assert.doesNotMatch(await app.id('persona-item').and(app.page.locator('[data-kind="emotion"]')).first().innerText(), /一/, 'what is felt now');
    assert.deepEqual(app.unexpected(), []);
  });
}
