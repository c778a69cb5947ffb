/** The newest spans of a process, in memory: bounded in bytes, the oldest are dropped. */
import { errorMessage } from '../base/index.ts';
import type { Clock } from './clock.ts';
import type { MetricsRegistry } from './metrics.ts';
import type { Random } from './random.ts';
import { formatTraceHeaders, localCauses, parseTraceHeaders } from './trace-headers.ts';
import type {
  Attributes,
  Cause,
  Commit,
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
/** Dropped spans of one kind that wait to be used again: as many come as go. */
const MAX_SPARE = 64;

export class SpanRing implements Tracer {
  /** While false nothing is added: what recording costs is measured in one process, by turns. */
  enabled = true;
  readonly #clock: Clock;
  readonly #maxBytes: number;
  /** Unique to this ring: the first half of its span ids. */
  readonly #prefix: string;
  /** A span is in the slot of its id; those before `#oldest` are dropped. */
  readonly #spans: (KeptSpan | undefined)[] = [undefined];
  readonly #capacity: number;
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
  /**
   * Dropped spans of requests and commits, which every write has: new objects instead would outlive the collector's young generation
   * each time, and that is most of what recording a write costs.
   */
  readonly #spare = { request: [] as RequestSpan[], commit: [] as CommitSpan[] };
  #exporter: SpanExporter | undefined;
  /** An exporter may still hold spans that were dropped. */
  #mayUseAgain = true;

  constructor({ clock, random, metrics, maxBytes = MAX_BYTES }: SpanRingOptions) {
    this.#clock = clock;
    this.#maxBytes = maxBytes;
    this.#capacity = Math.ceil(maxBytes / SPAN_BYTES) + 1;
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
    this.#mayUseAgain = false;
  }

  now(): number {
    return this.enabled ? this.#clock.monotonic() : 0;
  }

  start(name: string, start: SpanStart = NO_START): Span {
    return this.#add(new KeptSpan(this.nextId, name, start.startedAt ?? this.#clock.monotonic(), start));
  }

  startRequest(path: string, startedAt: number, parent: number): Span {
    const span = this.#spare.request.pop() ?? new RequestSpan();
    span.begin(this.nextId, startedAt, parent);
    span.reset(path);
    return this.#add(span);
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

  committed(commit: Commit): void {
    const span = this.#spare.commit.pop() ?? new CommitSpan();
    span.begin(this.nextId, commit.startedAt, commit.parent);
    span.reset(commit);
    this.#add(span);
    span.endedAt = this.#clock.monotonic();
    this.#commits[commit.revision % this.#commits.length] = span.id;
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
    return id >= this.#oldest && id < this.#next ? this.#spans[id % this.#capacity] : undefined;
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
    return Array.from({ length }, (_, i) => this.#spans[(start + i) % this.#capacity]!);
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

  #add<S extends KeptSpan>(span: S): S {
    this.#bytes += span.bytes;
    while (this.#bytes > this.#maxBytes && this.#oldest < this.#next) this.#dropOldest();
    // In the order of the slots: the array grows by its end.
    this.#spans[this.#next++ % this.#capacity] = span;
    return span;
  }

  #dropOldest(): void {
    const slot = this.#oldest++ % this.#capacity;
    const oldest = this.#spans[slot]!;
    this.#spans[slot] = undefined;
    this.#bytes -= oldest.bytes;
    this.#dropped++;
    if (oldest.remote) this.#byRemoteId.delete(oldest.remote.spanId);
    if (oldest.endedAt !== undefined && !oldest.isHeld && this.#mayUseAgain) this.#keepForUse(oldest);
  }

  #keepForUse(span: KeptSpan): void {
    const { request, commit } = this.#spare;
    if (span instanceof RequestSpan && request.length < MAX_SPARE) request.push(span);
    else if (span instanceof CommitSpan && commit.length < MAX_SPARE) commit.push(span);
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

const NONE: readonly never[] = [];

const NO_START: SpanStart = {};

/** All fields from the beginning: what is added to an object later is kept outside of it. */
class KeptSpan implements Span {
  id: number;
  readonly #name: string;
  startedAt: number;
  /** NaN while it lasts: a field that is always a number holds it without a box. */
  #endedAt = Number.NaN;
  parent: number;
  readonly causes: readonly Cause[];
  readonly attributes: Attributes;
  error: string | undefined = undefined;
  remote: RemoteSpanContext | undefined = undefined;
  trustsCaller: boolean | undefined = undefined;
  isHeld = false;
  /** Attributes may follow until a span ends: what it counted for at its start is what is given back. */
  bytes: number;

  constructor(id: number, name: string, startedAt: number, { parent = 0, causes = NONE, attributes = {} }: SpanStart) {
    this.id = id;
    this.#name = name;
    this.startedAt = startedAt;
    this.parent = parent;
    this.causes = causes;
    this.attributes = attributes;
    this.bytes = sizeOf(causes, attributes);
  }

  get name(): string {
    return this.#name;
  }

  get endedAt(): number | undefined {
    return Number.isNaN(this.#endedAt) ? undefined : this.#endedAt;
  }

  set endedAt(time: number | undefined) {
    this.#endedAt = time ?? Number.NaN;
  }

  /** As another span, without its attributes. */
  begin(id: number, startedAt: number, parent: number): void {
    this.id = id;
    this.startedAt = startedAt;
    this.#endedAt = Number.NaN;
    this.parent = parent;
    this.error = undefined;
    this.bytes = SPAN_BYTES;
  }
}

/** Of a request that may write. */
class RequestSpan extends KeptSpan {
  constructor() {
    // In the order in which they are shown.
    const attributes: Attributes = {
      'http.request.method': undefined,
      'url.path': undefined,
      'http.response.status_code': undefined,
      'user.name': undefined,
      'k8s.verb': undefined,
      'k8s.group': undefined,
      'k8s.resource': undefined,
      'k8s.subresource': undefined,
      'k8s.namespace.name': undefined,
      'k8s.object.name': undefined,
      'k8s.audit.id': undefined,
      'k8s.flowschema.uid': undefined,
      'k8s.dry_run': undefined,
      'k8s.impersonator': undefined,
    };
    super(0, '', 0.5, { attributes });
  }

  override get name(): string {
    const { 'k8s.verb': verb, 'k8s.resource': resource, 'k8s.subresource': subresource } = this.attributes;
    return [[verb, resource].filter(Boolean).join(' '), subresource].filter(Boolean).join('/');
  }

  reset(path: string): void {
    this.bytes += path.length;
    const { attributes } = this;
    // An equal text that is here already is not kept twice.
    if (attributes['url.path'] !== path) attributes['url.path'] = path;
    attributes['http.response.status_code'] = undefined;
    attributes['user.name'] = undefined;
    attributes['k8s.flowschema.uid'] = undefined;
    attributes['k8s.dry_run'] = undefined;
    attributes['k8s.impersonator'] = undefined;
  }
}

class CommitSpan extends KeptSpan {
  constructor() {
    const attributes: Attributes = {
      'etcd.revision': undefined,
      'etcd.operation': undefined,
      'k8s.group': undefined,
      'k8s.resource': undefined,
      'k8s.namespace.name': undefined,
      'k8s.object.name': undefined,
      'k8s.watch.deliveries': undefined,
    };
    super(0, 'commit', 0.5, { attributes });
  }

  reset(commit: Commit): void {
    const { attributes } = this;
    attributes['etcd.revision'] = commit.revision;
    attributes['etcd.operation'] = commit.operation;
    attributes['k8s.group'] = commit.group;
    attributes['k8s.resource'] = commit.resource;
    attributes['k8s.namespace.name'] = commit.namespace;
    attributes['k8s.object.name'] = commit.name;
    attributes['k8s.watch.deliveries'] = commit.deliveries;
  }
}

/** What is not shared with other spans: its slots, and the texts that are its own. */
function sizeOf(causes: readonly Cause[], attributes: Attributes): number {
  return SPAN_BYTES + causes.length * CAUSE_BYTES + lengthOf(attributes['url.path']) + lengthOf(attributes['k8s.key']);
}

const lengthOf = (value: Attributes[string]): number => (typeof value === 'string' ? value.length : 0);
