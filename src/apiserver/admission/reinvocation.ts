/**
 * Mutating plugins see an object before those that come after them have changed it. When webhooks or policies have, the
 * chain runs once more, and what asked for it is called again.
 */
export class Reinvocation {
  /** The chain runs for the second time. */
  isReinvoke = false;
  wanted = false;
  readonly #kept = new Map<object, unknown>();

  /** What a plugin keeps from the first run for the second. */
  kept<T>(plugin: object, make: () => T): T {
    if (!this.#kept.has(plugin)) this.#kept.set(plugin, make());
    return this.#kept.get(plugin) as T;
  }
}
