/**
 * The pod state machine (computePodActions of upstream): a pure function from the pod's spec and the observed runtime
 * state to the actions that are needed. `pod-worker.ts` performs the actions and calls it again until there is nothing
 * to do.
 */
import type { Container, Pod } from '../../api/generated/core-v1.ts';
import { isRestartableInitContainer, matchingRestartRule, restartsAfter } from '../../component-helpers/index.ts';
import {
  newestContainer,
  type ObservedContainer,
  type ObservedPod,
  type ObservedSandbox,
} from '../runtime/observe-pod.ts';
import { decideInitContainers } from './init-containers.ts';
import { reasonToKill, type PodActions, type SyncInput } from './pod-actions.ts';
import { shouldStart } from './restart-policy.ts';

export function syncPod(input: SyncInput): PodActions {
  const actions = decide(input);
  const { sandboxes, containers } = input.observed;
  // A stopped pod need not be killed, unless its old sandbox is replaced.
  const isStopped = !sandboxes.some(({ ready }) => ready) && !containers.some(({ state }) => state === 'running');
  if (isStopped && !(actions.createSandbox && sandboxes.length > 0)) actions.killPod = false;
  return actions;
}

function decide(input: SyncInput): PodActions {
  const { pod, observed } = input;
  const sandbox = decideSandbox(pod, observed);
  const actions: PodActions = {
    killPod: sandbox.create,
    createSandbox: sandbox.create,
    sandboxId: sandbox.current?.id,
    attempt: sandbox.attempt,
    initContainersToStart: [],
    containersToStart: [],
    ephemeralContainersToStart: [],
    containersToKill: [],
    containersToUpdate: [],
    updatePod: input.resize?.pod === true && !sandbox.create,
    restartAll: false,
  };
  if (sandbox.create) return startInNewSandbox(actions, input);
  if (asksToRestartAll(input, actions)) return actions;
  startEphemeralContainers(actions, input);
  if (!decideInitContainers(actions, input)) return actions;
  decideContainers(actions, input);
  return actions;
}

export function isNothingToDo(actions: PodActions): boolean {
  return (
    !actions.killPod &&
    !actions.createSandbox &&
    !actions.restartAll &&
    !actions.updatePod &&
    actions.initContainersToStart.length +
      actions.containersToStart.length +
      actions.ephemeralContainersToStart.length ===
      0 &&
    actions.containersToKill.length + actions.containersToUpdate.length === 0
  );
}

interface SandboxDecision {
  readonly create: boolean;
  readonly attempt: number;
  readonly current: ObservedSandbox | undefined;
}

function decideSandbox(pod: Pod, { sandboxes }: ObservedPod): SandboxDecision {
  const [newest] = sandboxes;
  if (newest === undefined) return { create: true, attempt: 0, current: undefined };
  const ready = sandboxes.filter((sandbox) => sandbox.ready);
  const hostNetwork = pod.spec?.hostNetwork === true;
  const usable =
    ready.length === 1 && newest.ready && newest.hostNetwork === hostNetwork && (hostNetwork || newest.ips.length > 0);
  return usable
    ? { create: false, attempt: newest.attempt, current: newest }
    : { create: true, attempt: newest.attempt + 1, current: newest };
}

/** The sandbox is missing or unusable: containers that have not finished start in a new one. */
function startInNewSandbox(actions: PodActions, { pod, observed }: SyncInput): PodActions {
  const { spec } = pod;
  if (pod.metadata.deletionTimestamp !== undefined) return { ...actions, createSandbox: false };
  const toStart = (spec?.containers ?? []).filter((container) =>
    shouldStartInNewSandbox(container, pod, newestContainer(observed, container.name)),
  );
  if (toStart.length === 0) return { ...actions, createSandbox: false };
  const [firstInit] = spec?.initContainers ?? [];
  if (firstInit !== undefined) actions.initContainersToStart.push(firstInit);
  else actions.containersToStart.push(...toStart);
  return actions;
}

/** A container that runs in an unusable sandbox counts as killed. */
function shouldStartInNewSandbox(container: Container, pod: Pod, observed: ObservedContainer | undefined): boolean {
  if (observed?.state === 'running') return restartsAfter(container, pod.spec, 137);
  return shouldStart(container, pod, observed);
}

function asksToRestartAll({ pod, observed }: SyncInput, actions: PodActions): boolean {
  const asking = [...(pod.spec?.initContainers ?? []), ...(pod.spec?.containers ?? [])].some((container) => {
    const newest = newestContainer(observed, container.name);
    return (
      newest?.state === 'exited' &&
      newest.sandboxId === actions.sandboxId &&
      matchingRestartRule(container, newest.exitCode)?.action === 'RestartAllContainers'
    );
  });
  if (!asking) return false;
  actions.restartAll = true;
  for (const container of observed.containers) {
    if (container.state === 'running')
      actions.containersToKill.push({
        container,
        reason: 'RestartAllContainers',
        message: `Container ${container.name} will be restarted with all containers of the pod`,
      });
  }
  return true;
}

function startEphemeralContainers(actions: PodActions, { pod, observed }: SyncInput): void {
  for (const container of pod.spec?.ephemeralContainers ?? []) {
    if (newestContainer(observed, container.name) === undefined) actions.ephemeralContainersToStart.push(container);
  }
}

function decideContainers(actions: PodActions, input: SyncInput): void {
  const { pod, observed } = input;
  let running = 0;
  for (const container of pod.spec?.containers ?? []) {
    const newest = newestContainer(observed, container.name);
    if (newest?.state !== 'running') {
      if (!shouldStart(container, pod, newest)) continue;
      actions.containersToStart.push(container);
      // A container in an unknown state, or created but never started, is removed first.
      if (newest?.state === 'unknown' || newest?.state === 'created') {
        actions.containersToKill.push({
          container: newest,
          reason: 'Unknown',
          message: `Container is in ${JSON.stringify(newest.state)} state, try killing it before restart`,
        });
      }
      continue;
    }
    const kill = reasonToKill(container, newest, input);
    if (kill === undefined) {
      running++;
      if (input.resize?.containers.has(container.name))
        actions.containersToUpdate.push({ container, observed: newest });
      continue;
    }
    const restarts = restartsAfter(container, pod.spec, 137);
    actions.containersToKill.push({
      container: newest,
      ...kill,
      message: restarts ? `${kill.message}, will be restarted` : kill.message,
    });
    if (restarts) actions.containersToStart.push(container);
  }
  if (running === 0 && actions.containersToStart.length === 0 && actions.containersToKill.length === 0) finish(actions);
}

/** All regular containers have finished: stops the sidecars and the sandbox. */
function finish(actions: PodActions): void {
  actions.killPod = true;
  actions.initContainersToStart = actions.initContainersToStart.filter(
    (container) => !isRestartableInitContainer(container),
  );
  actions.ephemeralContainersToStart = [];
}
