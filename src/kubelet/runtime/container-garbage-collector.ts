/**
 * Container GC: removes dead containers and sandboxes beyond the limits per container and per node. Under disk pressure
 * the eviction manager also removes all containers of terminated pods.
 */
import { errorMessage } from '../../base/index.ts';
import type { Container, ContainerRuntime, PodSandbox } from '../../cri/index.ts';
import { childContext, type Context } from '../../kernel/index.ts';
import { CONTAINER_NAME, POD_NAME, POD_NAMESPACE, POD_UID } from './labels.ts';
import { removeDanglingLinks } from './log-links.ts';
import { isContainerNotFound } from './observe-pod.ts';
import { removeDeadContainer } from './remove-container.ts';

export interface ContainerGcPolicy {
  /** The minimum age of a dead container before it is removed. */
  readonly minAgeMs: number;
  /** Dead instances to keep per container; negative for no limit. */
  readonly maxPerContainer: number;
  /** Dead containers to keep on the node; negative for no limit. */
  readonly maxContainers: number;
}

export const DEFAULT_CONTAINER_GC: ContainerGcPolicy = { minAgeMs: 0, maxPerContainer: 1, maxContainers: -1 };

interface ContainerGcOptions {
  readonly runtime: ContainerRuntime;
  readonly podLogsDir: string;
  readonly policy: ContainerGcPolicy;
  /** Whether the pod is known and has terminated. */
  readonly hasEnded: (podUid: string) => boolean;
  readonly onRemoved: (containerId: string) => void;
  readonly periodMs?: number;
}

const PERIOD_MS = 60_000;

interface Dead {
  readonly id: string;
  readonly podUid: string;
  readonly unit: string;
  readonly createdAt: number;
  readonly container: Container;
}

export class ContainerGarbageCollector {
  readonly #ctx: Context;
  readonly #options: ContainerGcOptions;

  constructor(ctx: Context, options: ContainerGcOptions) {
    this.#ctx = childContext(ctx, 'container-gc');
    this.#options = options;
  }

  async run(): Promise<void> {
    const { clock, signal, logger } = this.#ctx;
    while (!signal.aborted) {
      await clock.sleep(this.#options.periodMs ?? PERIOD_MS, signal).catch(() => {});
      if (signal.aborted) return;
      await this.collect().catch((error: unknown) =>
        logger.v(1).info('Container garbage collection failed', { err: errorMessage(error) }),
      );
    }
  }

  /** `ended`: also removes all containers of terminated pods, whatever their age. */
  async collect({ ended = false }: { ended?: boolean } = {}): Promise<void> {
    const { runtime, policy, hasEnded, podLogsDir } = this.#options;
    const { containers = [] } = await runtime.runtime.listContainers({});
    const now = this.#ctx.clock.now();
    const dead = containers
      .flatMap((container) => deadOf(container) ?? [])
      .toSorted((a, b) => b.createdAt - a.createdAt);
    const going = new Set<Dead>();
    if (ended) for (const one of dead) if (hasEnded(one.podUid)) going.add(one);
    const old = dead.filter((one) => !going.has(one) && now - one.createdAt >= policy.minAgeMs);
    for (const one of excess(old, policy)) going.add(one);
    for (const one of going) await this.#remove(one);
    const left = containers.filter(({ id }) => ![...going].some((one) => one.id === id));
    await this.#collectSandboxes(left, ended);
    await removeDanglingLinks(podLogsDir);
  }

  async #remove({ id, container }: Dead): Promise<void> {
    const { runtime, podLogsDir, onRemoved } = this.#options;
    const { labels = {} } = container;
    const status = await runtime.runtime.containerStatus({ containerId: id }).catch((error: unknown) => {
      if (!isContainerNotFound(error)) throw error;
      return undefined;
    });
    // It may have been started after the list was read.
    if (status?.status?.state === 'CONTAINER_RUNNING') return;
    await removeDeadContainer(runtime, podLogsDir, {
      podName: labels[POD_NAME] ?? '',
      namespace: labels[POD_NAMESPACE] ?? '',
      containerName: labels[CONTAINER_NAME] ?? '',
      containerId: id,
      logPath: status?.status?.logPath,
    });
    onRemoved(id);
  }

  /**
   * Removes sandboxes that are not ready and have no containers, except the newest of each pod, whose attempt is
   * needed.
   */
  async #collectSandboxes(containers: readonly Container[], ended: boolean): Promise<void> {
    const { runtime, hasEnded } = this.#options;
    const { items = [] } = await runtime.runtime.listPodSandbox({});
    const inUse = new Set(containers.map(({ podSandboxId }) => podSandboxId));
    const newest = new Map<string, PodSandbox>();
    for (const sandbox of items) {
      const uid = sandbox.labels?.[POD_UID] ?? '';
      if ((sandbox.createdAt ?? 0) >= (newest.get(uid)?.createdAt ?? -1)) newest.set(uid, sandbox);
    }
    for (const sandbox of items) {
      const uid = sandbox.labels?.[POD_UID] ?? '';
      if (uid === '' || sandbox.state !== 'SANDBOX_NOTREADY' || inUse.has(sandbox.id)) continue;
      if (newest.get(uid) === sandbox && !(ended && hasEnded(uid))) continue;
      await runtime.runtime.removePodSandbox({ podSandboxId: sandbox.id ?? '' }).catch((error: unknown) => {
        if (!isContainerNotFound(error)) throw error;
      });
    }
  }
}

function deadOf(container: Container): Dead | undefined {
  const { id = '', labels = {}, state, createdAt = 0 } = container;
  const podUid = labels[POD_UID];
  if (podUid === undefined || state !== 'CONTAINER_EXITED') return undefined;
  return { id, podUid, unit: `${podUid}/${labels[CONTAINER_NAME] ?? ''}`, createdAt: createdAt / 1e6, container };
}

/** The containers beyond the limits of the policy. The input is sorted newest first. */
export function excess<T extends { readonly unit: string; readonly createdAt: number }>(
  dead: readonly T[],
  { maxPerContainer, maxContainers }: ContainerGcPolicy,
): T[] {
  let kept = limitEach(dead, maxPerContainer);
  if (maxContainers >= 0 && kept.length > maxContainers) {
    // Reduces the limit per container before it removes the last instance of any.
    const units = new Set(kept.map(({ unit }) => unit)).size;
    kept = limitEach(kept, Math.max(1, Math.floor(maxContainers / Math.max(1, units))));
    kept = kept.toSorted((a, b) => b.createdAt - a.createdAt).slice(0, maxContainers);
  }
  const keptSet = new Set(kept);
  return dead.filter((one) => !keptSet.has(one));
}

function limitEach<T extends { readonly unit: string }>(dead: readonly T[], limit: number): T[] {
  if (limit < 0) return [...dead];
  const counts = new Map<string, number>();
  return dead.filter(({ unit }) => {
    const count = (counts.get(unit) ?? 0) + 1;
    counts.set(unit, count);
    return count <= limit;
  });
}
