/** What device plugins and the CPU manager add to a container when it starts. */
import type { Container, EphemeralContainer, Pod } from '../../api/generated/core-v1.ts';
import type { Device, Mount } from '../../cri/index.ts';

export interface ContainerAddition {
  readonly environment: Readonly<Record<string, string>>;
  readonly mounts: readonly Mount[];
  readonly devices: readonly Device[];
  readonly annotations: Readonly<Record<string, string>>;
  readonly cdiDevices: readonly string[];
  readonly cpuset?: string;
}

export interface ContainerExtras {
  addition(pod: Pod, container: Container | EphemeralContainer): Promise<ContainerAddition>;
  /** The pod is gone; what it held is free. */
  release(podUid: string): void;
}

export const NO_ADDITION: ContainerAddition = { environment: {}, mounts: [], devices: [], annotations: {}, cdiDevices: [] };
