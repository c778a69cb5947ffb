/** The devices that containers hold, with their plugin's answer to Allocate, which their restarts use again. */
import { ownValue } from '../../base/index.ts';
import type { ContainerDevices, DevicesPerNuma } from './device-checkpoint.ts';
import type { ContainerAllocateResponse } from './device-plugin-v1beta1.generated.ts';

export interface DeviceAllocation {
  readonly devices: DevicesPerNuma;
  readonly response: ContainerAllocateResponse;
}

type ByResource = Readonly<Record<string, DeviceAllocation>>;

export const idsOf = (allocation: DeviceAllocation | undefined): string[] => [
  ...new Set(Object.values(allocation?.devices ?? {}).flat()),
];

export class PodDevices {
  /** By pod uid, container and resource. */
  readonly #pods = new Map<string, Record<string, Record<string, DeviceAllocation>>>();

  get podUids(): string[] {
    return [...this.#pods.keys()];
  }

  ofPod(podUid: string): Readonly<Record<string, ByResource>> {
    return this.#pods.get(podUid) ?? {};
  }

  of(podUid: string, container: string): ByResource {
    return ownValue(this.ofPod(podUid), container) ?? {};
  }

  insert(podUid: string, container: string, resource: string, allocation: DeviceAllocation): void {
    const containers = this.#pods.get(podUid) ?? {};
    this.#pods.set(podUid, {
      ...containers,
      [container]: { ...ownValue(containers, container), [resource]: allocation },
    });
  }

  /** False if the pod held none. */
  remove(podUid: string): boolean {
    return this.#pods.delete(podUid);
  }

  entries(): ContainerDevices[] {
    return this.podUids.flatMap((podUid) =>
      Object.entries(this.ofPod(podUid)).flatMap(([container, resources]) =>
        Object.entries(resources).map(([resource, allocation]) => ({ podUid, container, resource, ...allocation })),
      ),
    );
  }
}
