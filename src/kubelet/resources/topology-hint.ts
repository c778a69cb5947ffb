/** Sets of NUMA nodes that a resource could come from, and how the wishes of several resources become one. */

/** A bit for each NUMA node. */
export type NumaMask = number;

export interface TopologyHint {
  /** Undefined: any will do. */
  readonly affinity: NumaMask | undefined;
  /** Whether no smaller set could ever do. */
  readonly preferred: boolean;
}

/** By resource; undefined where it does not matter, empty where no set will do. */
export type ProviderHints = Readonly<Record<string, readonly TopologyHint[] | undefined>>;

export const ANY_NUMA_NODE: TopologyHint = { affinity: undefined, preferred: true };

export const maskOf = (nodes: Iterable<number>): NumaMask => [...nodes].reduce((mask, node) => mask | (1 << node), 0);

export function bitsOf(mask: NumaMask): number[] {
  const bits: number[] = [];
  for (let bit = 0; mask >>> bit !== 0; bit++) if ((mask >>> bit) & 1) bits.push(bit);
  return bits;
}

export const countOf = (mask: NumaMask): number => bitsOf(mask).length;

/** Every set of the given NUMA nodes but the empty one. */
export function allMasks(nodes: readonly number[]): NumaMask[] {
  const masks: NumaMask[] = [];
  for (let choice = 1; choice < 1 << nodes.length; choice++)
    masks.push(maskOf(nodes.filter((_, i) => (choice >>> i) & 1)));
  return masks;
}

/** Fewer nodes; of as many those of lower numbers. */
const isNarrower = (a: NumaMask, b: NumaMask): boolean => (countOf(a) === countOf(b) ? a < b : countOf(a) < countOf(b));

/** One list a resource that has a say. */
export function resourceLists(providers: readonly ProviderHints[]): TopologyHint[][] {
  const lists: TopologyHint[][] = [];
  for (const hints of providers) {
    for (const list of Object.values(hints)) {
      if (list === undefined) lists.push([ANY_NUMA_NODE]);
      else lists.push(list.length === 0 ? [{ affinity: undefined, preferred: false }] : [...list]);
    }
  }
  return lists;
}

/** The best that all of them can agree on. */
export function mergeHints(lists: readonly (readonly TopologyHint[])[], nodes: readonly number[]): TopologyHint {
  const everywhere = maskOf(nodes);
  const bestOtherwise = Math.max(
    0,
    ...lists
      .map((list) =>
        Math.min(...list.flatMap(({ affinity }) => (affinity === undefined ? [] : [countOf(affinity)])), Infinity),
      )
      .filter(Number.isFinite),
  );
  let best: { affinity: NumaMask; preferred: boolean } | undefined;
  for (const choice of permutations(lists)) {
    const given = choice.flatMap(({ affinity }) => (affinity === undefined ? [] : [affinity]));
    const candidate = {
      affinity: given.reduce((mask, affinity) => mask & affinity, everywhere),
      preferred: choice.every(({ preferred }) => preferred) && given.every((affinity) => affinity === given[0]),
    };
    if (candidate.affinity !== 0 && (best === undefined || isBetter(candidate, best, bestOtherwise))) best = candidate;
  }
  return best ?? { affinity: everywhere, preferred: false };
}

interface Candidate {
  readonly affinity: NumaMask;
  readonly preferred: boolean;
}

function isBetter(candidate: Candidate, best: Candidate, bestOtherwise: number): boolean {
  if (candidate.preferred !== best.preferred) return candidate.preferred;
  if (candidate.preferred) return isNarrower(candidate.affinity, best.affinity);
  // Neither is what everybody wants: as close as possible to what the neediest resource cannot do without.
  const [size, bestSize] = [countOf(candidate.affinity), countOf(best.affinity)];
  if (bestSize > bestOtherwise) return isNarrower(candidate.affinity, best.affinity);
  if (bestSize === bestOtherwise) return size === bestOtherwise && isNarrower(candidate.affinity, best.affinity);
  if (size > bestOtherwise) return false;
  return size === bestSize ? isNarrower(candidate.affinity, best.affinity) : size > bestSize;
}

function* permutations(lists: readonly (readonly TopologyHint[])[]): Generator<TopologyHint[]> {
  const [first, ...rest] = lists;
  if (first === undefined) {
    yield [];
    return;
  }
  for (const hint of first) for (const others of permutations(rest)) yield [hint, ...others];
}
