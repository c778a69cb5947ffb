/** Volume stats of pods: measured on disk, or from the CSI driver (NodeGetVolumeStats). */
import fs from 'node:fs/promises';
import type { Pod, Volume } from '../../../api/generated/core-v1.ts';
import { errorMessage, formatTime } from '../../../base/index.ts';
import type { Context } from '../../../kernel/index.ts';
import type { KubeletConfig } from '../../kubelet-options.ts';
import { filesystemUse, type FilesystemUse } from '../../node/machine.ts';
import { uidOf } from '../../pod/pod-identity.ts';
import type { VolumeManager } from '../../volumes/volume-manager.ts';
import type { MountedVolume } from '../../volumes/volume.ts';
import { diskUsage } from './disk-usage.ts';
import type { VolumeSummary } from './summary-types.ts';

interface VolumeStatsOptions {
  readonly config: Pick<KubeletConfig, 'rootDirectory' | 'volumeStatsAggPeriod'>;
  readonly volumes: Pick<VolumeManager, 'mounted'>;
}

interface CachedStats {
  summary: VolumeSummary | undefined;
  measuredAt: number | undefined;
  measuring: Promise<void> | undefined;
  requestedAt: number;
}

/** How long to wait for a driver; after that its previous stats are used. */
const DRIVER_TIMEOUT_MS = 2000;
const EXPIRY_MS = 10 * 60_000;

export class VolumeStats {
  readonly #ctx: Context;
  readonly #options: VolumeStatsOptions;
  readonly #cache = new Map<string, CachedStats>();

  constructor(ctx: Context, options: VolumeStatsOptions) {
    this.#ctx = ctx;
    this.#options = options;
  }

  /** Stats of a pod's volumes, and the bytes that count as local ephemeral storage. */
  async ofPod(pod: Pod, nodefs: FilesystemUse): Promise<{ volumes: VolumeSummary[]; localBytes: number }> {
    const volumes: VolumeSummary[] = [];
    let localBytes = 0;
    for (const [name, mounted] of this.#options.volumes.mounted(uidOf(pod))) {
      const volume = pod.spec?.volumes?.find((one) => one.name === name);
      if (mounted.hostPath === undefined || volume?.hostPath !== undefined) continue;
      const claim = volume && claimOf(pod, volume);
      const summary = await (claim === undefined && mounted.usage === undefined
        ? this.#measure(mounted, { name, nodefs })
        : this.#claimOrDriver(pod, name, mounted));
      if (summary === undefined) continue;
      volumes.push(summary);
      if (claim === undefined && volume?.csi === undefined && volume?.emptyDir?.medium !== 'Memory')
        localBytes += summary.usedBytes ?? 0;
    }
    this.#removeExpired();
    return { volumes, localBytes };
  }

  /** Stats of volumes with a claim, one for each claim. */
  async ofClaims(pods: readonly Pod[]): Promise<VolumeSummary[]> {
    const uses = new Map<string, { pod: Pod; name: string; mounted: MountedVolume }>();
    for (const pod of pods) {
      for (const [name, mounted] of this.#options.volumes.mounted(uidOf(pod))) {
        const volume = pod.spec?.volumes?.find((one) => one.name === name);
        const claim = volume && claimOf(pod, volume);
        const key = `${pod.metadata.namespace}/${claim}`;
        if (claim !== undefined && mounted.hostPath !== undefined && !uses.has(key))
          uses.set(key, { pod, name, mounted });
      }
    }
    const found = await Promise.all(
      Array.from(uses.values(), ({ pod, name, mounted }) => this.#claimOrDriver(pod, name, mounted)),
    );
    this.#removeExpired();
    return found.filter((summary) => summary !== undefined);
  }

  /** Cached for volumeStatsAggPeriod, because these volumes may be remote and large. */
  async #claimOrDriver(pod: Pod, name: string, mounted: MountedVolume): Promise<VolumeSummary | undefined> {
    const { clock } = this.#ctx;
    const period = this.#options.config.volumeStatsAggPeriod;
    // A negative period disables volume stats.
    if (period < 0) return undefined;
    const key = `${uidOf(pod)}/${name}`;
    const now = clock.monotonic();
    let known = this.#cache.get(key);
    if (known === undefined)
      this.#cache.set(
        key,
        (known = { summary: undefined, measuredAt: undefined, measuring: undefined, requestedAt: now }),
      );
    known.requestedAt = now;
    if (known.measuring === undefined && (known.measuredAt === undefined || now - known.measuredAt >= period))
      known.measuring = this.#refresh(known, { pod, name, mounted });
    if (known.measuring !== undefined) await this.#waitUpToTimeout(known.measuring);
    return known.summary;
  }

  async #refresh(
    known: CachedStats,
    { pod, name, mounted }: { pod: Pod; name: string; mounted: MountedVolume },
  ): Promise<void> {
    try {
      const volume = pod.spec?.volumes?.find((one) => one.name === name);
      const claim = volume && claimOf(pod, volume);
      const summary = await this.#measure(mounted, {
        name,
        nodefs: await filesystemUse(this.#options.config.rootDirectory),
      });
      known.summary = summary && {
        ...summary,
        ...(claim === undefined ? {} : { pvcRef: { name: claim, namespace: pod.metadata.namespace ?? '' } }),
      };
    } catch (error) {
      known.summary = undefined;
      this.#ctx.logger
        .v(1)
        .info('Failed to get the metrics of a volume', { volume: name, podUID: uidOf(pod), err: errorMessage(error) });
    }
    known.measuredAt = this.#ctx.clock.monotonic();
    known.measuring = undefined;
  }

  /** Undefined when the driver reports nothing. */
  async #measure(
    { hostPath = '', usage }: MountedVolume,
    { name, nodefs }: { name: string; nodefs: FilesystemUse },
  ): Promise<VolumeSummary | undefined> {
    const time = formatTime(this.#ctx.clock.now());
    if (usage !== undefined) {
      const reported = await usage();
      if (reported === undefined) return undefined;
      const { abnormal, ...counts } = reported;
      return { time, name, ...counts, ...(abnormal === undefined ? {} : { volumeHealthStats: { abnormal } }) };
    }
    const { usedBytes, ...filesystem } = await filesystemUse(hostPath).catch(() => nodefs);
    const use = (await this.#isFilesystem(hostPath))
      ? { bytes: usedBytes, inodes: filesystem.inodes - filesystem.inodesFree }
      : await diskUsage(hostPath);
    return { time, name, ...filesystem, usedBytes: use.bytes, inodesUsed: use.inodes };
  }

  /** A volume with a file system of its own is measured by statfs; others must be walked. */
  async #isFilesystem(directory: string): Promise<boolean> {
    const [own, node] = await Promise.all(
      [directory, this.#options.config.rootDirectory].map((one) => fs.stat(one).catch(() => undefined)),
    );
    return own !== undefined && node !== undefined && own.isDirectory() && own.dev !== node.dev;
  }

  async #waitUpToTimeout(work: Promise<void>): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = this.#ctx.clock.after(DRIVER_TIMEOUT_MS, resolve);
      void work.then(() => {
        timer.cancel();
        resolve();
      });
    });
  }

  #removeExpired(): void {
    const oldest = this.#ctx.clock.monotonic() - EXPIRY_MS;
    for (const [key, { requestedAt }] of this.#cache) if (requestedAt < oldest) this.#cache.delete(key);
  }
}

const claimOf = ({ metadata }: Pod, { name, persistentVolumeClaim, ephemeral }: Volume): string | undefined =>
  persistentVolumeClaim?.claimName ?? (ephemeral === undefined ? undefined : `${metadata.name}-${name}`);
