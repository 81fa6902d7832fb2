// Cards as other programs carry them: dropped on the page, played, and carried out again.

import assert from 'node:assert/strict';
import test from 'node:test';

import { stage } from '../support/browser.mjs';
import { carried, carry, unzip, zip } from '../support/cards.mjs';
import { eventually } from '../support/page.mjs';
import { png } from '../support/pictures.mjs';

const at = stage();

const WORDS = {
  'zh-CN': { name: '阿达', hello: '船靠岸了。', other: '雨停了。', key: '灯塔', lore: '灯塔已经熄了三年。', asks: '灯塔怎么了？', none: /图片里没有角色卡/, zip: /ZIP 里没有角色卡/, bomb: /大得不合常理/, size: /太大/, deep: /嵌套得太深/, picture: /30000 × 30000 像素/, remote: /1 个文件在网上/, joy: '喜', expression: '表情' },
  'en-GB': { name: 'Ada', hello: 'The ship lands.', other: 'The rain stops.', key: 'lighthouse', lore: 'The lighthouse has been dark for three years.', asks: 'What of the lighthouse?', none: /no character card in this picture/, zip: /no character card \(card\.json\) in this ZIP/, bomb: /out of all proportion/, size: /too large/, deep: /nested too deeply/, picture: /30000 × 30000 pixels/, remote: /not fetched: 1 file of/, joy: 'joy', expression: 'Expression' },
};

const cardOf = ({ name, hello, other, key, lore }) => ({
  spec: 'chara_card_v3',
  spec_version: '3.0',
  data: {
    name, description: 'd', personality: '', scenario: '', first_mes: hello, mes_example: '', creator_notes: '', system_prompt: '', post_history_instructions: '',
    alternate_greetings: [other], tags: ['a'], creator: 'c', character_version: '1', group_only_greetings: [], unheard: { of: [1, 2.5] },
    extensions: { depth_prompt: { prompt: '', depth: 4, role: 'system' }, of_others: { kept: true } },
    character_book: { name: 'Lore', extensions: {}, entries: [{ keys: [key], content: lore, extensions: {}, enabled: true, insertion_order: 1, use_regex: false }] },
  },
});

/** Drops files on the page, each a name and its bytes. */
const drop = async (app, files) => {
  await app.id('character-new').waitFor();
  const given = Object.entries(files).map(([name, bytes]) => [name, Buffer.from(bytes).toString('base64')]);
  const held = await app.page.evaluateHandle((given) => {
    const transfer = new DataTransfer();
    for (const [name, text] of given) transfer.items.add(new File([Uint8Array.from(atob(text), (char) => char.charCodeAt(0))], name));
    return transfer;
  }, given);
  for (const event of ['dragover', 'drop']) await app.page.dispatchEvent('main', event, { dataTransfer: held });
};

/** What `some` says stands in `all`. */
const within = (some, all, path = '') => {
  for (const [key, value] of Object.entries(some)) {
    if (value !== null && typeof value === 'object' && !Array.isArray(value)) within(value, all[key] ?? {}, `${path}.${key}`);
    else assert.deepEqual(all[key], value, `${path}.${key}`);
  }
};

for (const [language, words] of Object.entries(WORDS)) {
  test(`a picture with a card in it is played, and goes out again (${language})`, async (t) => {
    const llm = await at.provider(t, {});
    const app = await at.open(t, { language, viewport: { width: 1440, height: 900 } });
    await app.addConnection({ url: llm.base('openai') });
    const [card, face] = [cardOf(words), png(600, 900)];
    await app.go('characters');
    await drop(app, { 'whatever.png': carry(face, { chara: { ...card, spec: 'chara_card_v2', spec_version: '2.0' }, ccv3: card }) });
    await app.item('character-item', words.name).waitFor();

    // Two clicks to the story; its greetings are swipes, its book wakes.
    await app.id('storyline-new').click();
    await app.id('storyline-create').click();
    await app.id('composer-input').waitFor();
    await eventually(async () => assert.match(await app.id('turn').first().innerText(), new RegExp(words.hello)));
    await app.id('turn').first().hover();
    await app.id('swipe-next').first().click();
    await eventually(async () => assert.match(await app.id('turn').first().innerText(), new RegExp(words.other)));
    await app.play(words.asks);
    const told = llm.chat().at(-1).body.messages.map(({ content }) => content).join('\n');
    assert.ok(told.includes(words.lore), told);

    // What it brought is in each form that it leaves by.
    await app.go('characters');
    const { bytes } = await app.exportCharacter(words.name, 'png');
    const { chara, ccv3 } = carried(bytes);
    within(card, ccv3);
    within({ ...card, spec: 'chara_card_v2', spec_version: '2.0' }, chara);
    assert.deepEqual(bytes.subarray(0, face.length - 12), face.subarray(0, -12), 'the picture itself');
    within(card, JSON.parse((await app.exportCharacter(words.name, 'v3')).bytes));
    const packed = unzip((await app.exportCharacter(words.name, 'charx')).bytes);
    within(card, JSON.parse(packed['card.json']));
    assert.deepEqual(packed['assets/icon/images/main.png'], face);

    // One that has no picture is drawn.
    await app.createCharacter({ name: 'Wren' });
    await app.go('characters');
    const drawn = await app.exportCharacter('Wren', 'png');
    assert.equal(carried(drawn.bytes).ccv3.data.name, 'Wren');
    const size = await app.page.evaluate(async (text) => {
      const bitmap = await createImageBitmap(new Blob([Uint8Array.from(atob(text), (char) => char.charCodeAt(0))]));
      return [bitmap.width, bitmap.height];
    }, drawn.bytes.toString('base64'));
    assert.deepEqual(size, [400, 600]);
  });

  test(`a package brings its pictures, and what cannot be taken says why (${language})`, async (t) => {
    const app = await at.open(t, { language, viewport: { width: 1440, height: 900 } });
    const card = cardOf(words);
    const [face, joy] = [png(80, 80), png(60, 60)];
    card.data.assets = [
      { type: 'icon', name: 'main', uri: 'embeded://assets/icon/images/main.png', ext: 'png' },
      { type: 'emotion', name: words.joy, uri: 'embeded://assets/emotion/images/joy.png', ext: 'png' },
      { type: 'background', name: 'far', uri: 'https://nowhere.example/far.png', ext: 'png' },
    ];
    const files = { 'card.json': JSON.stringify(card), 'assets/icon/images/main.png': face, 'assets/emotion/images/joy.png': joy, 'module.risum': 'o\0' };
    await app.go('characters');
    await drop(app, { 'ada.charx': zip(files, { packed: true }) });
    await app.item('character-item', words.name).waitFor();
    assert.match(await app.id('notice').first().innerText(), words.remote);
    await app.press(app.item('character-item', words.name), 'character-edit');
    await app.id('character-assets').locator('summary').click();
    await eventually(async () => assert.equal(await app.id('character-asset').count(), 2));
    const piece = app.item('character-asset', words.joy);
    assert.match(await piece.innerText(), new RegExp(words.expression));
    await eventually(async () => assert.equal(await piece.locator('img').evaluate((image) => image.naturalWidth), 60));
    await app.go('characters');
    const packed = unzip((await app.exportCharacter(words.name, 'charx')).bytes);
    for (const [path, content] of Object.entries(files)) if (path !== 'card.json') assert.deepEqual(packed[path], Buffer.from(content), path);
    within(card, JSON.parse(packed['card.json']));

    // Nothing of these is stored, and each is named with its reason.
    const before = await app.library();
    const bomb = zip({ 'card.json': Buffer.alloc(40 << 20, ' ') }, { packed: true });
    const deep = carry(png(8, 8), { chara: Buffer.from(`{"name":"a","first_mes":${'['.repeat(10_000)}`).toString('base64') });
    for (const [bytes, why] of [[png(8, 8), words.none], [zip({ 'a.txt': 'x' }), words.zip], [bomb, words.bomb], [deep, words.deep]]) {
      await drop(app, { 'x.bin': bytes });
      await eventually(async () => assert.match(await app.id('import-error').innerText(), why));
    }
    await app.page.evaluate(() => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([new Uint8Array([0x50, 0x4b, 3, 4]), new Uint8Array(200 << 20)], 'large.charx'));
      for (const event of ['dragover', 'drop']) document.querySelector('main').dispatchEvent(new DragEvent(event, { dataTransfer: transfer, bubbles: true, cancelable: true }));
    });
    await eventually(async () => assert.match(await app.id('import-error').innerText(), words.size));
    assert.deepEqual(await app.library(), before);
    // A card whose picture nobody can draw comes in without it.
    await drop(app, { 'huge.png': carry(png(30_000, 30_000, Buffer.alloc(20)), { chara: { name: 'Huge', first_mes: 'Hi.' } }) });
    await app.item('character-item', 'Huge').waitFor();
    await eventually(async () => assert.match(await app.id('notice').last().innerText(), words.picture));
  });
}

test('many cards come in one after the other, can be stopped, and are known again', async (t) => {
  const app = await at.open(t, { language: 'en-GB', viewport: { width: 1440, height: 900 } });
  const face = png(400, 500);
  const files = Array.from({ length: 60 }, (_, index) => ({
    name: `card ${index}.png`,
    mimeType: 'image/png',
    buffer: carry(face, { chara: { spec: 'chara_card_v2', spec_version: '2.0', data: { name: `Card ${index}`, first_mes: 'Hi.' } } }),
  }));
  files[3] = { ...files[3], buffer: face };
  await app.go('characters');
  // Stopped in the moment in which the first of them is told: whoever asks from outside may come too late.
  const stopped = app.page.evaluate(() => new Promise((done, fail) => {
    const told = new MutationObserver(() => {
      const said = document.querySelector('[data-testid="import-progress"]')?.innerText ?? '';
      if (!/[1-9]\d* of 60/.test(said)) return;
      told.disconnect();
      document.querySelector('[data-testid="import-stop"]').click();
      done(said);
    });
    told.observe(document.body, { subtree: true, childList: true, characterData: true });
    setTimeout(() => fail(new Error('no progress is told')), 30_000);
  }));
  await app.upload('character-import', files);
  assert.match(await stopped, /\d+ of 60/);
  await app.id('import-progress').waitFor({ state: 'detached' });
  const some = await app.records('characters');
  assert.ok(some.length > 0 && some.length < 59, `${some.length}`);
  assert.ok(some.every(({ avatar }) => avatar), 'nothing half done');
  await eventually(async () => assert.equal(await app.id('character-item').count(), some.length));
  // Those that came stay, and do not come twice.
  await app.upload('character-import', files);
  await eventually(async () => assert.match(await app.id('notice').last().innerText(), new RegExp(`Imported: ${59 - some.length}\\..*There already: ${some.length}\\.`)));
  assert.equal((await app.records('characters')).length, 59);
  assert.match(await app.id('import-error').innerText(), /^card 3\.png: There is no character card/);
});

test('the face above a reply shows what the character feels by then', async (t) => {
  const llm = await at.provider(t, {});
  const app = await at.open(t, { viewport: { width: 1440, height: 900 } });
  await app.addConnection({ url: llm.base('openai') });
  const card = cardOf(WORDS['en-GB']);
  card.data.assets = [
    { type: 'icon', name: 'main', uri: 'embeded://assets/icon/images/main.png', ext: 'png' },
    { type: 'emotion', name: 'joy', uri: 'embeded://assets/emotion/images/joy.png', ext: 'png' },
    { type: 'emotion', name: 'fear', uri: 'embeded://assets/emotion/images/fear.png', ext: 'png' },
  ];
  const files = { icon: ['main', 80], emotion: ['joy', 60], fear: ['fear', 50] };
  const parts = Object.entries(files).map(([kind, [name, size]]) => [`assets/${kind === 'icon' ? kind : 'emotion'}/images/${name}.png`, png(size, size)]);
  await app.go('characters');
  await drop(app, { 'ada.charx': zip({ 'card.json': JSON.stringify(card), ...Object.fromEntries(parts) }, { packed: true }) });
  await app.item('character-item', 'Ada').waitFor();
  await app.go('settings');
  await app.id('type-portraits').check();
  await app.createStoryline({ title: 'Faces', character: 'Ada', preset: 'persona' });
  const feels = (content) => `Go on.\n<state_update>${JSON.stringify({ current_state: { emotions: { add: [{ content }] } } })}</state_update>`;
  const shows = (turn, size) =>
    eventually(async () => assert.equal(await app.turn(turn).root.locator('.turn-speaker img').evaluate((image) => image.naturalWidth), size));
  llm.script(feels('Delighted'), feels('害怕'), feels('bored'));
  await app.play('The sun is out.');
  await shows(1, 60);
  await app.play('And now it is dark.');
  await shows(2, 50);
  // What no picture is named for leaves the one before; each reply keeps its own.
  await app.play('We wait.');
  await shows(3, 50);
  await shows(1, 60);
  await shows(0, 80);
});
