import type { ApiObject } from '../client/index.ts';

/**
 * Remembers the last version of each object that a controller wrote. Counting is not idempotent: a controller that counts
 * from a cache which does not show its own last write would count or act twice.
 */
export class ReadYourWrites {
  readonly #written = new Map<string, { uid: string | undefined; version: string }>();

  wrote(key: string, { metadata: { uid, resourceVersion = '0' } }: ApiObject): void {
    this.#written.set(key, { uid, version: resourceVersion });
  }

  /** Whether the object in the cache is older than what was written; the newer one will come. */
  isBehind(key: string, { metadata: { uid, resourceVersion = '0' } }: ApiObject): boolean {
    const written = this.#written.get(key);
    if (written === undefined || written.uid !== uid) return false;
    if (isOlder(resourceVersion, written.version)) return true;
    this.#written.delete(key);
    return false;
  }

  forget(key: string): void {
    this.#written.delete(key);
  }
}

/** Resource versions are decimal numbers, without zeros before them. */
const isOlder = (a: string, b: string): boolean => (a.length === b.length ? a < b : a.length < b.length);
