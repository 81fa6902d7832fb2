// Several in one story: who joins, who speaks, who leaves and comes back, whom a whisper reaches, and what each of them is told.

import assert from 'node:assert/strict';
import test from 'node:test';

import axe from 'axe-core';

import { NETWORK, stage } from '../support/browser.mjs';
import { eventually } from '../support/page.mjs';

const at = stage();

const is = (locate, expected) => eventually(async () => assert.deepEqual(await locate(), expected));
const prompt = (request) => request.body.messages.map(({ content }) => content).join('\n');
const speakers = (app) => app.id('turn-speaker').allInnerTexts();

const WORDS = {
  'zh-CN': {
    cast: ['林夕', '阿青', '老周'], as: ['守钟人林夕', '卖花人阿青', '铁匠老周'],
    comes: '（阿青来了。）', leaves: '（阿青走开了。）', wanted: (name) => `现在只写${name}`,
    heard: '悄悄话，听见的只有：老周', withheld: /有 \d+ 轮没有告诉/,
  },
  'en-GB': {
    cast: ['Lin', 'Ada', 'Tom'], as: ['Lin keeps the bells', 'Ada sells flowers', 'Tom is a smith'],
    comes: '(Ada joins them.)', leaves: '(Ada leaves.)', wanted: (name) => `write ${name}'s next reply`,
    heard: 'Whispered; heard by Tom alone', withheld: /\d+ turns are neither told nor recalled/,
  },
};

/** A story of the first, and a library with the others. */
async function begin(t, language, { llm, ...more } = {}) {
  const { cast, as } = WORDS[language];
  const app = await at.open(t, { language, viewport: { width: 1440, height: 900 }, ...more });
  await app.addConnection({ url: llm.base('openai') });
  for (const [nth, name] of cast.entries()) await app.createCharacter({ name, description: as[nth] });
  await app.createStoryline({ title: 'Tale', character: cast[0] });
  await app.id('tab-story').click();
  await app.id('group-settings').locator('summary').click();
  return app;
}

async function join(app, name) {
  const before = await app.lastTurn();
  await app.id('group-add-who').selectOption({ label: name });
  await app.id('group-add').click();
  await is(() => app.lastTurn(), before + 1);
}

for (const [language, words] of Object.entries(WORDS)) {
  test(`three in a room: each speaks as themselves and knows what they heard (${language})`, async (t) => {
    const [own, second, third] = words.cast;
    const llm = await at.provider(t, {});
    const app = await begin(t, language, { llm, allow: NETWORK });
    await join(app, second);
    assert.equal(await app.userText(1), words.comes);
    await join(app, third);
    await is(() => app.id('group-member').count(), 3);

    // Everybody answers, each as themselves.
    await app.id('group-mode').selectOption('all');
    await app.id('group-most').selectOption('3');
    llm.script('One.', 'Two.', 'Three.');
    await app.play('The bell is cracked.');
    await app.waitStatus(5, 'done');
    await is(() => speakers(app), [own, second, third]);
    assert.deepEqual(await Promise.all([3, 4, 5].map((turn) => app.replyText(turn))), ['One.', 'Two.', 'Three.']);
    const asked = llm.chat().map(prompt);
    for (const [nth, name] of words.cast.entries()) {
      assert.ok(asked[nth].includes(words.wanted(name)), asked[nth]);
      words.as.forEach((described, other) => assert.equal(asked[nth].includes(described), other === nth, asked[nth]));
    }
    assert.ok(asked[2].includes('Two.') && asked[2].includes('One.'));

    // Whom the words name answers; an answer that fails leaves the others', and is tried again by the same.
    llm.script({ status: 429, errorMessage: 'slow down' }, 'Tom here.');
    await app.send(`${second}, ${third}?`);
    await app.waitStatus(6, 'error');
    await app.waitStatus(7, 'done');
    llm.script('Second here.');
    await app.turn(6).root.getByTestId('turn-regenerate').first().click();
    await app.waitStatus(6, 'done');
    assert.equal(await app.replyText(6), 'Second here.');
    assert.ok(prompt(llm.chat().at(-1)).includes(words.wanted(second)));

    // Who is away is told nothing of it, then or later; a whisper is for those who hear it.
    const now = () => app.lastTurn();
    await is(now, 6);
    let turn = 6;
    await app.press(app.item('group-member', second), 'group-leave');
    await is(now, turn + 1);
    assert.equal(await app.userText(turn + 1), words.leaves);
    await app.id('group-mode').selectOption('turns');
    llm.script('The key is under the stone.');
    await app.play(`${third}, where is the key?`);
    turn = await now();
    await app.press(app.item('group-member', second), 'group-return');
    await is(now, turn + 1);
    await app.page.locator('[data-testid=composer-whisper]', { hasText: third }).click();
    // Words that are to be whispered stay so over a reload.
    await app.id('composer-input').fill('Hide the lamp.');
    await eventually(async () => assert.equal((await app.records('settings')).find(({ id }) => id.startsWith('unsent:'))?.whisper?.length, 1));
    await app.reload();
    await is(() => app.page.locator('[data-testid=composer-whisper][aria-pressed=true]').innerText(), third);
    assert.equal(await app.id('composer-input').inputValue(), 'Hide the lamp.');
    llm.script('I will.');
    turn = await app.play('Hide the lamp.');
    assert.equal(await app.turn(turn).id('turn-heard-by').innerText(), words.heard);
    await is(() => app.page.locator('[data-testid=composer-whisper][aria-pressed=true]').count(), 0);
    llm.script('What did I miss?');
    turn = await app.play(`${second}, are you there?`);
    const told = prompt(llm.chat().at(-1));
    assert.ok(told.includes(words.as[1]) && told.includes('One.'), told);
    for (const secret of ['under the stone', 'where is the key', 'Hide the lamp', 'I will.']) assert.ok(!told.includes(secret), secret);
    await app.turn(turn).id('turn-why').click();
    await app.id('prompt-unheard').first().waitFor();
    assert.match(await app.id('prompt-unheard').first().innerText(), words.withheld);
    await app.page.keyboard.press('Escape');

    // Whoever the reader lets speak speaks; a reload shows the same.
    await app.page.locator('[data-testid=group-speak]', { hasText: third }).click();
    await app.waitStatus(turn + 1, 'done');
    await eventually(async () => assert.equal((await speakers(app)).at(-1), third));
    const before = await app.story();
    await app.reload();
    await eventually(async () => assert.deepEqual(await app.story(), before));
    await app.page.evaluate(axe.source);
    const found = await app.page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }));
    assert.deepEqual(found.violations.map(({ id, nodes }) => `${id}: ${nodes[0].target}`), []);
  });
}

const MINDS = {
  'zh-CN': { event: '阿青感到：好奇', feels: '好奇', owner: '只有阿青知道', believes: '林夕瞒着什么' },
  'en-GB': { event: 'Ada feels: Curious', feels: 'Curious', owner: 'known to Ada alone', believes: 'Lin hides something' },
};

for (const [language, words] of Object.entries(MINDS)) {
  test(`each has a mind and events of their own in the notebook, told when they speak (${language})`, async (t) => {
    const [own, ada] = WORDS[language].cast;
    const llm = await at.provider(t, {});
    const app = await begin(t, language, { llm });
    await join(app, ada);
    llm.script(`Yes.\n<state_update_json>${JSON.stringify({ current_state: { emotions: [words.feels] } })}</state_update_json>`);
    await app.id('story-preset').selectOption('living');
    await app.play(`${ada}, look.`);
    await app.id('tab-persona').click();
    const who = (name) => app.page.locator('[data-testid=mind-of]', { hasText: name });
    const items = () => app.id('persona-item').allInnerTexts();
    await eventually(async () => assert.ok(!(await items()).join().includes(words.feels)));
    await who(ada).click();
    await eventually(async () => assert.ok((await items()).join().includes(words.feels)));
    await app.id('persona-add-growth').click();
    await app.id('persona-kind').selectOption('belief');
    await app.id('persona-field-1').fill(words.believes);
    await app.id('persona-save').click();
    await eventually(async () => assert.ok((await items()).join().includes(words.believes)));
    await who(own).click();
    await eventually(async () => assert.ok(!(await items()).join().includes(words.believes)));

    // What changed in her is a memory that she alone is told, even where it is always told.
    await app.id('tab-memory').click();
    const event = app.item('memory-item', words.event);
    assert.equal(await event.getByTestId('memory-owner').innerText(), words.owner);
    await app.press(event, 'memory-pin');
    await app.page.locator('[data-testid=memory-item][data-pinned=true]').waitFor();
    const knows = () => [words.believes, words.event].map((text) => prompt(llm.chat().at(-1)).includes(text));
    llm.script('Hm.', 'Well.');
    await app.play(`${ada}, now?`);
    assert.deepEqual(knows(), [true, true]);
    await app.play(`${own}, now?`);
    assert.deepEqual(knows(), [false, false]);
  });
}

const SHEETS = {
  'zh-CN': { asks: (name) => `更新${name}的角色状态卡`, told: (name) => `[${name}现在的状态]`, updated: '阿青的状态卡更新了', says: '阿青，看。', whispers: '阿青，钥匙在井里。', own: '林夕，看。' },
  'en-GB': { asks: (name) => `Update the character sheet of ${name}`, told: (name) => `[${name} as of now]`, updated: 'Ada’s sheet was updated', says: 'Ada, look.', whispers: 'Ada, the key is in the well.', own: 'Lin, look.' },
};

for (const [language, words] of Object.entries(SHEETS)) {
  test(`each has a sheet of what they heard, read and worded in the notebook (${language})`, async (t) => {
    const [own, ada] = WORDS[language].cast;
    const llm = await at.provider(t, {});
    const app = await begin(t, language, { llm, allow: NETWORK });
    await join(app, ada);
    llm.on(({ user }) => {
      const whose = [own, ada].find((name) => user.includes(words.asks(name)));
      return whose ? `## Goals\n${whose} keeps quiet` : 'Hm.';
    });
    await app.id('sheet-settings').locator('summary').click();
    await app.id('sheet-on').check();
    await app.id('sheet-messages').fill('4');
    await app.id('sheet-messages').blur();
    await eventually(async () => assert.equal((await app.records('storylines')).at(-1).modules?.sheet?.messages, 4));
    await app.play(words.says);
    const whisper = app.page.locator('[data-testid=composer-whisper]', { hasText: ada });
    await whisper.click();
    await app.play(words.whispers);
    // Four messages were heard by her alone.
    const asked = (name) => llm.chat().filter(({ user }) => user.includes(words.asks(name)));
    await is(() => asked(ada).length, 1);
    assert.ok(asked(ada)[0].user.includes(words.whispers));
    assert.equal(asked(own).length, 0);
    await app.unfold(await app.lastTurn());
    await eventually(async () => assert.ok((await app.id('turn').last().innerText()).includes(words.updated)));
    const open = async (name) => {
      await app.id('tab-persona').click();
      await app.page.locator('[data-testid=mind-of]', { hasText: name }).click();
    };
    const text = () => app.id('text-sheet').getByTestId('sheet-text');
    await open(ada);
    await eventually(async () => assert.match(await text().innerText(), new RegExp(`${ada} keeps quiet`)));
    await open(own);
    await is(() => text().count(), 0);
    // His is asked for by hand, and knows nothing of the whisper.
    await app.id('text-sheet').getByTestId('sheet-update').click();
    await eventually(async () => assert.match(await text().innerText(), new RegExp(`${own} keeps quiet`)));
    assert.ok(!asked(own)[0].user.includes(words.whispers) && asked(own)[0].user.includes(words.says));
    // Hers in the reader's words: told to her, and to nobody else.
    await open(ada);
    await app.id('text-sheet').getByTestId('sheet-edit').click();
    await app.id('text-sheet').getByTestId('sheet-input').fill('★ silent');
    await app.id('text-sheet').getByTestId('sheet-save').click();
    await eventually(async () => assert.match(await text().innerText(), /★ silent/));
    await app.id('text-sheet').getByTestId('sheet-versions').locator('summary').click();
    await is(() => app.id('text-sheet').getByTestId('sheet-version').count(), 2);
    const turn = async (said) => {
      await app.play(said);
      const sheets = [own, ada].map(words.asks);
      return prompt(llm.chat().filter(({ user }) => user.includes(said) && !sheets.some((asks) => user.includes(asks))).at(-1));
    };
    const hers = await turn(words.says);
    assert.ok(hers.includes(`${words.told(ada)}\n★ silent`) && !hers.includes(`${own} keeps quiet`), hers);
    const his = await turn(words.own);
    assert.ok(his.includes(words.told(own)) && !his.includes('★ silent'), his);
    assert.deepEqual(app.unexpected(), []);
  });
}

test('a stop stops the round, and who has joined is in the archive', async (t) => {
  const llm = await at.provider(t, {});
  const app = await begin(t, 'en-GB', { llm });
  await join(app, 'Ada');
  await join(app, 'Tom');
  await app.id('group-mode').selectOption('all');
  await app.id('group-most').selectOption('3');
  llm.script('One.', { text: 'Two and a half and more', holdAfter: 2 }, 'Three.');
  await app.send('Count.');
  await app.replyGrows(4, 3);
  await app.id('composer-stop').click();
  await app.waitStatus(4, 'interrupted');
  await eventually(async () => assert.ok(await app.id('composer-send').isVisible()));
  assert.equal(llm.chat().length, 2, 'nobody else was asked');

  const other = await at.open(t, { language: 'en-GB' });
  await app.go('storylines');
  const kept = await app.download(() => app.press(app.item('storyline-item', 'Tale'), 'storyline-export'));
  await other.go('storylines');
  await other.upload('storyline-import', { name: 'tale.fabula', mimeType: 'application/gzip', buffer: kept.bytes });
  await other.id('import-merge').click();
  await other.id('composer-input').waitFor();
  await other.openStory('Tale');
  await is(() => speakers(other), ['Lin', 'Ada']);
  await is(() => other.id('composer-whisper').allInnerTexts(), ['Lin', 'Ada', 'Tom']);
});

test('the model chooses who speaks, and whoever speaks has a face', async (t) => {
  const llm = await at.provider(t, {});
  const app = await begin(t, 'en-GB', { llm, allow: NETWORK });
  await join(app, 'Ada');
  await join(app, 'Tom');
  await app.id('group-mode').selectOption('model');
  await eventually(async () => assert.equal((await app.records('storylines'))[0].modules.group.mode, 'model'));
  const chooses = (request) => request.user.startsWith('These are the newest turns of a scene');
  const choices = ['Tom', 'Ada', ''];
  llm.on((request) => (chooses(request) ? JSON.stringify({ speaker: choices.shift() ?? '' }) : 'As I say.'));
  await app.send('There is somebody at the gate.');
  await eventually(async () => assert.deepEqual((await speakers(app)).slice(-2), ['Tom', 'Ada']));
  await app.waitStatus(await app.lastTurn(), 'done');
  await app.id('composer-send').waitFor();
  const asked = llm.chat().filter(chooses);
  assert.ok(asked.length >= 2 && asked[0].user.includes('somebody at the gate'));
  assert.equal(await app.page.locator('.turn-speaker .avatar').count(), await app.id('turn-speaker').count());

  // Where it does not say, it goes by turns, and the story goes on.
  llm.on((request) => (chooses(request) ? 'Whoever likes.' : 'Well.'));
  const before = await app.lastTurn();
  await app.send('And now?');
  await eventually(async () => assert.ok((await app.lastTurn()) >= before + 2));
  const last = await app.lastTurn();
  await app.waitStatus(last, 'done');
  await eventually(async () => assert.match(await app.turn(last).root.getByTestId('turn-notices').innerText(), /did not choose who speaks \(its answer named nobody/));
});
