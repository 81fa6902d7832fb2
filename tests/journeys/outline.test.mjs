// The outline is put in another order: by mouse, by finger, with the keys. The story stays where it was.

import assert from 'node:assert/strict';
import test from 'node:test';

import { stage } from '../support/browser.mjs';
import { eventually } from '../support/page.mjs';

const at = stage();

test('the outline can be dragged into order, and the current point follows its text', async (t) => {
  const llm = await at.provider(t);
  const app = await at.open(t, { viewport: { width: 1440, height: 1300 } });
  const background = { name: '废土', outline: ['1. 发现线索', '2. 潜入据点', '3. 与仇人对峙', '4. 做出选择'].join('\n') };
  await app.begin(llm, { character: { name: '林夕' }, background });
  await app.id('tab-story').click();
  await app.id('story-preset').selectOption('director');
  await eventually(async () => assert.equal((await app.records('storylines'))[0].preset, 'director'));
  llm.script('他翻过了墙。[PROGRESS:2:in_progress]', '他等着。', '他看着仇人。[PROGRESS:4:in_progress]');
  await app.play('走吧。');
  await app.id('tab-plot').click();
  const points = () => app.id('plot-point').evaluateAll((all) => all.map((point) => `${point.querySelector('.plot-text').textContent} ${point.dataset.status}`));
  await eventually(async () => assert.deepEqual(await points(), ['发现线索 completed', '潜入据点 in_progress', '与仇人对峙 pending', '做出选择 pending']));

  await app.go('backgrounds');
  await app.press(app.item('background-item', '废土'), 'background-edit');
  const rows = () => app.id('outline-row').allInnerTexts();
  const becomes = (expected) => eventually(async () => assert.deepEqual((await rows()).map((row) => row.trim()), expected));
  const middle = async (name) => {
    const box = await app.item('outline-row', name).getByTestId('outline-grip').boundingBox();
    return [box.x + box.width / 2, box.y + box.height / 2];
  };
  await becomes(['发现线索', '潜入据点', '与仇人对峙', '做出选择']);

  // By mouse: the second to the end, through the rows between.
  await app.item('outline-row', '潜入据点').scrollIntoViewIfNeeded();
  const { mouse } = app.page;
  await mouse.move(...(await middle('潜入据点')));
  await mouse.down();
  for (const over of ['与仇人对峙', '做出选择']) {
    const [x, y] = await middle(over);
    await mouse.move(x, y + 6, { steps: 8 });
  }
  await mouse.up();
  await becomes(['发现线索', '与仇人对峙', '做出选择', '潜入据点']);

  // By finger: the last but one to the front.
  const session = await app.page.context().newCDPSession(app.page);
  const touch = async (type, point) => session.send('Input.dispatchTouchEvent', { type, touchPoints: point ? [{ x: point[0], y: point[1] }] : [] });
  const begin = await middle('做出选择');
  const end = await middle('发现线索');
  await touch('touchStart', begin);
  for (let step = 1; step <= 12; step += 1) {
    await touch('touchMove', [begin[0], begin[1] + ((end[1] - 6 - begin[1]) * step) / 12]);
  }
  await touch('touchEnd');
  await becomes(['做出选择', '发现线索', '与仇人对峙', '潜入据点']);
  assert.equal(await app.id('background-outline').inputValue(), '做出选择\n发现线索\n与仇人对峙\n潜入据点');

  // With the keys, and the focus goes along.
  await app.item('outline-row', '做出选择').getByTestId('outline-down').focus();
  await app.page.keyboard.press('Alt+ArrowDown');
  await becomes(['发现线索', '做出选择', '与仇人对峙', '潜入据点']);
  await eventually(async () => assert.equal(await app.page.evaluate(() => document.activeElement.dataset.testid), 'outline-down'));
  await app.page.keyboard.press('Alt+ArrowDown');
  await becomes(['发现线索', '与仇人对峙', '做出选择', '潜入据点']);
  await app.item('outline-row', '潜入据点').getByTestId('outline-up').click();
  await becomes(['发现线索', '与仇人对峙', '潜入据点', '做出选择']);
  await app.id('background-save').click();
  await app.item('background-item', '废土').waitFor();

  await app.openStory();
  await app.id('tab-plot').click();
  const follows = ['发现线索 completed', '与仇人对峙 completed', '潜入据点 in_progress', '做出选择 pending'];
  await eventually(async () => assert.deepEqual(await points(), follows));
  await app.play('等。');
  const { content } = llm.chat().at(-1).body.messages[0];
  assert.match(content, /"index": 3, "content": "潜入据点", "status": "in_progress"/);
  await eventually(async () => assert.deepEqual(await points(), follows));
  await app.play('现在？');
  await eventually(async () => assert.deepEqual(await points(), ['发现线索 completed', '与仇人对峙 completed', '潜入据点 completed', '做出选择 in_progress']));
});

/** What is said of the director, in both languages: the page's words, and the prompt's. */
const SAID = {
  'zh-CN': {
    outline: ['发现线索', '潜入据点', '与{{user}}对峙仇人'],
    shorter: ['启航', '风暴'],
    waits: /2 轮没有进展；到 3 轮/,
    reminds: /3 轮没有进展；导演正在提醒第 2 点/,
    title: '=== 导演提醒 ===',
    reminder: (point, content) => `=== 导演提醒 ===\n你现在应该推进到故事大纲第${point}点：${content}\n`,
    third: '与小满对峙仇人',
    finished: /都已完成，导演不再提醒/,
    beyond: /故事在第 3 点，这份大纲只有 2 点；导演不提醒/,
    unplaced: /没有放导演提醒的位置/,
  },
  'en-US': {
    outline: ['Find a trace', 'Break into the camp', 'Face the enemy with {{user}}'],
    shorter: ['Set sail', 'The storm'],
    waits: /2 turns without progress; the director reminds at 3/,
    reminds: /3 turns without progress; the director is reminding of point 2/,
    title: "=== Director's reminder ===",
    reminder: (point, content) => `=== Director's reminder ===\nYou should now move on to point ${point} of the outline: ${content}\n`,
    third: 'Face the enemy with 小满',
    finished: /Every point of the outline is completed; the director does not remind/,
    beyond: /stands at point 3, and this outline has 2; the director does not remind/,
    unplaced: /no place for the director’s reminder/,
  },
};

for (const [language, said] of Object.entries(SAID)) {
  test(`the director reminds of what is not done yet, and the panel says what the prompt holds (${language})`, async (t) => {
    const llm = await at.provider(t);
    const app = await at.open(t, { language, viewport: { width: 1440, height: 1300 } });
    await app.createBackground({ name: '别处', outline: said.shorter.join('\n') });
    await app.begin(llm, { character: { name: '林夕' }, background: { name: '废土', outline: said.outline.join('\n') } });
    await app.id('tab-story').click();
    const preset = async (id) => {
      await app.id('tab-story').click();
      await app.id('story-preset').selectOption(id);
      await eventually(async () => assert.equal((await app.records('storylines'))[0].preset, id));
      await app.id('tab-plot').click();
    };
    await app.id('story-user').fill('小满');
    await app.id('story-user').blur();
    await eventually(async () => assert.equal((await app.records('storylines'))[0].user_name, '小满'));
    await preset('director');

    /** What the panel says now; and by what is said next, what the prompt holds. */
    const panel = (stance, words) =>
      eventually(async () => {
        assert.equal(await app.id('plot-counter').getAttribute('data-stance'), stance);
        assert.match(await app.id('plot-counter').innerText(), words);
      });
    const holds = async (words, reply, reminder) => {
      llm.script(reply);
      await app.play(words);
      const { content } = llm.chat().at(-1).body.messages[0];
      if (reminder) assert.ok(content.includes(reminder), content);
      else assert.ok(!content.includes(said.title), content);
    };

    await holds('1', '……[PROGRESS:1:completed]');
    await holds('2', '……');
    await holds('3', '……');
    await panel('waits', said.waits);
    await holds('4', '……');
    // The point that the plot stands at is completed: it is the next one that is due.
    await panel('reminds', said.reminds);
    await holds('5', '……[PROGRESS:2:completed]', said.reminder(2, said.outline[1]));
    for (const words of ['6', '7', '8']) await holds(words, '……');
    await holds('9', '……[PROGRESS:3:completed]', said.reminder(3, said.third));
    await panel('finished', said.finished);
    for (const words of ['10', '11', '12']) await holds(words, '……');
    await panel('finished', said.finished);
    await holds('13', '……');

    // A shorter outline: the plot stays where it is.
    await app.id('tab-story').click();
    await app.id('story-background').selectOption({ label: '别处' });
    await app.id('tab-plot').click();
    await panel('beyond', said.beyond);
    await holds('14', '……');
    await panel('beyond', said.beyond);
    const first = app.id('plot-point').first();
    await first.getByTestId('plot-menu').click();
    await first.getByTestId('plot-set-completed').click();
    await panel('waits', /./);
    for (const words of ['15', '16', '17']) await holds(words, '……');
    await holds('18', '……', said.reminder(2, said.shorter[1]));

    // Followed with a preset that has no place for it.
    await app.id('tab-story').click();
    await preset('plain');
    await app.id('module-director').check();
    await panel('unplaced', said.unplaced);
    await holds('19', '……');
  });
}
