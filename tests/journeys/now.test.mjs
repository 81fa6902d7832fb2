// Where the story stands, on one page of the notebook; and the preset in which all features play.

import assert from 'node:assert/strict';
import test from 'node:test';

import { stage } from '../support/browser.mjs';
import { eventually } from '../support/page.mjs';

const at = stage();

const WORDS = {
  'zh-CN': {
    says: ['灯亮着。\n\n<changes>\n情绪：放下心来（有人敲门）\n目标：守到天亮\n剧情 1：已完成\n关系 你：来借火的客人（敲了门）\n</changes>', '雨停了。'],
    outline: '客人来到\n灯灭了\n天亮',
    preset: /活的故事/,
    asks: /<changes>\n剧情 N：/,
    feels: '放下心来',
    cause: '有人敲门',
    next: /灯灭了/,
    corrected: '半信半疑',
    gone: /情绪：/,
  },
  'en-US': {
    says: ['The lamp burns.\n\n<changes>\nfeels: relieved (somebody knocked)\nwants: sit up till morning\nplot 1: completed\nwith you: a guest who came for a light (knocked)\n</changes>', 'The rain has stopped.'],
    outline: 'The guest arrives\nThe lamp goes out\nMorning',
    preset: /Living story/,
    asks: /<changes>\nplot N:/,
    feels: 'relieved',
    cause: 'somebody knocked',
    next: /The lamp goes out/,
    corrected: 'in two minds',
    gone: /feels:/,
  },
};

for (const [language, words] of Object.entries(WORDS)) {
  test(`a new story plays with all features, and its mind stands on one page (${language})`, async (t) => {
    const llm = await at.provider(t, {});
    const app = await at.open(t, { language, viewport: { width: 1440, height: 900 } });
    await app.addConnection({ url: llm.base('openai') });
    await app.createCharacter({ name: '林夕' });
    await app.createBackground({ name: '旧书店', outline: words.outline });
    await app.go('storylines');
    await app.id('storyline-new').click();
    assert.match(await app.id('storyline-preset').locator('option:checked').innerText(), words.preset);
    await app.id('storyline-background').selectOption({ label: '旧书店' });
    await app.id('storyline-create').click();
    await app.id('composer-input').waitFor();
    const told = () => llm.chat().at(-1).body.messages.map((message) => message.content).join('\n\n');

    llm.on(() => words.says[0]);
    const first = await app.play('…');
    assert.match(told(), words.asks);
    assert.equal(await app.replyText(first), words.says[0].split('\n')[0], 'the block is folded');

    await app.id('tab-now').click();
    const now = app.id('now-panel');
    const who = now.getByTestId('now-who');
    await who.getByText(words.feels, { exact: true }).waitFor();
    await who.getByText(words.cause, { exact: true }).first().waitFor();
    assert.match(await now.getByTestId('now-plot').innerText(), words.next);
    assert.match(await now.getByTestId('now-plot').innerText(), /1 \/ 3/);
    assert.equal(await now.getByTestId('now-turn').count(), 1);
    assert.equal(await now.getByTestId('now-turn').getAttribute('data-turn'), String(first));

    // Corrected in place, and told so.
    const item = who.getByTestId('persona-item').filter({ hasText: words.feels });
    await item.hover();
    await item.getByTestId('item-edit').click();
    await who.getByTestId('persona-field-1').fill(words.corrected);
    await who.getByTestId('persona-save').click();
    await who.getByText(words.corrected, { exact: true }).waitFor();
    llm.on(() => words.says[1]);
    await app.play('…');
    assert.ok(told().includes(words.corrected) && !told().includes(words.feels));
    assert.ok(told().includes(words.says[0].split('\n')[0]) && !told().includes(words.says[0]), 'replies are told without their block');

    // Off: no trace of it.
    await app.id('tab-persona').click();
    await app.id('module-persona').uncheck();
    await eventually(async () => assert.equal((await app.records('storylines'))[0].modules?.persona?.enabled, false));
    await app.play('…');
    assert.ok(!told().includes(words.corrected) && !words.gone.test(told()));
    assert.match(told(), words.asks, 'the plot is still asked for');
  });
}

/** Each part of the mind: its switch, what its lines ask for, and what of it is told. */
const SWITCHES = {
  'zh-CN': {
    says: '灯亮着。\n\n<changes>\n情绪：放下心来\n剧情 1：进行中\n世界 门：开着\n</changes>',
    parts: { director: [/剧情 N：/, /灯灭了/], persona: [/情绪：/, /放下心来/], world: [/世界 名称：/, /门: 开着/] },
  },
  'en-US': {
    says: 'The lamp burns.\n\n<changes>\nfeels: relieved\nplot 1: in_progress\nworld door: open\n</changes>',
    parts: { director: [/plot N:/, /The lamp goes out/], persona: [/feels:/, /relieved/], world: [/world KEY:/, /door: open/] },
  },
};

for (const [language, words] of Object.entries(SWITCHES)) {
  test(`each part of a story's mind has its switch, and what is off leaves no trace (${language})`, async (t) => {
    const llm = await at.provider(t, {});
    const app = await at.open(t, { language, viewport: { width: 1440, height: 900 } });
    await app.addConnection({ url: llm.base('openai') });
    await app.createCharacter({ name: '林夕' });
    await app.createBackground({ name: '旧书店', outline: WORDS[language].outline });
    await app.createStoryline({ character: '林夕', background: '旧书店', preset: 'living' });
    const told = () => llm.chat().at(-1).body.messages.map((message) => message.content).join('\n\n');
    llm.on(() => words.says);
    await app.play('…');
    await app.play('…');
    await app.id('tab-story').click();
    const all = Object.keys(words.parts);
    const expect = (on) => {
      for (const [part, patterns] of Object.entries(words.parts)) {
        for (const pattern of patterns) assert.equal(pattern.test(told()), on.includes(part), `${part} ${pattern}: ${on}\n${told()}`);
      }
      assert.equal(told().includes('<changes>'), on.length > 0, 'nothing is asked for where nothing is on');
    };
    expect(all);
    const flip = async (part, on) => {
      await app.id(`story-${part}`).setChecked(on);
      await eventually(async () => assert.equal((await app.records('storylines'))[0].modules?.[part]?.enabled, on));
    };
    llm.on(() => '…');
    for (const part of all) {
      await flip(part, false);
      await app.play('…');
      expect(all.filter((other) => other !== part));
      await flip(part, true);
    }
    for (const part of all) await flip(part, false);
    await app.play('…');
    expect([]);

    // On again, each knows what it knew.
    for (const part of all) await flip(part, true);
    await app.play('…');
    expect(all);
  });
}

/** What each older preset lets a reply say of a change, and what of the story's mind it tells. */
const PRESETS = {
  plain: { tells: [] },
  director: { says: '…\n[PROGRESS:2:in_progress]', tells: ['plot'] },
  persona: { says: '<narrative>…</narrative>\n<state_update_json>{"current_state":{"immediate_goals":["…"]}}</state_update_json>', tells: ['feels'] },
  framework: { tells: [] },
  sxml: { says: '<root><reply>…</reply></root>', tells: ['world'] },
};

for (const [language, words] of Object.entries(SWITCHES)) {
  test(`a story whose preset is another in its midst keeps what it is (${language})`, async (t) => {
    const llm = await at.provider(t, {});
    const app = await at.open(t, { language, viewport: { width: 1440, height: 900 } });
    await app.addConnection({ url: llm.base('openai') });
    await app.createCharacter({ name: '林夕' });
    await app.createBackground({ name: '旧书店', outline: WORDS[language].outline });
    await app.createStoryline({ character: '林夕', background: '旧书店', preset: 'living' });
    const told = () => llm.chat().at(-1).body.messages.map((message) => message.content).join('\n\n');
    const held = { feels: words.parts.persona[1], plot: words.parts.director[1], world: words.parts.world[1] };
    const mind = async () => {
      const { position, state } = (await app.records('generations')).filter(({ state }) => state).sort((a, b) => a.position - b.position).at(-1);
      const { personas, plot, world } = (await app.records('states')).find(({ id }) => id === state);
      return { position, feels: personas[''].current_state.emotions, plot, world };
    };
    llm.on(() => words.says);
    await app.play('…');
    await app.id('tab-story').click();
    const before = await mind();
    assert.ok(before.feels.length === 1 && before.plot.current_status === 'in_progress' && Object.keys(before.world).length === 1);

    for (const [preset, { says = '…', tells }] of Object.entries(PRESETS)) {
      await app.id('story-preset').selectOption(preset);
      await eventually(async () => assert.equal((await app.records('storylines'))[0].preset, preset));
      llm.on(() => says);
      await app.play(`${preset}?`);
      assert.match(told(), new RegExp(`${preset}\\?`));
      for (const part of tells) assert.match(told(), held[part], `${preset} tells it\n${told()}`);
      const now = await mind();
      assert.deepEqual([now.feels, now.world], [before.feels, before.world], preset);
      // The director of that preset has moved it on itself; a turn without news is counted.
      assert.ok(now.plot.current_plot_index >= before.plot.current_plot_index, preset);
    }

    // Back again, all of it is told.
    await app.id('story-preset').selectOption('living');
    await eventually(async () => assert.equal((await app.records('storylines'))[0].preset, 'living'));
    llm.on(() => '…');
    await app.play('…');
    for (const part of ['feels', 'world']) assert.match(told(), held[part], part);
    for (const preset of Object.keys(PRESETS)) assert.match(told(), new RegExp(`${preset}\\?`), 'what was said under it');
    assert.ok(!told().includes('state_update_json'), 'an older dialect is told as it was read');
  });
}
