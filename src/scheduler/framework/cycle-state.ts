/** The data of plugins about one pod, passed from one extension point to the next, by plugin name. */
export class CycleState {
  readonly #values = new Map<string, unknown>();
  /** Plugins whose PreFilter or PreScore returned Skip. */
  readonly skippedFilters = new Set<string>();
  readonly skippedScores = new Set<string>();

  /** Only the plugin itself writes under its name, so it knows the type. */
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
