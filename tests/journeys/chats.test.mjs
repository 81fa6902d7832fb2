// Conversations of other programs: dropped on the page, played on, and carried out again; a branch as a book.

import assert from 'node:assert/strict';
import test from 'node:test';

import { stage } from '../support/browser.mjs';
import { carry, unzip } from '../support/cards.mjs';
import { eventually } from '../support/page.mjs';
import { png } from '../support/pictures.mjs';

const at = stage();

const WORDS = {
  'zh-CN': { ada: '阿达', reader: '米拉', hello: '船靠岸了。', other: '雨停了。', asks: '灯亮着吗？', yes: '一直亮着。', on: '我们走。', note: '雨。', skipped: /1 行不是消息/, hidden: /1 条消息在原来的程序里/, none: /不是 Fabula 认识的文件/, here: '已在' },
  'en-GB': { ada: 'Ada', reader: 'Mira', hello: 'The ship lands.', other: 'The rain stops.', asks: 'Is the lamp lit?', yes: 'It always is.', on: 'Let us go.', note: 'Rain.', skipped: /no messages: 1 line/, hidden: /Hidden from the model in their own program: 1 message\./, none: /not a file that Fabula knows/ },
};

const chatOf = ({ ada, reader, hello, other, asks, yes, note }) => [
  { user_name: reader, character_name: ada, create_date: '2023-6-19 @14h 20m 30s 123ms', chat_metadata: { note_prompt: note, note_depth: 2, note_interval: 1, variables: { x: 1 } } },
  { name: ada, is_user: false, is_system: false, send_date: 'June 19, 2023 2:20pm', mes: other, extra: {}, swipe_id: 1, swipes: [hello, other], swipe_info: [{ extra: { model: 'old' } }, { extra: {} }] },
  { name: reader, is_user: true, is_system: false, send_date: '2023-06-19T14:21:00.000Z', mes: asks, extra: { bias: 'x' }, force_avatar: 'u.png' },
  { name: ada, is_user: false, is_system: true, send_date: '2023-06-19T14:21:30.000Z', mes: yes, extra: { api: 'openai', model: 'm', unheard: [1] } },
];

const jsonl = (lines) => lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n');

/** Drops a file on the page, once that is the one of the stories: another may take it for itself. */
const drop = async (app, name, bytes) => {
  await app.page.locator('[data-testid="nav-storylines"][aria-current="page"]').waitFor({ state: 'attached' });
  const held = await app.page.evaluateHandle(([name, text]) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([Uint8Array.from(atob(text), (char) => char.charCodeAt(0))], name));
    return transfer;
  }, [name, Buffer.from(bytes).toString('base64')]);
  for (const event of ['dragover', 'drop']) await app.page.dispatchEvent('main', event, { dataTransfer: held });
};

for (const [language, words] of Object.entries(WORDS)) {
  test(`a chat of another program is played on and goes out again (${language})`, async (t) => {
    const llm = await at.provider(t, {});
    const app = await at.open(t, { language, viewport: { width: 1440, height: 900 } });
    await app.addConnection({ url: llm.base('openai') });
    await app.createCharacter({ name: words.ada, first_mes: words.hello, description: 'A keeper of lights.' });
    const lines = chatOf(words);
    await app.go('storylines');
    await drop(app, `${words.ada} - 2023.jsonl`, jsonl([...lines, '{"half":']));
    await app.id('import-summary').waitFor();
    const summary = await app.id('import-summary').innerText();
    assert.match(summary, words.skipped);
    assert.match(summary, words.hidden);
    await app.id('import-merge').click();
    await app.id('composer-input').waitFor();
    await eventually(async () => assert.match(await app.turn(1).root.innerText(), new RegExp(words.yes)));
    assert.match(await app.turn(0).root.innerText(), new RegExp(words.other));
    assert.deepEqual(await app.swipes(0), [2, 2]);
    const [story] = await app.records('storylines');
    const characters = await app.records('characters');
    assert.deepEqual([story.cast, story.user_name, characters.length], [[characters[0].id], words.reader, 1], 'the library’s own');
    assert.deepEqual([story.author_note.text, story.author_note.depth], [words.note, 2]);

    // It goes on where it was, and the model is told what was said.
    await app.play(words.on);
    const told = llm.chat().at(-1).body.messages.map(({ content }) => content).join('\n');
    for (const said of [words.other, words.asks, words.yes, words.note, 'A keeper of lights.']) assert.ok(told.includes(said), said);
    assert.ok(!told.includes(words.hello));

    await app.id('tab-tree').click();
    const chat = await app.download(() => app.id('branch-chat').click());
    assert.match(chat.name, /\.jsonl$/);
    const out = chat.bytes.toString().trim().split('\n').map((line) => JSON.parse(line));
    assert.equal(out.length, lines.length + 2);
    lines.forEach((line, index) => {
      for (const [field, value] of Object.entries(line)) assert.deepEqual(out[index][field], value, `${index} ${field}`);
    });
    assert.deepEqual([out[4].is_user, out[4].mes, out[5].name], [true, words.on, words.ada]);
    const text = (await app.download(() => app.id('branch-markdown').click())).bytes.toString();
    assert.ok(text.includes(words.yes) && text.includes(`**${words.reader}`));
    const page = (await app.download(() => app.id('branch-html').click())).bytes.toString();
    assert.ok(page.includes(`<p>${words.yes}</p>`));
    const book = unzip((await app.download(() => app.id('branch-epub').click())).bytes);
    assert.equal(book.mimetype.toString(), 'application/epub+zip');
    assert.ok(book['chapter1.xhtml'].toString().includes(words.yes));
    const sound = await app.page.evaluate((texts) => texts.every((text) => !new DOMParser().parseFromString(text, 'application/xhtml+xml').querySelector('parsererror')), Object.entries(book).filter(([path]) => /\.(xhtml|opf|xml)$/.test(path)).map(([, text]) => text.toString()));
    assert.ok(sound, 'each part of the book is sound XML');

    // The same file is known; what went out comes in elsewhere, whole.
    const before = await app.records('storylines');
    await app.go('storylines');
    await drop(app, 'again.jsonl', jsonl(lines));
    await app.id('import-summary').waitFor();
    await app.page.keyboard.press('Escape');
    assert.equal((await app.records('storylines')).length, before.length);
    const elsewhere = await at.open(t, { language });
    await elsewhere.upload('storyline-import', { name: 'out.jsonl', mimeType: 'application/jsonl', buffer: chat.bytes });
    await elsewhere.id('import-merge').click();
    await eventually(async () => assert.match(await elsewhere.turn(1).root.innerText(), new RegExp(words.yes)));
    assert.deepEqual((await elsewhere.records('characters')).map(({ name }) => name), [words.ada]);
  });

  test(`a file that is no story goes where it belongs, and what is nothing says so (${language})`, async (t) => {
    const app = await at.open(t, { language, viewport: { width: 1440, height: 900 } });
    const card = { spec: 'chara_card_v2', spec_version: '2.0', data: { name: words.ada, first_mes: words.hello } };
    await app.go('storylines');
    await drop(app, 'card.png', carry(png(30, 40), { chara: card }));
    await app.item('character-item', words.ada).waitFor();
    await app.upload('storyline-import', { name: 'book.json', mimeType: 'application/json', buffer: Buffer.from(JSON.stringify({ name: 'Lore', entries: { 0: { uid: 0, key: ['a'], content: 'b' } } })) });
    await app.item('lorebook-item', 'Lore').waitFor();
    await app.go('storylines');
    // Where the shelf is closed, what is asked is seen all the same.
    await app.page.setViewportSize({ width: 700, height: 900 });
    await app.page.keyboard.press('Escape');
    await app.id('nav-storylines').waitFor({ state: 'hidden' });
    await drop(app, 'chat.jsonl', jsonl(chatOf(words)));
    await app.id('import-summary').waitFor();
    await app.id('import-cancel').click();
    await app.page.setViewportSize({ width: 1440, height: 900 });
    const before = await app.library();
    await drop(app, 'notes.txt', 'Buy milk.\nAnd bread.');
    await eventually(async () => assert.match(await app.id('import-error').innerText(), words.none));
    assert.deepEqual(await app.library(), before);
  });
}

test('a chat of 5,000 messages with swipes comes in and opens', async (t) => {
  const app = await at.open(t, { language: 'en-GB', viewport: { width: 1440, height: 900 } });
  const lines = [{ user_name: 'Mira', character_name: 'Ada', chat_metadata: {} }];
  for (let index = 0; index < 5_000; index += 1) {
    const is_user = index % 2 === 1;
    const mes = `Message ${index}. ${'The rain falls on the quay and the lamp is lit. '.repeat(6)}`;
    const line = { name: is_user ? 'Mira' : 'Ada', is_user, is_system: false, send_date: new Date(1.7e12 + index * 6e4).toISOString(), mes, extra: {} };
    if (!is_user) Object.assign(line, { swipe_id: 0, swipes: [mes, `Another ${index}.`, `A third ${index}.`] });
    lines.push(line);
  }
  await app.upload('storyline-import', { name: 'long.jsonl', mimeType: 'application/jsonl', buffer: Buffer.from(jsonl(lines)) });
  const began = Date.now();
  await app.id('import-merge').click();
  await eventually(async () => assert.match(await app.turn(2_499).root.innerText(), /Message 4998/));
  t.diagnostic(`written and open after ${Date.now() - began} ms`);
  await app.reload();
  await eventually(async () => assert.match(await app.turn(2_499).root.innerText(), /Message 4998/));
  t.diagnostic(`opened in ${await app.page.evaluate(() => Math.round(performance.now()))} ms`);
  // It opens with a screen of them; then a page of them stands there, each once, and one is still at its end.
  const numbers = () => app.id('turn').evaluateAll((all) => all.map((turn) => Number(turn.dataset.turn)));
  await eventually(async () => assert.deepEqual(await numbers(), Array.from({ length: 20 }, (_, at) => 2_481 + at)));
  assert.equal(await app.id('to-end').count(), 0);
  const [shown, last] = await Promise.all([app.id('history').boundingBox(), app.turn(2_500).root.boundingBox()]);
  assert.ok(Math.abs(last.y + last.height - shown.y - shown.height) < 60, `${last.y + last.height} of ${shown.y + shown.height}`);
  assert.equal((await app.records('turns')).length, 2_501);
});

test('the prompt of the newest turn is shown while one reads far above it', async (t) => {
  const llm = await at.provider(t);
  const app = await at.open(t, { language: 'en-GB', viewport: { width: 1440, height: 900 } });
  await app.begin(llm, { character: { name: 'Ada', first_mes: 'Hello.' } });
  const lines = [{ user_name: 'Mira', character_name: 'Ada', chat_metadata: {} }];
  for (let index = 0; index < 400; index += 1) {
    const is_user = index % 2 === 1;
    const mes = `Message ${index}. ${'The rain falls on the quay and the lamp is lit. '.repeat(6)}`;
    lines.push({ name: is_user ? 'Mira' : 'Ada', is_user, is_system: false, send_date: new Date(1.7e12 + index * 6e4).toISOString(), mes, extra: {} });
  }
  await app.upload('storyline-import', { name: 'long.jsonl', mimeType: 'application/jsonl', buffer: Buffer.from(jsonl(lines)) });
  await app.id('import-merge').click();
  await eventually(async () => assert.match(await app.turn(199).root.innerText(), /Message 398/));
  llm.script('The lamp goes out.');
  const turn = await app.play('I blow on it.');
  await app.id('tab-prompt').click();
  const total = await app.id('prompt-total').innerText();
  await app.id('history').evaluate((history) => (history.scrollTop = 0));
  await eventually(async () => assert.match(await app.turn(1).root.innerText(), /Message 2/));
  assert.equal(await app.turn(turn).root.count(), 0, 'the newest turn is not on the page');
  assert.equal(await app.id('prompt-total').innerText(), total);
});
