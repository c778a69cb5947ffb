import type { NodeTable } from '../../cache/node-table.ts';
import type { Topology } from '../../cache/topology.ts';
import type { TouchedNodes } from '../../framework/plugin.ts';

/** Counts by topology domain, for several topology keys. */
export class TopologyCounts {
  readonly #table: NodeTable;
  readonly #byKey = new Map<string, { topology: Topology; counts: Float64Array }>();
  /** The number of domains whose count is not zero. */
  size = 0;

  constructor(table: NodeTable) {
    this.#table = table;
  }

  /** Nodes without the label are ignored. A domain's nodes are touched when its count becomes zero, or is no longer. */
  add(key: string, slot: number, by: number, touched?: TouchedNodes): void {
    const column = this.#column(key);
    const domain = column.topology.domainOf[slot]!;
    if (domain < 0) return;
    if (domain >= column.counts.length) this.#grow(column, domain);
    const before = column.counts[domain]!;
    const after = before + by;
    column.counts[domain] = after;
    if ((before === 0) === (after === 0)) return;
    this.size += after === 0 ? -1 : 1;
    if (touched === undefined) return;
    const { domainOf, sizes } = column.topology;
    if (sizes[domain] === 1) touched.add(slot);
    else for (let s = 0; s < this.#table.end; s++) if (domainOf[s] === domain) touched.add(s);
  }

  at(key: string, slot: number): number {
    const column = this.#byKey.get(key);
    if (column === undefined) return 0;
    const domain = column.topology.domainOf[slot]!;
    return domain < 0 ? 0 : (column.counts[domain] ?? 0);
  }

  columns(): Iterable<{ topology: Topology; counts: Float64Array }> {
    return this.#byKey.values();
  }

  #column(key: string): { topology: Topology; counts: Float64Array } {
    let column = this.#byKey.get(key);
    if (column === undefined) {
      const topology = this.#table.topology(key);
      this.#byKey.set(key, (column = { topology, counts: new Float64Array(topology.domains) }));
    }
    return column;
  }

  #grow(column: { topology: Topology; counts: Float64Array }, domain: number): void {
    const wider = new Float64Array(Math.max(domain + 1, column.topology.domains));
    wider.set(column.counts);
    column.counts = wider;
  }
}
