/** Starts the thread that will serve the port. It takes a while to come up: the server starts it before anything else. */
import fs from 'node:fs';
import os from 'node:os';
import { Worker } from 'node:worker_threads';

/** undefined where the program is not bundled, and on a machine with one processor. */
export function startFrontThread(): Worker | undefined {
  if (os.availableParallelism() < 2) return undefined;
  /** Beside the bundle, whose pieces lie one folder below it. */
  const program = ['./front-thread.js', '../front-thread.js']
    .map((file) => new URL(file, import.meta.url))
    .find((url) => fs.existsSync(url));
  return program && new Worker(program, { name: 'front' });
}
