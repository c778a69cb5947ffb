/**
 * A container runtime in memory, on the clock of the test: containers run until the test, or their own script, ends
 * them. It answers what a kubelet asks and remembers it all.
 */
import type {
  ContainerConfig,
  ContainerEventResponse,
  ContainerRuntime,
  ContainerStatus,
  ExecSyncRequest,
  ExecSyncResponse,
  ImageService,
  PodSandboxConfig,
  PodSandboxStatus,
  RuntimeService,
} from '../../cri/index.ts';
import { GrpcError } from '../../grpc/index.ts';
import type { Clock, Timer } from '../../kernel/index.ts';

interface FakeContainer {
  readonly id: string;
  readonly sandboxId: string;
  readonly config: ContainerConfig;
  status: ContainerStatus;
}

interface FakeSandbox {
  readonly id: string;
  readonly config: PodSandboxConfig;
  readonly runtimeHandler: string;
  status: PodSandboxStatus;
}

/** How a container of an image or a name behaves once it is started. */
interface Script {
  /** Ends by itself after so long. */
  readonly exitAfterMs?: number;
  readonly exitCode?: number;
  /** How long it takes to go after it was asked to; for ever makes it wait for the end of its grace. */
  readonly stopMs?: number;
  readonly reason?: string;
}

interface FakeImage {
  readonly id: string;
  readonly size: number;
  readonly uid?: number;
  readonly username?: string;
}

export class FakeRuntime implements ContainerRuntime {
  readonly #clock: Clock;
  readonly sandboxes = new Map<string, FakeSandbox>();
  readonly containers = new Map<string, FakeContainer>();
  readonly images_ = new Map<string, FakeImage>();
  readonly scripts = new Map<string, Script>();
  /** Calls in order, as `method name`. */
  readonly calls: string[] = [];
  /** The bytes that every container uses. */
  memoryUsage = 0;
  /** What a method fails with, by the text that `calls` shows. */
  readonly failures = new Map<string, GrpcError>();
  readonly pullable = new Map<string, FakeImage>();
  pullMs = 0;
  exec: (request: ExecSyncRequest, signal?: AbortSignal) => Promise<ExecSyncResponse> = () =>
    Promise.resolve({ exitCode: 0 });
  #sequence = 0;
  #addresses = 0;
  readonly #timers = new Map<string, Timer>();
  readonly #listeners = new Set<(event: ContainerEventResponse) => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
    this.addImage('busybox:latest');
  }

  addImage(name: string, image: Partial<FakeImage> = {}): void {
    this.images_.set(name, { id: `sha256:${name}`, size: 4_000_000, ...image });
  }

  /** The newest container of a pod's name and its own. */
  container(podName: string, name: string): FakeContainer {
    const found = [...this.containers.values()]
      .filter((one) => one.config.labels?.['io.kubernetes.pod.name'] === podName && one.config.metadata?.name === name)
      .at(-1);
    if (found === undefined) throw new Error(`there is no container ${podName}/${name}`);
    return found;
  }

  /** Lets a container end now. */
  exit(container: FakeContainer, exitCode: number, details: { reason?: string } = {}): void {
    if (container.status.state !== 'CONTAINER_RUNNING') return;
    this.#timers.get(container.id)?.cancel();
    container.status = {
      ...container.status,
      state: 'CONTAINER_EXITED',
      exitCode,
      finishedAt: this.#nanoseconds(),
      reason: details.reason ?? (exitCode === 0 ? 'Completed' : 'Error'),
    };
    this.#tell(container.sandboxId, container.id, 'CONTAINER_STOPPED_EVENT');
  }

  breakSandbox(podName: string): void {
    for (const sandbox of this.sandboxes.values()) {
      if (sandbox.config.metadata?.name !== podName) continue;
      sandbox.status = { ...sandbox.status, state: 'SANDBOX_NOTREADY' };
      for (const container of this.containers.values())
        if (container.sandboxId === sandbox.id) this.exit(container, 137);
      this.#tell(sandbox.id, sandbox.id, 'CONTAINER_STOPPED_EVENT');
    }
  }

  #nanoseconds(): number {
    return this.#clock.now() * 1e6;
  }

  #id(kind: string): string {
    return `${kind}-${String(++this.#sequence).padStart(4, '0')}`;
  }

  #called(method: string, name: string): void {
    const call = `${method} ${name}`;
    this.calls.push(call);
    const failure = this.failures.get(call) ?? this.failures.get(method);
    if (failure !== undefined) throw failure;
  }

  #tell(
    sandboxId: string,
    containerId: string,
    containerEventType: ContainerEventResponse['containerEventType'],
  ): void {
    const sandbox = this.sandboxes.get(sandboxId);
    if (sandbox === undefined) return;
    const containersStatuses = [...this.containers.values()]
      .filter((one) => one.sandboxId === sandboxId)
      .map(({ status }) => status);
    for (const listener of this.#listeners)
      listener({
        containerId,
        containerEventType,
        createdAt: this.#nanoseconds(),
        podSandboxStatus: sandbox.status,
        containersStatuses,
      });
  }

  #require<T>(map: ReadonlyMap<string, T>, id: string | undefined): T {
    const found = map.get(id ?? '');
    if (found === undefined) throw new GrpcError('NOT_FOUND', `could not find ${id}`);
    return found;
  }

  #matches(
    labels: Readonly<Record<string, string>> | undefined,
    selector: Readonly<Record<string, string>> | undefined,
  ): boolean {
    return Object.entries(selector ?? {}).every(([key, value]) => labels?.[key] === value);
  }

  readonly runtime: RuntimeService = {
    version: () =>
      Promise.resolve({ version: '0.1.0', runtimeName: 'fake', runtimeVersion: '1.0', runtimeApiVersion: 'v1' }),
    status: () =>
      Promise.resolve({
        status: {
          conditions: [
            { type: 'RuntimeReady', status: true },
            { type: 'NetworkReady', status: true },
          ],
        },
        runtimeHandlers: [{ name: '', features: { recursiveReadOnlyMounts: true, userNamespaces: true } }],
      }),
    runPodSandbox: async ({ config = {}, runtimeHandler = '' }) => {
      this.#called('RunPodSandbox', config.metadata?.name ?? '');
      const id = this.#id('sandbox');
      const host = config.linux?.securityContext?.namespaceOptions?.network === 'NODE';
      const status: PodSandboxStatus = {
        id,
        metadata: config.metadata,
        state: 'SANDBOX_READY',
        createdAt: this.#nanoseconds() + this.#sequence,
        network: { ip: host ? '' : `10.1.0.${++this.#addresses}` },
        linux: { namespaces: { options: { network: host ? 'NODE' : 'POD' } } },
        labels: config.labels,
        annotations: config.annotations,
        runtimeHandler,
      };
      this.sandboxes.set(id, { id, config, runtimeHandler, status });
      await Promise.resolve();
      this.#tell(id, id, 'CONTAINER_STARTED_EVENT');
      return { podSandboxId: id };
    },
    stopPodSandbox: async ({ podSandboxId }) => {
      const sandbox = this.#require(this.sandboxes, podSandboxId);
      this.#called('StopPodSandbox', sandbox.config.metadata?.name ?? '');
      for (const container of this.containers.values())
        if (container.sandboxId === podSandboxId) this.exit(container, 137);
      sandbox.status = { ...sandbox.status, state: 'SANDBOX_NOTREADY' };
      await Promise.resolve();
      this.#tell(sandbox.id, sandbox.id, 'CONTAINER_STOPPED_EVENT');
      return {};
    },
    removePodSandbox: async ({ podSandboxId }) => {
      const sandbox = this.#require(this.sandboxes, podSandboxId);
      this.#called('RemovePodSandbox', sandbox.config.metadata?.name ?? '');
      for (const container of this.containers.values())
        if (container.sandboxId === podSandboxId) this.containers.delete(container.id);
      this.sandboxes.delete(sandbox.id);
      return Promise.resolve({});
    },
    podSandboxStatus: async ({ podSandboxId }) =>
      Promise.resolve({ status: this.#require(this.sandboxes, podSandboxId).status }),
    listPodSandbox: ({ filter }) =>
      Promise.resolve({
        items: [...this.sandboxes.values()]
          .filter(({ config }) => this.#matches(config.labels, filter?.labelSelector))
          .map(({ status }) => status),
      }),
    createContainer: async ({ podSandboxId, config = {} }) => {
      this.#called('CreateContainer', config.metadata?.name ?? '');
      this.#require(this.sandboxes, podSandboxId);
      const id = this.#id('container');
      const logDirectory = this.sandboxes.get(podSandboxId ?? '')?.config.logDirectory ?? '';
      const status: ContainerStatus = {
        id,
        metadata: config.metadata,
        state: 'CONTAINER_CREATED',
        createdAt: this.#nanoseconds() + this.#sequence,
        image: { image: config.image?.userSpecifiedImage ?? '' },
        imageRef: config.image?.image,
        imageId: config.image?.image,
        labels: config.labels,
        annotations: config.annotations,
        mounts: config.mounts,
        logPath: `${logDirectory}/${config.logPath}`,
        resources: { linux: config.linux?.resources },
      };
      this.containers.set(id, { id, sandboxId: podSandboxId ?? '', config, status });
      return Promise.resolve({ containerId: id });
    },
    startContainer: async ({ containerId }) => {
      const container = this.#require(this.containers, containerId);
      const name = container.config.metadata?.name ?? '';
      this.#called('StartContainer', name);
      container.status = { ...container.status, state: 'CONTAINER_RUNNING', startedAt: this.#nanoseconds() };
      const script = this.scripts.get(name);
      if (script?.exitAfterMs !== undefined)
        this.#timers.set(
          container.id,
          this.#clock.after(script.exitAfterMs, () => this.exit(container, script.exitCode ?? 0, script)),
        );
      await Promise.resolve();
      this.#tell(container.sandboxId, container.id, 'CONTAINER_STARTED_EVENT');
      return {};
    },
    stopContainer: async ({ containerId, timeout = 0 }, { signal } = {}) => {
      const container = this.#require(this.containers, containerId);
      const name = container.config.metadata?.name ?? '';
      this.#called('StopContainer', `${name} ${timeout}`);
      if (container.status.state !== 'CONTAINER_RUNNING') return {};
      const wait = Math.min(this.scripts.get(name)?.stopMs ?? 0, timeout * 1000);
      if (wait > 0) await this.#clock.sleep(wait, signal);
      this.exit(container, wait >= timeout * 1000 && timeout > 0 && wait > 0 ? 137 : 143);
      return {};
    },
    removeContainer: async ({ containerId }) => {
      const container = this.#require(this.containers, containerId);
      this.#called('RemoveContainer', container.config.metadata?.name ?? '');
      this.containers.delete(container.id);
      return Promise.resolve({});
    },
    listContainers: ({ filter }) =>
      Promise.resolve({
        containers: [...this.containers.values()]
          .filter(({ config }) => this.#matches(config.labels, filter?.labelSelector))
          .map(({ id, sandboxId, config, status }) => ({
            id,
            podSandboxId: sandboxId,
            metadata: config.metadata,
            image: status.image,
            imageRef: status.imageRef,
            imageId: status.imageId,
            state: status.state,
            createdAt: status.createdAt,
            labels: config.labels,
            annotations: config.annotations,
          })),
      }),
    containerStatus: async ({ containerId }) =>
      Promise.resolve({ status: this.#require(this.containers, containerId).status }),
    updateContainerResources: async ({ containerId, linux }) => {
      const container = this.#require(this.containers, containerId);
      this.#called('UpdateContainerResources', container.config.metadata?.name ?? '');
      container.status = {
        ...container.status,
        resources: { linux: { ...container.status.resources?.linux, ...linux } },
      };
      return Promise.resolve({});
    },
    execSync: async (request, { signal } = {}) => {
      this.#called('ExecSync', (request.cmd ?? []).join(' '));
      return this.exec(request, signal);
    },
    getContainerEvents: (_, { signal } = {}) => this.#events(signal),
    reopenContainerLog: () => Promise.resolve({}),
    exec: () => Promise.resolve({ url: '' }),
    attach: () => Promise.resolve({ url: '' }),
    portForward: () => Promise.resolve({ url: '' }),
    containerStats: () => Promise.resolve({}),
    listContainerStats: () =>
      Promise.resolve({
        stats: [...this.containers.values()].map(({ id }) => ({
          attributes: { id },
          memory: { usageBytes: { value: this.memoryUsage } },
        })),
      }),
    podSandboxStats: () => Promise.resolve({}),
    listPodSandboxStats: () => Promise.resolve({}),
    updateRuntimeConfig: () => Promise.resolve({}),
    checkpointContainer: () => Promise.reject(new GrpcError('UNIMPLEMENTED', 'CheckpointContainer is not implemented')),
    listMetricDescriptors: () => Promise.resolve({}),
    listPodSandboxMetrics: () => Promise.resolve({}),
    runtimeConfig: () => Promise.resolve({ linux: { cgroupDriver: 'CGROUPFS' } }),
    updatePodSandboxResources: () => Promise.resolve({}),
    streamPodSandboxes: () => unimplemented(),
    streamContainers: () => unimplemented(),
    streamContainerStats: () => unimplemented(),
    streamPodSandboxStats: () => unimplemented(),
    streamPodSandboxMetrics: () => unimplemented(),
  };

  readonly images: ImageService = {
    listImages: () =>
      Promise.resolve({ images: Array.from(this.images_, ([name, { id, size }]) => ({ id, size, repoTags: [name] })) }),
    imageStatus: ({ image }) => {
      const found = [...this.images_].find(([name, { id }]) => name === image?.image || id === image?.image);
      if (found === undefined) return Promise.resolve({});
      const [name, { id, size, uid, username }] = found;
      return Promise.resolve({
        image: {
          id,
          size,
          repoTags: [name],
          ...(username === undefined ? { uid: { value: uid ?? 0 } } : { username }),
        },
      });
    },
    pullImage: async ({ image }, { signal } = {}) => {
      const name = image?.image ?? '';
      this.#called('PullImage', name);
      if (this.pullMs > 0) await this.#clock.sleep(this.pullMs, signal);
      const found = this.pullable.get(name);
      if (found === undefined)
        throw new GrpcError('NOT_FOUND', `failed to pull and unpack image ${JSON.stringify(name)}: not found`);
      this.images_.set(name, found);
      return { imageRef: found.id };
    },
    removeImage: ({ image }) => {
      for (const [name, { id }] of this.images_)
        if (id === image?.image || name === image?.image) this.images_.delete(name);
      return Promise.resolve({});
    },
    imageFsInfo: () => Promise.resolve({}),
    streamImages: () => unimplemented(),
  };

  async *#events(signal: AbortSignal | undefined): AsyncIterable<ContainerEventResponse> {
    const queue: ContainerEventResponse[] = [];
    let notify = (): void => {};
    const listener = (event: ContainerEventResponse): void => {
      queue.push(event);
      notify();
    };
    this.#listeners.add(listener);
    const stop = (): void => notify();
    signal?.addEventListener('abort', stop, { once: true });
    try {
      while (!signal?.aborted) {
        const next = queue.shift();
        if (next !== undefined) yield next;
        else await new Promise<void>((resolve) => (notify = resolve));
      }
    } finally {
      this.#listeners.delete(listener);
      signal?.removeEventListener('abort', stop);
    }
  }
}

function unimplemented(): never {
  throw new GrpcError('UNIMPLEMENTED', 'not implemented');
}
