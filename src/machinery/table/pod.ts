import type { ContainerStatus, Pod, PodTemplate } from '../../api/generated/core-v1.ts';
import { parseTime } from '../../base/index.ts';
import { isRestartableInitContainer, isTerminalPhase } from '../../component-helpers/index.ts';
import { age, containerCells, labelsText, nameOf, NONE, orNone, since } from './cell-text.ts';
import type { Cell, TableRowCondition } from './table.ts';

/** Restarts, with the time of the last one. */
class Restarts {
  count = 0;
  #last: string | undefined;

  add(status: ContainerStatus): void {
    this.count += status.restartCount ?? 0;
    const finished = status.lastState?.terminated?.finishedAt;
    if (finished && (this.#last === undefined || parseTime(finished) > parseTime(this.#last))) this.#last = finished;
  }

  text(now: number): string {
    return this.count > 0 && this.#last !== undefined
      ? `${this.count} (${since(this.#last, now)} ago)`
      : `${this.count}`;
  }
}

interface PodSummary {
  status: string;
  ready: number;
  total: number;
  restarts: Restarts;
}

const isConditionTrue = (pod: Pod, type: string): boolean =>
  (pod.status?.conditions ?? []).some((condition) => condition.type === type && condition.status === 'True');

/**
 * One word for the state of a pod. The phase is the start; what its init containers wait for, then what its containers
 * wait for or how they ended is said instead, and last that the pod is being deleted.
 */
function summarize(pod: Pod): PodSummary {
  const initContainers = pod.spec?.initContainers ?? [];
  const sidecars = new Set(initContainers.filter(isRestartableInitContainer).map((container) => container.name));
  const summary: PodSummary = {
    status: pod.status?.reason || (pod.status?.phase ?? ''),
    ready: 0,
    total: (pod.spec?.containers ?? []).length + sidecars.size,
    restarts: new Restarts(),
  };
  const isGated = (pod.status?.conditions ?? []).some(
    ({ type, reason }) => type === 'PodScheduled' && reason === 'SchedulingGated',
  );
  if (isGated) summary.status = 'SchedulingGated';

  const sidecarRestarts = new Restarts();
  const initializing = summarizeInitContainers(pod, sidecars, { summary, sidecarRestarts });
  if (!initializing || isConditionTrue(pod, 'Initialized')) {
    summary.restarts = sidecarRestarts;
    summarizeContainers(pod, summary);
  }

  if (pod.metadata?.deletionTimestamp) {
    const { phase, reason } = pod.status ?? {};
    if (reason === 'NodeLost') summary.status = 'Unknown';
    else if (!isTerminalPhase(phase)) summary.status = 'Terminating';
  }
  return summary;
}

/** Stops at the first init container that is not done, and says whether there is one. */
function summarizeInitContainers(
  pod: Pod,
  sidecars: ReadonlySet<string>,
  { summary, sidecarRestarts }: { summary: PodSummary; sidecarRestarts: Restarts },
): boolean {
  const statuses = pod.status?.initContainerStatuses ?? [];
  for (const [index, container] of statuses.entries()) {
    const isSidecar = sidecars.has(container.name);
    summary.restarts.add(container);
    if (isSidecar) sidecarRestarts.add(container);
    const { terminated, waiting } = container.state ?? {};
    if (terminated && (terminated.exitCode ?? 0) === 0) continue;
    if (isSidecar && container.started) {
      if (container.ready) summary.ready++;
      continue;
    }
    if (terminated) summary.status = `Init:${terminated.reason || endOf(terminated)}`;
    else if (waiting?.reason && waiting.reason !== 'PodInitializing') summary.status = `Init:${waiting.reason}`;
    else summary.status = `Init:${index}/${(pod.spec?.initContainers ?? []).length}`;
    return true;
  }
  return false;
}

function summarizeContainers(pod: Pod, summary: PodSummary): void {
  let anyRunning = false;
  for (const container of [...(pod.status?.containerStatuses ?? [])].reverse()) {
    summary.restarts.add(container);
    const { waiting, terminated, running } = container.state ?? {};
    if (waiting?.reason) summary.status = waiting.reason;
    else if (terminated) summary.status = terminated.reason || endOf(terminated);
    else if (container.ready && running) {
      anyRunning = true;
      summary.ready++;
    }
  }
  if (summary.status === 'Completed' && anyRunning)
    summary.status = isConditionTrue(pod, 'Ready') ? 'Running' : 'NotReady';
}

const endOf = (terminated: { readonly signal?: number; readonly exitCode?: number }): string =>
  terminated.signal ? `Signal:${terminated.signal}` : `ExitCode:${terminated.exitCode ?? 0}`;

function readinessGatesText(pod: Pod): string {
  const gates = pod.spec?.readinessGates ?? [];
  if (gates.length === 0) return NONE;
  return `${gates.filter((gate) => isConditionTrue(pod, gate.conditionType)).length}/${gates.length}`;
}

export function podCells(pod: Pod, now: number): Cell[] {
  const { status, ready, total, restarts } = summarize(pod);
  return [
    nameOf(pod),
    `${ready}/${total}`,
    status,
    restarts.text(now),
    age(pod, now),
    orNone(pod.status?.podIPs?.[0]?.ip),
    orNone(pod.spec?.nodeName),
    orNone(pod.status?.nominatedNodeName),
    readinessGatesText(pod),
  ];
}

/** Says that a pod is done, so that clients can leave it out. */
export function podConditions(pod: Pod): TableRowCondition[] {
  const completed = { type: 'Completed', status: 'True' };
  if (pod.status?.phase === 'Succeeded')
    return [{ ...completed, reason: 'Succeeded', message: 'The pod has completed successfully.' }];
  if (pod.status?.phase === 'Failed') return [{ ...completed, reason: 'Failed', message: 'The pod failed.' }];
  return [];
}

export const podTemplateCells = (podTemplate: PodTemplate): Cell[] => [
  nameOf(podTemplate),
  ...containerCells(podTemplate.template?.spec?.containers),
  labelsText(podTemplate.template?.metadata?.labels),
];
