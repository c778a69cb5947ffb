/** What pods left that were deleted while no kubelet ran: directories with their mounts, cgroups, logs. */
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

/** Gives whether something is left that could not be removed: a volume whose driver has not registered yet, say. */
export async function cleanUpOrphanedPods(
  { logger }: Context,
  { config, volumes, cgroups, isKnown }: OrphanedPodOptions,
): Promise<boolean> {
  let left = false;
  const attempt = (what: string, work: Promise<void>): Promise<void> =>
    work.catch((error: unknown) => {
      left = true;
      logger.v(1).info('What a pod left could not be removed', { what, err: errorMessage(error) });
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

/** Again and again, until nothing is left. */
export async function retryOrphanedPodCleanup(ctx: Context, options: OrphanedPodOptions): Promise<void> {
  const { clock, signal, logger } = ctx;
  for (let left = true; left && !signal.aborted;) {
    await clock.sleep(RETRY_MS, signal).catch(() => {});
    if (signal.aborted) return;
    left = await cleanUpOrphanedPods(ctx, options).catch((error: unknown) => {
      logger.v(1).info('What pods left could not be looked at', { err: errorMessage(error) });
      return true;
    });
  }
}
