import type { NodeDryRuns } from '../../evaluation/evaluation.ts';
import { Status } from '../../framework/status.ts';
import { isLessHarm, type Victims } from './victims.ts';

export const NOT_TRIED = 0;
/** Preemption on the node would make the pod fit. */
export const CANDIDATE = 1;
export const NO_CANDIDATE = 2;
/** The pod fits on the node without any victim. */
export const NO_VICTIM_NEEDED = 3;

/** Results of preemption's dry run, by node slot. Equal harms share a number, so that most comparisons are of integers. */
export class DryRunResults implements NodeDryRuns {
  readonly verdicts: Uint8Array;
  /** By slot: equal harm has equal numbers. */
  readonly #harmIds: Int32Array;
  readonly #harms: (readonly number[])[] = [];
  readonly #ids = new Map<string, number>();
  readonly #results: (Victims | Status | undefined)[] = [];

  constructor(capacity: number) {
    this.verdicts = new Uint8Array(capacity);
    this.#harmIds = new Int32Array(capacity);
  }

  forget(slot: number): void {
    this.verdicts[slot] = NOT_TRIED;
  }

  set(slot: number, result: Victims | Status): void {
    this.#results[slot] = result;
    if (result instanceof Status) this.verdicts[slot] = NO_CANDIDATE;
    else if (result.pods.length === 0) this.verdicts[slot] = NO_VICTIM_NEEDED;
    else {
      this.verdicts[slot] = CANDIDATE;
      this.#harmIds[slot] = this.#idOf(result.harm);
    }
  }

  victims(slot: number): Victims {
    return this.#results[slot] as Victims;
  }

  status(slot: number): Status {
    return this.#results[slot] as Status;
  }

  /** Whether preemption does less harm on the first node. */
  hasLessHarm(slot: number, than: number): boolean {
    const a = this.#harmIds[slot]!;
    const b = this.#harmIds[than]!;
    return a !== b && isLessHarm(this.#harms[a]!, this.#harms[b]!);
  }

  #idOf(harm: readonly number[]): number {
    const text = harm.join();
    let id = this.#ids.get(text);
    if (id === undefined) {
      id = this.#harms.push(harm) - 1;
      this.#ids.set(text, id);
    }
    return id;
  }
}
