/** Topology hints: the NUMA nodes that can provide a resource, and the merge of the hints of several resources. */

/** A bit mask of NUMA nodes. */
export type NumaMask = number;

export interface TopologyHint {
  /** Undefined for any NUMA node. */
  readonly affinity: NumaMask | undefined;
  /** Whether it has the minimum number of NUMA nodes for the request. */
  readonly preferred: boolean;
}

/** By resource; undefined without preference, empty when no set of NUMA nodes is possible. */
export type ProviderHints = Readonly<Record<string, readonly TopologyHint[] | undefined>>;

export const ANY_NUMA_NODE: TopologyHint = { affinity: undefined, preferred: true };

export const maskOf = (nodes: Iterable<number>): NumaMask => [...nodes].reduce((mask, node) => mask | (1 << node), 0);

export function bitsOf(mask: NumaMask): number[] {
  const bits: number[] = [];
  for (let bit = 0; mask >>> bit !== 0; bit++) if ((mask >>> bit) & 1) bits.push(bit);
  return bits;
}

export const countOf = (mask: NumaMask): number => bitsOf(mask).length;

/** All non-empty subsets of the NUMA nodes. */
export function allMasks(nodes: readonly number[]): NumaMask[] {
  const masks: NumaMask[] = [];
  for (let choice = 1; choice < 1 << nodes.length; choice++)
    masks.push(maskOf(nodes.filter((_, i) => (choice >>> i) & 1)));
  return masks;
}

/** Fewer NUMA nodes; with equal counts, lower IDs. */
const isNarrower = (a: NumaMask, b: NumaMask): boolean => (countOf(a) === countOf(b) ? a < b : countOf(a) < countOf(b));

/** One list of hints for each resource. */
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

/** The best merged hint over all combinations of the resources' hints. */
export function mergeHints(lists: readonly (readonly TopologyHint[])[], nodes: readonly number[]): TopologyHint {
  const allNodes = maskOf(nodes);
  const bestNonPreferredSize = Math.max(
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
      affinity: given.reduce((mask, affinity) => mask & affinity, allNodes),
      preferred: choice.every(({ preferred }) => preferred) && given.every((affinity) => affinity === given[0]),
    };
    if (candidate.affinity !== 0 && (best === undefined || isBetter(candidate, best, bestNonPreferredSize)))
      best = candidate;
  }
  return best ?? { affinity: allNodes, preferred: false };
}

interface Candidate {
  readonly affinity: NumaMask;
  readonly preferred: boolean;
}

function isBetter(candidate: Candidate, best: Candidate, bestNonPreferredSize: number): boolean {
  if (candidate.preferred !== best.preferred) return candidate.preferred;
  if (candidate.preferred) return isNarrower(candidate.affinity, best.affinity);
  // Neither is preferred: take the one closest to the minimum size that the largest resource needs.
  const [size, bestSize] = [countOf(candidate.affinity), countOf(best.affinity)];
  if (bestSize > bestNonPreferredSize) return isNarrower(candidate.affinity, best.affinity);
  if (bestSize === bestNonPreferredSize)
    return size === bestNonPreferredSize && isNarrower(candidate.affinity, best.affinity);
  if (size > bestNonPreferredSize) return false;
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
