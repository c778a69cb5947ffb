/** The node status from the machine, the runtime and the kubelet's components. */
import type { ContainerImage, Node, NodeCondition, NodeStatus } from '../../api/generated/core-v1.ts';
import { KUBERNETES_VERSION } from '../../api/kubernetes-version.ts';
import { formatTime } from '../../base/index.ts';
import type { Image, RuntimeHandler, RuntimeFeatures } from '../../cri/index.ts';
import type { Machine } from './machine.ts';

interface NodeStatusInput {
  readonly now: number;
  readonly nodeName: string;
  readonly machine: Machine;
  readonly capacity: Readonly<Record<string, string>>;
  readonly allocatable: Readonly<Record<string, string>>;
  readonly addresses: readonly { readonly type: string; readonly address: string }[];
  readonly port: number;
  readonly runtimeVersion: string;
  readonly runtimeHandlers: readonly RuntimeHandler[];
  readonly runtimeFeatures: RuntimeFeatures | undefined;
  readonly images: readonly Image[];
  readonly maxImages: number;
  readonly pressures: ReadonlySet<string>;
  /** Why the node is not Ready; empty when it is. */
  readonly problems: readonly string[];
  readonly volumesInUse: readonly string[];
  readonly before: Node | undefined;
}

/** Features of this kubelet that the scheduler must know, in alphabetical order. */
const DECLARED_FEATURES = [
  'InPlacePodLevelResourcesVerticalScaling',
  'InPlacePodVerticalScalingInitContainers',
  'RestartAllContainersOnContainerExits',
] as const;

export function nodeStatus(input: NodeStatusInput): NodeStatus {
  const { machine, runtimeVersion } = input;
  return {
    addresses: input.addresses.map(({ type, address }) => ({ type, address })),
    capacity: { ...addedCapacity(input), ...input.capacity },
    allocatable: { ...addedCapacity(input), ...input.allocatable },
    conditions: conditions(input),
    daemonEndpoints: { kubeletEndpoint: { Port: input.port } },
    nodeInfo: {
      machineID: machine.machineId,
      systemUUID: machine.systemUuid,
      bootID: machine.bootId,
      kernelVersion: machine.kernelVersion,
      osImage: machine.osImage,
      containerRuntimeVersion: runtimeVersion,
      kubeletVersion: KUBERNETES_VERSION,
      kubeProxyVersion: '',
      operatingSystem: 'linux',
      architecture: machine.architecture,
      ...(machine.swapBytes > 0 ? { swap: { capacity: machine.swapBytes } } : {}),
    },
    images: nodeImages(input.images, input.maxImages),
    ...(input.volumesInUse.length > 0 ? { volumesInUse: [...input.volumesInUse] } : {}),
    ...(input.runtimeHandlers.length > 0
      ? {
          runtimeHandlers: input.runtimeHandlers.map(({ name = '', features }) => ({
            name,
            features: {
              recursiveReadOnlyMounts: features?.recursiveReadOnlyMounts === true,
              userNamespaces: features?.userNamespaces === true,
            },
          })),
        }
      : {}),
    declaredFeatures: [...DECLARED_FEATURES],
    features: { supplementalGroupsPolicy: input.runtimeFeatures?.supplementalGroupsPolicy === true },
  };
}

/** Extended resources that an administrator has added to the capacity: all of them are allocatable. */
function addedCapacity({ before, capacity }: NodeStatusInput): Record<string, string> {
  const added = Object.entries(before?.status?.capacity ?? {}).filter(
    ([name]) => capacity[name] === undefined && name.includes('/') && !/(?:^|\.)kubernetes\.io\//.test(name),
  );
  return Object.fromEntries(added);
}

interface Pressure {
  readonly type: string;
  readonly good: readonly [string, string];
  readonly bad: readonly [string, string];
}

const PRESSURES: readonly Pressure[] = [
  {
    type: 'MemoryPressure',
    good: ['KubeletHasSufficientMemory', 'kubelet has sufficient memory available'],
    bad: ['KubeletHasInsufficientMemory', 'kubelet has insufficient memory available'],
  },
  {
    type: 'DiskPressure',
    good: ['KubeletHasNoDiskPressure', 'kubelet has no disk pressure'],
    bad: ['KubeletHasDiskPressure', 'kubelet has disk pressure'],
  },
  {
    type: 'PIDPressure',
    good: ['KubeletHasSufficientPID', 'kubelet has sufficient PID available'],
    bad: ['KubeletHasInsufficientPID', 'kubelet has insufficient PID available'],
  },
];

function conditions({ now, pressures, problems, before }: NodeStatusInput): NodeCondition[] {
  const time = formatTime(now);
  const current = PRESSURES.map(({ type, good, bad }): NodeCondition => {
    const isBad = pressures.has(type);
    const [reason, message] = isBad ? bad : good;
    return {
      type,
      status: isBad ? 'True' : 'False',
      lastHeartbeatTime: time,
      lastTransitionTime: time,
      reason,
      message,
    };
  });
  const ready = problems.length === 0;
  current.push({
    type: 'Ready',
    status: ready ? 'True' : 'False',
    lastHeartbeatTime: time,
    lastTransitionTime: time,
    reason: ready ? 'KubeletReady' : 'KubeletNotReady',
    message: ready
      ? 'kubelet is posting ready status'
      : `[${problems.join(', ')}]`.replace(/^\[(.*)\]$/, problems.length === 1 ? '$1' : '[$1]'),
  });
  const old = new Map((before?.status?.conditions ?? []).map((condition) => [condition.type, condition]));
  const own = current.map((condition) => {
    const previous = old.get(condition.type);
    return previous?.status === condition.status
      ? { ...condition, lastTransitionTime: previous.lastTransitionTime ?? time }
      : condition;
  });
  const ownTypes = new Set(own.map(({ type }) => type));
  return [...(before?.status?.conditions ?? []).filter(({ type }) => !ownTypes.has(type)), ...own];
}

const MAX_NAMES = 5;

/** The largest images first, each with at most MAX_NAMES names. */
function nodeImages(images: readonly Image[], max: number): ContainerImage[] {
  const listed = images
    .toSorted((a, b) => (b.size ?? 0) - (a.size ?? 0))
    .map(({ repoTags = [], repoDigests = [], size = 0 }) => ({
      names: [...repoDigests, ...repoTags].slice(0, MAX_NAMES),
      sizeBytes: size,
    }));
  return max < 0 ? listed : listed.slice(0, max);
}
