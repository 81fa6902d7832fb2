// Programs that a test starts, and that do not outlive it.

import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';

/** Those at work, for a test process that ends without having stopped them. */
const atWork = new Set();
process.on('exit', () => atWork.forEach((child) => child.kill('SIGKILL')));

/** Starts a program. */
export function start(program, args, options) {
  const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => (said += piece));
  let isOver = false;
  atWork.add(child);
  const end = new Promise((done) => {
    child.once('error', (error) => done((said += error.message)));
    child.once('close', done);
  }).then(() => {
    atWork.delete(child);
    isOver = true;
  });
  const kill = () => (child.kill('SIGKILL'), end);
  return {
    kill,
    /** Asks of what it has said so far until something comes of it. */
    async until(ask) {
      for (const begun = Date.now(); !isOver && Date.now() - begun < 20_000; await sleep(10)) {
        const found = ask(said);
        if (found) return found;
      }
      await kill();
      throw new Error(`${program} did not start: ${said}`);
    },
  };
}
