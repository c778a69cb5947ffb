import type { ApiObject } from '../client/index.ts';

/**
 * Tracks the resourceVersion of a controller's last write to each object. A controller that counts must not work on a
 * cache that does not show its own last write, because it would count twice.
 */
export class ReadYourWrites {
  readonly #written = new Map<string, { uid: string | undefined; version: string }>();

  wrote(key: string, { metadata: { uid, resourceVersion = '0' } }: ApiObject): void {
    this.#written.set(key, { uid, version: resourceVersion });
  }

  /** Whether the cached object is older than the last write; an event with the newer one will come. */
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

/** Resource versions are decimal numbers without leading zeros. */
const isOlder = (a: string, b: string): boolean => (a.length === b.length ? a < b : a.length < b.length);
