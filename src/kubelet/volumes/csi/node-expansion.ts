/**
 * Node expansion (NodeExpandVolume) of volumes whose claims were resized: before a pod first uses the volume, and while
 * it is in use. The progress is in the claim's status, so no state must survive a restart.
 */
import type { PersistentVolume, PersistentVolumeClaim } from '../../../api/generated/core-v1.ts';
import { parseQuantity, type Quantity } from '../../../base/index.ts';
import {
  isNotFound,
  referenceTo,
  type ApiObject,
  type Client,
  type EventRecorder,
  type EventType,
} from '../../../client/index.ts';
import { ItemExponentialFailureRateLimiter, runWorkers, WorkQueue, type Context } from '../../../kernel/index.ts';
import { failedPatch, finishedPatch, inProgressPatch, planExpansion, storageOf } from './claim-resize.ts';
import type { ClaimUse } from './csi-drivers.ts';
import { expansionError, ExpansionError } from './expansion-error.ts';

interface NodeExpansionOptions {
  readonly client: Client;
  readonly recorder: EventRecorder;
  readonly nodeName: string;
  /** How often to read claims, which kubelets may not watch. */
  readonly periodMs: number;
  /** Calls the driver; throws an ExpansionError. */
  readonly expand: (use: ClaimUse, bytes: number) => Promise<void>;
}

interface KnownVolume {
  /** The directories of all pods that use the volume or are about to. */
  readonly directories: Set<string>;
  /** Uses that are not read-only, by directory. */
  readonly uses: Map<string, ClaimUse>;
  /** The size of the file system, as far as this node knows. */
  size: Quantity | undefined;
  /** The driver cannot expand the volume while it is in use. */
  refusedInUse: boolean;
  failedFinally: boolean;
  pending: Promise<unknown>;
}

const RETRY_MS = 500;
const MAX_RETRY_MS = 122_000;
const WORKERS = 4;

export class NodeExpansion {
  readonly #ctx: Context;
  readonly #options: NodeExpansionOptions;
  /** By the name of the PersistentVolume. */
  readonly #volumes = new Map<string, KnownVolume>();
  readonly #queue: WorkQueue<string>;

  constructor(ctx: Context, options: NodeExpansionOptions) {
    this.#ctx = ctx;
    this.#options = options;
    this.#queue = new WorkQueue({
      clock: ctx.clock,
      rateLimiter: new ItemExponentialFailureRateLimiter(RETRY_MS, MAX_RETRY_MS),
    });
  }

  /** Called when the volume is published, before the pod may use it. */
  async published(use: ClaimUse): Promise<void> {
    const name = nameOf(use.volume);
    const known = this.#known(name);
    known.directories.add(use.directory);
    await this.#serialize(known, () => this.#expandBeforeUse(known, use));
    if (use.readOnly) return;
    known.uses.set(use.directory, use);
    this.#queue.addAfter(name, this.#period());
  }

  /** Called before the pod's volume is unpublished. */
  async unpublished(directory: string): Promise<void> {
    for (const [name, known] of this.#volumes) {
      if (!known.directories.delete(directory)) continue;
      known.uses.delete(directory);
      await known.pending;
      if (known.directories.size === 0 && this.#volumes.get(name) === known) this.#volumes.delete(name);
    }
  }

  /** Checks the pod's claims at once. */
  podChanged(uid: string): void {
    for (const [name, { uses }] of this.#volumes)
      if ([...uses.values()].some(({ pod }) => pod.metadata.uid === uid)) this.#queue.add(name);
  }

  run(): Promise<void> {
    const { signal, logger } = this.#ctx;
    return runWorkers({
      queue: this.#queue,
      workers: WORKERS,
      signal,
      logger,
      isExpected: (error) => error instanceof ExpansionError,
      handle: (name) => this.#check(name),
    });
  }

  async #check(name: string): Promise<void> {
    const known = this.#volumes.get(name);
    if (known === undefined) return;
    await this.#serialize(known, () => this.#expandInUse(known));
    if (this.#volumes.get(name) === known && known.uses.size > 0) this.#queue.addAfter(name, this.#period());
  }

  async #expandBeforeUse(known: KnownVolume, use: ClaimUse): Promise<void> {
    const { volume, readOnly } = use;
    const wanted = storageOf(volume.spec?.capacity);
    const before = storageOf(use.claim.status?.capacity);
    known.size ??= before;
    if (before.cmp(wanted) >= 0) return;
    if (readOnly) {
      this.#recordEvent(
        use,
        'Warning',
        'FileSystemResizeFailed',
        `MountVolume.NodeExpandVolume failed for volume ${JSON.stringify(nameOf(volume))} requested read-only file system`,
      );
      return;
    }
    // The volume may have been expanded for another pod since the claim was read.
    const claim = await this.#claim(use);
    const current = storageOf(claim.status?.capacity);
    if (current.cmp(wanted) < 0) await this.#expand(known, { ...use, claim }, current);
  }

  async #expandInUse(known: KnownVolume): Promise<void> {
    const [use] = known.uses.values();
    if (use === undefined || known.refusedInUse) return;
    try {
      const [claim, volume] = await Promise.all([
        this.#claim(use),
        this.#options.client.resource('v1/persistentvolumes').get({ name: nameOf(use.volume) }),
      ]);
      known.size ??= storageOf(claim.status?.capacity);
      if (known.size.cmp(storageOf(volume.spec?.capacity)) < 0)
        await this.#expand(known, { ...use, claim, volume }, known.size);
    } catch (error) {
      // The claim is gone: nothing to expand.
      if (isNotFound(error)) return;
      if (error instanceof ExpansionError && !this.#ctx.signal.aborted)
        this.#recordPodEvent(
          use,
          'Warning',
          'VolumeResizeFailed',
          `NodeExpandVolume.NodeExpandVolume failed for volume ${JSON.stringify(nameOf(use.volume))} : ${error.message}`,
        );
      throw error;
    }
  }

  async #expand(known: KnownVolume, use: ClaimUse, current: Quantity): Promise<void> {
    const plan = planExpansion(use.claim, use.volume);
    if (plan.type === 'done') known.size = parseQuantity(plan.size);
    if (plan.type !== 'expand' || parseQuantity(plan.size).cmp(current) <= 0) return;
    const marked =
      plan.tracked && plan.updatesClaim
        ? { ...use, claim: await this.#patch(use.claim, inProgressPatch(use.claim)) }
        : use;
    try {
      await this.#options.expand(marked, parseQuantity(plan.size).value());
    } catch (error) {
      await this.#failed(known, marked, { error: expansionError(error), ...plan });
      return;
    }
    known.failedFinally = false;
    this.#recordEvent(
      use,
      'Normal',
      'FileSystemResizeSuccessful',
      `MountVolume.NodeExpandVolume succeeded for volume ${JSON.stringify(nameOf(use.volume))} ${this.#options.nodeName}`,
    );
    if (plan.updatesClaim) await this.#patch(marked.claim, finishedPatch(marked.claim, plan.size));
    known.size = parseQuantity(plan.size);
  }

  /** Throws when the expansion must be retried. */
  async #failed(
    known: KnownVolume,
    { claim }: ClaimUse,
    { error, size, tracked }: { error: ExpansionError; size: string; tracked: boolean },
  ): Promise<void> {
    const { outcome, message } = error;
    if (outcome === 'unsupported' && !tracked) {
      known.size = parseQuantity(size);
      return;
    }
    if (tracked && outcome !== 'uncertain') {
      // The claim requests another size by now, so the old size is not retried.
      const isOutdated =
        known.failedFinally && storageOf(claim.spec?.resources?.requests).cmp(parseQuantity(size)) !== 0;
      known.failedFinally = true;
      const patch = failedPatch(claim, {
        message,
        at: this.#ctx.clock.now(),
        infeasible: outcome === 'infeasible' || isOutdated,
      });
      if (patch !== undefined)
        await this.#patch(claim, patch).catch((failure: unknown) =>
          this.#ctx.logger.error(failure, 'MountVolume.NodeExpandVolume failed to mark node expansion as failed', {
            claim: claim.metadata.name,
          }),
        );
    }
    if (outcome !== 'in-use') throw error;
    known.refusedInUse = true;
    this.#ctx.logger.error(error, 'MountVolume.NodeExpandVolume failed', { claim: claim.metadata.name });
  }

  #claim({ claim: { metadata } }: ClaimUse): Promise<PersistentVolumeClaim> {
    return this.#options.client
      .resource('v1/persistentvolumeclaims')
      .get({ namespace: metadata.namespace, name: metadata.name ?? '' });
  }

  #patch({ metadata }: PersistentVolumeClaim, patch: object): Promise<PersistentVolumeClaim> {
    return this.#options.client
      .resource('v1/persistentvolumeclaims')
      .patch({ namespace: metadata.namespace, name: metadata.name ?? '' }, patch, {
        type: 'strategic',
        subresource: 'status',
      });
  }

  #recordEvent(use: ClaimUse, type: EventType, reason: string, message: string): void {
    this.#recordPodEvent(use, type, reason, message);
    this.#event({ ...use.claim, apiVersion: 'v1', kind: 'PersistentVolumeClaim' }, type, reason, message);
  }

  #recordPodEvent = ({ pod }: ClaimUse, type: EventType, reason: string, message: string): void =>
    this.#event({ ...pod, apiVersion: 'v1', kind: 'Pod' }, type, reason, message);

  #event = (object: ApiObject, type: EventType, reason: string, message: string): void =>
    this.#options.recorder.event({ reference: referenceTo(object) }, type, reason, message);

  /** With jitter: 1 to 1.5 times the period. */
  #period = (): number => this.#options.periodMs * (1 + this.#ctx.random.next() / 2);

  #known(name: string): KnownVolume {
    let known = this.#volumes.get(name);
    if (known === undefined)
      this.#volumes.set(
        name,
        (known = {
          directories: new Set(),
          uses: new Map(),
          size: undefined,
          refusedInUse: false,
          failedFinally: false,
          pending: Promise.resolve(),
        }),
      );
    return known;
  }

  #serialize<T>(known: KnownVolume, work: () => Promise<T>): Promise<T> {
    const done = known.pending.then(work);
    known.pending = done.catch(() => {});
    return done;
  }
}

const nameOf = ({ metadata }: PersistentVolume): string => metadata.name ?? '';
