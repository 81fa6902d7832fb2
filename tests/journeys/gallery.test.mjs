// Pictures that a person adds to a character: each is named for a feeling, and shown while the character feels it.

import assert from 'node:assert/strict';
import test from 'node:test';

import { stage } from '../support/browser.mjs';
import { unzip } from '../support/cards.mjs';
import { eventually } from '../support/page.mjs';
import { png } from '../support/pictures.mjs';

const at = stage();

const WORDS = {
  'zh-CN': { name: '阿达', hello: '船靠岸了。', joy: '喜悦', feels: '高兴极了', refused: /notes\.txt：.*图片/, removed: /去掉了“img_7”/, remove: '去掉“img_7”' },
  'en-GB': { name: 'Ada', hello: 'The ship lands.', joy: 'joy', feels: 'Delighted', refused: /notes\.txt: .*picture/, removed: /“img_7” is removed/, remove: 'Remove “img_7”' },
};

const file = (name, side) => ({ name, mimeType: 'image/png', buffer: png(side, side) });
const feels = (content) => `Go on.\n<state_update>${JSON.stringify({ current_state: { emotions: [content] } })}</state_update>`;

for (const [language, words] of Object.entries(WORDS)) {
  test(`a character is given expressions of one's own (${language})`, async (t) => {
    const llm = await at.provider(t);
    const app = await at.open(t, { language, viewport: { width: 1440, height: 900 } });
    await app.addConnection({ url: llm.base('openai') });
    await app.createCharacter({ name: words.name, first_mes: words.hello });
    const edit = async () => {
      await app.go('characters');
      await app.press(app.item('character-item', words.name), 'character-edit');
      await app.id('character-assets').locator('summary').click();
    };
    const pieces = app.id('character-asset');
    const drawn = (nth, side) => eventually(async () => assert.equal(await pieces.nth(nth).locator('img').evaluate((image) => image.naturalWidth), side));
    const names = () => app.id('character-asset-name').evaluateAll((all) => all.map((one) => one.value));
    const named = (expected) => eventually(async () => assert.deepEqual(await names(), expected));

    await edit();
    assert.equal(await pieces.count(), 0);
    await app.upload('character-asset-add', [file('neutral.png', 40), file('img_7.png', 60), { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('no picture') }]);
    await named(['img_7', 'neutral']);
    await drawn(0, 60);
    await drawn(1, 40);
    assert.match(await app.id('character-asset-error').innerText(), words.refused);

    // Away with it, and back where it was.
    await app.page.getByRole('button', { name: words.remove }).click();
    await named(['neutral']);
    await eventually(async () => assert.match(await app.id('notice').last().innerText(), words.removed));
    await app.id('notice-undo').last().click();
    await named(['img_7', 'neutral']);

    // It has a name, which stays.
    await app.id('character-asset-name').first().fill(words.joy);
    await app.id('character-asset-name').first().press('Enter');
    await eventually(async () => assert.equal((await app.records('characters'))[0].assets[0].name, words.joy));
    await app.reload();
    await app.id('character-assets').locator('summary').click();
    await named([words.joy, 'neutral']);
    await drawn(0, 60);

    await app.go('characters');
    const packed = unzip((await app.exportCharacter(words.name, 'charx')).bytes);
    const { assets } = JSON.parse(packed['card.json']).data;
    const listed = assets.filter(({ type }) => type === 'emotion').map(({ name, uri }) => [name, packed[uri.replace('embeded://', '')].length]);
    assert.deepEqual(listed.sort(), [[words.joy, png(60, 60).length], ['neutral', png(40, 40).length]].sort());

    // The face above a reply is the one of what is felt.
    await app.go('settings');
    await app.id('type-portraits').check();
    await app.createStoryline({ title: 'Faces', character: words.name, preset: 'persona' });
    const face = (turn, side) => eventually(async () => assert.equal(await app.turn(turn).root.locator('.turn-speaker img').evaluate((image) => image.naturalWidth), side));
    llm.script(feels('bored'), feels(words.feels));
    await app.play('The sun is out.');
    await face(1, 40);
    await app.play('And now it is dark.');
    await face(2, 60);
  });
}

test('pictures that are still being read when their page is left are kept, and the page goes on', async (t) => {
  const app = await at.open(t, { language: 'en-GB' });
  await app.createCharacter({ name: 'Ada', first_mes: 'The ship lands.' });
  await app.go('characters');
  await app.press(app.item('character-item', 'Ada'), 'character-edit');
  await app.id('character-assets').locator('summary').click();
  const many = Array.from({ length: 6 }, (_, nth) => file(`face_${nth}.png`, 1200 + nth));
  await app.upload('character-asset-add', many);
  await app.go('characters');
  await eventually(async () => assert.equal((await app.records('characters'))[0].assets?.length, many.length));
  await app.item('character-item', 'Ada').first().waitFor();
  await app.go('settings');
  await app.id('settings-max_total_tokens').waitFor();
});
