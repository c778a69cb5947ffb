/**
 * Dead containers stay for their logs, but not all of them and not for ever: of each container some are kept, of the whole
 * node at most so many, and when the disk is full none of pods that have ended.
 */
import { errorMessage } from '../../base/index.ts';
import type { Container, ContainerRuntime, PodSandbox } from '../../cri/index.ts';
import { childContext, type Context } from '../../kernel/index.ts';
import { CONTAINER_NAME, POD_NAME, POD_NAMESPACE, POD_UID } from './labels.ts';
import { removeDanglingLinks } from './log-links.ts';
import { isContainerNotFound } from './observe-pod.ts';
import { removeDeadContainer } from './remove-container.ts';

export interface ContainerGcPolicy {
  /** A container that ended less than this ago stays. */
  readonly minAgeMs: number;
  /** Dead instances of one container of a pod; negative for all. */
  readonly maxPerContainer: number;
  /** Dead containers of the whole node; negative for all. */
  readonly maxContainers: number;
}

export const DEFAULT_CONTAINER_GC: ContainerGcPolicy = { minAgeMs: 0, maxPerContainer: 1, maxContainers: -1 };

export interface ContainerGcOptions {
  readonly runtime: ContainerRuntime;
  readonly podLogsDir: string;
  readonly policy: ContainerGcPolicy;
  /** Whether the pod has ended for good; unknown ones are not ours to touch here. */
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

  /** `ended`: everything of pods that have ended goes, however new. */
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
    // One that was started after the list was made is alive.
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

  /** Of sandboxes that are down and empty, each pod's newest stays: its attempt counts. */
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

/** What is more than the policy keeps, of containers that are given newest first. */
export function excess<T extends { readonly unit: string; readonly createdAt: number }>(
  dead: readonly T[],
  { maxPerContainer, maxContainers }: ContainerGcPolicy,
): T[] {
  let kept = limitEach(dead, maxPerContainer);
  if (maxContainers >= 0 && kept.length > maxContainers) {
    // Each container gives up some before any gives up all.
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
