// A story is kept: through reloads, sudden deaths, and as a file.

import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';

import { bomb, multiply, nested, pack, sparse, unpack } from '../support/archive.mjs';
import { mortal, scratch, stage } from '../support/browser.mjs';
import { App, eventually } from '../support/page.mjs';

const at = stage();

const KILLS = Number(process.env.FABULA_KILLS ?? 10);
const SEED = Number(process.env.FABULA_SEED ?? Date.now() % 1_000_000);

const CHARACTER = { name: '林夕', description: '旧书店的店主。', first_mes: '门上的铃响了。' };
const BACKGROUND = { name: '雨城', world: '一座终年下雨的城市。', outline: '找到信\n读完信' };

/** A story of a few turns, one of them with two replies. */
async function played(t, app) {
  const llm = await at.provider(t);
  await app.begin(llm, { character: CHARACTER, background: BACKGROUND, title: '雨夜' });
  llm.script('第一句回答，带 **强调** 和 `代码`。', '第二句回答。\n\n- 一\n- 二', '另一种说法 🌧️ <b>不是标签</b>。');
  await app.play('第一句话');
  const last = await app.play('第二句话\n分成两行');
  await app.turn(last).id('turn-regenerate').click();
  await eventually(async () => assert.deepEqual(await app.swipes(last), [2, 2]));
  await app.waitStatus(last, 'done');
  return llm;
}

/** The stored texts of all stories: what was said, what was answered, and how it ended. */
async function texts(app) {
  const said = (await app.records('turns')).map((turn) => turn.user);
  const replies = (await app.records('generations')).map(({ text, reasoning, status }) => ({ text, reasoning, status }));
  return { said, replies };
}

test('a reload shows the same story at the same address', async (t) => {
  const app = await at.open(t);
  await played(t, app);
  const story = await app.story();
  const address = app.page.url();
  await app.reload();
  await eventually(async () => assert.deepEqual(await app.story(), story));
  await app.open('');
  await app.open(address);
  await eventually(async () => assert.deepEqual(await app.story(), story));
});

test(`killed ${KILLS} times amid a stream, nothing that was on screen is lost`, { timeout: 60_000 + KILLS * 20_000 }, async (t) => {
  t.diagnostic(`FABULA_SEED=${SEED}`);
  const chance = random(SEED);
  const profile = await mkdtemp(join(tmpdir(), 'fabula-kill-'));
  const llm = await at.provider(t);
  let chrome = await mortal(profile);
  t.after(async () => {
    await chrome.kill();
    await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  });
  let app = new App(chrome.page, at.url);
  await app.open();
  await app.begin(llm, { character: CHARACTER });
  const address = app.page.url();

  let lost = 0;
  let seenInAll = 0;
  for (let kill = 1; kill <= KILLS; kill += 1) {
    const line = Array.from({ length: 3000 }, (_, n) => `第${kill}夜${n}滴，`).join('');
    llm.script({ text: line, rate: 100 });
    const seen = await watch(app);
    const number = await app.send(`第 ${kill} 夜`);
    await app.replyGrows(number);
    await new Promise((done) => setTimeout(done, chance() * 2000));
    await chrome.kill();
    assert.ok(seen.text.length > 0 && line.startsWith(seen.text), `what was seen is of this reply: ${seen.text.slice(0, 80)}`);
    seenInAll += seen.text.length;

    chrome = await mortal(profile);
    app = new App(chrome.page, at.url);
    await app.open(address);
    await app.waitStatus(number, 'interrupted');
    const shown = await app.replyText(number);
    lost += seen.text.length - common(seen.text, shown);
    assert.ok(line.startsWith(shown), 'and no more than was said');
    const stored = (await app.records('generations')).at(-1);
    assert.deepEqual([stored.text.trim(), stored.status, stored.open], [shown, 'interrupted', undefined]);
    assert.equal(await app.userText(number), `第 ${kill} 夜`);
  }
  t.diagnostic(`characters lost: ${lost} of ${seenInAll} seen, in ${KILLS} kills`);
  assert.equal(lost, 0);
});

/** Hears every text that the newest reply shows, as soon as it shows it. */
async function watch(app) {
  const seen = { text: '' };
  const name = `seen${Math.random().toString(36).slice(2)}`;
  const before = await app.lastTurn();
  await app.page.exposeFunction(name, (text) => (seen.text = text));
  await app.page.evaluate(
    ([report, last]) => {
      const tell = () => {
        const turn = [...document.querySelectorAll('[data-testid="turn"]')].at(-1);
        const text = turn?.querySelector('[data-testid="turn-reply"]')?.textContent.trim();
        if (Number(turn?.dataset.turn) > last && text) globalThis[report](text);
      };
      new MutationObserver(tell).observe(document.body, { subtree: true, childList: true, characterData: true });
    },
    [name, before],
  );
  return seen;
}

function common(a, b) {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return length;
}

/** Mulberry32: the same seed kills at the same moments. */
function random(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

test('a story travels as one file: exported, imported into a fresh profile, exported again', async (t) => {
  const app = await at.open(t);
  await played(t, app);
  const story = await app.story();
  const kept = await texts(app);
  await app.go('storylines');
  const { bytes, name } = await app.download(() => app.press(app.item('storyline-item', '雨夜'), 'storyline-export'));
  assert.match(name, /雨夜/);

  const folder = await scratch(t);
  const file = join(folder, name);
  await writeFile(file, bytes);
  const other = await at.open(t);
  await other.go('storylines');
  await other.upload('storyline-import', file);
  assert.match(await other.id('import-summary').innerText(), /雨夜/);
  assert.equal(await other.id('storyline-item').count(), 0, 'nothing is taken before one agrees');
  await other.id('import-merge').click();
  await other.openStory('雨夜');
  await eventually(async () => assert.deepEqual(await other.story(), story));
  assert.deepEqual(await texts(other), kept);
  for (const [place, item, text] of [['characters', 'character-item', '林夕'], ['backgrounds', 'background-item', '雨城']]) {
    await other.go(place);
    await other.item(item, text).waitFor();
  }

  await t.test('the second file has the same records, byte for byte', async () => {
    await other.go('storylines');
    const again = await other.download(() => other.press(other.item('storyline-item', '雨夜'), 'storyline-export'));
    assert.deepEqual(unpack(again.bytes).records, unpack(bytes).records);
  });
  await t.test('imported once more, merged it changes nothing; as a copy it stands beside', async () => {
    const before = await other.library();
    await other.upload('storyline-import', file);
    await other.id('import-merge').click();
    // While the first is still being written: it waits for it, and the dialog that closes does not take it along.
    await other.upload('storyline-import', file);
    await other.id('import-summary').waitFor();
    assert.deepEqual(await other.library(), before);
    await other.id('import-cancel').click();
    await other.id('import-summary').waitFor({ state: 'hidden' });
    assert.deepEqual(await other.library(), before);
    await other.upload('storyline-import', file);
    await other.id('import-copy').click();
    await eventually(async () => assert.equal(await other.id('storyline-item').count(), 2));
    const now = await other.library();
    assert.equal(now.turns.length, 2 * before.turns.length);
    for (const turn of before.turns) assert.deepEqual(now.turns.find(({ id }) => id === turn.id), turn);
  });
});

test('a backup holds the whole library, and brings it back', async (t) => {
  const app = await at.open(t);
  await played(t, app);
  await app.createCharacter({ name: '第二人', description: '只在库里。' });
  await app.createStoryline({ title: '另一夜', character: '第二人' });
  const library = await app.library();
  await app.go('settings');
  const { bytes, name } = await app.download(() => app.id('backup-export').click());
  const file = join(await scratch(t), name);
  await writeFile(file, bytes);

  const other = await at.open(t);
  await other.go('settings');
  await other.upload('backup-import', file);
  await other.id('import-merge').click();
  await other.id('import-summary').waitFor({ state: 'hidden' });
  await eventually(async () => assert.deepEqual(await other.library(), library));
  await other.go('storylines');
  await eventually(async () => assert.equal(await other.id('storyline-item').count(), 2));

  await t.test('a large one shows its progress, and cancelled leaves the library as it was', async () => {
    const large = join(await scratch(t), 'large.fabula');
    await writeFile(large, multiply(bytes, 2000));
    await other.go('settings');
    await other.upload('backup-import', large);
    await other.id('import-merge').click({ timeout: 60_000 });
    await other.id('backup-progress').waitFor();
    await other.id('backup-cancel').click();
    await other.id('backup-progress').waitFor({ state: 'hidden' });
    assert.deepEqual(await other.library(), library);
  });
});

test('damaged and hostile files are refused with a reason, and leave the library as it was', async (t) => {
  const app = await at.open(t);
  await played(t, app);
  await app.go('storylines');
  const { bytes } = await app.download(() => app.press(app.item('storyline-item', '雨夜'), 'storyline-export'));
  const { header, records } = unpack(bytes);
  const before = await app.kept();
  const folder = await scratch(t);
  const file = (name, content) => writeFile(join(folder, name), content).then(() => join(folder, name));

  const refused = (what, place, control, make) =>
    t.test(what, async () => {
      const path = await make();
      await app.go('settings');
      await app.go(place);
      await app.id('import-error').waitFor({ state: 'hidden' });
      await app.upload(control, path);
      await app.id('import-error').waitFor({ timeout: 30_000 });
      assert.match(await app.id('import-error').innerText(), /[\u4e00-\u9fff]{4}/, 'it says why');
      assert.deepEqual(await app.kept(), before);
    });
  const story = (what, make) => refused(what, 'storylines', 'storyline-import', make);
  const character = (what, make) => refused(what, 'characters', 'character-import', make);

  await story('an archive cut in half', () => file('half', bytes.subarray(0, bytes.length / 2)));
  await story('an archive without its last byte', () => file('short', bytes.subarray(0, -1)));
  await story('an archive with one bit changed', () => {
    const changed = Buffer.from(bytes);
    changed[changed.length >> 1] ^= 1;
    return file('bit', changed);
  });
  await story('an archive whose tree lacks its trunk', () =>
    file('trunk', pack({ header, records: records.filter((line) => JSON.parse(line).t !== 'branches') })),
  );
  await story('an archive that brings settings', () => {
    const settings = JSON.stringify({ t: 'settings', r: { id: 'connections', list: [{ id: 'x', url: 'http://evil.test' }] } });
    return file('settings', pack({ header, records: [...records, settings] }));
  });
  await story('an archive of a newer version', () =>
    file('newer', pack({ header: JSON.stringify({ ...JSON.parse(header), fabula: 99 }), records })),
  );
  await story('200 MB of zeros', () => sparse(join(folder, 'zeros'), 200 << 20));
  await story('an archive that unpacks without end', () => file('bomb', bomb(header)));
  await story('an archive whose record is nested 10,000 deep', () => file('deep', pack({ header, records: [nested(10_000)] })));
  await story('a text that is no archive', () => file('text.txt', 'Once upon a time.'));
  await character('a character nested 10,000 deep', () => file('deep.json', nested(10_000)));
  await character('a character of 200 MB', () => sparse(join(folder, 'zeros.json'), 200 << 20));
  await character('a broken character', () => file('broken.json', '{"spec":"chara_card_v2","data":{"name":"断'));
  await character('JSON of something else', () => file('other.json', '{"squares":[1,4,9]}'));

  await t.test('and the page is as alive as before', async () => {
    await app.openStory('雨夜');
    await app.play('还在吗？');
  });
});

test('names of 10,000 characters or with marks that turn the text are tamed, and it is said', async (t) => {
  const app = await at.open(t);
  const folder = await scratch(t);
  for (const [what, name] of [['long', '长'.repeat(10_000)], ['turned', 'innocent\u202Egnp.exe']]) {
    const file = join(folder, `${what}.json`);
    await writeFile(file, JSON.stringify({ spec: 'chara_card_v2', spec_version: '2.0', data: { name, description: what } }));
    await app.go('characters');
    await app.upload('character-import', file);
    await app.id('notice').first().waitFor();
    const shown = await app.id('character-item').last().innerText();
    assert.ok(shown.length < 500, `a name of ${shown.length} characters`);
    assert.doesNotMatch(shown, /[\u202a-\u202e\u2066-\u2069]/);
    await app.reload();
  }
  await app.go('characters');
  await app.id('character-new').click();
  await app.id('character-name').fill('名'.repeat(10_000));
  await app.id('character-save').click();
  await app.id('character-error').or(app.id('notice')).first().waitFor();
  for (const { name } of await app.records('characters')) assert.ok([...name].length <= 1000, 'no such name is stored');
});
