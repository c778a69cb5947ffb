/** The termination message of a container: its terminationMessagePath, or the end of its log. */
import fs from 'node:fs/promises';
import type { ObservedContainer } from '../runtime/observe-pod.ts';

const MAX_MESSAGE = 4096;
const MAX_LOG = 2048;
const MAX_LOG_LINES = 80;

export async function terminationMessage(container: ObservedContainer): Promise<string> {
  const { info, status, exitCode } = container;
  const file = status.mounts?.find(({ containerPath }) => containerPath === info.terminationMessagePath)?.hostPath;
  const written = file === undefined ? '' : await readEnd(file, MAX_MESSAGE);
  if (written !== '' || info.terminationMessagePolicy !== 'FallbackToLogsOnError' || exitCode === 0) return written;
  return status.logPath === undefined ? '' : lastLines(status.logPath);
}

async function readEnd(file: string, limit: number): Promise<string> {
  try {
    const handle = await fs.open(file, 'r');
    try {
      const { size } = await handle.stat();
      const buffer = Buffer.alloc(Math.min(size, limit));
      // Of a message that is too long, the end is kept.
      await handle.read(buffer, 0, buffer.length, Math.max(0, size - limit));
      return buffer.toString();
    } finally {
      await handle.close();
    }
  } catch {
    return '';
  }
}

/** The last lines of the log, without the time stamps of the CRI format. */
async function lastLines(logPath: string): Promise<string> {
  const raw = await readEnd(logPath, MAX_LOG * 8);
  const text = raw
    .split('\n')
    .map((line) => /^\S+ std(?:out|err) ([FP]) (.*)$/.exec(line))
    .filter((match) => match !== null)
    .map(([, tag, content = '']) => (tag === 'F' ? `${content}\n` : content))
    .join('');
  const lines = text
    .split('\n')
    .slice(-MAX_LOG_LINES - 1)
    .join('\n');
  return lines.slice(-MAX_LOG);
}
