import type { TouchedNodes } from '../framework/plugin.ts';

/** The slots of nodes that have to be filtered again. */
export class TouchedSlots implements TouchedNodes {
  readonly slots: number[] = [];
  allTouched = false;
  scoresTouched = false;
  #isTouched = new Uint8Array(0);

  add(slot: number): void {
    if (this.#isTouched[slot] === 1) return;
    this.#isTouched[slot] = 1;
    this.slots.push(slot);
  }

  all(): void {
    this.allTouched = true;
  }

  scores(): void {
    this.scoresTouched = true;
  }

  clear(): void {
    for (const slot of this.slots) this.#isTouched[slot] = 0;
    this.slots.length = 0;
    this.allTouched = this.scoresTouched = false;
  }

  reset(capacity: number): void {
    this.clear();
    if (this.#isTouched.length !== capacity) this.#isTouched = new Uint8Array(capacity);
  }
}

/** For dry runs, which are undone. */
export const IGNORE_TOUCHED: TouchedNodes = { add: () => {}, all: () => {}, scores: () => {} };
