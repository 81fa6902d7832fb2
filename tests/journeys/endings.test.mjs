// Replies that end early, empty or oddly say so in words, beside the turn, in the reader's language, and for good.

import assert from 'node:assert/strict';
import test from 'node:test';

import { NETWORK, stage } from '../support/browser.mjs';
import { eventually } from '../support/page.mjs';

const at = stage();

const CHARACTER = { name: '林夕', first_mes: '门上的铃响了。' };
const WORDS = {
  'zh-CN': {
    cutOff: /被截断 回复到了长度上限。 可以让它继续写/,
    noAdvice: /被截断 回复到了长度上限。$/,
    beforeWords: /没有内容 正文还没开始，长度上限就用完了/,
    calls: /没有内容 模型只调用了工具，没有写正文/,
    refusal: /中断了 内容被服务的过滤器拦下：模型不愿回答（refusal）/,
    safety: /内容被服务的过滤器拦下：安全规则（SAFETY）/,
    seconds: /\(系统错误: 请求太频繁：slow down（12 秒后可再试）\)/,
    minutes: /（约 6 分钟后可再试）/,
    unknown: /稍后再试。/,
    prose: /模型只写了变化，没有写正文，于是又请它单写了一次正文/,
    unread: /回复的数据里有 2 处读不懂，跳过了：\{"n":1e400\}/,
  },
  'en-US': {
    cutOff: /Cut off The reply reached its length limit\. Let it go on/,
    noAdvice: /Cut off The reply reached its length limit\.$/,
    beforeWords: /Empty The length limit was used up before the first word/,
    calls: /Empty The model called a tool and wrote no words/,
    refusal: /Broken off The provider's filter held it back: the model would not answer \(refusal\)/,
    safety: /The provider's filter held it back: safety \(SAFETY\)/,
    seconds: /\(System error: Too many requests: slow down \(try again in 12 s\)\)/,
    minutes: / \(try again in about 6 min\)/,
    unknown: /Try again in a while\./,
    prose: /The model wrote what changed and no prose, and was asked once more, for the prose alone/,
    unread: /Parts of the reply's data could not be read and were passed over \(2\): \{"n":1e400\}/,
  },
};
const KINDS = [
  { kind: 'openai', language: 'zh-CN', length: 'length', tools: 'tool_calls' },
  { kind: 'anthropic', language: 'en-US', length: 'max_tokens', tools: 'tool_use' },
  { kind: 'gemini', language: 'zh-CN', length: 'MAX_TOKENS', tools: 'STOP' },
];

/** What stands beside a turn. */
const beside = async (app, number) => (await app.turn(number).status.innerText()).replace(/\s+/g, ' ').trim();

for (const { kind, language, length, tools } of KINDS) {
  test(`${kind}: a reply at the length limit says so and goes on when asked to`, async (t) => {
    const words = WORDS[language];
    const llm = await at.provider(t);
    const app = await at.open(t, { language });
    await app.begin(llm, { connection: { kind }, character: CHARACTER });
    llm.script({ text: '她推开门，', finish: length });
    const number = await app.play('进去。');
    assert.match(await beside(app, number), words.cutOff);
    await app.reload();
    await app.turn(number).id('turn-continue').waitFor();
    assert.match(await beside(app, number), words.cutOff, 'kept');
    // A button with its word, not an icon that shows when one comes near.
    assert.notEqual((await app.turn(number).id('turn-continue').innerText()).trim(), '');
    llm.script('雨停了。');
    await app.turn(number).id('turn-continue').click();
    await eventually(async () => assert.equal(await app.replyText(number), '她推开门，雨停了。'));
    await app.waitStatus(number, 'done');
    assert.ok(await app.turn(number).status.isHidden());

    llm.script({ text: '灯灭了，', finish: length }, '天亮了。');
    const cut = await app.play('然后呢？');
    await app.play('再然后呢？');
    await eventually(async () => assert.match(await beside(app, cut), words.noAdvice));

    llm.script({ empty: true, reasoning: '该从哪里写起', finish: length });
    const silent = await app.play('写得再长一点。', 'empty');
    assert.match(await beside(app, silent), words.beforeWords);
  });

  test(`${kind}: a reply of nothing but calls of tools says only that`, async (t) => {
    const llm = await at.provider(t);
    const app = await at.open(t, { language });
    await app.begin(llm, { connection: { kind }, character: CHARACTER });
    llm.script({ empty: true, calls: true, finish: tools });
    const number = await app.play('掷骰子。', 'empty');
    assert.match(await beside(app, number), WORDS[language].calls);
    await app.reload();
    await app.turn(number).id('turn-retry').waitFor();
    assert.match(await beside(app, number), WORDS[language].calls, 'kept');
  });

  test(`${kind}: an odd event costs itself only, and a character cut in two is whole`, async (t) => {
    const words = WORDS[language];
    const llm = await at.provider(t);
    const app = await at.open(t, { language });
    await app.begin(llm, { connection: { kind }, character: CHARACTER });
    const deep = `${'['.repeat(200)}${']'.repeat(200)}`;
    llm.script({ pieces: ['雨停了', '\ud83d', '\ude00。', '灯亮着。'], amid: { 1: '{"n":1e400}', 3: deep } });
    const number = await app.play('看。');
    assert.equal(await app.replyText(number), '雨停了😀。灯亮着。');
    const notes = app.turn(number).id('turn-notices');
    assert.match(await notes.innerText(), words.unread);
    await app.reload();
    await notes.waitFor();
    assert.match(await notes.innerText(), words.unread, 'kept');
    // Nothing but such events is no stream.
    llm.script({ status: 200, errorBody: 'data: NaN\n\ndata: {"n":1e400}\n\n', contentType: 'text/event-stream' });
    const failed = await app.play('再看。', 'error');
    assert.match(await app.replyText(failed), /NaN/);
  });
}

for (const [language, words] of Object.entries(WORDS)) {
  test(`${language}: a reply of notes alone brings its prose too`, async (t) => {
    const llm = await at.provider(t);
    const app = await at.open(t, { language });
    await app.begin(llm, { character: CHARACTER, preset: 'living' });
    llm.script('<changes>\nworld gate: open\n</changes>', '她推开了门。');
    const number = await app.play('开门。');
    assert.equal(await app.replyText(number), '她推开了门。');
    assert.match(await app.turn(number).id('turn-notices').innerText(), words.prose);
    // The same prompt without the form, so that there is none to be filled in again.
    const [first, second] = llm.chat().map(({ body }) => body.messages);
    const form = first.findIndex(({ content }) => content.includes('<changes>'));
    assert.doesNotMatch(JSON.stringify(second), /<changes>/);
    assert.deepEqual(second.with(form, null), first.with(form, null));
    // What is told of it later is the prose.
    await app.play('走吧。');
    assert.equal(llm.chat().length, 3);
    assert.ok(llm.chat()[2].body.messages.some(({ role, content }) => role === 'assistant' && content === '她推开了门。'));
  });
}

for (const [language, words] of Object.entries(WORDS)) {
  test(`${language}: a refusal says why, and when to try again`, async (t) => {
    const llm = await at.provider(t);
    const app = await at.open(t, { language, allow: NETWORK });
    await app.begin(llm, { character: CHARACTER });
    const refused = async (plan) => {
      llm.script({ status: 429, errorMessage: 'slow down', ...plan });
      const number = await app.play('快。', 'error');
      return `${await app.replyText(number)} ${await beside(app, number)}`;
    };
    const seconds = await refused({ retryAfter: 12 });
    assert.match(seconds, words.seconds);
    assert.doesNotMatch(seconds, words.unknown, 'who is told when need not be told to wait');
    const date = new Date(Date.now() + 345_000).toUTCString();
    assert.match(await refused({ retryAfter: date }), words.minutes);
    assert.match(await refused({ errorMessage: 'Rate limit reached. Please try again in 6m0s.' }), words.minutes);
    // A server that does not expose the header (CORS): the body may tell, or nobody does.
    assert.match(await refused({ retryAfter: 12, expose: false }), words.unknown);
    const error = { code: 429, message: 'slow down', status: 'RESOURCE_EXHAUSTED', details: [{ retryDelay: '11.2s' }] };
    assert.match(await refused({ retryAfter: 40, expose: false, errorBody: { error } }), words.seconds);

    llm.script({ text: '她看着你，', finish: 'refusal' }, { text: '她', finish: 'SAFETY' });
    const first = await app.play('说。', 'interrupted');
    assert.match(await beside(app, first), words.refusal);
    assert.match(await beside(app, await app.play('说吧。', 'interrupted')), words.safety);
  });
}
