// The world state: what replies set and add, what the reader changes by hand, and the events that hang on it.

import assert from 'node:assert/strict';
import test from 'node:test';

import { NETWORK, stage } from '../support/browser.mjs';
import { eventually } from '../support/page.mjs';

const at = stage();

const sxml = (ops, reply) => `<root><thought>想一想。</thought><state_update>${ops}</state_update><reply>${reply}</reply></root>`;
const set = (key, value) => `<set key="${key}" value="${value}"></set>`;
const add = (key, value) => `<add key="${key}" value="${value}"></add>`;

async function begun(t, background, allow = []) {
  const llm = await at.provider(t, {});
  const app = await at.open(t, { viewport: { width: 1440, height: 900 }, allow });
  await app.addConnection({ url: llm.base('openai') });
  await app.createCharacter({ name: '林夕', first_mes: '门上的铃响了。' });
  if (background) await background(app);
  await app.createStoryline({ preset: 'sxml', background: background && '边境' });
  return { llm, app };
}

const shows = (locator, pattern) => eventually(async () => assert.match((await locator.allInnerTexts()).join('\n'), pattern));
const entries = (app) =>
  app.id('world-entry').evaluateAll((all) =>
    Object.fromEntries(all.map((one) => [one.dataset.key, one.querySelector('[data-testid="world-value"]')?.textContent])));
const becomes = (app, expected) => eventually(async () => assert.deepEqual(await entries(app), expected));
const count = (locator, expected) => eventually(async () => assert.equal(await locator.count(), expected));
const entry = (app, key) => app.page.locator(`[data-testid="world-entry"][data-key="${key}"]`);

test('replies change the world, the reader corrects it, and nothing odd gets in', async (t) => {
  const { llm, app } = await begun(t);
  await app.id('tab-world').click();
  await app.id('world-empty').waitFor();
  assert.equal(await app.id('module-world').isChecked(), true, 'on with this preset');

  llm.on(() => sxml(set('金币', '10') + set('地点', '酒馆') + add('行囊', '剑'), '她把钱袋推过来。'));
  const first = await app.play('多少钱？');
  assert.equal(await app.replyText(first), '她把钱袋推过来。');
  await becomes(app, { 金币: '10', 地点: '酒馆', 行囊: '剑' });
  await app.unfold(first);
  await shows(app.turn(first).id('turn-note'), /世界 · 金币：10/);

  // What does not fit is said in the margin, and the rest stands.
  llm.on(() => sxml(add('金币', '5') + add('地点', '外') + set('__proto__', '1'), '又添了五枚。'));
  const second = await app.play('不够。');
  await becomes(app, { 金币: '15', 地点: '酒馆', 行囊: '剑' });
  await app.unfold(second);
  await shows(app.turn(second).id('turn-note'), /金币：10 → 15[^]*“地点”没有写进[^]*“__proto__”没有写进/);

  // By hand: changed, added, taken out, taken back.
  await app.press(entry(app, '金币'), 'world-edit');
  await app.id('world-input').fill('一百');
  await app.id('world-save').click();
  await shows(app.id('world-form'), /这不是数字/);
  await app.id('world-input').fill('100');
  await app.id('world-save').click();
  await becomes(app, { 金币: '100', 地点: '酒馆', 行囊: '剑' });
  await app.id('world-add').click();
  await app.id('world-key').fill('地点');
  // Who only passes by in the list of kinds loses nothing that was typed.
  await app.id('world-input').fill('一封很长的信');
  for (const kind of ['truth', 'text']) await app.id('world-kind').selectOption(kind);
  await eventually(async () => assert.equal(await app.id('world-input').inputValue(), '一封很长的信'));
  await app.id('world-kind').selectOption('truth');
  await app.id('world-save').click();
  await shows(app.id('world-form'), /已经有这个名称/);
  await app.id('world-key').fill('门开着');
  await app.id('world-save').click();
  await becomes(app, { 金币: '100', 地点: '酒馆', 行囊: '剑', 门开着: '是' });
  await app.press(entry(app, '地点'), 'world-remove');
  await becomes(app, { 金币: '100', 行囊: '剑', 门开着: '是' });
  await app.id('world-undo').click();
  await becomes(app, { 金币: '100', 地点: '酒馆', 行囊: '剑', 门开着: '是' });

  // The next prompt tells it; a key's history leads to its turns.
  llm.on(() => sxml(add('金币', '-1'), '她收下一枚。'));
  const third = await app.play('给你。');
  await becomes(app, { 金币: '99', 地点: '酒馆', 行囊: '剑', 门开着: '是' });
  assert.match(JSON.stringify(llm.chat().at(-1)), /金币: 100/);
  await app.press(entry(app, '金币'), 'world-history');
  await eventually(async () => {
    const steps = await app.id('world-step').evaluateAll((all) => all.map((one) => [one.dataset.turn, one.querySelector('.world-value').textContent]));
    assert.deepEqual(steps, [['3', '99'], ['2', '100'], ['2', '15'], ['1', '10']]);
  });

  // Another reply starts from the world before it; the swipe brings the former one back.
  llm.on(() => sxml(set('金币', '0'), '她全收下了。'));
  await app.turn(third).id('turn-regenerate').click();
  await app.waitStatus(third, 'done');
  await eventually(async () => assert.equal((await entries(app)).金币, '0'));
  await app.turn(third).id('swipe-prev').click();
  await eventually(async () => assert.equal((await entries(app)).金币, '99'));

  await app.reload();
  await app.id('tab-world').click();
  await eventually(async () => assert.equal((await entries(app)).金币, '99'));
  assert.deepEqual(app.unexpected(), []);
});

test('an event begins, is told, and is settled', async (t) => {
  const { llm, app } = await begun(t, (app) => app.createBackground({ name: '边境', outline: '出发\n过河' }));

  // Written in the background's editor; a condition that makes no sense is refused beside its place.
  await app.go('backgrounds');
  await app.press(app.item('background-item', '边境'), 'background-edit');
  await app.id('event-new').click();
  await app.id('event-name').fill('猎人');
  await app.id('event-description').fill('远处有猎人的号角。');
  await app.id('event-when').fill('gold > 3');
  await app.id('event-test').click();
  await shows(app.id('event-test-result'), /第 1 个字.*world\.名称/);
  await app.id('event-save').click();
  await shows(app.id('event-form'), /第 1 个字/);
  await app.id('event-when').fill('world.金币 >= 10');
  await app.id('event-test').click();
  await shows(app.id('event-test-result'), /不成立（第 0 轮）/);
  await app.id('event-turns').fill('1');
  await app.id('event-effects').fill('金币 += -10\nplot = 2');
  await app.id('event-save').click();
  await shows(app.id('event-item'), /猎人\s*world\.金币 >= 10/);

  await app.openStory();
  await app.id('tab-world').click();
  const status = (expected) => eventually(async () => assert.equal(await app.id('world-event').getAttribute('data-status'), expected));
  await status('pending');
  llm.on(() => sxml(set('金币', '12'), '她数了数。'));
  const first = await app.play('数钱。');
  await status('active');
  await app.unfold(first);
  await shows(app.turn(first).id('turn-note'), /事件开始：猎人/);
  assert.doesNotMatch(JSON.stringify(llm.chat().at(-1)), /号角/);
  llm.on(() => sxml('', '她回头。'));
  const second = await app.play('听。');
  assert.match(JSON.stringify(llm.chat().at(-1)), /正在发生的事[^]*猎人：远处有猎人的号角。/);
  await status('settled');
  await app.unfold(second);
  await shows(app.turn(second).id('turn-note'), /事件了结：猎人[^]*金币：12 → 2[^]*剧情点 2/);
  await becomes(app, { 金币: '2' });
  await app.play('走。');
  assert.doesNotMatch(JSON.stringify(llm.chat().at(-1)), /正在发生的事/);

  // Back at the first turn it is active again: another reply there settles nothing.
  await app.reload();
  await app.id('tab-world').click();
  await status('settled');
  assert.deepEqual(app.unexpected(), []);
});

test('a story switches an event of its background off, and has some of its own', async (t) => {
  const { llm, app } = await begun(t, async (app) => {
    await app.createBackground({ name: '边境' });
    await app.press(app.item('background-item', '边境'), 'background-edit');
    await app.id('event-new').click();
    await app.id('event-name').fill('猎人');
    await app.id('event-when').fill('world.金币 >= 1');
    await app.id('event-turns').fill('9');
    await app.id('event-save').click();
    await app.id('event-item').waitFor();
  });
  await app.id('tab-world').click();
  const event = (name) => app.item('world-event', name);
  await event('猎人').getByTestId('world-event-on').uncheck();
  await eventually(async () => assert.equal(await event('猎人').getAttribute('data-on'), 'false'));
  await app.id('world-event-new').click();
  await app.id('event-name').fill('集市');
  await app.id('event-description').fill('集市开张了。');
  await app.id('event-when').fill('world.金币 >= 1');
  await app.id('event-test').click();
  await shows(app.id('event-test-result'), /不成立/);
  await app.id('event-turns').fill('9');
  await app.id('event-save').click();
  await event('集市').waitFor();
  llm.on(() => sxml(set('金币', '3'), '叮。'));
  await app.play('给你三枚。');
  await eventually(async () => assert.equal(await event('集市').getAttribute('data-status'), 'active'));
  assert.equal(await event('猎人').getAttribute('data-status'), 'pending');
  await app.play('走。');
  assert.match(JSON.stringify(llm.chat().at(-1)), /集市开张了/);
  await app.press(event('集市'), 'event-edit');
  await app.id('event-description').fill('集市快散了。');
  await app.id('event-save').click();
  // Once it is stored the form is gone.
  await count(app.id('event-description'), 0);
  await app.reload();
  await app.id('tab-world').click();
  await event('猎人').getByTestId('world-event-on').check();
  await eventually(async () => assert.equal(await event('猎人').getAttribute('data-on'), 'true'));
  await app.play('再走。');
  assert.match(JSON.stringify(llm.chat().at(-1)), /集市快散了/);
  await eventually(async () => assert.equal(await event('猎人').getAttribute('data-status'), 'active'));
  await app.press(event('集市'), 'event-remove');
  await count(event('集市'), 0);
  await app.id('notice-undo').click();
  await count(event('集市'), 1);
  await app.press(event('集市'), 'event-remove');
  await count(event('集市'), 0);
  const [background] = await app.records('backgrounds');
  assert.deepEqual(background.events.map((event) => event.name), ['猎人'], 'the background is as it was');
  assert.deepEqual(app.unexpected(), []);
});

test('a plan comes before the reply, and its failure costs nothing else', async (t) => {
  const { llm, app } = await begun(t, undefined, NETWORK);
  await app.id('tab-story').click();
  await app.id('planner-enabled').check();
  await eventually(async () => {
    const [story] = await app.records('storylines');
    assert.equal(story.modules?.planner?.enabled, true);
  });
  const isPlanning = (request) => /先不要写故事/.test(JSON.stringify(request));
  llm.on((request) => (isPlanning(request) ? '她会试探他，停在门口。' : sxml(set('门', '开着'), '她走到门口。')));
  const first = await app.play('走吗？');
  assert.equal(await app.replyText(first), '她走到门口。');
  assert.equal(llm.chat().length, 2);
  assert.match(JSON.stringify(llm.chat()[1]), /这一轮的计划[^]*停在门口/);
  const plan = app.turn(first).id('turn-plan');
  assert.equal(await plan.evaluate((details) => details.open), false, 'folded');
  await plan.locator('summary').click();
  await shows(plan, /她会试探他/);
  // What it took is told beside it and in the account.
  await shows(app.turn(first).id('turn-plan-took'), /story-large · 问 \d+ · 答 \d+ 个 token · [\d.]+ 秒/);
  await app.turn(first).root.hover();
  await app.turn(first).id('turn-why').click();
  await shows(app.id('prompt-planning'), /计划 · story-large · 问 \d+/);

  llm.script({ status: 500, errorMessage: 'oops' });
  const second = await app.play('然后呢？');
  assert.equal(await app.replyText(second), '她走到门口。');
  assert.equal(await app.turn(second).id('turn-plan').count(), 0);
  await shows(app.turn(second).id('turn-note'), /这一轮没有计划/);

  await app.reload();
  await app.turn(first).id('turn-plan').waitFor();
  assert.deepEqual(app.unexpected(), []);
});

test('one sees that a turn is being planned, and can stop it', async (t) => {
  const { llm, app } = await begun(t);
  await app.id('tab-story').click();
  await app.id('planner-enabled').check();
  await eventually(async () => assert.equal((await app.records('storylines'))[0].modules?.planner?.enabled, true));
  llm.script({ text: '慢慢想。', hold: true });
  const turn = await app.send('走吗？');
  await shows(app.turn(turn).id('turn-planning'), /正在规划这一轮/);
  await eventually(() => assert.equal(llm.chat().length, 1));
  await app.id('composer-stop').click();
  await app.waitStatus(turn, 'interrupted');
  assert.equal(await app.turn(turn).id('turn-planning').count(), 0);
  assert.equal(llm.chat().length, 1, 'no reply is asked for');
  llm.release();
  llm.on((request) => (/先不要写故事/.test(JSON.stringify(request)) ? '开门。' : sxml('', '她开了门。')));
  await app.turn(turn).id('turn-retry').click();
  await app.waitStatus(turn, 'done');
  assert.equal(await app.replyText(turn), '她开了门。');
  assert.deepEqual(app.unexpected(), []);
});

test('a change by hand is taken back also once the story has gone on', async (t) => {
  const { llm, app } = await begun(t);
  await app.id('tab-world').click();
  llm.on(() => sxml(set('金币', '10'), '给你。'));
  await app.play('多少？');
  await becomes(app, { 金币: '10' });
  await app.press(entry(app, '金币'), 'world-edit');
  await app.id('world-input').fill('99');
  await app.id('world-save').click();
  await becomes(app, { 金币: '99' });
  llm.on(() => sxml('', '走。'));
  await app.play('走吧。');
  await becomes(app, { 金币: '99' });
  await shows(app.id('world-undo'), /撤销手动修改：金币/);
  await app.press(entry(app, '金币'), 'world-history');
  await app.id('world-step-undo').click();
  await becomes(app, { 金币: '10' });
  // At the turn where it was made it stays.
  await app.turn(1).root.hover();
  await app.turn(1).id('turn-branch').click();
  await becomes(app, { 金币: '99' });
  await app.id('world-undo').click();
  await becomes(app, { 金币: '10' });
  assert.deepEqual(app.unexpected(), []);
});
