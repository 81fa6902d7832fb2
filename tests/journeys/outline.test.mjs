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
