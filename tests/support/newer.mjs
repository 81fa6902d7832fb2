// A newer page in the place of the one that a folder holds, as another build leaves it.

import { createHash } from 'node:crypto';
import { readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const LIST = /const FILES = (\[.*\]);/;
const digest = (bytes, form) => createHash('sha256').update(bytes).digest(form);

/** The files that the service worker of a folder knows: their addresses with their integrity. */
export async function listed(folder) {
  return JSON.parse(LIST.exec(await readFile(join(folder, 'sw.js'), 'utf8'))[1]);
}

/** Puts the same page there under other names. The part of its files' names that is new. */
export async function renew(folder) {
  const names = await readdir(folder);
  const [, old] = /^fabula-([0-9a-f]+)_bg\.wasm$/.exec(names.find((name) => name.endsWith('_bg.wasm') && !name.includes('memory')));
  const fresh = (old.startsWith('f') ? 'e' : 'f').repeat(old.length);
  for (const name of names.filter((name) => name.includes(old))) await rename(join(folder, name), join(folder, name.replace(old, fresh)));
  const hash = (html) => digest(/<script type="module">([^]*?)<\/script>/.exec(html)[1], 'base64');
  const html = await readFile(join(folder, 'index.html'), 'utf8');
  const renamed = html.replaceAll(old, fresh);
  const sealed = renamed.replace(hash(html), hash(renamed));
  await writeFile(join(folder, 'index.html'), sealed);

  const worker = await readFile(join(folder, 'sw.js'), 'utf8');
  const files = (await listed(folder)).map(([path, integrity]) =>
    path === './' ? [path, `sha256-${digest(sealed, 'base64')}`] : [path.replace(old, fresh), integrity],
  );
  const text = JSON.stringify(files);
  await writeFile(
    join(folder, 'sw.js'),
    worker.replace(LIST, () => `const FILES = ${text};`).replace(/'fabula-[0-9a-f]+'/, `'fabula-${digest(text, 'hex').slice(0, 16)}'`),
  );
  return fresh;
}
