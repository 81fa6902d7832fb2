// Who has given no name is “you” in the story and a third to the model, until they give one.

import assert from 'node:assert/strict';
import test from 'node:test';

import { stage } from '../support/browser.mjs';
import { eventually } from '../support/page.mjs';

const at = stage();

const WORDS = {
  'zh-CN': {
    character: { name: '林夕', description: '{{user}}十年前在这里借过一本书。', first_mes: '她看着{{user}}的伞。' },
    name: '小雨',
    greeting: '她看着你的伞。',
    told: ['你与读者合写', '读者十年前在这里借过一本书。', '用户就是“读者”'],
    later: ['你与小雨合写', '小雨十年前在这里借过一本书。'],
    nonsense: /你与你|和你一起|替你说话|你十年前/,
  },
  'en-US': {
    character: { name: 'Mira', description: "{{user}} once borrowed a book here; {{user}}'s card is still in it.", first_mes: "She looks at {{user}}'s umbrella." },
    name: 'Lin',
    greeting: 'She looks at your umbrella.',
    told: ['together with the reader', "The reader once borrowed a book here; the reader's card", 'The user is “the reader”'],
    later: ['together with Lin', "Lin once borrowed a book here; Lin's card"],
    nonsense: /You and You|with You|for You|You once|You's/,
  },
};

for (const [language, words] of Object.entries(WORDS)) {
  test(`a reader without a name (${language})`, async (t) => {
    const app = await at.open(t, { language, viewport: { width: 1440, height: 900 } });
    const llm = await at.provider(t);
    await app.begin(llm, { character: words.character });
    assert.equal(await app.replyText(0), words.greeting);
    const told = async (line, phrases) => {
      await app.play(line);
      const { text } = await llm.next();
      for (const phrase of phrases) assert.ok(text.includes(phrase), `${phrase} in ${text}`);
      assert.doesNotMatch(text, words.nonsense);
      return text;
    };
    await told('…', words.told);
    // In the book of prompts it is a block like any other.
    await app.id('tab-prompt').click();
    await eventually(async () => assert.equal(await app.page.locator('[data-block="reader"]').count(), 1));

    await app.id('tab-story').click();
    await app.id('story-user').fill(words.name);
    await app.id('story-user').blur();
    await eventually(async () => assert.equal((await app.records('storylines'))[0].user_name, words.name));
    const text = await told('……', words.later);
    assert.ok(!text.includes(words.told[2]), text);
  });
}
