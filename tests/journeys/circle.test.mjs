// The circle: characters post, look, like and answer; the reader among them; stories and the circle know of each other.

import assert from 'node:assert/strict';
import test from 'node:test';

import axe from 'axe-core';

import { NETWORK, stage } from '../support/browser.mjs';
import { eventually } from '../support/page.mjs';
import { png } from '../support/pictures.mjs';

const at = stage();

const HOUR = 60 * 60 * 1000;

const LANGUAGES = {
  'zh-CN': {
    looks: /请决定(.+?)怎么反应/,
    posts: /请写(.+?)的下一条/,
    empty: /还没有人说过话/,
    nothing: /还没有写什么/,
    range: /应在 1 到 1000 之间/,
    said: '今晚的雾很大。',
    shown: '码头上的一盏灯',
    answer: (name) => `${name}也在看这片雾。`,
    remembers: (name) => `${name}想起了从前。`,
    post: (name) => `${name}今天擦了灯。`,
    mine: '那盏灯是谁点的？',
    told: /记得的朋友圈里的事（在眼前的故事之外/,
    lives: '井里有金子。',
    liked: /阿青、老周赞过/,
    missed: /没有成/,
    up: /今天的用量到头了/,
    used: /今天用了 \d+ 次调用/,
    deleted: /谁也不记得了/,
    next: /下一次有人说话/,
  },
  'en-GB': {
    looks: /Decide how (.+?) reacts/,
    posts: /Write (.+?)'s next post/,
    empty: /Nobody has said anything yet/,
    nothing: /There is nothing in it yet/,
    range: /Must be between 1 and 1000/,
    said: 'Thick fog tonight.',
    shown: 'a lamp on the pier',
    answer: (name) => `${name} watches the fog, too.`,
    remembers: (name) => `${name} thinks of the old days.`,
    post: (name) => `${name} cleaned the lamp today.`,
    mine: 'Who lit it?',
    told: /a small feed that they share/,
    lives: 'There is gold in the well.',
    liked: /Liked by 阿青, 老周/,
    missed: /That failed/,
    up: /bounds are used up/,
    used: /Used today: \d+ calls?/,
    deleted: /nobody remembers it/,
    next: /Somebody speaks in about/,
  },
};

const LONG = 40_000;
const says = (locator, pattern, time) => eventually(async () => assert.match((await locator.allInnerTexts()).join('\n'), pattern), time);
const count = (locator, wanted, time) => eventually(async () => assert.equal(await locator.count(), wanted), time);
const settled = (app) => app.id('circle-progress').waitFor({ state: 'detached' });

/** Whoever is asked answers as `words` have it, and counts what was asked. */
function answering(llm, words) {
  const asked = { looks: [], posts: [], prompts: [] };
  llm.on((request) => {
    const look = words.looks.exec(request.user);
    const post = words.posts.exec(request.user);
    if (look) {
      asked.looks.push(look[1]);
      asked.prompts.push(request.user);
      return JSON.stringify({ like: true, comment: words.answer(look[1]), to: 0, remember: words.remembers(look[1]) });
    }
    if (post) {
      asked.posts.push(post[1]);
      asked.prompts.push(request.user);
      return JSON.stringify({ text: `${words.post(post[1])} (${asked.posts.length})` });
    }
    return '……';
  });
  return asked;
}

async function letIn(app, ...names) {
  for (const name of names) {
    await app.id('circle-let-in').selectOption({ label: name });
    await app.item('circle-member', name).waitFor();
  }
}

for (const [language, words] of Object.entries(LANGUAGES)) {
  test(`characters and the reader share a circle (${language})`, async (t) => {
    const llm = await at.provider(t, {});
    const app = await at.open(t, { language, viewport: { width: 1440, height: 900 }, allow: NETWORK });
    const asked = answering(llm, words);
    await app.begin(llm, { character: { name: '阿青' }, title: 'Fog' });
    await app.createCharacter({ name: '老周' });

    await app.go('circle');
    await says(app.id('circle-empty'), words.empty);
    await letIn(app, '阿青', '老周');
    await app.id('circle-post').click();
    await says(app.id('circle-fault'), words.nothing);
    await app.page.evaluate(axe.source);
    const clean = async () => {
      const found = await app.page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }));
      assert.deepEqual(found.violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]), []);
    };

    // The reader posts with a picture; both look, like and say something, and know of the picture by its words.
    await app.id('circle-text').fill(words.said);
    await app.upload('circle-picture', { name: 'lamp.png', mimeType: 'image/png', buffer: png(40, 30) });
    await app.id('circle-caption').fill(words.shown);
    await app.id('circle-post').click();
    const post = app.item('circle-item', words.said).first();
    await count(post.getByTestId('circle-comment'), 2);
    await settled(app);
    assert.deepEqual(asked.looks.toSorted(), ['老周', '阿青'].toSorted());
    assert.ok(asked.prompts.every((prompt) => prompt.includes(words.said) && prompt.includes(words.shown)));
    assert.ok(asked.prompts[1].includes(words.answer(asked.looks[0])), 'who comes second reads what the first said');
    await says(post.getByTestId('circle-likes'), /阿青/);
    await post.locator('.post-picture img').waitFor();
    await post.getByTestId('circle-like').click();
    await says(post.getByTestId('circle-likes'), /你|you/);
    await clean();

    // The reader answers one of them, who is asked again, and alone.
    const first = post.getByTestId('circle-comment').first();
    await first.getByTestId('circle-answer-comment').click();
    await eventually(async () => assert.equal(await app.page.evaluate(() => document.activeElement.dataset.testid), 'circle-answer-text'));
    await app.page.keyboard.type(words.mine);
    await app.id('circle-answer-send').click();
    await count(post.getByTestId('circle-comment'), 3);
    await post.getByTestId('circle-see').click();
    await count(post.getByTestId('circle-comment'), 4);
    await settled(app);
    assert.equal(asked.looks.length, 3);
    assert.equal(asked.looks[2], asked.looks[0]);
    assert.ok(asked.prompts[2].includes(words.mine) && asked.prompts[2].includes(words.remembers(asked.looks[0])) === false);

    // One posts when it is asked to, and what it did is remembered.
    const member = app.item('circle-member', '老周');
    await member.getByTestId('circle-post-now').click();
    await app.item('circle-item', words.post('老周')).waitFor();
    await settled(app);
    await member.getByTestId('circle-memories').click();
    await says(member.getByTestId('circle-memory'), new RegExp(words.remembers('老周')));
    await member.getByTestId('circle-forget').last().click();
    await count(member.getByTestId('circle-memory'), 1);
    await app.page.getByTestId('notice').getByRole('button').first().click();
    await count(member.getByTestId('circle-memory'), 2);
    await says(app.id('circle-used'), words.used);

    // All of it is there after a reload.
    await app.reload();
    await count(app.id('circle-item'), 2);
    await count(app.item('circle-item', words.said).getByTestId('circle-comment'), 4);

    // A story knows of it where its switch is on, and the circle of a story where that is let.
    await app.openStory();
    const told = async () => (await app.play('……'), JSON.stringify(llm.chat().at(-1).body.messages));
    assert.ok(!(await told()).includes(words.said));
    await app.id('tab-story').click();
    await app.id('story-circle').check();
    await eventually(async () => assert.equal((await app.records('storylines'))[0].modules.circle.enabled, true));
    const prompt = await told();
    assert.match(prompt, words.told);
    assert.ok(prompt.includes(words.said) && prompt.includes(words.remembers('阿青')));
    await app.play(words.lives);
    const inCircle = async () => {
      const before = asked.prompts.length;
      await app.go('circle');
      await app.id('circle-settings').locator('summary').first().click();
      await app.item('circle-member', '阿青').getByTestId('circle-post-now').click();
      await eventually(() => assert.equal(asked.prompts.length, before + 1));
      await settled(app);
      return asked.prompts.at(-1);
    };
    assert.ok(!(await inCircle()).includes(words.lives), 'it knows nothing of a story by itself');
    await app.openStory();
    await app.id('story-circle-tells').check();
    await eventually(async () => assert.equal((await app.records('storylines'))[0].modules.circle.tells, true));
    assert.ok((await inCircle()).includes(words.lives));

    // What is muted is not seen; what is deleted is not remembered, and comes back whole.
    await app.item('circle-member', '老周').getByTestId('circle-standing').selectOption('muted');
    await count(app.item('circle-item', words.post('老周')), 0);
    await app.item('circle-member', '老周').getByTestId('circle-standing').selectOption('active');
    await count(app.item('circle-item', words.post('老周')), 1);
    const all = await app.id('circle-item').count();
    await app.item('circle-item', words.said).getByTestId('circle-delete').click();
    await count(app.id('circle-item'), all - 1);
    await says(app.id('notice'), words.deleted);
    const back = () => app.page.getByTestId('notice').filter({ hasText: words.deleted }).getByRole('button').first().click();
    await back();
    const comments = app.item('circle-item', words.said).getByTestId('circle-comment');
    await count(comments, 4);
    const said = await comments.first().innerText();
    await comments.first().getByTestId('circle-delete-comment').click();
    await count(comments, 3);
    await back();
    await count(comments, 4);
    assert.equal(await comments.first().innerText(), said);

    // Who looks something up elsewhere finds what they typed where they left it.
    await comments.first().getByTestId('circle-answer-comment').click();
    await app.id('circle-answer-text').fill(words.mine);
    await app.go('settings');
    await app.go('circle');
    await eventually(async () => assert.equal(await app.id('circle-answer-text').inputValue(), words.mine));
  });
}

test('a week of it, with the page closed in between, in two tabs', async (t) => {
  const words = LANGUAGES['en-GB'];
  const llm = await at.provider(t, {});
  const app = await at.open(t, { language: 'en-GB', viewport: { width: 1440, height: 900 }, allow: NETWORK });
  await app.page.context().addInitScript(() => {
    const now = Date.now;
    Date.now = () => now() + Number(localStorage.getItem('test.ahead') ?? 0);
  });
  const ahead = async (hours) => {
    await app.page.evaluate((ahead) => localStorage.setItem('test.ahead', String(ahead)), hours * HOUR);
    await app.reload();
  };
  const asked = answering(llm, words);
  await app.addConnection({ url: llm.base('openai') });
  for (const name of ['Ada', 'Bo']) await app.createCharacter({ name });
  await app.go('circle');
  await letIn(app, 'Ada', 'Bo');
  await app.id('circle-pace').selectOption('calm');
  await says(app.id('circle-next'), words.next);
  assert.equal(llm.chat().length, 0, 'nobody speaks at once');
  const posts = async () => (await app.records('posts')).filter((post) => post.author);
  const once = async () => {
    for (const post of await app.records('posts')) {
      const seen = post.looks.map(({ who }) => who);
      assert.equal(new Set(seen).size, seen.length);
      for (const who of seen) assert.ok(post.comments.filter(({ author }) => author === who).length <= 4);
      assert.equal(new Set(post.likes.map(({ who }) => who)).size, post.likes.length);
    }
    assert.equal(new Set((await posts()).map(({ text }) => text)).size, (await posts()).length);
  };

  // An hour later each says that it is there, and looks at the other's; of two tabs one does it.
  const other = await app.page.context().newPage();
  await ahead(1);
  await other.goto(app.page.url());
  await eventually(async () => assert.equal((await posts()).length, 2), LONG);
  await eventually(async () => assert.ok((await posts()).every((post) => post.looks.length === 0)), LONG);
  await ahead(2);
  await eventually(async () => assert.ok((await posts()).every((post) => post.likes.length === 1)), LONG);
  assert.equal(asked.posts.length, 2, 'each was asked once');
  await other.close();
  await once();

  // Elsewhere on the page one sees that something was said, and no more once it was looked at.
  await app.go('characters');
  await ahead(26);
  await eventually(async () => assert.equal((await posts()).length, 4), LONG);
  await app.id('circle-unread').waitFor({ timeout: LONG });
  await app.go('circle');
  await count(app.id('circle-unread'), 0, LONG);

  // Closed for the rest of the week: each makes up for one post and no more.
  await ahead(7 * 24);
  await eventually(async () => assert.equal((await posts()).length, 6), LONG);
  await once();
});

test('bounds hold, and what fails is said and can be tried again', async (t) => {
  const words = LANGUAGES['en-GB'];
  const llm = await at.provider(t, {});
  const app = await at.open(t, { language: 'en-GB', viewport: { width: 390, height: 844 }, allow: NETWORK });
  await app.addConnection({ url: llm.base('openai') });
  for (const name of ['Ada', 'Bo']) await app.createCharacter({ name });
  await app.go('circle');
  await letIn(app, 'Ada', 'Bo');
  await app.id('circle-calls').fill('0');
  await says(app.page.locator('.circle-settings'), words.range);
  await app.id('circle-calls').fill('2');
  await app.id('circle-calls').blur();

  // The one's call fails, and the others wait; then it is tried again.
  llm.script({ status: 429, errorMessage: 'slow down' });
  await app.id('circle-text').fill(words.said);
  await app.id('circle-post').click();
  await says(app.id('circle-missed'), words.missed);
  await count(app.id('circle-item'), 1);
  answering(llm, words);
  await app.id('circle-again').click();
  await count(app.id('circle-comment'), 1);
  await count(app.id('circle-missed'), 0);

  // Stopped amid it, nothing is said, and nothing is wrong.
  llm.on(() => ({ text: '{}', hold: true }));
  await app.id('circle-see').click();
  await app.id('circle-stop').click();
  await settled(app);
  await count(app.id('circle-missed'), 0);
  await count(app.id('circle-comment'), 1);
  llm.release();

  const asked = answering(llm, words);
  await eventually(async () => {
    await app.id('circle-see').click();
    await says(app.id('circle-next'), words.up);
  }, LONG);
  const calls = asked.prompts.length;
  await app.item('circle-member', 'Ada').getByTestId('circle-post-now').click();
  await says(app.id('circle-missed'), words.missed);
  assert.equal(asked.prompts.length, calls, 'nothing is asked past the bounds');
});
