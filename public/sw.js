// Keeps the page on this device, so that it opens without a network. Everything but the model works then.
//
// The build writes in which files the page is made of, each with its hash: what is kept is what was built, whole or not
// at all. A newer page is fetched beside the one in use, and waits until the reader asks for it or no tab is open any
// more. The files of an older page stay as long as a tab may ask for parts of it.

/** Path and integrity of each file. A page that is built for development has none, and takes this program away. */
const FILES = [];
const CACHE = 'fabula-VERSION';
/** What another app shared with this one, until the page takes it. */
const SHARED = 'fabula-shared';

const scope = self.registration.scope;
const isPage = (name) => name.startsWith('fabula-') && name !== SHARED;

self.addEventListener('install', (event) => {
  event.waitUntil(FILES.length ? keep() : self.skipWaiting());
});

self.addEventListener('activate', (event) => {
  // The page of a first visit, too: else a newer one would not wait for it.
  event.waitUntil(FILES.length ? self.clients.claim() : leave());
});

self.addEventListener('fetch', (event) => {
  const { request } = event;
  if (!request.url.startsWith(scope) || !FILES.length) return;
  const path = request.url.slice(scope.length).split(/[?#]/)[0];
  if (request.method === 'POST' && path === 'share') event.respondWith(takeShared(request));
  else if (request.method === 'GET') event.respondWith(answer(request, path));
});

self.addEventListener('message', (event) => {
  if (event.data === 'use') event.waitUntil(self.skipWaiting());
  if (event.data === 'here') event.waitUntil(forgetOlder());
});

async function keep() {
  const cache = await caches.open(CACHE);
  try {
    await Promise.all(FILES.map(([path, integrity]) => fetchInto(cache, path, integrity)));
  } catch (error) {
    await caches.delete(CACHE);
    throw error;
  }
}

/** What the browser has at hand is taken if it is the right file; else it is asked for anew. */
async function fetchInto(cache, path, integrity) {
  const get = (mode) => fetch(new URL(path, scope), { integrity, cache: mode });
  const response = await get('default').catch(() => get('reload'));
  if (!response.ok) throw new TypeError(`${path}: ${response.status}`);
  await cache.put(new URL(path, scope), response);
}

async function answer(request, path) {
  const isTop = request.mode === 'navigate' && (path === '' || path === 'index.html');
  const same = { ignoreVary: true };
  const own = await caches.match(isTop ? scope : request, { ...same, cacheName: CACHE });
  return own ?? (await ofOlder(request, same)) ?? fetch(request);
}

/** A tab that is older than this program asks for the rest of its page. */
async function ofOlder(request, same) {
  if (request.mode === 'navigate') return undefined;
  for (const cacheName of (await caches.keys()).filter(isPage)) {
    const found = await caches.match(request, { ...same, cacheName });
    if (found) return found;
  }
  return undefined;
}

/** Once a single tab is open, which has just been loaded, nobody asks for an older page any more. */
async function forgetOlder() {
  const tabs = await self.clients.matchAll({ type: 'window', includeUncontrolled: true });
  if (tabs.length > 1) return;
  const { waiting, installing } = self.registration;
  // One that is being fetched has a cache of its own already.
  if (waiting || installing) return;
  const names = await caches.keys();
  await Promise.all(names.filter((name) => isPage(name) && name !== CACHE).map((name) => caches.delete(name)));
}

async function takeShared(request) {
  const files = (await request.formData()).getAll('files').filter((file) => typeof file !== 'string');
  const cache = await caches.open(SHARED);
  for (const [at, file] of files.entries()) {
    const name = encodeURIComponent(file.name);
    await cache.put(new URL(`shared/${Date.now()}-${at}`, scope), new Response(file, { headers: { 'x-name': name } }));
  }
  return Response.redirect(scope, 303);
}

async function leave() {
  await Promise.all((await caches.keys()).filter(isPage).map((name) => caches.delete(name)));
  await self.registration.unregister();
  const tabs = await self.clients.matchAll({ type: 'window' });
  await Promise.all(tabs.map((tab) => tab.navigate(tab.url)));
}
