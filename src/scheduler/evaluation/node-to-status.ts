import type { FeasibleNodes } from '../framework/plugin.ts';
import type { Status } from '../framework/status.ts';
import { StatusTable } from './status-table.ts';

/** Codes of the column: there is no node, the node fits, or 2 + the index of a status. */
const NO_NODE = 0;
const FITS = 1;
const FIRST_STATUS = 2;

export interface NodeCountByStatus {
  readonly status: Status;
  readonly nodes: number;
}

/** The Filter status of each node, by slot: a column of small numbers, with the number of nodes of each status. */
export class NodeToStatus {
  #codes = new Uint16Array(0);
  #copy: Uint16Array | undefined;
  #table = new StatusTable();
  #nodes: number[] = [];
  #feasible = 0;
  #slots = new Int32Array(0);
  #isListed = false;
  #resolvable: readonly number[] | undefined;
  #countsByStatus: readonly NodeCountByStatus[] | undefined;

  get feasibleCount(): number {
    return this.#feasible;
  }

  get capacity(): number {
    return this.#codes.length;
  }

  get statuses(): readonly Status[] {
    return this.#table.statuses;
  }

  /** The error of a filter on one of the nodes. */
  get failure(): Status | undefined {
    return this.#table.statuses.find(({ code }, i) => code === 'Error' && (this.#nodes[i] ?? 0) > 0);
  }

  /** Clears every slot. */
  reset(capacity: number): void {
    if (this.#codes.length === capacity) this.#codes.fill(NO_NODE);
    else {
      this.#codes = new Uint16Array(capacity);
      this.#slots = new Int32Array(capacity);
    }
    this.#table = new StatusTable();
    this.#nodes = [];
    this.#feasible = 0;
    this.#changed();
  }

  set(slot: number, status: Status | undefined): void {
    const code = status === undefined ? FITS : this.#table.index(status) + FIRST_STATUS;
    if (this.#codes[slot] === code) return;
    this.clear(slot);
    this.#codes[slot] = code;
    if (code === FITS) this.#feasible++;
    else this.#nodes[code - FIRST_STATUS] = (this.#nodes[code - FIRST_STATUS] ?? 0) + 1;
    this.#changed();
  }

  /** The slot has no node any more. */
  clear(slot: number): void {
    const before = this.#codes[slot]!;
    if (before === NO_NODE) return;
    if (before === FITS) this.#feasible--;
    else this.#nodes[before - FIRST_STATUS]!--;
    this.#codes[slot] = NO_NODE;
    this.#changed();
  }

  fits(slot: number): boolean {
    return this.#codes[slot] === FITS;
  }

  statusOf(slot: number): Status | undefined {
    const code = this.#codes[slot] ?? NO_NODE;
    return code < FIRST_STATUS ? undefined : this.#table.statuses[code - FIRST_STATUS];
  }

  /** A copy of the column; the same one until a status changes. */
  copy(end: number): Uint16Array {
    return (this.#copy ??= this.#codes.slice(0, end));
  }

  /** The number of nodes of each status; the same list until a status changes. */
  countsByStatus(): readonly NodeCountByStatus[] {
    return (this.#countsByStatus ??= this.#table.statuses
      .map((status, i) => ({ status, nodes: this.#nodes[i] ?? 0 }))
      .filter(({ nodes }) => nodes > 0));
  }

  /** Nodes where preemption might help; the same list until a status changes. */
  resolvable(): readonly number[] {
    if (this.#resolvable !== undefined) return this.#resolvable;
    const helps = this.#table.statuses.map((status) => status.code === 'Unschedulable');
    const found: number[] = [];
    const codes = this.#codes;
    for (let slot = 0; slot < codes.length; slot++)
      if (codes[slot]! >= FIRST_STATUS && helps[codes[slot]! - FIRST_STATUS]!) found.push(slot);
    return (this.#resolvable = found);
  }

  /** The slots of the nodes that fit, in order. */
  feasible(): FeasibleNodes {
    if (!this.#isListed) {
      const codes = this.#codes;
      let count = 0;
      for (let slot = 0; slot < codes.length; slot++) if (codes[slot] === FITS) this.#slots[count++] = slot;
      this.#isListed = true;
    }
    return { slots: this.#slots, count: this.#feasible };
  }

  first(): number {
    return this.#codes.indexOf(FITS);
  }

  #changed(): void {
    this.#copy = this.#resolvable = this.#countsByStatus = undefined;
    this.#isListed = false;
  }
}
