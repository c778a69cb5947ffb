/** What is in the volumes of pods: counted on disk, or told by the drivers of those that have one. */
import fs from 'node:fs/promises';
import type { Pod, Volume } from '../../../api/generated/core-v1.ts';
import { errorMessage, formatTime } from '../../../base/index.ts';
import type { Context } from '../../../kernel/index.ts';
import type { KubeletConfig } from '../../kubelet-options.ts';
import { filesystemUse, type FilesystemUse } from '../../node/machine.ts';
import { uidOf } from '../../pod/pod-text.ts';
import type { VolumeManager } from '../../volumes/volume-manager.ts';
import type { MountedVolume } from '../../volumes/volume.ts';
import { diskUsage } from './disk-usage.ts';
import type { VolumeSummary } from './summary-types.ts';

export interface VolumeStatsOptions {
  readonly config: Pick<KubeletConfig, 'rootDirectory' | 'volumeStatsAggPeriod'>;
  readonly volumes: Pick<VolumeManager, 'mounted'>;
}

interface Remembered {
  summary: VolumeSummary | undefined;
  measuredAt: number | undefined;
  measuring: Promise<void> | undefined;
  askedAt: number;
}

/** A driver that does not answer keeps nobody waiting for longer: what it said before counts. */
const PATIENCE_MS = 2000;
const FORGET_MS = 10 * 60_000;

export class VolumeStats {
  readonly #ctx: Context;
  readonly #options: VolumeStatsOptions;
  readonly #remembered = new Map<string, Remembered>();

  constructor(ctx: Context, options: VolumeStatsOptions) {
    this.#ctx = ctx;
    this.#options = options;
  }

  /** The volumes of a pod, and how much of them lies on the node's own disk. */
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
    this.#forget();
    return { volumes, localBytes };
  }

  /** Those that have a claim, each once however many pods use it. */
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
    this.#forget();
    return found.filter((summary) => summary !== undefined);
  }

  /** Asked of a driver, or counted, once in a period: these may be remote, and large. */
  async #claimOrDriver(pod: Pod, name: string, mounted: MountedVolume): Promise<VolumeSummary | undefined> {
    const { clock } = this.#ctx;
    const period = this.#options.config.volumeStatsAggPeriod;
    // A negative period means that nobody wants to know.
    if (period < 0) return undefined;
    const key = `${uidOf(pod)}/${name}`;
    const now = clock.monotonic();
    let known = this.#remembered.get(key);
    if (known === undefined)
      this.#remembered.set(
        key,
        (known = { summary: undefined, measuredAt: undefined, measuring: undefined, askedAt: now }),
      );
    known.askedAt = now;
    if (known.measuring === undefined && (known.measuredAt === undefined || now - known.measuredAt >= period))
      known.measuring = this.#remember(known, { pod, name, mounted });
    if (known.measuring !== undefined) await this.#patiently(known.measuring);
    return known.summary;
  }

  async #remember(
    known: Remembered,
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

  /** Undefined where a driver does not tell. */
  async #measure(
    { hostPath = '', usage }: MountedVolume,
    { name, nodefs }: { name: string; nodefs: FilesystemUse },
  ): Promise<VolumeSummary | undefined> {
    const time = formatTime(this.#ctx.clock.now());
    if (usage !== undefined) {
      const told = await usage();
      if (told === undefined) return undefined;
      const { abnormal, ...counts } = told;
      return { time, name, ...counts, ...(abnormal === undefined ? {} : { volumeHealthStats: { abnormal } }) };
    }
    const { usedBytes, ...filesystem } = await filesystemUse(hostPath).catch(() => nodefs);
    const use = (await this.#isFilesystem(hostPath))
      ? { bytes: usedBytes, inodes: filesystem.inodes - filesystem.inodesFree }
      : await diskUsage(hostPath);
    return { time, name, ...filesystem, usedBytes: use.bytes, inodesUsed: use.inodes };
  }

  /** A volume that is a file system of its own knows what it holds; others have to be walked through. */
  async #isFilesystem(directory: string): Promise<boolean> {
    const [own, node] = await Promise.all(
      [directory, this.#options.config.rootDirectory].map((one) => fs.stat(one).catch(() => undefined)),
    );
    return own !== undefined && node !== undefined && own.isDirectory() && own.dev !== node.dev;
  }

  async #patiently(work: Promise<void>): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = this.#ctx.clock.after(PATIENCE_MS, resolve);
      void work.then(() => {
        timer.cancel();
        resolve();
      });
    });
  }

  #forget(): void {
    const oldest = this.#ctx.clock.monotonic() - FORGET_MS;
    for (const [key, { askedAt }] of this.#remembered) if (askedAt < oldest) this.#remembered.delete(key);
  }
}

const claimOf = ({ metadata }: Pod, { name, persistentVolumeClaim, ephemeral }: Volume): string | undefined =>
  persistentVolumeClaim?.claimName ?? (ephemeral === undefined ? undefined : `${metadata.name}-${name}`);
