// A session is summarised into memories, and the next one opens with the summary and the last turns.

import assert from 'node:assert/strict';
import test from 'node:test';

import { NETWORK, stage } from '../support/browser.mjs';
import { eventually } from '../support/page.mjs';

const at = stage();

const asks = (request) => request.user.startsWith('你在为一个长篇互动故事做汇总');
/** The turns that a request to summarise is about. */
const about = (request) => [...request.user.matchAll(/^第(\d+)轮/gm)].map((found) => Number(found[1]));

/** Tells of just the turns that it is asked about. */
function tell(request) {
  const turns = about(request);
  const [first, last] = [turns[0], turns.at(-1)];
  const points = [{ turns: [first, last], text: `林夕在第${first}到${last}轮立下约定。`, detail: '雨夜，两人在书店。' }];
  return '好的：\n```json\n' + JSON.stringify({ summary: `到第${last}轮为止的故事。`, points }) + '\n```';
}

async function begun(t, { turns, length, connection, options }) {
  const llm = await at.provider(t, {});
  const app = await at.open(t, { viewport: { width: 1440, height: 900 }, ...options });
  await app.begin(llm, { character: { name: '林夕', first_mes: '门上的铃响了。' }, connection });
  await app.id('tab-story').click();
  await app.id('story-preset').selectOption('director');
  await eventually(async () => assert.equal((await app.records('storylines'))[0].preset, 'director'));
  llm.on((request) => (asks(request) ? tell(request) : `第${llm.chat().length}答。${'雨'.repeat(length)}`));
  for (let turn = 1; turn <= turns; turn += 1) await app.play(`第${turn}问。`);
  await app.id('tab-persona').click();
  return { llm, app };
}

/** Sets what the connection's model takes. */
async function takes(app, tokens) {
  await app.go('settings');
  await app.id('connection-edit').click();
  await app.id('connection-context').fill(String(tokens));
  await app.id('connection-save').click();
  await eventually(async () => {
    const { list } = (await app.records('settings')).find((record) => record.id === 'connections');
    assert.equal(list[0].context_tokens, tokens);
  });
  await app.openStory();
  await app.id('tab-persona').click();
}

/** The stories and libraries, without what the memory's index takes in by and by. */
const library = async (app) => {
  const { due, postings, vectors, ...stores } = await app.library();
  return stores;
};
const story = async (app) => (await app.records('storylines'))[0];
const transcript = (llm) => llm.chat().at(-1).body.messages[0].content.split('=== 当前会话完整对话 ===\n')[1];
const numbers = (text) => [...text.matchAll(/^第(\d+)轮：/gm)].map((found) => Number(found[1]));
const summaries = (llm) => llm.chat().filter(asks);

test('a session of twelve turns becomes memories, part by part', async (t) => {
  const { llm, app } = await begun(t, { turns: 12, length: 300, options: { allow: NETWORK } });
  await takes(app, 2400);
  const before = await library(app);

  // The second part fails: nothing changes, and the place says so.
  let failing = true;
  llm.on((request) => {
    if (!asks(request)) return `回答${llm.chat().length}。`;
    if (summaries(llm).length === 2 && failing) return { status: 500, errorMessage: 'overloaded' };
    return tell(request);
  });
  await app.id('action-summarize').click();
  await app.id('summarize-error').waitFor();
  assert.match(await app.id('summarize-error').innerText(), /overloaded[^]*没有改动/);
  assert.equal(summaries(llm).length, 2);
  assert.equal(about(summaries(llm)[0])[0], 0, 'from the opening on');
  assert.deepEqual(await library(app), before);

  // Held amid the second part, then stopped: the same.
  failing = false;
  llm.script({ text: '{', holdAfter: 1 });
  await app.id('action-summarize').click();
  await eventually(async () => assert.match(await app.id('summarize-progress').innerText(), /第 2 部分，共 \d 部分/));
  await eventually(() => assert.equal(llm.chat().length, 15));
  await app.id('summarize-stop').click();
  await app.id('action-summarize').waitFor();
  assert.deepEqual(await library(app), before);

  // Even a new page goes on from there.
  await app.reload();
  await app.id('tab-memory').click();
  await app.id('action-summarize').click();
  await app.id('session-rule').waitFor();
  const told = summaries(llm).filter((_, nth) => nth !== 1 && nth !== 2).flatMap(about);
  assert.deepEqual(told, Array.from({ length: 13 }, (_, turn) => turn), 'each turn once');

  const memories = await app.records('memories');
  const parts = memories.length / 2;
  assert.deepEqual(memories.map((memory) => memory.kind).sort(), [...Array(parts).fill('plot'), ...Array(parts).fill('summary')]);
  assert.ok(parts > 1 && memories.every((memory) => memory.position === 12 && /立下约定/.test(memory.text)));
  assert.ok(memories.filter((memory) => memory.kind === 'plot').every((memory) => memory.detail === '雨夜，两人在书店。'));
  assert.ok(!(await app.records('settings')).some((record) => record.id.startsWith('summarise:')), 'no draft is left');
  const { sessions, current_session } = await story(app);
  assert.deepEqual([sessions.length, sessions[1].id], [2, current_session]);

  // The page shows where the new session begins, with the summary folded under it.
  assert.match(await app.turn(12).id('session-rule').innerText(), /第 2 次会话/);
  await app.id('session-rule').locator('summary').click();
  assert.equal(await app.id('session-summary').innerText(), '到第12轮为止的故事。');
  await takes(app, 32000);

  await app.play('第13问。');
  assert.ok(transcript(llm).startsWith('前情提要：\n到第12轮为止的故事。\n\n第8轮：\nUser: 第8问。'), transcript(llm).slice(0, 80));
  assert.deepEqual(numbers(transcript(llm)), [8, 9, 10, 11, 12]);
  await app.id('tab-prompt').click();
  const history = app.page.locator('[data-testid="prompt-block"][data-block="history"]');
  await history.locator('summary').click();
  await eventually(async () => assert.match(await history.getByTestId('prompt-text').innerText(), /到第12轮为止的故事。[^]*第8问。/));

  // In the other order from the next turn on.
  await app.go('settings');
  await app.id('settings-summary_order').getByText('先放对话，再放摘要').click();
  await app.id('settings-save').click();
  await eventually(async () => {
    const config = (await app.records('settings')).find((record) => record.id === 'config');
    assert.equal(config.preferences.summary_order, 'last_n_first');
  });
  await app.openStory();
  await app.play('第14问。');
  assert.match(transcript(llm), /^第8轮：[^]*第12轮：[^]*前情提要：\n到第12轮为止的故事。\n\n第13轮：(?![^]*第14轮：)/);

  // Going back to before it brings back the whole first session; coming again, the summary.
  await app.turn(11).root.scrollIntoViewIfNeeded();
  await app.press(app.turn(11).root, 'turn-regenerate');
  await eventually(async () => assert.equal(await app.lastTurn(), 11));
  await app.waitStatus(11, 'done');
  assert.deepEqual(numbers(transcript(llm)), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  assert.equal(await app.id('session-rule').count(), 0);
  await app.press(app.turn(11).root, 'swipe-prev');
  await app.turn(12).id('session-rule').waitFor();
});

test('what is too long to send is summarised where it says so, and goes on', async (t) => {
  const { llm, app } = await begun(t, { turns: 0, length: 2600 });
  await app.go('settings');
  await app.id('settings-max_total_tokens').fill('10000');
  await app.id('settings-save').click();
  await eventually(async () => {
    const config = (await app.records('settings')).find((record) => record.id === 'config');
    assert.equal(config.limits.max_total_tokens, 10000);
  });
  await app.openStory();
  let refused;
  for (let turn = 1; refused === undefined; turn += 1) {
    const number = await app.send(`第${turn}问。`);
    await app.page.locator(`[data-turn="${number}"] [data-testid="turn-status"]:is([data-status="done"], [data-status="error"])`).waitFor({ state: 'attached' });
    if ((await app.turn(number).status.getAttribute('data-status')) === 'error') refused = number;
    assert.ok(turn < 40, 'the limit is never met');
  }
  assert.match(await app.turn(refused).root.innerText(), /请执行汇总/);
  await app.turn(refused).id('turn-summarize').click();
  await app.turn(refused - 1).id('session-rule').waitFor();
  await app.waitStatus(refused, 'done');
  assert.ok(transcript(llm).startsWith('前情提要：'));
  assert.deepEqual(numbers(transcript(llm)).slice(-2), [refused - 2, refused - 1]);
});

test('a model that has no summary to give changes nothing', async (t) => {
  const { llm, app } = await begun(t, { turns: 1, length: 3, options: { language: 'zh-CN' } });
  const before = await library(app);
  llm.on(() => '对不起，我不能这样做。');
  await app.id('action-summarize').click();
  await eventually(async () => assert.match(await app.id('summarize-error').innerText(), /没有可用的汇总[^]*对不起/));
  assert.deepEqual(await library(app), before);
  await app.go('settings');
  await app.id('language-select').selectOption('en');
  await app.openStory();
  assert.match(await app.id('action-summarize').innerText(), /Summarise/);
});

const QUOTED = {
  'zh-CN': { asks: '你在为一个长篇互动故事做汇总', heading: '前情提要：', wrote: '他们翻过了墙。' },
  'en-US': { asks: 'You summarise a long interactive story', heading: 'The story so far:', wrote: 'They climb the wall.' },
};

for (const [language, { asks, heading, wrote }] of Object.entries(QUOTED)) {
  test(`no mark, thought or update goes into a summary, nor comes out of one (${language})`, async (t) => {
    const llm = await at.provider(t);
    const app = await at.open(t, { language, viewport: { width: 1440, height: 900 } });
    await app.begin(llm, { character: { name: '林夕' } });
    const update = '<state_update_json>{"current_state": {"emotions": {"add": [{"content": "SECRET"}]}}}</state_update_json>';
    llm.script(`<thought>SECRET</thought><narrative>${wrote}[PROGRESS:2:in_progress]</narrative>${update}`, `……\n\n**[PROGRESS:2:completed]**`);
    await app.play('1');
    await app.play('2');
    const machine = /PROGRESS|SECRET|state_update|thought/;
    const point = { turns: [1, 2], text: `${wrote}[PROGRESS:2:completed]`, detail: `${wrote}\n【进度：2：完成】` };
    llm.script(JSON.stringify({ summary: `${wrote} [PROGRESS:2:completed]`, points: [point] }), '……');
    await app.id('tab-persona').click();
    await app.id('action-summarize').click();
    await app.id('session-rule').waitFor();
    const { user } = llm.chat().at(-1);
    assert.ok(user.startsWith(asks) && user.includes(`林夕: ${wrote}\n`), user);
    assert.doesNotMatch(user, machine);
    const memories = (await app.records('memories')).filter(({ kind }) => kind !== 'event');
    assert.deepEqual(memories.map(({ text, detail = '' }) => [text, detail]).sort(), [[wrote, ''], [wrote, wrote]]);

    await app.play('3');
    const sent = llm.chat().at(-1).body.messages.map(({ content }) => content).join('\n');
    assert.match(sent, new RegExp(`^${heading}\n${wrote}$`, 'm'));

    // The evolved persona: neither what it is drawn from, nor what comes of it.
    llm.script(`<thought>SECRET</thought>${wrote}[PROGRESS:3:completed]`);
    await app.id('action-update-memory').click();
    await eventually(async () => {
      const states = await app.records('states');
      assert.ok(states.some(({ personas }) => personas[''].evolved_persona === wrote), JSON.stringify(states));
    });
    assert.doesNotMatch(llm.chat().at(-1).user, machine);
  });
}
