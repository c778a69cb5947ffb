/** Writes pods' statuses as they change, each once for however many changes it stands for, and removes pods that are gone. */
import type { Pod } from '../api/generated/core-v1.ts';
import { isConflict, isNotFound } from '../client/index.ts';
import { ItemExponentialFailureRateLimiter, runWorkers, WorkQueue, type Context } from '../kernel/index.ts';
import type { SimulatedPod } from './simulated-pod.ts';

const WORKERS = 64;
/** Each pod for itself, as each node has a kubelet of its own: what fails on one keeps no other waiting. */
const RETRY_MS = 5;
const LONGEST_RETRY_MS = 30_000;

export class StatusWriter {
  readonly #queue: WorkQueue<SimulatedPod>;

  constructor(private readonly ctx: Context) {
    this.#queue = new WorkQueue<SimulatedPod>({
      clock: ctx.clock,
      rateLimiter: new ItemExponentialFailureRateLimiter(RETRY_MS, LONGEST_RETRY_MS),
    });
  }

  changed(pod: SimulatedPod): void {
    this.#queue.add(pod);
  }

  async run(): Promise<void> {
    const { signal, logger } = this.ctx;
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
    try {
      if (!pod.gone || leavesTraces(pod.object)) await this.#writeStatus(pod, pod.object);
      if (pod.gone) await this.#remove(pod);
      pod.writtenVersion = version;
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  async #writeStatus(pod: SimulatedPod, object: Pod): Promise<void> {
    const pods = pod.client.resource('v1/pods');
    try {
      await pods.updateStatus({ ...object, status: pod.status(object) });
    } catch (error) {
      if (!isConflict(error)) throw error;
      const { namespace, name = '', uid } = object.metadata;
      const latest = await pods.get({ namespace, name });
      /** Its successor of the same name is not ours to write. */
      if (latest.metadata.uid !== uid) return;
      await pods.updateStatus({ ...latest, status: pod.status(latest) });
    }
  }

  async #remove({ object, client }: SimulatedPod): Promise<void> {
    const { namespace, name = '', uid } = object.metadata;
    try {
      await client.resource('v1/pods').delete({ namespace, name }, { gracePeriodSeconds: 0, preconditions: { uid } });
    } catch (error) {
      /** Another pod has the name by now. */
      if (!isConflict(error)) throw error;
    }
  }
}

/** Whether somebody looks at how a deleted pod ended: whoever holds it with a finalizer, as Jobs do. */
const leavesTraces = ({ metadata }: Pod): boolean => (metadata.finalizers?.length ?? 0) > 0;
