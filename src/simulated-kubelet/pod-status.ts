/** The status of a simulated pod, as a kubelet would report it. */
import type {
  Container,
  ContainerState,
  ContainerStatus,
  Pod,
  PodCondition,
  PodStatus,
} from '../api/generated/core-v1.ts';
import { formatTime } from '../base/index.ts';
import { isTerminalPhase } from '../component-helpers/index.ts';

/** A container's state; times in milliseconds since the epoch. */
export type ContainerPhase =
  | { readonly type: 'waiting'; readonly reason: string; readonly message?: string }
  /** `scripted`: its script has begun. */
  | { readonly type: 'running'; readonly startedAt: number; readonly scripted?: true }
  | {
      readonly type: 'terminated';
      readonly startedAt: number;
      readonly finishedAt: number;
      readonly exitCode: number;
      readonly reason: string;
      readonly message?: string;
    };

export interface ContainerModel {
  readonly spec: Container;
  /** Sidecars are restartable init containers. */
  readonly kind: 'init' | 'sidecar' | 'main' | 'ephemeral';
  phase: ContainerPhase;
  last: ContainerPhase | undefined;
  ready: boolean;
  restartCount: number;
  /** It has ended and waits for its restart. */
  restarts: boolean;
  /** Empty until the container has started. */
  id: string;
}

interface PodModel {
  readonly containers: readonly ContainerModel[];
  readonly startTime: number;
  readonly hostIP: string;
  /** Undefined until the pod has a sandbox. */
  readonly podIP: string | undefined;
  readonly phase: 'Pending' | 'Running' | 'Succeeded' | 'Failed';
  readonly reason?: string;
  readonly message?: string;
}

const KUBELET_CONDITIONS = new Set([
  'PodReadyToStartContainers',
  'Initialized',
  'Ready',
  'ContainersReady',
  'PodScheduled',
]);

export function podStatus(pod: Pod, model: PodModel, now: number): PodStatus {
  const previous = pod.status;
  const init = model.containers.filter(({ kind }) => kind === 'init' || kind === 'sidecar');
  const main = model.containers.filter(({ kind }) => kind === 'main');
  const ephemeral = model.containers.filter(({ kind }) => kind === 'ephemeral');
  return {
    observedGeneration: pod.metadata.generation,
    phase: model.phase,
    conditions: conditions(pod, model, now),
    ...(model.message ? { message: model.message } : {}),
    ...(model.reason ? { reason: model.reason } : {}),
    hostIP: model.hostIP,
    hostIPs: [{ ip: model.hostIP }],
    ...(model.podIP ? { podIP: model.podIP, podIPs: [{ ip: model.podIP }] } : {}),
    startTime: previous?.startTime ?? formatTime(model.startTime),
    ...(init.length > 0 ? { initContainerStatuses: init.map(containerStatus) } : {}),
    containerStatuses: main.map(containerStatus),
    ...(ephemeral.length > 0 ? { ephemeralContainerStatuses: ephemeral.map(containerStatus) } : {}),
    ...(previous?.qosClass ? { qosClass: previous.qosClass } : {}),
    ...(previous?.nominatedNodeName ? { nominatedNodeName: previous.nominatedNodeName } : {}),
    ...(previous?.resourceClaimStatuses ? { resourceClaimStatuses: previous.resourceClaimStatuses } : {}),
  };
}

function containerStatus(container: ContainerModel): ContainerStatus {
  const { spec, kind, phase, last, ready, restartCount, id } = container;
  return {
    name: spec.name,
    state: containerState(phase, id),
    lastState: last ? containerState(last, id) : {},
    ready,
    restartCount,
    image: spec.image ?? '',
    imageID: id === '' ? '' : `simulated://${spec.image ?? ''}`,
    ...(id === '' ? {} : { containerID: `simulated://${id}` }),
    // Nothing probes an ephemeral container.
    ...(kind === 'ephemeral' ? {} : { started: phase.type === 'running' }),
    ...(phase.type === 'running' && spec.resources?.requests ? { allocatedResources: spec.resources.requests } : {}),
    ...(phase.type === 'running' && spec.resources ? { resources: spec.resources } : {}),
  };
}

function containerState(phase: ContainerPhase, id: string): ContainerState {
  switch (phase.type) {
    case 'waiting':
      return { waiting: { reason: phase.reason, ...(phase.message ? { message: phase.message } : {}) } };
    case 'running':
      return { running: { startedAt: formatTime(phase.startedAt) } };
    case 'terminated':
      return {
        terminated: {
          exitCode: phase.exitCode,
          reason: phase.reason,
          ...(phase.message ? { message: phase.message } : {}),
          startedAt: formatTime(phase.startedAt),
          finishedAt: formatTime(phase.finishedAt),
          containerID: `simulated://${id}`,
        },
      };
  }
}

function conditions(pod: Pod, model: PodModel, now: number): PodCondition[] {
  const before = pod.status?.conditions ?? [];
  const finished = isTerminalPhase(model.phase);
  const pending = (kind: ContainerModel['kind']): string[] =>
    model.containers
      .filter((c) => c.kind === kind && !(c.kind === 'init' ? succeeded(c) : c.ready))
      .map((c) => c.spec.name);
  const uninitialized =
    finished && model.phase === 'Succeeded'
      ? []
      : [
          ...pending('init'),
          ...model.containers.filter((c) => c.kind === 'sidecar' && c.phase.type !== 'running').map((c) => c.spec.name),
        ];
  const unready = [...pending('main'), ...pending('sidecar')];
  const containersReady: Partial<PodCondition> & { status: string } = finished
    ? { status: 'False', ...(model.phase === 'Succeeded' ? { reason: 'PodCompleted' } : { reason: 'PodFailed' }) }
    : unready.length > 0
      ? {
          status: 'False',
          reason: 'ContainersNotReady',
          message: `containers with unready status: [${unready.join(' ')}]`,
        }
      : { status: 'True' };
  const initialized: Partial<PodCondition> & { status: string } =
    uninitialized.length === 0 || finished
      ? { status: 'True', ...(model.phase === 'Succeeded' ? { reason: 'PodCompleted' } : {}) }
      : {
          status: 'False',
          reason: 'ContainersNotInitialized',
          message: `containers with incomplete status: [${uninitialized.join(' ')}]`,
        };
  const wanted: [string, Partial<PodCondition> & { status: string }][] = [
    ['PodReadyToStartContainers', { status: model.podIP !== undefined && !finished ? 'True' : 'False' }],
    ['Initialized', initialized],
    ['Ready', readyCondition(pod, containersReady)],
    ['ContainersReady', containersReady],
    ['PodScheduled', { status: 'True' }],
  ];
  const own = wanted.map(([type, condition]) => withTransitionTime(type, condition, { pod, now, before }));
  return [...before.filter((condition) => !KUBELET_CONDITIONS.has(condition.type)), ...own];
}

const succeeded = ({ phase }: ContainerModel): boolean => phase.type === 'terminated' && phase.exitCode === 0;

/** The Ready condition: also needs the condition of every readiness gate. */
function readyCondition(
  pod: Pod,
  containersReady: Partial<PodCondition> & { status: string },
): Partial<PodCondition> & { status: string } {
  if (containersReady.status !== 'True') return containersReady;
  const closed = (pod.spec?.readinessGates ?? []).flatMap(({ conditionType }) => {
    const status = pod.status?.conditions?.find(({ type }) => type === conditionType)?.status;
    return status === 'True' ? [] : [closedGate(conditionType, status)];
  });
  if (closed.length === 0) return containersReady;
  return { status: 'False', reason: 'ReadinessGatesNotReady', message: closed.join(', ') };
}

const closedGate = (conditionType: string, status: string | undefined): string =>
  status === undefined
    ? `corresponding condition of pod readiness gate "${conditionType}" does not exist.`
    : `the status of pod readiness gate "${conditionType}" is not "True", but ${status}`;

/** Keeps the transition time of a condition whose status did not change. */
function withTransitionTime(
  type: string,
  condition: Partial<PodCondition> & { status: string },
  { pod, now, before }: { pod: Pod; now: number; before: readonly PodCondition[] },
): PodCondition {
  const known = before.find((candidate) => candidate.type === type);
  const changed = known?.status !== condition.status;
  return {
    type,
    observedGeneration: pod.metadata.generation,
    status: condition.status,
    lastTransitionTime: changed ? formatTime(now) : known.lastTransitionTime,
    ...(condition.reason ? { reason: condition.reason } : {}),
    ...(condition.message ? { message: condition.message } : {}),
  };
}
