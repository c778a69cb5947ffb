/**
 * The PLEG (pod lifecycle event generator): reports pods whose containers or sandboxes changed in the runtime. Uses the
 * runtime's event stream (evented PLEG) with a relist every minute; without a stream it relists every second.
 */
import { errorMessage } from '../../base/index.ts';
import type { ContainerRuntime, CriError } from '../../cri/index.ts';
import { childContext, isAbort, type Context } from '../../kernel/index.ts';
import { POD_UID } from './labels.ts';
import { listRuntimePods, type RuntimePodSummary } from './observe-pod.ts';

interface PlegOptions {
  readonly runtime: ContainerRuntime;
  readonly onChange: (podUid: string) => void;
  /** Called with all pods of the runtime after each relist, to find orphaned ones. */
  readonly onRelist: (pods: ReadonlyMap<string, RuntimePodSummary>) => void;
}

const RELIST_WITH_EVENTS_MS = 60_000;
const RELIST_WITHOUT_EVENTS_MS = 1000;
const RECONNECT_MS = 1000;

export class PodLifecycleEventGenerator {
  readonly #ctx: Context;
  readonly #options: PlegOptions;
  #known = new Map<string, string>();
  #hasStream = true;
  #lastRelistAt = -Infinity;

  constructor(ctx: Context, options: PlegOptions) {
    this.#ctx = childContext(ctx, 'pleg');
    this.#options = options;
  }

  /** False when the last relist is too old: the node becomes NotReady. */
  get isHealthy(): boolean {
    const limit = this.#hasStream ? 5 * RELIST_WITH_EVENTS_MS : 180_000;
    return this.#ctx.clock.monotonic() - this.#lastRelistAt < limit;
  }

  async run(): Promise<void> {
    await Promise.all([this.#watchEvents(), this.#relistPeriodically()]);
  }

  async relist(): Promise<void> {
    const pods = await listRuntimePods(this.#options.runtime, this.#ctx.signal);
    this.#lastRelistAt = this.#ctx.clock.monotonic();
    const before = this.#known;
    this.#known = new Map(Array.from(pods, ([uid, { fingerprint }]) => [uid, fingerprint]));
    for (const [uid, fingerprint] of this.#known) if (before.get(uid) !== fingerprint) this.#options.onChange(uid);
    for (const uid of before.keys()) if (!this.#known.has(uid)) this.#options.onChange(uid);
    this.#options.onRelist(pods);
  }

  async #watchEvents(): Promise<void> {
    const { clock, signal, logger } = this.#ctx;
    while (!signal.aborted) {
      try {
        for await (const { podSandboxStatus, containersStatuses } of this.#options.runtime.runtime.getContainerEvents(
          {},
          { signal },
        )) {
          const uid =
            podSandboxStatus?.metadata?.uid ??
            podSandboxStatus?.labels?.[POD_UID] ??
            containersStatuses?.[0]?.labels?.[POD_UID];
          if (uid !== undefined) this.#options.onChange(uid);
          else await this.relist();
        }
      } catch (error) {
        if (signal.aborted || isAbort(error, signal)) return;
        if ((error as CriError).code === 'UNIMPLEMENTED') {
          logger.v(2).info('The runtime does not support container events, falling back to relisting every second');
          this.#hasStream = false;
          return;
        }
        logger.v(2).info('Evented PLEG: failed to get container events, will retry', { err: errorMessage(error) });
      }
      // Relist for the events that were missed.
      await clock.sleep(RECONNECT_MS, signal).catch(() => {});
      if (!signal.aborted)
        await this.relist().catch((error: unknown) =>
          logger.v(2).info('PLEG: failed to relist', { err: errorMessage(error) }),
        );
    }
  }

  async #relistPeriodically(): Promise<void> {
    const { clock, signal, logger } = this.#ctx;
    // The first relist comes early; by then it is known whether the runtime has an event stream.
    for (let first = true; !signal.aborted; first = false) {
      await clock
        .sleep(this.#hasStream && !first ? RELIST_WITH_EVENTS_MS : RELIST_WITHOUT_EVENTS_MS, signal)
        .catch(() => {});
      if (signal.aborted) return;
      await this.relist().catch((error: unknown) => {
        if (!signal.aborted) logger.error(error, 'PLEG: failed to relist');
      });
    }
  }
}
