/** Leases protect blobs and layers of a running pull or load from image GC, before an image refers to them. */
export class Leases {
  readonly #open = new Set<Lease>();

  take(): Lease {
    const lease = new Lease(() => this.#open.delete(lease));
    this.#open.add(lease);
    return lease;
  }

  /** Whether any lease protects this blob or layer. */
  holds(digest: string): boolean {
    for (const lease of this.#open) if (lease.held.has(digest)) return true;
    return false;
  }
}

export class Lease {
  readonly held = new Set<string>();

  constructor(readonly release: () => void) {}

  /** Digests of blobs and chain ids of layers. */
  hold(...digests: readonly string[]): void {
    for (const digest of digests) this.held.add(digest);
  }
}
