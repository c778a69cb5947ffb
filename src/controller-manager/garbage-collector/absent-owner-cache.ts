import type { ObjectIdentity } from './object-identity.ts';

const CAPACITY = 500;

/**
 * Remembers owners that do not exist, so that a thousand dependents of one owner cause one request. An entry stays true,
 * because uids are never reused.
 */
export class AbsentOwnerCache {
  readonly #known = new Map<string, true>();

  has(identity: ObjectIdentity): boolean {
    return this.#known.has(keyOf(identity));
  }

  add(identity: ObjectIdentity): void {
    const key = keyOf(identity);
    this.#known.delete(key);
    this.#known.set(key, true);
    if (this.#known.size > CAPACITY) this.#known.delete(this.#known.keys().next().value!);
  }
}

const keyOf = ({ apiVersion, kind, namespace, name, uid }: ObjectIdentity): string =>
  [apiVersion, kind, namespace, name, uid].join('\n');
