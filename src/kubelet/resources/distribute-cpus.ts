/** CPUs of several NUMA nodes in equal parts: a program that works on all of them in step is as fast as the smallest part. */
import type { CpuInfo } from './node-topology.ts';
import { takeCpus, type TakeOptions } from './take-cpus.ts';
import { allMasks, bitsOf, countOf } from './topology-hint.ts';

interface Plan {
  /** How many CPUs of each NUMA node. */
  readonly parts: ReadonlyMap<number, number>;
  /** How unequal what is left free would be. */
  readonly imbalance: number;
}

/** `groupSize`: CPUs that are only given together. Where no equal parts can be had, they are packed. */
export function distributeCpus(
  topology: readonly CpuInfo[],
  available: readonly number[],
  count: number,
  { groupSize, ...options }: TakeOptions & { readonly groupSize: number },
): number[] {
  const packed = (from: readonly number[], wanted: number): number[] => takeCpus(topology, from, wanted, options);
  if (count % groupSize !== 0) return packed(available, count);
  const numaOf = new Map(topology.map(({ id, numa }) => [id, numa]));
  const free = new Map<number, number[]>();
  for (const cpu of available) free.set(numaOf.get(cpu) ?? 0, [...(free.get(numaOf.get(cpu) ?? 0) ?? []), cpu]);
  const plan = fewestNodes(free, count, groupSize);
  if (plan === undefined) return packed(available, count);
  return [...plan.parts].flatMap(([node, part]) => packed(free.get(node) ?? [], part)).toSorted((a, b) => a - b);
}

/** The most even plan on as few nodes as can have one. */
function fewestNodes(free: ReadonlyMap<number, readonly number[]>, count: number, groupSize: number): Plan | undefined {
  const masks = allMasks([...free.keys()].toSorted((a, b) => a - b));
  for (let nodes = 1; nodes <= free.size; nodes++) {
    let best: Plan | undefined;
    for (const mask of masks.filter((one) => countOf(one) === nodes)) {
      for (const plan of plansOn(bitsOf(mask), free, count, groupSize))
        if (best === undefined || plan.imbalance < best.imbalance) best = plan;
    }
    if (best !== undefined) return best;
  }
  return undefined;
}

function* plansOn(
  nodes: readonly number[],
  free: ReadonlyMap<number, readonly number[]>,
  count: number,
  groupSize: number,
): Generator<Plan> {
  const each = Math.floor(count / nodes.length / groupSize) * groupSize;
  const extra = (count - each * nodes.length) / groupSize;
  const room = (node: number): number => free.get(node)?.length ?? 0;
  // Those that take one group more than the others: every choice of so many.
  for (const mask of extra === 0 ? [0] : allMasks(nodes).filter((one) => countOf(one) === extra)) {
    const parts = new Map(nodes.map((node) => [node, each + (bitsOf(mask).includes(node) ? groupSize : 0)]));
    if ([...parts].some(([node, part]) => part > room(node))) continue;
    yield { parts, imbalance: deviation([...free.keys()].map((node) => room(node) - (parts.get(node) ?? 0))) };
  }
}

function deviation(values: readonly number[]): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length);
}
