/** Keeps containers' logs from growing for ever: when one is too large it is put aside and the runtime opens a new one. */
import fs from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { ContainerRuntime } from '../../cri/index.ts';
import { childContext, type Context } from '../../kernel/index.ts';
import { parseQuantity } from '../../machinery/quantity/index.ts';
import type { KubeletConfiguration } from '../configuration/kubelet-configuration.ts';
import { messageOf } from '../images/image-manager.ts';

export async function rotateContainerLogs(outer: Context, { runtime, config }: { runtime: ContainerRuntime; config: KubeletConfiguration }): Promise<void> {
  const ctx = childContext(outer, 'container-logs');
  const { clock, signal, logger } = ctx;
  const maxBytes = parseQuantity(config.containerLogMaxSize).value();
  if (maxBytes < 0) return;
  while (!signal.aborted) {
    await clock.sleep(config.containerLogMonitorInterval, signal).catch(() => {});
    if (signal.aborted) return;
    await rotateAll(runtime, config, { maxBytes, now: clock.now() }).catch((error: unknown) => logger.v(1).info('Failed to rotate container logs', { err: messageOf(error) }));
  }
}

/** Log files are found by the directory, so that an idle node asks the runtime nothing. */
async function rotateAll(runtime: ContainerRuntime, config: KubeletConfiguration, { maxBytes, now }: { maxBytes: number; now: number }): Promise<void> {
  const large: string[] = [];
  for (const pod of await names(config.podLogsDir)) {
    for (const container of await names(path.join(config.podLogsDir, pod))) {
      for (const name of await names(path.join(config.podLogsDir, pod, container))) {
        const file = path.join(config.podLogsDir, pod, container, name);
        if (/^\d+\.log$/.test(name) && ((await fs.stat(file).catch(() => undefined))?.size ?? 0) >= maxBytes) large.push(file);
      }
    }
  }
  if (large.length === 0) return;
  const { containers = [] } = await runtime.runtime.listContainers({ filter: { state: { state: 'CONTAINER_RUNNING' } } });
  for (const { id = '' } of containers) {
    const logPath = (await runtime.runtime.containerStatus({ containerId: id }).catch(() => undefined))?.status?.logPath;
    if (logPath !== undefined && large.includes(logPath)) await rotate(runtime, id, logPath, { maxFiles: config.containerLogMaxFiles, now });
  }
}

const names = (directory: string): Promise<string[]> => fs.readdir(directory).catch(() => []);

async function rotate(runtime: ContainerRuntime, containerId: string, log: string, { maxFiles, now }: { maxFiles: number; now: number }): Promise<void> {
  const directory = path.dirname(log);
  const base = path.basename(log);
  const rotated = (await names(directory)).filter((name) => name.startsWith(`${base}.`) && !name.endsWith('.tmp')).toSorted();
  for (const name of rotated) if (!name.endsWith('.gz')) await compress(path.join(directory, name));
  const keep = Math.max(0, maxFiles - 2);
  for (const name of rotated.slice(0, Math.max(0, rotated.length - keep))) await fs.rm(path.join(directory, name.endsWith('.gz') ? name : `${name}.gz`), { force: true });
  const stamp = new Date(now).toISOString().replace(/[-:]|\..*$/g, '').replace('T', '-');
  const aside = `${log}.${stamp}`;
  await fs.rename(log, aside);
  try {
    await runtime.runtime.reopenContainerLog({ containerId });
  } catch (error) {
    await fs.rename(aside, log);
    throw error;
  }
}

/** The newest rotated file stays as it is: somebody may be reading it. */
async function compress(file: string): Promise<void> {
  const packed = await promisify(gzip)(await fs.readFile(file));
  await fs.writeFile(`${file}.tmp`, packed);
  await fs.rename(`${file}.tmp`, `${file}.gz`);
  await fs.rm(file);
}
