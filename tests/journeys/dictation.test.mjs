// The reader's words are spoken: with a stand-in for the browser's ear, which no browser has here.

import assert from 'node:assert/strict';
import test from 'node:test';

import { stage } from '../support/browser.mjs';
import { eventually } from '../support/page.mjs';

const at = stage();

for (const [language, words] of Object.entries({
  'zh-CN': { tag: 'zh-CN', typed: '我推开门，', pieces: ['有', '有人吗？', '我听见雨声。'], none: /麦克风/, fault: /听写不了（network）/ },
  'en-GB': { tag: 'en', typed: 'I knock.', pieces: ['Is', 'Is anyone there?', ' I hear the rain.'], none: /microphone/, fault: /take dictation \(network\)/ },
})) {
  test(`what is spoken stands in the composer, after what was typed (${language})`, async (t) => {
    const llm = await at.provider(t);
    const app = await at.open(t, { language, ready: false });
    await app.page.addInitScript(() => {
      globalThis.ears = [];
      globalThis.SpeechRecognition = class {
        start() {
          globalThis.ears.push(this);
          this.state = 'on';
        }
        abort() {
          this.state = 'off';
        }
      };
    });
    await app.open();
    await app.begin(llm, { character: { name: 'Ada' } });
    const input = app.id('composer-input');
    const holds = (text) => eventually(async () => assert.equal(await input.inputValue(), text));
    const button = app.id('composer-dictate');
    const ear = (act, given) =>
      app.page.evaluate(([act, given]) => {
        const ear = globalThis.ears.at(-1);
        if (act === 'hear') ear.onresult({ results: given.map((transcript) => [{ transcript }]) });
        if (act === 'fail') ear.onerror({ error: given });
        if (act === 'end') ear.onend({});
        return { state: ear.state, lang: ear.lang, continuous: ear.continuous, interim: ear.interimResults };
      }, [act, given]);
    const [a, b, c] = words.pieces;
    const gap = language === 'zh-CN' ? '' : ' ';

    await input.fill(words.typed);
    await button.click();
    assert.equal(await button.getAttribute('aria-pressed'), 'true');
    // What was guessed at first is put right.
    await ear('hear', [a]);
    await holds(`${words.typed}${gap}${a}`);
    await ear('hear', [b]);
    await ear('hear', [b, c]);
    await holds(`${words.typed}${gap}${b}${c}`);
    assert.deepEqual(await ear('look'), { state: 'on', lang: words.tag, continuous: true, interim: true });
    await button.click();
    assert.equal((await ear('look')).state, 'off');
    assert.equal(await button.getAttribute('aria-pressed'), 'false');

    // Sent, it listens no more; what cannot be heard is said.
    await button.click();
    llm.script('Yes.');
    await app.id('composer-send').click();
    await app.waitStatus(1, 'done');
    assert.equal(await app.userText(1), `${words.typed}${gap}${b}${c}`);
    await eventually(async () => assert.equal((await ear('look')).state, 'off'));
    await button.click();
    await ear('fail', 'network');
    await eventually(async () => assert.match(await app.id('notice').last().innerText(), words.fault));
    assert.equal(await button.getAttribute('aria-pressed'), 'false');
    await button.click();
    await ear('fail', 'not-allowed');
    await eventually(async () => assert.match(await app.id('notice').last().innerText(), words.none));
    await button.click();
    await ear('fail', 'no-speech');
    await ear('end');
    await eventually(async () => assert.equal(await button.getAttribute('aria-pressed'), 'false'));
    await holds('');
  });
}

test('a browser without an ear has no button for it', async (t) => {
  const llm = await at.provider(t);
  const app = await at.open(t, { ready: false });
  await app.page.addInitScript(() => {
    delete globalThis.webkitSpeechRecognition;
    delete globalThis.SpeechRecognition;
  });
  await app.open();
  await app.begin(llm, { character: { name: 'Ada' } });
  await app.whole();
  assert.equal(await app.id('composer-dictate').count(), 0);
});
