import type { OrderedMap } from './ordered-map.ts';
import type { KeyValue } from './store.ts';

/** The map from keys to values at one revision. */
export interface View {
  get(key: string): KeyValue | undefined;
  /**
   * Pairs with keys in [start, end) in key order, until `visit` returns false. An absent end means no end. Pairs that a sweep
   * visits are not cached.
   */
  scan(start: string, end: string | undefined, visit: (kv: KeyValue) => boolean | void, isSweep?: boolean): void;
  count(start: string, end: string | undefined): number;
  /** Whether `count` counts the key. */
  has(key: string): boolean;
}

/** What a range request's `key` and `rangeEnd` select: one key, or an interval. */
export type Selection = { single: string } | { single?: undefined; start: string; end: string | undefined };

export function selection(key: string, rangeEnd: string | undefined): Selection {
  if (rangeEnd === undefined || rangeEnd === '') return { single: key };
  return { start: key, end: rangeEnd === '\0' ? undefined : rangeEnd };
}

export function selects(selected: Selection, key: string): boolean {
  if (selected.single !== undefined) return selected.single === key;
  return key >= selected.start && (selected.end === undefined || key < selected.end);
}

export function visitSelection(
  view: View,
  selected: Selection,
  visit: (kv: KeyValue) => boolean | void,
  isSweep?: boolean,
): void {
  if (selected.single === undefined) return view.scan(selected.start, selected.end, visit, isSweep);
  const kv = view.get(selected.single);
  if (kv !== undefined) visit(kv);
}

export function mapView(map: OrderedMap<string, KeyValue>): View {
  return {
    get: (key) => map.get(key),
    scan: (start, end, visit) => map.scan(start, end, visit),
    count: (start, end) => map.count(start, end),
    has: (key) => map.has(key),
  };
}

/** A view through a layer of differences: an entry of the layer replaces the base's; `undefined` hides it. */
export function layeredView(base: View, layer: OrderedMap<string, KeyValue | undefined>): View {
  if (layer.size === 0) return base;
  return {
    get: (key) => layer.get(key) ?? (layer.has(key) ? undefined : base.get(key)),
    scan: (start, end, visit, isSweep) => scanLayers(base, layer, { start, end, visit, isSweep }),
    count(start, end) {
      let count = base.count(start, end);
      layer.scan(start, end, (kv, key) => {
        count += (kv === undefined ? 0 : 1) - (base.has(key) ? 1 : 0);
      });
      return count;
    },
    has: (key) => (layer.has(key) ? layer.get(key) !== undefined : base.has(key)),
  };
}

function scanLayers(
  base: View,
  layer: OrderedMap<string, KeyValue | undefined>,
  range: {
    start: string;
    end: string | undefined;
    visit: (kv: KeyValue) => boolean | void;
    isSweep: boolean | undefined;
  },
): void {
  const differences: [string, KeyValue | undefined][] = [];
  layer.scan(range.start, range.end, (kv, key) => void differences.push([key, kv]));
  let next = 0;
  let stopped = false;
  /** Visits the layer's entries before `key`; false when the visitor stops. */
  const visitUpTo = (key: string | undefined): boolean => {
    for (; next < differences.length; next++) {
      const [changed, kv] = differences[next]!;
      if (key !== undefined && changed >= key) break;
      if (kv !== undefined && range.visit(kv) === false) return false;
    }
    return true;
  };
  const visitBase = (kv: KeyValue): boolean => {
    if (!visitUpTo(kv.key)) stopped = true;
    else if (differences[next]?.[0] === kv.key) {
      const changed = differences[next++]![1];
      if (changed !== undefined && range.visit(changed) === false) stopped = true;
    } else if (range.visit(kv) === false) stopped = true;
    return !stopped;
  };
  base.scan(range.start, range.end, visitBase, range.isSweep);
  if (!stopped) visitUpTo(undefined);
}
