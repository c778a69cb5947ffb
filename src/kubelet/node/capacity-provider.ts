/** The node's capacity and allocatable now. The size of the root file system is read by `refresh` only. */
import type { DeviceManager } from '../devices/device-manager.ts';
import type { KubeletConfig } from '../kubelet-options.ts';
import { nodeAllocatable, nodeCapacity, type CapacityInput } from './capacity.ts';
import { filesystemUse, type Machine } from './machine.ts';

export class CapacityProvider {
  readonly #machine: Machine;
  readonly #config: KubeletConfig;
  readonly #devices: Pick<DeviceManager, 'resources'>;
  #nodefs: CapacityInput['nodefs'] | undefined;

  constructor(machine: Machine, config: KubeletConfig, devices: Pick<DeviceManager, 'resources'>) {
    this.#machine = machine;
    this.#config = config;
    this.#devices = devices;
  }

  async refresh(): Promise<void> {
    this.#nodefs = await filesystemUse(this.#config.rootDirectory);
  }

  capacity(): Record<string, string> {
    return nodeCapacity(this.#input());
  }

  allocatable(): Record<string, string> {
    return nodeAllocatable(this.capacity(), this.#input());
  }

  #input(): CapacityInput {
    if (this.#nodefs === undefined) throw new Error('the capacity was requested before the first refresh');
    return { machine: this.#machine, nodefs: this.#nodefs, config: this.#config, devices: this.#devices.resources() };
  }
}
