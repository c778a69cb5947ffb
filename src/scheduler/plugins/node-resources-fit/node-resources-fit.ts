/**
 * The plugin NodeResourcesFit: the requests of a pod must fit into what is free on the node, and nodes are scored by
 * what would be free.
 */
import type { Node, Pod } from '../../../api/generated/core-v1.ts';
import type { Cache } from '../../cache/cache.ts';
import type { PodInfo } from '../../cache/pod-info.ts';
import { schedulerRequests } from '../../cache/pod-requests.ts';
import { resourceValue } from '../../cache/quantity-values.ts';
import { Action } from '../../framework/cluster-event.ts';
import type { BoundFilter, Plugin } from '../../framework/plugin.ts';
import { alwaysShared } from '../../framework/profile.ts';
import { Status } from '../../framework/status.ts';
import { bindStrategy, type ScoringStrategy } from './scoring-strategy.ts';

interface NodeResourcesFitArgs {
  readonly ignoredResources?: readonly string[];
  readonly ignoredResourceGroups?: readonly string[];
  readonly scoringStrategy?: ScoringStrategy;
}

const DEFAULT_STRATEGY: ScoringStrategy = {
  type: 'LeastAllocated',
  resources: [
    { name: 'cpu', weight: 1 },
    { name: 'memory', weight: 1 },
  ],
};

export function nodeResourcesFit(
  args: NodeResourcesFitArgs,
  cache: Cache,
  isBackedByDevices: (resource: string) => boolean = () => false,
): Plugin {
  const strategy = args.scoringStrategy ?? DEFAULT_STRATEGY;
  const ignored = new Set(args.ignoredResources);
  const ignoredGroups = new Set(args.ignoredResourceGroups);
  const isIgnored = (name: string): boolean => ignored.has(name) || ignoredGroups.has(name.split('/')[0] ?? '');
  return {
    name: 'NodeResourcesFit',
    signature: alwaysShared,
    bindFilter: (_state, pod) => fitFilter(cache, pod, { isIgnored, isBackedByDevices }),
    bindScore: (_state, pod) => bindStrategy(strategy, cache.table, pod),
    eventsToRegister: () => [
      {
        resource: 'AssignedPod',
        action: Action.Delete | Action.UpdatePodScaleDown,
        hint: (pod, before, after) => freesRequestedResources(pod, before as Pod, after as Pod | undefined),
      },
      {
        resource: 'UnscheduledPod',
        action: Action.UpdatePodScaleDown,
        hint: (pod, _before, after) => (after as Pod).metadata.uid === pod.uid,
      },
      {
        resource: 'Node',
        action: Action.Add | Action.UpdateNodeAllocatable,
        hint: (pod, before, after) => nodeHelps(pod, before as Node | undefined, after as Node),
      },
    ],
  };
}

function fitFilter(
  cache: Cache,
  pod: PodInfo,
  {
    isIgnored,
    isBackedByDevices,
  }: { isIgnored: (name: string) => boolean; isBackedByDevices: (name: string) => boolean },
): BoundFilter {
  const { table } = cache;
  const { milliCpu, memory, ephemeralStorage, scalars, isEmpty } = pod.shape.requests;
  const wanted = scalars
    .filter(([name]) => !isIgnored(name))
    .map(([name, amount]) => ({ name, amount, column: table.scalar(name), backed: isBackedByDevices(name) }));
  const statuses = new Map<string, Status>();
  const statusFor = (reasons: string[], unresolvable: boolean): Status => {
    const key = `${unresolvable} ${reasons.join(',')}`;
    let status = statuses.get(key);
    if (status === undefined)
      statuses.set(
        key,
        (status = new Status(unresolvable ? 'UnschedulableAndUnresolvable' : 'Unschedulable', reasons)),
      );
    return status;
  };
  return ({ slot }) => {
    const tooManyPods = table.podCount[slot]! + 1 > table.allocatablePods[slot]!;
    if (isEmpty) return tooManyPods ? statusFor(['Too many pods'], false) : undefined;
    const shortOfCpu = milliCpu > 0 && milliCpu > table.allocatableCpu[slot]! - table.requestedCpu[slot]!;
    const shortOfMemory = memory > 0 && memory > table.allocatableMemory[slot]! - table.requestedMemory[slot]!;
    const shortOfStorage =
      ephemeralStorage > 0 && ephemeralStorage > table.allocatableEphemeral[slot]! - table.requestedEphemeral[slot]!;
    if (!tooManyPods && !shortOfCpu && !shortOfMemory && !shortOfStorage && wanted.length === 0) return undefined;
    const reasons: string[] = [];
    let unresolvable = false;
    const insufficient = (name: string, isUnresolvable: boolean): void => {
      reasons.push(`Insufficient ${name}`);
      unresolvable ||= isUnresolvable;
    };
    if (tooManyPods) reasons.push('Too many pods');
    if (shortOfCpu) insufficient('cpu', milliCpu > table.allocatableCpu[slot]!);
    if (shortOfMemory) insufficient('memory', memory > table.allocatableMemory[slot]!);
    if (shortOfStorage) insufficient('ephemeral-storage', ephemeralStorage > table.allocatableEphemeral[slot]!);
    for (const { name, amount, column, backed } of wanted) {
      /** DynamicResources decides about resources that no device plugin of the node provides. */
      if (backed && column.allocatable[slot] === 0) continue;
      if (amount > column.allocatable[slot]! - column.requested[slot]!)
        insufficient(name, amount > column.allocatable[slot]!);
    }
    return reasons.length === 0 ? undefined : statusFor(reasons, unresolvable);
  };
}

/** A pod that was deleted or scaled down helps only if it held a resource that the rejected pod requests. */
function freesRequestedResources(pod: PodInfo, before: Pod, after: Pod | undefined): boolean {
  if (after === undefined) {
    const held = schedulerRequests(before);
    return held.isEmpty || overlaps(pod, (name) => amountOf(held, name)) || pod.shape.requests.isEmpty;
  }
  const held = schedulerRequests(before);
  const holds = schedulerRequests(after);
  return overlaps(pod, (name) => amountOf(held, name) - amountOf(holds, name));
}

function overlaps(pod: PodInfo, freed: (name: string) => number): boolean {
  const { requests } = pod.shape;
  const names = ['cpu', 'memory', 'ephemeral-storage', ...requests.scalars.map(([name]) => name)];
  return names.some((name) => amountOf(requests, name) > 0 && freed(name) > 0);
}

function amountOf(requests: PodInfo['shape']['requests'], name: string): number {
  if (name === 'cpu') return requests.milliCpu;
  if (name === 'memory') return requests.memory;
  if (name === 'ephemeral-storage') return requests.ephemeralStorage;
  return requests.scalars.find(([scalar]) => scalar === name)?.[1] ?? 0;
}

/** A node helps if the pod would fit on it when empty, and it is new or has more of a requested resource. */
function nodeHelps(pod: PodInfo, before: Node | undefined, after: Node): boolean {
  const { requests } = pod.shape;
  const has = (node: Node | undefined, name: string): number => {
    const text = node?.status?.allocatable?.[name];
    return text === undefined ? 0 : resourceValue(name, text);
  };
  const names = ['cpu', 'memory', 'ephemeral-storage', ...requests.scalars.map(([name]) => name)];
  if (names.some((name) => amountOf(requests, name) > has(after, name))) return false;
  if (before === undefined) return true;
  return (
    has(after, 'pods') > has(before, 'pods') ||
    names.some((name) => amountOf(requests, name) > 0 && has(after, name) > has(before, name))
  );
}
