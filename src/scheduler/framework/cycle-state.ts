/** What plugins remember about one pod between extension points, each under its own name. */
export class CycleState {
  readonly #values = new Map<string, unknown>();
  /** Plugins whose PreFilter or PreScore had nothing to do with this pod. */
  readonly skippedFilters = new Set<string>();
  readonly skippedScores = new Set<string>();

  /** The caller knows the type, since only it writes under its name. */
  get<T>(plugin: string): T | undefined {
    return this.#values.get(plugin) as T | undefined;
  }

  set(plugin: string, value: unknown): void {
    this.#values.set(plugin, value);
  }

  delete(plugin: string): void {
    this.#values.delete(plugin);
  }
}
