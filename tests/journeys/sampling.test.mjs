// Sampling: set by connection and by preset, sent in the provider's words; what a model refuses is left out, and said.

import assert from 'node:assert/strict';
import test from 'node:test';

import { stage } from '../support/browser.mjs';
import { eventually } from '../support/page.mjs';

const at = stage();

const REFUSES = {
  top_k: "Unsupported parameter: 'top_k' is not supported with this model.",
  reasoning_effort: "Unrecognized request argument supplied: reasoning_effort",
};

for (const [language, words] of [
  ['zh-CN', { leftOut: /不会发出：Top K、思考多少/, notice: /这个模型不接受：Top K、思考多少.*'top_k' is not supported/s, bias: /这一行不是“编号: 偏置”：word/, json: /第 1 行第 \d+ 列.*不是 JSON/, object: /应是一个 JSON 对象/ }],
  ['en-US', { leftOut: /Not sent: Top K, Thinking/, notice: /The model does not take this: Top K, Thinking.*'top_k' is not supported/s, bias: /no “id: bias”: word/, json: /no JSON: reading stops at line 1, column \d+/, object: /Must be a JSON object/ }],
]) {
  test(`what a model refuses of the sampling is left out and said (${language})`, async (t) => {
    const app = await at.open(t, { language, allow: [/status of 400/] });
    const llm = await at.provider(t, { refuses: REFUSES });
    await app.begin(llm, { character: { name: '林夕' } });

    await t.test('typed with its faults beside it', async () => {
      await app.go('settings');
      await app.id('connection-edit').first().click();
      await app.page.locator('.connection-form details.more summary').first().click();
      const note = (id) => app.page.locator(`#field-${id}-note`);
      await app.id('connection-bias').fill('50256: -100\nword: 1');
      await eventually(async () => assert.match(await note('connection-bias').innerText(), words.bias));
      await app.id('connection-body').fill('{"top_a" 1}');
      await eventually(async () => assert.match(await note('connection-body').innerText(), words.json));
      await app.id('connection-body').fill('[1]');
      await eventually(async () => assert.match(await note('connection-body').innerText(), words.object));
      await app.id('connection-save').click();
      assert.ok(await app.id('connection-body').isVisible(), 'a form with a fault is not saved');
      await app.id('connection-bias').fill('50256: -100');
      await app.id('connection-body').fill('{"top_a": 0.2, "stream_options": null}');
      await app.id('connection-min-p').fill('0,05');
      await app.id('connection-top-k').fill('40');
      await app.id('connection-effort').selectOption('low');
      assert.equal(await app.id('connection-left-out').count(), 0, 'nothing is known to be refused');
      await app.id('connection-save').click();
      await app.id('connection-body').waitFor({ state: 'detached' });
      await app.item('connection-item', 'My openai').waitFor();
    });

    await t.test('the reply comes all the same', async () => {
      await app.openStory();
      llm.script('灯亮了。');
      await app.play('点灯');
      const chats = llm.chat();
      assert.deepEqual(
        chats.map(({ body }) => ['top_k', 'reasoning_effort'].map((name) => body[name] ?? null)),
        [[40, 'low'], [null, 'low'], [null, null]],
      );
      const { body } = chats.at(-1);
      assert.deepEqual([body.min_p, body.top_a, body.logit_bias, body.stream_options], [0.05, 0.2, { 50256: -100 }, undefined]);
      await eventually(async () => assert.match(await app.page.locator('[data-testid="turn"]').last().innerText(), words.notice));
    });

    await t.test('and is not asked again', async () => {
      llm.script('门开了。');
      await app.play('开门');
      assert.equal(llm.chat().length, 4);
      await app.id('tab-prompt').click();
      await eventually(async () => assert.match(await app.id('prompt-left-out').innerText(), words.leftOut));
      await app.go('settings');
      await app.id('connection-edit').first().click();
      await eventually(async () => assert.match(await app.id('connection-left-out').innerText(), words.leftOut));
    });

    await t.test('until the reader wants it', async () => {
      await app.id('connection-send-refused').click();
      await app.id('connection-left-out').waitFor({ state: 'detached' });
      llm.script('Hello');
      await app.id('connection-test').click();
      await app.page.locator('[data-testid="connection-status"][data-kind="ok"]').waitFor();
      assert.equal(llm.chat().length, 7, 'the test finds it out, too');
      await eventually(async () => assert.match(await app.id('connection-left-out').innerText(), words.leftOut));
    });
  });
}

test('a reply is begun for its model, and begins anew where the model refuses that', async (t) => {
  const app = await at.open(t, { language: 'en-US', allow: [/status of 400/] });
  const refuses = {};
  const llm = await at.provider(t, { refuses });
  await app.begin(llm, { character: { name: 'Wren' } });
  const set = async (words) => {
    await app.go('settings');
    await app.id('connection-edit').first().click();
    await app.page.locator('.connection-form details.more summary').first().click();
    await app.id('connection-prefill').fill(words);
    await app.id('connection-save').click();
    await app.id('connection-prefill').waitFor({ state: 'detached' });
    await app.openStory();
  };
  await set('{{char}} smiles: “');
  llm.script('Come in.”');
  const turn = await app.play('I knock.');
  assert.deepEqual(llm.chat().at(-1).body.messages.at(-1), { role: 'assistant', content: 'Wren smiles: “' });
  assert.equal(await app.replyText(turn), 'Wren smiles: “Come in.”');
  await app.id('tab-prompt').click();
  await app.page.locator('[data-testid=prompt-block][data-block=prefill]', { hasText: 'first words' }).waitFor();

  refuses.prefill = 'This model does not support assistant message prefill.';
  llm.script('The door stays shut.');
  const next = await app.play('I knock again.');
  assert.equal(await app.replyText(next), 'The door stays shut.');
  await eventually(async () => assert.match(await app.turn(next).root.innerText(), /does not take this: First words of every reply/));
});

test('a preset goes before the connection, down to its stop texts', async (t) => {
  const app = await at.open(t);
  const llm = await at.provider(t);
  await app.addConnection({ url: llm.base('openai') });
  await app.createCharacter({ name: '林夕' });
  await app.go('presets');
  await app.press(app.item('preset-item', '普通对话').first(), 'preset-duplicate');
  const copy = app.item('preset-item', '普通对话（副本）');
  await copy.waitFor();
  await app.press(copy, 'preset-edit');
  await app.id('preset-samplers').locator('summary').click();
  await app.id('preset-temperature').fill('1.2');
  await app.id('preset-repetition-penalty').fill('3');
  await app.id('preset-save').click();
  await eventually(async () => assert.match(await app.page.locator('main').innerText(), /有的填得不对，没有保存/));
  assert.match(await app.page.locator('#field-preset-repetition-penalty-note').innerText(), /0 到 2/);
  await app.id('preset-repetition-penalty').fill('1.1');
  await app.id('preset-stop').fill('\n玩家：\n完');
  await app.id('preset-save').click();
  await copy.waitFor();
  await app.go('storylines');
  await app.id('storyline-new').click();
  await app.id('storyline-preset').selectOption({ label: '普通对话（副本）' });
  await app.id('storyline-create').click();
  llm.script('好。');
  await app.play('说吧');
  const { body } = llm.chat().at(-1);
  assert.deepEqual([body.temperature, body.repetition_penalty, body.stop], [1.2, 1.1, ['玩家：', '完']]);
});
