// Presets: copied, put in another order by keyboard, switched, carried in and out; and the prompt of any turn.

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'node:test';

import { scratch, stage } from '../support/browser.mjs';
import { eventually } from '../support/page.mjs';

const at = stage();

const blocks = (app) => app.id('preset-block').evaluateAll((all) => all.map((block) => block.dataset.block));
/** A preset as a file, in one of its forms. */
const carried = async (app, item, form = 'fabula') => {
  if (!(await item.getByTestId(`preset-export-${form}`).isVisible())) await app.press(item, 'preset-export');
  return app.download(() => item.getByTestId(`preset-export-${form}`).click());
};
const said = (request) => request.body.messages.map((message) => message.content);

test('a copied preset is put in order, switched and changed, and the model is told so', async (t) => {
  const app = await at.open(t);
  const llm = await at.provider(t);
  await app.addConnection({ url: llm.base('openai') });
  await app.createCharacter({ name: '林夕', description: '旧书店的店主。', personality: '安静而固执。' });

  await app.go('presets');
  await app.press(app.item('preset-item', '普通对话').first(), 'preset-duplicate');
  const copy = app.item('preset-item', '普通对话（副本）');
  await copy.waitFor();
  await app.press(copy, 'preset-edit');
  await app.id('preset-name').fill('倒着说');
  const before = await blocks(app);
  assert.ok(before.length > 3);

  const name = app.id('preset-block').nth(1).getByTestId('preset-block-open');
  await name.focus();
  await app.page.keyboard.press('Alt+ArrowUp');
  await eventually(async () => assert.deepEqual((await blocks(app)).slice(0, 2), [before[1], before[0]]));
  assert.match(await app.id('preset-announce').innerText(), /1/);
  await eventually(async () => {
    const focused = await app.page.evaluate(() => document.activeElement.closest('[data-testid="preset-block"]')?.dataset.block);
    assert.equal(focused, before[1], 'the block keeps the focus');
  });

  const described = app.page.locator('[data-testid="preset-block"][data-block="description"]');
  const preview = app.id('preset-preview');
  await eventually(async () => assert.match(await preview.innerText(), /tokens/));
  await app.id('preset-block-add').click();
  const added = app.id('preset-block').last();
  await added.getByTestId('preset-block-text').fill('请称呼我为{{user}}，暗号：青梅。');
  await eventually(async () => assert.match(await preview.innerText(), /暗号：青梅/));
  const switched = (await described.count()) ? described : app.id('preset-block').nth(1);
  const off = await switched.getAttribute('data-block');
  await switched.getByTestId('preset-block-enabled').uncheck();
  await app.id('preset-save').click();
  await app.item('preset-item', '倒着说').waitFor();

  await app.go('storylines');
  await app.id('storyline-new').click();
  await app.id('storyline-preset').selectOption({ label: '倒着说' });
  await app.id('storyline-title').fill('暗号');
  await app.id('storyline-create').click();
  await app.play('你好。');
  const request = await llm.next();
  assert.match(said(request).join('\n'), /暗号：青梅/);

  // The inspector shows what was told, and not what was switched off.
  await app.turn(1).id('turn-why').click();
  const panel = app.id('prompt-panel');
  await panel.waitFor();
  const told = await eventually(async () => {
    const all = await app.id('prompt-block').evaluateAll((all) => all.map((block) => block.dataset.block));
    assert.ok(all.length > 1);
    return all;
  });
  assert.ok(!told.includes(off), `${off} is switched off`);
  const own = app.item('prompt-block', '新文段');
  await own.locator('summary').click();
  await eventually(async () => assert.match(await own.getByTestId('prompt-text').innerText(), /暗号：青梅/));

  await app.play('再说一次。');
  await eventually(async () => assert.match(await panel.innerText(), /第 1 轮/));
  await app.id('prompt-newest').click();
  await eventually(async () => assert.match(await panel.innerText(), /第 2 轮/));
  await eventually(async () => assert.equal(await app.id('prompt-change').first().getAttribute('data-change'), 'changed'));
  // A text that did not change is kept with the earlier turn, and shown all the same.
  await app.item('prompt-block', '新文段').locator('summary').click();
  await eventually(async () => assert.match(await app.id('prompt-text').filter({ hasText: '青梅' }).innerText(), /暗号/));
});

test('each preset says what it is for, and a built-in one can be read as it is', async (t) => {
  for (const [language, name, line, told] of [
    ['zh-CN', '导演模式', /大纲/, /=== 角色初始人格 ===/],
    ['en-US', 'Director', /outline/, /=== /],
  ]) {
    const app = await at.open(t, { language });
    await app.go('presets');
    await app.id('preset-item').first().waitFor();
    assert.equal(await app.id('preset-purpose').count(), 6);
    assert.match(await app.item('preset-item', name).getByTestId('preset-purpose').innerText(), line);
    await app.item('preset-item', name).getByTestId('preset-open').click();
    const reader = app.id('preset-reader');
    await reader.waitFor();
    assert.match(await reader.getByTestId('preset-purpose').innerText(), line);
    assert.ok((await blocks(app)).includes('base_persona'));
    assert.equal(await reader.locator('input, textarea, select').count(), 0, 'nothing to change');
    const block = app.page.locator('[data-testid="preset-block"][data-block="base_persona"]');
    await block.getByTestId('preset-block-open').click();
    assert.match(await block.getByTestId('preset-block-said').innerText(), told);
    await eventually(async () => assert.match(await app.id('preset-preview').innerText(), /tokens/));

    // A copy takes the line along, where it can be changed.
    await reader.getByTestId('preset-duplicate').click();
    assert.match(await app.id('preset-description').inputValue(), line);
    await app.id('preset-description').fill('雨夜');
    await app.id('preset-save').click();
    const own = app.item('preset-item', '雨夜');
    await own.waitFor();
    await app.createCharacter({ name: '林夕' });
    await app.id('storyline-new').click();
    const [copy] = await app.records('presets');
    await app.id('storyline-preset').selectOption(copy.id);
    await eventually(async () => assert.equal(await app.id('storyline-preset-purpose').innerText(), '雨夜'));
  }
});

test('a copy and an imported file turn on what their original does, and what is changed in them', async (t) => {
  for (const [language, name, turnsOn] of [
    ['zh-CN', '导演模式', /导演跟随大纲 · 什么时候想起过去：话里问起过去时/],
    ['en-US', 'Director', /The director follows the outline · When the past is recalled: When the words ask/],
  ]) {
    const app = await at.open(t, { language });
    const llm = await at.provider(t, {});
    llm.on(() => ({ text: '门开了。[PROGRESS:1:completed]' }));
    await app.addConnection({ url: llm.base('openai') });
    await app.createCharacter({ name: '林夕' });
    await app.createBackground({ name: '书店', outline: '敲门\n进屋' });

    await app.go('presets');
    await app.item('preset-item', name).getByTestId('preset-open').click();
    assert.match(await app.id('preset-turns-on').innerText(), turnsOn);
    await app.id('preset-duplicate').click();
    await app.id('preset-name').fill('mine');
    await app.id('preset-save').click();
    await app.item('preset-item', 'mine').waitFor();
    const { bytes } = await carried(app, app.item('preset-item', 'mine'));
    const file = join(await scratch(t), 'theirs.json');
    await writeFile(file, bytes.toString().replace('"mine"', '"theirs"'));
    await app.upload('preset-import', file);
    await app.item('preset-item', 'theirs').waitFor();

    for (const label of ['mine', 'theirs']) {
      await app.createStoryline({ title: label, background: '书店', preset: { label } });
      await app.play('敲门。');
      await app.id('tab-plot').click();
      assert.equal(await app.id('module-director').isChecked(), true, label);
      await eventually(async () => assert.equal(await app.id('plot-point').first().getAttribute('data-status'), 'completed', label));
    }

    // What is switched in the preset holds for its stories at once; what was set in one of them goes before.
    await app.go('presets');
    await app.press(app.item('preset-item', 'theirs'), 'preset-edit');
    await app.id('preset-modules').locator('summary').click();
    await app.id('preset-director').uncheck();
    await app.id('preset-persona').check();
    await app.id('preset-save').click();
    await app.item('preset-item', 'theirs').waitFor();
    await app.openStory('theirs');
    await app.id('tab-plot').click();
    await eventually(async () => assert.equal(await app.id('module-director').isChecked(), false));
    await app.id('module-director').check();
    await app.id('tab-persona').click();
    assert.equal(await app.id('module-persona').isChecked(), true);
    const stored = async () => (await app.records('storylines')).find(({ title }) => title === 'theirs').modules?.director?.enabled;
    await eventually(async () => assert.equal(await stored(), true));
    await app.reload();
    await app.id('tab-plot').click();
    await eventually(async () => assert.equal(await app.id('module-director').isChecked(), true));
  }
});

test('a preset leaves as a file and comes back; a foreign one brings no key', async (t) => {
  const app = await at.open(t);
  await app.go('presets');
  const { name, bytes } = await carried(app, app.item('preset-item', '导演模式').first());
  assert.match(name, /\.json$/);
  const folder = await scratch(t);
  const file = join(folder, name);
  await writeFile(file, bytes);
  await app.upload('preset-import', file);
  await eventually(async () => assert.equal(await app.item('preset-item', '导演模式').count(), 2));
  const own = app.item('preset-item', '导演模式').first();
  await app.press(own, 'preset-delete');
  await eventually(async () => assert.equal(await app.item('preset-item', '导演模式').count(), 1));
  await app.id('notice-undo').last().click();
  await eventually(async () => assert.equal(await app.item('preset-item', '导演模式').count(), 2));

  const foreign = join(folder, 'Their preset.json');
  const prompts = [
    { identifier: 'main', name: 'Main Prompt', role: 'system', content: 'Write as {{char}}.', system_prompt: true },
    { identifier: 'chatHistory', name: 'Chat History', marker: true },
    { identifier: 'deep', name: 'Deep', role: 'user', content: 'Stay.', injection_position: 1, injection_depth: 2 },
  ];
  const order = ['deep', 'main', 'chatHistory'].map((identifier) => ({ identifier, enabled: identifier !== 'main' }));
  const settings = { temperature: 1, reverse_proxy: 'https://proxy.example', proxy_password: 'sk-secret', new_chat_prompt: '[Start]' };
  await writeFile(foreign, JSON.stringify({ ...settings, prompts, prompt_order: [{ character_id: 100001, order }] }));
  await app.upload('preset-import', foreign);
  const theirs = app.item('preset-item', 'Their preset');
  await theirs.waitFor();
  const stored = JSON.stringify(await app.stored());
  assert.ok(!stored.includes('sk-secret') && !stored.includes('proxy.example'));
  assert.ok(stored.includes('[Start]'), 'what is not understood is kept');
  await app.press(theirs, 'preset-edit');
  await eventually(async () => assert.deepEqual(await blocks(app), ['deep', 'main', 'chatHistory']));
  assert.equal(await app.id('preset-block-enabled').nth(1).isChecked(), false);

  // A slip is not the end: a block removed comes back, and leaving asks first.
  await app.id('preset-block-open').first().click();
  await app.id('preset-block-remove').first().click();
  await eventually(async () => assert.equal(await app.id('preset-block').count(), 2));
  await app.id('notice-undo').last().click();
  await eventually(async () => assert.deepEqual(await blocks(app), ['deep', 'main', 'chatHistory']));
  await app.id('preset-block-down').first().click();
  await eventually(async () => assert.deepEqual(await blocks(app), ['main', 'deep', 'chatHistory']));
  const grip = (at) => app.page.locator('.preset-block-grip').nth(at);
  // All three in sight.
  await app.id('preset-block-open').nth(1).click();
  await grip(2).dragTo(grip(0));
  await eventually(async () => assert.deepEqual(await blocks(app), ['chatHistory', 'main', 'deep']));
  await app.go('presets');
  await app.id('leave-discard').click();
  await theirs.waitFor();

  await writeFile(foreign, '{"name": "x", "first_mes": "y"}');
  await app.upload('preset-import', foreign);
  await app.id('import-error').waitFor();
});

test("SillyTavern's presets bring their samplers, and go out to it as they came", async (t) => {
  const app = await at.open(t);
  const llm = await at.provider(t);
  await app.addConnection({ url: llm.base('openai'), temperature: 0.7 });
  await app.createCharacter({ name: '林夕' });
  const file = (name, value) => ({ name, mimeType: 'application/json', buffer: Buffer.from(JSON.stringify(value)) });
  const marker = (identifier) => ({ identifier, name: identifier, system_prompt: true, marker: true });
  const prompt = (identifier, content) => ({
    identifier, name: identifier, role: 'system', content, system_prompt: identifier === 'main', marker: false,
    injection_position: 0, injection_depth: 4, injection_order: 100, forbid_overrides: false, injection_trigger: [],
  });
  const theirs = {
    temperature: 0.4, top_p: 0.9, top_k: 0, top_a: 0, min_p: 0, openai_max_context: 8192, openai_max_tokens: 321, names_behavior: 0, wi_format: '{0}', seed: -1,
    prompts: [prompt('main', 'Write as {{char}}.'), marker('charDescription'), marker('chatHistory'), prompt('jailbreak', 'Go on.')],
    prompt_order: [{ character_id: 100001, order: ['main', 'charDescription', 'chatHistory', 'jailbreak'].map((identifier) => ({ identifier, enabled: true })) }],
  };
  await app.go('presets');
  await app.upload('preset-import', file('Theirs.json', theirs));
  const item = app.item('preset-item', 'Theirs');
  await item.waitFor();
  assert.deepEqual(JSON.parse((await carried(app, item, 'sillytavern')).bytes), theirs);
  await app.createStoryline({ preset: { label: 'Theirs' } });
  await app.play('你好。');
  const sent = () => (({ temperature, top_p, max_tokens }) => ({ temperature, top_p, max_tokens }))(llm.requests.at(-1).body);
  assert.deepEqual(sent(), { temperature: 0.4, top_p: 0.9, max_tokens: 321 });

  await app.go('presets');
  await app.press(app.item('preset-item', 'Theirs'), 'preset-edit');
  await app.id('preset-temperature').fill('hot');
  await app.id('preset-save').click();
  assert.match(await app.id('preset-error').innerText(), /没有保存/);
  await app.id('preset-temperature').fill('');
  await app.id('preset-save').click();
  await app.item('preset-item', 'Theirs').waitFor();
  const { temperature, ...rest } = theirs;
  assert.deepEqual(JSON.parse((await carried(app, app.item('preset-item', 'Theirs'), 'sillytavern')).bytes), rest);
  await app.openStory();
  await app.play('再见。');
  assert.deepEqual(sent(), { temperature: 0.7, top_p: 0.9, max_tokens: 321 });

  // Of text completion: the template says what stands where, the instruct sequences are kept alone.
  const context = { name: 'Mine', story_string: '{{#if system}}{{system}}\n{{/if}}{{#if description}}Who: {{description}}\n{{/if}}' };
  const instruct = { name: 'ChatML', input_sequence: '<|u|>', output_sequence: '<|a|>' };
  await app.go('presets');
  await app.upload('preset-import', file('all.json', { context, instruct, sysprompt: { name: 'S', content: 'Be {{char}}.' } }));
  await app.item('preset-item', 'Mine').waitFor();
  await eventually(async () => assert.match((await app.id('notice').allInnerTexts()).join(), /指令模板/));
});
