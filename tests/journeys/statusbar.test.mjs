// The status bar: the plain one, and what a card brings, which runs in a closed frame and does not get out of it.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import test from 'node:test';

import axe from 'axe-core';

import { NETWORK as NOISE, read, scratch, stage } from '../support/browser.mjs';
import { INSIDE, LEAVING, MARKUP, NAMES, NETWORK, WEBRTC, attack, slug } from '../support/escapes.mjs';
import { foreign } from '../support/foreign.mjs';
import { eventually } from '../support/page.mjs';

const at = stage();

const set = (key, value) => `<set key="${key}" value="${value}"></set>`;
const sxml = (ops, reply) => `<root><state_update>${ops}</state_update><reply>${reply}</reply></root>`;

/** Shows what it is told, and keeps all of it in `told`. */
const SHOWS = `<p id="out"></p><button id="act">拔剑</button><script>
  var told = [];
  addEventListener('message', ({ data }) => told.push(data));
  fabula.onState((state) => (document.getElementById('out').textContent = JSON.stringify(state)));
  var events = [];
  addEventListener('fabula:state', ({ detail }) => events.push(detail.turn));
</script>
<script>document.getElementById('act').onclick = () => fabula.draft('我拔出剑。');</script>`;

const status = (app) => app.id('statusbar');
const kind = (app, expected, timeout) => eventually(async () => assert.equal(await status(app).getAttribute('data-kind'), expected), timeout);
const shows = (locator, pattern, timeout) => eventually(async () => assert.match((await locator.allInnerTexts()).join('\n'), pattern), timeout);
const count = (locator, expected) => eventually(async () => assert.equal(await locator.count(), expected));
const inside = (app) => app.page.frameLocator('[data-testid="statusbar-frame"]');
const told = async (app) => JSON.parse(await inside(app).locator('#out').innerText());
const frameOf = (app) => app.page.frames().find((frame) => /frame\.html/.test(frame.url()));
const entries = (app) =>
  app.id('statusbar-entry').evaluateAll((all) => Object.fromEntries(all.map((one) => [one.dataset.key, one.querySelector('dd').textContent])));

const card = (name, code, more = {}) => ({
  name: `${name}.json`,
  mimeType: 'application/json',
  buffer: Buffer.from(JSON.stringify({
    spec: 'chara_card_v2',
    spec_version: '2.0',
    data: { name, first_mes: '门上的铃响了。', extensions: { other: { kept: 1 }, fabula: { version: 1, status_bar: code, ...more } } },
  })),
});

async function bring(app, name, code, more) {
  await app.go('characters');
  await app.upload('character-import', card(name, code, more));
  await app.item('character-item', name).first().waitFor();
}

/** A story whose character brings a bar; it has not been allowed. */
async function begun(t, code, { allow = [], open = {} } = {}) {
  const llm = await at.provider(t);
  const app = await at.open(t, { viewport: { width: 1440, height: 900 }, allow, ...open });
  await app.addConnection({ url: llm.base('openai'), key: 'sk-canary-of-the-key' });
  await bring(app, '林夕', code);
  await app.createStoryline({ preset: 'sxml' });
  return { llm, app };
}

async function allow(app) {
  await kind(app, 'asks');
  // A story that has just been opened may be drawn anew, and then it asks anew.
  await eventually(async () => {
    const yes = app.id('statusbar-allow');
    if (!(await yes.isVisible())) await app.id('statusbar-look').click({ timeout: 1_000 });
    await yes.click({ timeout: 1_000 });
  });
}

test('a consent that one tab takes back does not return by what another sets', async (t) => {
  const { app } = await begun(t, SHOWS);
  await allow(app);
  await kind(app, 'runs');
  const other = await app.tab();
  await other.go('settings');
  await app.id('statusbar-revoke').click();
  await kind(app, 'asks');
  await other.id('theme-select').selectOption('dark');
  await eventually(async () => assert.equal(await app.page.locator('html').getAttribute('data-theme'), 'dark'));
  await kind(app, 'asks');
  await app.reload();
  await kind(app, 'asks');
});

/** Rewrites the bar in the character's editor and comes back to the story. */
async function rewrite(app, code) {
  await app.go('characters');
  await app.press(app.id('character-item').first(), 'character-edit');
  await app.page.locator('summary', { hasText: '状态栏' }).first().click();
  await app.id('character-status-bar').fill(code);
  await app.id('character-save').click();
  await app.id('character-item').first().waitFor();
  await app.openStory();
}

test('the plain bar shows the world, in groups, and folds', async (t) => {
  const llm = await at.provider(t);
  const app = await at.open(t);
  await app.addConnection({ url: llm.base('openai') });
  await app.createCharacter({ name: '林夕', first_mes: '门上的铃响了。' });
  await app.createStoryline({ preset: 'sxml' });
  await app.turn(0).root.waitFor();
  llm.on(() => sxml('', '她抬头。'));
  await app.play('你好。');
  assert.equal(await status(app).isVisible(), false, 'nothing to show for an empty world');

  llm.on(() => sxml(set('金币', 12) + set('林夕.体力', 90) + set('林夕.心情', '戒备') + set('门开着', 'true'), '她退了一步。'));
  await app.play('多少钱？');
  await eventually(async () => assert.deepEqual(await entries(app), { 金币: '12', '林夕.体力': '90', '林夕.心情': '戒备', 门开着: '是' }));
  assert.equal(await status(app).getAttribute('data-kind'), 'plain');
  await shows(app.id('statusbar-plain'), /金币\s*12[^]*林夕\s*体力\s*90/);
  assert.ok(!app.requests.some((url) => /frame\.html/.test(url)), 'no frame is loaded for it');

  await app.id('statusbar-fold').click();
  await count(app.id('statusbar-plain'), 0);
  // How one likes it is seen at once, and stored a moment later.
  await eventually(async () => assert.ok((await app.records('settings')).some((record) => record.status_bar_folded)));
  await app.reload();
  await status(app).waitFor();
  assert.equal(await app.id('statusbar-plain').count(), 0, 'it stays folded');
  await app.id('statusbar-fold').click();
  await app.id('statusbar-plain').waitFor();
});

test("a card's bar is asked about, shows the world, and follows turns, swipes and travel", async (t) => {
  const { llm, app } = await begun(t, SHOWS);
  await kind(app, 'asks');
  assert.equal(app.page.frames().length, 1, 'nothing of it runs');
  assert.ok(!app.requests.some((url) => /frame\.html/.test(url)));
  await app.id('statusbar-look').click();
  await shows(app.id('statusbar-consent'), /“林夕”[^]*看到：世界状态[^]*做不到：看到密钥/);
  await app.page.locator('.status-code summary').click();
  assert.equal(await app.id('statusbar-code').innerText(), SHOWS);
  await app.id('statusbar-allow').click();
  await kind(app, 'runs');
  await eventually(async () => assert.deepEqual(await told(app), { world: {}, turn: 0, character: '林夕' }));
  const frame = app.id('statusbar-frame');
  assert.equal(await frame.getAttribute('sandbox'), 'allow-scripts');
  assert.match(await frame.getAttribute('title'), /林夕/);
  await eventually(async () => {
    const { height } = await frame.boundingBox();
    assert.ok(height > 50 && height < 200, `as high as what it shows: ${height}`);
  });

  llm.on(() => sxml(set('金币', 12) + set('地点', '酒馆'), '她退了一步。'));
  await app.play('多少钱？');
  const at1 = { world: { 金币: 12, 地点: '酒馆' }, turn: 1, character: '林夕' };
  await eventually(async () => assert.deepEqual(await told(app), at1));
  llm.on(() => sxml(set('金币', 3), '她收下九枚。'));
  const second = await app.play('给你九枚。');
  const at2 = { world: { 金币: 3, 地点: '酒馆' }, turn: 2, character: '林夕' };
  await eventually(async () => assert.deepEqual(await told(app), at2));
  llm.on(() => sxml(set('金币', 0), '她全收下了。'));
  await app.turn(second).id('turn-regenerate').click();
  await eventually(async () => assert.equal((await told(app)).world.金币, 0));
  await app.turn(second).id('swipe-prev').click();
  await eventually(async () => assert.deepEqual(await told(app), at2), 'another swipe');
  await app.turn(1).root.hover();
  await app.turn(1).id('turn-branch').click();
  await eventually(async () => assert.deepEqual(await told(app), at1), 'back in time');
  await app.id('branch-back').click();
  await eventually(async () => assert.deepEqual(await told(app), at2), 'and forth');

  // What the reader writes there, too.
  await app.id('tab-world').click();
  await app.press(app.page.locator('[data-testid="world-entry"][data-key="金币"]'), 'world-edit');
  await app.id('world-input').fill('100');
  await app.id('world-save').click();
  await eventually(async () => assert.equal((await told(app)).world.金币, 100));

  // It has been told of this and nothing else.
  const all = await frameOf(app).evaluate(() => globalThis.told.map((text) => JSON.parse(text)));
  assert.ok(all.length >= 5);
  for (const { fabula, n, look, state, ...more } of all) {
    assert.ok(fabula === 'state' && Number.isInteger(n) && look.scheme === 'light');
    assert.deepEqual([Object.keys(more), Object.keys(state)], [[], ['world', 'turn', 'character']]);
  }
  assert.doesNotMatch(JSON.stringify(all), /canary|九枚|雨夜/, 'no key, no words of the story');
  assert.ok((await frameOf(app).evaluate(() => globalThis.events)).includes(2), 'listeners hear it as an event');

  await app.reload();
  await kind(app, 'runs');
  await eventually(async () => assert.equal((await told(app)).world.金币, 100), 'the consent is remembered');
});

test('a consent is for this text alone, can be taken back, and is never imported', async (t) => {
  const { app } = await begun(t, SHOWS);
  await allow(app);
  await kind(app, 'runs');
  await app.id('statusbar-revoke').click();
  await kind(app, 'asks');
  await count(app.id('statusbar-frame'), 0);
  await allow(app);
  await kind(app, 'runs');
  await rewrite(app, `${SHOWS}<!-- changed -->`);
  await kind(app, 'asks');
  await rewrite(app, SHOWS);
  await kind(app, 'runs');
  const [preferences] = (await app.records('settings')).filter((record) => record.id === 'preferences');
  assert.equal(preferences.status_bars.length, 1);

  // The whole story goes to another browser: what it brings is asked about there.
  await app.go('storylines');
  const item = app.id('storyline-item').first();
  await item.hover();
  const file = await app.download(() => item.getByTestId('storyline-export').click());
  const other = await at.open(t);
  await other.go('storylines');
  await other.upload('storyline-import', { name: file.name, mimeType: 'application/octet-stream', buffer: file.bytes });
  await other.id('import-merge').click();
  await other.openStory();
  await kind(other, 'asks');
  assert.equal(other.page.frames().length, 1);

  // And the card alone: with its bar, and with what else was in it; a consent that it claims to have is none.
  await app.go('characters');
  const exported = await app.exportCharacter();
  const { extensions } = JSON.parse(exported.bytes).data;
  assert.deepEqual([extensions.fabula.status_bar, extensions.other], [SHOWS, { kept: 1 }]);
  const third = await at.open(t);
  await bring(third, '林夕', SHOWS, { status_bars: preferences.status_bars, extra: { status_bars: preferences.status_bars } });
  await third.createStoryline({});
  await kind(third, 'asks');
});

test("a background's bar is shown where the character has none", async (t) => {
  const app = await at.open(t);
  await app.createCharacter({ name: '林夕', first_mes: '门上的铃响了。' });
  await app.go('backgrounds');
  await app.id('background-new').click();
  await app.id('background-name').fill('边境');
  await app.page.locator('summary', { hasText: '状态栏' }).first().click();
  await app.id('background-status-bar').fill(SHOWS);
  await app.id('background-save').click();
  await app.item('background-item', '边境').waitFor();
  const exported = await app.download(() => app.press(app.id('background-item').first(), 'background-export'));
  assert.equal(JSON.parse(exported.bytes).status_bar, SHOWS);
  await app.createStoryline({ background: '边境' });
  await shows(app.id('statusbar-consent'), /“边境”/);
  await allow(app);
  await eventually(async () => assert.equal((await told(app)).character, '林夕'));
  await rewrite(app, '<b>自己的</b>');
  await shows(app.id('statusbar-consent'), /“林夕”/);
});

test('a bar puts words into an empty composer, and never sends them', async (t) => {
  const { llm, app } = await begun(t, SHOWS);
  await allow(app);
  await inside(app).locator('#act').click();
  const composer = app.id('composer-input');
  await eventually(async () => assert.equal(await composer.inputValue(), '我拔出剑。'));
  assert.equal(llm.chat().length, 0, 'nothing is sent');
  await composer.fill('我自己的话');
  await inside(app).locator('#act').click();
  await shows(app.id('notice'), /没有动它/);
  assert.equal(await composer.inputValue(), '我自己的话');
  await composer.fill('');
  await inside(app).locator('#act').click();
  await eventually(async () => assert.equal(await composer.inputValue(), '我拔出剑。'));
});

/** Handlers as bars write them: in their text, in what they put in later, by `setAttribute`, in a shadow and a template. */
const HANDLES = `<style>p { margin: 0 }</style><!-- onclick="nobody()" --><p title="a > b, onclick='nobody()'">x</p>
<button id="one" onclick="fabula.draft('一 ' + event.type + ' ' + this.id)">1</button><form onsubmit="return false"></form>
<ul></ul><div id="host"></div><template><button id="five" onClick='fabula.draft("五")'>5</button></template>
<script>
  const at = (name) => document.querySelector(name);
  const a = 1, base = 2;
  if (a <base && '<link rel=x>'.length !== 12) throw new Error('its script is not as it was written');
  at('ul').innerHTML = '<li><button id="two" onclick="fabula.draft(&quot;二&quot;)">2</button></li>';
  at('ul').insertAdjacentHTML('beforeend', "<li><button id='three'onclick=fabula.draft('三')>3</button></li>");
  const four = at('ul').appendChild(document.createElement('button'));
  four.id = 'four';
  four.textContent = '4';
  four.setAttribute('onclick', "fabula.draft('四')");
  at('ul').append(at('template').content.cloneNode(true));
  at('#host').attachShadow({ mode: 'open' }).innerHTML = '<button id="six" onclick="fabula.draft(&quot;六&quot;)">6</button>';
  at('ul').dataset.empty = document.createElement('p').innerHTML = null;
</script>`;

test('handlers work, and nothing is said about them on the console', async (t) => {
  const { app } = await begun(t, HANDLES);
  await allow(app);
  await kind(app, 'runs');
  const composer = app.id('composer-input');
  for (const [id, words] of Object.entries({ one: '一 click one', two: '二', three: '三', four: '四', five: '五', six: '六' })) {
    await inside(app).locator(`#${id}`).click();
    await eventually(async () => assert.equal(await composer.inputValue(), words));
  }
  await kind(app, 'runs');
});

test('a bar that floods, throws, hangs or runs away is switched off, and can be run again', async (t) => {
  const { app } = await begun(t, '<script>setInterval(() => { for (let i = 0; i < 50; i += 1) fabula.draft(`${i}`); }, 10)</script>', {
    allow: [/SyntaxError|ReferenceError/],
  });
  const off = async (pattern, timeout) => {
    await kind(app, 'off', timeout);
    await shows(app.id('statusbar-off'), pattern);
    await eventually(() => assert.equal(app.page.frames().length, 1, 'its frame is gone'));
  };
  await allow(app);
  await off(/消息太多/);
  await app.id('statusbar-again').click();
  await off(/消息太多/);
  await app.id('composer-input').fill('');

  const throwing = '<p>好的</p><script>fabula.onState(({ world }) => world.没有.这个)</script>';
  await rewrite(app, throwing);
  await allow(app);
  await off(/出错了：TypeError/);
  await rewrite(app, '<script>let a = ;</script>');
  await allow(app);
  await off(/出错了：SyntaxError/);
  await rewrite(app, '<button onclick="nobody()">x</button>');
  await allow(app);
  await inside(app).locator('button').click();
  await off(/出错了：ReferenceError/);

  // The page itself stays usable while a bar is stuck.
  await rewrite(app, '<script>for (;;);</script>');
  await allow(app);
  await app.id('composer-input').fill('页面还在');
  assert.equal(await app.id('composer-input').inputValue(), '页面还在');
  await off(/没有反应/);

  await rewrite(app, `<b>${'x'.repeat(70_000)}</b>`);
  await kind(app, 'off');
  await shows(app.id('statusbar-off'), /太长/);
  await count(app.id('statusbar-again'), 0);
});

test('a bar is tried in the editor', async (t) => {
  const app = await at.open(t);
  await app.go('characters');
  await app.id('character-new').click();
  await app.page.locator('summary', { hasText: '状态栏' }).first().click();
  await app.id('statusbar-example').click();
  assert.equal(await app.id('statusbar-frame').count(), 0, 'it runs when asked to');
  await app.id('statusbar-try').click();
  await shows(inside(app).locator('body'), /林夕 · 7[^]*金币 12/);
  await inside(app).locator('button').click();
  await shows(app.id('statusbar-note'), /歇一会儿/);
  await app.id('character-status-bar').fill('<i>改好了</i>');
  await shows(inside(app).locator('body'), /改好了/);
  await app.id('character-status-bar').fill('<script>throw new Error("写错了")</script>');
  await shows(app.id('statusbar-off'), /写错了/);
  await app.id('character-status-bar').fill('x'.repeat(65_537));
  await shows(app.id('statusbar-off'), /65537 字节/);
  await app.id('statusbar-try').click();
  await count(app.id('statusbar-frame'), 0);
});

test('axe finds nothing in it, on a phone nothing runs over', async (t) => {
  for (const scheme of ['light', 'dark']) {
    const { llm, app } = await begun(t, SHOWS, { open: { scheme, viewport: { width: 390, height: 844 } } });
    const clean = async (where) => {
      await app.page.evaluate(axe.source);
      const found = await app.page.evaluate(() => globalThis.axe.run('[data-testid="statusbar"]', { resultTypes: ['violations'], iframes: false }));
      assert.deepEqual(found.violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html)}`), [], where);
      const [wide, screen] = await app.page.evaluate(() => [document.scrollingElement.scrollWidth, innerWidth]);
      assert.ok(wide <= screen, `${where}: ${wide} in ${screen}`);
    };
    llm.on(() => sxml(set('林夕.体力', 90) + set('林夕.心情', '戒备') + set('线索', '很长的一句话'.repeat(30)), '她抬头。'));
    await app.play('你好。');
    await app.id('statusbar-plain').waitFor();
    await app.id('statusbar-look').click();
    await app.page.locator('.status-code summary').click();
    await clean('asking');
    await app.id('statusbar-allow').click();
    await eventually(async () => assert.equal((await told(app)).turn, 1));
    await clean('running');
  }
});

test('the frame of the build is sealed, and named by its version', async () => {
  const frame = await read('frame.html');
  const [script] = [...frame.matchAll(/<script>([^]*?)<\/script>/g)].map((found) => found[1]);
  const hash = createHash('sha256').update(script).digest('base64');
  const [, policy] = /^\s*<!--[^]*?-->\s*<meta http-equiv="Content-Security-Policy" content="([^"]+)"/.exec(frame.split('<head>')[1]);
  assert.match(policy, new RegExp(`script-src 'unsafe-eval' 'sha256-${hash.replaceAll(/[+/]/g, '\\$&')}';`));
  assert.match(await read('index.html'), /content="\.\/frame\.html\?[0-9a-f]{16}"/);
});

test('the look of the page goes along', async (t) => {
  const { app } = await begun(t, '<p style="color: var(--fabula-vermilion)">红</p>');
  await allow(app);
  const paragraph = inside(app).locator('p');
  await eventually(async () => assert.equal(await paragraph.evaluate((p) => getComputedStyle(p).color), 'rgb(184, 66, 46)'));
  await app.page.emulateMedia({ colorScheme: 'dark' });
  await eventually(async () => assert.equal(await paragraph.evaluate((p) => getComputedStyle(p).color), 'rgb(224, 122, 95)'));
  assert.equal(await paragraph.evaluate(() => getComputedStyle(document.documentElement).colorScheme), 'dark');
});

// ------------------------------------------------------------------------------------------------ escapes

const loud = { allow: [...NOISE, /./] };

/** Runs the attempts in a page and a frame that nothing protects. */
async function unprotected(t, attempts, server, { markup, ...open } = {}) {
  const site = createServer((request, response) => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
    response.end(request.url === '/' ? '<iframe src="/bar"></iframe>' : `<body>${attack(attempts, server, markup)}</body>`);
  });
  await new Promise((done) => site.listen(0, '127.0.0.1', done));
  t.after(() => (site.close(), site.closeAllConnections()));
  const app = await at.open(t, { ...loud, ...open, ready: false });
  await app.page.goto(`http://127.0.0.1:${site.address().port}/`);
  return app;
}

test('the control: unprotected, what a bar may try does go out', async (t) => {
  const server = await foreign(t);
  await unprotected(t, NETWORK, server);
  const slug = (name) => `/${name.replaceAll(' ', '-')}`;
  await eventually(async () => {
    const silent = Object.keys(NETWORK).filter((name) => !server.requests.some((line) => line.includes(`${slug(name)} `)));
    assert.deepEqual(silent, [], 'each of these would be heard');
  });
  for (const [name, attempt] of Object.entries(WEBRTC)) {
    const heard = await foreign(t);
    await unprotected(t, { [name]: attempt }, heard);
    await eventually(async () => assert.ok(heard.packets > 0, `${name} would be heard`));
  }
});

const TRIED = { 'to the network': { ...NETWORK, ...WEBRTC }, 'to the page, the browser and the reader': INSIDE };

for (const [where, attempts] of Object.entries(TRIED)) test(`no way out of the frame: ${where}`, async (t) => {
  const server = await foreign(t);
  const { llm, app } = await begun(t, attack(attempts, server), loud);
  let downloads = 0;
  let dialogs = 0;
  app.page.on('download', () => (downloads += 1));
  app.page.on('dialog', (dialog) => ((dialogs += 1), dialog.dismiss()));
  await app.page.evaluate(() => {
    globalThis.channelled = [];
    new BroadcastChannel('fabula').onmessage = ({ data }) => globalThis.channelled.push(data);
  });
  const page = () => app.page.evaluate(() => [location.href, document.title, JSON.stringify({ ...localStorage }), globalThis.hacked, globalThis.channelled.filter((data) => data?.hacked).length]);
  const before = await page();
  await allow(app);
  await kind(app, 'runs');
  const frame = await eventually(async () => {
    const frame = frameOf(app);
    assert.ok(frame, 'it runs');
    assert.equal(await frame.evaluate(() => globalThis.finished), true);
    return frame;
  });
  const outcomes = await frame.evaluate(() => globalThis.outcomes);
  assert.deepEqual(Object.keys(outcomes).sort(), Object.keys(attempts).sort(), 'each attempt was made');
  for (const [name, outcome] of Object.entries(outcomes)) {
    t.diagnostic(`${name}: ${outcome}`);
    assert.match(outcome, /^held/, name);
  }
  // What is late would come now.
  await new Promise((done) => setTimeout(done, 1_000));
  assert.deepEqual(server.requests, [], 'nobody was told anything');
  assert.equal(server.packets, 0);
  assert.deepEqual(await page(), before, 'the page is as it was');
  assert.equal(await app.id('composer-input').inputValue(), '');
  assert.equal(llm.chat().length, 0);
  assert.deepEqual([downloads, dialogs, app.page.context().pages().length], [0, 0, 1]);
  await kind(app, 'runs');
});

// Resolved without asking a server, so that nothing waits for an answer.
const CANARY = 'canary.localhost';

/** A browser that writes down what its network stack does, and the hosts of the canary that it was asked for. */
async function logged(t) {
  const profile = await scratch(t);
  const file = join(profile, 'net.json');
  return {
    // Not a private window: those look nothing up beforehand.
    open: { profile: join(profile, 'profile'), args: [`--log-net-log=${file}`] },
    async names(app) {
      // What is late would come now.
      await new Promise((done) => setTimeout(done, 1_000));
      await app.page.context().close();
      const found = (await readFile(file, 'utf8')).matchAll(new RegExp(`([a-z0-9-]+)\\.${CANARY.replace('.', '\\.')}`, 'g'));
      return [...new Set([...found].map(([, host]) => host))].sort();
    },
  };
}

/** Puts the pointer over what waits for it, and presses. */
async function point(app, frame) {
  for (const element of await frame.locator('.under').all()) {
    if (!(await element.isVisible())) continue;
    await element.hover();
    await app.page.mouse.down();
    await new Promise((done) => setTimeout(done, 500));
    // Not a click: that would lead away.
    await app.page.mouse.move(1, 1);
    await app.page.mouse.up();
  }
}

test('the control: unprotected, each of these has a name looked up', async (t) => {
  const { 'link by writing': writing, ...others } = NAMES;
  const server = { ...(await foreign(t)), domain: CANARY };
  const found = [];
  for (const [attempts, markup] of [[others, MARKUP], [{ 'link by writing': writing }, {}]]) {
    const log = await logged(t);
    const app = await unprotected(t, attempts, server, { markup, ...log.open });
    const frame = app.page.frames().find((frame) => frame.url().endsWith('/bar'));
    await eventually(async () => assert.equal(await frame.evaluate(() => globalThis.finished), true));
    await point(app, frame);
    t.diagnostic(JSON.stringify(await frame.evaluate(() => globalThis.outcomes)));
    found.push(...(await log.names(app)));
  }
  assert.deepEqual(found.sort(), [...Object.keys(NAMES), ...Object.keys(MARKUP)].map(slug).sort());
});

test('no name is looked up for a bar, says the browser itself', async (t) => {
  const server = { ...(await foreign(t)), origin: `http://network.${CANARY}`, stun: `stun:webrtc.${CANARY}`, domain: CANARY };
  const attempts = { ...NETWORK, ...WEBRTC, ...INSIDE, ...NAMES };
  const log = await logged(t);
  const { app } = await begun(t, attack(attempts, server, MARKUP), { ...loud, open: log.open });
  await allow(app);
  await kind(app, 'runs');
  const frame = await eventually(() => frameOf(app) ?? assert.fail('the frame is on its way'));
  await eventually(async () => assert.equal(await frame.evaluate(() => globalThis.finished), true));
  await point(app, frame);
  assert.equal(await frame.locator('.under').count(), 4, 'they were there to be pointed at');
  const outcomes = await frame.evaluate(() => globalThis.outcomes);
  assert.deepEqual(Object.keys(outcomes).sort(), Object.keys(attempts).sort(), 'each attempt was made');
  await kind(app, 'runs');
  assert.deepEqual(await log.names(app), []);
});

// What stays open, as the reader is told before saying yes: to be changed where a browser lets us close it.
test('what a bar does send is a name, by leaving, and it is said so', async (t) => {
  for (const language of ['zh-CN', 'en-US']) {
    const log = await logged(t);
    const { app } = await begun(t, `<script>location = 'http://value-12.${CANARY}/'</script>`, { ...loud, open: { language, ...log.open } });
    await app.id('statusbar-look').click();
    const said = await app.id('statusbar-consent').innerText();
    assert.match(said, language === 'zh-CN' ? /堵不住[^]*名字里可以写着它看到的值/ : /cannot be closed[^]*may spell out values/);
    await app.id('statusbar-allow').click();
    await kind(app, 'off');
    assert.deepEqual(await log.names(app), ['value-12']);
  }
});

test('a bar that leads its frame elsewhere is stopped and switched off', async (t) => {
  const server = await foreign(t);
  const { app } = await begun(t, '<b>x</b>', loud);
  const url = app.page.url();
  for (const [name, attempt] of Object.entries(LEAVING)) {
    await rewrite(app, attack({ [name]: attempt }, server));
    await allow(app);
    await kind(app, 'off');
    await shows(app.id('statusbar-off'), /离开它的框/);
    await eventually(() => assert.equal(app.page.frames().length, 1, name));
    t.diagnostic(`${name}: switched off; connections opened so far, nothing said on them: ${server.connections}`);
  }
  await new Promise((done) => setTimeout(done, 500));
  assert.deepEqual(server.requests, []);
  assert.equal(server.packets, 0);
  assert.equal(app.page.url(), url);
});
