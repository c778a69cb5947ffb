/** Removes the directories, mounts, cgroups and logs of orphaned pods: pods that were deleted while the kubelet was down. */
import fs from 'node:fs/promises';
import path from 'node:path';
import { errorMessage } from '../base/index.ts';
import type { Context } from '../kernel/index.ts';
import type { CgroupManager } from './cgroups/cgroup-manager.ts';
import type { KubeletConfig } from './kubelet-options.ts';
import { removeDanglingLinks } from './runtime/log-links.ts';
import type { VolumeManager } from './volumes/volume-manager.ts';

export interface OrphanedPodOptions {
  readonly config: KubeletConfig;
  readonly volumes: VolumeManager;
  readonly cgroups: CgroupManager;
  readonly isKnown: (podUid: string) => boolean;
}

const RETRY_MS = 10_000;

/** True when something could not be removed yet, such as a volume whose CSI driver has not registered. */
export async function cleanUpOrphanedPods(
  { logger }: Context,
  { config, volumes, cgroups, isKnown }: OrphanedPodOptions,
): Promise<boolean> {
  let left = false;
  const attempt = (what: string, work: Promise<void>): Promise<void> =>
    work.catch((error: unknown) => {
      left = true;
      logger.v(1).info('Failed to clean up orphaned pod', { resource: what, err: errorMessage(error) });
    });
  for (const uid of await fs.readdir(path.join(config.rootDirectory, 'pods'))) {
    if (!isKnown(uid))
      await attempt(
        `directory ${uid}`,
        volumes.cleanDirectory(uid, { apiVersion: 'v1', kind: 'Pod', metadata: { uid } }),
      );
  }
  for (const uid of await cgroups.podUids()) if (!isKnown(uid)) await attempt(`cgroup ${uid}`, cgroups.removePod(uid));
  for (const name of await fs.readdir(config.podLogsDir).catch(() => [])) {
    const uid = name.split('_').at(-1) ?? '';
    if (!isKnown(uid) && name.split('_').length === 3)
      await attempt(`logs ${name}`, fs.rm(path.join(config.podLogsDir, name), { recursive: true, force: true }));
  }
  await removeDanglingLinks(config.podLogsDir);
  return left;
}

/** Retries until everything is removed. */
export async function retryOrphanedPodCleanup(ctx: Context, options: OrphanedPodOptions): Promise<void> {
  const { clock, signal, logger } = ctx;
  for (let left = true; left && !signal.aborted;) {
    await clock.sleep(RETRY_MS, signal).catch(() => {});
    if (signal.aborted) return;
    left = await cleanUpOrphanedPods(ctx, options).catch((error: unknown) => {
      logger.v(1).info('Failed to clean up orphaned pods', { err: errorMessage(error) });
      return true;
    });
  }
}
