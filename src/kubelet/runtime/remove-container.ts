/** Removes a dead container from the runtime, with its log, rotated logs and log link. */
import fs from 'node:fs/promises';
import path from 'node:path';
import type { ContainerRuntime } from '../../cri/index.ts';
import { unlinkLog, type LoggedContainer } from './log-links.ts';
import { isContainerNotFound } from './observe-pod.ts';

interface DeadContainer extends LoggedContainer {
  /** Empty or undefined if the runtime writes no log. */
  readonly logPath: string | undefined;
}

export async function removeDeadContainer(
  runtime: ContainerRuntime,
  podLogsDir: string,
  container: DeadContainer,
): Promise<void> {
  await unlinkLog(podLogsDir, container);
  await runtime.runtime.removeContainer({ containerId: container.containerId }).catch((error: unknown) => {
    if (!isContainerNotFound(error)) throw error;
  });
  // Never delete files outside of the log directory of pods, whatever the runtime reports.
  if (container.logPath?.startsWith(`${podLogsDir}/`)) await removeLog(container.logPath);
}

async function removeLog(log: string): Promise<void> {
  const directory = path.dirname(log);
  const base = path.basename(log);
  for (const name of await fs.readdir(directory).catch(() => [])) {
    if (name === base || name.startsWith(`${base}.`)) await fs.rm(path.join(directory, name), { force: true });
  }
}
