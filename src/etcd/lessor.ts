import type { Clock, Timer } from '../kernel/index.ts';
import type { Change } from './apply-txn.ts';
import { failure } from './errors.ts';
import { OrderedMap } from './ordered-map.ts';
import type { LeaseStatus } from './store.ts';

interface Lease {
  readonly id: bigint;
  readonly grantedTtl: number;
  /** On the clock's monotonic scale. */
  readonly expiry: number;
  readonly keys: OrderedMap<string, true>;
}

/** Immutable, so that a reference to it is a savepoint. */
export interface LeaseState {
  readonly leases: OrderedMap<bigint, Lease>;
  /** Ordered by expiry, so that the next lease to expire is the first. */
  readonly byExpiry: OrderedMap<string, bigint>;
}

/** etcd's limits: longer is refused, shorter is raised (1.5 election timeouts, in whole seconds). */
const MAX_TTL_SECONDS = 9_000_000_000;
const MIN_TTL_SECONDS = 2;
/** How long to wait before an expired lease whose revocation failed is tried again. */
const RETRY_MS = 1000;
/** Timers overflow past 2^31 ms; a longer wait needs several. */
const MAX_WAIT_MS = 2 ** 30;

/** The leases, the keys attached to them, and when they expire. */
export class Lessor {
  #current: LeaseState;
  #timer: Timer | undefined;
  #armedFor = Infinity;
  #lastId = 0n;
  readonly #clock: Clock;
  readonly #expire: (id: bigint) => Promise<unknown>;

  constructor(
    clock: Clock,
    expire: (id: bigint) => Promise<unknown>,
    state: LeaseState = { leases: OrderedMap.empty(), byExpiry: OrderedMap.empty() },
  ) {
    this.#clock = clock;
    this.#expire = expire;
    this.#current = state;
    this.#arm();
  }

  get state(): LeaseState {
    return this.#current;
  }

  exists(id: bigint): boolean {
    return this.#current.leases.has(id);
  }

  checkGrant(request: { id?: bigint; ttl: number }): { id: bigint; ttl: number } {
    if (request.ttl > MAX_TTL_SECONDS) throw failure('lease-ttl-too-large');
    const id = request.id ? request.id : this.#unusedId();
    if (this.exists(id)) throw failure('lease-exists');
    return { id, ttl: Math.max(request.ttl, MIN_TTL_SECONDS) };
  }

  grant({ id, ttl }: { id: bigint; ttl: number }): void {
    this.#put({ id, grantedTtl: ttl, expiry: this.#clock.monotonic() + ttl * 1000, keys: OrderedMap.empty() });
  }

  /** The lease's keys; revoking it deletes them in the same transaction. */
  keysOf(id: bigint): string[] {
    const keys: string[] = [];
    this.#current.leases.get(id)?.keys.scan(undefined, undefined, (_, key) => void keys.push(key));
    return keys;
  }

  remove(id: bigint): void {
    const lease = this.#current.leases.get(id);
    if (lease === undefined) return;
    const { leases, byExpiry } = this.#current;
    this.#current = { leases: leases.delete(id), byExpiry: byExpiry.delete(expiryKey(lease)) };
  }

  keepAlive(id: bigint): { ttl: number } {
    const lease = this.#current.leases.get(id);
    if (lease === undefined) return { ttl: 0 };
    this.#put({ ...lease, expiry: this.#clock.monotonic() + lease.grantedTtl * 1000 });
    return { ttl: lease.grantedTtl };
  }

  status(id: bigint, withKeys: boolean): LeaseStatus {
    const lease = this.#current.leases.get(id);
    if (lease === undefined) return { id, ttl: -1, grantedTtl: 0, keys: [] };
    const ttl = Math.max(0, Math.floor((lease.expiry - this.#clock.monotonic()) / 1000));
    return { id, ttl, grantedTtl: lease.grantedTtl, keys: withKeys ? this.keysOf(id) : [] };
  }

  ids(): bigint[] {
    const ids: bigint[] = [];
    this.#current.leases.scan(undefined, undefined, (lease) => void ids.push(lease.id));
    return ids;
  }

  /** Attaches and detaches keys as a transaction's changes say. */
  apply(changes: readonly Change[]): void {
    for (const { kv, prevKv } of changes) {
      if (kv.lease === 0n && (prevKv === undefined || prevKv.lease === 0n)) continue;
      if (kv.lease === prevKv?.lease) continue;
      if (prevKv !== undefined && prevKv.lease !== 0n) this.#withKeys(prevKv.lease, (keys) => keys.delete(kv.key));
      if (kv.lease !== 0n) this.attach(kv.lease, kv.key);
    }
  }

  attach(id: bigint, key: string): void {
    this.#withKeys(id, (keys) => keys.set(key, true));
  }

  /** Restores a savepoint, but keeps later renewals, which clients have seen. */
  restore(state: LeaseState): void {
    const since = this.#current.leases;
    this.#current = state;
    state.leases.scan(undefined, undefined, (lease) => {
      const later = since.get(lease.id);
      if (later !== undefined && later.expiry > lease.expiry) this.#put({ ...lease, expiry: later.expiry });
    });
    this.#arm();
  }

  close(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #unusedId(): bigint {
    // Positive, and different from the ids of a previous start.
    const now = BigInt(Math.floor(this.#clock.now())) << 20n;
    this.#lastId = this.#lastId >= now ? this.#lastId + 1n : now + 1n;
    while (this.exists(this.#lastId)) this.#lastId++;
    return this.#lastId;
  }

  #withKeys(id: bigint, change: (keys: Lease['keys']) => Lease['keys']): void {
    const lease = this.#current.leases.get(id);
    if (lease === undefined) return;
    this.#current = { ...this.#current, leases: this.#current.leases.set(id, { ...lease, keys: change(lease.keys) }) };
  }

  #put(lease: Lease): void {
    const old = this.#current.leases.get(lease.id);
    const byExpiry = old === undefined ? this.#current.byExpiry : this.#current.byExpiry.delete(expiryKey(old));
    this.#current = {
      leases: this.#current.leases.set(lease.id, lease),
      byExpiry: byExpiry.set(expiryKey(lease), lease.id),
    };
    if (lease.expiry < this.#armedFor) this.#arm();
  }

  #arm(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    const first = this.#current.byExpiry.first();
    const lease = first === undefined ? undefined : this.#current.leases.get(first[1]);
    this.#armedFor = lease?.expiry ?? Infinity;
    if (lease !== undefined) this.#wait(this.#armedFor - this.#clock.monotonic());
  }

  #wait(ms: number): void {
    this.#timer?.cancel();
    this.#timer = this.#clock.after(Math.min(Math.max(0, Math.ceil(ms)), MAX_WAIT_MS), () => void this.#expireDue());
  }

  async #expireDue(): Promise<void> {
    const now = this.#clock.monotonic();
    const due: bigint[] = [];
    this.#current.byExpiry.scan(undefined, undefined, (id) => {
      const lease = this.#current.leases.get(id);
      if (lease === undefined || lease.expiry > now) return false;
      due.push(id);
      return true;
    });
    const results = await Promise.allSettled(due.map((id) => this.#expire(id)));
    if (this.#timer === undefined) return;
    if (results.some((result) => result.status === 'rejected')) this.#wait(RETRY_MS);
    else this.#arm();
  }
}

function expiryKey(lease: Lease): string {
  return `${String(Math.ceil(lease.expiry)).padStart(16, '0')}:${lease.id}`;
}
