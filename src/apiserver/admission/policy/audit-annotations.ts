/** The audit annotations of a policy: the values of all bindings, joined per key. */
import type { AdmissionAttributes } from '../admission.ts';

const MAX_VALUE_LENGTH = 10 * 1024;

export class AuditAnnotations {
  readonly #values = new Map<string, Set<string>>();
  readonly #policy: string;

  constructor(policy: string) {
    this.#policy = policy;
  }

  add(key: string, value: string): void {
    const values = this.#values.get(key) ?? new Set();
    this.#values.set(key, values.add(value.slice(0, MAX_VALUE_LENGTH)));
  }

  publish(attributes: AdmissionAttributes): void {
    for (const [key, values] of this.#values) attributes.annotate(`${this.#policy}/${key}`, [...values].join(', '));
  }
}
