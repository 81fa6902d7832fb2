// Reading: how the story is set, the story without its machinery, and read aloud.

import assert from 'node:assert/strict';
import test from 'node:test';

import { stage } from '../support/browser.mjs';
import { eventually } from '../support/page.mjs';

const at = stage();

const turn = (app, number) => app.page.locator(`[data-testid="turn"][data-turn="${number}"]`);
const style = (locator, name) => locator.evaluate((element, name) => getComputedStyle(element)[name], name);

/** What was chosen is shown at once and written a moment later: before that, a reload would forget it. */
const kept = (app, choice) => eventually(async () => assert.match(JSON.stringify(await app.records('settings')), choice));

/** A story of a few turns, long enough to be scrolled. */
async function told(t, options = {}) {
  const app = await at.open(t, options);
  const llm = await at.provider(t);
  await app.begin(llm, { character: { name: '林夕', first_mes: '门上的铃响了。' } });
  for (let number = 1; number <= 4; number += 1) {
    llm.script(`第${number}回。她说：“进来吧。”\n\n${'雨落在窗上，书一本一本地湿了。'.repeat(20)}`);
    await app.play(`第${number}句。`);
  }
  return { app, llm };
}

test('the story is set as the reader wants it, at once and for good', async (t) => {
  const { app } = await told(t);
  const paragraph = turn(app, 4).locator('.reply p').last();
  const column = app.page.locator('.column');
  const before = { leading: await style(paragraph, 'lineHeight'), width: await style(column, 'maxWidth') };
  await app.go('settings');
  const sample = app.id('type-sample').locator('p').first();
  for (const [field, value] of [['type-face', 'kai'], ['type-leading', 'open'], ['type-measure', 'wide'], ['type-paragraphs', 'indented'], ['type-speech', 'plain']]) {
    await app.id(field).selectOption(value);
  }
  await eventually(async () => assert.match(await style(sample, 'fontFamily'), /Kai/));
  assert.notEqual(await style(sample, 'textIndent'), '0px', 'the sample goes along');
  await app.id('type-portraits').check();
  await kept(app, / portraits"/);
  await app.reload();
  assert.equal(await app.id('type-portraits').isChecked(), true);
  await app.openStory();
  await paragraph.waitFor();
  assert.ok(parseFloat(await style(paragraph, 'lineHeight')) > parseFloat(before.leading));
  assert.ok(parseFloat(await style(column, 'maxWidth')) > parseFloat(before.width));
  assert.notEqual(await style(paragraph, 'textIndent'), '0px');
  const speech = turn(app, 4).locator('.speech').first();
  assert.equal(await style(speech, 'color'), await style(paragraph, 'color'), 'speech is as the rest');
  await eventually(async () => assert.equal(await turn(app, 4).getByTestId('turn-speaker').innerText(), '林夕'));
});

test('a picture in a reply is fetched by nobody but who opens it', async (t) => {
  const app = await at.open(t, { language: 'en-US' });
  const llm = await at.provider(t);
  await app.begin(llm, { character: { name: 'Wren' } });
  const asked = [];
  app.page.on('request', (request) => asked.push(request.url()));
  llm.script('Here.\n\n![the map](https://pictures.example/map.png?who=me)\n\n[![a door](https://pictures.example/door.png)](https://door.example/)');
  const number = await app.play('Show me.');
  const picture = turn(app, number).getByRole('link', { name: 'Image not loaded: the map' });
  assert.equal(await picture.getAttribute('href'), 'https://pictures.example/map.png?who=me');
  assert.equal(await picture.getAttribute('target'), '_blank');
  assert.match(await picture.getAttribute('rel'), /noopener noreferrer/);
  assert.match(await picture.getAttribute('title'), /its site learns .* https:\/\/pictures\.example\/map/);
  assert.equal(await turn(app, number).getByRole('link', { name: 'a door', exact: true }).getAttribute('href'), 'https://door.example/');
  assert.equal(await turn(app, number).locator('img[src^="http"]').count(), 0);
  assert.deepEqual(asked.filter((url) => url.includes('.example')), []);
});

for (const theme of ['sepia', 'contrast']) {
  test(`the page can be read in ${theme}, from its first frame on`, async (t) => {
    const app = await at.open(t, { scheme: 'dark' });
    await app.go('settings');
    await app.id('theme-select').selectOption(theme);
    const paper = () => app.page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const want = { sepia: 'rgb(241, 228, 200)', contrast: 'rgb(0, 0, 0)' }[theme];
    await eventually(async () => assert.equal(await paper(), want));
    await kept(app, new RegExp(theme));
    await app.reload();
    assert.equal(await paper(), want);
    assert.match(await app.page.evaluate(() => localStorage.getItem('fabula.look')), new RegExp(`\\|${theme}\\|`));
  });
}

test('only the story is seen, where the reader was, and Escape leads back', async (t) => {
  const { app, llm } = await told(t, { viewport: { width: 1440, height: 900 } });
  await turn(app, 2).scrollIntoViewIfNeeded();
  const top = () => turn(app, 2).evaluate((article) => Math.round(article.getBoundingClientRect().top));
  await app.page.locator('#story').evaluate((story) => {
    const turn = story.querySelector('[data-turn="2"]');
    story.scrollTop += turn.getBoundingClientRect().top - story.getBoundingClientRect().top + 40;
  });
  await eventually(async () => assert.ok((await top()) < 60));
  const before = await top();
  await app.id('reader-open').click();
  for (const gone of ['composer-input', 'storyline-item', 'tab-story', 'notebook-open', 'turn-edit', 'turn-copy']) {
    await eventually(async () => assert.equal(await app.id(gone).first().isVisible(), false, gone));
  }
  assert.ok(await turn(app, 2).locator('.reply').isVisible());
  await eventually(async () => assert.ok(Math.abs((await top()) - before) < 24, `from ${before} to ${await top()}`));
  await app.page.keyboard.press('Escape');
  await app.id('composer-input').waitFor();
  await eventually(async () => assert.ok(Math.abs((await top()) - before) < 24, `from ${before} to ${await top()}`));
  // By a command as well, and out by its button.
  await app.id('composer-input').fill('/read');
  await app.page.keyboard.press('Enter');
  await app.id('reader-leave').click();
  await app.id('composer-input').waitFor();
  assert.equal(await app.id('composer-input').inputValue(), '');

  // What is being written goes on while one only reads: Escape leaves that, and nothing is asked for by the arrows.
  llm.script({ text: '雨还在下。', holdAfter: 2 });
  const last = await app.send('听。');
  await app.replyGrows(last);
  await app.id('reader-open').click();
  await app.id('reader-leave').waitFor();
  await app.page.keyboard.press('Escape');
  await app.id('composer-stop').waitFor();
  llm.release();
  await app.waitStatus(last, 'done');
  const asked = llm.chat().length;
  await app.id('reader-open').click();
  await app.id('reader-leave').waitFor();
  await app.page.keyboard.press('ArrowRight');
  await app.page.keyboard.press('Escape');
  await app.id('composer-input').waitFor();
  assert.equal(llm.chat().length, asked);
});

/** Voices of the browser that do what the test lets them: each sentence is said once `finish` is called. */
const voices = (languages) => {
  const said = [];
  let current = null;
  globalThis.spoken = said;
  globalThis.finish = (type = 'end') => {
    const utterance = current;
    current = null;
    utterance?.[`on${type}`]?.({ type });
  };
  globalThis.SpeechSynthesisUtterance = class {
    constructor(text) {
      this.text = text;
    }
  };
  Object.defineProperty(globalThis, 'speechSynthesis', {
    configurable: true,
    value: {
      getVoices: () => languages.map((lang) => ({ name: `Voice of ${lang}`, lang })),
      speak: (utterance) => {
        current = utterance;
        said.push({ text: utterance.text, lang: utterance.lang, rate: utterance.rate, voice: utterance.voice?.name });
      },
      cancel: () => globalThis.finish('error'),
    },
  });
};

test('a story is read aloud, sentence by sentence and turn by turn', async (t) => {
  const { app } = await told(t);
  await app.page.addInitScript(voices, ['zh-CN', 'en-US']);
  await app.reload();
  await turn(app, 1).waitFor();
  const spoken = () => app.page.evaluate(() => globalThis.spoken);
  const finish = () => app.page.evaluate(() => globalThis.finish());
  const says = (text) => eventually(async () => assert.equal((await spoken()).at(-1)?.text, text));
  const shows = (text) => eventually(async () => assert.equal(await app.id('aloud-sentence').innerText(), text));

  await turn(app, 1).hover();
  await turn(app, 1).getByTestId('turn-aloud').click();
  await says('第1句。');
  await shows('第1句。');
  assert.deepEqual((await spoken())[0], { text: '第1句。', lang: 'zh-CN', rate: 1, voice: undefined });
  assert.ok(await turn(app, 1).evaluate((article) => article.classList.contains('spoken')));
  await finish();
  await says('第1回。');
  await finish();
  await says('她说：“进来吧。”');

  // Paused, it says nothing; it goes on with the same sentence.
  await app.id('aloud-pause').click();
  const count = (await spoken()).length;
  await app.id('aloud-back').click();
  await shows('第1回。');
  assert.equal((await spoken()).length, count);
  await app.id('aloud-pause').click();
  await says('第1回。');

  // Another voice and another pace hold from this sentence on, and for good.
  await app.id('aloud-voice').selectOption('Voice of zh-CN');
  await app.id('aloud-rate').selectOption('130');
  await eventually(async () => assert.deepEqual((await spoken()).at(-1), { text: '第1回。', lang: 'zh-CN', rate: 1.3, voice: 'Voice of zh-CN' }));
  assert.deepEqual(await app.id('aloud-voice').locator('option').allInnerTexts(), ['浏览器的', 'Voice of zh-CN'], 'of the story’s language');

  // Past the last sentence the next turn follows.
  const hasMore = () => app.page.evaluate(() => {
    const bar = document.querySelector('[data-testid="aloud"]');
    return bar.innerText.includes('第 1 轮') && bar.querySelector('[data-testid="aloud-sentence"]').innerText !== '';
  });
  while (await hasMore()) await app.id('aloud-forth').click();
  await says('第2句。');
  await eventually(async () => assert.ok(await turn(app, 2).evaluate((article) => article.classList.contains('spoken'))));
  await app.id('aloud-stop').click();
  await app.id('aloud').waitFor({ state: 'detached' });
  await app.reload();
  await turn(app, 4).hover();
  await turn(app, 4).getByTestId('turn-aloud').click();
  await eventually(async () => assert.deepEqual((await spoken()).at(-1), { text: '第4句。', lang: 'zh-CN', rate: 1.3, voice: 'Voice of zh-CN' }));
  // What fails is said, and waits.
  await app.page.evaluate(() => globalThis.finish('error'));
  await eventually(async () => assert.match(await app.page.locator('[data-testid="notice"]').last().innerText(), /浏览器没有念出来/));
  assert.ok(await app.id('aloud').isVisible());
  // Elsewhere nothing is read.
  await app.go('settings');
  await app.openStory();
  assert.equal(await app.id('aloud').count(), 0);
});

test('a browser without a voice for the language says so', async (t) => {
  const { app } = await told(t, { language: 'zh-CN' });
  await app.page.addInitScript(voices, ['de-DE']);
  await app.reload();
  await turn(app, 4).hover();
  await turn(app, 4).getByTestId('turn-aloud').click();
  await eventually(async () => assert.match(await app.page.locator('[data-testid="notice"]').last().innerText(), /没有会说这种语言的嗓音/));
  assert.equal(await app.page.evaluate(() => globalThis.spoken.length), 0);
});
