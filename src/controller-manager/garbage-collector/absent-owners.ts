import type { ObjectIdentity } from './graph.ts';

const CAPACITY = 500;

/** Owners that are known not to be there: a thousand dependents of one owner ask for it once. uids are never used again. */
export class AbsentOwners {
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
