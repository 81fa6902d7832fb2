// The story's mind: the outline moves, the persona grows, and the reader has the last word on both.

import assert from 'node:assert/strict';
import test from 'node:test';

import { stage } from '../support/browser.mjs';
import { eventually } from '../support/page.mjs';

const at = stage();

const POINTS = ['发现线索', '潜入据点', '与仇人对峙', '做出选择', '应对后果'];
const update = (narrative, state) =>
  `<thought>先看清楚。</thought><narrative>${narrative}</narrative>\n<state_update_json>${typeof state === 'string' ? state : JSON.stringify(state)}</state_update_json>`;
const FEELING = { current_state: { emotions: { add: [{ content: '警觉', context: '门外有脚步声' }] } } };
const TRUST = { growth_state: { relationships: { update: [{ entity: '玩家', status: '可以托付的人', history: '雨夜的承诺' }] } } };

async function begun(t, { module, background }) {
  const llm = await at.provider(t, {});
  const app = await at.open(t, { viewport: { width: 1440, height: 900 } });
  await app.begin(llm, { character: { name: '林夕', first_mes: '门上的铃响了。' }, background });
  const tab = module === 'director' ? 'tab-plot' : 'tab-persona';
  await app.id(tab).click();
  await app.id(`module-${module}`).check();
  await eventually(async () => {
    const [story] = await app.records('storylines');
    assert.equal(story.modules?.[module]?.enabled, true);
  });
  return { llm, app };
}

const statuses = (app) => app.id('plot-point').evaluateAll((points) => points.map((point) => point.dataset.status));
const becomes = (read, expected) => eventually(async () => assert.deepEqual(await read(), expected));
const shows = (locator, pattern) => eventually(async () => assert.match((await locator.allInnerTexts()).join('\n'), pattern));
const items = (app, kind) => app.page.locator(`[data-testid="persona-item"][data-kind="${kind}"]`);

test('the outline follows the markers, and the reader moves it by hand', async (t) => {
  const { llm, app } = await begun(t, { module: 'director', background: { name: '废土', outline: POINTS.join('\n') } });
  await becomes(() => statuses(app), ['pending', 'pending', 'pending', 'pending', 'pending']);
  // Plain chat has no place for the reminder, and the panel says so.
  await shows(app.id('plot-counter'), /这个预设没有放导演提醒的位置/);
  await app.id('tab-story').click();
  await app.id('story-preset').selectOption('director');
  await app.id('tab-plot').click();
  await shows(app.id('plot-counter'), /这一轮有进展/);

  llm.on(() => '他找到了脚印。[PROGRESS:1:completed]');
  const first = await app.play('看看四周。');
  assert.match(await app.replyText(first), /\[PROGRESS:1:completed\]/, 'the marker stays');
  assert.equal(await app.turn(first).reply.locator('.marker').count(), 1);
  await becomes(() => statuses(app), ['completed', 'pending', 'pending', 'pending', 'pending']);
  await app.unfold(first);
  await shows(app.turn(first).id('turn-note'), /剧情点 1 完成/);

  llm.on(() => '夜色里，他翻过了墙。[PROGRESS:2:in_progress]');
  await app.play('走吧。');
  await becomes(() => statuses(app), ['completed', 'in_progress', 'pending', 'pending', 'pending']);
  await shows(app.id('plot-since'), /进行中 · 自第 2 轮/);
  await shows(app.id('plot-count'), /2 \/ 5/);

  llm.on(() => '他等着。');
  await app.play('……');
  await app.play('……');
  await shows(app.id('plot-counter'), /2 轮没有进展.*3 轮/);
  await app.play('……');
  await shows(app.id('plot-counter'), /3 轮没有进展.*正在提醒/);

  const jump = async (index, to) => {
    const point = app.id('plot-point').nth(index - 1);
    await point.getByTestId('plot-menu').click();
    await point.getByTestId(`plot-set-${to}`).click();
  };
  await jump(4, 'in-progress');
  await becomes(() => statuses(app), ['completed', 'completed', 'completed', 'in_progress', 'pending']);
  await jump(2, 'pending');
  await becomes(() => statuses(app), ['completed', 'pending', 'pending', 'pending', 'pending']);

  // A reply that names no point of the outline says so, and leads to the panel.
  llm.on(() => '远处有光。[PROGRESS:9:completed]');
  const astray = await app.play('那是什么？');
  await shows(app.turn(astray).id('turn-note'), /9.*5/);
  await app.id('tab-story').click();
  await app.turn(astray).id('turn-note').getByRole('button').click();
  await app.id('plot-panel').waitFor();

  await app.reload();
  await app.id('tab-plot').click();
  await becomes(() => statuses(app), ['completed', 'pending', 'pending', 'pending', 'pending']);
});

test('the persona shows what each turn made of it', async (t) => {
  const { llm, app } = await begun(t, { module: 'persona' });
  llm.on(() => update('他停下脚步。', FEELING));
  const first = await app.play('嘘。');
  assert.equal(await app.replyText(first), '他停下脚步。', 'nothing but what is to be read');
  assert.match(await app.turn(first).id('turn-reasoning').textContent(), /先看清楚/);
  // What it changed is one line; the update as it came is behind that, one click more.
  const changes = app.turn(first).id('turn-changes');
  assert.equal(await changes.innerText(), '1 处变化');
  const [note, state] = ['turn-note', 'turn-state'].map((name) => app.turn(first).id(name));
  assert.deepEqual([await note.isVisible(), await state.locator('pre').isVisible()], [false, false]);
  await app.turn(first).id('turn-changes-open').focus();
  await app.page.keyboard.press('Enter');
  await note.waitFor();
  assert.equal(await state.locator('pre').isVisible(), false);
  await state.locator('summary').click();
  assert.match(await state.locator('pre').innerText(), /警觉/);
  await shows(app.turn(first).id('turn-note'), /情绪 · 警觉/);
  await shows(items(app, 'emotion'), /警觉\s+门外有脚步声\s+第 1 轮/);

  llm.on(() => update('他把刀递给你。', TRUST));
  const second = await app.play('我答应你。');
  await app.unfold(second);
  await shows(app.turn(second).id('turn-note'), /关系.*玩家.*可以托付的人/);
  await shows(items(app, 'relationship'), /对玩家：可以托付的人[^]*第 2 轮/);

  // Broken beyond repair: the narrative is read all the same, and the margin says why nothing changed.
  llm.on(() => update('雨停了。', '我很难过，也很愤怒。'));
  const third = await app.play('雨呢？');
  assert.equal(await app.replyText(third), '雨停了。');
  assert.equal(await app.turn(third).id('turn-changes').innerText(), '没有变化');
  await shows(app.turn(third).id('turn-note').and(app.page.locator('[data-kind="notice"]')), /读不懂/);

  // Another reply has another state; the swipe brings the former one back.
  llm.on(() => update('他笑了。', { current_state: { emotions: { add: [{ content: '释然' }] } } }));
  await app.turn(third).id('turn-regenerate').click();
  await app.waitStatus(third, 'done');
  await shows(items(app, 'emotion'), /释然/);
  await app.turn(third).id('swipe-prev').click();
  await eventually(async () => assert.doesNotMatch((await items(app, 'emotion').allInnerTexts()).join(), /释然/));
  assert.match((await items(app, 'emotion').allInnerTexts()).join(), /警觉/);

  // A form that is open while a reply comes stays as it is, and takes the keyboard from nobody.
  await app.press(items(app, 'emotion').first(), 'item-edit');
  await app.id('persona-field-1').fill('半写好的话');
  llm.on(() => update('他又笑了。', { current_state: { emotions: { add: [{ content: '安心' }] } } }));
  await app.play('嗯。');
  await app.id('composer-input').focus();
  await shows(items(app, 'emotion'), /安心/);
  assert.equal(await app.page.evaluate(() => document.activeElement.id), 'composer-input');
  assert.equal(await app.id('persona-field-1').inputValue(), '半写好的话');
  await app.id('persona-form').getByRole('button', { name: '取消' }).click();

  // By hand: reworded, added, taken away.
  await app.press(items(app, 'relationship').first(), 'item-edit');
  await app.id('persona-field-2').fill('一起走过雨夜的人');
  await app.id('persona-save').click();
  await shows(items(app, 'relationship'), /一起走过雨夜的人[^]*手动/);
  await app.id('persona-add-current').click();
  await app.id('persona-kind').selectOption('goal');
  await app.id('persona-save').click();
  await shows(app.id('persona-form'), /需要填写/);
  await app.id('persona-field-1').fill('找到出城的路');
  await app.id('persona-save').click();
  await shows(items(app, 'goal'), /找到出城的路/);
  await app.press(items(app, 'goal').first(), 'item-remove');
  await eventually(async () => assert.equal(await items(app, 'goal').count(), 0));

  // The timeline, and the way back to a turn.
  await app.id('timeline').locator('summary').click();
  await shows(app.id('timeline-entry'), /第 1 轮\s*警觉/);
  const link = app.id('timeline-entry').filter({ hasText: '警觉' }).getByTestId('turn-link');
  await Promise.all([app.stoodOut(1), link.click()]);
});

test('growth waits for the reader, and memory is kept in versions', async (t) => {
  const { llm, app } = await begun(t, { module: 'persona' });
  await app.id('persona-policy').selectOption('ask');
  await eventually(async () => assert.equal((await app.records('storylines'))[0].modules.persona.growth, 'ask'));
  llm.on(() => update('他点头。', TRUST));
  const first = await app.play('好吗？');
  await app.unfold(first);
  await shows(app.turn(first).id('turn-note'), /成长等你决定/);
  assert.equal(await items(app, 'relationship').count(), 0);
  await app.id('growth-accept').click();
  await shows(items(app, 'relationship'), /可以托付的人[^]*第 1 轮/);
  assert.equal(await app.id('pending-growth').count(), 0);

  llm.on(() => ({ text: '他学会了相信。', holdAfter: 2 }));
  await app.id('action-update-memory').click();
  await app.id('update-memory-stop').click();
  await app.id('action-update-memory').waitFor();
  assert.equal(await items(app, 'evolved').count(), 0, 'stopped: all is as before');
  for (const text of ['他学会了相信。', '他学会了等待。']) {
    llm.on(() => text);
    await app.id('action-update-memory').click();
    await shows(items(app, 'evolved'), new RegExp(text));
    // It stands where the memory is, too.
    await app.id('tab-memory').click();
    assert.match(await app.id('action-update-memory').innerText(), /更新记忆/);
    await app.id('tab-persona').click();
  }
  await app.id('evolved-versions').locator('summary').click();
  const old = app.item('evolved-version', '相信');
  await old.getByTestId('evolved-compare').click();
  const difference = (await app.id('evolved-difference').innerHTML()).replaceAll('<!---->', '');
  assert.match(difference, /他学会了<del>相信<\/del><ins>等待<\/ins>。/);
  await app.id('evolved-restore').click();
  await shows(items(app, 'evolved'), /他学会了相信。/);
});
