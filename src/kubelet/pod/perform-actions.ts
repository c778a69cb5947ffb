/** Performs the actions that `sync-pod.ts` decided, through CRI. */
import fs from 'node:fs/promises';
import type { Container, EphemeralContainer, Pod } from '../../api/generated/core-v1.ts';
import { errorMessage } from '../../base/index.ts';
import { podDns } from '../../component-helpers/index.ts';
import type { PodSandboxConfig } from '../../cri/index.ts';
import { makeDirectory } from '../../kernel/index.ts';
import type { PodRejection } from '../admission/admit-pod.ts';
import { podHostname } from '../environment/hostname.ts';
import { isContainerNotFound, type ObservedContainer, type ObservedPod } from '../runtime/observe-pod.ts';
import { removeDeadContainer } from '../runtime/remove-container.ts';
import { rpcErrorText } from '../runtime/rpc-error.ts';
import { podLogDirectory, sandboxConfig } from '../runtime/sandbox-config.ts';
import type { StartProblem } from './container-statuses.ts';
import { killContainer, killPod } from './kill-pod.ts';
import type { PodActions } from './pod-actions.ts';
import type { PodDependencies } from './pod-dependencies.ts';
import { uidOf } from './pod-identity.ts';
import { resourceSettings, securitySettings } from './pod-settings.ts';
import { spanned } from './pod-spans.ts';
import { ensurePodCgroup, resizePod } from './resize-pod.ts';
import { startContainer, type StartInput } from './start-container.ts';

/**
 * Workers are also woken when the kubelet has set the pod CIDR; this is for runtimes whose network others configure.
 */
const NETWORK_RETRY_MS = 10_000;
const DYNAMIC_RESOURCES_RETRY_MS = 5000;
const SANDBOX_RETRY_MS = 1000;
const RESIZE_RETRY_MS = 10_000;

interface PerformInput {
  readonly pod: Pod;
  readonly observed: ObservedPod;
  readonly actions: PodActions;
  readonly signal: AbortSignal;
  readonly wake: () => void;
  readonly problems: Map<string, StartProblem>;
  readonly hookRunning: (containerId: string, running: boolean) => void;
  readonly resizeFailed: (message: string) => void;
}

interface Performed {
  /** Whether the runtime's state has changed, so that the pod must be synced again at once. */
  readonly changed: boolean;
  /** When to retry what failed; undefined when nothing did. */
  readonly retryInMs: number | undefined;
  /** Why the pod can never start here. */
  readonly rejection?: PodRejection;
}

export async function performActions(deps: PodDependencies, input: PerformInput): Promise<Performed> {
  const { actions } = input;
  let changed = await performKills(deps, input);
  let retryInMs: number | undefined;
  // The killed containers have exited now: only the next sync knows whether their restart must back off.
  if (changed && !actions.createSandbox) return { changed, retryInMs: undefined };
  if (actions.updatePod || actions.containersToUpdate.length > 0) {
    const resized = await tryToResize(deps, input);
    changed ||= resized;
    if (!resized) retryInMs = RESIZE_RETRY_MS;
  }
  const containers = [
    ...actions.ephemeralContainersToStart,
    ...actions.initContainersToStart,
    ...actions.containersToStart,
  ];
  if (containers.length === 0 && !actions.createSandbox) return { changed, retryInMs };
  const ready = await prepareSandbox(deps, input);
  if (ready.type === 'retry') return { changed, retryInMs: ready.retryInMs };
  if (ready.type === 'rejected') return { changed, retryInMs: undefined, rejection: ready };
  const { sandbox } = ready;
  if (actions.createSandbox) changed = true;
  for (const container of containers) {
    const outcome = await startOne(deps, input, container, sandbox);
    changed ||= outcome.changed;
    if (outcome.retryInMs !== undefined) retryInMs = Math.min(retryInMs ?? Infinity, outcome.retryInMs);
  }
  return { changed, retryInMs };
}

type PreparedSandbox = Pick<StartInput, 'sandboxId' | 'sandboxConfig' | 'podIPs' | 'volumes' | 'userNamespace'>;

/** Mounts volumes, prepares dynamic resources and creates the sandbox, as far as they are missing. */
async function prepareSandbox(
  deps: PodDependencies,
  { pod, observed, actions, signal }: PerformInput,
): Promise<
  | { readonly type: 'ready'; readonly sandbox: PreparedSandbox }
  | { readonly type: 'retry'; readonly retryInMs: number }
  | ({ readonly type: 'rejected' } & PodRejection)
> {
  const networkProblem = pod.spec?.hostNetwork === true ? undefined : deps.networkProblem();
  if (actions.createSandbox && networkProblem !== undefined) {
    deps.events.pod(pod, 'Warning', 'NetworkNotReady', `network is not ready: ${networkProblem}`);
    return { type: 'retry', retryInMs: NETWORK_RETRY_MS };
  }
  await makeDirectory(deps.volumes.podDirectory(uidOf(pod)), { mode: 0o750 });
  const [volumes, { config, userNamespace }] = await Promise.all([
    deps.volumes.ensure(pod, signal),
    planSandbox(deps, pod, actions.attempt),
  ]);
  if (volumes.type === 'rejected') return volumes;
  if (volumes.type === 'failed') return { type: 'retry', retryInMs: volumes.retryInMs };
  try {
    await deps.containerManager.prepareDynamicResources(pod);
  } catch (error) {
    const message = `Failed to prepare dynamic resources: ${errorMessage(error)}`;
    deps.events.pod(pod, 'Warning', 'FailedPrepareDynamicResources', message);
    return { type: 'retry', retryInMs: DYNAMIC_RESOURCES_RETRY_MS };
  }
  const current = {
    sandboxId: actions.sandboxId ?? '',
    podIPs: observed.sandboxes.find(({ id }) => id === actions.sandboxId)?.ips ?? [],
  };
  const created = actions.createSandbox ? await createSandbox(deps, pod, config, signal) : current;
  if (created === undefined) return { type: 'retry', retryInMs: SANDBOX_RETRY_MS };
  const podIPs = pod.spec?.hostNetwork === true ? deps.node().hostIPs : created.podIPs;
  const { sandboxId } = created;
  const sandbox = { sandboxId, sandboxConfig: config, podIPs, volumes: volumes.volumes, userNamespace };
  return { type: 'ready', sandbox };
}

/** A resize that fails is reported and tried again; the pod keeps what it has. */
async function tryToResize(deps: PodDependencies, input: PerformInput): Promise<boolean> {
  try {
    await resizePod(deps, input);
    return true;
  } catch (error) {
    if (input.signal.aborted) throw error;
    input.resizeFailed(rpcErrorText(error));
    return false;
  }
}

/** Starts a container and records why it could not start. */
async function startOne(
  deps: PodDependencies,
  input: PerformInput,
  container: Container | EphemeralContainer,
  sandbox: PreparedSandbox,
): Promise<Performed> {
  const { pod, observed, signal, wake, problems, hookRunning } = input;
  const { name } = container;
  const outcome = await startContainer(deps, {
    ...sandbox,
    ...{ pod, container, observed, signal, wake, hookRunning, problem: problems.get(name) },
  });
  if (outcome.type === 'problem') {
    problems.set(name, outcome.problem);
    return { changed: outcome.problem.reason === 'PostStartHookError', retryInMs: outcome.retryInMs };
  }
  if (outcome.type === 'started' || problems.get(name)?.reason !== 'CrashLoopBackOff') problems.delete(name);
  return { changed: outcome.type === 'started', retryInMs: undefined };
}

async function performKills(deps: PodDependencies, input: PerformInput): Promise<boolean> {
  const { pod, observed, actions, signal } = input;
  if (actions.killPod) {
    if (actions.createSandbox && observed.sandboxes.length > 0)
      deps.events.pod(pod, 'Normal', 'SandboxChanged', 'Pod sandbox changed, it will be killed and re-created.');
    await killPod(deps, pod, observed, { signal });
    return true;
  }
  await Promise.all(
    actions.containersToKill.map(async ({ container, reason, message }) => {
      await killContainer(deps, pod, container, { reason, message, signal });
      // A container that never ran has no log and no exit code worth keeping.
      if (container.state === 'created') await removeContainer(deps, pod, container);
    }),
  );
  if (actions.restartAll) {
    for (const container of observed.containers) await removeContainer(deps, pod, container);
    return true;
  }
  await pruneDeadContainers(deps, input);
  return actions.containersToKill.length > 0;
}

/** Keeps the newest dead instances of each container for their logs and last state, and removes the older ones. */
async function pruneDeadContainers(deps: PodDependencies, { pod, observed, actions }: PerformInput): Promise<void> {
  for (const { name } of [...actions.containersToStart, ...actions.initContainersToStart]) {
    const dead = observed.containers.filter((container) => container.name === name && container.state === 'exited');
    for (const container of dead.slice(deps.keepDead)) await removeContainer(deps, pod, container);
  }
  const [, ...older] = observed.sandboxes;
  for (const { id, ready } of older) {
    if (ready || observed.containers.some(({ sandboxId }) => sandboxId === id)) continue;
    await deps.runtime.runtime.removePodSandbox({ podSandboxId: id }).catch((error: unknown) => {
      if (!isContainerNotFound(error)) throw error;
    });
  }
}

async function removeContainer(
  deps: PodDependencies,
  pod: Pod,
  { id, name: containerName, status }: ObservedContainer,
): Promise<void> {
  const { name: podName = '', namespace = '' } = pod.metadata;
  await removeDeadContainer(deps.runtime, deps.config.podLogsDir, {
    podName,
    namespace,
    containerName,
    containerId: id,
    logPath: status.logPath,
  });
  deps.observer.forget(id);
}

/** Creates the pod's cgroup and user namespace, and the configuration of its sandbox. */
async function planSandbox(
  deps: PodDependencies,
  pod: Pod,
  attempt: number,
): Promise<{ config: PodSandboxConfig; userNamespace: SandboxPlan['userNamespace'] }> {
  const [userNamespace, cgroupParent] = await Promise.all([deps.userNamespace(pod), ensurePodCgroup(deps, pod)]);
  return { userNamespace, config: await makeSandboxConfig(deps, pod, { attempt, cgroupParent, userNamespace }) };
}

interface SandboxPlan {
  readonly attempt: number;
  readonly cgroupParent: string;
  readonly userNamespace: Parameters<typeof securitySettings>[1];
}

async function makeSandboxConfig(
  deps: PodDependencies,
  pod: Pod,
  { attempt, cgroupParent, userNamespace }: SandboxPlan,
): Promise<PodSandboxConfig> {
  const { config, events } = deps;
  const { dns, warnings } = podDns(pod, {
    clusterDns: config.clusterDNS,
    clusterDomain: config.clusterDomain,
    nodeResolvConf: await deps.nodeResolvConf(),
  });
  for (const { reason, message } of warnings) events.pod(pod, 'Warning', reason, message);
  const { kernelName } = podHostname(pod, config.clusterDomain, deps.node().hostname);
  return sandboxConfig({
    pod,
    attempt,
    hostname: kernelName,
    dns,
    logDirectory: podLogDirectory(config.podLogsDir, pod),
    cgroupParent,
    security: securitySettings(deps, userNamespace),
    resources: resourceSettings(config),
  });
}

async function createSandbox(
  deps: PodDependencies,
  pod: Pod,
  config: PodSandboxConfig,
  signal: AbortSignal,
): Promise<{ sandboxId: string; podIPs: readonly string[] } | undefined> {
  const { runtime, events } = deps;
  try {
    await makeDirectory(config.logDirectory ?? '', { mode: 0o755 });
    const runtimeHandler = pod.spec?.runtimeClassName ? await deps.runtimeHandler(pod.spec.runtimeClassName) : '';
    const { podSandboxId = '' } = await spanned(deps.ctx.tracer, { name: 'run pod sandbox', pod }, () =>
      runtime.runtime.runPodSandbox({ config, runtimeHandler }, { signal }),
    );
    const { status } = await runtime.runtime.podSandboxStatus({ podSandboxId }, { signal });
    const ips = [status?.network?.ip ?? '', ...(status?.network?.additionalIps ?? []).map(({ ip = '' }) => ip)].filter(
      (ip) => ip !== '',
    );
    return { sandboxId: podSandboxId, podIPs: ips };
  } catch (error) {
    if (signal.aborted) throw error;
    events.pod(pod, 'Warning', 'FailedCreatePodSandBox', `Failed to create pod sandbox: ${rpcErrorText(error)}`);
    return undefined;
  }
}

/** Removes the containers, sandboxes and logs of a pod that has terminated. */
export async function removeFromRuntime(deps: PodDependencies, pod: Pod, observed: ObservedPod): Promise<void> {
  const { runtime } = deps;
  for (const container of observed.containers) await removeContainer(deps, pod, container);
  for (const { id } of observed.sandboxes) {
    await runtime.runtime.removePodSandbox({ podSandboxId: id }).catch((error: unknown) => {
      if (!isContainerNotFound(error)) throw error;
    });
  }
  await fs.rm(podLogDirectory(deps.config.podLogsDir, pod), { recursive: true, force: true });
  deps.restarts.forget(`${uidOf(pod)}_`);
}
