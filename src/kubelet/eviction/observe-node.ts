/** What the node has left of everything that can run out. */
import fs from 'node:fs/promises';
import type { ContainerRuntime } from '../../cri/index.ts';
import type { CgroupManager } from '../cgroups/cgroup-manager.ts';
import type { KubeletConfig } from '../kubelet-options.ts';
import { filesystemUse, memoryAvailable, processCounts, type FilesystemUse, type Machine } from '../node/machine.ts';
import type { Observation, Observations } from './thresholds.ts';

export interface NodeObserverOptions {
  readonly config: KubeletConfig;
  readonly machine: Machine;
  readonly runtime: ContainerRuntime;
  readonly cgroups: CgroupManager;
}

export class NodeObserver {
  readonly #options: NodeObserverOptions;
  #imageFs: string | undefined;

  constructor(options: NodeObserverOptions) {
    this.#options = options;
  }

  async observe(): Promise<Observations> {
    const { config, machine, cgroups } = this.#options;
    const [available, nodefs, imagefs, processes, pods] = await Promise.all([memoryAvailable(), filesystemUse(config.rootDirectory), filesystemUse(await this.#imageFsMountpoint()), processCounts(), cgroups.podsMemory()]);
    return {
      'memory.available': { available, capacity: machine.memoryBytes },
      ...(pods === undefined ? {} : { 'allocatableMemory.available': { available: Math.max(0, pods.limitBytes - pods.workingSetBytes), capacity: pods.limitBytes } }),
      'nodefs.available': bytes(nodefs),
      'imagefs.available': bytes(imagefs),
      ...inodes('nodefs.inodesFree', nodefs),
      ...inodes('imagefs.inodesFree', imagefs),
      'pid.available': { available: processes.max - processes.running, capacity: processes.max },
    };
  }

  /** Whether images and writable layers are on another disk than volumes and logs. */
  async hasDedicatedImageFs(): Promise<boolean> {
    const [images, node] = await Promise.all([fs.stat(await this.#imageFsMountpoint()), fs.stat(this.#options.config.rootDirectory)]);
    return images.dev !== node.dev;
  }

  /** Asked once: the answer also counts what the runtime has on its disk, which takes long. */
  async #imageFsMountpoint(): Promise<string> {
    if (this.#imageFs !== undefined) return this.#imageFs;
    const { imageFilesystems = [] } = await this.#options.runtime.images.imageFsInfo({});
    const mountpoint = imageFilesystems[0]?.fsId?.mountpoint;
    const isThere = mountpoint !== undefined && (await fs.stat(mountpoint).then(() => true, () => false));
    return (this.#imageFs = isThere ? mountpoint : this.#options.config.rootDirectory);
  }
}

const bytes = ({ availableBytes, capacityBytes }: FilesystemUse): Observation => ({ available: availableBytes, capacity: capacityBytes });

/** Some file systems make inodes as they need them, and say that they have none. */
const inodes = <N extends string>(name: N, { inodes: capacity, inodesFree }: FilesystemUse): Partial<Record<N, Observation>> => (capacity > 0 ? ({ [name]: { available: inodesFree, capacity } } as Record<N, Observation>) : {});
