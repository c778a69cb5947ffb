import { keyOf, type ApiObject } from '../../../client/index.ts';

/** Objects with the scheduler's own changes assumed, until the informer shows a newer version. */
export class AssumeCache<T extends ApiObject> {
  readonly #latest: (key: string) => T | undefined;
  readonly #assumed = new Map<string, { object: T; basedOn: string | undefined }>();

  constructor(latest: (key: string) => T | undefined) {
    this.#latest = latest;
  }

  get(key: string): T | undefined {
    const latest = this.#latest(key);
    const assumed = this.#assumed.get(key);
    if (assumed === undefined) return latest;
    if (latest?.metadata.resourceVersion === assumed.basedOn) return assumed.object;
    this.#assumed.delete(key);
    return latest;
  }

  assume(object: T): void {
    const key = keyOf(object);
    this.#assumed.set(key, { object, basedOn: this.#latest(key)?.metadata.resourceVersion });
  }

  restore(key: string): void {
    this.#assumed.delete(key);
  }
}
