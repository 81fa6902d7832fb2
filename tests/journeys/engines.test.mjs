// What matters most, in the engines beside Chromium: Firefox, and WebKit's port that runs without a Mac. All other journeys
// can be driven there by hand as well: ENGINE=firefox before the command.

import assert from 'node:assert/strict';
import test from 'node:test';

import { NETWORK, dist, scratch, stage } from '../support/browser.mjs';
import { carry } from '../support/cards.mjs';
import { connect, stands, sync } from '../support/devices.mjs';
import { ENGINES } from '../support/engine/all.mjs';
import { App, eventually } from '../support/page.mjs';
import { png } from '../support/pictures.mjs';
import { needs, startWebdav } from '../support/remote.mjs';
import { serve } from '../support/static.mjs';

const at = stage();

const KEY = 'sk-canary-5d1f';
const PASSPHRASE = 'nine lanterns over a quiet harbour';
const CHARACTER = { name: '林夕', description: '旧书店的店主。', first_mes: '门上的铃响了。' };

/** WebKit speaks the language of its machine; the other one is asked for Chinese. */
const how = (engine) => ({ engine, language: engine === 'webkit' ? 'en-US' : 'zh-CN', viewport: { width: 1440, height: 900 } });

const count = (found, number) => eventually(async () => assert.equal(await found.count(), number));

// A file without a test would never let go of its stage.
if (!ENGINES.length) test('no engine beside Chromium is here', { skip: true });

for (const engine of ENGINES) {
  test(`${engine}: the demo plays without a key`, async (t) => {
    const app = await at.open(t, how(engine));
    assert.equal(await app.speaksChinese(), engine === 'firefox');
    await app.id('welcome-demo').click();
    await app.id('composer-input').waitFor();
    await app.id('demo-suggestion').first().click();
    await app.id('demo-label').waitFor();
    await app.replyGrows(1, 60);
  });

  test(`${engine}: a story is played, stopped, gone on with, told anew, and there after a reload`, async (t) => {
    const llm = await at.provider(t, { key: KEY });
    const app = await at.open(t, { ...how(engine), allow: NETWORK });
    await app.begin(llm, { connection: { key: KEY }, character: CHARACTER });
    llm.on(() => ({ text: '她合上书，抬起头来。雨声忽然远了，灯影在墙上慢慢移动。', holdAfter: 5 }));
    const first = await app.send('雨什么时候停？');
    const shown = await app.replyGrows(first, 3);
    await app.id('composer-stop').click();
    await app.waitStatus(first, 'interrupted');
    assert.ok((await app.replyText(first)).startsWith(shown), 'what came stays');
    llm.script('雨声忽然远了。');
    await app.turn(first).id('turn-continue').click();
    await app.waitStatus(first, 'done');
    assert.match(await app.replyText(first), /雨声忽然远了。$/);

    llm.script('另一种说法。', { status: 429, errorMessage: 'slow down' });
    await app.turn(first).id('turn-regenerate').click();
    await eventually(async () => assert.deepEqual(await app.swipes(first), [2, 2]));
    await app.waitStatus(first, 'done');
    await app.turn(first).id('swipe-prev').click();
    await eventually(async () => assert.match(await app.replyText(first), /雨声忽然远了。$/));
    const refused = await app.play('后来呢？', 'error');
    llm.script('后来天亮了。');
    await app.turn(refused).id('turn-retry').click();
    await app.waitStatus(refused, 'done');

    const story = await app.story();
    await app.reload();
    await eventually(async () => assert.deepEqual(await app.story(), story));
    assert.equal(llm.chat().at(-1).headers.authorization, `Bearer ${KEY}`);
  });

  test(`${engine}: gone amid a reply, nothing that was on screen is lost`, async (t) => {
    const profile = await scratch(t);
    const llm = await at.provider(t);
    let app = await at.open(t, { ...how(engine), profile });
    await app.begin(llm, { character: CHARACTER, connection: { key: 'k', keeping: 'clear' } });
    const address = await app.page.evaluate(() => location.href);
    llm.script({ text: Array.from({ length: 2000 }, (_, n) => `第${n}滴，`).join(''), rate: 100 });
    const turn = await app.send('下雨了吗？');
    const seen = await app.replyGrows(turn, 60);
    // Firefox dies as a whole. WebKit forgets a profile with its browser, so there it is the tab that goes.
    if (engine === 'firefox') {
      await app.page.context().kill();
      app = await at.open(t, { ...how(engine), profile, ready: false });
    } else {
      const page = await app.page.context().newPage();
      await app.page.close();
      app = new App(page, at.url);
    }
    await app.open(address);
    // Where the dead one's lock has not yet been let go of, the reader takes over.
    await app.takeOver();
    // WebKit may take its time until the database of the dead tab is to be had.
    await app.waitStatus(turn, 'interrupted', 40_000);
    assert.ok((await app.replyText(turn)).startsWith(seen), 'all that was seen is there');
    llm.script('雨停了。');
    await app.turn(turn).id('turn-continue').click();
    await app.waitStatus(turn, 'done');
    assert.match(await app.replyText(turn), /雨停了。$/);
  });

  test(`${engine}: a card comes in, a story goes out and comes back in`, async (t) => {
    const llm = await at.provider(t);
    const app = await at.open(t, how(engine));
    await app.addConnection({ url: llm.base('openai') });
    await app.go('characters');
    const data = { name: 'Wren', description: 'A keeper of bees.', first_mes: 'The hive hums.', extensions: {} };
    const card = carry(png(300, 400), { chara: { spec: 'chara_card_v2', spec_version: '2.0', data } });
    await app.upload('character-import', { name: 'wren.png', mimeType: 'image/png', buffer: card });
    await app.item('character-item', 'Wren').waitFor();
    await app.createStoryline({ title: 'Bees', character: 'Wren' });
    llm.script('A bee settles on your sleeve.');
    await app.play('I keep still.');
    const story = await app.story();
    await app.go('storylines');
    const file = await app.download(() => app.press(app.item('storyline-item', 'Bees'), 'storyline-export'));

    const other = await at.open(t, how(engine));
    await other.go('storylines');
    await other.upload('storyline-import', { name: file.name, mimeType: 'application/octet-stream', buffer: file.bytes });
    await other.id('import-merge').click();
    await other.openStory('Bees');
    await eventually(async () => assert.deepEqual(await other.story(), story));
  });

  test(`${engine}: a branch, the tree, and a memory that is found`, async (t) => {
    const llm = await at.provider(t);
    const app = await at.open(t, how(engine));
    await app.begin(llm, { character: CHARACTER });
    llm.on(() => '灯亮着。');
    for (const text of ['一', '钥匙藏在花盆底下', '三']) await app.play(text);
    await app.turn(1).root.hover();
    await app.turn(1).id('turn-branch').click();
    await eventually(async () => assert.equal(await app.lastTurn(), 1));
    await app.play('四');
    await app.id('tab-tree').click();
    await count(app.id('tree-node'), 4);
    await app.page.locator('[data-testid="tree-node"][data-turn="3"]').first().click();
    await app.id('tree-go').click();
    await eventually(async () => assert.equal(await app.userText(3), '三'));
    await app.go('search');
    await app.id('search-input').fill('花盆底下');
    await app.item('search-hit', '花盆').first().click();
    await app.turn(2).user.waitFor();
  });

  test(`${engine}: a key that is sealed opens by its passphrase alone`, async (t) => {
    const llm = await at.provider(t, { key: KEY });
    const app = await at.open(t, { ...how(engine), allow: NETWORK });
    await app.begin(llm, { connection: { key: KEY, keeping: 'sealed', passphrase: PASSPHRASE }, character: CHARACTER });
    await app.play('第一句');
    assert.ok(!JSON.stringify(await app.stored()).includes(KEY), 'the key is stored nowhere in the clear');
    await app.reload();
    await app.id('composer-input').fill('第二句');
    await app.id('composer-send').click();
    await app.id('ask-key-passphrase').fill('wrong');
    await app.id('ask-key-go').click();
    await app.id('vault-error').waitFor();
    await app.id('ask-key-passphrase').fill(PASSPHRASE);
    await app.id('ask-key-go').click();
    await app.waitStatus(2, 'done');
    assert.equal(llm.chat().at(-1).headers.authorization, `Bearer ${KEY}`);
  });

  test(`${engine}: what was played elsewhere is gone on with here`, needs('webdav'), async (t) => {
    const webdav = await startWebdav();
    t.after(webdav.stop);
    const llm = await at.provider(t);
    const elsewhere = await at.open(t, { language: 'zh-CN', allow: NETWORK });
    await elsewhere.begin(llm, { character: CHARACTER, title: '雨夜' });
    llm.script('雨声忽然远了。', '后来天亮了。');
    await elsewhere.play('雨什么时候停？');
    await connect(elsewhere, webdav);
    await stands(elsewhere, 'ok');
    const app = await at.open(t, { ...how(engine), allow: NETWORK });
    await connect(app, webdav);
    await stands(app, 'ok');
    await app.addConnection({ url: llm.base('openai') });
    await app.openStory('雨夜');
    await app.play('后来呢？');
    const story = await app.story();
    await sync(app);
    await sync(elsewhere);
    await elsewhere.openStory('雨夜');
    await eventually(async () => assert.deepEqual(await elsewhere.story(), story));
  });

  test(`${engine}: without its server the page opens, and what was said is kept`, async (t) => {
    const site = await serve({ root: dist(), base: '/fabula/' });
    t.after(() => site.close());
    const app = await at.open(t, { ...how(engine), url: site.url, allow: [...NETWORK, /ServiceWorker/i] });
    await app.addConnection({ url: 'https://model.invalid/v1', key: 'k', keeping: 'clear' });
    await app.createCharacter(CHARACTER);
    await app.createStoryline({ title: '远方' });
    await eventually(async () => {
      const state = await app.page.evaluate(async () => (await navigator.serviceWorker.getRegistration())?.active?.state);
      assert.equal(state, 'activated');
    });
    await site.close();
    await app.reload();
    assert.equal(await app.replyText(0), CHARACTER.first_mes);
    const lost = await app.send('有人吗？');
    // The browser itself has not lost its network, so it is the address that does not answer.
    await app.waitStatus(lost, 'error', 30_000);
    await app.reload();
    assert.equal(await app.userText(lost), '有人吗？');
    // Parts of the page that were not shown yet, and the memory's worker.
    await app.id('tab-memory').click();
    await app.id('memory-panel').waitFor();
    await app.createCharacter({ name: '离线' });
  });
}
