/**
 * Allocates node ports. A port is free when no Service in the watch cache has it and no write under way has reserved
 * it.
 */
import type { Service } from '../../api/generated/core-v1.ts';
import type { Random } from '../../kernel/index.ts';
import type { Entry } from '../storage/entry.ts';
import type { ResourceCache } from '../storage/resource-cache.ts';
import { AllocationError } from './cluster-ip-allocator.ts';

const MIN_STATIC = 16;
const MAX_STATIC = 128;
const STATIC_SHARE = 32;

export class NodePortAllocator {
  readonly #range: string;
  readonly #random: Random;
  readonly #base: number;
  readonly #size: number;
  /** How many stored Services have each port. */
  readonly #stored: Uint16Array;
  readonly #reserved = new Set<number>();

  /** `range` as in `30000-32767`. */
  constructor(range: string, random: Random) {
    this.#range = range;
    this.#random = random;
    const match = /^(\d+)-(\d+)$/.exec(range);
    if (!match) throw new Error(`invalid port range ${range}`);
    this.#base = Number(match[1]);
    this.#size = Number(match[2]) - this.#base + 1;
    this.#stored = new Uint16Array(this.#size);
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

  isAllocated(port: number): boolean {
    return this.#contains(port) && (this.#stored[port - this.#base]! > 0 || this.#reserved.has(port));
  }

  /** Reserves the port that the client chose. */
  reserve(port: number): void {
    if (!this.#contains(port)) {
      throw new AllocationError(`provided port is not in the valid range. The range of valid ports is ${this.#range}`);
    }
    if (this.isAllocated(port)) throw new AllocationError('provided port is already allocated');
    this.#reserved.add(port);
  }

  /** Clients choose ports from the lower part of the range, so it is used last. */
  reserveNext(): number {
    const share = Math.floor(this.#size / STATIC_SHARE);
    const statics = this.#size < MIN_STATIC ? 0 : Math.min(Math.max(share, MIN_STATIC), MAX_STATIC);
    const port = this.#search(statics, this.#size) ?? this.#search(0, statics);
    if (port === undefined) throw new AllocationError('range is full');
    this.#reserved.add(port);
    return port;
  }

  /** The write is over: the stored Service has the port now, or no Service does. */
  settle(ports: Iterable<number>): void {
    for (const port of ports) this.#reserved.delete(port);
  }

  #contains(port: number): boolean {
    return Number.isInteger(port) && port >= this.#base && port < this.#base + this.#size;
  }

  #count(entry: Entry, step: 1 | -1): void {
    for (const port of nodePortsOf(entry.object as unknown as Service)) {
      if (this.#contains(port)) this.#stored[port - this.#base]! += step;
    }
  }

  #search(from: number, to: number): number | undefined {
    const length = to - from;
    if (length <= 0) return undefined;
    const start = this.#random.integer(length);
    for (let i = 0; i < length; i++) {
      const port = this.#base + from + ((start + i) % length);
      if (!this.isAllocated(port)) return port;
    }
    return undefined;
  }
}

/** Distinct: two protocols may share a port. */
export function nodePortsOf({ spec }: Service): Set<number> {
  const ports = new Set<number>();
  for (const { nodePort } of spec?.ports ?? []) if (nodePort) ports.add(nodePort);
  if (spec?.healthCheckNodePort) ports.add(spec.healthCheckNodePort);
  return ports;
}
