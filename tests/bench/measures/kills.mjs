// The journey that kills the browser amid a stream, many times over.

import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const JOURNEY = fileURLToPath(new URL('../../journeys/keep.test.mjs', import.meta.url));
const KILLS = process.env.FABULA_KILLS ?? '100';

export async function measure() {
  const said = await new Promise((done, fail) => {
    const args = ['--test', '--test-reporter=tap', '--test-name-pattern=killed', JOURNEY];
    const child = spawn(process.execPath, args, { env: { ...process.env, FABULA_KILLS: KILLS }, stdio: ['ignore', 'pipe', 'inherit'] });
    let text = '';
    child.stdout.on('data', (piece) => (text += piece));
    child.once('error', fail).once('close', () => done(text));
  });
  const found = /characters lost: (\d+) of (\d+) seen, in (\d+) kills/.exec(said);
  if (!found) throw new Error(`the journey broke off:\n${/^not ok[^]*?^ {2}stack:/m.exec(said)?.[0] ?? said.slice(-2000)}`);
  const [, lost, seen, kills] = found;
  return [{ what: `killed amid a stream ${kills} times, characters lost`, aim: 0, unit: '', value: Number(lost), note: `of ${seen} seen` }];
}
