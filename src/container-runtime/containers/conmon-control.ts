/** What conmon can be told while it runs, by lines in a fifo: `type height width`. */
import fs from 'node:fs';
import type { RuntimeParts } from '../runtime-parts.ts';
import { findRunningContainer } from './container-status.ts';

const RESIZE = 1;
const REOPEN_LOG = 2;

function tell(parts: RuntimeParts, id: string, line: string): void {
  // Without a reader this fails at once instead of waiting for one.
  const fd = fs.openSync(parts.paths.container(id).control, fs.constants.O_WRONLY | fs.constants.O_NONBLOCK);
  try {
    fs.writeSync(fd, line);
  } finally {
    fs.closeSync(fd);
  }
}

export function resizeTerminal(
  parts: RuntimeParts,
  id: string,
  { height, width }: { height: number; width: number },
): void {
  tell(parts, id, `${RESIZE} ${height} ${width}\n`);
}

/** The log was renamed; from now on conmon writes to a new file of the old name. Resolves when it is there. */
export async function reopenLog(parts: RuntimeParts, idOrPrefix: string | undefined): Promise<void> {
  const { id, logPath } = findRunningContainer(parts, idOrPrefix);
  if (logPath === undefined) return;
  tell(parts, id, `${REOPEN_LOG} 0 0\n`);
  for (let attempt = 0; attempt < 500 && !fs.existsSync(logPath); attempt++) await parts.ctx.clock.sleep(2);
}
