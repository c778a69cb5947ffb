import { fork } from 'node:child_process';
import { join } from 'node:path';
import { canUseH2load, runH2load } from './h2load.ts';
import type { Load, LoadResult } from './load.ts';

/** Runs a load in a process of its own; `onWarm` is called when the measured part begins. */
export function runLoad(load: Load, onWarm: () => void = () => {}): Promise<LoadResult> {
  if (load.type === 'requests' && canUseH2load(load)) return runH2load(load, onWarm);
  return new Promise((resolve, reject) => {
    const child = fork(join(import.meta.dirname, 'load-process.ts'), [JSON.stringify(load)], {
      execArgv: ['--import', 'tsx'],
    });
    child.on('message', (message) => {
      if (message === 'warm') onWarm();
      else resolve(message as LoadResult);
    });
    child.on('error', reject);
    child.on('exit', (code) => reject(new Error(`the load process ended with ${code}`)));
  });
}
