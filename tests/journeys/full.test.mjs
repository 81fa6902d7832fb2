// No room left, for real: the browser refuses to write, amid a reply and amid an import.

import assert from 'node:assert/strict';
import test from 'node:test';

import { multiply, pack, unpack } from '../support/archive.mjs';
import { NETWORK, scratch, stage } from '../support/browser.mjs';
import { eventually } from '../support/page.mjs';
import { storyArchive } from '../support/story.mjs';

const at = stage();

const ROOM = 2 ** 30;
/** Less than a long reply writes, checkpoint by checkpoint. */
const LITTLE = 200_000;

/** The page in a browser that has so much room for it, in bytes; `room` sets how much from now on. Only a profile on the disk is counted. */
async function open(t, language, bytes) {
  const app = await at.open(t, { language, profile: await scratch(t), ready: false, allow: NETWORK });
  const cdp = await app.page.context().newCDPSession(app.page);
  const room = (quotaSize) => cdp.send('Storage.overrideQuotaForOrigin', { origin: new URL(app.url).origin, quotaSize });
  // Before the first write: the browser does not ask anew while it remembers that there is room.
  await room(bytes);
  await app.open();
  return { app, room };
}

for (const [language, full] of [['zh-CN', /没有空间保存了。请导出故事，再腾出一些空间/], ['en-US', /There is no room left to save\. Export your stories, then free some space/]]) {
  test(`no room amid a reply: what was shown stays, it is said, and with room one goes on (${language})`, { timeout: 120_000 }, async (t) => {
    const llm = await at.provider(t);
    const { app, room } = await open(t, language, LITTLE);
    await app.begin(llm, { character: { name: '林夕', first_mes: '门上的铃响了。' } });
    const text = Array.from({ length: 4000 }, (_, n) => `第${n}滴雨落在书页上，`).join('');
    llm.script({ text, rate: 600 });
    const number = await app.send('下雨了');
    await app.id('notice').first().waitFor({ timeout: 60_000 });
    assert.match(await app.id('notice').first().innerText(), full);
    const shown = await app.replyText(number);
    assert.ok(shown.length > 0 && text.startsWith(shown), shown.slice(-100));
    const [reply] = (await app.records('generations')).slice(-1);
    assert.ok(reply.text.startsWith(shown), 'and what is shown is stored');

    await app.id('composer-input').fill('还在吗？');
    await app.id('composer-input').press('Enter');
    await eventually(async () => assert.match(await app.id('notice').last().innerText(), full));
    assert.equal(await app.id('composer-input').inputValue(), '还在吗？', 'words that cannot be stored stay where they are');
    assert.equal(await app.lastTurn(), number);

    // A try that finds no place for its reply may have asked already; one that finds some may come at once.
    llm.on(() => ({ text: '还在。' }));
    await room(ROOM);
    await app.waitStatus(number, 'interrupted', 30_000);
    assert.ok((await app.replyText(number)).startsWith(shown));
    await eventually(async () => {
      // Once it is empty, what was said is on its way: another Enter would let the reply go on.
      const input = app.id('composer-input');
      if (await input.inputValue()) await input.press('Enter');
      await app.waitStatus(number + 1, 'done', 3_000);
    }, 30_000);
    assert.deepEqual([await app.userText(number + 1), await app.replyText(number + 1)], ['还在吗？', '还在。']);
    await app.reload();
    await eventually(async () => assert.ok((await app.replyText(number)).startsWith(shown)));
    assert.equal(await app.replyText(number + 1), '还在。');
  });

  test(`no room amid an import: nothing of it is there, it is said, and with room it comes in (${language})`, { timeout: 120_000 }, async (t) => {
    const { app, room } = await open(t, language, LITTLE);
    const before = await app.library();
    const turns = Array.from({ length: 40 }, (_, n) => [`第${n}句`, `第${n}句回答。`.repeat(60)]);
    const story = storyArchive({ character: { name: '林夕' }, storyline: { title: '雨夜' }, opening: '门上的铃响了。', turns });
    const { header, records } = unpack(story);
    const file = { name: 'many.fabula', mimeType: 'application/octet-stream', buffer: multiply(pack({ header: JSON.stringify({ ...JSON.parse(header), kind: 'library' }), records }), 60) };
    const bring = async () => {
      await app.go('settings');
      await app.upload('backup-import', file);
      await app.id('import-merge').click({ timeout: 60_000 });
    };
    await bring();
    await app.id('import-error').waitFor({ timeout: 60_000 });
    assert.match(await app.id('import-error').innerText(), full);
    await app.go('storylines');
    assert.equal(await app.id('storyline-item').count(), 0, 'nothing of it can be seen');

    // To delete takes room as well: what nobody can see goes at the next start at the latest.
    await room(ROOM);
    await app.reload();
    await eventually(async () => assert.deepEqual(await app.library(), before), 30_000);
    await eventually(async () => {
      await app.reload();
      await bring();
      await app.id('import-summary').waitFor({ state: 'hidden', timeout: 20_000 });
      await app.id('backup-progress').waitFor({ state: 'detached', timeout: 60_000 });
      await app.go('storylines');
      assert.equal((await app.records('storylines')).length, 60);
    }, 90_000);
  });
}
