/**
 * The node ports of servers that share a store, upstream's among them: a RangeAllocation with a bit for each port, which
 * each server changes by compare-and-set. The repair loop (`repair-node-ports.ts`) creates it.
 */
import type { RangeAllocation } from '../../api/generated/core-v1.ts';
import type { KeyValue, Store } from '../../etcd/index.ts';
import type { Random } from '../../kernel/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import { readStoredObject, storedObjectBytes } from '../storage/stored-object.ts';
import type { Transformer } from '../storage/transformer.ts';
import { AllocationError } from './cluster-ip-allocator.ts';
import { portIsAllocated, portIsOutOfRange, portRangeIsFull, type NodePortAllocator } from './node-port-allocator.ts';
import { PortBits } from './port-bits.ts';
import { PortRange } from './port-range.ts';

export const NODE_PORTS_KEY = '/registry/ranges/servicenodeports';

interface StoredNodePortsOptions {
  readonly store: Store;
  readonly transformer: Transformer;
  readonly range: PortRange;
  readonly random: Random;
}

/** What is stored, and the revision that a compare-and-set expects; 0 when nothing is stored. */
interface StoredPorts {
  readonly revision: number;
  readonly range: PortRange;
  readonly bits: PortBits;
}

type Allocation = KubeObject & RangeAllocation;

export class StoredNodePorts implements NodePortAllocator {
  readonly range: PortRange;
  readonly #options: StoredNodePortsOptions;
  /** Changes of this server wait for one another: they would only conflict. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: StoredNodePortsOptions) {
    this.range = options.range;
    this.#options = options;
  }

  /** As of the last read. */
  allocated: number | undefined;

  async isAllocated(port: number): Promise<boolean> {
    return this.range.contains(port) && (await this.read()).bits.has(port);
  }

  async reserve(port: number): Promise<void> {
    if (!this.range.contains(port)) throw portIsOutOfRange(this.range);
    await this.#change((bits) => {
      if (bits.has(port)) throw portIsAllocated();
      bits.add(port);
    });
  }

  async reserveNext(): Promise<number> {
    return this.#change((bits) => {
      const port = this.range.findFree(this.#options.random, (candidate) => bits.has(candidate));
      if (port === undefined) throw portRangeIsFull();
      bits.add(port);
      return port;
    });
  }

  async cancel(reserved: Iterable<number>): Promise<void> {
    await this.#release(reserved);
  }

  async commit(_reserved: Iterable<number>, released: Iterable<number>): Promise<void> {
    await this.#release(released);
  }

  async read(): Promise<StoredPorts> {
    const { kvs } = await this.#options.store.range({ key: NODE_PORTS_KEY });
    return this.#decode(kvs[0]);
  }

  /** False when another server changed it since it was read. */
  async replace(revision: number, bits: PortBits): Promise<boolean> {
    const allocation = {
      kind: 'RangeAllocation',
      apiVersion: 'v1',
      metadata: {},
      range: String(this.range),
      data: bits.encode(),
    } as Allocation;
    const value = await storedObjectBytes(this.#options.transformer, NODE_PORTS_KEY, allocation);
    const { succeeded } = await this.#options.store.txn({
      compare: [{ key: NODE_PORTS_KEY, target: 'mod', result: 'equal', value: revision }],
      success: [{ op: 'put', key: NODE_PORTS_KEY, value }],
    });
    return succeeded;
  }

  async #release(ports: Iterable<number>): Promise<void> {
    const known = [...ports].filter((port) => this.range.contains(port));
    if (known.length === 0) return;
    await this.#change((bits) => {
      for (const port of known) bits.remove(port);
    });
  }

  #change<T>(change: (bits: PortBits) => T): Promise<T> {
    const changed = this.#last.then(() => this.#compareAndSet(change));
    this.#last = changed.catch(() => {});
    return changed;
  }

  async #compareAndSet<T>(change: (bits: PortBits) => T): Promise<T> {
    for (;;) {
      const stored = await this.read();
      if (stored.revision === 0)
        throw new AllocationError('cannot allocate resources of type servicenodeportallocations at this time');
      if (String(stored.range) !== String(this.range))
        throw new AllocationError('the provided range does not match the current range');
      const result = change(stored.bits);
      if (await this.replace(stored.revision, stored.bits)) return result;
    }
  }

  async #decode(kv: KeyValue | undefined): Promise<StoredPorts> {
    if (!kv) return { revision: 0, range: this.range, bits: new PortBits(this.range) };
    const { range: text = '', data = '' } = (await readStoredObject(this.#options.transformer, kv)) as Allocation;
    const range = new PortRange(text);
    const bits = PortBits.decode(range, data);
    this.allocated = bits.count;
    return { revision: kv.modRevision, range, bits };
  }
}
