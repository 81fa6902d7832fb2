// Characters, backgrounds, storylines: made, changed, copied, thrown away and fetched back, carried in and out.

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'node:test';

import { scratch, stage } from '../support/browser.mjs';
import { eventually } from '../support/page.mjs';

const at = stage();

const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==',
  'base64',
);

const LIBRARIES = {
  character: {
    make: (app, fields) => app.createCharacter(fields),
    store: 'characters',
    fields: { name: '林夕', description: '旧书店的店主。', personality: '安静。', scenario: '雨夜。', first_mes: '「随便看。」' },
    foreign: {
      spec: 'chara_card_v2',
      spec_version: '2.0',
      data: {
        name: '来客',
        description: '从别处来。',
        first_mes: '你好。',
        alternate_greetings: ['又见面了。'],
        tags: ['远方'],
        extensions: { 'other/tool': { depth: 4 } },
        unheard_of: ['kept'],
      },
      beside: 'kept too',
    },
    kept: /"other\/tool":\s*{\s*"depth":\s*4\s*}[^]*unheard_of|unheard_of[^]*"other\/tool":\s*{\s*"depth":\s*4\s*}/,
  },
  background: {
    make: (app, fields) => app.createBackground(fields),
    store: 'backgrounds',
    fields: { name: '雨城', world: '一座终年下雨的城市。', rules: '没有人记得晴天。', initial: '雨下了一夜。', outline: '找到信\n读完信' },
    foreign: {
      name: '异乡',
      world_setting: '另一个世界。',
      story_outline: [{ index: 1, content: '到达' }],
      unheard_of: ['kept'],
    },
    kept: /unheard_of/,
  },
};

/** As a JSON file; a character has other forms, too. */
const takenOut = (app, kind, name) =>
  kind === 'character' ? app.exportCharacter(name) : app.download(() => app.press(app.item(`${kind}-item`, name), `${kind}-export`));

for (const [kind, { make, store, fields, foreign, kept }] of Object.entries(LIBRARIES)) {
  const item = `${kind}-item`;
  const place = `${kind}s`;

  test(`a ${kind} is made, changed, copied, deleted and fetched back`, async (t) => {
    const app = await at.open(t);
    await make(app, fields);
    await app.press(app.item(item, fields.name), `${kind}-edit`);
    for (const [field, value] of Object.entries(fields)) {
      assert.equal(await app.id(`${kind}-${field.replaceAll('_', '-')}`).inputValue(), value, `${field} is as it was entered`);
    }
    await app.id(`${kind}-name`).fill('改名');
    await app.id(`${kind}-save`).click();
    await app.item(item, '改名').waitFor();
    assert.equal(await app.item(item, fields.name).count(), 0);

    await app.press(app.item(item, '改名'), `${kind}-duplicate`);
    await eventually(async () => assert.equal(await app.id(item).count(), 2));
    const [one, two] = await app.records(store);
    assert.notEqual(one.id, two.id);

    await app.press(app.id(item).first(), `${kind}-delete`);
    await eventually(async () => assert.equal(await app.id(item).count(), 1));
    await app.id('notice-undo').click();
    await eventually(async () => assert.equal(await app.id(item).count(), 2));
    await app.press(app.id(item).first(), `${kind}-delete`);
    await eventually(async () => assert.equal(await app.id(item).count(), 1));
    await app.reload();
    await app.go(place);
    await eventually(async () => assert.equal(await app.id(item).count(), 1));
  });

  test(`a ${kind} goes out as JSON and comes in again the same`, async (t) => {
    const app = await at.open(t);
    await make(app, fields);
    const { name, bytes } = await takenOut(app, kind, fields.name);
    assert.match(name, /\.json$/);
    const text = bytes.toString();
    JSON.parse(text);
    for (const value of Object.values(fields)) {
      for (const line of value.split('\n')) assert.ok(text.includes(line), `the file holds ${line}`);
    }
    const file = join(await scratch(t), name);
    await writeFile(file, bytes);
    const other = await at.open(t);
    await other.go(place);
    await other.upload(`${kind}-import`, file);
    await other.item(item, fields.name).waitFor();
    const again = await takenOut(other, kind, fields.name);
    // An id names the record in its own library.
    const told = (file) => ({ ...JSON.parse(file), background_id: null });
    assert.deepEqual(told(again.bytes), told(bytes));
  });

  test(`a foreign ${kind} keeps what this program does not know`, async (t) => {
    const app = await at.open(t);
    const file = join(await scratch(t), 'foreign.json');
    await writeFile(file, JSON.stringify(foreign));
    await app.go(place);
    await app.upload(`${kind}-import`, file);
    const name = foreign.name ?? foreign.data.name;
    await app.item(item, name).waitFor();
    await app.press(app.item(item, name), `${kind}-edit`);
    const description = app.id(kind === 'character' ? 'character-description' : 'background-world');
    await description.fill('改过了。');
    await app.id(`${kind}-save`).click();
    await app.item(item, name).waitFor();
    const { bytes } = await takenOut(app, kind, name);
    assert.match(bytes.toString(), kept);
    assert.ok(bytes.toString().includes('改过了。'));
  });

  test(`a ${kind} without a name is refused beside the form`, async (t) => {
    const app = await at.open(t);
    await app.go(place);
    await app.id(`${kind}-new`).click();
    await app.id(`${kind}-save`).click();
    await app.id(`${kind}-error`).waitFor();
    assert.deepEqual(await app.records(store), []);
  });
}

const definition = {
  spec: 'chara_card_v2',
  spec_version: '2.0',
  data: {
    name: '沈砚',
    extensions: {
      fabula: {
        version: 1,
        initial_profile: {
          growth_state: {
            beliefs: [{ content: '守信', formed_from: '一封没送到的信', timestamp: '2025-10-12T19:00:00Z' }, '慢一点'],
            behavioral_patterns: [],
            relationships: [{ entity: 'user', status: '陌生人', history: '初见' }],
          },
          current_state: { emotions: ['平静'], physical: { condition: '疲倦', timestamp: 't' }, immediate_goals: [] },
        },
      },
    },
  },
};

test('what was not touched in a list stays as it was', async (t) => {
  const app = await at.open(t);
  const file = join(await scratch(t), 'shen.json');
  await writeFile(file, JSON.stringify(definition));
  await app.go('characters');
  await app.upload('character-import', file);
  await app.press(app.item('character-item', '沈砚'), 'character-edit');
  await app.id('character-beliefs').waitFor({ state: 'attached' });
  for (const group of await app.page.locator('details > summary').all()) await group.click();
  assert.equal(await app.id('character-relationships').inputValue(), 'user：陌生人');
  await app.id('character-beliefs').fill('快一点\n守信\n不追问');
  await app.id('character-relationships').fill('user：朋友');
  await app.id('character-save').click();
  await app.item('character-item', '沈砚').waitFor();
  const before = definition.data.extensions.fabula.initial_profile;
  const [{ initial_profile: now }] = await app.records('characters');
  assert.deepEqual(now.growth_state.beliefs, ['快一点', before.growth_state.beliefs[0], '不追问']);
  assert.deepEqual(now.growth_state.relationships, [{ entity: 'user', status: '朋友', history: '初见' }]);
  assert.deepEqual(now.current_state, before.current_state);
});

test('leaving with unsaved changes asks, and nothing is lost by a slip', async (t) => {
  const app = await at.open(t);
  await app.createCharacter({ name: '林夕' });
  const edit = () => app.press(app.item('character-item', '林夕'), 'character-edit');
  await edit();
  await app.go('backgrounds');
  await app.id('background-new').waitFor();
  await app.go('characters');
  await edit();
  await app.id('character-description').fill('旧书店的店主。');
  await app.go('backgrounds');
  await app.id('leave-bar').waitFor();
  await app.page.keyboard.press('Escape');
  await app.id('leave-bar').waitFor({ state: 'hidden' });
  await app.page.goBack();
  await app.id('leave-stay').click();
  assert.equal(await app.id('character-description').inputValue(), '旧书店的店主。');
  await app.go('backgrounds');
  await app.id('leave-save').click();
  await app.id('background-new').waitFor();
  assert.equal((await app.records('characters'))[0].description, '旧书店的店主。');
  await app.go('characters');
  await edit();
  await app.id('character-description').fill('别的。');
  await app.go('characters');
  await app.id('leave-discard').click();
  await app.item('character-item', '林夕').waitFor();
  assert.equal((await app.records('characters'))[0].description, '旧书店的店主。');
});

test('files may be dropped on the page; those that are refused are named', async (t) => {
  const app = await at.open(t);
  await app.go('characters');
  await app.id('character-new').waitFor();
  const held = await app.page.evaluateHandle(() => {
    const transfer = new DataTransfer();
    transfer.items.add(new File(['{"name":"落下","description":"从天上。"}'], 'good.json'));
    transfer.items.add(new File(['{"name":"半'], 'half.json'));
    return transfer;
  });
  for (const event of ['dragover', 'drop']) await app.page.dispatchEvent('main', event, { dataTransfer: held });
  await app.item('character-item', '落下').waitFor();
  await app.id('import-error').waitFor();
  assert.match(await app.id('import-error').innerText(), /^half\.json：文件不完整/);
  assert.equal(await app.id('character-item').count(), 1);
});

test('a picture that is none is refused beside the control', async (t) => {
  const app = await at.open(t);
  await app.go('characters');
  await app.id('character-new').click();
  await app.id('character-name').fill('林夕');
  const give = (buffer) => app.id('character-avatar').setInputFiles({ name: 'face.png', mimeType: 'image/png', buffer });
  for (const buffer of [Buffer.from('<svg onload="hacked=1"/>'), Buffer.concat([PIXEL, Buffer.alloc(9 << 20)])]) {
    await give(buffer);
    await app.id('avatar-error').waitFor();
    await give(PIXEL);
    await app.id('avatar-error').waitFor({ state: 'hidden' });
  }
  await app.id('character-avatar-remove').click();
  await app.id('character-save').click();
  await app.item('character-item', '林夕').waitFor();
  assert.deepEqual(await app.records('blobs'), []);
});

test('a character has a face', async (t) => {
  const app = await at.open(t);
  const file = join(await scratch(t), 'face.png');
  await writeFile(file, PIXEL);
  await app.go('characters');
  await app.id('character-new').click();
  await app.id('character-name').fill('林夕');
  await app.upload('character-avatar', file);
  await app.id('character-save').click();
  const face = app.item('character-item', '林夕').locator('img');
  await eventually(async () => assert.equal(await face.evaluate((image) => image.complete && image.naturalWidth), 1));
  await app.reload();
  await app.go('characters');
  await eventually(async () => assert.equal(await face.evaluate((image) => image.complete && image.naturalWidth), 1));
});

test('a storyline has a title, a status and its turns; is copied, deleted and fetched back', async (t) => {
  const llm = await at.provider(t);
  const app = await at.open(t);
  await app.begin(llm, { character: { name: '林夕', first_mes: '门上的铃响了。' }, title: '雨夜' });
  await app.play('第一句');
  const item = (title) => app.item('storyline-item', title);
  await app.go('storylines');
  assert.match(await item('雨夜').getByTestId('storyline-turns').innerText(), /\b1\b/);

  await app.press(item('雨夜'), 'storyline-edit');
  await app.id('storyline-title').fill('晴天');
  await app.id('storyline-status').selectOption('paused');
  await app.id('storyline-save').click();
  await item('晴天').waitFor();
  await eventually(async () => assert.equal((await app.records('storylines'))[0].status, 'paused'));
  await app.reload();
  await app.go('storylines');
  await app.press(item('晴天'), 'storyline-edit');
  assert.equal(await app.id('storyline-title').inputValue(), '晴天');
  assert.equal(await app.id('storyline-status').inputValue(), 'paused');
  await app.page.keyboard.press('Escape');
  await item('晴天').waitFor();

  await app.press(item('晴天'), 'storyline-duplicate');
  await eventually(async () => assert.equal(await app.id('storyline-item').count(), 2));
  const turns = await app.records('turns');
  assert.equal(turns.length, 4, 'the copy has turns of its own');
  assert.equal(new Set(turns.map((turn) => turn.id)).size, 4);

  await app.press(app.id('storyline-item').first(), 'storyline-delete');
  await eventually(async () => assert.equal(await app.id('storyline-item').count(), 1));
  await app.id('notice-undo').click();
  await eventually(async () => assert.equal(await app.id('storyline-item').count(), 2));

  await app.openStory('晴天');
  llm.script('只在这一个里。');
  const number = await app.play('第二句');
  assert.equal(await app.replyText(number), '只在这一个里。');
  const counts = (await app.records('storylines')).map((storyline) => storyline.total_turns).sort();
  assert.deepEqual(counts, [1, 2], 'the copy and what it was copied from go their own ways');
});

test('two stories of one character are apart', async (t) => {
  const llm = await at.provider(t);
  const app = await at.open(t);
  await app.begin(llm, { character: { name: '林夕', first_mes: '门上的铃响了。' }, title: '其一' });
  llm.script('其一的回答。', '其二的回答。');
  await app.play('其一的问题');
  await llm.next();
  await app.createStoryline({ title: '其二', character: '林夕' });
  assert.equal(await app.lastTurn(), 0);
  await app.play('其二的问题');
  assert.ok(!(await llm.next()).text.includes('其一'), 'the model hears nothing of the other');
  await app.openStory('其一');
  await eventually(async () => assert.equal(await app.replyText(1), '其一的回答。'));
});
