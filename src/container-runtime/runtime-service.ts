/** The CRI RuntimeService: maps every call to its implementation. */
import { CriError, type RuntimeService } from '../cri/index.ts';
import { reopenLog } from './containers/conmon-control.ts';
import { containerStatus, findContainer, findRunningContainer, listContainers } from './containers/container-status.ts';
import { createContainer } from './containers/create-container.ts';
import { execSync } from './containers/exec-sync.ts';
import { removeContainer } from './containers/remove-container.ts';
import { startContainer } from './containers/start-container.ts';
import { stopContainer } from './containers/stop-container.ts';
import { updateContainerResources } from './containers/update-resources.ts';
import { nowNanoseconds, type RuntimeParts } from './runtime-parts.ts';
import { runtimeStatus, runtimeVersion } from './runtime-status.ts';
import { runSandbox } from './sandboxes/run-sandbox.ts';
import { findSandbox, listSandboxes, sandboxState, sandboxStatus } from './sandboxes/sandbox-status.ts';
import { removeSandbox, stopSandbox } from './sandboxes/stop-sandbox.ts';
import type { StatsProvider } from './stats/stats-provider.ts';
import type { StreamingServer } from './streaming/streaming-server.ts';
import { verboseContainerInfo, verboseSandboxInfo } from './verbose-info.ts';

export function runtimeService(parts: RuntimeParts, stats: StatsProvider, streaming: StreamingServer): RuntimeService {
  return {
    ...statusCalls(parts),
    ...sandboxCalls(parts),
    ...containerCalls(parts),
    ...streamingCalls(parts, streaming),
    ...statsCalls(parts, stats),
    getContainerEvents: (_request, options) =>
      parts.events.subscribe(options?.signal ? AbortSignal.any([options.signal, parts.ctx.signal]) : parts.ctx.signal),
  };
}

function statusCalls(parts: RuntimeParts) {
  return {
    version: async () => runtimeVersion(),
    status: async ({ verbose }) => runtimeStatus(parts, { verbose: verbose ?? false }),
    runtimeConfig: async () => ({ linux: { cgroupDriver: parts.systemdCgroups ? 'SYSTEMD' : 'CGROUPFS' } }),
    updateRuntimeConfig: async ({ runtimeConfig }) => {
      const ranges = (runtimeConfig?.networkConfig?.podCidr ?? '').split(',').filter((range) => range !== '');
      if (ranges.length > 0) await parts.network?.configure({ podCidrs: ranges });
      return {};
    },
  } satisfies Partial<RuntimeService>;
}

function sandboxCalls(parts: RuntimeParts) {
  return {
    runPodSandbox: async (request) => ({ podSandboxId: await runSandbox(parts, request) }),
    stopPodSandbox: async ({ podSandboxId = '' }) => {
      await stopSandbox(parts, podSandboxId);
      return {};
    },
    removePodSandbox: async ({ podSandboxId = '' }) => {
      await removeSandbox(parts, podSandboxId);
      return {};
    },
    podSandboxStatus: async ({ podSandboxId, verbose }) => {
      const record = findSandbox(parts, podSandboxId);
      const containers = [...parts.containers].filter(
        (container) => container.sandboxId === record.id && container.phase !== 'creating',
      );
      return {
        status: sandboxStatus(record),
        containersStatuses: containers.map((container) => containerStatus(parts, container)),
        timestamp: nowNanoseconds(parts.ctx),
        ...(verbose ? { info: verboseSandboxInfo(parts, record) } : {}),
      };
    },
    listPodSandbox: async ({ filter }) => ({ items: listSandboxes(parts, filter) }),
    streamPodSandboxes: async function* ({ filter }) {
      for (const podSandboxes of batches(listSandboxes(parts, filter))) yield { podSandboxes };
    },
    updatePodSandboxResources: async ({ podSandboxId, overhead, resources }) => {
      // The kubelet manages the pod's cgroup, and the sandbox's own process has no limits: only the record changes.
      const { id, config } = findSandbox(parts, podSandboxId);
      const linux = { ...config.linux, ...(overhead && { overhead }), ...(resources && { resources }) };
      parts.sandboxes.update(id, { config: { ...config, linux } });
      return {};
    },
  } satisfies Partial<RuntimeService>;
}

function containerCalls(parts: RuntimeParts) {
  return {
    createContainer: async (request) => ({ containerId: await createContainer(parts, request) }),
    startContainer: async ({ containerId }) => {
      await startContainer(parts, containerId);
      return {};
    },
    stopContainer: async ({ containerId = '', timeout = 0 }, options) => {
      await stopContainer(parts, containerId, { timeoutSeconds: timeout, signal: options?.signal });
      return {};
    },
    removeContainer: async ({ containerId = '' }) => {
      await removeContainer(parts, containerId);
      return {};
    },
    containerStatus: async ({ containerId, verbose }) => {
      const record = findContainer(parts, containerId);
      return {
        status: containerStatus(parts, record),
        ...(verbose ? { info: verboseContainerInfo(parts, record) } : {}),
      };
    },
    listContainers: async ({ filter }) => ({ containers: listContainers(parts, filter) }),
    streamContainers: async function* ({ filter }) {
      for (const containers of batches(listContainers(parts, filter))) yield { containers };
    },
    updateContainerResources: async ({ containerId, linux }) => {
      await updateContainerResources(parts, containerId, linux);
      return {};
    },
    reopenContainerLog: async ({ containerId }) => {
      await reopenLog(parts, containerId);
      return {};
    },
    checkpointContainer: async ({ containerId }) => {
      findContainer(parts, containerId);
      throw new CriError('UNIMPLEMENTED', 'checkpointing containers is not supported by this runtime');
    },
  } satisfies Partial<RuntimeService>;
}

function streamingCalls(parts: RuntimeParts, streaming: StreamingServer) {
  return {
    execSync: (request, options) => execSync(parts, request, options?.signal),
    exec: async (request) => {
      findRunningContainer(parts, request.containerId);
      return { url: streaming.urlFor({ kind: 'exec', request }) };
    },
    attach: async (request) => {
      findRunningContainer(parts, request.containerId);
      return { url: streaming.urlFor({ kind: 'attach', request }) };
    },
    portForward: async (request) => {
      const sandbox = findSandbox(parts, request.podSandboxId);
      if (sandboxState(sandbox) !== 'SANDBOX_READY')
        throw new CriError('FAILED_PRECONDITION', `sandbox ${sandbox.id} is not running`);
      return { url: streaming.urlFor({ kind: 'portforward', request }) };
    },
  } satisfies Partial<RuntimeService>;
}

function statsCalls(parts: RuntimeParts, stats: StatsProvider) {
  return {
    containerStats: async ({ containerId }) => ({ stats: await stats.container(findContainer(parts, containerId)) }),
    listContainerStats: async ({ filter }) => ({ stats: await stats.containers(filter) }),
    streamContainerStats: async function* ({ filter }) {
      for (const containerStats of batches(await stats.containers(filter))) yield { containerStats };
    },
    podSandboxStats: async ({ podSandboxId }) => ({ stats: await stats.sandbox(findSandbox(parts, podSandboxId)) }),
    listPodSandboxStats: async ({ filter }) => ({ stats: await stats.sandboxes(filter) }),
    streamPodSandboxStats: async function* ({ filter }) {
      for (const podSandboxStats of batches(await stats.sandboxes(filter))) yield { podSandboxStats };
    },
    listMetricDescriptors: async () => ({ descriptors: stats.metricDescriptors() }),
    listPodSandboxMetrics: async () => ({ podMetrics: await stats.sandboxMetrics() }),
    streamPodSandboxMetrics: async function* () {
      for (const podSandboxMetrics of batches(await stats.sandboxMetrics())) yield { podSandboxMetrics };
    },
  } satisfies Partial<RuntimeService>;
}

/** Items per message of the streaming list calls, which exist because a list can exceed the size of one message. */
const BATCH = 100;

function* batches<Item>(items: readonly Item[]): Generator<Item[]> {
  for (let start = 0; start < items.length; start += BATCH) yield items.slice(start, start + BATCH);
}
