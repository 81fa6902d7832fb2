// A story is played, in three protocols, and in spite of everything that a provider can do.

import assert from 'node:assert/strict';
import test from 'node:test';

import { unpack } from '../support/archive.mjs';
import { NETWORK, stage } from '../support/browser.mjs';
import { eventually } from '../support/page.mjs';

const at = stage();

const CHARACTER = {
  name: '林夕',
  description: '旧书店的店主，记得每一本书的来历。',
  personality: '安静，敏锐。',
  first_mes: '门上的铃响了。「随便看。」',
};
const BACKGROUND = { name: '雨城', world: '一座终年下雨的城市。', rules: '没有人记得晴天。' };
const STORY = '她合上书，抬起头来。雨声忽然远了，灯影在墙上慢慢移动。「你也听见了吗？」她问。';

/** What each kind of provider is sent, in one shape. */
const SENT = {
  openai: {
    path: () => '/v1/chat/completions',
    headers: ['authorization', 'content-type'],
    key: ({ headers }) => headers.authorization,
    secret: (key) => `Bearer ${key}`,
    streams: ({ body }) => body.stream === true,
    model: ({ body }) => body.model,
    system: ({ body }) => texts(body.messages.filter((message) => message.role === 'system')),
    said: ({ body }) => body.messages.filter((m) => m.role !== 'system').map((m) => [m.role, m.content]),
  },
  anthropic: {
    path: () => '/v1/messages',
    headers: ['anthropic-dangerous-direct-browser-access', 'anthropic-version', 'content-type', 'x-api-key'],
    key: ({ headers }) => headers['x-api-key'],
    secret: (key) => key,
    streams: ({ body }) => body.stream === true && body.max_tokens > 0,
    model: ({ body }) => body.model,
    system: ({ body }) => flat(body.system),
    said: ({ body }) => body.messages.map((m) => [m.role, flat(m.content)]),
  },
  gemini: {
    path: (model) => `/v1beta/models/${model}:streamGenerateContent`,
    headers: ['content-type', 'x-goog-api-key'],
    key: ({ headers }) => headers['x-goog-api-key'],
    secret: (key) => key,
    streams: ({ url }) => new URL(url, 'http://x').searchParams.get('alt') === 'sse',
    model: ({ path }) => /models\/([^:]+):/.exec(path)[1],
    system: ({ body }) => flat((body.systemInstruction ?? body.system_instruction).parts),
    said: ({ body }) => body.contents.map((c) => [c.role === 'model' ? 'assistant' : c.role, flat(c.parts)]),
  },
};
const texts = (messages) => messages.map((message) => flat(message.content)).join('\n');
const flat = (content) => (Array.isArray(content) ? content.map((part) => part.text).join('') : content);

for (const [kind, sent] of Object.entries(SENT)) {
  test(`${kind}: from nothing to a streamed reply, with the exact request`, async (t) => {
    const key = `sk-${kind}-1`;
    const llm = await at.provider(t, { key, cors: 'static' });
    const app = await at.open(t);
    await app.begin(llm, { connection: { kind, key }, character: CHARACTER, background: BACKGROUND });
    assert.match(await app.replyText(0), /门上的铃响了/);

    // A1: when the request arrives, the reader's words are in the store already.
    let stored;
    llm.on(async () => {
      stored = (await app.records('turns')).map((turn) => turn.user);
      return { text: STORY, reasoning: '她在等一个答案。', holdAfter: 12 };
    });
    const first = await app.send('雨什么时候停？');
    const request = await llm.next();
    const partial = await app.replyGrows(first);
    assert.ok(STORY.startsWith(partial) && partial.length < STORY.length, 'shown while it streams');
    assert.deepEqual(stored, [null, '雨什么时候停？']);
    llm.release();
    await app.waitStatus(first, 'done');
    assert.equal(await app.replyText(first), STORY);
    assert.match(await app.turn(first).id('turn-reasoning').textContent(), /她在等一个答案。/);

    assert.equal(request.path, sent.path('story-large'));
    assert.equal(sent.key(request), sent.secret(key));
    assert.ok(!request.url.includes(key), 'no key in an address');
    assert.ok(sent.streams(request), 'asks for a stream');
    assert.equal(sent.model(request), 'story-large');
    const asked = llm.preflights.findLast((preflight) => preflight.path === request.path).headers;
    assert.deepEqual([...asked].sort(), sent.headers, 'no header but those needed');
    assert.equal(request.headers['content-type'], 'application/json');
    assert.equal(Number(request.headers['content-length']), Buffer.byteLength(request.text), 'a body of known length');
    for (const told of [CHARACTER.description, CHARACTER.personality, BACKGROUND.world, BACKGROUND.rules]) {
      assert.ok(sent.system(request).includes(told), `the model is told: ${told}`);
    }
    assert.ok(!('temperature' in request.body) && !('temperature' in (request.body.generationConfig ?? {})));

    llm.on(() => '雨从来不停。');
    const second = await app.play('那就等吧。');
    assert.equal(await app.replyText(second), '雨从来不停。');
    const said = sent.said(await llm.next());
    const line = (text) => said.findIndex(([, content]) => content.includes(text));
    const order = [line('门上的铃响了'), line('雨什么时候停？'), line(STORY), line('那就等吧。')];
    assert.deepEqual(order, [...order].sort((a, b) => a - b), 'the story in its order');
    assert.deepEqual(order.map((place) => said[place]?.[0]), ['assistant', 'user', 'assistant', 'user']);
    assert.ok(!JSON.stringify(said).includes('她在等一个答案'), 'thoughts are not sent back');
  });
}

test('the test button says what is wrong', async (t) => {
  const llm = await at.provider(t, { key: 'right' });
  const app = await at.open(t, { allow: NETWORK });
  const tried = async (fields, kind) => {
    for (const [field, value] of Object.entries(fields)) await app.id(`connection-${field}`).fill(value);
    await app.id('connection-test').click();
    const status = app.page.locator(`[data-testid="connection-status"][data-kind="${kind}"]`);
    await status.waitFor();
    return status.innerText();
  };
  await app.addConnection({ url: llm.base('openai'), key: 'right' });
  await app.id('connection-save').waitFor({ state: 'hidden' });
  await app.press(app.id('connection-item'), 'connection-edit');
  await tried({ key: 'right' }, 'ok');
  assert.deepEqual(await app.id('connection-models').locator('option').evaluateAll((all) => all.map((option) => option.value)), [
    'story-large',
    'story-small',
  ]);
  assert.match(await tried({ key: 'wrong' }, 'wrong_key'), /密钥/);
  assert.match(await tried({ key: 'right', model: 'no-such' }, 'unknown_model'), /no-such/);
  assert.notEqual(await tried({ model: 'story-large', url: `${llm.origin}/nowhere` }, 'not_found'), '');
  llm.set({ cors: 'none' });
  const opaque = await tried({ url: llm.base('openai') }, 'cors_refused');
  assert.match(opaque, /CORS|跨域|不允许/, 'it says that the page is not let in');
  await llm.close();
  assert.match(await tried({}, 'local_unreachable'), /没有|未|无法/);
});

test('words leave the composer when they are stored, and not before', async (t) => {
  const llm = await at.provider(t);
  const app = await at.open(t);
  await app.begin(llm, { character: CHARACTER });
  const composer = app.id('composer-input');
  const turns = await app.lastTurn();

  await t.test('what the disk does not take stays where it was typed', async () => {
    await app.page.evaluate(() => {
      const real = IDBDatabase.prototype.transaction;
      IDBDatabase.prototype.transaction = function (stores, mode, ...rest) {
        if (mode === 'readwrite' && [...stores].includes('turns')) {
          IDBDatabase.prototype.transaction = real;
          throw new DOMException('no room', 'QuotaExceededError');
        }
        return real.call(this, stores, mode, ...rest);
      };
    });
    await composer.fill('这句话写不下');
    await composer.press('Enter');
    await app.id('notice').first().waitFor();
    assert.equal(await composer.inputValue(), '这句话写不下');
    assert.equal(await app.lastTurn(), turns);
    assert.equal(llm.chat().length, 0, 'nothing was asked');
  });

  await t.test('what is typed after them stays', async () => {
    llm.script('好。');
    await composer.press('Enter');
    await app.page.keyboard.type('and then');
    await app.waitStatus(turns + 1, 'done');
    assert.equal(await app.turn(turns + 1).id('turn-user').innerText(), '这句话写不下');
    assert.equal(await composer.inputValue(), 'and then');
  });
});

test('what is typed and not sent stays with its story', async (t) => {
  const llm = await at.provider(t);
  const app = await at.open(t);
  await app.begin(llm, { character: CHARACTER, title: '雨夜' });
  const composer = app.id('composer-input');
  const holds = (words) => eventually(async () => assert.equal(await composer.inputValue(), words));
  const unsent = async (app) =>
    (await app.records('settings')).filter(({ id }) => id.startsWith('unsent:')).map(({ text }) => text);
  const left = () =>
    app.page.evaluate(() => Object.entries(localStorage).filter(([name]) => name.startsWith('fabula.left.')).map(([, text]) => text));

  await t.test('over the settings and back, and each story its own', async () => {
    await composer.fill('雨还没停，');
    await app.go('settings');
    await app.openStory('雨夜');
    await holds('雨还没停，');
    await app.createStoryline({ title: '晴天' });
    await holds('');
    await composer.fill('The sun is out.');
    await app.openStory('雨夜');
    await holds('雨还没停，');
    await app.openStory('晴天');
    await holds('The sun is out.');
  });

  await t.test('over a reload that comes at once', async () => {
    await app.openStory('雨夜');
    await holds('雨还没停，');
    await composer.focus();
    await app.page.keyboard.press('End');
    await app.page.keyboard.type('灯还亮着');
    await app.reload();
    await holds('雨还没停，灯还亮着');
  });

  await t.test('over the end of a page whose database has taken nothing', async () => {
    await app.hold('settings');
    await composer.press('End');
    await app.page.keyboard.type('呢？');
    await eventually(async () => assert.match((await left()).join(), /呢？/));
    await app.reload();
    await holds('雨还没停，灯还亮着呢？');
    await composer.press('End');
    for (let nth = 0; nth < 2; nth += 1) await composer.press('Backspace');
    await eventually(async () => assert.deepEqual(await left(), [], 'it stands there until it is stored'));
  });

  await t.test('with what is typed before it has been read, also where the page goes then', async () => {
    const away = async () => {
      await app.go('settings');
      await composer.waitFor({ state: 'hidden' });
      await eventually(async () => assert.ok((await unsent(app)).includes('雨还没停，灯还亮着')));
    };
    await away();
    await app.hold('settings');
    await app.openStory('雨夜');
    await composer.fill('呢');
    await app.reload();
    await holds('雨还没停，灯还亮着呢');
    await composer.press('End');
    await composer.press('Backspace');
    await away();
    const release = await app.hold('settings');
    await app.openStory('雨夜');
    await composer.fill('呢');
    await release();
    await holds('雨还没停，灯还亮着呢');
  });

  await t.test('over the death of the tab, a moment after the last letter', async () => {
    await composer.press('End');
    await app.page.keyboard.type('。');
    await eventually(async () => assert.ok((await unsent(app)).includes('雨还没停，灯还亮着呢。')), 5_000);
    const { page } = await app.tab();
    await app.page.close({ runBeforeUnload: false });
    app.page = page;
    // It may have come while the other still wrote.
    await app.takeOver();
    const holds = '雨还没停，灯还亮着呢。';
    await eventually(async () => assert.equal(await app.id('composer-input').inputValue(), holds, 'the next tab that writes has it'));
  });

  await t.test('until it is sent; what comes after it stays', async () => {
    const composer = app.id('composer-input');
    llm.script({ text: STORY, holdAfter: 6 });
    await composer.press('Enter');
    await app.replyGrows(1, 6);
    assert.ok(!(await unsent(app)).some((text) => text.startsWith('雨还没停')), 'stored as a turn, and no more as unsent');
    await composer.fill('然后呢');
    llm.release();
    await app.waitStatus(1, 'done');
    await app.reload();
    await eventually(async () => assert.equal(await app.id('composer-input').inputValue(), '然后呢'));
    await app.id('composer-input').fill('');
    await eventually(async () => assert.deepEqual(await unsent(app), ['The sun is out.'], 'nothing is no draft'));
    await app.id('composer-input').fill('秘密的草稿');
  });

  await t.test('it is in no file', async () => {
    await app.go('storylines');
    const story = await app.download(() => app.press(app.item('storyline-item', '雨夜'), 'storyline-export'));
    await app.go('settings');
    const backup = await app.download(() => app.id('backup-export').click());
    for (const { bytes } of [story, backup]) assert.ok(!Object.values(unpack(bytes)).flat().join('\n').includes('秘密的草稿'));
  });

  await t.test('and it goes with its story', async () => {
    await app.go('storylines');
    await app.press(app.item('storyline-item', '雨夜'), 'storyline-delete');
    await app.go('settings');
    assert.equal((await unsent(app)).length, 2, 'in the bin it waits with it');
    const texts = (await app.records('settings')).filter(({ id }) => id.startsWith('unsent:'));
    await app.page.evaluate((texts) => {
      for (const text of texts) localStorage.setItem(`fabula.left.${text.id}`, JSON.stringify(text));
    }, texts);
    await app.press(app.item('bin-item', '雨夜'), 'bin-delete');
    await app.id('bin-delete-sure').click();
    await eventually(async () => assert.deepEqual(await unsent(app), ['The sun is out.']));
    await eventually(async () => assert.match((await left()).join('|'), /^[^|]*The sun is out[^|]*$/, 'nor does a page leave it'));
  });
});

test('of two tabs the one that writes keeps the words, and hands them on', async (t) => {
  const llm = await at.provider(t);
  const first = await at.open(t, { language: 'en-US' });
  await first.begin(llm, { character: CHARACTER });
  await first.id('composer-input').fill('I open the door');
  const second = await first.tab();
  await second.id('composer-takeover').click();
  await eventually(async () => assert.equal(await second.id('composer-input').inputValue(), 'I open the door'));
  await second.id('composer-input').fill('I leave it shut.');
  await first.id('composer-takeover').click();
  await eventually(async () => assert.equal(await first.id('composer-input').inputValue(), 'I leave it shut.'));
});

test('stopped, continued, regenerated, edited', async (t) => {
  const llm = await at.provider(t);
  const app = await at.open(t);
  await app.begin(llm, { character: CHARACTER });

  await t.test('stop keeps what came, and ends the request; continue goes on from there', async () => {
    llm.script({ text: STORY, stallAfter: 8 });
    const number = await app.send('停一下');
    await app.replyGrows(number, 4);
    await app.id('composer-stop').click();
    await app.waitStatus(number, 'interrupted');
    const kept = await app.replyText(number);
    assert.ok(kept.length >= 4 && STORY.startsWith(kept));
    const request = await llm.next();
    await request.closed;
    assert.equal(request.aborted, true, 'the provider is not left writing');

    llm.script('然后，她笑了。');
    await app.turn(number).id('turn-continue').click();
    await app.waitStatus(number, 'done');
    assert.equal(await app.replyText(number), `${kept}然后，她笑了。`);
    assert.ok((await llm.next()).text.includes(kept), 'the model is told where it was');
    assert.equal(await app.lastTurn(), number, 'no new turn');
  });

  await t.test('Escape stops too', async () => {
    llm.script({ text: STORY, stallAfter: 6 });
    const number = await app.send('再停一下');
    await app.replyGrows(number, 6);
    await app.page.keyboard.press('Escape');
    await app.waitStatus(number, 'interrupted');
    await llm.next();
  });

  await t.test('regenerate makes a second reply; the first stays a swipe away', async () => {
    llm.script('第一种说法。', '第二种说法。');
    const number = await app.play('怎么说？');
    assert.deepEqual(await app.swipes(number), [1, 1]);
    await app.turn(number).id('turn-regenerate').click();
    await eventually(async () => assert.deepEqual(await app.swipes(number), [2, 2]));
    await app.waitStatus(number, 'done');
    assert.equal(await app.replyText(number), '第二种说法。');
    await llm.next();
    assert.ok(!(await llm.next()).text.includes('第一种说法'), 'the model does not see what it is to replace');

    await app.turn(number).id('swipe-prev').click();
    await eventually(async () => assert.deepEqual(await app.swipes(number), [1, 2]));
    assert.equal(await app.replyText(number), '第一种说法。');
    await app.turn(number).id('swipe-next').click();
    await eventually(async () => assert.equal(await app.replyText(number), '第二种说法。'));
    await app.turn(number).id('swipe-prev').click();
    await eventually(async () => assert.equal(await app.replyText(number), '第一种说法。'));

    llm.script('接着说。');
    await app.play('接着呢？');
    const next = await llm.next();
    assert.ok(next.text.includes('第一种说法') && !next.text.includes('第二种说法'), 'the reply that is seen counts');
  });

  await t.test("the reader's words and the model's can be edited", async () => {
    llm.script('原来的回答。', '新的回答。');
    const number = await app.play('原来的问题');
    const turn = app.turn(number);
    await turn.id('turn-edit').click();
    await app.id('turn-edit-input').fill('改过的回答。');
    await app.id('turn-edit-save').click();
    await eventually(async () => assert.equal(await app.replyText(number), '改过的回答。'));
    await turn.id('turn-edit').click();
    await app.id('turn-edit-input').fill('不要的回答');
    await app.id('turn-edit-cancel').click();
    await eventually(async () => assert.equal(await app.replyText(number), '改过的回答。'));
    await turn.id('turn-edit-user').click();
    await app.id('turn-edit-input').fill('改过的问题');
    await app.id('turn-edit-save').click();
    await eventually(async () => assert.equal(await app.userText(number), '改过的问题'));

    await llm.next();
    await app.play('下一句');
    const { text } = await llm.next();
    assert.ok(text.includes('改过的问题') && text.includes('改过的回答'), 'the model reads the new words');
    assert.ok(!text.includes('原来的'), 'and not the old');
  });

  await t.test('all of it is there after a reload', async () => {
    const story = (await app.story()).slice(-3);
    await app.reload();
    await eventually(async () => assert.deepEqual((await app.story()).slice(-3), story));
  });
});

test('a provider at its worst', async (t) => {
  const llm = await at.provider(t);
  const app = await at.open(t, { allow: NETWORK });
  await app.begin(llm, { character: CHARACTER, connection: { timeout: 10 } });

  /** Plays one turn to the given end; the reader's words must survive every one of them. */
  const suffers = (name, plan, status, check = () => {}) =>
    t.test(name, async () => {
      const line = `说一句：${name}`;
      llm.script(plan);
      const number = await app.send(line);
      if (plan.holdAfter) {
        await app.replyGrows(number, plan.holdAfter);
        llm.release();
      }
      await app.waitStatus(number, status);
      assert.equal(await app.userText(number), line);
      await check({ number, shown: await app.turn(number).root.innerText() });
      assert.equal(await app.id('composer-input').isEnabled(), true, 'the story can go on');
    });
  const keeps = (text) => async ({ number }) => assert.equal(await app.replyText(number), text);

  await suffers('an error', { status: 500, errorMessage: 'the model is on fire' }, 'error', async ({ number, shown }) => {
    assert.match(shown, /\(系统错误[:：].*the model is on fire.*\)/s);
    llm.script('好了。');
    await app.turn(number).id('turn-retry').click();
    await app.waitStatus(number, 'done');
    assert.equal(await app.replyText(number), '好了。');
  });
  await suffers('an error without CORS headers', { status: 500, cors: false }, 'error', ({ shown }) =>
    assert.match(shown, /\(系统错误[:：].{4,}\)/s),
  );
  await suffers('an empty reply', { empty: true }, 'empty', ({ shown }) => assert.ok(shown.includes('(无回复)')));
  await suffers('too many requests', { status: 429, retryAfter: 17, errorMessage: 'slow down' }, 'error', ({ shown }) => {
    assert.match(shown, /slow down/);
    assert.match(shown, /17\s*秒/);
  });
  await suffers('a web page instead of an answer', { html: true }, 'error', ({ shown }) => {
    assert.match(shown, /\(系统错误[:：]/);
    assert.doesNotMatch(shown, /<html|<!doctype/i);
  });
  await suffers('a dropped connection', { text: STORY, holdAfter: 8, dropAfter: 8 }, 'interrupted', async ({ number }) => {
    const kept = await app.replyText(number);
    assert.equal(kept, STORY.slice(0, 8));
    llm.script(STORY.slice(8));
    await app.turn(number).id('turn-continue').click();
    await app.waitStatus(number, 'done');
    assert.equal(await app.replyText(number), STORY);
  });
  await suffers('a stall', { text: STORY, stallAfter: 8 }, 'interrupted', keeps(STORY.slice(0, 8)));
  await suffers('a stall before the first byte', { text: STORY, hold: true }, 'interrupted');
  await suffers(
    'an error amid the reply',
    { text: STORY, errorAmid: 8, errorMessage: 'Overloaded' },
    'error',
    async ({ number, shown }) => {
      assert.equal(await app.replyText(number), STORY.slice(0, 8));
      assert.match(shown, /Overloaded/);
    },
  );
  await suffers('a lie about its type', { text: STORY, contentType: 'application/json' }, 'done', keeps(STORY));
  await suffers('another lie', { text: STORY, contentType: 'text/html' }, 'done', keeps(STORY));
  await suffers('no end mark', { text: STORY, noDone: true }, 'done', keeps(STORY));
  await suffers('all at once', { text: STORY, atOnce: true }, 'done', keeps(STORY));
  for (const n of [1, 2, 3, 5, 7, 64]) await suffers(`cuts every ${n} bytes`, { text: STORY, cutEvery: n }, 'done', keeps(STORY));

  await t.test('and nothing of it is lost by a reload', async () => {
    const story = (await app.story()).slice(-3);
    await app.reload();
    await eventually(async () => assert.deepEqual((await app.story()).slice(-3), story));
  });
});

for (const style of ['reasoning_content', 'reasoning', 'think']) {
  test(`thoughts sent as ${style} stand apart from the reply`, async (t) => {
    const llm = await at.provider(t);
    const app = await at.open(t);
    await app.begin(llm, { character: CHARACTER });
    llm.script({ text: STORY, reasoning: '想一想再说。', reasoningStyle: style });
    const number = await app.play('你在想什么？');
    assert.equal(await app.replyText(number), STORY);
    assert.match(await app.turn(number).id('turn-reasoning').textContent(), /想一想再说。/);
    const generation = (await app.records('generations')).at(-1);
    assert.deepEqual([generation.text, generation.reasoning], [STORY, '想一想再说。']);
  });
}

test('several connections: sampling goes with each, and the first error names its own', async (t) => {
  const [one, two] = [await at.provider(t), await at.provider(t)];
  const app = await at.open(t);
  await app.addConnection({ url: one.base('openai'), name: 'One', temperature: 0.5 });
  await app.addConnection({ url: two.base('anthropic'), kind: 'anthropic', name: 'Two', key: 'k' });
  assert.equal(await app.id('connection-item').count(), 2);
  await app.createCharacter(CHARACTER);
  await app.createStoryline();
  await app.play('谁在说话？');
  assert.equal((await one.next()).body.temperature, 0.5);
  assert.equal(two.chat().length, 0, 'the other hears nothing');
});

test('whoever goes up by a line while a reply comes that does not grow is left there', async (t) => {
  const llm = await at.provider(t);
  const app = await at.open(t, { viewport: { width: 1440, height: 900 } });
  await app.begin(llm, { character: { name: '林夕', first_mes: '门上的铃响了。' } });
  llm.script('雨一直下。'.repeat(400), { pieces: ['好。', ...Array(400).fill(' ')], rate: 40 });
  await app.play('慢慢说。');
  const turn = await app.send('再说。');
  await app.replyGrows(turn);
  const history = app.id('history');
  const top = () => history.evaluate((history) => history.scrollTop);
  const end = await top();
  await history.focus();
  await app.page.keyboard.press('ArrowUp');
  await eventually(async () => assert.ok((await top()) < end - 20));
  const length = async () => (await app.records('generations')).find(({ text }) => text.startsWith('好。'))?.text.length ?? 0;
  const before = await length();
  // Several pieces of it, of which nothing is seen.
  await eventually(async () => assert.ok((await length()) > before + 40));
  assert.ok((await top()) < end - 20, `${await top()} of ${end}`);
  await app.id('composer-stop').click();
});
