/**
 * The status manager: writes pod statuses to the API server, one request per pod at a time, and deletes terminated
 * pods.
 */
import type { Pod, PodCondition, PodStatus } from '../../api/generated/core-v1.ts';
import { errorMessage } from '../../base/index.ts';
import { isConflict, isNotFound, type Client } from '../../client/index.ts';
import { isTerminalPhase } from '../../component-helpers/index.ts';
import { childContext, isAbort, revisionOf, type Context, type Span } from '../../kernel/index.ts';
import { KUBELET_CONDITIONS } from './pod-conditions.ts';
import { uidOf } from './pod-identity.ts';
import { podSpan } from './pod-spans.ts';
import { sameStatus } from './pod-status.ts';

/** Fields that the kubelet must remove when they no longer apply. */
const REMOVABLE = [
  'reason',
  'message',
  'resize',
  'podIP',
  'podIPs',
  'initContainerStatuses',
  'ephemeralContainerStatuses',
  'allocatedResources',
  'resources',
] as const satisfies readonly (keyof PodStatus)[];
const RETRY_MS = 2000;

interface Entry {
  pod: Pod;
  wanted: PodStatus;
  written: PodStatus | undefined;
  /** Of the write; older objects may still be delivered after it. */
  writtenRevision: number;
  writing: Promise<void> | undefined;
}

export class StatusManager {
  readonly #ctx: Context;
  readonly #client: Client;
  readonly #entries = new Map<string, Entry>();
  /** The API object of the pod; for a static pod its mirror pod. */
  readonly #apiPod: (pod: Pod) => Pod | undefined;

  constructor(ctx: Context, options: { client: Client; apiPod: (pod: Pod) => Pod | undefined }) {
    this.#ctx = childContext(ctx, 'status');
    this.#client = options.client;
    this.#apiPod = options.apiPod;
  }

  get(uid: string): PodStatus | undefined {
    return this.#entries.get(uid)?.wanted;
  }

  /** Writes the status in the background, with retries. */
  set(pod: Pod, status: PodStatus): void {
    const uid = uidOf(pod);
    const entry = this.#entries.get(uid) ?? {
      pod,
      wanted: status,
      written: this.#apiPod(pod)?.status,
      writtenRevision: 0,
      writing: undefined,
    };
    entry.pod = pod;
    entry.wanted = status;
    this.#entries.set(uid, entry);
    this.#start(entry);
  }

  /** Resolves when the newest status of the pod is written, or the pod is gone. */
  async flushed(uid: string): Promise<void> {
    const entry = this.#entries.get(uid);
    while (entry?.writing !== undefined) await entry.writing;
  }

  forget(uid: string): void {
    this.#entries.delete(uid);
  }

  /** Deletes a terminated pod from the API server. */
  async deletePod(pod: Pod): Promise<void> {
    const { name = '', namespace, uid } = pod.metadata;
    await this.flushed(uidOf(pod));
    const { clock, signal, logger, tracer } = this.#ctx;
    const span = this.#spanOf('delete pod', pod);
    for (;;) {
      try {
        await this.#client
          .resource('v1/pods')
          .delete({ namespace, name }, { gracePeriodSeconds: 0, preconditions: { uid }, signal, cause: span.id });
        tracer.end(span);
        return;
      } catch (error) {
        tracer.end(span, error);
        if (isNotFound(error) || isConflict(error)) return;
        if (signal.aborted) throw error;
        logger.v(2).info('Failed to delete pod', { pod: `${namespace}/${name}`, err: errorMessage(error) });
        await clock.sleep(RETRY_MS, signal);
      }
    }
  }

  async stop(): Promise<void> {
    for (const { writing } of [...this.#entries.values()]) await writing;
  }

  #start(entry: Entry): void {
    if (entry.writing !== undefined) return;
    entry.writing = this.#write(entry).finally(() => {
      entry.writing = undefined;
    });
  }

  /**
   * Whether another has written what is the kubelet's, after its own write. While a node cannot be reached, the node lifecycle
   * controller writes that its pods are not ready; they are again when the kubelet says so, though nothing has changed for it.
   */
  #isOverwritten({ pod, wanted, writtenRevision }: Entry): boolean {
    const { status, metadata } = this.#apiPod(pod) ?? {};
    // What has ended stays so, whoever wrote it.
    if (!status || isTerminalPhase(status.phase)) return false;
    if ((revisionOf(metadata?.resourceVersion) ?? 0) <= writtenRevision) return false;
    const found = new Map(status.conditions?.map((condition) => [condition.type, condition.status]));
    const isOwn = (type: string): boolean => KUBELET_CONDITIONS.some((own) => own === type);
    return (
      status.phase !== wanted.phase ||
      (wanted.conditions ?? []).some(
        (condition) => isOwn(condition.type) && found.get(condition.type) !== condition.status,
      )
    );
  }

  async #write(entry: Entry): Promise<void> {
    const { clock, signal, logger, tracer } = this.#ctx;
    while (!signal.aborted && (!sameStatus(entry.wanted, entry.written) || this.#isOverwritten(entry))) {
      const { wanted } = entry;
      const target = this.#apiPod(entry.pod);
      if (target === undefined) return;
      const span = this.#spanOf('sync pod', entry.pod);
      try {
        const { metadata } = await this.#patch(target, wanted, { written: entry.written, cause: span.id });
        entry.written = wanted;
        entry.writtenRevision = revisionOf(metadata.resourceVersion) ?? 0;
        tracer.end(span);
      } catch (error) {
        tracer.end(span, error);
        if (isAbort(error, signal)) return;
        if (isNotFound(error) || isConflict(error)) {
          logger.v(3).info('Pod was deleted, skipping its status update', {
            pod: `${target.metadata.namespace}/${target.metadata.name}`,
          });
          entry.written = wanted;
          return;
        }
        logger.error(error, 'Failed to update status for pod', {
          pod: `${target.metadata.namespace}/${target.metadata.name}`,
        });
        await clock.sleep(RETRY_MS, signal).catch(() => {});
      }
    }
  }

  /** What the kubelet does for a pod is caused by the pod that it sees. */
  #spanOf(name: string, pod: Pod): Span {
    return this.#ctx.tracer.start(name, podSpan(pod, { 'k8s.controller': 'kubelet' }));
  }

  async #patch(
    target: Pod,
    status: PodStatus,
    { written, cause }: { written: PodStatus | undefined; cause: number },
  ): Promise<Pod> {
    const { name = '', namespace, uid } = target.metadata;
    const removed = Object.fromEntries(
      REMOVABLE.filter((key) => status[key] === undefined && target.status?.[key] !== undefined).map((key) => [
        key,
        null,
      ]),
    );
    const present = new Set((status.conditions ?? []).map(({ type }) => type));
    const gone = KUBELET_CONDITIONS.filter(
      (type) => !present.has(type) && target.status?.conditions?.some((condition) => condition.type === type),
    ).map((type) => ({ $patch: 'delete', type }));
    // Addresses merge by IP in a strategic merge patch, so old ones would stay.
    const addresses = Object.fromEntries(
      (['podIPs', 'hostIPs'] as const).flatMap((key) =>
        status[key] === undefined ? [] : [[key, [{ $patch: 'replace' }, ...status[key]]]],
      ),
    );
    // Resources merge by name.
    const resources = Object.fromEntries(
      (['resources', 'allocatedResources'] as const).flatMap((key) =>
        status[key] === undefined || target.status?.[key] === undefined
          ? []
          : [[key, { $patch: 'replace', ...status[key] }]],
      ),
    );
    const conditions = (status.conditions ?? []).map((condition) => ({
      ...staleTexts(condition, [target.status, written]),
      ...condition,
    }));
    const patch = {
      metadata: { uid },
      status: { ...status, ...addresses, ...resources, ...removed, conditions: [...conditions, ...gone] },
    };
    return this.#client
      .resource('v1/pods')
      .patch({ namespace, name }, patch, { type: 'strategic', subresource: 'status', signal: this.#ctx.signal, cause });
  }
}

/** Conditions merge field by field, so a reason of an earlier status would stay. */
function staleTexts(
  { type }: PodCondition,
  earlier: readonly (PodStatus | undefined)[],
): Partial<Record<'reason' | 'message', null>> {
  const before = earlier.flatMap((status) => status?.conditions?.filter((condition) => condition.type === type) ?? []);
  return {
    ...(before.some(({ reason }) => reason) ? { reason: null } : {}),
    ...(before.some(({ message }) => message) ? { message: null } : {}),
  };
}
