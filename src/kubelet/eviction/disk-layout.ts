/**
 * The layout of nodefs, imagefs and containerfs for the eviction manager. It decides which thresholds apply to containerfs,
 * which disk usage of a pod counts for an eviction signal, and what node-level reclaim (container GC, image GC) can free.
 */
import { SIGNALS, type Signal, type Threshold } from './thresholds.ts';

/**
 * - `single-filesystem`: images, writable layers, volumes and logs are on one file system;
 * - `dedicated-imagefs`: images and writable layers are on imagefs, volumes and logs on nodefs;
 * - `split-containerfs`: images are on imagefs; writable layers, volumes and logs are on nodefs.
 */
export type DiskLayout = 'single-filesystem' | 'dedicated-imagefs' | 'split-containerfs';

/** Kinds of disk usage of a pod: writable layers of containers, container logs, local volumes. */
export type FsStatsType = 'root' | 'logs' | 'local-volumes';

export type Reclaimable = 'containers' | 'images';

type Filesystem = 'nodefs' | 'imagefs' | 'containerfs';

const ALL_FS_STATS: readonly FsStatsType[] = ['root', 'logs', 'local-volumes'];

const FS_STATS: Readonly<Record<DiskLayout, Readonly<Record<Filesystem, readonly FsStatsType[]>>>> = {
  'single-filesystem': { nodefs: ALL_FS_STATS, imagefs: ALL_FS_STATS, containerfs: ALL_FS_STATS },
  'dedicated-imagefs': { nodefs: ['logs', 'local-volumes'], imagefs: ['root'], containerfs: ['root'] },
  'split-containerfs': { nodefs: ALL_FS_STATS, imagefs: [], containerfs: ALL_FS_STATS },
};

const RECLAIMABLE: Readonly<Record<DiskLayout, Readonly<Record<Filesystem, readonly Reclaimable[]>>>> = {
  'single-filesystem': {
    nodefs: ['containers', 'images'],
    imagefs: ['containers', 'images'],
    containerfs: ['containers', 'images'],
  },
  'dedicated-imagefs': { nodefs: [], imagefs: ['containers', 'images'], containerfs: ['containers', 'images'] },
  'split-containerfs': { nodefs: ['containers'], imagefs: ['images'], containerfs: ['containers'] },
};

/** The disk usage of a pod that counts for an eviction signal. */
export function fsStatsToMeasure(signal: Signal, layout: DiskLayout): readonly FsStatsType[] {
  const filesystem = filesystemOf(signal);
  return filesystem === undefined ? ALL_FS_STATS : FS_STATS[layout][filesystem];
}

/** What node-level reclaim can free for an eviction signal, in the order in which it is tried. */
export function reclaimable(signal: Signal, layout: DiskLayout): readonly Reclaimable[] {
  const filesystem = filesystemOf(signal);
  return filesystem === undefined ? [] : RECLAIMABLE[layout][filesystem];
}

/**
 * The kubelet uses the thresholds of imagefs for containerfs when both are on one file system, otherwise those of nodefs.
 * Configured thresholds of containerfs are ignored, as upstream.
 */
export function updateContainerFsThresholds(thresholds: readonly Threshold[], layout: DiskLayout): Threshold[] {
  const same = layout === 'dedicated-imagefs' ? 'imagefs' : 'nodefs';
  const others = thresholds.filter(({ signal }) => filesystemOf(signal) !== 'containerfs');
  return [
    ...others,
    ...others.flatMap((threshold): Threshold[] => {
      const signal = filesystemOf(threshold.signal) === same ? threshold.signal.replace(same, 'containerfs') : '';
      return isSignal(signal) ? [{ ...threshold, signal }] : [];
    }),
  ];
}

/** Messages for configured thresholds of containerfs, which are ignored. */
export function ignoredContainerFsThresholds(thresholds: readonly Threshold[]): string[] {
  return thresholds
    .filter(({ signal }) => filesystemOf(signal) === 'containerfs')
    .map(({ signal, hard }) => `found ${signal} for ${hard ? 'hard' : 'soft'} eviction. ignoring`);
}

const isSignal = (name: string): name is Signal => Object.hasOwn(SIGNALS, name);

function filesystemOf(signal: Signal): Filesystem | undefined {
  const [name] = signal.split('.');
  return name === 'nodefs' || name === 'imagefs' || name === 'containerfs' ? name : undefined;
}
