// First minutes: providers by name, where their keys are made, and what runs on this machine.

import assert from 'node:assert/strict';
import test from 'node:test';

import { stage } from '../support/browser.mjs';
import { eventually } from '../support/page.mjs';

const at = stage();

const OLLAMA = 'http://localhost:11434/v1';
const known = (app) => app.id('connection-provider').evaluate((field) => field.selectedOptions[0].textContent);

for (const [language, names, words] of [
  ['zh-CN', { other: '其他地址', glm: '智谱（GLM）' }, { key: /到 open\.bigmodel\.cn 创建密钥/, none: /没有谁回答/ }],
  ['en-US', { other: 'Another address', glm: 'Zhipu (GLM)' }, { key: /Make a key at open\.bigmodel\.cn/, none: /Nothing answers/ }],
]) {
  test(`a provider is chosen by its name, and known by its address (${language})`, async (t) => {
    const app = await at.open(t, { language });
    await app.go('settings');
    assert.equal(await known(app), names.other);
    await app.id('connection-provider').selectOption({ label: names.glm });
    assert.equal(await app.id('connection-url').inputValue(), 'https://open.bigmodel.cn/api/paas/v4');
    assert.equal(await app.id('connection-kind').inputValue(), 'openai');
    const page = app.id('connection-key-page');
    assert.match(await page.innerText(), words.key);
    assert.deepEqual([await page.getAttribute('target'), await page.getAttribute('rel')], ['_blank', 'noopener noreferrer']);
    // Whatever is typed says whose it is.
    await app.id('connection-url').fill('https://api.deepseek.com/v1');
    await eventually(async () => assert.equal(await known(app), 'DeepSeek'));
    await app.id('connection-kind').selectOption('anthropic');
    await eventually(async () => assert.equal(await known(app), names.other));
    await app.id('connection-url').fill('');
    await eventually(async () => assert.match(await known(app), /Anthropic/));
    await app.id('connection-kind').selectOption('openai');
    await app.id('connection-url').fill('http://127.0.0.1:11434');
    await eventually(async () => assert.equal(await known(app), 'Ollama'));
    assert.equal(await app.id('connection-start-line').innerText(), `OLLAMA_ORIGINS=${new URL(app.page.url()).origin} ollama serve`);
  });

  test(`what runs on this machine is found and used with one click (${language})`, async (t) => {
    const app = await at.open(t, { language, allow: [/ERR_FAILED|ERR_CONNECTION/] });
    const llm = await at.provider(t, { anyModel: true });
    let isRunning = false;
    await app.page.context().route(/^http:\/\/localhost:(11434|1234|8080|5001)\//, async (route) => {
      const url = new URL(route.request().url());
      if (!isRunning || url.port !== '11434') return route.abort();
      if (url.pathname.endsWith('/models')) return route.fulfill({ json: { data: [{ id: 'qwen3:8b' }, { id: 'glm-4' }] }, headers: { 'access-control-allow-origin': '*' } });
      return route.continue({ url: `${llm.base('openai')}/chat/completions` });
    });
    await app.go('settings');
    await app.id('connection-find').click();
    await eventually(async () => assert.match(await app.id('connection-found-none').innerText(), words.none));
    assert.equal(await app.id('connection-start-line').count(), 4, 'each with the line that starts it');
    isRunning = true;
    await app.id('connection-find').click();
    await app.id('connection-found').waitFor();
    assert.match(await app.id('connection-found').innerText(), /Ollama.*2/s);
    await app.id('connection-found-take').click();
    assert.deepEqual([await app.id('connection-url').inputValue(), await app.id('connection-model').inputValue()], [OLLAMA, 'qwen3:8b']);
    assert.deepEqual(await app.id('connection-models').locator('option').evaluateAll((all) => all.map((one) => one.value)), ['qwen3:8b', 'glm-4']);
    await app.id('connection-save').click();
    await app.id('connection-item').first().waitFor();
    const [{ list }] = (await app.records('settings')).filter(({ id }) => id === 'connections');
    assert.deepEqual([list[0].url, list[0].model, list[0].kind], [OLLAMA, 'qwen3:8b', 'openai']);
  });
}
