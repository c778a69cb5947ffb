/** Prometheus metrics. A registry hands out instruments; asking twice for the same name gives the same instrument. */
export interface MetricsRegistry {
  counter<L extends string = never>(options: MetricOptions<L>): Counter<L>;
  gauge<L extends string = never>(options: MetricOptions<L>): Gauge<L>;
  histogram<L extends string = never>(options: MetricOptions<L> & { buckets: readonly number[] }): Histogram<L>;
  /** The Prometheus text exposition format. */
  expose(): string;
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
}

export interface Gauge<L extends string = never> {
  set(value: number, labels?: Labels<L>): void;
  inc(labels?: Labels<L>, by?: number): void;
  dec(labels?: Labels<L>, by?: number): void;
  /** Computes the value when it is exposed. */
  collect(read: () => number): void;
}

export interface Histogram<L extends string = never> {
  observe(value: number, labels?: Labels<L>): void;
  child(labels: Labels<L>): { observe(value: number): void };
}
