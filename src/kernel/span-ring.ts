/** The newest spans of a process, in memory: bounded in bytes, the oldest are dropped. */
import { errorMessage } from '../base/index.ts';
import type { Clock } from './clock.ts';
import { KeptSpan, RequestSpan, SPAN_BYTES } from './kept-span.ts';
import type { MetricsRegistry } from './metrics.ts';
import type { Random } from './random.ts';
import { SpanSlots } from './span-slots.ts';
import { formatTraceHeaders, localCauses, parseTraceHeaders } from './trace-headers.ts';
import type {
  Attributes,
  Commit,
  ReadSpan,
  RecordedSpan,
  RemoteIdentity,
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
/** Other API servers of the cluster get revisions, too. */
const SLOTS_PER_SPAN = 3;
const MAX_ERROR = 512;
/** Objects of spans that wait for a request: as many as are under way at once, mostly. */
const MAX_SPARE = 512;

export class SpanRing implements Tracer {
  /** While false nothing is added: what recording costs is measured in one process, by turns. */
  enabled = true;
  readonly #clock: Clock;
  readonly #maxBytes: number;
  /** Unique to this ring: the first half of its span ids. */
  readonly #prefix: string;
  /** A span is in the slot of its id; those before `#oldest` are dropped. */
  readonly #slots: SpanSlots;
  #oldest = 1;
  #next = 1;
  #bytes = 0;
  #dropped = 0;
  /**
   * The ids of commits, each in the slot of its revision: writing one of the newest revisions replaces the oldest. A map as large as the
   * ring would be hashed anew all the time, as entries come and go.
   */
  readonly #commits: Uint32Array;
  readonly #byRemoteId = new Map<string, number>();
  /** Of requests that have ended; they are still in the processor's cache. */
  readonly #spare: RequestSpan[] = [];
  #exporter: SpanExporter | undefined;
  /** An exporter may still hold spans that have ended. */
  #mayPack = true;

  constructor({ clock, random, metrics, maxBytes = MAX_BYTES }: SpanRingOptions) {
    this.#clock = clock;
    this.#maxBytes = maxBytes;
    this.#slots = new SpanSlots(Math.ceil(maxBytes / SPAN_BYTES) + 1);
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
    this.#mayPack = false;
  }

  start(name: string, start: SpanStart = NO_START): Span {
    return this.#add(new KeptSpan(this.nextId, name, start.startedAt ?? this.#clock.monotonic(), start));
  }

  startRequest(path: string, startedAt: number, parent: number): Span {
    const span = this.#spare.pop() ?? new RequestSpan();
    span.begin(this.nextId, startedAt, parent);
    span.reset(path);
    return this.#add(span);
  }

  end(span: Span, error?: unknown, endedAt = this.#clock.monotonic()): void {
    span.endedAt = endedAt;
    if (error !== undefined) span.error = errorMessage(error).slice(0, MAX_ERROR);
    this.#exporter?.ended(span);
    if (span instanceof RequestSpan && this.#mayPack && !span.isHeld) this.#pack(span, endedAt);
  }

  #pack(span: RequestSpan, endedAt: number): void {
    if (span.id >= this.#oldest) this.#slots.packRequest(this.#slotOf(span.id), span, endedAt);
    if (this.#spare.length < MAX_SPARE) this.#spare.push(span);
  }

  decided(id: number, attributes: Attributes, error?: string): void {
    const span = this.span(id);
    if (!span) return;
    Object.assign(span.attributes, attributes);
    this.end(span, error);
  }

  committed(commit: Commit): void {
    const id = this.nextId;
    const endedAt = this.#clock.monotonic();
    this.#makeRoom(SPAN_BYTES);
    this.#slots.packCommit(this.#slotOf(id), commit, endedAt);
    this.#next++;
    this.#commits[commit.revision % this.#commits.length] = id;
    if (!this.#mayPack) this.#exportCommit(id);
  }

  /** What an exporter knows of a span belongs to its object. */
  #exportCommit(id: number): void {
    const span = this.#slots.read(this.#slotOf(id), id);
    this.#slots.keep(this.#slotOf(id), span);
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
    return this.#next;
  }

  get bytes(): number {
    return this.#bytes;
  }

  span(id: number): Span | undefined {
    return id >= this.#oldest && id < this.#next ? this.#slots.read(this.#slotOf(id), id) : undefined;
  }

  /** The commit of a revision, if it is still known. */
  commitOf(revision: number): Span | undefined {
    const span = this.span(this.#commits[revision % this.#commits.length]!);
    return span?.attributes['etcd.revision'] === revision ? span : undefined;
  }

  /** Spans in the order of their start, from `id` on. */
  since(id = 0, limit = Infinity): Span[] {
    const start = Math.max(this.#oldest, id);
    const length = Math.max(0, Math.min(this.#next - start, limit));
    return Array.from({ length }, (_, i) => this.span(start + i)!);
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
      attributes: { ...span.attributes },
      ...(span.error === undefined ? {} : { error: span.error }),
      ...this.identityOf(span),
      ...(span.remote ? { isRemote: true as const } : {}),
    }));
  }

  /** The commits of an object, the requests that made them, and what those were part of. */
  recordedOf(object: { resource: string; group: string; namespace: string; name: string }): RecordedSpan[] {
    const ids = new Set<number>();
    for (let id = this.#oldest; id < this.#next; id++) {
      if (!this.#slots.isCommitOf(this.#slotOf(id), object)) continue;
      ids.add(id);
      const { parent } = this.span(id)!;
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

  #slotOf(id: number): number {
    return id % this.#slots.capacity;
  }

  #add<S extends KeptSpan>(span: S): S {
    this.#makeRoom(span.bytes);
    this.#slots.keep(this.#slotOf(this.#next++), span);
    return span;
  }

  #makeRoom(bytes: number): void {
    this.#bytes += bytes;
    while (this.#bytes > this.#maxBytes && this.#oldest < this.#next) this.#dropOldest();
  }

  #dropOldest(): void {
    const slot = this.#slotOf(this.#oldest++);
    this.#bytes -= this.#slots.bytesOf(slot);
    this.#dropped++;
    const remote = this.#slots.objectOf(slot)?.remote;
    if (remote) this.#byRemoteId.delete(remote.spanId);
    this.#slots.clear(slot);
  }

  #register(metrics: MetricsRegistry): void {
    metrics
      .gauge({ name: 'k8ts_glass_spans', help: 'Spans that are kept in memory.' })
      .collect(() => this.#next - this.#oldest);
    metrics
      .gauge({ name: 'k8ts_glass_span_bytes', help: 'About how many bytes the kept spans take.' })
      .collect(() => this.#bytes);
    metrics
      .gauge({ name: 'k8ts_glass_dropped_spans', help: 'Spans that were dropped for newer ones.' })
      .collect(() => this.#dropped);
  }
}

const NO_START: SpanStart = {};
