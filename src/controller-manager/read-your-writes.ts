import type { ApiObject } from '../client/index.ts';

/**
 * Remembers the last version of each object that a controller wrote. Counting is not idempotent: a controller that counts
 * from a cache which does not show its own last write would count or act twice.
 */
export class ReadYourWrites {
  readonly #written = new Map<string, { uid: string | undefined; version: bigint }>();

  wrote(key: string, { metadata: { uid, resourceVersion = '0' } }: ApiObject): void {
    this.#written.set(key, { uid, version: BigInt(resourceVersion) });
  }

  /** Whether the object in the cache is older than what was written; the newer one will come. */
  isBehind(key: string, { metadata: { uid, resourceVersion = '0' } }: ApiObject): boolean {
    const written = this.#written.get(key);
    return written !== undefined && written.uid === uid && BigInt(resourceVersion) < written.version;
  }

  forget(key: string): void {
    this.#written.delete(key);
  }
}
