/** Observations of the eviction signals: available memory, disk, inodes and PIDs of the node. */
import fs from 'node:fs/promises';
import type { ContainerRuntime, FilesystemUsage } from '../../cri/index.ts';
import type { CgroupManager } from '../cgroups/cgroup-manager.ts';
import type { KubeletConfig } from '../kubelet-options.ts';
import { filesystemUse, memoryAvailable, processCounts, type FilesystemUse, type Machine } from '../node/machine.ts';
import type { DiskLayout } from './disk-layout.ts';
import type { Observation, Observations } from './thresholds.ts';

interface SignalObserverOptions {
  readonly config: KubeletConfig;
  readonly machine: Machine;
  readonly runtime: ContainerRuntime;
  readonly cgroups: CgroupManager;
}

interface Disks {
  readonly layout: DiskLayout;
  /** Mount points of imagefs and containerfs. */
  readonly images: string;
  readonly containers: string;
}

export class SignalObserver {
  readonly #options: SignalObserverOptions;
  #disks: Disks | undefined;

  constructor(options: SignalObserverOptions) {
    this.#options = options;
  }

  async observe(): Promise<Observations> {
    const { config, machine, cgroups } = this.#options;
    const { images, containers } = await this.#findDisks();
    const [available, nodefs, imagefs, containerfs, processes, pods] = await Promise.all([
      memoryAvailable(),
      filesystemUse(config.rootDirectory),
      filesystemUse(images),
      filesystemUse(containers),
      processCounts(),
      cgroups.podsMemory(),
    ]);
    return {
      'memory.available': { available, capacity: machine.memoryBytes },
      ...(pods === undefined
        ? {}
        : {
            'allocatableMemory.available': {
              available: Math.max(0, pods.limitBytes - pods.workingSetBytes),
              capacity: pods.limitBytes,
            },
          }),
      'nodefs.available': bytes(nodefs),
      'imagefs.available': bytes(imagefs),
      'containerfs.available': bytes(containerfs),
      ...inodes('nodefs.inodesFree', nodefs),
      ...inodes('imagefs.inodesFree', imagefs),
      ...inodes('containerfs.inodesFree', containerfs),
      'pid.available': { available: processes.max - processes.running, capacity: processes.max },
    };
  }

  async diskLayout(): Promise<DiskLayout> {
    return (await this.#findDisks()).layout;
  }

  /** Read once, because ImageFsInfo also measures the disk usage of the runtime, which is slow. */
  async #findDisks(): Promise<Disks> {
    if (this.#disks !== undefined) return this.#disks;
    const { runtime, config } = this.#options;
    const { imageFilesystems = [], containerFilesystems = [] } = await runtime.images.imageFsInfo({});
    const node = await fs.stat(config.rootDirectory);
    const found = async (
      [first]: readonly FilesystemUsage[],
      otherwise: { path: string; device: number },
    ): Promise<{ path: string; device: number }> => {
      const mountpoint = first?.fsId?.mountpoint;
      const stats = mountpoint === undefined ? undefined : await fs.stat(mountpoint).catch(() => undefined);
      return mountpoint === undefined || stats === undefined ? otherwise : { path: mountpoint, device: stats.dev };
    };
    const images = await found(imageFilesystems, { path: config.rootDirectory, device: node.dev });
    const containers = await found(containerFilesystems, images);
    const layout =
      images.device === node.dev
        ? 'single-filesystem'
        : images.device === containers.device
          ? 'dedicated-imagefs'
          : 'split-containerfs';
    return (this.#disks = { layout, images: images.path, containers: containers.path });
  }
}

const bytes = ({ availableBytes, capacityBytes }: FilesystemUse): Observation => ({
  available: availableBytes,
  capacity: capacityBytes,
});

/** File systems that allocate inodes dynamically report none: they have no inode signal. */
const inodes = <N extends string>(
  name: N,
  { inodes: capacity, inodesFree }: FilesystemUse,
): Partial<Record<N, Observation>> =>
  capacity > 0 ? ({ [name]: { available: inodesFree, capacity } } as Record<N, Observation>) : {};
