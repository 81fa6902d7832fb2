// First minutes: providers by name, where their keys are made, and what runs on this machine.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
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

for (const [language, words] of [
  ['zh-CN', { refused: /密钥|登录|不对|拒绝/ }],
  ['en-US', { refused: /key|code|refus/i }],
]) {
  test(`a key by OpenRouter's log-in, without copying one (${language})`, async (t) => {
    const app = await at.open(t, { language, allow: [/status of 403/] });
    const secrets = new Map();
    let refuses = true;
    const headers = { 'access-control-allow-origin': '*', 'access-control-allow-headers': '*' };
    const asked = [];
    await app.page.context().route(/^https:\/\/openrouter\.ai\//, async (route) => {
      const request = route.request();
      const url = new URL(request.url());
      if (request.method() === 'OPTIONS') return route.fulfill({ status: 204, headers });
      if (url.pathname === '/auth') {
        assert.equal(url.searchParams.get('code_challenge_method'), 'S256');
        const code = `code-${secrets.size + 1}`;
        secrets.set(code, url.searchParams.get('code_challenge'));
        const back = `${url.searchParams.get('callback_url')}?code=${code}`;
        return route.fulfill({ contentType: 'text/html', body: `<a id="yes" href="${back}">Authorize</a>` });
      }
      if (url.pathname === '/api/v1/auth/keys') {
        const { code, code_verifier: verifier, code_challenge_method: method } = request.postDataJSON();
        assert.equal(method, 'S256');
        assert.equal(createHash('sha256').update(verifier).digest('base64url'), secrets.get(code), 'the secret is that of the challenge');
        if (refuses) return route.fulfill({ status: 403, headers, json: { error: { message: 'Invalid code or code_verifier', code: 403 } } });
        return route.fulfill({ headers, json: { key: 'sk-or-v1-canary', user_id: 'u' } });
      }
      asked.push([url.pathname, request.headers().authorization]);
      return route.fulfill({ headers, json: { data: [{ id: 'openrouter/auto' }] } });
    });
    const logIn = async () => {
      await app.id('connection-provider').selectOption({ label: 'OpenRouter' });
      await app.id('connection-log-in').click();
      await app.page.locator('#yes').click();
      await app.ready();
      await app.id('connection-log-in').waitFor();
    };
    await app.go('settings');
    await logIn();
    // Refused: it is said beside the key, and one can go again.
    await eventually(async () => assert.match(await app.page.locator('#field-connection-key-note').innerText(), words.refused));
    assert.equal(new URL(app.page.url()).search, '', 'no code is left in the address');
    refuses = false;
    await logIn();
    await eventually(async () => assert.equal(await app.id('connection-key').inputValue(), 'sk-or-v1-canary'));
    await eventually(() => assert.deepEqual(asked.at(-1), ['/api/v1/models', 'Bearer sk-or-v1-canary']));
    await app.id('connection-model').fill('openrouter/auto');
    await app.id('connection-save').click();
    await app.item('connection-item', 'openrouter/auto').waitFor();
    assert.deepEqual(await app.page.evaluate(() => Object.keys(sessionStorage).filter((name) => name.includes('log-in'))), []);

    // Once more for the same one: it stays that one.
    await app.press(app.item('connection-item', 'openrouter/auto'), 'connection-edit');
    await app.id('connection-log-in').click();
    await app.page.locator('#yes').click();
    await app.ready();
    await eventually(async () => assert.equal(await app.id('connection-key').inputValue(), 'sk-or-v1-canary'));
    assert.equal(await app.id('connection-model').inputValue(), 'openrouter/auto');
    await app.id('connection-save').click();
    await app.id('connection-save').waitFor({ state: 'hidden' });
    assert.equal((await app.records('settings')).find(({ id }) => id === 'connections').list.length, 1);

    // A code that nobody here asked for is none.
    await app.page.goto(`${app.url}?code=stolen`);
    await app.ready();
    await app.item('connection-item', 'openrouter/auto').waitFor();
    assert.equal(new URL(app.page.url()).search, '');
    assert.equal(secrets.size, 3);
  });
}
