// What a story costs: by turn, story and day, at prices that are said once; and budgets, which warn and then ask.

import assert from 'node:assert/strict';
import test from 'node:test';

import { NETWORK, stage } from '../support/browser.mjs';
import { eventually } from '../support/page.mjs';

const at = stage();

/** Dollars for a token. */
const PRICES = { 'story-large': { prompt: '0.000001', completion: '0.000002', input_cache_read: '0.0000001' } };
/** 200 fresh, 800 out of the cache and 50 answered: 0.00038 dollars. */
const USAGE = { prompt: 1000, completion: 50, cached: 800 };

const LANGUAGES = {
  'zh-CN': {
    kind: 'openai',
    turn: /回复\s+0\.00038.USD\s*问 1,000 · 答 50，其中缓存 800/,
    near: /这个故事已用 0\.00076.USD，预算是 0\.0009.USD/,
    up: /这个故事的预算用完了：已用 0\.00114.USD，预算 0\.0009.USD/,
    day: /今天的预算用完了/,
    waits: /预算用完了，这次调用在等着/,
    estimated: /≈ 问 [\d,]+ · 答 \d+/,
    listed: /来自服务的模型列表/,
    both: /要么都填，要么都不填/,
  },
  'en-GB': {
    kind: 'gemini',
    turn: /Replies\s+0\.00038.USD\s*in 1,000 · out 50, 800 of it cached/,
    near: /0\.00076.USD of this story’s budget of 0\.0009.USD is used/,
    up: /This story’s budget is used up: 0\.00114.USD of 0\.0009.USD/,
    day: /Today’s budget is used up/,
    waits: /budget is used up, and this call waits/,
    estimated: /≈ in [\d,]+ · out \d+/,
    listed: /From the provider’s model list/,
    both: /of both input and output/,
  },
};

const shows = (locator, pattern) => eventually(async () => assert.match(await locator.innerText(), pattern));
const gone = (locator) => eventually(async () => assert.equal(await locator.count(), 0));
const kind = (locator, name) => locator.and(locator.page().locator(`[data-kind="${name}"]`));

async function openCosts(app) {
  await app.id('tab-story').click();
  const costs = app.id('story-costs');
  await costs.waitFor();
  if ((await costs.getAttribute('open')) === null) await costs.locator('summary').click();
  return costs;
}

/** Types into a field, and leaves it. */
async function type(field, text) {
  await field.fill(text);
  await field.blur();
}

async function price(app, words, llm) {
  await app.go('settings');
  await app.id('connection-edit').click();
  await app.id('connection-prices').locator('summary').click();
  await app.id('connection-price-input').fill('1');
  await shows(app.id('connection-prices'), words.both);
  if (words.kind === 'openai') {
    // The list is the provider's own.
    await app.id('connection-fetch').click();
    await app.id('connection-prices-take').click();
    await shows(app.id('connection-prices-source'), words.listed);
    assert.equal(await app.id('connection-price-output').inputValue(), '2');
  } else {
    await app.id('connection-price-output').fill('2');
    await app.id('connection-price-cached').fill('0,1');
  }
  await app.id('connection-save').click();
  await eventually(async () => {
    const [{ prices }] = (await app.records('settings')).find(({ id }) => id === 'connections').list;
    const { currency, input, output, cached } = prices['story-large'];
    assert.deepEqual({ currency, input, output, cached }, { currency: 'USD', input: 1e6, output: 2e6, cached: 1e5 });
  });
}

for (const [language, words] of Object.entries(LANGUAGES)) {
  test(`what a story costs is kept, and its budget warns, then asks (${language})`, async (t) => {
    const llm = await at.provider(t, { prices: PRICES, plan: () => ({ text: '她点点头。', usage: USAGE }) });
    const app = await at.open(t, { language, viewport: { width: 1440, height: 900 }, allow: NETWORK });
    await app.begin(llm, { connection: { kind: words.kind }, character: { name: '林夕', first_mes: '门上的铃响了。' } });
    const unpriced = await app.play('你好。');
    await app.id('tab-prompt').click();
    await shows(app.id('turn-costs'), /1,000/);
    assert.doesNotMatch(await app.id('turn-costs').innerText(), /USD/, 'no price, no money');
    await price(app, words, llm);

    await app.openStory();
    const first = await app.play('我回来了。');
    assert.equal(first, unpriced + 1);
    await app.id('tab-prompt').click();
    await shows(app.id('turn-costs'), words.turn);
    const costs = await openCosts(app);
    await shows(costs, /0\.00038/);
    await type(app.id('story-budget'), '0.0009');
    await eventually(async () => assert.equal((await app.records('storylines'))[0].budget?.money?.nanos, 900_000));

    // A swipe is paid too; what it warns of, it warns of once.
    await app.turn(first).id('turn-regenerate').click();
    await shows(app.id('budget-near'), words.near);
    await shows(kind(app.id('story-cost'), 'chat'), /0\.00076/);
    await app.reload();
    await shows(kind((await openCosts(app)).getByTestId('story-cost'), 'chat'), /0\.00076/);
    await app.play('走吧。');

    await app.id('composer-input').fill('再走。');
    const asked = llm.chat().length;
    await app.id('composer-send').click();
    await shows(app.id('ask-budget'), words.up);
    await app.id('ask-budget-cancel').click();
    await gone(app.id('ask-budget'));
    assert.equal(await app.id('composer-input').inputValue(), '再走。');
    assert.equal(llm.chat().length, asked, 'nothing was sent');
    await app.id('composer-send').click();
    await app.id('ask-budget-once').click();
    await eventually(async () => assert.equal(await app.id('composer-input').inputValue(), ''));
    await eventually(() => assert.equal(llm.chat().length, asked + 1));
    await app.waitStatus(first + 2, 'done');

    await app.id('composer-input').fill('还走。');
    await app.id('composer-send').click();
    await app.id('ask-budget').waitFor();
    await app.id('ask-budget-amount').fill('0.001');
    assert.ok(await app.id('ask-budget-raise').isDisabled(), 'that is spent already');
    await app.id('ask-budget-amount').fill('5');
    await app.id('ask-budget-raise').click();
    await app.waitStatus(first + 3, 'done');
    await app.play('到了。');

    // The day has a budget of its own, for all stories.
    await app.go('settings');
    await app.id('day-budget-unit').selectOption('');
    await type(app.id('day-budget'), '10');
    await eventually(async () => {
      const preferences = (await app.records('settings')).find(({ id }) => id === 'preferences');
      assert.deepEqual(preferences.budget, { tokens: 10 });
    });
    await app.openStory();
    await app.id('composer-input').fill('天黑了。');
    await app.id('composer-send').click();
    await shows(app.id('ask-budget'), words.day);
    await app.page.keyboard.press('Escape');
    await gone(app.id('ask-budget'));
    assert.equal(await app.id('composer-input').inputValue(), '天黑了。');

    // With the story goes its name, and not what it has cost.
    await app.go('settings');
    const all = kind(app.id('cost'), 'all');
    await all.waitFor();
    const sum = await all.innerText();
    assert.match(sum, /7,000/);
    await shows(kind(app.id('cost'), 'story'), /雨夜/);
    await app.press(app.item('storyline-item', '雨夜'), 'storyline-delete');
    await app.go('settings');
    await app.id('bin-delete').click();
    await app.id('bin-delete-sure').click();
    await eventually(async () => assert.ok((await app.records('spending')).every((record) => !record.storyline)));
    await app.reload();
    await kind(app.id('cost'), 'gone').waitFor();
    assert.equal(await all.innerText(), sum);
    assert.deepEqual(app.unexpected(), []);
  });

  test(`what comes behind a turn waits for the budget, and what is not counted is estimated (${language})`, async (t) => {
    const llm = await at.provider(t, {});
    const app = await at.open(t, { language, viewport: { width: 390, height: 844 }, allow: NETWORK });
    await app.begin(llm, { character: { name: '林夕', first_mes: '门上的铃响了。' }, preset: 'persona' });
    const [story] = await app.records('storylines');
    await app.put('storylines', { ...story, modules: { ...story.modules, scribe: { enabled: true } }, budget: { tokens: 1 } });
    await app.reload();
    llm.on(() => ({ text: '{}' }));
    await app.id('composer-input').fill('我回来了。');
    await app.id('composer-send').click();
    // Nothing was spent yet: it goes on, and its scribe waits.
    await app.waitStatus(1, 'done');
    await shows(app.turn(1).id('turn-notices'), words.waits);
    assert.equal(llm.chat().length, 1);
    await app.turn(1).id('note-retry').click();
    await app.id('ask-budget-once').click();
    await gone(app.turn(1).id('turn-notices'));
    await eventually(() => assert.equal(llm.chat().length, 2));

    // A reply that breaks off was never counted.
    await app.id('composer-input').fill('等等。');
    llm.on(() => ({ text: '她停下来，看着窗外的雨。', dropAfter: 6 }));
    await app.id('composer-send').click();
    await app.id('ask-budget-once').click();
    await app.waitStatus(2, 'interrupted');
    await eventually(async () => {
      const lines = (await app.records('spending')).flatMap((record) => record.lines);
      assert.deepEqual(lines.map(({ kind, calls, estimated = 0 }) => [kind, calls, estimated]).sort(), [['chat', 2, 1], ['scribe', 1, 0]]);
    });
    await app.go('settings');
    await shows(kind(app.id('cost'), 'story'), words.estimated);
    const wide = await app.page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
    assert.equal(wide, false, 'nothing runs out of a narrow page');
    assert.deepEqual(app.unexpected(), []);
  });
}

test('what two tabs pay at once is all there', async (t) => {
  const llm = await at.provider(t, { plan: () => ({ text: '好。', usage: USAGE }) });
  const app = await at.open(t, { allow: NETWORK });
  await app.begin(llm, { character: { name: '林夕', first_mes: '门上的铃响了。' }, title: '一' });
  await app.createStoryline({ title: '二' });
  const other = await app.tab();
  await other.openStory('一');
  for (let turn = 0; turn < 3; turn += 1) await Promise.all([app.play('走'), other.play('走')]);
  await app.go('settings');
  await shows(kind(app.id('cost'), 'all'), /6,000/);
});

test('a price is that of the model it was typed for, and a budget says whose calls it does not count', async (t) => {
  const llm = await at.provider(t, { prices: PRICES, plan: () => ({ text: '好。', usage: USAGE }) });
  const app = await at.open(t, { language: 'en-GB', allow: NETWORK });
  await app.begin(llm, { character: { name: '林夕' } });
  // One on this machine costs nothing, and is not spoken of.
  await app.go('settings');
  await type(app.id('day-budget'), '5');
  await app.addConnection({ url: 'https://gate.example/v1', name: 'Gate', key: 'sk-gate-0123456789', model: 'one' });
  await app.go('settings');
  await shows(app.id('budget-not-counted'), /without a price in USD are not counted: Gate\.$/);
  await app.press(app.item('connection-item', 'Gate'), 'connection-edit');
  await app.id('connection-prices').locator('summary').click();
  const [input, output] = ['input', 'output'].map((name) => app.id(`connection-price-${name}`));
  await type(input, '1,500');
  await type(output, '2');
  // Another model has none; named again, the first one's typed and unsaved price is gone, not another's.
  await type(app.id('connection-model'), 'two');
  await eventually(async () => assert.equal(await input.inputValue(), ''));
  await type(input, '3');
  await type(output, '4');
  await type(app.id('connection-model'), 'one');
  await eventually(async () => assert.equal(await input.inputValue(), ''));
  await type(input, '1,500');
  await type(output, '2');
  await app.id('connection-save').click();
  await eventually(async () => {
    const { prices } = (await app.records('settings')).find(({ id }) => id === 'connections').list.find(({ name }) => name === 'Gate');
    assert.deepEqual(Object.entries(prices).map(([model, { input }]) => [model, input]), [['one', 1_500_000_000]]);
  });
  await app.id('budget-not-counted').waitFor({ state: 'detached' });
});
