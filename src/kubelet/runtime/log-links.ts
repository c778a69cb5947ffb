/** Symbolic links `/var/log/containers/POD_NAMESPACE_CONTAINER-ID.log` to container logs, which log collectors read. */
import fs from 'node:fs/promises';
import path from 'node:path';
import { makeDirectory } from '../../kernel/index.ts';

const MAX_NAME = 251;

export interface LoggedContainer {
  readonly podName: string;
  readonly namespace: string;
  readonly containerName: string;
  readonly containerId: string;
}

const directoryOf = (podLogsDir: string): string => path.join(path.dirname(podLogsDir), 'containers');

function linkOf(podLogsDir: string, { podName, namespace, containerName, containerId }: LoggedContainer): string {
  return path.join(
    directoryOf(podLogsDir),
    `${`${podName}_${namespace}_${containerName}`.slice(0, MAX_NAME - containerId.length)}-${containerId}.log`,
  );
}

export async function linkLog(podLogsDir: string, container: LoggedContainer, log: string): Promise<void> {
  await makeDirectory(directoryOf(podLogsDir));
  await fs.symlink(log, linkOf(podLogsDir, container)).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
}

export const unlinkLog = (podLogsDir: string, container: LoggedContainer): Promise<void> =>
  fs.rm(linkOf(podLogsDir, container), { force: true });

/** Removes links whose log is gone. */
export async function removeDanglingLinks(podLogsDir: string): Promise<void> {
  const directory = directoryOf(podLogsDir);
  for (const name of await fs.readdir(directory).catch(() => [])) {
    const link = path.join(directory, name);
    const isDangling = await fs.stat(link).then(
      () => false,
      (error: NodeJS.ErrnoException) => error.code === 'ENOENT',
    );
    if (isDangling) await fs.rm(link, { force: true });
  }
}
