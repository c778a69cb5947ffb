/** A topology: the values of one node label as numbers, and the domain of each node. */
export class Topology {
  readonly key: string;
  /** By slot: the domain's id, -1 for nodes without the label. */
  domainOf: Int32Array;
  readonly #ids = new Map<string, number>();
  readonly values: string[] = [];
  /** Nodes per domain id. */
  readonly sizes: number[] = [];

  constructor(key: string, capacity: number) {
    this.key = key;
    this.domainOf = new Int32Array(capacity).fill(-1);
  }

  /** One more than the largest id. */
  get domains(): number {
    return this.values.length;
  }

  id(value: string): number | undefined {
    return this.#ids.get(value);
  }

  set(slot: number, value: string | undefined): void {
    const before = this.domainOf[slot]!;
    if (before >= 0) this.sizes[before]!--;
    if (value === undefined) {
      this.domainOf[slot] = -1;
      return;
    }
    let id = this.#ids.get(value);
    if (id === undefined) {
      id = this.values.push(value) - 1;
      this.#ids.set(value, id);
      this.sizes.push(0);
    }
    this.domainOf[slot] = id;
    this.sizes[id]!++;
  }

  grow(capacity: number): void {
    const wider = new Int32Array(capacity).fill(-1);
    wider.set(this.domainOf);
    this.domainOf = wider;
  }
}
