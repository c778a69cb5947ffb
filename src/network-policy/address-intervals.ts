/** Turns ipBlocks with exceptions into the disjoint address intervals that an nftables interval set needs. */
import { AddressRange } from '../base/index.ts';

interface Interval {
  readonly first: bigint;
  readonly last: bigint;
}

interface IpBlock {
  readonly cidr: string;
  readonly except?: readonly string[];
}

/** The union of the blocks of a family, each without its exceptions, as elements of an nftables set. */
export function blockElements(blocks: readonly IpBlock[], family: 4 | 6): string[] {
  const space = AddressRange.parse(family === 4 ? '0.0.0.0/0' : '::/0');
  const intervals = blocks.flatMap(({ cidr, except = [] }) => {
    const block = intervalOf(cidr, space);
    if (block === undefined) return [];
    return except.reduce<Interval[]>((rest, part) => subtract(rest, intervalOf(part, space)), [block]);
  });
  return merge(intervals).map(({ first, last }) =>
    first === last ? space.at(first) : `${space.at(first)}-${space.at(last)}`,
  );
}

function intervalOf(cidr: string, space: AddressRange): Interval | undefined {
  const range = AddressRange.parse(cidr);
  if (range.family !== space.family) return undefined;
  const first = space.offsetOf(range.at(0))!;
  return { first, last: first + range.size - 1n };
}

function subtract(intervals: readonly Interval[], hole: Interval | undefined): Interval[] {
  if (hole === undefined) return [...intervals];
  return intervals.flatMap(({ first, last }) => {
    if (hole.last < first || hole.first > last) return [{ first, last }];
    return [
      ...(hole.first > first ? [{ first, last: hole.first - 1n }] : []),
      ...(hole.last < last ? [{ first: hole.last + 1n, last }] : []),
    ];
  });
}

function merge(intervals: readonly Interval[]): Interval[] {
  const sorted = intervals.toSorted((a, b) => (a.first < b.first ? -1 : a.first > b.first ? 1 : 0));
  const merged: Interval[] = [];
  for (const interval of sorted) {
    const before = merged.at(-1);
    if (before !== undefined && interval.first <= before.last + 1n)
      merged[merged.length - 1] = {
        first: before.first,
        last: interval.last > before.last ? interval.last : before.last,
      };
    else merged.push(interval);
  }
  return merged;
}
