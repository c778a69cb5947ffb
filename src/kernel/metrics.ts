/** Prometheus metrics. A registry creates instruments; a second request for a name returns the same instrument. */
export interface MetricsRegistry {
  counter<L extends string = never>(options: MetricOptions<L>): Counter<L>;
  gauge<L extends string = never>(options: MetricOptions<L>): Gauge<L>;
  histogram<L extends string = never>(options: MetricOptions<L> & { buckets: readonly number[] }): Histogram<L>;
  /** The Prometheus text exposition format. */
  /** @param names of the samples that are wanted; all of them without it */
  expose(names?: ReadonlySet<string>): string;
}

export interface MetricOptions<L extends string> {
  name: string;
  help: string;
  labels?: readonly L[];
}

export type Labels<L extends string> = Readonly<Record<L, string>>;

export interface Counter<L extends string = never> {
  inc(labels?: Labels<L>, by?: number): void;
  /** The counter of one label combination, for hot paths: looked up once, incremented often. */
  child(labels: Labels<L>): { inc(by?: number): void };
  /** Takes the values of all label combinations, when they are exposed, from where they are counted anyway. */
  collectEach(read: () => Iterable<Sample<L>>): void;
  /** The current value; 0 for a combination never incremented. */
  value(labels?: Labels<L>): number;
}

export interface Sample<L extends string> {
  readonly labels: Labels<L>;
  readonly value: number;
}

export interface Gauge<L extends string = never> {
  set(value: number, labels?: Labels<L>): void;
  inc(labels?: Labels<L>, by?: number): void;
  dec(labels?: Labels<L>, by?: number): void;
  /** Computes the value when it is exposed. */
  collect(read: () => number, labels?: Labels<L>): void;
  /** Computes all label combinations and their values when they are exposed. */
  collectEach(read: () => Iterable<Sample<L>>): void;
  /** Removes one label combination, for objects that no longer exist. */
  remove(labels?: Labels<L>): void;
  value(labels?: Labels<L>): number;
}

export interface Histogram<L extends string = never> {
  observe(value: number, labels?: Labels<L>): void;
  child(labels: Labels<L>): { observe(value: number): void };
  /** What has been observed so far. */
  totals(labels?: Labels<L>): { count: number; sum: number };
}

/** The content type of `expose`'s text. */
export const METRICS_CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8; escaping=underscores';

/** `count` bucket bounds from `start` on, each `factor` times the one before. */
export function exponentialBuckets(start: number, factor: number, count: number): number[] {
  return Array.from({ length: count }, (_, i) => start * factor ** i);
}

/** `count` bucket bounds from `start` on, `width` apart. */
export function linearBuckets(start: number, width: number, count: number): number[] {
  return Array.from({ length: count }, (_, i) => start + width * i);
}
