import type { TriedNodes } from '../../evaluation/evaluation.ts';
import { Status } from '../../framework/status.ts';
import { isLess } from './pick-node.ts';
import type { Victims } from './select-victims.ts';

export const NOT_TRIED = 0;
/** Preemption helps there, and the harm is known. */
export const CANDIDATE = 1;
export const NO_CANDIDATE = 2;
/** The pod fits there without any victim. */
export const NOBODY_NEEDS_TO_GO = 3;

/** What preemption would do on each node, by slot. Harm is numbered, so that hundreds of candidates are compared at once. */
export class TriedVictims implements TriedNodes {
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
    else if (result.pods.length === 0) this.verdicts[slot] = NOBODY_NEEDS_TO_GO;
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
  isLess(slot: number, than: number): boolean {
    const a = this.#harmIds[slot]!;
    const b = this.#harmIds[than]!;
    return a !== b && isLess(this.#harms[a]!, this.#harms[b]!);
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
