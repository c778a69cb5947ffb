/** The container log manager: rotates and compresses container logs that exceed containerLogMaxSize. */
import { statSync } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { errorMessage, parseQuantity } from '../../base/index.ts';
import type { ContainerRuntime } from '../../cri/index.ts';
import { childContext, type Context } from '../../kernel/index.ts';
import type { KubeletConfiguration } from '../configuration/kubelet-configuration.ts';

interface ContainerLogsOptions {
  readonly runtime: ContainerRuntime;
  readonly config: KubeletConfiguration;
  readonly running: () => Iterable<RunningContainer>;
}

interface RunningContainer {
  readonly id: string;
  readonly logPath: string;
}

export async function rotateContainerLogs(
  outer: Context,
  { runtime, config, running }: ContainerLogsOptions,
): Promise<void> {
  const ctx = childContext(outer, 'container-logs');
  const { clock, signal, logger } = ctx;
  const maxBytes = parseQuantity(config.containerLogMaxSize).value();
  if (maxBytes < 0) return;
  while (!signal.aborted) {
    await clock.sleep(config.containerLogMonitorInterval, signal).catch(() => {});
    if (signal.aborted) return;
    for (const { id, logPath } of running()) {
      // Synchronous, because this stat is faster than a round trip to the thread pool.
      if ((statSync(logPath, { throwIfNoEntry: false })?.size ?? 0) < maxBytes) continue;
      try {
        await rotate(runtime, id, logPath, { maxFiles: config.containerLogMaxFiles, now: clock.now() });
      } catch (error) {
        logger.v(1).info('Failed to rotate log for container', { containerID: id, err: errorMessage(error) });
      }
    }
  }
}

const names = (directory: string): Promise<string[]> => fs.readdir(directory).catch(() => []);

async function rotate(
  runtime: ContainerRuntime,
  containerId: string,
  log: string,
  { maxFiles, now }: { maxFiles: number; now: number },
): Promise<void> {
  const directory = path.dirname(log);
  const base = path.basename(log);
  const rotated = (await names(directory))
    .filter((name) => name.startsWith(`${base}.`) && !name.endsWith('.tmp'))
    .toSorted();
  for (const name of rotated) if (!name.endsWith('.gz')) await compress(path.join(directory, name));
  const keep = Math.max(0, maxFiles - 2);
  for (const name of rotated.slice(0, Math.max(0, rotated.length - keep)))
    await fs.rm(path.join(directory, name.endsWith('.gz') ? name : `${name}.gz`), { force: true });
  const stamp = new Date(now)
    .toISOString()
    .replace(/[-:]|\..*/g, '')
    .replace('T', '-');
  const aside = `${log}.${stamp}`;
  await fs.rename(log, aside);
  try {
    await runtime.runtime.reopenContainerLog({ containerId });
  } catch (error) {
    await fs.rename(aside, log);
    throw error;
  }
}

/** Called for older rotated files only: a client may still be reading the newest one. */
async function compress(file: string): Promise<void> {
  const packed = await promisify(gzip)(await fs.readFile(file));
  await fs.writeFile(`${file}.tmp`, packed);
  await fs.rename(`${file}.tmp`, `${file}.gz`);
  await fs.rm(file);
}
