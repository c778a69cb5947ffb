/** How long garbage collection stopped the main thread, by kind. One observer serves all registries of the process. */
import { constants, PerformanceObserver, type PerformanceEntry } from 'node:perf_hooks';
import type { MetricsRegistry } from './metrics.ts';

const KINDS: ReadonlyMap<number, string> = new Map([
  [constants.NODE_PERFORMANCE_GC_MINOR, 'minor'],
  [constants.NODE_PERFORMANCE_GC_MAJOR, 'major'],
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL, 'incremental'],
  [constants.NODE_PERFORMANCE_GC_WEAKCB, 'weakcb'],
]);

interface Pauses {
  count: number;
  seconds: number;
  longest: number;
}

let pauses: Map<string, Pauses> | undefined;

function observed(): ReadonlyMap<string, Pauses> {
  if (pauses) return pauses;
  const byKind = (pauses = new Map([...KINDS.values()].map((kind) => [kind, { count: 0, seconds: 0, longest: 0 }])));
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const { duration, detail } = entry as PerformanceEntry & { readonly detail: { readonly kind: number } };
      const of = byKind.get(KINDS.get(detail.kind) ?? '');
      if (!of) continue;
      of.count++;
      of.seconds += duration / 1000;
      of.longest = Math.max(of.longest, duration / 1000);
    }
  }).observe({ entryTypes: ['gc'] });
  return byKind;
}

export function registerGcPauses(metrics: MetricsRegistry): void {
  const byKind = observed();
  const each = (value: (of: Pauses) => number) => () =>
    [...byKind].map(([kind, of]) => ({ labels: { kind }, value: value(of) }));
  const labels = ['kind'] as const;
  metrics
    .counter({ name: 'k8ts_gc_pauses_total', help: 'Pauses of the main thread for garbage collection.', labels })
    .collectEach(each(({ count }) => count));
  metrics
    .counter({ name: 'k8ts_gc_pause_seconds_total', help: 'How long these pauses lasted together.', labels })
    .collectEach(each(({ seconds }) => seconds));
  metrics
    .gauge({ name: 'k8ts_gc_longest_pause_seconds', help: 'How long the longest of these pauses lasted.', labels })
    .collectEach(each(({ longest }) => longest));
}
