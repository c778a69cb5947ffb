/** The CRI ContainerConfig of a container. */
import type { Container, EphemeralContainer, Pod } from '../../api/generated/core-v1.ts';
import type {
  ContainerConfig,
  Device,
  Image,
  KeyValue,
  LinuxContainerResources,
  Mount,
  Signal,
} from '../../cri/index.ts';
import { expand } from '../environment/expand.ts';
import { linuxResources, resourcesInPod, type ResourceSettings } from '../pod/container-resources.ts';
import { oomScoreAdjustment } from '../pod/pod-resources.ts';
import { containerAnnotations, containerLabels } from './labels.ts';
import { containerSecurityContext, type SecuritySettings } from './security-context.ts';

interface ContainerInput {
  readonly pod: Pod;
  readonly container: Container | EphemeralContainer;
  readonly restartCount: number;
  readonly imageRef: string;
  readonly image: Image | undefined;
  readonly environment: ReadonlyMap<string, string>;
  readonly mounts: readonly Mount[];
  readonly devices: readonly Device[];
  readonly extraAnnotations?: Readonly<Record<string, string>>;
  readonly cdiDevices?: readonly string[];
  readonly cpuset?: string;
  readonly memset?: string;
  readonly resources: ResourceSettings;
  readonly security: SecuritySettings;
  readonly memoryCapacity: number;
  readonly targetId?: string;
}

export function containerConfig(input: ContainerInput): ContainerConfig {
  const { pod, container, restartCount, environment } = input;
  const lookup = (name: string): string | undefined => environment.get(name);
  const expanded = (texts: readonly string[] | undefined): string[] =>
    (texts ?? []).map((text) => expand(text, lookup));
  return {
    metadata: { name: container.name, attempt: restartCount },
    image: { image: input.imageRef, userSpecifiedImage: container.image ?? '' },
    command: expanded(container.command),
    args: expanded(container.args),
    workingDir: container.workingDir ?? '',
    envs: Array.from(environment, ([key, value]): KeyValue => ({ key, value: Buffer.from(value) })),
    mounts: input.mounts,
    devices: input.devices,
    ...(input.cdiDevices === undefined || input.cdiDevices.length === 0
      ? {}
      : { CDIDevices: input.cdiDevices.map((name) => ({ name })) }),
    labels: containerLabels(pod, container.name),
    annotations: { ...input.extraAnnotations, ...containerAnnotations(pod, container, restartCount) },
    logPath: `${container.name}/${restartCount}.log`,
    stdin: container.stdin === true,
    stdinOnce: container.stdinOnce === true,
    tty: container.tty === true,
    ...(container.lifecycle?.stopSignal === undefined ? {} : { stopSignal: container.lifecycle.stopSignal as Signal }),
    linux: {
      resources: containerResources(input),
      securityContext: containerSecurityContext(
        input.targetId === undefined
          ? { ...input, settings: input.security }
          : { ...input, settings: input.security, targetId: input.targetId },
      ),
    },
  };
}

export function containerResources({
  pod,
  container,
  resources,
  memoryCapacity,
  cpuset,
  memset,
}: Pick<
  ContainerInput,
  'pod' | 'container' | 'resources' | 'memoryCapacity' | 'cpuset' | 'memset'
>): LinuxContainerResources {
  return {
    ...linuxResources(resourcesInPod(pod, container), resources),
    oomScoreAdj: oomScoreAdjustment(pod, container, memoryCapacity),
    ...(cpuset === undefined ? {} : { cpusetCpus: cpuset }),
    ...(memset === undefined ? {} : { cpusetMems: memset }),
  };
}
