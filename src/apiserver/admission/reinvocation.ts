/**
 * Reinvocation of mutating plugins. A plugin sees the object before later plugins change it. When a webhook or a policy
 * changes the object, the chain runs once more, and calls again those whose reinvocationPolicy is IfNeeded.
 */
import { cloneJson, deepEqual } from '../../base/index.ts';
import type { KubeObject } from '../../machinery/index.ts';

export class ReinvocationContext {
  /** The chain runs for the second time. */
  isReinvoke = false;
  shouldReinvoke = false;
  readonly #values = new Map<object, unknown>();

  /** The state that a plugin hands from the first run to the second. */
  value<T>(plugin: object, create: () => T): T {
    if (!this.#values.has(plugin)) this.#values.set(plugin, create());
    return this.#values.get(plugin) as T;
  }
}

/** Which webhooks, or policies, of one plugin are called again in the second run. */
export class ReinvocationTracker {
  readonly #invoked = new Set<string>();
  readonly #toReinvoke = new Set<string>();
  #lastOutput: KubeObject | undefined;

  startRun({ isReinvoke }: ReinvocationContext, object: KubeObject | undefined): void {
    if (isReinvoke && !deepEqual(this.#lastOutput, object)) this.#reinvokeEarlier();
  }

  endRun(object: KubeObject | undefined): void {
    this.#lastOutput = object && cloneJson(object);
  }

  shouldSkip({ isReinvoke }: ReinvocationContext, id: string): boolean {
    return isReinvoke && !this.#toReinvoke.has(id);
  }

  /** Those that were invoked before `id` have not seen its change. */
  invoked(context: ReinvocationContext, id: string, { changed, reinvocable }: InvocationOutcome): void {
    if (changed) {
      this.#reinvokeEarlier();
      context.shouldReinvoke = true;
    }
    if (reinvocable) this.#invoked.add(id);
  }

  #reinvokeEarlier(): void {
    for (const id of this.#invoked) this.#toReinvoke.add(id);
    this.#invoked.clear();
  }
}

interface InvocationOutcome {
  readonly changed: boolean;
  readonly reinvocable: boolean;
}
