/**
 * The volume manager: mounts the volumes of pods before their containers start, refreshes them, and unmounts them when
 * the pod has terminated.
 */
import fs from 'node:fs/promises';
import path from 'node:path';
import type { Pod, Volume } from '../../api/generated/core-v1.ts';
import { errorMessage } from '../../base/index.ts';
import { allContainers } from '../../component-helpers/index.ts';
import type { Timer } from '../../kernel/index.ts';
import type { PodEvents } from '../pod/pod-events.ts';
import { uidOf } from '../pod/pod-identity.ts';
import { pluginByDirectory, pluginOf } from './plugins.ts';
import { AttachLimitError, VolumeError, type MountedVolume, type VolumeHost, type VolumeRequest } from './volume.ts';

interface PodVolumes {
  pod: Pod;
  readonly mounted: Map<string, MountedVolume>;
  /** The last error of each volume, so that a refresh does not repeat its event. */
  readonly failing: Map<string, string>;
  /** The volumes that could not be attached because the node has as many as it can, with their drivers. */
  readonly overLimit: Map<string, string>;
  /** When its volumes were first mounted, on the monotonic clock. */
  readonly startedAt: number;
  refresh: Timer | undefined;
  refreshing: Promise<void> | undefined;
}

type VolumesOutcome =
  | { readonly type: 'mounted'; readonly volumes: ReadonlyMap<string, MountedVolume> }
  | { readonly type: 'failed'; readonly message: string; readonly retryInMs: number }
  /** The pod can never start here. */
  | { readonly type: 'rejected'; readonly reason: string; readonly message: string };

const RETRY_MS = 2000;
const MAX_TIMER_MS = 60_000;
/** So long a pod waits for another volume to be detached. */
const ATTACH_LIMIT_WAIT_MS = 123_000;
const MOUNT_POINT_PARENT = 'volumes';

export class VolumeManager {
  readonly #host: VolumeHost;
  readonly #events: PodEvents;
  readonly #pods = new Map<string, PodVolumes>();
  readonly #failures = new Map<string, number>();
  #isStopped = false;

  constructor(host: VolumeHost, events: PodEvents) {
    this.#host = host;
    this.#events = events;
  }

  podDirectory(podUid: string): string {
    return path.join(this.#host.rootDirectory, 'pods', podUid);
  }

  /** Mounts all volumes that are not mounted yet. Throws when the signal aborts. */
  async ensure(pod: Pod, signal: AbortSignal): Promise<VolumesOutcome> {
    const entry = this.#entry(pod);
    await entry.refreshing;
    const outcome = await this.#ensure(pod, entry, signal);
    signal.throwIfAborted();
    return outcome;
  }

  /** Takes over the mounted volumes of a pod that was running before a restart of the kubelet, to refresh them. */
  reclaim(pod: Pod): void {
    const uid = uidOf(pod);
    if (this.#pods.has(uid)) return;
    const entry = this.#entry(pod);
    entry.refreshing = this.#reclaim(uid, entry);
  }

  async #reclaim(uid: string, entry: PodVolumes): Promise<void> {
    const outcome = await this.#ensure(entry.pod, entry);
    if (outcome.type !== 'failed' || this.#isStopped || this.#pods.get(uid) !== entry) return;
    entry.refresh?.cancel();
    entry.refresh = this.#host.clock.after(outcome.retryInMs, () => {
      entry.refreshing = (entry.refreshing ?? Promise.resolve()).then(() => this.#reclaim(uid, entry));
    });
  }

  async #ensure(pod: Pod, entry: PodVolumes, signal?: AbortSignal): Promise<VolumesOutcome> {
    const uid = uidOf(pod);
    const wanted = neededVolumes(pod);
    const results = await Promise.all(wanted.map((volume) => this.#mount(entry, volume, signal)));
    const unmounted = wanted.filter((_, i) => results[i] !== undefined).map(({ name }) => name);
    if (unmounted.length === 0) {
      this.#failures.delete(uid);
      this.#scheduleRefresh(uid, entry);
      return { type: 'mounted', volumes: entry.mounted };
    }
    const isOver = this.#host.clock.monotonic() - entry.startedAt >= ATTACH_LIMIT_WAIT_MS;
    if (entry.overLimit.size > 0 && isOver) return this.#overLimit(entry, unmounted);
    const tries = (this.#failures.get(uid) ?? 0) + 1;
    this.#failures.set(uid, tries);
    return {
      type: 'failed',
      message: results.filter((message) => message !== undefined).join(', '),
      retryInMs: Math.min(RETRY_MS * 2 ** Math.min(tries - 1, 6), 122_000),
    };
  }

  /** The drivers are asked for their limits, so that the scheduler does not choose this node again. */
  async #overLimit({ overLimit }: PodVolumes, unmounted: readonly string[]): Promise<VolumesOutcome> {
    const { csi, logger } = this.#host;
    for (const driver of new Set(overLimit.values()))
      await csi
        .attachLimitReached(driver)
        .catch((error: unknown) => logger.error(error, 'Failed to update CSIDriver', { driver }));
    const unattached = [...overLimit.keys()].toSorted();
    return {
      type: 'rejected',
      reason: 'VolumeAttachmentLimitExceeded',
      message: `Node has reached its volume attachment limit, rejecting pod. unmounted volumes=[${unmounted.join(' ')}], unattached volumes=[${unattached.join(' ')}], failed to process volumes=[]: context deadline exceeded`,
    };
  }

  mounted(podUid: string): ReadonlyMap<string, MountedVolume> {
    return this.#pods.get(podUid)?.mounted ?? new Map();
  }

  /** A ConfigMap or Secret of these pods' volumes has changed, or the pod itself. */
  refresh(podUids: Iterable<string>): void {
    if (this.#isStopped) return;
    for (const uid of podUids) {
      const entry = this.#pods.get(uid);
      if (entry === undefined || entry.mounted.size === 0) continue;
      const before = entry.refreshing ?? Promise.resolve();
      entry.refreshing = before.then(() => this.#refresh(uid, entry));
    }
  }

  /** Labels and annotations may be in downwardAPI volumes. */
  update(pod: Pod): void {
    const entry = this.#pods.get(uidOf(pod));
    if (entry === undefined) return;
    const changed =
      JSON.stringify([entry.pod.metadata.labels, entry.pod.metadata.annotations]) !==
      JSON.stringify([pod.metadata.labels, pod.metadata.annotations]);
    entry.pod = pod;
    if (changed) this.#host.csi.podChanged(uidOf(pod));
    if (changed && usesDownwardApi(pod)) this.refresh([uidOf(pod)]);
  }

  /** Unmounts all volumes in the pod's directory, also those that an earlier kubelet mounted, and removes it. */
  async tearDown(pod: Pod): Promise<void> {
    const uid = uidOf(pod);
    const entry = this.#pods.get(uid);
    // First: a refresh that is under way would schedule the next one, which would keep the pod in memory for ever.
    this.#pods.delete(uid);
    entry?.refresh?.cancel();
    await entry?.refreshing;
    this.#failures.delete(uid);
    await this.cleanDirectory(uid, pod);
    this.#host.configMaps.release(uid);
    this.#host.secrets.release(uid);
    this.#host.tokens.forget(uid);
  }

  async cleanDirectory(uid: string, pod: Pod): Promise<void> {
    const directory = this.podDirectory(uid);
    const { mounter } = this.#host;
    const volumes = path.join(directory, MOUNT_POINT_PARENT);
    for (const kind of await fs.readdir(volumes).catch(() => [])) {
      const plugin = pluginByDirectory(kind.replace(/^kubernetes\.io~/, ''));
      for (const name of await fs.readdir(path.join(volumes, kind)).catch(() => [])) {
        await plugin?.unmount?.({ pod, volume: { name }, directory: path.join(volumes, kind, name), host: this.#host });
      }
    }
    for (const point of await mounter.below(directory)) await mounter.unmount(point);
    // Removing a directory with a mount in it would delete the data of the volume.
    const left = await mounter.below(directory);
    if (left.length > 0) throw new Error(`cannot remove ${directory}: ${left.join(', ')} is still mounted`);
    await fs.rm(directory, { recursive: true, force: true });
  }

  /** Nothing is refreshed any more. */
  stop(): void {
    this.#isStopped = true;
    for (const { refresh } of this.#pods.values()) refresh?.cancel();
  }

  async settled(): Promise<void> {
    for (const { refreshing } of this.#pods.values()) await refreshing;
  }

  #entry(pod: Pod): PodVolumes {
    const uid = uidOf(pod);
    let entry = this.#pods.get(uid);
    if (entry === undefined) {
      entry = {
        ...{
          pod,
          mounted: new Map(),
          failing: new Map(),
          overLimit: new Map(),
          refresh: undefined,
          refreshing: undefined,
        },
        startedAt: this.#host.clock.monotonic(),
      };
      this.#pods.set(uid, entry);
    }
    entry.pod = pod;
    return entry;
  }

  async #mount(entry: PodVolumes, volume: Volume, signal: AbortSignal | undefined): Promise<string | undefined> {
    if (entry.mounted.has(volume.name)) return undefined;
    entry.overLimit.delete(volume.name);
    try {
      entry.mounted.set(
        volume.name,
        await pluginOf(volume).mount({
          ...this.#request(entry.pod, volume),
          ...(signal === undefined ? {} : { signal }),
        }),
      );
      entry.failing.delete(volume.name);
      return undefined;
    } catch (error) {
      const message = failureOf(volume, error);
      if (signal?.aborted === true) return message;
      if (error instanceof AttachLimitError) entry.overLimit.set(volume.name, error.driver);
      this.#events.pod(entry.pod, 'Warning', 'FailedMount', message);
      entry.failing.set(volume.name, message);
      return message;
    }
  }

  async #refresh(uid: string, entry: PodVolumes): Promise<void> {
    for (const volume of entry.pod.spec?.volumes ?? []) {
      if (this.#isStopped) return;
      const { mounted } = entry;
      if (!mounted.has(volume.name) || (!isLive(volume) && !this.#isDue(mounted.get(volume.name)))) continue;
      try {
        entry.mounted.set(volume.name, await pluginOf(volume).mount(this.#request(entry.pod, volume)));
        entry.failing.delete(volume.name);
      } catch (error) {
        const message = failureOf(volume, error);
        if (entry.failing.get(volume.name) === message) continue;
        entry.failing.set(volume.name, message);
        this.#events.pod(entry.pod, 'Warning', 'FailedMount', message);
      }
    }
    this.#scheduleRefresh(uid, entry);
  }

  #isDue(mounted: MountedVolume | undefined): boolean {
    return mounted?.refreshAt !== undefined && mounted.refreshAt <= this.#host.clock.now();
  }

  /** Schedules the next refresh, such as the renewal of a token. */
  #scheduleRefresh(uid: string, entry: PodVolumes): void {
    const { clock } = this.#host;
    const due = Math.min(...Array.from(entry.mounted.values(), ({ refreshAt }) => refreshAt ?? Infinity));
    entry.refresh?.cancel();
    if (this.#isStopped || this.#pods.get(uid) !== entry) return;
    if (!Number.isFinite(due)) return void (entry.refresh = undefined);
    const left = Math.max(1000, due - clock.now());
    // Tokens expire by the wall clock, which may be set forward: check again at intervals.
    entry.refresh =
      left > MAX_TIMER_MS
        ? clock.after(MAX_TIMER_MS, () => this.#scheduleRefresh(uid, entry))
        : clock.after(left, () => this.refresh([uid]));
  }

  #request(pod: Pod, volume: Volume): VolumeRequest {
    const directory = path.join(
      this.podDirectory(uidOf(pod)),
      MOUNT_POINT_PARENT,
      `kubernetes.io~${pluginOf(volume).directoryName}`,
      volume.name,
    );
    return { pod, volume, directory, host: this.#host };
  }
}

const failureOf = (volume: Volume, error: unknown): string =>
  `${(error instanceof VolumeError ? error.failed : undefined) ?? `MountVolume.SetUp failed for volume ${JSON.stringify(volume.name)}`} : ${errorMessage(error)}`;

const isLive = (volume: Volume): boolean =>
  volume.configMap !== undefined ||
  volume.secret !== undefined ||
  volume.downwardAPI !== undefined ||
  volume.projected !== undefined;

const usesDownwardApi = ({ spec }: Pod): boolean =>
  spec?.volumes?.some(
    ({ downwardAPI, projected }) =>
      downwardAPI !== undefined || projected?.sources?.some((source) => source.downwardAPI !== undefined),
  ) ?? false;

/** Volumes that no container uses are not mounted. */
function neededVolumes({ spec }: Pod): Volume[] {
  const used = new Set(
    allContainers(spec).flatMap(({ volumeMounts = [], volumeDevices = [], env = [] }) =>
      [...volumeMounts, ...volumeDevices]
        .map(({ name }) => name)
        .concat(env.map(({ valueFrom }) => valueFrom?.fileKeyRef?.volumeName ?? '')),
    ),
  );
  return (spec?.volumes ?? []).filter(({ name }) => used.has(name));
}
