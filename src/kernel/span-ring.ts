/** The newest spans of a process, in memory: bounded in bytes, the oldest are dropped. */
import { errorMessage } from '../base/index.ts';
import type { Clock } from './clock.ts';
import type { MetricsRegistry } from './metrics.ts';
import type { Random } from './random.ts';
import { formatTraceHeaders, localCauses, parseTraceHeaders } from './trace-headers.ts';
import type {
  Attributes,
  Cause,
  ReadSpan,
  RecordedSpan,
  RemoteIdentity,
  RemoteSpanContext,
  Span,
  SpanExporter,
  SpanStart,
  TraceHeaders,
  Tracer,
} from './tracing.ts';

interface SpanRingOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly metrics?: MetricsRegistry;
  /** About how much memory all spans may take; default 26 MB: the API server's records of requests take 6 MB. */
  readonly maxBytes?: number;
}

const MAX_BYTES = 26 * 1024 * 1024;
/** A span, its attributes and its share of the maps, as measured. */
const SPAN_BYTES = 400;
const CAUSE_BYTES = 16;
/** Other API servers of the cluster get revisions, too. */
const SLOTS_PER_SPAN = 3;
const MAX_ERROR = 512;
/** Evicted slots are given back in blocks. */
const BLOCK = 4096;

export class SpanRing implements Tracer {
  /** While false nothing is added: what recording costs is measured in one process, by turns. */
  enabled = true;
  readonly #clock: Clock;
  readonly #maxBytes: number;
  /** Unique to this ring: the first half of its span ids. */
  readonly #prefix: string;
  /** Spans with the ids `#base`, `#base + 1`, …; those before `#head` are dropped. */
  #spans: (KeptSpan | undefined)[] = [];
  #base = 1;
  #head = 0;
  #bytes = 0;
  #dropped = 0;
  /**
   * The ids of commits, each in the slot of its revision: writing one of the newest revisions replaces the oldest. A map as large as the
   * ring would be hashed anew all the time, as entries come and go.
   */
  readonly #commits: Uint32Array;
  readonly #byRemoteId = new Map<string, number>();
  #exporter: SpanExporter | undefined;

  constructor({ clock, random, metrics, maxBytes = MAX_BYTES }: SpanRingOptions) {
    this.#clock = clock;
    this.#maxBytes = maxBytes;
    this.#commits = new Uint32Array(Math.ceil((SLOTS_PER_SPAN * maxBytes) / SPAN_BYTES));
    this.#prefix = Buffer.from(random.fork('tracing').bytes(4)).toString('hex');
    if (metrics) this.#register(metrics);
  }

  get exporting(): boolean {
    return this.#exporter !== undefined;
  }

  /** From now on, spans that end are exported, too; undefined: no longer. */
  exportTo(exporter: SpanExporter | undefined): void {
    this.#exporter = exporter;
  }

  now(): number {
    return this.enabled ? this.#clock.monotonic() : 0;
  }

  start(name: string, start: SpanStart = NO_START): Span {
    return this.#add(new KeptSpan(this.nextId, name, start.startedAt ?? this.#clock.monotonic(), start));
  }

  end(span: Span, error?: unknown): void {
    span.endedAt = this.#clock.monotonic();
    if (error !== undefined) span.error = errorMessage(error).slice(0, MAX_ERROR);
    this.#exporter?.ended(span);
  }

  decided(id: number, attributes: Attributes, error?: string): void {
    const span = this.span(id);
    if (!span) return;
    Object.assign(span.attributes, attributes);
    this.end(span, error);
  }

  committed(revision: number, start: SpanStart): void {
    const span = this.start('commit', start);
    span.attributes['etcd.revision'] = revision;
    span.endedAt = this.#clock.monotonic();
    this.#commits[revision % this.#commits.length] = span.id;
    this.#exporter?.ended(span);
  }

  read(span: ReadSpan): void {
    this.#exporter?.read(span);
  }

  headersOf(span: number): TraceHeaders | undefined {
    const found = this.span(span);
    if (!found) return undefined;
    const { sampled } = this.#exporter?.contextOf(found) ?? { sampled: true };
    return formatTraceHeaders(found, { ...this.identityOf(found), sampled }, (id) => this.spanIdOf(id));
  }

  fromHeaders(headers: Partial<TraceHeaders>): number {
    const remote = parseTraceHeaders(headers);
    if (!remote) return 0;
    if (remote.spanId.startsWith(this.#prefix)) return this.#ownSpan(remote.spanId);
    const known = this.#byRemoteId.get(remote.spanId);
    if (known !== undefined && this.span(known)) return known;
    const { name, attributes, traceId, spanId, sampled } = remote;
    const causes = localCauses(remote, (id) => this.#byRemoteId.get(id));
    const span = this.#add(new KeptSpan(this.nextId, name, this.#clock.monotonic(), { causes, attributes }));
    span.remote = { traceId, spanId, sampled };
    this.#byRemoteId.set(spanId, span.id);
    return span.id;
  }

  /** The id of the next span. */
  get nextId(): number {
    return this.#base + this.#spans.length;
  }

  get bytes(): number {
    return this.#bytes;
  }

  span(id: number): Span | undefined {
    return this.#spans[id - this.#base];
  }

  /** The commit of a revision, if it is still known. */
  commitOf(revision: number): Span | undefined {
    const span = this.span(this.#commits[revision % this.#commits.length]!);
    return span?.attributes['etcd.revision'] === revision ? span : undefined;
  }

  /** Spans in the order of their start, from `id` on. */
  since(id = 0, limit = Infinity): Span[] {
    const start = Math.max(this.#head, id - this.#base);
    return this.#spans.slice(start, start + limit) as Span[];
  }

  /** What `since` returns, as it is read. */
  recorded(id = 0, limit = Infinity): RecordedSpan[] {
    const epoch = this.#clock.now() - this.#clock.monotonic();
    return this.since(id, limit).map((span) => ({
      id: span.id,
      name: span.name,
      startedAt: epoch + span.startedAt,
      ...(span.endedAt === undefined ? {} : { endedAt: epoch + span.endedAt }),
      parent: span.parent,
      causes: span.causes,
      attributes: span.attributes,
      ...(span.error === undefined ? {} : { error: span.error }),
      ...this.identityOf(span),
      ...(span.remote ? { isRemote: true as const } : {}),
    }));
  }

  /** The commits of an object, the requests that made them, and what those were part of. */
  recordedOf(object: { resource: string; group: string; namespace: string; name: string }): RecordedSpan[] {
    const ids = new Set<number>();
    for (const { id, name, parent, attributes } of this.since()) {
      const isOfObject =
        name === 'commit' &&
        attributes['k8s.object.name'] === object.name &&
        attributes['k8s.resource'] === object.resource &&
        attributes['k8s.group'] === object.group &&
        attributes['k8s.namespace.name'] === object.namespace;
      if (!isOfObject) continue;
      ids.add(id);
      const request = this.span(parent);
      if (request) ids.add(parent).add(request.parent);
    }
    return [...ids].sort((a, b) => a - b).flatMap((id) => (this.span(id) ? this.recorded(id, 1) : []));
  }

  /** The identifiers by which other processes know a span. A span is its own trace until its causes are followed. */
  identityOf(span: Span): RemoteIdentity {
    const exported = span.remote ?? this.#exporter?.contextOf(span);
    if (exported) return { traceId: exported.traceId, spanId: exported.spanId };
    const spanId = this.spanIdOf(span.id);
    return { traceId: `${this.#prefix}${this.#prefix}${spanId}`, spanId };
  }

  spanIdOf(id: number): string {
    return this.#prefix + (id >>> 0).toString(16).padStart(8, '0');
  }

  /** A request that was sent back to this process by HTTP. */
  #ownSpan(spanId: string): number {
    const id = Number.parseInt(spanId.slice(8), 16);
    return this.span(id) ? id : 0;
  }

  #add(span: KeptSpan): KeptSpan {
    this.#spans.push(span);
    this.#bytes += span.bytes;
    while (this.#bytes > this.#maxBytes && this.#head < this.#spans.length - 1) this.#dropOldest();
    if (this.#head >= BLOCK && this.#head > this.#spans.length / 2) {
      this.#spans = this.#spans.slice(this.#head);
      this.#base += this.#head;
      this.#head = 0;
    }
    return span;
  }

  #dropOldest(): void {
    const oldest = this.#spans[this.#head]!;
    this.#spans[this.#head++] = undefined;
    this.#bytes -= oldest.bytes;
    this.#dropped++;
    if (oldest.remote) this.#byRemoteId.delete(oldest.remote.spanId);
  }

  #register(metrics: MetricsRegistry): void {
    metrics
      .gauge({ name: 'k8ts_glass_spans', help: 'Spans that are kept in memory.' })
      .collect(() => this.#spans.length - this.#head);
    metrics
      .gauge({ name: 'k8ts_glass_span_bytes', help: 'About how many bytes the kept spans take.' })
      .collect(() => this.#bytes);
    metrics
      .gauge({ name: 'k8ts_glass_dropped_spans', help: 'Spans that were dropped for newer ones.' })
      .collect(() => this.#dropped);
  }
}

const NONE: readonly never[] = [];

const NO_START: SpanStart = {};

/** All fields from the beginning: what is added to an object later is kept outside of it. */
class KeptSpan implements Span {
  readonly id: number;
  readonly name: string;
  readonly startedAt: number;
  endedAt: number | undefined = undefined;
  readonly parent: number;
  readonly causes: readonly Cause[];
  readonly attributes: Attributes;
  error: string | undefined = undefined;
  remote: RemoteSpanContext | undefined = undefined;
  trustsCaller: boolean | undefined = undefined;
  /** Attributes may follow until a span ends: what it counted for at its start is what is given back. */
  readonly bytes: number;

  constructor(id: number, name: string, startedAt: number, { parent = 0, causes = NONE, attributes = {} }: SpanStart) {
    this.id = id;
    this.name = name;
    this.startedAt = startedAt;
    this.parent = parent;
    this.causes = causes;
    this.attributes = attributes;
    this.bytes = sizeOf(causes, attributes);
  }
}

/** What is not shared with other spans: its slots, and the texts that are its own. */
function sizeOf(causes: readonly Cause[], attributes: Attributes): number {
  return SPAN_BYTES + causes.length * CAUSE_BYTES + lengthOf(attributes['url.path']) + lengthOf(attributes['k8s.key']);
}

const lengthOf = (value: Attributes[string]): number => (typeof value === 'string' ? value.length : 0);
