/** Writes the statuses of simulated pods, several changes in one write, and deletes pods that have stopped. */
import type { Pod } from '../api/generated/core-v1.ts';
import { isConflict, isNotFound } from '../client/index.ts';
import {
  ItemExponentialFailureRateLimiter,
  NO_SPAN,
  revisionOf,
  runWorkers,
  WorkQueue,
  type Context,
} from '../kernel/index.ts';
import type { SimulatedPod } from './simulated-pod.ts';

const WORKERS = 64;
/** Per pod: as with kubelets of their own, a failed write of one pod delays no other. */
const RETRY_MS = 5;
const MAX_RETRY_MS = 30_000;

export class StatusWriter {
  readonly #queue: WorkQueue<SimulatedPod>;

  readonly #ctx: Context;

  constructor(ctx: Context) {
    this.#ctx = ctx;
    this.#queue = new WorkQueue<SimulatedPod>({
      clock: ctx.clock,
      rateLimiter: new ItemExponentialFailureRateLimiter(RETRY_MS, MAX_RETRY_MS),
    });
  }

  changed(pod: SimulatedPod): void {
    this.#queue.add(pod);
  }

  async run(): Promise<void> {
    const { signal, logger } = this.#ctx;
    await runWorkers({
      queue: this.#queue,
      workers: WORKERS,
      handle: (pod) => this.#write(pod),
      isExpected: isConflict,
      signal,
      logger,
    });
  }

  async #write(pod: SimulatedPod): Promise<void> {
    const { version } = pod;
    if (pod.writtenVersion === version) return;
    const { tracer } = this.#ctx;
    const span = tracer.enabled ? tracer.start('sync pod', syncOf(pod)) : NO_SPAN;
    try {
      const isWritten = !pod.isStoppedForDeletion || hasFinalizers(pod.object);
      const stored = isWritten ? await this.#writeStatus(pod, pod.object, span.id) : undefined;
      if (pod.isStoppedForDeletion) await this.#remove(pod, span.id);
      pod.written(version, stored);
      tracer.end(span);
    } catch (error) {
      tracer.end(span, error);
      if (!isNotFound(error)) throw error;
      // The pod is gone, and with it what there was to write.
      pod.written(version, undefined);
    }
  }

  async #writeStatus(pod: SimulatedPod, object: Pod, cause: number): Promise<Pod | undefined> {
    const pods = pod.client.resource('v1/pods');
    try {
      return await pods.updateStatus({ ...object, status: pod.status(object) }, { cause });
    } catch (error) {
      if (!isConflict(error)) throw error;
      const { namespace, name = '', uid } = object.metadata;
      const latest = await pods.get({ namespace, name });
      // A new pod of the same name has a status of its own.
      if (latest.metadata.uid !== uid) return undefined;
      return pods.updateStatus({ ...latest, status: pod.status(latest) }, { cause });
    }
  }

  async #remove({ object, client }: SimulatedPod, cause: number): Promise<void> {
    const { namespace, name = '', uid } = object.metadata;
    try {
      await client
        .resource('v1/pods')
        .delete({ namespace, name }, { gracePeriodSeconds: 0, preconditions: { uid }, cause });
    } catch (error) {
      // A new pod has the name.
      if (!isConflict(error)) throw error;
    }
  }
}

/** What the kubelet does for a pod is caused by the pod that it sees. */
function syncOf({ object, namespace, name }: SimulatedPod) {
  const seen = revisionOf(object.metadata.resourceVersion);
  return {
    causes: seen === undefined ? [] : [seen],
    attributes: {
      'k8s.controller': 'kubelet',
      'k8s.key': `${namespace}/${name}`,
      'k8s.node.name': object.spec?.nodeName,
    },
  };
}

/** The owner of a finalizer, such as the Job controller, still reads the final status of a deleted pod. */
const hasFinalizers = ({ metadata }: Pod): boolean => (metadata.finalizers?.length ?? 0) > 0;
