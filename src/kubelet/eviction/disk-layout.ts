/**
 * On which disks images and the writable layers of containers lie, and what follows from it: which limits hold for the
 * containers' disk, what of a pod lies on the disk that runs out, and what can be freed there without ending any pod.
 */
import { SIGNALS, type Signal, type Threshold } from './thresholds.ts';

/**
 * - `one-disk`: everything lies with volumes and logs;
 * - `images-and-containers`: both have a disk of their own together;
 * - `images-alone`: images have one, writable layers lie with volumes and logs.
 */
export type DiskLayout = 'single-filesystem' | 'dedicated-imagefs' | 'split-containerfs';

/** What of a pod is on a disk: the writable layers of its containers, their logs, its local volumes. */
export type FsStatsType = 'root' | 'logs' | 'local-volumes';

export type Reclaimable = 'containers' | 'images';

type Disk = 'nodefs' | 'imagefs' | 'containerfs';

const EVERYTHING: readonly FsStatsType[] = ['root', 'logs', 'local-volumes'];

const PARTS: Readonly<Record<DiskLayout, Readonly<Record<Disk, readonly FsStatsType[]>>>> = {
  'single-filesystem': { nodefs: EVERYTHING, imagefs: EVERYTHING, containerfs: EVERYTHING },
  'dedicated-imagefs': { nodefs: ['logs', 'local-volumes'], imagefs: ['root'], containerfs: ['root'] },
  'split-containerfs': { nodefs: EVERYTHING, imagefs: [], containerfs: EVERYTHING },
};

const RECLAIMABLE: Readonly<Record<DiskLayout, Readonly<Record<Disk, readonly Reclaimable[]>>>> = {
  'single-filesystem': {
    nodefs: ['containers', 'images'],
    imagefs: ['containers', 'images'],
    containerfs: ['containers', 'images'],
  },
  'dedicated-imagefs': { nodefs: [], imagefs: ['containers', 'images'], containerfs: ['containers', 'images'] },
  'split-containerfs': { nodefs: ['containers'], imagefs: ['images'], containerfs: ['containers'] },
};

/** What of a pod lies on the disk that runs out. */
export function fsStatsToMeasure(signal: Signal, layout: DiskLayout): readonly FsStatsType[] {
  const disk = diskOf(signal);
  return disk === undefined ? EVERYTHING : PARTS[layout][disk];
}

/** What can be freed on the disk that runs out, in the order in which it is tried. */
export function reclaimable(signal: Signal, layout: DiskLayout): readonly Reclaimable[] {
  const disk = diskOf(signal);
  return disk === undefined ? [] : RECLAIMABLE[layout][disk];
}

/** The limits of the disk that containers lie on are those of its other name; such as were set for it alone do not count. */
export function updateContainerFsThresholds(thresholds: readonly Threshold[], layout: DiskLayout): Threshold[] {
  const same = layout === 'dedicated-imagefs' ? 'imagefs' : 'nodefs';
  const others = thresholds.filter(({ signal }) => diskOf(signal) !== 'containerfs');
  return [
    ...others,
    ...others.flatMap((threshold): Threshold[] => {
      const signal = diskOf(threshold.signal) === same ? threshold.signal.replace(same, 'containerfs') : '';
      return isSignal(signal) ? [{ ...threshold, signal }] : [];
    }),
  ];
}

/** The names of limits that were set in vain. */
export function ignoredContainerFsThresholds(thresholds: readonly Threshold[]): string[] {
  return thresholds
    .filter(({ signal }) => diskOf(signal) === 'containerfs')
    .map(({ signal, hard }) => `found ${signal} for ${hard ? 'hard' : 'soft'} eviction. ignoring`);
}

const isSignal = (name: string): name is Signal => Object.hasOwn(SIGNALS, name);

function diskOf(signal: Signal): Disk | undefined {
  const [name] = signal.split('.');
  return name === 'nodefs' || name === 'imagefs' || name === 'containerfs' ? name : undefined;
}
