/**
 * What the parts of a kubelet tell each other while some of them do not exist yet. A part that finds something out calls
 * `podChanged`, `podsChanged` or `nodeChanged`; the parts that act on it subscribe when they are built. A part that knows
 * the node's pressures, problems or shutdown reports them here for those that ask.
 */
import type { Context } from '../../kernel/index.ts';

type Listener<T> = (value: T) => void;

class Topic<T = void> {
  readonly #listeners: Listener<T>[] = [];

  subscribe(listener: Listener<T>): void {
    this.#listeners.push(listener);
  }

  publish(value: T): void {
    for (const listener of this.#listeners) listener(value);
  }
}

const NO_PRESSURES: ReadonlySet<string> = new Set();

export class KubeletState {
  /** The pod with this uid needs a sync. */
  readonly podChanged = new Topic<string>();
  /** Pods came or went. */
  readonly podsChanged = new Topic();
  /** The node's status is out of date. */
  readonly nodeChanged = new Topic();
  readonly #problems: (() => readonly string[])[] = [];
  #pressures: () => ReadonlySet<string> = () => NO_PRESSURES;
  #shuttingDown: () => boolean = () => false;
  #podRunning: (uid: string) => boolean = () => false;
  /** The port of the kubelet's API; 0 until it listens, and without one. */
  kubeletPort = 0;

  /** Node conditions that are true because the node runs short of something. */
  get pressures(): ReadonlySet<string> {
    return this.#pressures();
  }

  get isShuttingDown(): boolean {
    return this.#shuttingDown();
  }

  /** Whether the pod's worker has not stopped yet. */
  isPodRunning(uid: string): boolean {
    return this.#podRunning(uid);
  }

  /** Why the node is not Ready. */
  get problems(): string[] {
    return this.#problems.flatMap((problemsOf) => problemsOf());
  }

  reportPressures(pressures: () => ReadonlySet<string>): void {
    this.#pressures = pressures;
  }

  reportRunningPods(isRunning: (uid: string) => boolean): void {
    this.#podRunning = isRunning;
  }

  reportShutdown(shuttingDown: () => boolean): void {
    this.#shuttingDown = shuttingDown;
  }

  reportProblems(problems: () => readonly string[]): void {
    this.#problems.push(problems);
  }
}

const DEBOUNCE_MS = 100;

/** Calls `update` soon after it was asked for, once for many requests in a short time. */
export function debounced(ctx: Context, update: () => Promise<void>, problem: string): () => void {
  let scheduled = false;
  return () => {
    if (scheduled || ctx.signal.aborted) return;
    scheduled = true;
    ctx.clock.after(DEBOUNCE_MS, () => {
      scheduled = false;
      void update().catch((error: unknown) => ctx.logger.error(error, problem));
    });
  };
}
