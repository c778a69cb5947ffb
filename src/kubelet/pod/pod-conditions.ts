/** The pod conditions that the kubelet owns; conditions of others are kept. */
import type { ContainerStatus, Pod, PodCondition, PodStatus } from '../../api/generated/core-v1.ts';
import { isRestartableInitContainer } from '../../component-helpers/index.ts';

export const KUBELET_CONDITIONS = [
  'PodReadyToStartContainers',
  'Initialized',
  'Ready',
  'ContainersReady',
  'PodScheduled',
  'PodResizePending',
  'PodResizeInProgress',
  'AllContainersRestarting',
] as const;

interface ConditionInput {
  readonly pod: Pod;
  readonly phase: string;
  readonly init: readonly ContainerStatus[];
  readonly regular: readonly ContainerStatus[];
  /** Whether the pod has a ready sandbox with network. */
  readonly sandboxReady: boolean;
}

type ConditionWithoutTime = Pick<PodCondition, 'type' | 'status' | 'reason' | 'message'>;

/** Of a resize that waits or goes on; `observedGeneration`: of the pod when it was asked for. */
export type ResizeCondition = ConditionWithoutTime & Pick<PodCondition, 'observedGeneration'>;

export function kubeletConditions(input: ConditionInput): ConditionWithoutTime[] {
  const containersReady = containersReadyCondition(input);
  return [
    { type: 'PodReadyToStartContainers', status: input.sandboxReady ? 'True' : 'False' },
    initializedCondition(input),
    readyCondition(input, containersReady),
    containersReady,
    { type: 'PodScheduled', status: 'True' },
  ];
}

function initializedCondition({ pod, phase, init, regular }: ConditionInput): ConditionWithoutTime {
  const type = 'Initialized';
  if (phase === 'Succeeded') return { type, status: 'True', reason: 'PodCompleted' };
  const missing: string[] = [];
  const incomplete: string[] = [];
  const initialized = regular.some(
    ({ state, lastState }) => state?.running || state?.terminated || lastState?.terminated,
  );
  for (const container of pod.spec?.initContainers ?? []) {
    const status = init.find(({ name }) => name === container.name);
    if (status === undefined) missing.push(container.name);
    else if (!initialized && !(isRestartableInitContainer(container) ? status.started === true : status.ready))
      incomplete.push(container.name);
  }
  return conditionFor(type, 'ContainersNotInitialized', [
    ['unknown', missing],
    ['incomplete', incomplete],
  ]);
}

function containersReadyCondition({ pod, phase, init, regular }: ConditionInput): ConditionWithoutTime {
  const type = 'ContainersReady';
  if (phase === 'Succeeded') return { type, status: 'False', reason: 'PodCompleted' };
  if (phase === 'Failed') return { type, status: 'False', reason: 'PodFailed' };
  const missing: string[] = [];
  const unready: string[] = [];
  const check = (name: string, statuses: readonly ContainerStatus[]): void => {
    const status = statuses.find((one) => one.name === name);
    if (status === undefined) missing.push(name);
    else if (!status.ready) unready.push(name);
  };
  for (const container of pod.spec?.initContainers ?? [])
    if (isRestartableInitContainer(container)) check(container.name, init);
  for (const { name } of pod.spec?.containers ?? []) check(name, regular);
  return conditionFor(type, 'ContainersNotReady', [
    ['unknown', missing],
    ['unready', unready],
  ]);
}

function readyCondition({ pod }: ConditionInput, containersReady: ConditionWithoutTime): ConditionWithoutTime {
  if (containersReady.status !== 'True') return { ...containersReady, type: 'Ready' };
  const messages: string[] = [];
  for (const { conditionType } of pod.spec?.readinessGates ?? []) {
    const condition = pod.status?.conditions?.find(({ type }) => type === conditionType);
    if (condition === undefined)
      messages.push(`corresponding condition of pod readiness gate ${JSON.stringify(conditionType)} does not exist.`);
    else if (condition.status !== 'True')
      messages.push(
        `the status of pod readiness gate ${JSON.stringify(conditionType)} is not "True", but ${condition.status}`,
      );
  }
  if (messages.length === 0) return { type: 'Ready', status: 'True' };
  return { type: 'Ready', status: 'False', reason: 'ReadinessGatesNotReady', message: messages.join(', ') };
}

function conditionFor(
  type: string,
  reason: string,
  lists: readonly (readonly [string, readonly string[]])[],
): ConditionWithoutTime {
  const messages = lists
    .filter(([, names]) => names.length > 0)
    .map(([what, names]) => `containers with ${what} status: [${names.join(' ')}]`);
  return messages.length === 0
    ? { type, status: 'True' }
    : { type, status: 'False', reason, message: messages.join(', ') };
}

/** Adds transition times, which change only with the status, and the conditions that others own. */
export function mergeConditions(
  conditions: readonly ResizeCondition[],
  before: PodStatus | undefined,
  stamp: { readonly time: string; readonly generation: number | undefined },
): PodCondition[] {
  const old = new Map((before?.conditions ?? []).map((condition) => [condition.type, condition]));
  const own = conditions.map(({ type, status, reason, message, observedGeneration }): PodCondition => {
    const generation = observedGeneration ?? stamp.generation;
    const previous = old.get(type);
    const lastTransitionTime = previous?.status === status ? previous.lastTransitionTime : stamp.time;
    return {
      type,
      ...(generation === undefined ? {} : { observedGeneration: generation }),
      status,
      lastTransitionTime,
      ...(reason ? { reason } : {}),
      ...(message ? { message } : {}),
    };
  });
  const ownTypes = new Set<string>(KUBELET_CONDITIONS);
  return [...own, ...(before?.conditions ?? []).filter(({ type }) => !ownTypes.has(type))];
}
