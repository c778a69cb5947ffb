/** Computes replicas from the usage of pods. Pure. */
import type { Pod } from '../../api/generated/core-v1.ts';
import { ownValue, parseQuantity, parseTime } from '../../base/index.ts';
import { longRunningContainers, podReadyCondition } from '../../component-helpers/index.ts';

/** CPU samples of starting pods are ignored, because they use more than later. */
export interface StartUpPeriods {
  readonly cpuInitializationPeriodMs: number;
  readonly initialReadinessDelayMs: number;
}

const DEFAULT_PERIODS: StartUpPeriods = { cpuInitializationPeriodMs: 5 * 60_000, initialReadinessDelayMs: 30_000 };

export interface Tolerance {
  readonly up: number;
  readonly down: number;
}

interface PodUsage {
  readonly pods: readonly Pod[];
  readonly milliByPod: ReadonlyMap<string, number>;
  readonly current: number;
  readonly tolerance: Tolerance;
  /** Set for CPU, where samples of starting pods are ignored. */
  readonly isCpu: boolean;
  readonly now: number;
  readonly startUp?: StartUpPeriods;
}

interface Proposal {
  readonly replicas: number;
  /** The current value: percent for utilization, thousandths otherwise. */
  readonly value: number;
}

const isWithin = (ratio: number, { up, down }: Tolerance): boolean => ratio >= 1 - down && ratio <= 1 + up;

/** Target type Utilization: usage relative to requests, in percent. */
export function byUtilization(
  usage: PodUsage,
  targetPercent: number,
  requests: ReadonlyMap<string, number>,
): Proposal & { averageMilli: number } {
  let averageMilli = 0;
  let value = 0;
  const ratioOf = (milliByPod: ReadonlyMap<string, number>): number => {
    let [used, requested] = [0, 0];
    for (const [pod, milli] of milliByPod) {
      const request = requests.get(pod);
      if (request === undefined) continue;
      used += milli;
      requested += request;
    }
    if (requested === 0) throw new Error('no metrics returned matched known pods');
    const percent = Math.floor((used * 100) / requested);
    if (value === 0) [value, averageMilli] = [percent, Math.floor(used / milliByPod.size)];
    return percent / targetPercent;
  };
  const assumedFull = (pod: Pod): number =>
    Math.floor(((requests.get(pod.metadata.name ?? '') ?? 0) * Math.max(100, targetPercent)) / 100);
  const replicas = fromRatio(usage, ratioOf, assumedFull);
  return { replicas, value, averageMilli };
}

/** Target type AverageValue of pods: usage per pod, in thousandths. */
export function byAverage(usage: PodUsage, targetMilli: number): Proposal {
  let value: number | undefined;
  const ratioOf = (milliByPod: ReadonlyMap<string, number>): number => {
    const average = Math.floor([...milliByPod.values()].reduce((sum, milli) => sum + milli, 0) / milliByPod.size);
    value ??= average;
    return average / targetMilli;
  };
  const replicas = fromRatio(usage, ratioOf, () => targetMilli);
  return { replicas, value: value ?? 0 };
}

/** Target type Value: one value for the whole target. */
export function byValue(options: {
  milli: number;
  targetMilli: number;
  current: number;
  readyPods: number;
  tolerance: Tolerance;
}): Proposal {
  const { milli, targetMilli, current, readyPods, tolerance } = options;
  const ratio = milli / targetMilli;
  const replicas =
    current === 0 ? Math.ceil(ratio) : isWithin(ratio, tolerance) ? current : Math.ceil(ratio * readyPods);
  return { replicas, value: milli };
}

/** Target type AverageValue: one value, divided by the number of pods. */
export function byShare(options: {
  milli: number;
  targetMilli: number;
  current: number;
  tolerance: Tolerance;
}): Proposal {
  const { milli, targetMilli, current, tolerance } = options;
  const isClose = current > 0 && isWithin(milli / (targetMilli * current), tolerance);
  return {
    replicas: isClose ? current : Math.ceil(milli / targetMilli),
    value: current > 0 ? Math.ceil(milli / current) : milli,
  };
}

/**
 * Pods without metrics are assumed to dampen the change: to use nothing when scaling up, and all of their target when
 * scaling down.
 */
function fromRatio(
  usage: PodUsage,
  ratioOf: (milliByPod: ReadonlyMap<string, number>) => number,
  assumedFull: (pod: Pod) => number,
): number {
  const { current, tolerance } = usage;
  const { ready, unready, missing } = groupPods(usage);
  const milliByPod = new Map(
    ready.map((pod) => [pod.metadata.name ?? '', usage.milliByPod.get(pod.metadata.name ?? '') ?? 0]),
  );
  if (milliByPod.size === 0) throw new Error('did not receive metrics for targeted pods (pods might be unready)');
  const ratio = ratioOf(milliByPod);
  const growsWithUnready = unready.length > 0 && ratio > 1;
  if (!growsWithUnready && missing.length === 0)
    return isWithin(ratio, tolerance) ? current : Math.ceil(ratio * ready.length);
  if (ratio < 1) for (const pod of missing) milliByPod.set(pod.metadata.name ?? '', assumedFull(pod));
  else if (ratio > 1) for (const pod of missing) milliByPod.set(pod.metadata.name ?? '', 0);
  if (growsWithUnready) for (const pod of unready) milliByPod.set(pod.metadata.name ?? '', 0);
  const assumed = ratioOf(milliByPod);
  if (isWithin(assumed, tolerance) || (ratio < 1 && assumed > 1) || (ratio > 1 && assumed < 1)) return current;
  const replicas = Math.ceil(assumed * milliByPod.size);
  return (assumed < 1 && replicas > current) || (assumed > 1 && replicas < current) ? current : replicas;
}

function groupPods({
  pods,
  milliByPod,
  isCpu,
  now,
  startUp = DEFAULT_PERIODS,
}: Pick<PodUsage, 'pods' | 'milliByPod' | 'isCpu' | 'now' | 'startUp'>): {
  ready: Pod[];
  unready: Pod[];
  missing: Pod[];
} {
  const groups = { ready: [] as Pod[], unready: [] as Pod[], missing: [] as Pod[] };
  for (const pod of pods) {
    if (pod.metadata.deletionTimestamp !== undefined || pod.status?.phase === 'Failed') continue;
    if (pod.status?.phase === 'Pending') groups.unready.push(pod);
    else if (!milliByPod.has(pod.metadata.name ?? '')) groups.missing.push(pod);
    else if (isCpu && isStarting(pod, now, startUp)) groups.unready.push(pod);
    else groups.ready.push(pod);
  }
  return groups;
}

function isStarting(
  pod: Pod,
  now: number,
  { cpuInitializationPeriodMs, initialReadinessDelayMs }: StartUpPeriods,
): boolean {
  const ready = podReadyCondition(pod);
  const { startTime } = pod.status ?? {};
  if (!ready || !startTime) return true;
  const started = parseTime(startTime);
  const since = ready.lastTransitionTime ? parseTime(ready.lastTransitionTime) : started;
  if (started + cpuInitializationPeriodMs > now) return ready.status === 'False';
  return ready.status === 'False' && since < started + initialReadinessDelayMs;
}

/** The requests of each pod, in thousandths. Throws when a container has none. */
export function requestsOf(pods: readonly Pod[], resource: string, container?: string): Map<string, number> {
  const requests = new Map<string, number>();
  for (const { metadata, spec } of pods) {
    const { name = '' } = metadata;
    const containers = longRunningContainers(spec).filter((c) => container === undefined || c.name === container);
    const sum = containers.reduce((total, c) => {
      const request = ownValue(c.resources?.requests, resource);
      if (request === undefined)
        throw new Error(`missing request for ${resource} in container ${c.name} of Pod ${name}`);
      return total + parseQuantity(request).milliValue();
    }, 0);
    requests.set(name, sum);
  }
  return requests;
}
