/** What the runtime has of a pod: its sandboxes and containers, newest first, in the kubelet's words. */
import type {
  Container as CriContainer,
  ContainerRuntime,
  ContainerStatus,
  CriError,
  PodSandbox,
  PodSandboxStatus,
} from '../../cri/index.ts';
import {
  CONTAINER_NAME,
  POD_NAME,
  POD_NAMESPACE,
  POD_UID,
  containerInfoFromAnnotations,
  type AnnotatedContainerInfo,
} from './labels.ts';

export interface ObservedSandbox {
  readonly id: string;
  readonly attempt: number;
  readonly ready: boolean;
  /** Milliseconds since the epoch, as all times here. */
  readonly createdAt: number;
  readonly ips: readonly string[];
  readonly hostNetwork: boolean;
  readonly runtimeHandler: string;
}

export type ContainerPhase = 'created' | 'running' | 'exited' | 'unknown';

export interface ObservedContainer {
  readonly id: string;
  readonly name: string;
  readonly sandboxId: string;
  readonly state: ContainerPhase;
  readonly createdAt: number;
  readonly startedAt: number;
  readonly finishedAt: number;
  readonly exitCode: number;
  readonly reason: string;
  readonly message: string;
  readonly info: AnnotatedContainerInfo;
  readonly status: ContainerStatus;
}

export interface ObservedPod {
  readonly uid: string;
  readonly name: string;
  readonly namespace: string;
  readonly sandboxes: readonly ObservedSandbox[];
  readonly containers: readonly ObservedContainer[];
}

const STATES: ReadonlyMap<string, ContainerPhase> = new Map(
  Object.entries<ContainerPhase>({
    CONTAINER_CREATED: 'created',
    CONTAINER_RUNNING: 'running',
    CONTAINER_EXITED: 'exited',
    CONTAINER_UNKNOWN: 'unknown',
  }),
);

const milliseconds = (nanoseconds: number | undefined): number => (nanoseconds ?? 0) / 1e6;

export const emptyObservation = (pod: {
  readonly uid: string;
  readonly name: string;
  readonly namespace: string;
}): ObservedPod => ({ ...pod, sandboxes: [], containers: [] });

/** Exited containers never change, so what was once read of them is kept for as long as the pod is observed. */
export class PodObserver {
  readonly #runtime: ContainerRuntime;
  readonly #exited = new Map<string, ContainerStatus>();

  constructor(runtime: ContainerRuntime) {
    this.#runtime = runtime;
  }

  async observe(
    pod: { readonly uid: string; readonly name: string; readonly namespace: string },
    signal?: AbortSignal,
  ): Promise<ObservedPod> {
    const labelSelector = { [POD_UID]: pod.uid };
    const { runtime } = this.#runtime;
    const [{ items = [] }, { containers = [] }] = await Promise.all([
      runtime.listPodSandbox({ filter: { labelSelector } }, { signal }),
      runtime.listContainers({ filter: { labelSelector } }, { signal }),
    ]);
    const [sandboxes, observed] = await Promise.all([
      Promise.all(items.map((sandbox) => this.#sandbox(sandbox, signal))),
      Promise.all(containers.map((container) => this.#container(container, signal))),
    ]);
    return {
      ...pod,
      sandboxes: sandboxes.filter((sandbox) => sandbox !== undefined).toSorted(newestFirst),
      containers: observed.filter((container) => container !== undefined).toSorted(newestFirst),
    };
  }

  forget(containerId: string): void {
    this.#exited.delete(containerId);
  }

  async #sandbox(sandbox: PodSandbox, signal?: AbortSignal): Promise<ObservedSandbox | undefined> {
    const found = await undefinedIfNotFound(
      this.#runtime.runtime.podSandboxStatus({ podSandboxId: sandbox.id ?? '' }, { signal }),
    );
    return found?.status === undefined ? undefined : observedSandbox(found.status);
  }

  async #container(container: CriContainer, signal?: AbortSignal): Promise<ObservedContainer | undefined> {
    const id = container.id ?? '';
    const known = this.#exited.get(id);
    if (known !== undefined) return observedContainer(known, container);
    const status = (await undefinedIfNotFound(this.#runtime.runtime.containerStatus({ containerId: id }, { signal })))
      ?.status;
    if (status === undefined) return undefined;
    if (status.state === 'CONTAINER_EXITED') this.#exited.set(id, status);
    return observedContainer(status, container);
  }
}

function observedSandbox(status: PodSandboxStatus): ObservedSandbox {
  const { network, linux } = status;
  const ips = [network?.ip ?? '', ...(network?.additionalIps ?? []).map(({ ip = '' }) => ip)].filter((ip) => ip !== '');
  return {
    id: status.id ?? '',
    attempt: status.metadata?.attempt ?? 0,
    ready: (status.state ?? 'SANDBOX_READY') === 'SANDBOX_READY',
    createdAt: milliseconds(status.createdAt),
    ips,
    hostNetwork: linux?.namespaces?.options?.network === 'NODE',
    runtimeHandler: status.runtimeHandler ?? '',
  };
}

function observedContainer(status: ContainerStatus, container: CriContainer): ObservedContainer {
  return {
    id: status.id ?? container.id ?? '',
    name: status.metadata?.name ?? status.labels?.[CONTAINER_NAME] ?? '',
    sandboxId: container.podSandboxId ?? '',
    state: STATES.get(status.state ?? 'CONTAINER_CREATED') ?? 'unknown',
    createdAt: milliseconds(status.createdAt),
    startedAt: milliseconds(status.startedAt),
    finishedAt: milliseconds(status.finishedAt),
    exitCode: status.exitCode ?? 0,
    reason: status.reason ?? '',
    message: status.message ?? '',
    info: containerInfoFromAnnotations(status.annotations ?? container.annotations),
    status,
  };
}

const newestFirst = (a: { createdAt: number }, b: { createdAt: number }): number => b.createdAt - a.createdAt;

/** What was listed may be gone before its status is asked for. */
async function undefinedIfNotFound<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (isContainerNotFound(error)) return undefined;
    throw error;
  }
}

export function isContainerNotFound(error: unknown): boolean {
  return error instanceof Error && (error as CriError).code === 'NOT_FOUND';
}

export interface RuntimePodSummary {
  readonly uid: string;
  readonly name: string;
  readonly namespace: string;
  /** Changes whenever a sandbox or container of the pod comes, goes or changes its state. */
  readonly fingerprint: string;
}

/** All pods of the runtime, with what a relist compares. */
export async function listRuntimePods(
  { runtime }: ContainerRuntime,
  signal?: AbortSignal,
): Promise<Map<string, RuntimePodSummary>> {
  const [{ items = [] }, { containers = [] }] = await Promise.all([
    runtime.listPodSandbox({}, { signal }),
    runtime.listContainers({}, { signal }),
  ]);
  const parts = new Map<string, { name: string; namespace: string; states: string[] }>();
  for (const { id, state, labels = {} } of [...items, ...containers]) {
    const uid = labels[POD_UID];
    if (uid === undefined) continue;
    const entry = parts.get(uid) ?? {
      name: labels[POD_NAME] ?? '',
      namespace: labels[POD_NAMESPACE] ?? '',
      states: [],
    };
    entry.states.push(`${id}=${state ?? ''}`);
    parts.set(uid, entry);
  }
  return new Map(
    Array.from(parts, ([uid, { name, namespace, states }]) => [
      uid,
      { uid, name, namespace, fingerprint: states.toSorted().join() },
    ]),
  );
}

export const newestContainer = (observed: ObservedPod, name: string): ObservedContainer | undefined =>
  observed.containers.find((container) => container.name === name);
