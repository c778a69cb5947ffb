/** The status of a pod, computed from its spec, the observed runtime state and the previous status. */
import type { Pod, PodCondition, PodStatus } from '../../api/generated/core-v1.ts';
import { formatTime } from '../../base/index.ts';
import { isTerminalPhase } from '../../component-helpers/index.ts';
import type { AllocatedResources } from '../admission/allocation-checkpoint.ts';
import { containerStatuses, type StatusInput } from './container-statuses.ts';
import { kubeletConditions, mergeConditions, type ResizeCondition } from './pod-conditions.ts';
import { podLevelStatus } from './pod-level-status.ts';
import { podPhase } from './pod-phase.ts';

interface PodStatusInput extends StatusInput {
  readonly now: number;
  /** The node's IP addresses, the primary one first. */
  readonly hostIPs: readonly string[];
  /** Set when the kubelet fails the pod: eviction, activeDeadlineSeconds, rejection at admission. */
  readonly failure?: {
    readonly phase: 'Failed';
    readonly reason: string;
    readonly message: string;
    readonly conditions?: readonly PodCondition[];
  };
  readonly resizeConditions?: readonly ResizeCondition[];
  readonly actuated?: AllocatedResources | undefined;
  /** Whether no container runs any more: only then may the phase become Succeeded or Failed. */
  readonly stopped: boolean;
}

export function podStatus(input: PodStatusInput): PodStatus {
  const { pod, observed, now } = input;
  const { spec, status: before } = pod;
  const statuses = containerStatuses(input);
  const phase = phaseOf(input, statuses);
  const sandbox = observed.sandboxes.find(({ ready }) => ready);
  const podIPs =
    input.stopped || sandbox === undefined
      ? lastKnownIPs(input)
      : spec?.hostNetwork === true
        ? [...input.hostIPs]
        : [...sandbox.ips];
  const sandboxReady = sandbox !== undefined && (spec?.hostNetwork === true || sandbox.ips.length > 0);
  const current = [
    ...kubeletConditions({ pod, phase, init: statuses.init, regular: statuses.regular, sandboxReady }),
    ...(input.resizeConditions ?? []),
  ];
  const generation = pod.metadata.generation;
  const conditions = mergeConditions(current, before, { time: formatTime(now), generation });
  for (const condition of input.failure?.conditions ?? []) {
    const at = conditions.findIndex(({ type }) => type === condition.type);
    if (at < 0) conditions.push(condition);
    else if (conditions[at]?.status !== condition.status) conditions[at] = condition;
  }
  return {
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    phase,
    conditions,
    ...(input.failure === undefined
      ? reasonOf(before)
      : { reason: input.failure.reason, message: input.failure.message }),
    ...(before?.nominatedNodeName === undefined ? {} : { nominatedNodeName: before.nominatedNodeName }),
    ...(input.hostIPs[0] === undefined
      ? {}
      : { hostIP: input.hostIPs[0], hostIPs: input.hostIPs.map((ip) => ({ ip })) }),
    ...(podIPs[0] === undefined ? {} : { podIP: podIPs[0], podIPs: podIPs.map((ip) => ({ ip })) }),
    startTime: before?.startTime ?? formatTime(now),
    ...(statuses.init.length > 0 ? { initContainerStatuses: statuses.init } : {}),
    containerStatuses: statuses.regular,
    ...(before?.qosClass === undefined ? {} : { qosClass: before.qosClass }),
    ...(statuses.ephemeral.length > 0 ? { ephemeralContainerStatuses: statuses.ephemeral } : {}),
    ...(before?.resourceClaimStatuses === undefined ? {} : { resourceClaimStatuses: before.resourceClaimStatuses }),
    ...(before?.extendedResourceClaimStatus === undefined
      ? {}
      : { extendedResourceClaimStatus: before.extendedResourceClaimStatus }),
    ...podLevelStatus(pod, input.actuated),
  };
}

function phaseOf(input: PodStatusInput, statuses: ReturnType<typeof containerStatuses>): string {
  const { pod, failure, stopped } = input;
  const before = pod.status?.phase;
  if (isTerminalPhase(before)) return before;
  const phase = podPhase(pod, statuses);
  if (failure !== undefined) return stopped ? failure.phase : (before ?? 'Pending');
  if (input.terminating && stopped) {
    // A terminated pod is not restarted, whatever its restart policy.
    const done =
      statuses.regular.every(({ state }) => state?.terminated?.exitCode === 0) && statuses.regular.length > 0;
    return done ? 'Succeeded' : 'Failed';
  }
  const terminal = isTerminalPhase(phase);
  // A terminal phase frees the pod's resources for others, so it must wait until no container runs.
  return terminal && !stopped && input.observed.containers.some(({ state }) => state === 'running')
    ? (before ?? 'Running')
    : phase;
}

function lastKnownIPs({ pod, observed, hostIPs }: PodStatusInput): string[] {
  if (pod.spec?.hostNetwork === true && observed.sandboxes.length > 0) return [...hostIPs];
  const [newest] = observed.sandboxes;
  if (newest !== undefined && newest.ips.length > 0) return [...newest.ips];
  return (pod.status?.podIPs ?? []).map(({ ip }) => ip);
}

const reasonOf = (before: PodStatus | undefined): Pick<PodStatus, 'reason' | 'message'> => ({
  ...(before?.reason === undefined ? {} : { reason: before.reason }),
  ...(before?.message === undefined ? {} : { message: before.message }),
});

export function sameStatus(a: Pod['status'], b: Pod['status']): boolean {
  return isSame(a ?? undefined, b ?? undefined);
}

/** Treats absent, undefined and null as equal. */
function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b))
    return Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((item, i) => isSame(item, b[i]));
  const [left, right] = [a as Record<string, unknown>, b as Record<string, unknown>];
  for (const key in left) if (!isSame(left[key] ?? undefined, right[key] ?? undefined)) return false;
  for (const key in right)
    if ((left[key] ?? undefined) === undefined && (right[key] ?? undefined) !== undefined) return false;
  return true;
}
