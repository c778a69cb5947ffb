/** Control messages to a running conmon, as lines in its control fifo: `type height width`. */
import fs from 'node:fs';
import type { RuntimeParts } from '../runtime-parts.ts';
import { findRunningContainer } from './container-status.ts';

const RESIZE = 1;
const REOPEN_LOG = 2;

function sendControl(parts: RuntimeParts, id: string, line: string): void {
  // O_NONBLOCK: fails at once if conmon does not read the fifo.
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
  sendControl(parts, id, `${RESIZE} ${height} ${width}\n`);
}

/** ReopenContainerLog, after the kubelet renamed the log: conmon creates a new file. Resolves when it exists. */
export async function reopenLog(parts: RuntimeParts, idOrPrefix: string | undefined): Promise<void> {
  const { id, logPath } = findRunningContainer(parts, idOrPrefix);
  if (logPath === undefined) return;
  sendControl(parts, id, `${REOPEN_LOG} 0 0\n`);
  for (let attempt = 0; attempt < 500 && !fs.existsSync(logPath); attempt++) await parts.ctx.clock.sleep(2);
}
