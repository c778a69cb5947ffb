/**
 * Spans: what a process did, when, and because of what. A write is named by the revision that it got, so a watch event
 * names its cause by the resourceVersion of its object, and nothing else has to travel with it. Causes are passed as
 * arguments: AsyncLocalStorage would cost a quarter of the requests per second on Node 20.
 */

/** The revision of a write that was seen, or an earlier span of this process. */
export type Cause = number | SpanCause;

interface SpanCause {
  readonly span: number;
}

export type AttributeValue = string | number | boolean;

export type Attributes = Record<string, AttributeValue | undefined>;

export interface Span {
  /** Of this process, increasing; 0 for a span that nobody records. */
  readonly id: number;
  readonly name: string;
  /** On the monotonic clock. */
  readonly startedAt: number;
  endedAt: number | undefined;
  /** The span that this one is a part of; 0 for none. */
  readonly parent: number;
  readonly causes: readonly Cause[];
  /** Named as OpenTelemetry does. */
  readonly attributes: Attributes;
  /** Why it failed. */
  error?: string | undefined;
  /** What another process said of it. */
  readonly remote?: RemoteSpanContext | undefined;
  /** Of a request: its caller, in another process, may decide whether it is exported. */
  trustsCaller?: boolean | undefined;
  /** Of a request that timed out: what it began goes on, so the span is not used again. */
  isHeld?: boolean;
}

/** The identifiers of a span that another process began. */
export interface RemoteIdentity {
  readonly traceId: string;
  readonly spanId: string;
}

/** A span of another process, and whether it exports that span. */
export interface RemoteSpanContext extends RemoteIdentity {
  readonly sampled: boolean;
}

/** The trace of an exported span. */
export interface SpanContext extends RemoteSpanContext {
  /** Empty for the root of a trace. */
  readonly parentSpanId: string;
}

/** Sends spans elsewhere; its methods return at once. */
export interface SpanExporter {
  contextOf(span: Span): SpanContext;
  ended(span: Span): void;
  read(span: ReadSpan): void;
}

/** A span as it is read: in times of the day, and with the identifiers that other processes know. */
export interface RecordedSpan extends RemoteIdentity {
  readonly id: number;
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** Absent while it lasts. */
  readonly endedAt?: number;
  readonly parent: number;
  readonly causes: readonly Cause[];
  readonly attributes: Attributes;
  readonly error?: string;
  /** Another process began it; when it ended is not known. */
  readonly isRemote?: true;
}

export interface SpanStart {
  readonly parent?: number;
  readonly causes?: readonly Cause[];
  readonly attributes?: Attributes;
  /** On the monotonic clock; default: now. */
  readonly startedAt?: number;
}

/** A write that is durable. */
export interface Commit {
  readonly revision: number;
  /** The span of the request that made it; 0 for none. */
  readonly parent: number;
  /** On the monotonic clock. */
  readonly startedAt: number;
  readonly operation: 'put' | 'delete';
  readonly group: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  /** Watchers that were told of it. */
  readonly deliveries: number;
}

/** A request that changed nothing. Many are made: they are exported only, and have no children. */
export interface ReadSpan {
  readonly startedAt: number;
  readonly endedAt: number;
  readonly parent: number;
  readonly verb: string;
  readonly path: string;
  readonly user: string;
  readonly auditId: string;
  readonly status: number;
  readonly method?: string;
  readonly route?: string | undefined;
  readonly traceparent?: string | undefined;
  readonly trustsCaller?: boolean;
}

/** Records spans; `noTracer` records none. */
export interface Tracer {
  readonly enabled: boolean;
  /** Spans are sent elsewhere, too. */
  readonly exporting: boolean;
  start(name: string, start?: SpanStart): Span;
  /**
   * Starts the span of a request that may write; its other attributes are there, to be set. Its verb and resource are its name. It
   * belongs to the request until it ends: its object may then become the span of a later request.
   */
  startRequest(path: string, startedAt: number, parent: number): Span;
  /** @param endedAt on the monotonic clock; default: now */
  end(span: Span, error?: unknown, endedAt?: number): void;
  /** Ends a span of this process with what was decided. */
  decided(span: number, attributes: Attributes, error?: string): void;
  /** A write is durable: later work that saw its revision was caused by it. */
  committed(commit: Commit): void;
  /** Exports a read; the API server itself keeps the newest. */
  read(span: ReadSpan): void;
  /** The headers by which another process learns of `span`, of this process. */
  headersOf(span: number): TraceHeaders | undefined;
  /** The span that a request's headers name: recorded here under an id of this process. 0 where they name none. */
  fromHeaders(headers: Partial<TraceHeaders>): number;
}

/** W3C Trace Context, and what the span is in W3C Baggage. */
export interface TraceHeaders {
  readonly traceparent: string;
  readonly baggage: string;
}

export const NO_SPAN: Span = Object.freeze({
  id: 0,
  name: '',
  startedAt: 0,
  endedAt: 0,
  parent: 0,
  causes: Object.freeze([]),
  attributes: Object.freeze({}),
});

export const noTracer: Tracer = {
  enabled: false,
  exporting: false,
  start: () => NO_SPAN,
  startRequest: () => NO_SPAN,
  end: () => {},
  decided: () => {},
  committed: () => {},
  read: () => {},
  headersOf: () => undefined,
  fromHeaders: () => 0,
};

/** What a worker is doing now. Its clients send it along as the cause of their requests. */
export interface CauseSource {
  span: number;
}

/** More causes of one reconcile than this are counted, not kept. */
const MAX_CAUSES = 32;

/** Adds causes to those of a queued item, each once. */
export function mergeCauses(kept: readonly Cause[] | undefined, added: readonly Cause[]): readonly Cause[] {
  if (kept === undefined || kept.length === 0) return added.length > MAX_CAUSES ? added.slice(-MAX_CAUSES) : added;
  if (added.length === 0) return kept;
  const merged = [...kept];
  for (const cause of added) if (!merged.includes(cause)) merged.push(cause);
  return merged.length > MAX_CAUSES ? merged.slice(-MAX_CAUSES) : merged;
}

let delivered: readonly Cause[] = [];

/**
 * Calls the handlers of the watch event that `revision` made. What they enqueue meanwhile was caused by it: handlers are
 * synchronous, so that no other event can come in between.
 */
export function deliver(revision: number | undefined, handlers: () => void): void {
  const outer = delivered;
  delivered = revision === undefined ? [] : [revision];
  try {
    handlers();
  } finally {
    delivered = outer;
  }
}

/** The event that is being delivered now. */
export const deliveredCauses = (): readonly Cause[] => delivered;

/** The revision that an object was read at, as a cause. */
export function revisionOf(resourceVersion: string | undefined): number | undefined {
  const revision = Number(resourceVersion);
  return Number.isSafeInteger(revision) && revision > 0 ? revision : undefined;
}
