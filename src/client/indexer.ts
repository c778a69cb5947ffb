import { keyOf, type ApiObject } from './resource.ts';

/** The values under which an object is found in an index. */
export type IndexFunction<T> = (object: T) => readonly string[];

/** A cache of objects by key and by indexes. Returned objects are shared: never change them. */
export class Indexer<T extends ApiObject> {
  readonly #objects = new Map<string, T>();
  readonly #indexes = new Map<string, { of: IndexFunction<T>; keys: Map<string, Set<string>> }>();

  constructor(indexes: Readonly<Record<string, IndexFunction<T>>> = {}) {
    for (const [name, of] of Object.entries(indexes)) this.addIndex(name, of);
  }

  get size(): number {
    return this.#objects.size;
  }

  get(key: string): T | undefined {
    return this.#objects.get(key);
  }

  list(): T[] {
    return [...this.#objects.values()];
  }

  keys(): string[] {
    return [...this.#objects.keys()];
  }

  values(): IterableIterator<T> {
    return this.#objects.values();
  }

  byIndex(name: string, value: string): T[] {
    const keys = this.#index(name).keys.get(value);
    return keys === undefined ? [] : Array.from(keys, (key) => this.#objects.get(key) as T);
  }

  /** The keys of the objects under a value, for callers that only enqueue. */
  keysByIndex(name: string, value: string): string[] {
    return [...(this.#index(name).keys.get(value) ?? [])];
  }

  /** All values of an index. */
  indexValues(name: string): IterableIterator<string> {
    return this.#index(name).keys.keys();
  }

  /** Adds an index, also to a filled cache; replaces one of the same name. */
  addIndex(name: string, of: IndexFunction<T>): void {
    const index = { of, keys: new Map<string, Set<string>>() };
    this.#indexes.set(name, index);
    for (const [key, object] of this.#objects) for (const value of of(object)) enter(index.keys, value, key);
  }

  hasIndex(name: string): boolean {
    return this.#indexes.has(name);
  }

  /** Returns the replaced object. */
  set(object: T): T | undefined {
    const key = keyOf(object);
    const old = this.#objects.get(key);
    this.#objects.set(key, object);
    for (const { of, keys } of this.#indexes.values()) {
      const values = of(object);
      if (old !== undefined) {
        const before = of(old);
        /** Most updates change no index value. */
        if (sameValues(before, values)) continue;
        for (const value of before) leave(keys, value, key);
      }
      for (const value of values) enter(keys, value, key);
    }
    return old;
  }

  /** Returns the deleted object. */
  delete(key: string): T | undefined {
    const old = this.#objects.get(key);
    if (old === undefined) return undefined;
    this.#objects.delete(key);
    for (const { of, keys } of this.#indexes.values()) for (const value of of(old)) leave(keys, value, key);
    return old;
  }

  #index(name: string) {
    const index = this.#indexes.get(name);
    if (index === undefined)
      throw new Error(`there is no index ${name}; there are: ${[...this.#indexes.keys()].join(', ') || 'none'}`);
    return index;
  }
}

export const NAMESPACE_INDEX = 'namespace';
export const CONTROLLER_UID_INDEX = 'controllerUid';

export const byNamespace: IndexFunction<ApiObject> = (object) => [object.metadata.namespace ?? ''];

/** Objects by the uid of their controller. */
export const byControllerUid: IndexFunction<ApiObject> = (object) => {
  const controller = object.metadata.ownerReferences?.find((reference) => reference.controller === true);
  return controller === undefined ? [] : [controller.uid];
};

function sameValues(a: readonly string[], b: readonly string[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

function enter(keys: Map<string, Set<string>>, value: string, key: string): void {
  const set = keys.get(value);
  if (set === undefined) keys.set(value, new Set([key]));
  else set.add(key);
}

function leave(keys: Map<string, Set<string>>, value: string, key: string): void {
  const set = keys.get(value);
  set?.delete(key);
  if (set?.size === 0) keys.delete(value);
}
