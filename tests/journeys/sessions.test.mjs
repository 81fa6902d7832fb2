// A story is played in sessions: it rests, goes on, and each of them can be taken away as a file.

import assert from 'node:assert/strict';
import test from 'node:test';

import { stage } from '../support/browser.mjs';
import { eventually } from '../support/page.mjs';

const at = stage();

test('a story rests and goes on by one click, or by the next words', async (t) => {
  const llm = await at.provider(t);
  const app = await at.open(t, { viewport: { width: 1440, height: 900 } });
  await app.begin(llm, { character: { name: '林夕', first_mes: '门上的铃响了。' }, title: '雨夜' });
  await app.play('第一句');
  const status = async (expected) => eventually(async () => assert.equal((await app.records('storylines'))[0].status, expected));
  const shelf = app.item('storyline-item', '雨夜');
  await app.id('tab-story').click();
  assert.equal(await app.id('story-paused').count(), 0);

  await app.id('story-pause').click();
  await app.id('story-paused').waitFor();
  await status('paused');
  await eventually(async () => assert.match(await shelf.innerText(), /暂停/));
  await app.reload();
  await app.id('story-paused').waitFor();
  await app.id('story-continue').click();
  await app.id('story-paused').waitFor({ state: 'detached' });
  await status('active');
  await eventually(async () => assert.doesNotMatch(await shelf.innerText(), /暂停/));

  await app.id('tab-story').click();
  await app.id('story-pause').click();
  await app.id('story-paused').waitFor();
  await app.play('我回来了');
  await app.id('story-paused').waitFor({ state: 'detached' });
  await status('active');
});

test('sessions are listed, begun by hand, and exported as the JSONL of seed 001', async (t) => {
  const llm = await at.provider(t);
  const app = await at.open(t, { viewport: { width: 1440, height: 900 } });
  await app.begin(llm, { character: { name: 'Alserqi', first_mes: '你来了。' }, title: '盟友之路' });
  await app.id('tab-story').click();
  const items = () => app.id('session-item').evaluateAll((all) => all.map((one) => [one.dataset.session, one.getAttribute('aria-current'), /(\d+) 轮/.exec(one.innerText)[1]]));
  const shown = (expected) => eventually(async () => assert.deepEqual(await items(), expected));
  await shown([['1', 'true', '0']]);
  assert.ok(await app.id('session-new').isDisabled(), 'nothing was said in this one yet');

  llm.script('Alserqi听了你的话，眼中闪过一丝轻蔑...', '他看到文件，瞳孔微缩...');
  await app.play('你这个骗子！');
  await app.play('我有证据');
  await app.id('session-new').click();
  await shown([['2', 'true', '0'], ['1', null, '2']]);
  const told = '<narrative>“记得。”</narrative>\n<state_update_json>{}</state_update_json>';
  llm.script(told);
  const third = await app.play('你还记得\n我说的话吗？');
  assert.equal(third, 3, 'the story itself counts on');
  await shown([['2', 'true', '1'], ['1', null, '2']]);

  const [story] = await app.records('storylines');
  const exported = async (number) => {
    const item = app.page.locator(`[data-testid="session-item"][data-session="${number}"]`);
    const { name, bytes } = await app.download(() => item.getByTestId('session-export').click());
    assert.equal(name, `盟友之路 ${number}.jsonl`);
    const text = bytes.toString();
    assert.ok(text.endsWith('}\n'));
    return text.trimEnd().split('\n').map((line) => JSON.parse(line));
  };
  const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;
  for (const [number, expected] of [
    [1, [
      ['assistant', '你来了。', 0],
      ['user', '你这个骗子！', 1],
      ['assistant', 'Alserqi听了你的话，眼中闪过一丝轻蔑...', 1],
      ['user', '我有证据', 2],
      ['assistant', '他看到文件，瞳孔微缩...', 2],
    ]],
    [2, [
      ['user', '你还记得\n我说的话吗？', 1],
      ['assistant', '“记得。”', 1, told],
    ]],
  ]) {
    const [metadata, ...messages] = await exported(number);
    assert.deepEqual(Object.keys(metadata), ['type', 'session_id', 'storyline_id', 'started_at']);
    assert.deepEqual([metadata.type, metadata.session_id, metadata.storyline_id], ['metadata', story.sessions[number - 1].id, story.id]);
    assert.match(metadata.started_at, TIME);
    for (const { raw, ...message } of messages) {
      assert.deepEqual(Object.keys(message), ['role', 'content', 'turn', 'timestamp']);
      assert.match(message.timestamp, TIME);
    }
    // The narrative, and where the model wrote more than that, all of it beside.
    assert.deepEqual(messages.map(({ role, content, turn, raw }) => [role, content, turn, ...(raw ? [raw] : [])]), expected);
  }

  // The director sends the current session alone.
  await app.id('story-preset').selectOption('director');
  await eventually(async () => assert.equal((await app.records('storylines'))[0].preset, 'director'));
  await app.play('走吧。');
  const [{ content }] = llm.chat().at(-1).body.messages;
  assert.ok(content.includes('第3轮') && !content.includes('第2轮'), content);
  assert.match((await app.turn(1).user.innerText()), /骗子/, 'and the page shows all');
});
