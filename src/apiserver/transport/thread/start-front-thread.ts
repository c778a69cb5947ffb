/** The thread that can have the port of a server. It takes a while to come up: it is started before it is needed. */
import fs from 'node:fs';
import os from 'node:os';
import { Worker } from 'node:worker_threads';

/** Undefined where the sources themselves run, and on a machine that would only take turns between the threads. */
export function startFrontThread(): Worker | undefined {
  if (os.availableParallelism() < 2) return undefined;
  /** Beside the bundle, whose pieces lie one folder below it. */
  const program = ['./front-thread.js', '../front-thread.js']
    .map((file) => new URL(file, import.meta.url))
    .find((url) => fs.existsSync(url));
  return program && new Worker(program, { name: 'front' });
}
