/** Starts one container: crash-loop back-off, image, configuration, create, start, postStart hook. */
import fs from 'node:fs/promises';
import path from 'node:path';
import type { Container, EphemeralContainer, Pod, Secret } from '../../api/generated/core-v1.ts';
import { errorMessage } from '../../base/index.ts';
import type { PodSandboxConfig } from '../../cri/index.ts';
import type { UserNamespace } from '../../cri/index.ts';
import {
  ContainerConfigError,
  environmentVariables,
  type EnvironmentSources,
} from '../environment/environment-variables.ts';
import { DownwardApiError } from '../environment/field-value.ts';
import { podHostname } from '../environment/hostname.ts';
import { hostsFile, nodeHostsFile } from '../environment/hosts-file.ts';
import type { ImageToEnsure } from '../images/image-manager.ts';
import { withDefaultTag } from '../images/image-reference.ts';
import { runHandler } from '../lifecycle/run-handler.ts';
import { containerConfig } from '../runtime/container-config.ts';
import { linkLog } from '../runtime/log-links.ts';
import { newestContainer, type ObservedPod } from '../runtime/observe-pod.ts';
import { rpcErrorText } from '../runtime/rpc-error.ts';
import { containerMounts } from '../volumes/container-mounts.ts';
import type { MountedVolume } from '../volumes/volume.ts';
import type { StartProblem } from './container-statuses.ts';
import { podFacts, type PodDependencies } from './pod-dependencies.ts';
import { formatPod, uidOf } from './pod-identity.ts';
import { resourceSettings, securitySettings } from './pod-settings.ts';
import { spanned } from './pod-spans.ts';

export interface StartInput {
  readonly pod: Pod;
  readonly container: Container | EphemeralContainer;
  readonly observed: ObservedPod;
  readonly sandboxId: string;
  readonly sandboxConfig: PodSandboxConfig;
  readonly podIPs: readonly string[];
  readonly volumes: ReadonlyMap<string, MountedVolume>;
  readonly userNamespace: UserNamespace | undefined;
  readonly signal: AbortSignal;
  readonly wake: () => void;
  /** The problem of the last try, whose event was recorded. */
  readonly problem: StartProblem | undefined;
  /** Called when the postStart hook starts and ends. */
  readonly hookRunning: (containerId: string, running: boolean) => void;
}

type StartOutcome =
  | { readonly type: 'started'; readonly containerId: string }
  | { readonly type: 'waiting' }
  | { readonly type: 'problem'; readonly problem: StartProblem; readonly retryInMs: number | undefined };

const CONFIG_RETRY_MS = 10_000;

export async function startContainer(deps: PodDependencies, input: StartInput): Promise<StartOutcome> {
  const { pod, container, observed } = input;
  const backOff = crashLoopBackOff(deps, input);
  if (backOff !== undefined) return backOff;
  const images = await deps.images.ensureAll(
    [...volumeImages(pod, container), container].map((image) => ({
      pod,
      container: image,
      secrets: () => pullSecrets(deps, pod),
      sandboxConfig: input.sandboxConfig,
      wake: input.wake,
    })),
  );
  const failed = images.find(({ type }) => type === 'problem');
  if (failed?.type === 'problem') {
    deps.events.container(pod, container.name, 'Warning', 'Failed', `Error: ${failed.problem.reason}`);
    return failed;
  }
  const image = images.at(-1);
  if (image?.type !== 'present' || images.some(({ type }) => type === 'pulling')) return { type: 'waiting' };
  const previous = newestContainer(observed, container.name);
  if (previous !== undefined) {
    const now = deps.ctx.clock.now();
    deps.restarts.next(restartKey(pod, container), previous.finishedAt || now, now);
  }
  const attributes = { 'k8s.container.name': container.name };
  return spanned(deps.ctx.tracer, { name: 'start container', pod, attributes }, (span) =>
    createAndStart(deps, input, image.imageRef, span),
  );
}

/** The images of the volumes that the container mounts; events of their pulls are events of the pod. */
function volumeImages({ spec }: Pod, { volumeMounts = [] }: Container | EphemeralContainer): ImageToEnsure[] {
  const mounted = new Set(volumeMounts.map(({ name }) => name));
  return (spec?.volumes ?? []).flatMap(({ name, image }) =>
    image?.reference && mounted.has(name)
      ? [{ name: '', image: image.reference, imagePullPolicy: image.pullPolicy ?? 'IfNotPresent' }]
      : [],
  );
}

const restartKey = (pod: Pod, { name }: { readonly name: string }): string => `${uidOf(pod)}_${name}`;

function crashLoopBackOff({ ctx, restarts, events }: PodDependencies, input: StartInput): StartOutcome | undefined {
  const { pod, container, observed } = input;
  const previous = newestContainer(observed, container.name);
  if (previous?.state !== 'exited') return undefined;
  const key = restartKey(pod, container);
  const left = restarts.remaining(key, previous.finishedAt, ctx.clock.now());
  if (left <= 0) return undefined;
  if (input.problem?.reason !== 'CrashLoopBackOff')
    events.container(
      pod,
      container.name,
      'Warning',
      'BackOff',
      `Back-off restarting failed container ${container.name} in pod ${formatPod(pod)}`,
    );
  const message = `back-off ${goSeconds(restarts.delay(key, previous.finishedAt))} restarting failed container=${container.name} pod=${formatPod(pod)}`;
  return { type: 'problem', problem: { reason: 'CrashLoopBackOff', message }, retryInMs: left };
}

const goSeconds = (ms: number): string =>
  ms < 60_000 ? `${ms / 1000}s` : `${Math.floor(ms / 60_000)}m${(ms % 60_000) / 1000}s`;

/** The restart count of the next instance, after the newest one in the runtime or the status. */
function nextAttempt({ pod, container, observed }: StartInput): number {
  const previous = newestContainer(observed, container.name);
  if (previous !== undefined) return previous.info.restartCount + 1;
  const { containerStatuses = [], initContainerStatuses = [] } = pod.status ?? {};
  const before = [...containerStatuses, ...initContainerStatuses].find(({ name }) => name === container.name);
  return before?.containerID === undefined ? (before?.restartCount ?? 0) : before.restartCount + 1;
}

async function createAndStart(
  deps: PodDependencies,
  input: StartInput,
  imageId: string,
  span: number,
): Promise<StartOutcome> {
  const { pod, container, sandboxId, sandboxConfig, signal } = input;
  const { runtime, events } = deps;
  const failed = (reason: string, error: unknown): StartOutcome => {
    const message = reason === 'CreateContainerConfigError' ? errorMessage(error) : rpcErrorText(error);
    events.container(pod, container.name, 'Warning', 'Failed', `Error: ${message}`, span);
    return { type: 'problem', problem: { reason, message }, retryInMs: CONFIG_RETRY_MS };
  };
  let config: Awaited<ReturnType<typeof makeContainerConfig>>;
  try {
    config = await makeContainerConfig(deps, input, imageId);
  } catch (error) {
    if (signal.aborted) throw error;
    const isConfig = error instanceof ContainerConfigError || error instanceof DownwardApiError;
    return failed(isConfig ? 'CreateContainerConfigError' : 'CreateContainerError', error);
  }
  let containerId: string;
  try {
    containerId =
      (await runtime.runtime.createContainer({ podSandboxId: sandboxId, config, sandboxConfig }, { signal }))
        .containerId ?? '';
  } catch (error) {
    if (signal.aborted) throw error;
    return failed('CreateContainerError', error);
  }
  deps.setActuated(pod, container);
  events.container(pod, container.name, 'Normal', 'Created', 'Container created', span);
  try {
    await runtime.runtime.startContainer({ containerId }, { signal });
  } catch (error) {
    if (signal.aborted) throw error;
    return failed('RunContainerError', error);
  }
  events.container(pod, container.name, 'Normal', 'Started', 'Container started', span);
  const { name: podName = '', namespace = '' } = pod.metadata;
  const log = path.join(sandboxConfig.logDirectory ?? '', container.name, `${config.metadata?.attempt ?? 0}.log`);
  await linkLog(deps.config.podLogsDir, { podName, namespace, containerName: container.name, containerId }, log).catch(
    (error: unknown) =>
      deps.ctx.logger
        .v(2)
        .info('Failed to create legacy symbolic link of the container log', { log, err: errorMessage(error) }),
  );
  return postStart(deps, input, containerId);
}

async function postStart(deps: PodDependencies, input: StartInput, containerId: string): Promise<StartOutcome> {
  const { pod, container, signal } = input;
  const handler = container.lifecycle?.postStart;
  if (handler === undefined) return { type: 'started', containerId };
  const { runtime, events, dial, ctx } = deps;
  input.hookRunning(containerId, true);
  try {
    await runHandler({
      handler,
      container,
      containerId,
      podIp: input.podIPs[0] ?? '',
      runtime,
      dial,
      clock: ctx.clock,
      signal,
    });
    return { type: 'started', containerId };
  } catch (error) {
    if (signal.aborted) throw error;
    const message = errorMessage(error);
    events.container(pod, container.name, 'Warning', 'FailedPostStartHook', 'PostStartHook failed');
    events.container(pod, container.name, 'Normal', 'Killing', 'FailedPostStartHook');
    await runtime.runtime.stopContainer(
      { containerId, timeout: pod.spec?.terminationGracePeriodSeconds ?? 30 },
      { signal },
    );
    return { type: 'problem', problem: { reason: 'PostStartHookError', message }, retryInMs: 0 };
  } finally {
    input.hookRunning(containerId, false);
  }
}

async function makeContainerConfig(deps: PodDependencies, input: StartInput, imageId: string) {
  const { pod, container, volumes, podIPs, observed } = input;
  const { ctx, events, config, runtime } = deps;
  const node = deps.node();
  const facts = podFacts(deps, pod, podIPs);
  const runOptions = await deps.containerManager.runContainerOptions(pod, container);
  const services = await deps.services();
  const sources = environmentSources(deps, input, services);
  const environment = await environmentVariables({
    ...facts,
    container,
    sources,
    onInvalidNames: (message) => events.pod(pod, 'Warning', 'InvalidEnvironmentVariableNames', message),
  });
  for (const [name, value] of Object.entries(runOptions.environment)) environment.set(name, value);
  const podDirectory = deps.volumes.podDirectory(uidOf(pod));
  const mounted = await containerMounts({
    pod,
    container,
    volumes,
    environment,
    podDirectory,
    mounter: deps.mounter,
    hosts: await hosts(deps, pod, podIPs),
    startName: Buffer.from(ctx.random.bytes(4)).toString('hex'),
    recursiveReadOnly: deps.runtimeFacts().recursiveReadOnly,
    userNamespace: input.userNamespace,
  });
  const target =
    'targetContainerName' in container && container.targetContainerName
      ? newestContainer(observed, container.targetContainerName)
      : undefined;
  const image = (await runtime.images.imageStatus({ image: { image: imageId } })).image;
  return containerConfig({
    pod,
    container,
    restartCount: nextAttempt(input),
    imageRef: imageId || withDefaultTag(container.image ?? ''),
    image,
    environment,
    mounts: [...mounted.mounts, ...runOptions.mounts],
    devices: [...mounted.devices, ...runOptions.devices],
    extraAnnotations: runOptions.annotations,
    cdiDevices: runOptions.cdiDevices,
    ...(runOptions.cpuset === undefined ? {} : { cpuset: runOptions.cpuset }),
    ...(runOptions.memset === undefined ? {} : { memset: runOptions.memset }),
    resources: resourceSettings(config),
    security: securitySettings(deps, input.userNamespace),
    memoryCapacity: node.memoryCapacity,
    ...(target === undefined ? {} : { targetId: target.id }),
  });
}

function environmentSources(
  deps: PodDependencies,
  { pod, volumes }: StartInput,
  services: Awaited<ReturnType<PodDependencies['services']>>,
): EnvironmentSources {
  const uid = uidOf(pod);
  return {
    configMap: (namespace, name) => deps.configMaps.get(uid, namespace, name),
    secret: (namespace, name) => deps.secrets.get(uid, namespace, name),
    services: () => services,
    file: async (volumeName, file) => {
      const root = volumes.get(volumeName)?.hostPath;
      if (root === undefined || file.split('/').includes('..')) return undefined;
      const full = await fs.realpath(path.join(root, file)).catch(() => undefined);
      return full?.startsWith(`${await fs.realpath(root)}/`) ? fs.readFile(full, 'utf8') : undefined;
    },
  };
}

async function hosts(deps: PodDependencies, pod: Pod, podIPs: readonly string[]): Promise<string | undefined> {
  const aliases = pod.spec?.hostAliases ?? [];
  if (pod.spec?.hostNetwork === true)
    return nodeHostsFile(await fs.readFile('/etc/hosts', 'utf8').catch(() => ''), aliases);
  if (podIPs.length === 0) return undefined;
  const { hostname, hostDomain } = podHostname(pod, deps.config.clusterDomain, deps.node().hostname);
  return hostsFile({ ips: podIPs, hostname, hostDomain, aliases });
}

async function pullSecrets(deps: PodDependencies, pod: Pod): Promise<Secret[]> {
  const names = (pod.spec?.imagePullSecrets ?? []).map(({ name = '' }) => name).filter((name) => name !== '');
  const found = await Promise.all(
    names.map((name) => deps.secrets.get(uidOf(pod), pod.metadata.namespace ?? '', name).catch(() => undefined)),
  );
  const missing = names.filter((_, i) => found[i] === undefined);
  if (missing.length > 0)
    deps.events.pod(
      pod,
      'Warning',
      'FailedToRetrieveImagePullSecret',
      `Unable to retrieve some image pull secrets (${missing.join(', ')}); attempting to pull the image may not succeed.`,
    );
  return found.filter((secret) => secret !== undefined);
}
