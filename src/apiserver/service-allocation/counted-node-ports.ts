/**
 * The node ports of a server that has its store to itself: a port is free when no Service in the watch cache has it and no
 * write under way has reserved it.
 */
import type { Service } from '../../api/generated/core-v1.ts';
import type { Random } from '../../kernel/index.ts';
import type { Entry } from '../storage/entry.ts';
import type { ResourceCache } from '../storage/resource-cache.ts';
import {
  nodePortsOf,
  portIsAllocated,
  portIsOutOfRange,
  portRangeIsFull,
  type NodePortAllocator,
} from './node-port-allocator.ts';
import type { PortRange } from './port-range.ts';

export class CountedNodePorts implements NodePortAllocator {
  readonly range: PortRange;
  readonly #random: Random;
  /** How many stored Services have each port. */
  readonly #stored: Uint16Array;
  readonly #reserved = new Set<number>();

  constructor(range: PortRange, random: Random) {
    this.range = range;
    this.#random = random;
    this.#stored = new Uint16Array(range.size);
  }

  /** Counts the ports of all Services as they change; returns a function that stops. */
  follow(services: ResourceCache): () => void {
    for (const entry of services.list()) this.#count(entry, 1);
    return services.watch({
      scope: '',
      deliver: (event) => {
        if (event.previous) this.#count(event.previous, -1);
        if (event.type !== 'DELETED') this.#count(event.entry, 1);
      },
    });
  }

  get allocated(): number {
    let count = this.#reserved.size;
    for (const services of this.#stored) if (services > 0) count++;
    return count;
  }

  isAllocated(port: number): boolean {
    return this.range.contains(port) && (this.#stored[port - this.range.first]! > 0 || this.#reserved.has(port));
  }

  reserve(port: number): void {
    if (!this.range.contains(port)) throw portIsOutOfRange(this.range);
    if (this.isAllocated(port)) throw portIsAllocated();
    this.#reserved.add(port);
  }

  reserveNext(): number {
    const port = this.range.findFree(this.#random, (candidate) => this.isAllocated(candidate));
    if (port === undefined) throw portRangeIsFull();
    this.#reserved.add(port);
    return port;
  }

  cancel(reserved: Iterable<number>): void {
    for (const port of reserved) this.#reserved.delete(port);
  }

  /** The stored Service has the ports now; those that it released are counted no more. */
  commit(reserved: Iterable<number>): void {
    this.cancel(reserved);
  }

  #count(entry: Entry, step: 1 | -1): void {
    for (const port of nodePortsOf(entry.object as unknown as Service)) {
      if (this.range.contains(port)) this.#stored[port - this.range.first]! += step;
    }
  }
}
