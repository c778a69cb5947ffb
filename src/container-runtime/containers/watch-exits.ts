/** Notices the ends of containers: at once by the files that conmon writes, and at the latest with the next look. */
import fs from 'node:fs';
import { isAlive } from '../linux/processes.ts';
import type { RuntimeParts } from '../runtime-parts.ts';
import { recordExit } from './record-exit.ts';

/** For what no file tells of: a conmon that was killed, a notice that the kernel dropped. */
const POLL_INTERVAL_MS = 5000;

/** Runs until the signal aborts. */
export async function watchExits(parts: RuntimeParts, signal: AbortSignal): Promise<void> {
  const watcher = fs.watch(parts.paths.exits, (_event, id) => {
    if (id !== null && parts.containers.get(id) !== undefined)
      parts.background(`take note of the end of container ${id}`, () => recordExit(parts, id));
  });
  watcher.on('error', (error) =>
    parts.ctx.logger.error(error, 'Watching for the ends of containers failed; they are noticed later', {
      directory: parts.paths.exits,
    }),
  );
  const timer = parts.ctx.clock.every(POLL_INTERVAL_MS, () => lookAtAll(parts));
  lookAtAll(parts);
  try {
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener('abort', () => resolve(), { once: true });
    });
  } finally {
    timer.cancel();
    watcher.close();
  }
}

function lookAtAll(parts: RuntimeParts): void {
  for (const { id, phase, process } of parts.containers) {
    // One that lives has not ended: most looks are over with that.
    if (phase === 'running' && (process === undefined || !isAlive(process)))
      parts.background(`look at container ${id}`, () => recordExit(parts, id));
  }
}
