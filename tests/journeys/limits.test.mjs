// The bounds of a prompt: what may be set, what stops a turn, what is only warned of, and the author's note.

import assert from 'node:assert/strict';
import test from 'node:test';

import { NETWORK, stage } from '../support/browser.mjs';
import { eventually } from '../support/page.mjs';
import { counted as tokens } from '../support/provider.mjs';

const at = stage();

const DEFAULTS = {
  thresholds: { rag_fallback_threshold: 3, summary_last_n_turns: 5 },
  limits: { max_total_tokens: 100000, middle_section_warning_tokens: 20000, conversation_max_tokens: 100000 },
  preferences: { summary_order: 'summary_first', conversation_load_all: true },
};
const LINE = '她沿着旧城墙走，雨落在青石上，每一步都像是在数着从前的日子。';

const config = async (app) => (await app.records('settings')).find((record) => record.id === 'config');
const field = (app, name) => app.id(`settings-${name}`);
/** The complaint within a field's own note. */
const refusal = (app, name) => app.page.locator('.field', { has: field(app, name) }).getByTestId('settings-error');

async function save(app, values) {
  await app.go('settings');
  for (const [name, value] of Object.entries(values)) await field(app, name).fill(String(value));
  await app.id('settings-save').click();
  await eventually(async () => assert.match(await app.id('settings-saved').innerText(), /已保存/));
}

test('a number out of its range is refused beside its field, and nothing is saved', async (t) => {
  const app = await at.open(t);
  await app.go('settings');
  const ranges = {
    rag_fallback_threshold: [1, 10],
    summary_last_n_turns: [1, 20],
    max_total_tokens: [10000, 200000],
    middle_section_warning_tokens: [1000, 50000],
    conversation_max_tokens: [10000, 200000],
  };
  for (const [name, [low, high]] of Object.entries(ranges)) {
    const right = await field(app, name).inputValue();
    for (const wrong of [low - 1, high + 1, '', '3.5', 'abc']) {
      await field(app, name).fill(String(wrong));
      assert.match(await refusal(app, name).innerText(), new RegExp(`${low}.*${high}`));
      assert.equal(await field(app, name).getAttribute('aria-invalid'), 'true');
      assert.equal(await app.id('settings-error').count(), 1, 'beside its own field only');
      await app.id('settings-save').click();
      assert.ok(await field(app, name).evaluate((element) => element === document.activeElement), 'the field has the focus');
    }
    await field(app, name).fill(right);
    assert.equal(await app.id('settings-error').count(), 0);
  }
  assert.equal(await config(app), undefined);
});

test('what is saved is kept, with what this version does not know; the defaults come back at once', async (t) => {
  const app = await at.open(t);
  await save(app, { rag_fallback_threshold: '７', conversation_max_tokens: 50000 });
  await app.id('settings-summary_order').getByText('先放对话，再放摘要').click();
  await app.id('settings-conversation_load_all').uncheck();
  await app.id('settings-save').click();
  await eventually(async () => assert.equal((await config(app)).preferences.conversation_load_all, false));
  const saved = await config(app);
  assert.equal(saved.thresholds.rag_fallback_threshold, 7);
  assert.equal(saved.limits.conversation_max_tokens, 50000);
  assert.equal(saved.preferences.summary_order, 'last_n_first');

  // A later version has written a field of its own.
  await app.page.evaluate(async (record) => {
    const done = (request) => new Promise((resolve, reject) => {
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
    const database = await done(indexedDB.open('fabula'));
    await done(database.transaction('settings', 'readwrite').objectStore('settings').put({ ...record, later: 1 }));
    database.close();
  }, saved);
  await app.reload();
  await app.go('settings');
  await eventually(async () => assert.equal(await field(app, 'conversation_max_tokens').inputValue(), '50000'));
  assert.ok(await app.page.getByRole('radio', { name: '先放对话，再放摘要' }).isChecked());
  await app.id('settings-reset').click();
  await eventually(async () => assert.deepEqual(await config(app), { id: 'config', ...DEFAULTS, later: 1 }));
  assert.equal(await field(app, 'conversation_max_tokens').inputValue(), '100000');
  assert.ok(await app.id('settings-conversation_load_all').isChecked());
});

test('above the total limit the turn stops before any request, with both numbers', async (t) => {
  const llm = await at.provider(t);
  const app = await at.open(t);
  const character = { name: '林夕', description: LINE.repeat(1200), first_mes: '「随便看。」' };
  await app.begin(llm, { character, connection: { context: 64000 } });
  llm.on(() => '雨停了。');
  const before = await app.play('雨什么时候停？');
  assert.equal(await app.replyText(before), '雨停了。');
  assert.match(await app.id('composer-tokens').innerText(), /上轮约 \d\d,\d\d\d tokens/);
  const asked = llm.requests.length;

  await save(app, { max_total_tokens: 10000 });
  await app.openStory();
  const stopped = await app.send('再问一次');
  await app.waitStatus(stopped, 'error');
  const said = await app.turn(stopped).root.innerText();
  const [, actual] = /Prompt总长度超过限制（(\d+) > 10000），请执行汇总或调整配置/.exec(said) ?? assert.fail(said);
  assert.ok(Number(actual) > 10000);
  assert.equal(llm.requests.length, asked, 'nothing was sent');
  assert.equal(await app.userText(stopped), '再问一次');

  await app.turn(stopped).status.getByRole('link').click();
  await save(app, { max_total_tokens: 100000 });
  await app.openStory();
  await app.turn(stopped).id('turn-retry').click();
  await app.waitStatus(stopped, 'done');
});

test('what is typed is what is saved, and holds for the turn that comes at once, however slow the store is', async (t) => {
  const llm = await at.provider(t);
  const app = await at.open(t);
  const character = { name: '林夕', description: LINE.repeat(1200), first_mes: '「随便看。」' };
  await app.begin(llm, { character, connection: { context: 64000 } });
  llm.on(() => '雨停了。');
  const stopped = async (text) => {
    const asked = llm.chat().length;
    const number = await app.send(text);
    return async () => {
      await app.waitStatus(number, 'error');
      assert.equal(llm.chat().length, asked, 'nothing was sent');
    };
  };

  // What is stored comes after the reader has begun to type.
  await save(app, { summary_last_n_turns: 6 });
  await app.go('characters');
  let release = await app.hold('settings');
  await app.go('settings');
  const typed = field(app, 'max_total_tokens').fill('10000');
  await new Promise((done) => setTimeout(done, 300));
  await release();
  await typed;
  await new Promise((done) => setTimeout(done, 300));
  assert.equal(await field(app, 'max_total_tokens').inputValue(), '10000');
  assert.equal(await field(app, 'summary_last_n_turns').inputValue(), '6');
  await app.id('settings-save').click();
  await app.openStory();
  await (await stopped('一'))();

  // What is saved is still on its way when the turn begins, and other tabs have written meanwhile.
  await save(app, { max_total_tokens: 100000 });
  await app.page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
  release = await app.hold('settings');
  await field(app, 'max_total_tokens').fill('10000');
  await app.id('settings-save').click();
  await app.openStory();
  // The words are stored with what was typed of them taken out of the settings: they wait as well.
  const begun = stopped('二');
  await new Promise((done) => setTimeout(done, 300));
  await release();
  await (await begun)();
});

test('a long middle is warned of, and sent whole', async (t) => {
  const llm = await at.provider(t);
  const app = await at.open(t);
  await app.begin(llm, { character: { name: '林夕', first_mes: LINE.repeat(150) } });
  llm.on(() => '雨停了。');
  await app.play('雨什么时候停？');
  assert.equal(await app.id('warnings-badge').count(), 0);

  await save(app, { middle_section_warning_tokens: 1000 });
  await app.openStory();
  await app.play('再问一次');
  assert.match(await app.id('warnings-badge').innerText(), /^1\s*系统警示$/);
  assert.ok(JSON.stringify(llm.requests.at(-1).body).includes(LINE.repeat(150)), 'nothing is cut');

  assert.equal(await app.id('warnings-list').count(), 0);
  await app.id('warnings-badge').click();
  const item = app.id('warnings-item');
  assert.equal(await item.count(), 1);
  const [, value] = /当前对话历史过长（(\d+) tokens）/.exec(await item.innerText()) ?? assert.fail();
  const detail = app.id('warnings-detail');
  const ways = [
    () => item.dblclick({ position: { x: 20, y: 10 } }),
    () => item.press('Enter'),
    () => item.getByTestId('warnings-open').click(),
  ];
  for (const open of ways) {
    await open();
    await detail.waitFor();
    const said = (await detail.innerText()).replace(/\s+/g, ' ');
    assert.match(said, new RegExp(`类型 当前对话历史过长 当前值 ${value} tokens 建议阈值 1000 tokens 建议操作 执行汇总功能 影响 可能导致响应变慢、成本增加`));
    await app.page.keyboard.press('Escape');
    await detail.waitFor({ state: 'detached' });
  }
  await app.id('warnings-badge').click();
  assert.equal(await app.id('warnings-list').count(), 0);

  await save(app, { middle_section_warning_tokens: 20000 });
  await app.openStory();
  await app.play('第三次');
  await app.id('warnings-badge').waitFor({ state: 'detached' });
});

test('the author’s note stands at its depth in every request', async (t) => {
  const llm = await at.provider(t);
  const app = await at.open(t);
  await app.begin(llm, { character: { name: '林夕', first_mes: '「随便看。」' } });
  const note = async () => (await app.records('storylines'))[0].author_note;
  if (!(await app.id('tab-story').isVisible())) await app.id('notebook-open').click();
  await app.id('tab-story').click();
  const write = async (text) => {
    await app.id('note-text').fill(text);
    await app.id('note-text').blur();
  };
  await write('今夜有雾。');
  await app.id('note-depth').fill('1');
  await app.id('note-depth').blur();
  await app.id('note-role').selectOption('user');
  await eventually(async () => assert.deepEqual(await note(), { text: '今夜有雾。', depth: 1, role: 'user', enabled: true }));

  await app.id('note-depth').fill('-1');
  await app.id('note-depth').blur();
  await app.id('note-error').waitFor();
  assert.equal((await note()).depth, 1);
  await app.id('note-depth').fill('1');

  const said = () => llm.requests.at(-1).body.messages.map((message) => [message.role, message.content]);
  await app.play('有人吗？');
  assert.ok(JSON.stringify(said().at(-2)).includes('今夜有雾。'), JSON.stringify(said().slice(-3)));
  assert.deepEqual(said().at(-1), ['user', '有人吗？']);

  // Changed while a turn streams: kept, and there for the next one.
  llm.script({ text: '灯下的书翻到了下一页。', holdAfter: 2 });
  const number = await app.send('再等等');
  await app.replyGrows(number);
  await write('雾散了。');
  llm.release();
  await app.waitStatus(number, 'done');
  await eventually(async () => assert.equal((await note()).text, '雾散了。'));
  await app.play('然后呢？');
  assert.ok(JSON.stringify(said().at(-2)).includes('雾散了。'));

  // Changed, and in the same moment the words are sent: their reply is told by it.
  await app.id('composer-input').fill('看！');
  // It says nothing of what it was told, or that would be recalled.
  llm.script('她抬起头。');
  const asked = llm.chat().length;
  await app.page.evaluate(() => {
    const at = (id) => document.querySelector(`[data-testid="${id}"]`);
    const set = (id, value) => {
      at(id).value = value;
      for (const kind of ['input', 'change']) at(id).dispatchEvent(new Event(kind, { bubbles: true }));
    };
    set('note-text', '月亮出来了。');
    set('note-depth', '0');
    at('composer-send').click();
  });
  await eventually(() => assert.equal(llm.chat().length, asked + 1));
  assert.ok(JSON.stringify(said().at(-1)).includes('月亮出来了。'), JSON.stringify(said().slice(-3)));
  await app.waitStatus(await app.lastTurn(), 'done');

  await app.id('note-enabled').uncheck();
  await eventually(async () => assert.equal((await note()).enabled, false));
  await app.id('story-preset').selectOption('director');
  await eventually(async () => assert.equal((await app.records('storylines'))[0].preset, 'director'));
  await app.play('最后一问');
  assert.ok(!JSON.stringify(said()).includes('月亮出来了。'));
});

// ------------------------------------------------------------------------------------------ longer than the model takes

const LINES = {
  'zh-CN': { first: '钥匙藏在井边的陶罐里。', next: '继续走。', ask: '你还记得钥匙藏在哪里吗？', reply: '雨下个不停，他们继续往北走。'.repeat(24) },
  en: { first: 'The key is in the jar by the well.', next: 'Go on.', ask: 'Do you remember where the key is?', reply: 'The rain went on and on, and they walked north. '.repeat(24) },
};
const grouped = (number) => number.toLocaleString('en-US');

/** Tokens of a request's messages, each with its role. */
const counted = ({ body }) => body.messages.reduce((sum, { content }) => sum + 4 + tokens(content), 0);
const summarises = (request) => /^你在为一个长篇互动故事做汇总|^You summarise a long interactive story/.test(request.user);

/** A story of this preset over a connection of so many tokens, told by a model that takes `takes` of them and no more. */
async function long(t, { language = 'zh-CN', preset, context, takes = context, refusal, fails = () => false, viewport }) {
  const llm = await at.provider(t, {});
  const app = await at.open(t, { language, viewport, allow: NETWORK });
  await app.addConnection({ url: llm.base('openai'), context });
  await app.createCharacter({ name: 'Lin', first_mes: '…' });
  await app.createStoryline({ character: 'Lin', preset });
  const words = LINES[language];
  llm.on((request) => {
    const prompt = counted(request);
    if (fails(request)) return { status: 503, errorMessage: 'overloaded' };
    if (prompt > takes) return refusal(prompt, takes);
    const points = [{ turns: [0, 99], text: 'They walked north.', detail: 'In the rain.' }];
    const text = summarises(request) ? JSON.stringify({ summary: 'So far they walked north.', points }) : words.reply;
    return { text, usage: { prompt, completion: 300 } };
  });
  /** Plays until a turn waits for the reader to choose, and gives its number. */
  const untilHeld = async () => {
    for (let turn = 1; turn < 60; turn += 1) {
      const number = await app.send(turn === 1 ? words.first : words.next);
      await app.page.locator(`[data-turn="${number}"] [data-testid="turn-status"]:is([data-status="done"], [data-status="interrupted"])`).waitFor({ state: 'attached' });
      if ((await app.turn(number).status.getAttribute('data-status')) === 'interrupted') return number;
    }
    throw new Error('the story is never too long');
  };
  return { llm, app, words, untilHeld, sent: () => llm.chat().filter((request) => !summarises(request)) };
}

const OPENAI = (prompt, takes) => ({
  status: 400,
  errorMessage: `This model's maximum context length is ${takes} tokens. However, your messages resulted in ${prompt} tokens.`,
});

for (const language of ['zh-CN', 'en']) {
  test(`a story longer than its connection takes is held with its numbers, and its newest turns can be sent (${language})`, async (t) => {
    const { llm, app, words, untilHeld } = await long(t, { language, preset: 'director', context: 4000, refusal: OPENAI });
    const held = await untilHeld();
    const asked = llm.chat().length;
    const said = await app.turn(held).id('turn-too-long-words').innerText();
    assert.match(said, language === 'en' ? /Nothing was sent/ : /还没有发送/);
    const numbers = said.match(/[\d,]+\d/g).map((number) => Number(number.replaceAll(',', '')));
    assert.deepEqual(numbers.slice(1), [1024, 4000]);
    assert.ok(numbers[0] > 4000 - 1024 && numbers[0] < 4000, said);
    assert.equal(await app.userText(held), words.next);
    assert.doesNotMatch(await app.turn(held).root.innerText(), /系统错误|System error/);

    // It waits, whatever happens to the page, and to retry is to be told again.
    await app.reload();
    await app.turn(held).id('turn-retry').click();
    await app.turn(held).id('turn-newest').waitFor();
    assert.equal(llm.chat().length, asked, 'nothing was sent');

    await app.turn(held).id('turn-newest').click();
    await app.waitStatus(held, 'done');
    assert.equal(await app.id('turn-too-long').count(), 0);
    assert.deepEqual(await app.swipes(held), [1, 1], 'no trace of the refusal');
    const request = llm.chat().at(-1);
    assert.ok(counted(request) <= 4000 - 1024, `${counted(request)} with room for the reply`);
    assert.ok(counted(request) > 2000, `${counted(request)}: as many as fit`);
    assert.ok(request.text.includes(words.next));
    const { id } = (await app.records('generations')).find((reply) => reply.position === held);
    const account = (await app.records('accounts')).find((account) => account.id === id);
    const history = account.blocks.find((block) => block.source === 'history');
    // This preset puts the newest words elsewhere, and once.
    assert.ok(history.past && history.from > 1 && history.to === held - 1 && history.trimmed > 0, JSON.stringify(history));

    // The answer holds for the story, and what was left out is recalled where it is asked for.
    const next = await app.send(words.ask);
    await app.waitStatus(next, 'done');
    assert.ok(llm.chat().at(-1).text.includes(words.first), 'recalled');
    assert.ok(counted(llm.chat().at(-1)) <= 4000 - 1024);
    assert.equal(llm.chat().length, asked + 2);
    // Another answer can be given.
    await app.id('tab-story').click();
    await app.id('recall-newest').uncheck();
    await eventually(async () => assert.ok(!(await app.records('storylines'))[0].sends_newest));
    await app.turn(await app.send(words.next)).id('turn-newest').waitFor();
    assert.equal(llm.chat().length, asked + 2);
  });
}

test('a held turn is summarised in parts that fit, and answered; a part that fails changes nothing', async (t) => {
  let failing = true;
  const fails = (request) => failing && summarises(request) && request.user.includes('So far they walked north.');
  const { llm, app, words, untilHeld, sent } = await long(t, { preset: 'director', context: 4000, refusal: OPENAI, fails });
  const held = await untilHeld();
  const asked = sent().length;
  const before = await app.library();
  await app.turn(held).id('turn-summarize').click();
  await eventually(async () => assert.match(await app.turn(held).id('summarize-error').innerText(), /overloaded[^]*没有改动/));
  assert.deepEqual(await app.library(), before);

  failing = false;
  await app.turn(held).id('turn-summarize').click();
  await app.turn(held - 1).id('session-rule').waitFor();
  await app.waitStatus(held, 'done');
  assert.equal(await app.id('turn-too-long').count(), 0);
  assert.equal(await app.userText(held), words.next);
  const parts = llm.chat().filter(summarises);
  assert.ok(parts.length >= 3 && parts.every((request) => counted(request) <= 4000 - 1024), `${parts.map(counted)}`);
  assert.equal(sent().length, asked + 1);
  assert.ok(sent().at(-1).text.includes('So far they walked north.') && counted(sent().at(-1)) <= 4000 - 1024);
  assert.equal(await app.lastTurn(), held, 'every turn is still there');
});

const WORDINGS = {
  openai: OPENAI,
  'llama.cpp': (prompt, takes) => ({
    status: 400,
    errorBody: JSON.stringify({ error: { code: 400, message: 'the request exceeds the available context size. try increasing the context size or enable context shift', type: 'exceed_context_size_error', n_prompt_tokens: prompt, n_ctx: takes } }),
  }),
};
for (const [server, refusal] of Object.entries(WORDINGS)) {
  test(`a provider’s own refusal leads to the same two ways, and is learned from (${server})`, async (t) => {
    const { app, untilHeld, sent } = await long(t, { language: 'en', preset: 'plain', context: 100000, takes: 3000, refusal });
    const held = await untilHeld();
    const said = await app.turn(held).root.innerText();
    assert.match(said, new RegExp(`${grouped(counted(sent().at(-1)))} tokens, and at most 3,000`));
    assert.match(said, /context is 3,000 at most/);
    const asked = sent().length;
    const summarised = server !== 'openai';
    await app.turn(held).id(summarised ? 'turn-summarize' : 'turn-newest').click();
    await app.waitStatus(held, 'done');
    assert.equal(sent().length, asked + 1, 'at once');
    assert.equal(sent().at(-1).text.includes('So far they walked north.'), summarised);

    // What comes next is known to be too long before anything is sent.
    for (let turn = 0; turn < 12; turn += 1) await app.play('Go on.');
    assert.equal(sent().length, asked + 13);
    assert.ok(sent().slice(asked).every((request) => counted(request) <= 3000));
  });
}

test('what the inspector says of Chinese is what the provider counts, and a recount is no difference', async (t) => {
  const { llm, app, words } = await long(t, { preset: 'director', context: 64000, refusal: OPENAI, viewport: { width: 1440, height: 900 } });
  for (let turn = 0; turn < 4; turn += 1) await app.play(words.next);
  await app.id('tab-prompt').click();
  const real = counted(llm.chat().at(-1));
  await eventually(async () => {
    const told = Number((await app.id('prompt-total').innerText()).match(/[\d,]+/)[0].replaceAll(',', ''));
    assert.ok(Math.abs(told - real) <= real * 0.05, `${told} for ${real}`);
  });
  await app.id('prompt-difference').waitFor();
  const changed = await app.id('prompt-change').evaluateAll((all) => all.map((one) => one.dataset.block));
  assert.ok(changed.includes('history') && changed.every((block) => ['history', 'input'].includes(block)), `${changed}`);
});
