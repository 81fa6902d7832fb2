// Two tabs, one story: one writes, the other follows.

import assert from 'node:assert/strict';
import test from 'node:test';

import { stage } from '../support/browser.mjs';
import { eventually } from '../support/page.mjs';

const at = stage();

const CHARACTER = { name: '林夕', first_mes: '门上的铃响了。' };
const STORY = '她合上书，抬起头来。雨声忽然远了，灯影在墙上慢慢移动。';

async function twoTabs(t) {
  const llm = await at.provider(t);
  const first = await at.open(t);
  await first.begin(llm, { character: CHARACTER });
  return { llm, first, second: await first.tab() };
}

/** May read, but not write; and offers to change that. */
async function isReader(app) {
  await app.id('composer-takeover').waitFor();
  const input = app.id('composer-input');
  assert.ok(!(await input.isVisible()) || !(await input.isEnabled()), 'no line can be written');
}

test('the second tab reads along, live', async (t) => {
  const { llm, first, second } = await twoTabs(t);
  await isReader(second);
  llm.script({ text: STORY, holdAfter: 10 });
  const number = await first.send('你在吗？');
  const shown = await first.replyGrows(number, 10);
  assert.equal(await second.replyGrows(number, shown.length), shown);
  assert.equal(await second.userText(number), '你在吗？');
  llm.release();
  await second.waitStatus(number, 'done');
  assert.equal(await second.replyText(number), STORY);
  assert.equal(llm.chat().length, 1, 'one tab asks');
});

test('a tab that opens amid a stream does not close it', async (t) => {
  const llm = await at.provider(t);
  const first = await at.open(t);
  await first.begin(llm, { character: CHARACTER });
  llm.script({ text: STORY, holdAfter: 5 });
  const number = await first.send('别打断她。');
  await first.replyGrows(number, 5);
  const second = await first.tab();
  await isReader(second);
  await second.waitStatus(number, 'streaming');
  await first.waitStatus(number, 'streaming');
  llm.release();
  for (const app of [first, second]) await app.waitStatus(number, 'done');
  assert.equal(await first.replyText(number), STORY);
  assert.equal((await first.records('generations')).at(-1).text, STORY);
});

test('the second tab takes over amid a stream: it is kept, and the first tab reads', async (t) => {
  const { llm, first, second } = await twoTabs(t);
  llm.script({ text: STORY, holdAfter: 8 }, '后来的事。');
  const number = await first.send('谁在写？');
  const kept = await first.replyGrows(number, 8);
  await second.id('composer-takeover').click();
  await second.waitStatus(number, 'interrupted');
  assert.equal(await second.replyText(number), kept);
  await isReader(first);
  llm.release();

  const next = await second.play('现在是我。');
  assert.equal(await second.replyText(next), '后来的事。');
  await eventually(async () => assert.equal(await first.replyText(next), '后来的事。'));
  assert.equal(await first.replyText(number), kept, 'the first tab wrote nothing more');
});

test('when the writing tab closes, the other may write', async (t) => {
  const { llm, first, second } = await twoTabs(t);
  await isReader(second);
  await first.page.close();
  await second.takeOver();
  llm.script('接上了。');
  const number = await second.play('还在吗？');
  assert.equal(await second.replyText(number), '接上了。');
});

test('a tab stays the writer while it opens the same story once more', async (t) => {
  const llm = await at.provider(t);
  const first = await at.open(t);
  // Between two locks there would be time for the other tab, and what it is told comes right then.
  await first.page.context().addInitScript(() => {
    const { setTimeout: sleep } = globalThis;
    globalThis.setTimeout = (then, ms, ...more) => sleep(then, ms === 2 ? 300 : ms, ...more);
    const { set } = Object.getOwnPropertyDescriptor(BroadcastChannel.prototype, 'onmessage');
    Object.defineProperty(BroadcastChannel.prototype, 'onmessage', {
      set(hears) {
        set.call(this, (event) => sleep(() => hears.call(this, event), event.data?.kind === 'freed' ? 50 : 0));
      },
    });
  });
  await first.reload();
  await first.begin(llm, { character: CHARACTER, title: '灯' });
  const second = await first.tab();
  await isReader(second);
  // Which shows the same story.
  await first.go('storylines');
  await first.id('composer-input').waitFor();
  await first.press(first.item('storyline-item', '灯'), 'storyline-delete');
  await eventually(async () => assert.ok((await first.records('storylines'))[0].deleted, 'it may delete it'));
  await eventually(async () => assert.equal(await second.id('turn').count(), 0));
  assert.equal(await second.id('composer-input').count(), 0);
  // It comes back at once, and the tab that stood empty has it again.
  await first.id('notice-undo').click();
  await second.id('turn').first().waitFor();
});

test('when the writing tab goes elsewhere the other writes, each time', async (t) => {
  const { first, second } = await twoTabs(t);
  let [writes, reads] = [first, second];
  for (let times = 0; times < 6; times += 1) {
    await isReader(reads);
    await writes.go('settings');
    await eventually(async () => assert.ok(await reads.id('composer-input').isEnabled()));
    await writes.go('storylines');
    [writes, reads] = [reads, writes];
  }
});

test('what another tab does with a story that is on its way to the page is not missed', async (t) => {
  const { first, second } = await twoTabs(t);
  await second.go('settings');
  await first.go('storylines');
  await first.id('composer-input').waitFor();
  const release = await first.hold('turns');
  await second.go('storylines');
  await second.page.locator('.chat-empty').waitFor();
  // It has read by now that the story is there, and not yet what was said in it.
  await second.page.waitForTimeout(300);
  await first.press(first.id('storyline-item'), 'storyline-delete');
  await first.page.waitForTimeout(300);
  await release();
  await eventually(async () => assert.ok((await first.records('storylines'))[0].deleted));
  await eventually(async () => assert.match(await second.page.locator('.chat').innerText(), /回收站|不在/));
  assert.equal(await second.id('turn').count(), 0);
});

test('what one tab sets stays set when another sets something else, and both show it', async (t) => {
  const first = await at.open(t);
  await first.go('settings');
  const second = await first.tab();
  await second.go('settings');
  const shown = (app, id, value) => eventually(async () => assert.equal(await app.id(id).inputValue(), value));
  const themes = ['light', 'dark', 'system'];
  const sizes = ['90', '110', '125'];
  for (let nth = 0; nth < 12; nth += 1) {
    const [theme, size] = [themes[nth % 3], sizes[nth % 3]];
    await Promise.all([first.id('theme-select').selectOption(theme), second.id('type-size').selectOption(size)]);
    for (const app of [first, second]) {
      await shown(app, 'theme-select', theme);
      await shown(app, 'type-size', size);
    }
    const stored = (await first.records('settings')).find(({ id }) => id === 'preferences');
    assert.deepEqual([stored.theme, stored.type_size], [theme, Number(size)]);
  }
  await first.id('language-select').selectOption('en');
  await second.page.getByRole('heading', { name: 'Settings' }).waitFor();
});

test('a connection that one tab makes is there in the other, and neither loses the other’s', async (t) => {
  const llm = await at.provider(t);
  const first = await at.open(t);
  const second = await first.tab();
  await first.addConnection({ name: '甲', url: llm.base('openai') });
  await second.addConnection({ name: '乙', url: llm.base('openai') });
  for (const app of [first, second]) {
    await eventually(async () => assert.deepEqual(await app.id('connection-item').locator('b').allInnerTexts(), ['甲', '乙']));
  }
});

test('what one tab writes of a character is what the other opens', async (t) => {
  const first = await at.open(t);
  await first.createCharacter({ name: '林夕', description: '开旧书店的人。' });
  const second = await first.tab();
  await second.go('characters');
  await first.createCharacter({ name: '阿灯' });
  const edit = (app) => app.press(app.item('character-item', '林夕').first(), 'character-edit');
  await edit(first);
  await first.id('character-description').fill('修钟表的人。');
  await first.id('character-save').click();
  await first.item('character-item', '林夕').first().waitFor();
  await second.item('character-item', '修钟表的人。').first().waitFor();
  await edit(second);
  assert.equal(await second.id('character-description').inputValue(), '修钟表的人。');
});

test('what one tab makes is on the shelves of the other', async (t) => {
  const llm = await at.provider(t);
  const first = await at.open(t);
  const second = await first.tab();
  await second.go('characters');
  await first.createCharacter({ name: '林夕', first_mes: '门上的铃响了。' });
  await second.item('character-item', '林夕').waitFor();
  await second.go('storylines');
  await first.addConnection({ name: '甲', url: llm.base('openai') });
  await first.createStoryline({ title: '雨巷', character: '林夕' });
  await second.item('storyline-item', '雨巷').waitFor();
});

test('what the other tab writes is told in the next turn', async (t) => {
  const { llm, first, second } = await twoTabs(t);
  await first.play('一');
  await second.go('characters');
  await second.press(second.item('character-item', '林夕'), 'character-edit');
  await second.id('character-description').fill('旧书店的店主，左手戴着一只银镯。');
  await second.id('character-save').click();
  await eventually(async () => assert.match((await second.records('characters'))[0].description, /银镯/));
  await first.play('二');
  assert.match(JSON.stringify(llm.chat().at(-1).body), /银镯/);
  assert.doesNotMatch(JSON.stringify(llm.chat().at(-2).body), /银镯/);
});

test('what is edited is kept whole, though the other tab has deleted it for ever', async (t) => {
  const first = await at.open(t);
  const texts = { description: '开旧书店的人。', personality: '安静而固执。', first_mes: '门上的铃响了。' };
  await first.createCharacter({ name: '林夕', ...texts });
  await first.press(first.item('character-item', '林夕'), 'character-edit');
  await first.id('character-description').fill('修钟表的人。');
  const second = await first.tab();
  await second.go('characters');
  await second.press(second.item('character-item', '林夕'), 'character-delete');
  await second.go('settings');
  await second.press(second.item('bin-item', '林夕'), 'bin-delete');
  await second.id('bin-delete-sure').click();
  await eventually(async () => assert.equal((await second.records('characters')).length, 0));
  await first.id('character-save').click();
  await first.item('character-item', '林夕').waitFor();
  const [{ name, description, personality, first_mes, deleted = null }] = await first.records('characters');
  assert.deepEqual({ name, description, personality, first_mes, deleted }, { name: '林夕', ...texts, description: '修钟表的人。', deleted: null });
});

test('what one tab edits of a preset leaves what the other has changed of it', async (t) => {
  const first = await at.open(t);
  await first.go('presets');
  await first.press(first.item('preset-item', '普通对话').first(), 'preset-duplicate');
  await first.press(first.item('preset-item', '普通对话（副本）'), 'preset-edit');
  await first.id('preset-name').waitFor();
  const second = await first.tab();
  await second.id('preset-block-add').click();
  await second.id('preset-block').last().getByTestId('preset-block-text').fill('暗号：青梅。');
  await second.id('preset-save').click();
  await second.item('preset-item', '普通对话（副本）').waitFor();
  await first.id('preset-name').fill('倒着说');
  await first.id('preset-save').click();
  await first.item('preset-item', '倒着说').waitFor();
  const stored = JSON.stringify((await first.records('presets'))[0]);
  assert.match(stored, /倒着说/);
  assert.match(stored, /暗号：青梅/);
});
