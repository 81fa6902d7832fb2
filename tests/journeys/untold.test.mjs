// Turns that the reader takes out of what a model is told, and the last turn deleted.

import assert from 'node:assert/strict';
import test from 'node:test';

import { stage } from '../support/browser.mjs';
import { eventually } from '../support/page.mjs';

const at = stage();

/** What offers a way back goes after 12 s: a busy machine may come later. */
async function patient(t, how) {
  const app = await at.open(t, { ...how, ready: false });
  await app.page.addInitScript(() => {
    const { setTimeout: sleep } = globalThis;
    globalThis.setTimeout = (then, ms, ...more) => sleep(then, ms === 12_000 ? 120_000 : ms, ...more);
  });
  await app.open();
  return app;
}

const LANGUAGES = {
  'zh-CN': { lines: ['给你铜钥匙。', '听，雨。', '天亮了吗？'], replies: ['她收起了铜钥匙。', '雨停了。', '她看着窗外。'], is: /不再告诉模型/, folded: /被抽走了/, missed: /有 1 轮没有告诉/, hidden: /抽走了 2 轮/, deleted: /删掉了最后一轮/ },
  'en-GB': { lines: ['Take the brass key.', 'Listen: rain.', 'Is it morning?'], replies: ['She put the brass key away.', 'The rain stopped.', 'She looked out.'], is: /No model is told this turn/, folded: /was taken out/, missed: /1 turn is neither told/, hidden: /2 turns were taken out/, deleted: /The last turn was deleted/ },
};

for (const [language, words] of Object.entries(LANGUAGES)) {
  test(`a turn is taken out of what a model is told, and put back (${language})`, async (t) => {
    const llm = await at.provider(t, {});
    const app = await patient(t, { language, viewport: { width: 1440, height: 900 } });
    await app.begin(llm, { character: { name: '林夕' } });
    const turns = [];
    for (const [nth, line] of words.lines.entries()) {
      llm.on(() => words.replies[nth]);
      turns.push(await app.play(line));
    }
    const [first, second, third] = turns;
    const told = async () => {
      llm.on(() => '……');
      await app.play('……');
      return llm.chat().at(-1).body.messages.map((message) => message.content).join('\n');
    };

    await app.press(app.turn(first).root, 'turn-take-out');
    assert.match(await app.turn(first).id('turn-untold').innerText(), words.is);
    assert.equal(await app.replyText(first), words.replies[0], 'it can be read');
    let prompt = await told();
    assert.ok(!prompt.includes(words.replies[0]) && !prompt.includes(words.lines[0]) && prompt.includes(words.replies[1]));
    // The account of the prompt says so.
    await app.turn(await app.lastTurn()).id('turn-why').click();
    await eventually(async () => assert.match((await app.id('prompt-unheard').allInnerTexts()).join(), words.missed));

    // Folded away, it is a line; after a reload as well. It can be looked at again.
    await app.turn(first).id('turn-fold').click();
    await app.turn(first).user.waitFor({ state: 'detached' });
    await app.reload();
    assert.match(await app.turn(first).id('turn-untold').innerText(), words.folded);
    assert.equal(await app.turn(first).reply.isVisible(), false);
    await app.turn(first).id('turn-unfold').click();
    await app.turn(first).user.waitFor();
    await app.turn(first).id('turn-put-back').click();
    await app.turn(first).id('turn-untold').waitFor({ state: 'detached' });
    prompt = await told();
    assert.ok(prompt.includes(words.replies[0]));

    // By the notice it is taken back at once.
    await app.press(app.turn(second).root, 'turn-take-out');
    await app.id('notice-undo').click();
    await app.turn(second).id('turn-untold').waitFor({ state: 'detached' });
    assert.ok((await told()).includes(words.replies[1]));
    assert.equal(await app.replyText(third), words.replies[2]);

    // What is said of it comes after it is seen, and others may still be there.
    const takeBack = (said) => app.id('notice').filter({ hasText: said }).last().getByTestId('notice-undo').click();
    // Several at once, by a command, and back by the notice.
    const command = async (line) => {
      const input = app.id('composer-input');
      // In the moment after a reply it would be refused.
      await app.id('composer-send').waitFor();
      await input.fill(line);
      // Pressed twice, and once more as soon as it is done, it is done once, and the reply does not go on.
      const asked = llm.chat().length;
      await input.evaluate((input) => new Promise((done) => {
        const press = () => input.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }));
        press();
        press();
        let frames = 0;
        const look = () => (input.value && (frames += 1) < 600 ? requestAnimationFrame(look) : done(press()));
        look();
      }));
      assert.equal(await input.inputValue(), '', await app.id('command-error').innerText({ timeout: 100 }).catch(() => 'nothing is said'));
      assert.equal(await app.id('composer-send').count(), 1);
      assert.equal(llm.chat().length, asked);
    };
    const hide = async () => {
      await command(`/hide ${first}-${second}`);
      for (const turn of [first, second]) await app.turn(turn).id('turn-untold').waitFor();
    };
    // The notice goes by itself after a while: it is answered at once.
    await hide();
    await takeBack(words.hidden);
    for (const turn of [first, second]) await app.turn(turn).id('turn-untold').waitFor({ state: 'detached' });
    await hide();
    prompt = await told();
    assert.ok(!prompt.includes(words.replies[0]) && !prompt.includes(words.replies[1]) && prompt.includes(words.replies[2]));
    // The tree shows where.
    await app.id('tab-tree').click();
    await app.id('tree-untold').waitFor({ state: 'attached' });
    await command(`/unhide ${first}`);
    await app.turn(first).id('turn-untold').waitFor({ state: 'detached' });
    assert.ok(await app.turn(second).id('turn-untold').isVisible());
    await command(`/unhide ${second}`);
    await app.turn(second).id('turn-untold').waitFor({ state: 'detached' });
    await app.id('tree-untold').waitFor({ state: 'detached' });

    // What is taken back amid a reply is done after it.
    await hide();
    llm.script({ text: '……', holdAfter: 1 });
    const amid = await app.send('……');
    await app.replyGrows(amid, 1);
    await takeBack(words.hidden);
    llm.release();
    await app.waitStatus(amid, 'done');
    for (const turn of [first, second]) await app.turn(turn).id('turn-untold').waitFor({ state: 'detached' });

    // The last one is deleted: the story is as before it.
    const last = await app.lastTurn();
    await app.press(app.turn(last).root, 'turn-take-out');
    await app.turn(last).id('turn-delete').click();
    await app.turn(last).root.waitFor({ state: 'detached' });
    assert.equal(await app.lastTurn(), last - 1);
    await takeBack(words.deleted);
    await app.turn(last).root.waitFor();
    assert.deepEqual(app.unexpected(), []);
  });
}

test('what was taken out of one story is put back there, wherever the reader is by then', async (t) => {
  const llm = await at.provider(t);
  const app = await patient(t);
  await app.begin(llm, { title: '甲' });
  llm.script('她收起了铜钥匙。');
  const there = await app.play('给你铜钥匙。');
  await app.createStoryline({ title: '乙' });
  llm.script('雨停了。');
  const here = await app.play('听，雨。');
  await app.press(app.turn(here).root, 'turn-take-out');
  await app.turn(here).id('turn-untold').waitFor();
  await app.openStory('甲');
  await app.press(app.turn(there).root, 'turn-take-out');
  await app.turn(there).id('turn-untold').waitFor();
  // Two of the same words, and each can be taken back: the last one from a page without a story.
  await app.go('settings');
  await eventually(async () => assert.equal(await app.id('notice-undo').count(), 2));
  for (const left of [1, 0]) {
    await app.id('notice-undo').first().click();
    await eventually(async () => assert.equal(await app.id('notice-undo').count(), left));
  }
  await eventually(async () => assert.ok((await app.records('branches')).every(({ untold }) => !untold?.length)));
  for (const [title, turn] of [['甲', there], ['乙', here]]) {
    await app.openStory(title);
    await app.turn(turn).reply.waitFor();
    await eventually(async () => assert.equal(await app.id('turn-untold').count(), 0));
  }
});

test('what was done in a story twice is taken back twice at once, though the reader has left it', async (t) => {
  const llm = await at.provider(t);
  const app = await patient(t);
  await app.begin(llm, { title: '甲' });
  const turns = [];
  for (const said of ['她收起了铜钥匙。', '雨停了。']) {
    llm.script(said);
    turns.push(await app.play('……'));
  }
  for (const turn of turns) {
    await app.press(app.turn(turn).root, 'turn-take-out');
    await app.turn(turn).id('turn-untold').waitFor();
  }
  await app.go('settings');
  await eventually(async () => assert.equal(await app.id('notice-undo').count(), 2));
  await app.id('notice-undo').evaluateAll((offers) => offers.forEach((offer) => offer.click()));
  await eventually(async () => assert.ok((await app.records('branches')).every(({ untold }) => !untold?.length)));
  assert.deepEqual(await app.id('notice').allInnerTexts(), []);
});
