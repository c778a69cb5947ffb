import fs from 'node:fs';
/** Detects container exits: at once by the exit files that conmon writes, and by polling. */
import { untilAborted } from '../../kernel/index.ts';
import { isAlive } from '../linux/processes.ts';
import type { RuntimeParts } from '../runtime-parts.ts';
import { recordExit } from './record-exit.ts';

/** Polling finds exits without a notification: a killed conmon, a lost inotify event. */
const POLL_INTERVAL_MS = 5000;

/** Runs until the signal aborts. */
export async function watchExits(parts: RuntimeParts, signal: AbortSignal): Promise<void> {
  const watcher = fs.watch(parts.paths.exits, (_event, id) => {
    if (id !== null && parts.containers.get(id) !== undefined)
      parts.background(`record the exit of container ${id}`, () => recordExit(parts, id));
  });
  watcher.on('error', (error) =>
    parts.ctx.logger.error(error, 'Failed to watch for container exits; polling only', {
      directory: parts.paths.exits,
    }),
  );
  const timer = parts.ctx.clock.every(POLL_INTERVAL_MS, () => checkAll(parts));
  checkAll(parts);
  try {
    await untilAborted(signal);
  } finally {
    timer.cancel();
    watcher.close();
  }
}

function checkAll(parts: RuntimeParts): void {
  for (const { id, phase, process } of parts.containers) {
    // Most containers are alive and need no further check.
    if (phase === 'running' && (process === undefined || !isAlive(process)))
      parts.background(`check container ${id}`, () => recordExit(parts, id));
  }
}
