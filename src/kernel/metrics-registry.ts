import type { Counter, Gauge, Histogram, Labels, MetricOptions, MetricsRegistry, Sample } from './metrics.ts';

type Kind = 'counter' | 'gauge' | 'histogram';

/** Keeps the instruments of one process and writes them out in the Prometheus text format. */
export class PrometheusRegistry implements MetricsRegistry {
  readonly #families = new Map<string, Family>();
  readonly #disabled: ReadonlySet<string>;

  /** Metrics that are `disabled` are not written out. */
  constructor(disabled: Iterable<string> = []) {
    this.#disabled = new Set(disabled);
  }

  counter<L extends string = never>(options: MetricOptions<L>): Counter<L> {
    return this.#family(options, 'counter', () => new CounterFamily(options)) as CounterFamily;
  }

  gauge<L extends string = never>(options: MetricOptions<L>): Gauge<L> {
    return this.#family(options, 'gauge', () => new GaugeFamily(options)) as GaugeFamily;
  }

  histogram<L extends string = never>(options: MetricOptions<L> & { buckets: readonly number[] }): Histogram<L> {
    return this.#family(options, 'histogram', () => new HistogramFamily(options, options.buckets)) as HistogramFamily;
  }

  expose(names?: ReadonlySet<string>): string {
    let text = '';
    for (const name of [...this.#families.keys()].sort())
      if (!this.#disabled.has(name)) text += this.#families.get(name)?.expose(names) ?? '';
    return text;
  }

  /** The type of every metric, of those without samples, too. */
  types(): ReadonlyMap<string, string> {
    return new Map([...this.#families].map(([name, { kind }]) => [name, kind]));
  }

  #family(options: MetricOptions<string>, kind: Kind, create: () => Family): Family {
    const existing = this.#families.get(options.name);
    if (existing === undefined) {
      const family = create();
      this.#families.set(options.name, family);
      return family;
    }
    const labels = (options.labels ?? []).join();
    if (existing.kind !== kind || existing.labels.join() !== labels) {
      throw new Error(
        `metric ${options.name} exists as ${existing.kind}(${existing.labels.join()}), requested as ${kind}(${labels})`,
      );
    }
    return existing;
  }
}

abstract class Family<C = unknown> {
  abstract readonly kind: Kind;
  readonly labels: readonly string[];
  protected readonly children = new Map<string, C>();
  readonly #name: string;
  readonly #help: string;

  constructor(options: MetricOptions<string>) {
    if (!/^[a-zA-Z_:][a-zA-Z0-9_:]*$/.test(options.name))
      throw new Error(`invalid metric name ${JSON.stringify(options.name)}`);
    this.#name = options.name;
    this.#help = options.help;
    this.labels = options.labels ?? [];
  }

  protected abstract create(): C;
  /** What is added to the family's name for its samples. */
  protected readonly suffixes: readonly string[] = [''];
  protected abstract samples(
    child: C,
    suffixes: readonly string[],
  ): Iterable<{ suffix: string; extra?: string; value: number }>;

  /** Labels in exposition format, which is also the key of their series. */
  protected key(labels: Readonly<Record<string, string>> | undefined): string {
    let key = '';
    for (const label of this.labels) {
      const value = labels?.[label];
      if (value === undefined) throw new Error(`metric ${this.#name} needs label ${label}`);
      key += `${key === '' ? '' : ','}${label}="${escapeLabel(value)}"`;
    }
    return key;
  }

  protected at(labels: Readonly<Record<string, string>> | undefined): C {
    const key = this.key(labels);
    let child = this.children.get(key);
    if (child === undefined) this.children.set(key, (child = this.create()));
    return child;
  }

  /** Before the samples are written. */
  protected collectChildren(): void {}

  /** @param names of the samples that are wanted; all of them without it */
  expose(names?: ReadonlySet<string>): string {
    const suffixes = names ? this.suffixes.filter((suffix) => names.has(`${this.#name}${suffix}`)) : this.suffixes;
    if (suffixes.length === 0) return '';
    this.collectChildren();
    if (this.labels.length === 0) this.at(undefined);
    if (this.children.size === 0) return '';
    let text = `# HELP ${this.#name} ${escapeHelp(this.#help)}\n# TYPE ${this.#name} ${this.kind}\n`;
    for (const key of [...this.children.keys()].sort()) {
      for (const { suffix, extra, value } of this.samples(this.children.get(key) as C, suffixes)) {
        const labels = [key, extra].filter(Boolean).join();
        text += `${this.#name}${suffix}${labels === '' ? '' : `{${labels}}`} ${formatNumber(value)}\n`;
      }
    }
    return text;
  }
}

class Cell {
  current = 0;
  read: (() => number) | undefined;

  inc(by = 1): void {
    if (by < 0) throw new RangeError('a counter cannot go down');
    this.current += by;
  }
}

abstract class CellFamily extends Family<Cell> {
  #readEach: (() => Iterable<Sample<string>>) | undefined;

  protected create(): Cell {
    return new Cell();
  }

  collectEach(read: () => Iterable<Sample<string>>): void {
    this.#readEach = read;
  }

  protected override collectChildren(): void {
    if (this.#readEach === undefined) return;
    this.children.clear();
    for (const { labels, value } of this.#readEach()) this.at(labels).current = value;
  }

  protected samples(cell: Cell): Iterable<{ suffix: string; value: number }> {
    return [{ suffix: '', value: cell.read?.() ?? cell.current }];
  }

  value(labels?: Labels<string>): number {
    const cell = this.children.get(this.key(labels));
    return cell?.read?.() ?? cell?.current ?? 0;
  }
}

class CounterFamily extends CellFamily implements Counter<string> {
  readonly kind = 'counter';

  inc(labels?: Labels<string>, by?: number): void {
    this.at(labels).inc(by);
  }

  child(labels: Labels<string>): Cell {
    return this.at(labels);
  }
}

class GaugeFamily extends CellFamily implements Gauge<string> {
  readonly kind = 'gauge';

  set(value: number, labels?: Labels<string>): void {
    this.at(labels).current = value;
  }

  inc(labels?: Labels<string>, by = 1): void {
    this.at(labels).current += by;
  }

  dec(labels?: Labels<string>, by = 1): void {
    this.at(labels).current -= by;
  }

  collect(read: () => number, labels?: Labels<string>): void {
    this.at(labels).read = read;
  }

  remove(labels?: Labels<string>): void {
    this.children.delete(this.key(labels));
  }
}

class HistogramCell {
  readonly bounds: readonly number[];
  /** One count per bucket, not cumulative, and one for +Inf. */
  readonly counts: Float64Array;
  sum = 0;
  count = 0;

  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.counts = new Float64Array(bounds.length + 1);
  }

  observe(value: number): void {
    let low = 0;
    let high = this.bounds.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (value <= (this.bounds[middle] as number)) high = middle;
      else low = middle + 1;
    }
    this.counts[low] = (this.counts[low] as number) + 1;
    this.sum += value;
    this.count++;
  }
}

class HistogramFamily extends Family<HistogramCell> implements Histogram<string> {
  readonly kind = 'histogram';
  protected override readonly suffixes = ['_bucket', '_sum', '_count'];
  readonly #bounds: readonly number[];

  constructor(options: MetricOptions<string>, buckets: readonly number[]) {
    super(options);
    this.#bounds = [...buckets].filter(Number.isFinite).sort((a, b) => a - b);
  }

  observe(value: number, labels?: Labels<string>): void {
    this.at(labels).observe(value);
  }

  child(labels: Labels<string>): HistogramCell {
    return this.at(labels);
  }

  totals(labels?: Labels<string>): { count: number; sum: number } {
    const cell = this.children.get(this.key(labels));
    return { count: cell?.count ?? 0, sum: cell?.sum ?? 0 };
  }

  protected create(): HistogramCell {
    return new HistogramCell(this.#bounds);
  }

  protected *samples(
    cell: HistogramCell,
    suffixes: readonly string[],
  ): Iterable<{ suffix: string; extra?: string; value: number }> {
    if (suffixes.includes('_bucket')) yield* this.#buckets(cell);
    if (suffixes.includes('_sum')) yield { suffix: '_sum', value: cell.sum };
    if (suffixes.includes('_count')) yield { suffix: '_count', value: cell.count };
  }

  *#buckets(cell: HistogramCell): Iterable<{ suffix: string; extra: string; value: number }> {
    let cumulative = 0;
    for (const [i, bound] of cell.bounds.entries()) {
      cumulative += cell.counts[i] as number;
      yield { suffix: '_bucket', extra: `le="${formatNumber(bound)}"`, value: cumulative };
    }
    yield { suffix: '_bucket', extra: 'le="+Inf"', value: cell.count };
  }
}

function formatNumber(value: number): string {
  if (value === Infinity) return '+Inf';
  if (value === -Infinity) return '-Inf';
  return String(value);
}

function escapeLabel(value: string): string {
  return /[\\"\n]/.test(value) ? value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n') : value;
}

function escapeHelp(help: string): string {
  return help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}
