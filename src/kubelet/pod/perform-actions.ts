/** Does what the state machine decided, through CRI. */
import fs from 'node:fs/promises';
import type { Container, EphemeralContainer, Pod } from '../../api/generated/core-v1.ts';
import { errorMessage } from '../../base/index.ts';
import type { PodSandboxConfig } from '../../cri/index.ts';
import { makeDirectory } from '../../kernel/index.ts';
import { podHostname } from '../environment/hostname.ts';
import { podDns } from '../environment/pod-dns.ts';
import { containerResources } from '../runtime/container-config.ts';
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
import { startContainer } from './start-container.ts';

/** The workers are woken as soon as there is a network; this is for runtimes whose network is nobody's to announce. */
const NETWORK_RETRY_MS = 10_000;
const PREPARE_RETRY_MS = 5000;

export interface PerformInput {
  readonly pod: Pod;
  readonly observed: ObservedPod;
  readonly actions: PodActions;
  readonly signal: AbortSignal;
  readonly wake: () => void;
  readonly problems: Map<string, StartProblem>;
  readonly hookRunning: (containerId: string, running: boolean) => void;
}

export interface Performed {
  /** Whether the runtime's state has changed, so that it is worth looking again at once. */
  readonly changed: boolean;
  /** When to try again what could not be done; undefined when nothing waits. */
  readonly retryInMs: number | undefined;
}

export async function performActions(deps: PodDependencies, input: PerformInput): Promise<Performed> {
  const { pod, observed, actions, signal } = input;
  let changed = await killWhatMustGo(deps, input);
  // What was killed has ended now: only another look tells whether its restart has to wait.
  if (changed && !actions.createSandbox) return { changed, retryInMs: undefined };
  const starts: (Container | EphemeralContainer)[] = [
    ...actions.ephemeralContainersToStart,
    ...actions.initContainersToStart,
    ...actions.containersToStart,
  ];
  if (actions.containersToUpdate.length > 0) changed = (await updateContainers(deps, input)) || changed;
  if (starts.length === 0 && !actions.createSandbox) return { changed, retryInMs: undefined };

  const networkProblem = pod.spec?.hostNetwork === true ? undefined : deps.networkProblem();
  if (actions.createSandbox && networkProblem !== undefined) {
    deps.events.pod(pod, 'Warning', 'NetworkNotReady', `network is not ready: ${networkProblem}`);
    return { changed, retryInMs: NETWORK_RETRY_MS };
  }
  await makeDirectory(deps.volumes.podDirectory(uidOf(pod)), { mode: 0o750 });
  const [volumes, { config, userNamespace }] = await Promise.all([
    deps.volumes.ensure(pod, signal),
    planSandbox(deps, pod, actions.attempt),
  ]);
  if (volumes.type === 'failed') return { changed, retryInMs: volumes.retryInMs };
  try {
    await deps.containerManager.prepareDynamicResources(pod);
  } catch (error) {
    deps.events.pod(
      pod,
      'Warning',
      'FailedPrepareDynamicResources',
      `Failed to prepare dynamic resources: ${errorMessage(error)}`,
    );
    return { changed, retryInMs: PREPARE_RETRY_MS };
  }
  let sandboxId = actions.sandboxId ?? '';
  let podIPs: readonly string[] = observed.sandboxes.find(({ id }) => id === sandboxId)?.ips ?? [];
  if (actions.createSandbox) {
    const made = await createSandbox(deps, pod, config, signal);
    if (made === undefined) return { changed, retryInMs: 1000 };
    ({ sandboxId, podIPs } = made);
    changed = true;
  }
  if (pod.spec?.hostNetwork === true) podIPs = deps.node().hostIPs;
  let retryInMs: number | undefined;
  for (const container of starts) {
    const outcome = await startContainer(deps, {
      pod,
      container,
      observed,
      sandboxId,
      sandboxConfig: config,
      podIPs,
      volumes: volumes.volumes,
      userNamespace,
      signal,
      wake: input.wake,
      problem: input.problems.get(container.name),
      hookRunning: input.hookRunning,
    });
    if (outcome.type === 'started') {
      input.problems.delete(container.name);
      changed = true;
    } else if (outcome.type === 'waiting') {
      if (input.problems.get(container.name)?.reason !== 'CrashLoopBackOff') input.problems.delete(container.name);
    } else {
      input.problems.set(container.name, outcome.problem);
      if (outcome.problem.reason === 'PostStartHookError') changed = true;
      if (outcome.retryInMs !== undefined) retryInMs = Math.min(retryInMs ?? Infinity, outcome.retryInMs);
    }
  }
  return { changed, retryInMs };
}

async function killWhatMustGo(deps: PodDependencies, input: PerformInput): Promise<boolean> {
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
      // One that never ran has no log and no exit code that anybody could want.
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

/** Some dead instances of each container stay for their logs and last state; older ones go. */
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

async function updateContainers(deps: PodDependencies, { pod, actions, signal }: PerformInput): Promise<boolean> {
  const { runtime, config, node } = deps;
  await deps.cgroups.ensurePod(pod);
  for (const { container, observed } of actions.containersToUpdate) {
    const linux = containerResources({
      pod,
      container,
      resources: resourceSettings(config),
      memoryCapacity: node().memoryCapacity,
    });
    await runtime.runtime.updateContainerResources(
      {
        containerId: observed.id,
        linux: {
          ...linux,
          cpuQuota: linux.cpuQuota ?? -1,
          cpuPeriod: linux.cpuPeriod ?? config.cpuCFSQuotaPeriod * 1000,
        },
      },
      { signal },
    );
  }
  return actions.containersToUpdate.length > 0;
}

/** What a sandbox needs besides volumes: its cgroup is there when this resolves. */
async function planSandbox(
  deps: PodDependencies,
  pod: Pod,
  attempt: number,
): Promise<{ config: PodSandboxConfig; userNamespace: SandboxPlan['userNamespace'] }> {
  const [userNamespace, cgroupParent] = await Promise.all([deps.userNamespace(pod), deps.cgroups.ensurePod(pod)]);
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
    const { podSandboxId = '' } = await runtime.runtime.runPodSandbox({ config, runtimeHandler }, { signal });
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

/** Everything that the runtime has of a pod that is gone, and its logs. */
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
