// What goes wrong in one part stays there: the chat goes on, the other modules work, and the margin says what and why.

import assert from 'node:assert/strict';
import test from 'node:test';

import { stage } from '../support/browser.mjs';
import { eventually } from '../support/page.mjs';
import { storyFile } from '../support/story.mjs';

const at = stage();

const OUTLINE = ['发现线索', '潜入据点', '与仇人对峙'].map((content, n) => ({ index: n + 1, content }));
const FEELING = (content) => ({ current_state: { emotions: { add: [{ content }] } } });
const BOTH = (n, feeling, state = FEELING(feeling)) =>
  `<narrative>第${n}段正文。[PROGRESS:${n}:in_progress]</narrative>\n<state_update_json>${typeof state === 'string' ? state : JSON.stringify(state)}</state_update_json>`;

/** A story with both modules on; `more` goes into its archive. */
async function goOn(t, more = {}) {
  const llm = await at.provider(t);
  const app = await at.open(t, { viewport: { width: 1440, height: 900 } });
  await app.addConnection({ url: llm.base('openai') });
  await app.go('storylines');
  const parts = {
    character: { name: '林夕' },
    background: { name: '雨城', world_setting: '一座终年下雨的城市。', story_outline: OUTLINE },
    storyline: { preset: 'director', modules: { director: { enabled: true }, persona: { enabled: true, growth: 'auto' } } },
    opening: '门上的铃响了。',
  };
  await app.upload('storyline-import', storyFile({ ...parts, ...more }));
  await app.id('import-merge').click();
  await app.openStory();
  return { llm, app };
}

const notices = (app, turn) => app.turn(turn).root.locator('[data-testid="turn-note"][data-kind="notice"]');
const becomes = (read, expected) => eventually(async () => assert.deepEqual(await read(), expected));

/** What the newest reply left: the point of the plot and the feelings. */
async function mind(app) {
  const newest = (await app.records('generations')).reduce((a, b) => (b.position > a.position ? b : a));
  const state = (await app.records('states')).find((one) => one.id === newest.state);
  return [state.plot.current_plot_index, state.personas[''].current_state.emotions.map((emotion) => emotion.content)];
}

/** Puts a record into the database behind the page's back, as another tab would. */
const overwrite = (app, store, record) =>
  app.page.evaluate(
    async ([store, record]) => {
      const done = (request) => new Promise((resolve, reject) => ((request.onsuccess = () => resolve(request.result)), (request.onerror = () => reject(request.error))));
      const database = await done(indexedDB.open('fabula'));
      await done(database.transaction(store, 'readwrite').objectStore(store).put(record));
      database.close();
      new BroadcastChannel('fabula-written').postMessage(null);
    },
    [store, record],
  );

test('the director without a background that can be read', async (t) => {
  const { llm, app } = await goOn(t);
  const [background] = await app.records('backgrounds');
  await overwrite(app, 'backgrounds', { ...background, story_outline: 'lost' });

  llm.script(BOTH(1, '警觉'));
  const first = await app.play('走吧。');
  assert.match(await app.replyText(first), /^第1段正文。/);
  assert.match(await notices(app, first).innerText(), /^导演没能处理这一轮：背景读不出来（.*story_outline|^导演没能处理这一轮：背景读不出来（.*invalid type/);
  assert.deepEqual(await mind(app), [1, ['警觉']], 'the persona took its part in, the plot is as it was');
  assert.equal((await llm.next()).body.messages.at(-1).content, '走吧。', 'an empty world, and the turn is played');
  llm.script(BOTH(2, '平静'));
  const second = await app.play('再走。');
  await notices(app, second).waitFor();
  assert.deepEqual(await mind(app), [1, ['警觉', '平静']]);

  // In another background it is tried again, and the plot has stayed where it was.
  await app.createBackground({ name: '晴城', outline: OUTLINE.map((point) => point.content).join('\n') });
  await app.openStory();
  await app.id('tab-story').click();
  await app.id('story-background').selectOption({ label: '晴城' });
  const chosen = async () => (await app.records('storylines'))[0].background !== background.id;
  await eventually(async () => assert.ok(await chosen()));
  await notices(app, second).getByTestId('note-retry').click();
  await notices(app, second).waitFor({ state: 'detached' });
  assert.deepEqual(await mind(app), [2, ['警觉', '平静']]);
  await app.id('tab-plot').click();
  await becomes(() => app.id('plot-point').evaluateAll((all) => all.map((point) => point.dataset.status)), ['completed', 'in_progress', 'pending']);
});

test('a turn without its world says so, though no module needs it', async (t) => {
  const { llm, app } = await goOn(t, { storyline: { preset: 'plain' } });
  const [background] = await app.records('backgrounds');
  await overwrite(app, 'backgrounds', { ...background, world_setting: ['rain'] });
  llm.script('好。', '好。');
  const first = await app.play('走吧。');
  assert.match(await notices(app, first).innerText(), /^背景读不出来（.*这一轮没有它也照常进行/);
  await overwrite(app, 'backgrounds', background);
  const second = await app.play('再走。');
  assert.equal(await notices(app, second).count(), 0);
  assert.match(llm.chat().at(-1).text, /终年下雨/);
});

test('the director without a plot that can be read', async (t) => {
  const { llm, app } = await goOn(t, { plot: { current_plot_index: '第三点' } });
  llm.script(BOTH(2, '警觉'));
  const first = await app.play('走吧。');
  assert.match(await notices(app, first).innerText(), /^导演没能处理这一轮：故事里存着的这部分读不懂（.*第三点/);
  assert.deepEqual(await mind(app), [1, ['警觉']]);
  await app.id('tab-plot').click();
  const point = app.id('plot-point').nth(1);
  await point.getByTestId('plot-menu').click();
  await point.getByTestId('plot-set-in-progress').click();
  await becomes(() => point.getAttribute('data-status'), 'in_progress');
  llm.script(BOTH(3, '平静'));
  const second = await app.play('再走。');
  assert.equal(await notices(app, second).count(), 0);
  assert.deepEqual(await mind(app), [3, ['警觉', '平静']]);
});

test('the persona without layers that can be read', async (t) => {
  const persona = { base_persona: '旧书店的店主。', evolved_persona: '话少了。', current_state: '都很好' };
  const { llm, app } = await goOn(t, { persona });
  llm.script(BOTH(2, '警觉'));
  const first = await app.play('走吧。');
  assert.match(await notices(app, first).innerText(), /^人格没能处理这一轮：故事里存着的这部分读不懂（.*都很好/);
  assert.deepEqual(await mind(app), [2, []], 'the director took its part in');
  const request = await llm.next();
  assert.match(request.text, /旧书店的店主。[^]*话少了。/, 'what can be read is read');
  llm.script('没有标记的一段。');
  const second = await app.play('还在吗？');
  assert.equal(await app.replyText(second), '没有标记的一段。');
  const damaged = (await app.records('states')).map((state) => state.damaged?.persona?.was?.current_state).filter(Boolean);
  assert.equal(damaged[0], '都很好', 'what could not be read is kept');

  await app.id('tab-persona').click();
  await app.id('persona-add-current').click();
  await app.id('persona-kind').selectOption('goal');
  await app.id('persona-field-1').fill('找到出城的路');
  await app.id('persona-save').click();
  await app.page.locator('[data-testid="persona-item"][data-kind="goal"]').waitFor();
  llm.script(BOTH(3, '平静'));
  const third = await app.play('走。');
  assert.equal(await notices(app, third).count(), 0);
  assert.deepEqual(await mind(app), [3, ['平静']]);
});

test('a reply that only one module can use', async (t) => {
  const { llm, app } = await goOn(t);
  llm.script(BOTH(2, '', '我很难过，也很愤怒。'));
  const first = await app.play('走吧。');
  assert.equal(await app.replyText(first), '第2段正文。[PROGRESS:2:in_progress]');
  assert.match(await notices(app, first).innerText(), /状态更新读不懂（我很难过/);
  assert.deepEqual(await mind(app), [2, []]);
  llm.script(BOTH(9, '警觉'));
  const second = await app.play('再走。');
  assert.match(await notices(app, second).innerText(), /第 9 个剧情点，但大纲只有 3 个/);
  assert.deepEqual(await mind(app), [2, ['警觉']]);
});

test('what was odd about a reply stands folded beneath it', async (t) => {
  const { llm, app } = await goOn(t);
  const folded = (turn) => app.turn(turn).id('turn-reading');
  llm.script('一句平常的话。');
  assert.equal(await folded(await app.play('一')).count(), 0);

  llm.script(BOTH(1, '', "{'current_state': {'emotions': {'add': [{'content': '警觉', 'intensity': 9,}]}}, 'core_identity': {'archetype': '小丑'}}"));
  const mended = await app.play('二');
  await folded(mended).waitFor();
  assert.equal(await folded(mended).getAttribute('open'), null, 'folded');
  await folded(mended).locator('summary').click();
  const said = await folded(mended).innerText();
  assert.match(said, /修补后读了：.*引号/);
  assert.match(said, /核心身份从不改变.*小丑/);
  assert.match(said, /感受不用数字表示.*9/);
  assert.deepEqual((await mind(app))[1], ['警觉']);
  assert.equal(await app.turn(mended).id('turn-reading-raw').count(), 0);

  llm.script(BOTH(1, '', '我很难过，也很愤怒。'));
  const unread = await app.play('三');
  await folded(unread).locator('summary').click();
  assert.equal((await app.turn(unread).id('turn-reading-raw').innerText()).trim(), '我很难过，也很愤怒。', 'the update as it came');
  await app.reload();
  await folded(unread).locator('summary').click();
  assert.match(await folded(unread).innerText(), /不是能读的 JSON，没有采用/, 'it is kept with the turn');
  await app.go('settings');
  await app.id('language-select').first().selectOption('en');
  await app.openStory();
  await folded(unread).locator('summary').click();
  assert.match(await folded(unread).innerText(), /no JSON that can be read/);
});

test('old thoughts and states are not sent again, and the conversation can be bounded', async (t) => {
  const persona = { storyline: { preset: 'persona' } };
  const { llm, app } = await goOn(t, persona);
  llm.script(`<thought>先看看。</thought>${BOTH(1, '警觉')}`, '好。');
  await app.play('一');
  await llm.next();
  await app.play('二');
  const { text } = await llm.next();
  assert.match(text, /第1段正文。/);
  assert.ok(!text.includes('[PROGRESS') && !text.includes('先看看。') && !text.includes('<narrative>第1段') && !text.includes('\\"content\\":\\"警觉\\"'), text);

  // Off, the history is what fits into the number beside it: 10,000 tokens of a longer story.
  await app.go('settings');
  await app.id('settings-conversation_max_tokens').fill('10000');
  await app.id('settings-conversation_load_all').uncheck();
  await app.id('settings-save').click();
  await app.id('settings-saved').getByText(/./).waitFor();
  await app.openStory();
  await app.id('tab-story').click();
  await app.id('story-preset').selectOption('director');
  await becomes(async () => (await app.records('storylines'))[0].preset, 'director');
  const long = (mark) => mark + '雨'.repeat(10_000);
  llm.script(...['甲', '乙', '丙'].map((mark) => ({ text: long(mark), atOnce: true })), '短。');
  for (const said of ['三', '四', '五', '六']) {
    await app.play(said);
    await llm.next();
  }
  const [{ content: bounded }, words] = llm.chat().at(-1).body.messages;
  assert.ok(bounded.includes(long('丙')) && !bounded.includes('User: 六'));
  assert.deepEqual(words, { role: 'user', content: '六' });
  assert.ok(!bounded.includes('User: 一'), 'the oldest turns gave way');
  assert.match(bounded, /=== 故事大纲 ===/, 'the head stays whole');
});

test('connections that cannot be read are put aside, and never written over', async (t) => {
  const { llm, app } = await goOn(t);
  const [connections] = (await app.records('settings')).filter((one) => one.id === 'connections');
  const damaged = { ...connections, list: [...connections.list, { id: 7, name: 'Lost', key_hint: 'mine' }, 'what?'] };
  await overwrite(app, 'settings', damaged);
  await app.reload();
  await app.item('notice', '模型连接').waitFor();
  assert.match(await app.item('notice', '模型连接').innerText(), /读不懂[^]*connections\.unreadable\.\d+/);
  const aside = async () => (await app.records('settings')).filter((one) => one.id.startsWith('connections.unreadable'));
  assert.deepEqual((await aside()).map((one) => one.record), [damaged]);

  // What can be read still plays, a new one can be saved, and the old record stays.
  llm.script('好。');
  await app.play('还在吗？');
  await app.addConnection({ url: llm.base('openai'), name: 'Second' });
  assert.deepEqual(await app.id('connection-item').evaluateAll((all) => all.map((one) => one.querySelector('b').textContent)), ['My openai', 'Second']);
  await app.reload();
  await app.id('connection-item').first().waitFor();
  assert.equal(await app.item('notice', '模型连接').count(), 0, 'said once');
  assert.deepEqual((await aside()).map((one) => one.record), [damaged]);
});
