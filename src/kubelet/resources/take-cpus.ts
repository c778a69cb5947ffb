/** Which of the free CPUs a container gets: whole NUMA nodes and sockets first, then whole cores, then what is left of others. */
import type { CpuInfo } from './node-topology.ts';

export interface TakeOptions {
  /** Only whole cores, and none that is shared. */
  readonly fullCoresOnly?: boolean;
  /** Threads of different cores before threads of the same. */
  readonly acrossCores?: boolean;
  /** As few caches of the last level as possible, before whole cores are looked for. */
  readonly byUncoreCache?: boolean;
}

type Unit = 'numa' | 'socket' | 'uncoreCache' | 'core';

/** Throws when there are not enough. */
export function takeCpus(
  topology: readonly CpuInfo[],
  available: readonly number[],
  count: number,
  options: TakeOptions = {},
): number[] {
  if (available.length < count) throw notEnough(count, available.length);
  const taking = new CpuAccumulator(topology, available, count);
  taking.takeWhole(taking.units[0]);
  taking.takeWhole(taking.units[1]);
  if (options.byUncoreCache === true) taking.takeOfCaches(options.fullCoresOnly === true);
  if (options.acrossCores !== true) taking.takeWhole('core');
  if (options.fullCoresOnly !== true)
    taking.takeSingle(options.acrossCores === true ? taking.spread() : taking.remaining());
  if (taking.missing > 0) throw notEnough(count, taking.taken.length);
  return taking.taken.toSorted((a, b) => a - b);
}

const notEnough = (count: number, available: number): Error =>
  new Error(`not enough cpus available to satisfy request: requested=${count}, available=${available}`);

class CpuAccumulator {
  readonly taken: number[] = [];
  /** NUMA nodes and sockets, whichever are smaller first: sockets that have several NUMA nodes are worth more as a whole. */
  readonly units: readonly ['numa' | 'socket', 'numa' | 'socket'];
  readonly #topology: readonly CpuInfo[];
  readonly #place: ReadonlyMap<number, CpuInfo>;
  readonly #free: Set<number>;
  readonly #count: number;

  constructor(topology: readonly CpuInfo[], available: readonly number[], count: number) {
    this.#topology = topology;
    this.#place = new Map(topology.map((place) => [place.id, place]));
    this.#free = new Set(available);
    this.#count = count;
    const different = (unit: 'numa' | 'socket'): number => new Set(topology.map((place) => place[unit])).size;
    this.units = different('socket') >= different('numa') ? ['numa', 'socket'] : ['socket', 'numa'];
  }

  get missing(): number {
    return this.#count - this.taken.length;
  }

  takeWhole(unit: Unit): void {
    for (const [, cpus] of this.#inOrder(unit))
      if (cpus.length <= this.missing && cpus.length === this.#sizeOf(unit, cpus)) this.#take(cpus);
  }

  /** Whole caches, and the rest from one that has as much, so that the container is on as few as possible. */
  takeOfCaches(fullCoresOnly: boolean): void {
    this.takeWhole('uncoreCache');
    if (this.missing === 0) return;
    const cores = this.#inOrder('core')
      .map(([, cpus]) => cpus)
      .filter((cpus) => cpus.length === this.#sizeOf('core', cpus));
    const whole = new Set(cores.flat());
    const room = this.#inOrder('uncoreCache')
      .map(([, cpus]) => new Set(fullCoresOnly ? cpus.filter((cpu) => whole.has(cpu)) : cpus))
      .find((cpus) => cpus.size >= this.missing);
    if (room === undefined) return;
    for (const cpus of cores) if (cpus.length <= this.missing && cpus.every((cpu) => room.has(cpu))) this.#take(cpus);
    this.takeSingle(this.remaining().filter((cpu) => room.has(cpu)));
  }

  takeSingle(cpus: readonly number[]): void {
    this.#take(cpus.slice(0, this.missing));
  }

  /** Of each core its first free thread, then of each its second. */
  spread(): number[] {
    const cores = this.#inOrder('core').map(([, cpus]) => cpus);
    const most = Math.max(0, ...cores.map((cpus) => cpus.length));
    return Array.from({ length: most }, (_, round) => cores.flatMap((cpus) => cpus[round] ?? [])).flat();
  }

  /** Single CPUs: on sockets that the container is on already, and where least is left, so that whole ones stay whole. */
  remaining(): number[] {
    const count = (ids: Iterable<number>, unit: 'socket' | 'core', value: number | undefined): number =>
      [...ids].filter((id) => this.#place.get(id)?.[unit] === value).length;
    return [...this.#free].toSorted((a, b) => {
      const [first, second] = [this.#place.get(a), this.#place.get(b)];
      return (
        count(this.taken, 'socket', second?.socket) - count(this.taken, 'socket', first?.socket) ||
        count(this.#free, 'socket', first?.socket) - count(this.#free, 'socket', second?.socket) ||
        count(this.#free, 'core', first?.core) - count(this.#free, 'core', second?.core) ||
        (first?.socket ?? 0) - (second?.socket ?? 0) ||
        (first?.core ?? 0) - (second?.core ?? 0) ||
        a - b
      );
    });
  }

  #take(cpus: readonly number[]): void {
    for (const cpu of cpus) {
      this.#free.delete(cpu);
      this.taken.push(cpu);
    }
  }

  /** The free CPUs of each unit; units with least that is free come first, within larger ones of which the same is true. */
  #inOrder(unit: Unit): [number, number[]][] {
    const [inner, outer] = this.units;
    const levels: Unit[] = unit === outer ? [outer] : unit === inner ? [outer, inner] : [outer, inner, unit];
    const free = new Map(levels.map((level) => [level, this.#freeIn(level)]));
    const keys = (cpu: number): number[] =>
      levels.flatMap((level) => {
        const id = unitOf(this.#place.get(cpu), level);
        return [free.get(level)?.get(id)?.length ?? 0, id];
      });
    return [...(free.get(unit) ?? [])]
      .map(([id, cpus]) => ({ id, cpus, key: keys(cpus[0] ?? 0) }))
      .toSorted((a, b) => compareKeys(a.key, b.key))
      .map(({ id, cpus }) => [id, cpus]);
  }

  #freeIn(unit: Unit): Map<number, number[]> {
    const found = new Map<number, number[]>();
    for (const cpu of [...this.#free].toSorted((a, b) => a - b)) {
      const id = unitOf(this.#place.get(cpu), unit);
      const others = found.get(id);
      if (others === undefined) found.set(id, [cpu]);
      else others.push(cpu);
    }
    return found;
  }

  /** How many CPUs the unit of these has, free or not. */
  #sizeOf(unit: Unit, cpus: readonly number[]): number {
    const id = unitOf(this.#place.get(cpus[0] ?? -1), unit);
    return this.#topology.filter((place) => unitOf(place, unit) === id).length;
  }
}

/** Where the kernel tells of no caches, a NUMA node has one. */
export const unitOf = (place: CpuInfo | undefined, unit: Unit): number =>
  (unit === 'uncoreCache' ? (place?.uncoreCache ?? place?.numa) : place?.[unit]) ?? -1;

function compareKeys(a: readonly number[], b: readonly number[]): number {
  for (const [i, value] of a.entries()) if (value !== b[i]) return value - (b[i] ?? 0);
  return 0;
}
