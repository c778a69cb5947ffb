/**
 * Leases for objects that expire (Events). Everything written within a minute shares a lease: an Event needs no lease
 * of its own, and lives at most a minute longer than it must.
 */
import type { Store } from '../../etcd/index.ts';
import type { Clock } from '../../kernel/index.ts';

const SHARED_FOR_MS = 60_000;

export class EventLeases {
  readonly #store: Store;
  readonly #clock: Clock;
  #current = new Map<number, { id: Promise<bigint>; until: number }>();

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  lease(ttlSeconds: number): Promise<bigint> {
    // The store measures leases on the monotonic clock.
    const now = this.#clock.monotonic();
    const known = this.#current.get(ttlSeconds);
    if (known && now < known.until) return known.id;
    const id = this.#store.leaseGrant({ ttl: ttlSeconds + SHARED_FOR_MS / 1000 }).then((granted) => granted.id);
    const lease = { id, until: now + SHARED_FOR_MS };
    this.#current.set(ttlSeconds, lease);
    id.catch(() => this.#current.get(ttlSeconds) === lease && this.#current.delete(ttlSeconds));
    return id;
  }
}
