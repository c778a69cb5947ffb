/** Which of the free CPUs a container gets: whole NUMA nodes and sockets first, then whole cores, then what is left of others. */
import type { CpuPlace } from './node-topology.ts';

export interface TakeOptions {
  /** Only whole cores, and none that is shared. */
  readonly fullCoresOnly?: boolean;
}

/** Throws when there are not enough. */
export function takeCpus(topology: readonly CpuPlace[], available: readonly number[], count: number, { fullCoresOnly = false }: TakeOptions = {}): number[] {
  const free = new Set(available);
  if (free.size < count) throw new Error(`not enough cpus available to satisfy request: requested=${count}, available=${free.size}`);
  const taken: number[] = [];
  const take = (cpus: readonly number[]): void => {
    for (const cpu of cpus) {
      free.delete(cpu);
      taken.push(cpu);
    }
  };
  for (const unit of ['numa', 'socket', 'core'] as const) {
    for (const cpus of wholeUnits(topology, free, unit)) if (cpus.length <= count - taken.length) take(cpus);
  }
  if (taken.length < count && !fullCoresOnly) take(remaining(topology, free, taken).slice(0, count - taken.length));
  if (taken.length < count) throw new Error(`not enough cpus available to satisfy request: requested=${count}, available=${taken.length}`);
  return taken.toSorted((a, b) => a - b);
}

/** Units of which every CPU is free, in order. */
function wholeUnits(topology: readonly CpuPlace[], free: ReadonlySet<number>, unit: 'numa' | 'socket' | 'core'): number[][] {
  const all = new Map<number, CpuPlace[]>();
  for (const place of topology) all.set(place[unit], [...(all.get(place[unit]) ?? []), place]);
  return [...all.entries()]
    .filter(([, places]) => places.every(({ id }) => free.has(id)))
    .toSorted(([a, placesA], [b, placesB]) => (placesA[0]?.socket ?? 0) - (placesB[0]?.socket ?? 0) || a - b)
    .map(([, places]) => places.map(({ id }) => id).toSorted((a, b) => a - b));
}

/** Single CPUs: on sockets that the container is on already, and where least is left, so that whole ones stay whole. */
function remaining(topology: readonly CpuPlace[], free: ReadonlySet<number>, taken: readonly number[]): number[] {
  const place = new Map(topology.map((one) => [one.id, one]));
  const count = (ids: Iterable<number>, unit: 'socket' | 'core', value: number | undefined): number => [...ids].filter((id) => place.get(id)?.[unit] === value).length;
  return [...free].toSorted((a, b) => {
    const [first, second] = [place.get(a), place.get(b)];
    return (
      count(taken, 'socket', second?.socket) - count(taken, 'socket', first?.socket) ||
      count(free, 'socket', first?.socket) - count(free, 'socket', second?.socket) ||
      count(free, 'core', first?.core) - count(free, 'core', second?.core) ||
      (first?.socket ?? 0) - (second?.socket ?? 0) ||
      (first?.core ?? 0) - (second?.core ?? 0) ||
      a - b
    );
  });
}
