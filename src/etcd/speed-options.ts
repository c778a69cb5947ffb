/**
 * What the stores do for speed alone. Each feature is a module with a plain counterpart that gives the same answers more
 * slowly, and its head names the rows of `npm run bench` that it pays for. All are on by default; embedded/store.test.ts and
 * test/etcd-contract.test.ts run the contract with each of them off.
 */
export interface SpeedOptions {
  /** apply-single-put.ts */
  readonly singlePut: boolean;
  /** embedded/commit-groups.ts */
  readonly commitGroups: boolean;
  /** embedded/key-filter.ts */
  readonly keyFilter: boolean;
  /** embedded/pair-cache.ts */
  readonly pairCache: boolean;
  /** embedded/slab.ts */
  readonly slab: boolean;
  /** front/encode-events.ts */
  readonly sharedEvents: boolean;
}

export const ALL_SPEED: SpeedOptions = {
  singlePut: true,
  commitGroups: true,
  keyFilter: true,
  pairCache: true,
  slab: true,
  sharedEvents: true,
};
