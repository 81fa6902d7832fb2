// Settings that were typed and not saved: whoever leaves them is asked, and nothing is lost by a slip.

import assert from 'node:assert/strict';
import test from 'node:test';

import { stage } from '../support/browser.mjs';
import { eventually } from '../support/page.mjs';

const at = stage();

const WORDS = {
  'zh-CN': { asks: /有未保存的修改。\s*保存\s*放弃修改\s*继续编辑/, restored: /已恢复默认值。/ },
  'en-US': { asks: /There are unsaved changes\.\s*Save\s*Discard the changes\s*Stay here/, restored: /The defaults are back\./ },
};

const hash = (app) => app.page.evaluate(() => location.hash);
const isAt = (app, place) => eventually(async () => assert.equal(await hash(app), `#/${place}`));
const limits = async (app) => (await app.records('settings')).find((record) => record.id === 'config')?.limits;
const field = (app) => app.id('settings-max_total_tokens');
const bar = (app) => app.id('leave-bar');
/** Loads the page anew as the browser's button does, and stays where that is asked. */
async function reloads(app) {
  const asked = app.page.waitForEvent('dialog').then(async (dialog) => {
    await dialog.dismiss();
    return dialog.type();
  });
  const [type] = await Promise.all([asked, app.page.evaluate(() => setTimeout(() => location.reload()))]);
  return type;
}

for (const [language, words] of Object.entries(WORDS)) {
  test(`${language}: limits that are not saved ask before they go`, async (t) => {
    const app = await at.open(t, { language });
    await app.go('settings');
    const default_ = await field(app).inputValue();
    await app.go('characters');
    await isAt(app, 'characters');

    await app.go('settings');
    await field(app).fill('54321');
    await app.go('characters');
    assert.match(await bar(app).innerText(), words.asks);
    await app.id('leave-stay').click();
    assert.deepEqual([await hash(app), await field(app).inputValue()], ['#/settings', '54321']);
    await app.page.evaluate(() => (location.hash = '#/presets'));
    await bar(app).waitFor();
    await isAt(app, 'settings');
    await app.page.keyboard.press('Escape');
    await bar(app).waitFor({ state: 'detached' });
    assert.equal(await reloads(app), 'beforeunload');
    assert.equal(await field(app).inputValue(), '54321');

    await app.go('characters');
    await app.id('leave-discard').click();
    await isAt(app, 'characters');
    await app.go('settings');
    assert.equal(await field(app).inputValue(), default_);

    await field(app).fill('5');
    await app.go('characters');
    await app.id('leave-save').click();
    await bar(app).waitFor({ state: 'detached' });
    assert.ok(await field(app).evaluate((element) => element === document.activeElement), 'what is refused has the focus');
    await field(app).fill('54321');
    await app.go('characters');
    await app.id('leave-save').click();
    await isAt(app, 'characters');
    assert.equal((await limits(app)).max_total_tokens, 54321);

    await app.go('settings');
    await app.id('settings-conversation_load_all').uncheck();
    await app.go('characters');
    await app.id('leave-discard').click();
    await isAt(app, 'characters');
  });

  test(`${language}: restored defaults can be taken back`, async (t) => {
    const app = await at.open(t, { language });
    await app.go('settings');
    await field(app).fill('54321');
    await app.id('settings-save').click();
    await eventually(async () => assert.equal((await limits(app)).max_total_tokens, 54321));
    await app.id('settings-summary_last_n_turns').fill('9');
    await app.id('settings-reset').click();
    await eventually(async () => assert.equal((await limits(app)).max_total_tokens, 100000));
    assert.equal(await field(app).inputValue(), '100000');
    assert.match(await app.id('notice').last().innerText(), words.restored);
    await app.id('notice-undo').click();
    await eventually(async () => assert.equal((await limits(app)).max_total_tokens, 54321));
    assert.equal(await field(app).inputValue(), '54321');
    assert.equal(await app.id('settings-summary_last_n_turns').inputValue(), '9', 'what was typed is back as well');
  });
}

test('a connection that is not saved asks before it goes', async (t) => {
  const llm = await at.provider(t);
  const app = await at.open(t);
  const url = llm.base('openai');
  // An empty form is nothing to lose; a key is.
  await app.go('settings');
  await app.go('characters');
  await isAt(app, 'characters');
  await app.go('settings');
  await app.id('connection-key').fill('sk-typed');
  await app.go('characters');
  await bar(app).waitFor();
  await app.id('leave-discard').click();
  await isAt(app, 'characters');
  await app.addConnection({ url, name: 'Eins' });
  await app.addConnection({ url, name: 'Zwei' });

  // Another form in its place asks as well.
  await app.press(app.item('connection-item', 'Eins'), 'connection-edit');
  await app.id('connection-model').fill('story-small');
  await app.press(app.item('connection-item', 'Zwei'), 'connection-edit');
  await bar(app).waitFor();
  await app.id('leave-stay').click();
  assert.equal(await app.id('connection-name').inputValue(), 'Eins');
  await app.press(app.item('connection-item', 'Zwei'), 'connection-edit');
  await app.id('leave-save').click();
  await eventually(async () => assert.equal(await app.id('connection-name').inputValue(), 'Zwei'));
  const models = async () => {
    const { list } = (await app.records('settings')).find((record) => record.id === 'connections');
    return list.map((connection) => connection.model);
  };
  assert.deepEqual(await models(), ['story-small', 'story-large']);
  await app.id('connection-temperature').fill('0.5');
  await app.id('connection-new').click();
  await app.id('leave-discard').click();
  await eventually(async () => assert.equal(await app.id('connection-name').inputValue(), ''));
  assert.equal(await bar(app).count(), 0);

  // What is refused keeps the reader here, at what is wrong.
  await app.id('connection-url').fill('ftp://x');
  await app.go('characters');
  await app.id('leave-save').click();
  await bar(app).waitFor({ state: 'detached' });
  assert.deepEqual([await hash(app), await app.id('connection-url').getAttribute('aria-invalid')], ['#/settings', 'true']);
  await app.id('connection-cancel').click();
  await app.go('characters');
  await isAt(app, 'characters');
});

test('a new connection that is being typed stays when the last old one goes', async (t) => {
  const llm = await at.provider(t);
  const app = await at.open(t);
  await app.addConnection({ url: llm.base('openai'), name: 'Eins' });
  await app.id('connection-new').click();
  await app.id('connection-name').fill('Zwei');
  await app.id('connection-key').fill('sk-typed');
  await app.press(app.item('connection-item', 'Eins'), 'connection-delete');
  await app.item('connection-item', 'Eins').waitFor({ state: 'detached' });
  assert.deepEqual([await app.id('connection-name').inputValue(), await app.id('connection-key').inputValue()], ['Zwei', 'sk-typed']);
});

test('a reply that is being reworded asks before it is left', async (t) => {
  const llm = await at.provider(t);
  const app = await at.open(t);
  await app.begin(llm, {});
  llm.script('门开了。');
  const turn = app.turn(await app.play('我敲门。'));
  const edit = async (text) => {
    await turn.id('turn-edit').click();
    await app.id('turn-edit-input').fill(text);
  };
  // What was not touched is nothing to lose.
  await edit('门开了。');
  await app.page.keyboard.press('Escape');
  await app.id('turn-edit-input').waitFor({ state: 'detached' });
  await edit('门开了一条缝。');
  await app.page.keyboard.press('Escape');
  await bar(app).waitFor();
  await app.id('leave-stay').click();
  await app.go('characters');
  await bar(app).waitFor();
  assert.equal(await app.id('turn-edit-input').inputValue(), '门开了一条缝。');
  assert.equal(await reloads(app), 'beforeunload');
  await app.id('leave-save').click();
  await eventually(async () => assert.equal(await turn.reply.innerText(), '门开了一条缝。'));
  await edit('别的。');
  await app.go('characters');
  await app.id('leave-discard').click();
  await isAt(app, 'characters');
  await app.openStory();
  await eventually(async () => assert.equal(await turn.reply.innerText(), '门开了一条缝。'));
});

test('what is typed in the settings of a story is saved when its page goes, or asks', async (t) => {
  const llm = await at.provider(t);
  const app = await at.open(t, { viewport: { width: 1440, height: 900 } });
  await app.begin(llm, { character: { name: '林夕', first_mes: '门上的铃响了。' } });
  const story = async () => (await app.records('storylines'))[0];
  if (!(await app.id('tab-story').isVisible())) await app.id('notebook-open').click();
  await app.id('tab-story').click();
  await app.id('story-title').fill('雾夜');
  await app.page.evaluate(() => (location.hash = '#/characters'));
  await isAt(app, 'characters');
  await eventually(async () => assert.equal((await story()).title, '雾夜'));

  await app.openStory('雾夜');
  await app.id('tab-story').click();
  await app.id('note-text').fill('今夜有雾。');
  assert.equal(await reloads(app), 'beforeunload');
  await eventually(async () => assert.equal((await story()).author_note.text, '今夜有雾。'));
  await app.reload();
  await app.id('tab-story').click();
  assert.equal(await app.id('note-text').inputValue(), '今夜有雾。');
});

for (const language of Object.keys(WORDS)) {
  test(`${language}: what is typed in the notebook waits for its form`, async (t) => {
    const llm = await at.provider(t, {});
    const app = await at.open(t, { language, viewport: { width: 1440, height: 900 } });
    await app.begin(llm, { character: { name: '林夕', first_mes: '门上的铃响了。' }, preset: 'living' });
    const holds = (field, value) => eventually(async () => assert.equal(await app.id(field).inputValue(), value));

    await app.id('tab-world').click();
    await app.id('world-add').click();
    await app.id('world-key').fill('gold');
    await app.id('world-input').fill('ten');
    await app.id('tab-memory').click();
    await app.id('tab-world').click();
    await app.id('world-add').click();
    await holds('world-key', 'gold');
    await holds('world-input', 'ten');
    await app.id('world-save').click();
    const entry = app.page.locator('[data-testid="world-entry"][data-key="gold"]');
    await entry.waitFor();
    await app.id('world-add').click();
    await holds('world-key', '');
    await app.page.keyboard.press('Escape');

    // A reply that changes the same entry takes nothing from whoever words it.
    await app.press(entry, 'world-edit');
    await app.id('world-input').fill('a hundred');
    llm.on(() => 'Well.\n<changes>\nworld gold: five\n</changes>');
    await app.play('?');
    await eventually(async () => assert.match(JSON.stringify(await app.records('states')), /five/));
    await holds('world-input', 'a hundred');
    await app.id('world-save').click();
    await eventually(async () => assert.match(await entry.innerText(), /a hundred/));

    // A text stands open again; the page asks before it is loaded anew, and not when it is given up.
    await app.id('tab-persona').click();
    await app.id('evolved-edit').click();
    await app.id('evolved-input').fill('她不再怕海。');
    await app.id('tab-memory').click();
    await app.id('tab-persona').click();
    await holds('evolved-input', '她不再怕海。');
    assert.equal(await reloads(app), 'beforeunload');
    await app.id('evolved-save').click();
    await eventually(async () => assert.match(await app.id('persona-item').first().innerText(), /她不再怕海/));
    await app.id('tab-memory').click();
    await app.id('tab-persona').click();
    await app.id('evolved-edit').waitFor();
  });
}
