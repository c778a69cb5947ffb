/**
 * State and notifications that the kubelet's components share. Components publish to `podChanged`, `podsChanged` and
 * `nodeChanged`, and report node pressures, problems and shutdown here; others subscribe or read. So no component needs
 * another one that is built later.
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
  /** The pod with this UID must be synced. */
  readonly podChanged = new Topic<string>();
  /** Pods were added or removed. */
  readonly podsChanged = new Topic();
  /** The node status must be updated. */
  readonly nodeChanged = new Topic();
  readonly #problems: (() => readonly string[])[] = [];
  #pressures: () => ReadonlySet<string> = () => NO_PRESSURES;
  #shuttingDown: () => boolean = () => false;
  #podRunning: (uid: string) => boolean = () => false;
  /** The port of the kubelet API; 0 until it listens, and when it is disabled. */
  kubeletPort = 0;

  /** The pressure conditions of the node that are true. */
  get pressures(): ReadonlySet<string> {
    return this.#pressures();
  }

  get isShuttingDown(): boolean {
    return this.#shuttingDown();
  }

  /** Whether the pod has not terminated yet. */
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

/** Combines calls within a short time into one call of `update`. */
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
