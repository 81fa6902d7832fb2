// Regex scripts and quick replies: what a card brings asks first, what one writes is tried and kept, and files of SillyTavern
// come in and go out.

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'node:test';

import axe from 'axe-core';

import { scratch, stage } from '../support/browser.mjs';
import { eventually } from '../support/page.mjs';

const at = stage();

const HIDES = { id: 'a', scriptName: 'Hide the meter', findRegex: '/<hp>[\\s\\S]*?<\\/hp>\\s*/g', replaceString: '', placement: [2], markdownOnly: true, later: 1 };
const NAMES = { id: 'b', scriptName: 'Sword', findRegex: '/knife/g', replaceString: 'sword of {{char}}', placement: [1, 2] };

const json = (name, value) => ({ name, mimeType: 'application/json', buffer: Buffer.from(JSON.stringify(value)) });
const card = (scripts) =>
  json('ada.json', { spec: 'chara_card_v2', spec_version: '2.0', data: { name: 'Ada', description: 'A smith.', first_mes: 'Yes?', extensions: { regex_scripts: scripts } } });
const told = (llm) => JSON.stringify(llm.requests.at(-1).body.messages);
const is = (locate, expected) => eventually(async () => assert.equal(await locate(), expected));

const axed = async (app) => {
  await app.page.evaluate(axe.source);
  const found = await app.page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }));
  assert.deepEqual(found.violations.map(({ id, nodes }) => `${id}: ${nodes[0].target}`), []);
};

const ASKS = { 'zh-CN': /角色卡“Ada”带有 2 条正则脚本/, 'en-GB': /The card of “Ada” brings 2 regex scripts/ };

for (const [language, asks] of Object.entries(ASKS)) {
  test(`regexes of a card ask first, then reword what is read, and what is stored stays (${language})`, async (t) => {
    const llm = await at.provider(t, {});
    const app = await at.open(t, { language, viewport: { width: 1440, height: 900 } });
    await app.addConnection({ url: llm.base('openai') });
    await app.go('characters');
    await app.upload('character-import', card([HIDES, NAMES]));
    await app.item('character-item', 'Ada').waitFor();
    await app.createStoryline({ title: 'Tale', character: 'Ada' });
    llm.on(() => '<hp>3</hp>\nShe takes the knife.');
    await app.play('My knife!');
    assert.match(await app.id('scripts-consent').innerText(), asks);
    assert.match(await app.userText(1), /My knife!/);
    assert.match(await app.replyText(1), /She takes the knife/);

    await app.id('scripts-look').click();
    assert.match(await app.id('scripts-consent').innerText(), /Hide the meter[^]*<hp>/);
    await axed(app);
    await app.id('scripts-allow').click();
    await app.id('scripts-consent').waitFor({ state: 'detached' });
    await is(() => app.userText(1), 'My sword of Ada!');
    await is(() => app.replyText(1), 'She takes the sword of Ada.');

    // The model is told what is for it: the meter stays, the knife does not.
    llm.on(() => 'Again.');
    await app.play('Again.');
    assert.match(told(llm), /My sword of Ada!/);
    assert.match(told(llm), /<hp>3<\/hp>/);
    assert.doesNotMatch(told(llm), /knife/);
    const kept = await app.library();
    assert.ok(kept.turns.some((turn) => turn.user === 'My knife!'));
    assert.ok(kept.generations.some((reply) => reply.text === '<hp>3</hp>\nShe takes the knife.'));

    // Taken back in the story's settings, the words are as they were said; after a reload, too.
    await app.id('tab-story').click();
    await app.id('scripts-settings').locator('summary').click();
    await app.id('scripts-allowed').uncheck();
    await is(() => app.userText(1), 'My knife!');
    await eventually(async () => assert.ok((await app.records('settings')).some(({ scripts }) => scripts?.some(({ allowed }) => allowed === false))));
    await app.reload();
    await app.id('composer-input').waitFor();
    await is(() => app.userText(1), 'My knife!');
    await is(() => app.id('scripts-consent').count(), 0);
  });
}

test('a script is written, tried, switched, ordered, and carried out and in', async (t) => {
  const llm = await at.provider(t, {});
  const app = await at.open(t, { viewport: { width: 1440, height: 900 } });
  await app.begin(llm, { character: { name: 'Ada' }, title: 'Tale' });
  llm.on(() => 'It rains.');
  await app.play('Hello.');
  await app.go('tools');
  await app.id('scripts-new').click();
  const fill = async (name, text) => {
    await app.id(name).fill(text);
    await app.id(name).blur();
  };
  await fill('script-name', 'Weather');
  await fill('script-find', '/(?<=It )rains/');
  await eventually(async () => assert.match(await app.page.locator('#field-script-find-note').innerText(), /不能用/));
  await fill('script-find', '/rains(\\.)/g');
  await fill('script-replace', 'snows$1');
  await app.id('script-sample').fill('It rains. It rains.');
  await is(() => app.id('script-tried').innerText(), 'It snows. It snows.');
  await app.id('script-sample').fill('Sun.');
  await eventually(async () => assert.match(await app.id('script-tried').innerText(), /没有找到/));
  await fill('script-min', 'x');
  await eventually(async () => assert.match(await app.page.locator('#field-script-min-note').innerText(), /整数/));
  await fill('script-min', '');
  await axed(app);
  await app.openStory('Tale');
  await is(() => app.replyText(1), 'It snows.');

  // Another after it, moved before it: it reads first.
  await app.go('tools');
  await app.id('script-item').waitFor();
  await app.id('scripts-add').click();
  await is(() => app.id('script-item').count(), 2);
  await fill('script-find', '/It rains/');
  await fill('script-replace', 'The sun shines');
  await app.id('script-up').nth(1).click();
  await eventually(async () => assert.match(await app.id('script-item').first().innerText(), /It rains/));
  // One that is deleted by a slip comes back where it was.
  await app.id('script-remove').first().click();
  await is(() => app.id('script-item').count(), 1);
  await app.id('notice-undo').click();
  await is(() => app.id('script-item').count(), 2);
  await eventually(async () => assert.match(await app.id('script-item').first().innerText(), /It rains/));
  await app.openStory('Tale');
  await is(() => app.replyText(1), 'The sun shines.');
  await app.go('tools');
  await app.id('script-on').first().uncheck();
  await app.openStory('Tale');
  await is(() => app.replyText(1), 'It snows.');

  await app.go('tools');
  const { bytes } = await app.download(() => app.id('scripts-export').click());
  const out = JSON.parse(bytes);
  assert.deepEqual(out.map(({ findRegex, disabled }) => [findRegex, disabled]), [['/It rains/', true], ['/rains(\\.)/g', false]]);
  await app.id('scripts-delete').click();
  await is(() => app.id('scripts-set').count(), 0);
  await app.id('notice-undo').click();
  await is(() => app.id('script-item').count(), 2);

  // Files: several at once; what is none says why, and takes nothing.
  const before = await app.kept();
  await app.upload('tools-import', json('book.json', { entries: {} }));
  assert.match(await app.id('import-error').innerText(), /世界书/);
  assert.deepEqual(await app.kept(), before);
  await app.upload('tools-import', [json('one.json', HIDES), json('more.json', [NAMES, { ...NAMES, findRegex: '/(?=a)/' }])]);
  await is(() => app.id('scripts-set').count(), 3);
  await is(() => app.id('scripts-name').nth(1).inputValue(), 'Hide the meter');
  await eventually(async () => assert.match((await app.id('notice').allInnerTexts()).join(), /1 条脚本的正则表达式在这里不能用/));
  await is(() => app.id('script-fault').count(), 1);
  const again = JSON.parse((await app.download(() => app.id('scripts-export').nth(1).click())).bytes);
  const { later, markdownOnly, placement } = again[0];
  assert.deepEqual({ later, markdownOnly, placement }, { later: 1, markdownOnly: true, placement: [2] });
});

test('quick replies say, put and do; a set of SillyTavern goes out as it came', async (t) => {
  const llm = await at.provider(t, {});
  const app = await at.open(t, { language: 'en-GB', viewport: { width: 390, height: 844 } });
  await app.begin(llm, { character: { name: 'Ada' }, title: 'Tale' });
  const set = (name, more, replies) => ({
    version: 2, name, disableSend: false, placeBeforeInput: false, injectInput: false, color: 'rgba(0, 0, 0, 0)', onlyBorderColor: false,
    qrList: replies.map(([label, message], at) => ({ id: at + 1, label, title: '', message, isHidden: false, executeOnStartup: false })), idIndex: replies.length, ...more,
  });
  const says = set('Says', {}, [['Look', 'I look at {{char}}.'], ['Again', '/regenerate'], ['Sing', '/sing']]);
  const folder = await scratch(t);
  await writeFile(join(folder, 'says.json'), JSON.stringify(says));
  await app.go('tools');
  await app.upload('tools-import', join(folder, 'says.json'));
  await is(() => app.id('quick-set').count(), 1);
  await app.upload('tools-import', json('puts.json', set('Puts', { disableSend: true }, [['Bow', 'I bow.']])));
  await is(() => app.id('quick-set').count(), 2);
  await axed(app);
  assert.deepEqual(JSON.parse((await app.download(() => app.id('quick-export').first().click())).bytes), says);

  await app.openStory('Tale');
  let count = 0;
  llm.on(() => `Reply ${(count += 1)}.`);
  const press = (label) => app.item('quick-button', label).click();
  await app.id('composer-input').fill('mine');
  await press('Bow');
  await is(() => app.id('composer-input').inputValue(), 'mine I bow.');
  await press('Look');
  await is(() => app.replyText(1), 'Reply 1.');
  assert.equal(await app.userText(1), 'I look at Ada.');
  assert.equal(await app.id('composer-input').inputValue(), 'mine I bow.', 'the words of the reader stay');
  await press('Again');
  await is(() => app.replyText(1), 'Reply 2.');
  await press('Sing');
  await eventually(async () => assert.match((await app.id('notice').allInnerTexts()).join(), /no command \/sing/));
  await axed(app);

  // One more, by hand; then the set is off.
  await app.go('tools');
  await app.id('quick-add').first().click();
  await is(() => app.id('quick-reply-item').count(), 5);
  await app.id('quick-message').fill('I wait.');
  await app.id('quick-message').blur();
  await app.openStory('Tale');
  await press('I wait.');
  await is(() => app.userText(2), 'I wait.');
  await app.go('tools');
  await app.id('quick-enabled').first().uncheck();
  await app.openStory('Tale');
  await is(() => app.id('quick-button').count(), 1);
});

test('a file of scripts that is dropped on the page goes where it belongs', async (t) => {
  const app = await at.open(t, { viewport: { width: 1440, height: 900 } });
  await app.go('storylines');
  await app.upload('storyline-import', json('regex-hide.json', [HIDES]));
  await app.id('tools').waitFor();
  await is(() => app.id('script-item').count(), 1);
});
