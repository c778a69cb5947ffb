import type { Clock } from '../kernel/index.ts';

/** After this long a controller acts again even if it has not seen its own writes: an event was lost. */
const EXPIRES_AFTER_MS = 5 * 60_000;

interface Expectation {
  creations: number;
  /** Keys or uids of the objects whose deletion is awaited. */
  deletions: Set<string>;
  since: number;
}

/**
 * The creations and deletions that a controller has done and not yet seen in its cache (ControllerExpectations). Until
 * then the cache is stale, and acting on it would do things twice. Deletions are tracked by uid or key, because one
 * deletion may cause two events.
 */
export class Expectations {
  readonly #clock: Clock;
  readonly #expected = new Map<string, Expectation>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  expectCreations(controllerKey: string, count: number): void {
    this.#start(controllerKey).creations = count;
  }

  expectDeletions(controllerKey: string, identities: Iterable<string>): void {
    this.#start(controllerKey).deletions = new Set(identities);
  }

  creationObserved(controllerKey: string): void {
    const expectation = this.#expected.get(controllerKey);
    if (expectation !== undefined && expectation.creations > 0) expectation.creations--;
  }

  deletionObserved(controllerKey: string, identity: string): void {
    this.#expected.get(controllerKey)?.deletions.delete(identity);
  }

  /** Creations that failed or were skipped: no event will follow. */
  creationsAbandoned(controllerKey: string, count = 1): void {
    for (let i = 0; i < count; i++) this.creationObserved(controllerKey);
  }

  /** Whether the controller may act: everything was observed, or the expectations have expired. */
  satisfied(controllerKey: string): boolean {
    const expectation = this.#expected.get(controllerKey);
    if (expectation === undefined) return true;
    if (expectation.creations === 0 && expectation.deletions.size === 0) return true;
    return this.#clock.monotonic() - expectation.since > EXPIRES_AFTER_MS;
  }

  /** The controlled object is gone. */
  forget(controllerKey: string): void {
    this.#expected.delete(controllerKey);
  }

  #start(controllerKey: string): Expectation {
    const existing = this.#expected.get(controllerKey);
    /** Creations and deletions of one sync are expected together. */
    if (existing !== undefined && existing.since === this.#clock.monotonic()) return existing;
    const started: Expectation = { creations: 0, deletions: new Set(), since: this.#clock.monotonic() };
    this.#expected.set(controllerKey, started);
    return started;
  }
}
