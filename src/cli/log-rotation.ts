/** The log file of a cluster in the background, `k8ts.log`, is bounded: its older parts are `k8ts.log.1` and so on. */
import fs from 'node:fs';
import { errorMessage } from '../base/index.ts';
import type { Context } from '../kernel/index.ts';

export interface LogRotationOptions {
  readonly maxBytes: number;
  /** How many older parts are kept. */
  readonly maxBackups: number;
}

export const LOG_ROTATION: LogRotationOptions = { maxBytes: 10 * 1024 * 1024, maxBackups: 3 };

/** Names the file to the process in the background. */
export const LOG_FILE_VARIABLE = 'K8TS_LOG_FILE';

const CHECK_MS = 5000;

/** Until the context ends, if this process logs to a file that it was told of. */
export function boundLogFile(ctx: Context, options: LogRotationOptions = LOG_ROTATION): void {
  const file = process.env[LOG_FILE_VARIABLE];
  delete process.env[LOG_FILE_VARIABLE];
  if (file === undefined) return;
  const timer = ctx.clock.every(CHECK_MS, () => {
    try {
      rotateLog(file, options);
    } catch (error) {
      ctx.logger.warn('the log file could not be rotated', { file, err: errorMessage(error) });
    }
  });
  ctx.signal.addEventListener('abort', () => timer.cancel(), { once: true });
}

/**
 * Copies and truncates, because standard output and standard error stay open on the file; they append, so the next line is
 * the first of the new part. No line is lost: this is one turn of the event loop, and nobody else writes to the file.
 */
export function rotateLog(file: string, { maxBytes, maxBackups }: LogRotationOptions): boolean {
  if ((fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0) <= maxBytes) return false;
  const part = (index: number): string => `${file}.${index}`;
  for (let index = maxBackups - 1; index >= 1; index--)
    if (fs.existsSync(part(index))) fs.renameSync(part(index), part(index + 1));
  fs.copyFileSync(file, part(1));
  fs.chmodSync(part(1), 0o600);
  fs.truncateSync(file, 0);
  return true;
}
