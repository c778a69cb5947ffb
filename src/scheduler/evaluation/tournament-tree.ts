import type { Random } from '../../kernel/index.ts';

/**
 * A tournament tree over scores: every inner node has the best score of its two children, and the number of ties. A
 * change, and the random choice of one of the best, take O(log n) steps. The plain counterpart is the sum over all feasible
 * nodes in score-board.ts. Pays for the bench rows `10,000 plain pods on 5,000 nodes` and `… on 15,000 nodes`.
 */
export class TournamentTree {
  readonly #leaves: number;
  readonly #best: Float64Array;
  readonly #ties: Int32Array;

  constructor(size: number) {
    let leaves = 1;
    while (leaves < size) leaves *= 2;
    this.#leaves = leaves;
    this.#best = new Float64Array(2 * leaves).fill(-Infinity);
    this.#ties = new Int32Array(2 * leaves);
  }

  get best(): number {
    return this.#best[1]!;
  }

  /** The number of indexes with the best score. */
  get ties(): number {
    return this.#ties[1]!;
  }

  get(index: number): number {
    return this.#best[this.#leaves + index]!;
  }

  /** -Infinity removes the index. */
  set(index: number, score: number): void {
    let at = this.#leaves + index;
    if (this.#best[at] === score) return;
    this.#best[at] = score;
    this.#ties[at] = score === -Infinity ? 0 : 1;
    for (at >>= 1; at >= 1; at >>= 1) {
      if (!this.#combine(at)) break;
    }
  }

  /** Sets all scores; absent ones must be -Infinity. */
  fill(scores: Float64Array, count: number): void {
    const leaves = this.#leaves;
    this.#best.fill(-Infinity, leaves);
    this.#ties.fill(0, leaves);
    for (let i = 0; i < count; i++) {
      this.#best[leaves + i] = scores[i]!;
      this.#ties[leaves + i] = scores[i] === -Infinity ? 0 : 1;
    }
    for (let at = leaves - 1; at >= 1; at--) this.#combine(at);
  }

  /** A random index with the best score; undefined when there is none. */
  selectBest(random: Random): number | undefined {
    const ties = this.#ties[1]!;
    if (ties === 0) return undefined;
    let rank = ties === 1 ? 0 : random.integer(ties);
    let at = 1;
    const best = this.#best[1]!;
    while (at < this.#leaves) {
      at *= 2;
      const left = this.#best[at] === best ? this.#ties[at]! : 0;
      if (rank >= left) {
        rank -= left;
        at++;
      }
    }
    return at - this.#leaves;
  }

  /** Up to `count` indexes with the best scores, best first. */
  top(count: number): number[] {
    const found: number[] = [];
    const open = [1];
    while (open.length > 0 && found.length < count) {
      let next = 0;
      // Of equal scores the last one is taken: depth first, so that not all ties are expanded.
      for (let i = 1; i < open.length; i++) if (this.#best[open[i]!]! >= this.#best[open[next]!]!) next = i;
      const at = open[next]!;
      if (this.#best[at] === -Infinity) break;
      open.splice(next, 1);
      if (at >= this.#leaves) found.push(at - this.#leaves);
      else open.push(2 * at, 2 * at + 1);
    }
    return found;
  }

  /** Whether anything changed. */
  #combine(at: number): boolean {
    const left = this.#best[2 * at]!;
    const right = this.#best[2 * at + 1]!;
    const best = left > right ? left : right;
    const ties = (left === best ? this.#ties[2 * at]! : 0) + (right === best ? this.#ties[2 * at + 1]! : 0);
    if (this.#best[at] === best && this.#ties[at] === ties) return false;
    this.#best[at] = best;
    this.#ties[at] = ties;
    return true;
  }
}
