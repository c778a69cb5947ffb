import type { TriedNodes } from '../../evaluation/evaluation.ts';
import { Status } from '../../framework/status.ts';
import { HARM_NUMBERS } from './pick-node.ts';
import type { Victims } from './select-victims.ts';

export const NOT_TRIED = 0;
/** Preemption helps there, and the harm is known. */
export const CANDIDATE = 1;
export const NO_CANDIDATE = 2;
/** The pod fits there without any victim. */
export const NOBODY_NEEDS_TO_GO = 3;

/** What preemption would do on each node, by slot. The harm is in a column, so that hundreds of candidates are compared at once. */
export class TriedVictims implements TriedNodes {
  readonly verdicts: Uint8Array;
  readonly harm: Float64Array;
  readonly #results: (Victims | Status | undefined)[] = [];

  constructor(capacity: number) {
    this.verdicts = new Uint8Array(capacity);
    this.harm = new Float64Array(capacity * HARM_NUMBERS);
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
      this.harm.set(result.harm, slot * HARM_NUMBERS);
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
    const { harm } = this;
    const [a, b] = [slot * HARM_NUMBERS, than * HARM_NUMBERS];
    for (let i = 0; i < HARM_NUMBERS; i++) if (harm[a + i] !== harm[b + i]) return harm[a + i]! < harm[b + i]!;
    return false;
  }
}
