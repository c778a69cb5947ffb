/** Decides on init containers: they run one after the other; sidecars among them must have started and keep running. */
import type { Container } from '../../api/generated/core-v1.ts';
import { isRestartableInitContainer, restartsAfter } from '../../component-helpers/index.ts';
import type { ObservedContainer } from '../runtime/observe-pod.ts';
import { reasonToKill, type PodActions, type SyncInput } from './pod-actions.ts';

/** Adds the actions for init containers. True when the regular containers may start. */
export function decideInitContainers(actions: PodActions, input: SyncInput): boolean {
  const { pod, observed } = input;
  const here = observed.containers.filter((container) => container.sandboxId === actions.sandboxId);
  const regular = new Set((pod.spec?.containers ?? []).map(({ name }) => name));
  // Once a regular container was created in this sandbox, init containers are done, even if they were garbage
  // collected.
  const initialized = here.some(({ name }) => regular.has(name));
  for (const container of pod.spec?.initContainers ?? []) {
    const newest = here.find(({ name }) => name === container.name);
    const step = isRestartableInitContainer(container)
      ? decideSidecar(container, newest, actions, input)
      : initialized
        ? 'next'
        : decideInit(container, newest, actions, input);
    if (step === 'wait' && !initialized) return false;
  }
  return true;
}

type InitStep = 'next' | 'wait';

function decideInit(
  container: Container,
  newest: ObservedContainer | undefined,
  actions: PodActions,
  { pod }: SyncInput,
): InitStep {
  switch (newest?.state) {
    case undefined:
      if (pod.metadata.deletionTimestamp === undefined) actions.initContainersToStart.push(container);
      return 'wait';
    case 'running':
      return 'wait';
    case 'created':
    case 'unknown':
      actions.containersToKill.push({
        container: newest,
        reason: 'Unknown',
        message: `Init container is in ${JSON.stringify(newest.state)} state, try killing it before restart`,
      });
      actions.initContainersToStart.push(container);
      return 'wait';
    case 'exited':
      if (newest.exitCode === 0) return 'next';
      if (restartsAfter(container, pod.spec, newest.exitCode)) actions.initContainersToStart.push(container);
      else actions.killPod = true;
      return 'wait';
  }
}

function decideSidecar(
  container: Container,
  newest: ObservedContainer | undefined,
  actions: PodActions,
  input: SyncInput,
): InitStep {
  const { pod, probes } = input;
  if (newest?.state === 'running') {
    const kill = reasonToKill(container, newest, input);
    if (kill !== undefined) {
      actions.containersToKill.push({
        container: newest,
        reason: kill.reason,
        message: `Init container ${container.name} ${kill.message.slice(`Container ${container.name} `.length)}, will be restarted`,
      });
      actions.initContainersToStart.push(container);
      return 'wait';
    }
    if (input.resize?.containers.has(container.name)) actions.containersToUpdate.push({ container, observed: newest });
    return container.startupProbe !== undefined && probes.startup(newest.id) !== 'success' ? 'wait' : 'next';
  }
  if (pod.metadata.deletionTimestamp !== undefined) return 'wait';
  if (newest?.state === 'created' || newest?.state === 'unknown') {
    actions.containersToKill.push({
      container: newest,
      reason: 'Unknown',
      message: `Init container is in ${JSON.stringify(newest.state)} state, try killing it before restart`,
    });
  }
  actions.initContainersToStart.push(container);
  return 'wait';
}
