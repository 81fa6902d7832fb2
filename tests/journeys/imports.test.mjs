// What is let in: archives that cannot be played, pictures that cannot be drawn; and that no story holds another.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import test from 'node:test';

import { pack, unpack } from '../support/archive.mjs';
import { stage } from '../support/browser.mjs';
import { eventually } from '../support/page.mjs';
import { png } from '../support/pictures.mjs';
import { storyArchive } from '../support/story.mjs';

const at = stage();

const STORY = {
  character: { name: '林夕', first_mes: '门上的铃响了。' },
  storyline: { title: '雨夜' },
  opening: '门上的铃响了。',
  turns: [['第一句', '第一句回答。'], ['第二句', '第二句回答。']],
};

const LANGUAGES = ['zh', 'en'];

/** A story in a file, with a change to its records as text. */
function file(change, parts = STORY) {
  const { header, records } = unpack(storyArchive(parts));
  const buffer = pack({ header, records: records.map((line) => change(line, JSON.parse(line))) });
  return { name: 'story.fabula', mimeType: 'application/octet-stream', buffer };
}

const change = (table, set) => (line, { t, r }) => (t === table ? JSON.stringify({ t, r: { ...r, ...set(r) } }) : line);

async function speak(app, language) {
  await app.go('settings');
  await app.id('language-select').first().selectOption(language);
}

test('an archive that cannot be played is refused, with the place and in the language of the reader', async (t) => {
  const app = await at.open(t);
  const before = await app.library();
  const second = (set) => change('turns', (turn) => (turn.position === 1 ? set(turn) : {}));
  for (const [make, place, zh, en] of [
    // Above 2^53: JSON.stringify would not write it.
    [(line) => line.replace(/"last_active":\d+/, '"last_active":18446744073709551615'), 'last_active', /日历/, /calendar/],
    [change('storylines', (story) => ({ head: { ...story.head, branch: 'nowhere' } })), 'head', /不指向任何一轮/, /leads to no turn/],
    [second(() => ({ position: 2_000_000_000 })), 'position', /分支之外/, /outside its branch/],
    [second(() => ({ position: 0 })), 'position', /已有另一轮/, /another turn/],
    [change('storylines', () => ({ sessions: 7 })), 'sessions', /类型/, /type/],
  ]) {
    for (const [language, why] of [['zh', zh], ['en', en]]) {
      await speak(app, language);
      await app.go('storylines');
      await app.upload('storyline-import', file(make));
      const said = app.id('import-error');
      await said.waitFor();
      assert.match(await said.innerText(), why);
      assert.match(await said.innerText(), new RegExp(`(第 \\d+ 行|line \\d+).*(storylines|turns) 0190.*${place}`));
    }
  }
  assert.deepEqual(await app.library(), before);
});

test('what has one right answer is set right and said, and the story goes on', async (t) => {
  const llm = await at.provider(t, {});
  const many = 4_000_000_000;
  for (const [language, said] of [['zh', [/长度/, /停留的地方没有内容/, /当前会话/, /缺少状态/]], ['en', [/wrong length/, /no turn/, /current session/, /without their state/]]]) {
    const app = await at.open(t);
    await app.addConnection({ url: llm.base('openai') });
    await speak(app, language);
    await app.go('storylines');
    const make = (line, { t: table, r }) => {
      const set = {
        branches: () => ({ length: many }),
        storylines: () => ({ head: { ...r.head, end: many + 1 }, current_session: 'nowhere' }),
        generations: () => (r.position === 2 ? { state: 'nowhere' } : {}),
      }[table];
      return set ? JSON.stringify({ t: table, r: { ...r, ...set() } }) : line;
    };
    await app.upload('storyline-import', file(make));
    const summary = await app.id('import-summary').innerText();
    for (const what of said) assert.match(summary, what);
    await app.id('import-merge').click();
    await app.openStory('雨夜');
    await eventually(async () => assert.equal((await app.story()).length, 3));
    llm.script('第三句回答。');
    const number = await app.play('第三句');
    assert.deepEqual([number, await app.replyText(number)], [3, '第三句回答。']);
    await app.reload();
    await eventually(async () => assert.equal((await app.story()).length, 4));
  }
});

test('a turn that does not end holds no other story', async (t) => {
  const llm = await at.provider(t, {});
  const app = await at.open(t);
  await app.begin(llm, { character: { name: '林夕', first_mes: '门上的铃响了。' }, title: '慢的' });
  llm.script({ text: '很久以后的回答。', hold: true }, '马上的回答。');
  const held = await app.send('等着');
  await app.waitStatus(held, 'streaming');
  await app.createStoryline({ title: '快的' });
  const number = await app.play('第一句');
  assert.equal(await app.replyText(number), '马上的回答。');
  // The first is still being told, and comes to its end.
  await app.openStory('慢的');
  await app.waitStatus(held, 'streaming');
  llm.release();
  await app.waitStatus(held, 'done');
  assert.equal(await app.replyText(held), '很久以后的回答。');
});

const BROKEN = [
  ['30,000 × 30,000', png(30_000, 30_000, Buffer.alloc(20)), /30000 × 30000 像素.*4000 万/, /30000 × 30000 pixels.*40 million/],
  ['cut short', png(40, 40).subarray(0, 300), /画不出来/, /cannot be drawn/],
  ['without data', png(40, 40, Buffer.alloc(0)), /画不出来/, /cannot be drawn/],
  ['with other data', png(40, 40, Buffer.from('this is no picture')), /画不出来/, /cannot be drawn/],
  ['an empty WebP', Buffer.from('RIFF\x04\0\0\0WEBP', 'latin1'), /画不出来/, /cannot be drawn/],
  ['a text', Buffer.from('<svg onload="hacked=1"/>'), /不是 PNG/, /not a PNG/],
  ['9 MB', Buffer.concat([png(4, 4), Buffer.alloc(9 << 20)]), /9\.4 MB.*8\.4 MB/, /9\.4 MB.*8\.4 MB/],
  ['a byte too many', Buffer.concat([png(4, 4), Buffer.alloc((8 << 20) + 1 - png(4, 4).length)]), /8\.388609 MB.*8\.388608 MB/, /8\.388609 MB.*8\.388608 MB/],
];

test('a picture that cannot be drawn is refused beside the place, and why', async (t) => {
  const app = await at.open(t);
  for (const language of LANGUAGES) {
    await speak(app, language);
    await app.go('characters');
    await app.id('character-new').click();
    for (const [what, buffer, zh, en] of BROKEN) {
      await app.id('character-avatar').setInputFiles({ name: 'face.png', mimeType: 'image/png', buffer });
      await app.id('avatar-error').waitFor();
      assert.match(await app.id('avatar-error').innerText(), language === 'zh' ? zh : en, what);
      await app.id('character-avatar').setInputFiles({ name: 'face.png', mimeType: 'image/png', buffer: png(4, 4) });
      await app.id('avatar-error').waitFor({ state: 'hidden' });
    }
    await app.id('character-avatar-remove').click();
  }
  assert.deepEqual(await app.records('blobs'), []);
});

test('a large picture is kept as it is, and the page shows a small one', async (t) => {
  const app = await at.open(t);
  const original = png(1_200, 800);
  await app.go('characters');
  await app.id('character-new').click();
  await app.id('character-name').fill('林夕');
  await app.id('character-avatar').setInputFiles({ name: 'face.png', mimeType: 'image/png', buffer: original });
  await app.page.locator('.face-field img').waitFor();
  await app.id('character-save').click();
  const face = app.item('character-item', '林夕').locator('img');
  await eventually(async () => assert.equal(await face.evaluate((image) => image.complete && image.naturalWidth), 512));
  const [character] = await app.records('characters');
  assert.equal(character.avatar, createHash('sha256').update(original).digest('hex'));
  const blobs = await app.records('blobs');
  assert.deepEqual(new Set(blobs.map(({ id }) => id)), new Set([character.avatar, character.thumbnail]));

  await app.go('settings');
  const backup = await app.download(() => app.id('backup-export').click());
  const kept = await app.library();
  const other = await at.open(t);
  await other.go('settings');
  await other.upload('backup-import', { name: 'backup.fabula', mimeType: 'application/octet-stream', buffer: backup.bytes });
  await other.id('import-merge').click();
  await eventually(async () => assert.deepEqual(await other.library(), kept));

  await app.go('characters');
  const card = await app.exportCharacter('林夕');
  assert.ok(card.bytes.includes(original.toString('base64')), 'the card carries the picture itself');
});

test('a card and an archive come in without a picture that cannot be drawn, and it is said', async (t) => {
  const app = await at.open(t);
  const broken = png(40, 40, Buffer.from('this is no picture'));
  const avatar = `data:image/png;base64,${broken.toString('base64')}`;
  await app.go('characters');
  const card = Buffer.from(JSON.stringify({ spec: 'chara_card_v2', data: { name: '来客', description: '远方。', avatar } }));
  await app.upload('character-import', { name: 'card.json', mimeType: 'application/json', buffer: card });
  await app.item('character-item', '来客').waitFor();
  assert.match(await app.id('notice').first().innerText(), /头像没有读入.*画不出来/);
  assert.deepEqual(await app.records('blobs'), []);

  const { header, records } = unpack(storyArchive(STORY));
  const id = createHash('sha256').update(broken).digest('hex');
  const faced = records.map((line) => change('characters', () => ({ avatar: id }))(line, JSON.parse(line)));
  faced.push(JSON.stringify({ t: 'blobs', r: { id, kind: 'image/png', size: broken.length }, b: broken.toString('base64') }));
  await app.go('storylines');
  await app.upload('storyline-import', { name: 'story.fabula', mimeType: 'application/octet-stream', buffer: pack({ header, records: faced }) });
  assert.match(await app.id('import-summary').innerText(), /“林夕”的头像不会读入：图片已损坏/);
  await app.id('import-merge').click();
  await app.openStory('雨夜');
  assert.deepEqual(await app.records('blobs'), []);
});

test('no room is said in words', async (t) => {
  const app = await at.open(t, {});
  await app.go('characters');
  for (const [language, words] of [['zh', /没能保存：没有空间保存了/], ['en', /Could not save: There is no room left/]]) {
    await speak(app, language);
    await app.go('characters');
    await app.id('character-new').click();
    await app.id('character-name').fill('林夕');
    await app.page.evaluate(() => {
      IDBObjectStore.prototype.put = () => {
        throw new DOMException('the quota has been exceeded', 'QuotaExceededError');
      };
    });
    await app.id('character-save').click();
    await app.id('character-error').waitFor();
    assert.match(await app.id('character-error').innerText(), words);
    assert.doesNotMatch(await app.words(), /quota/i);
    await app.reload();
  }
});
