/** A span of ours as OTLP sends it, named by OpenTelemetry's conventions. */
import type { Attributes, AttributeValue, Span } from '../kernel/index.ts';
import type { AnyValue, KeyValue, OtlpSpan } from './trace-service.generated.ts';

export const SPAN_KINDS = { internal: 1, server: 2 } as const;
export const STATUS_ERROR = 2;
/** W3C's trace flags. */
const SAMPLED = 1;

interface Identity {
  readonly traceId: string;
  readonly spanId: string;
}

export interface ExportedSpan extends Identity {
  readonly span: Pick<Span, 'name' | 'startedAt' | 'endedAt' | 'attributes' | 'error'>;
  /** Empty for the root of a trace. */
  readonly parentSpanId: string;
  readonly links: readonly Identity[];
}

/** `epoch`: what has to be added to the monotonic clock for the time of the day, in milliseconds. */
export function otlpSpan({ span, traceId, spanId, parentSpanId, links }: ExportedSpan, epoch: number): OtlpSpan {
  const { attributes, error, startedAt, endedAt = startedAt } = span;
  const isServer = 'http.request.method' in attributes;
  return {
    traceId: bytesOf(traceId),
    spanId: bytesOf(spanId),
    ...(parentSpanId === '' ? {} : { parentSpanId: bytesOf(parentSpanId) }),
    name: isServer ? serverSpanName(attributes) : span.name,
    kind: isServer ? SPAN_KINDS.server : SPAN_KINDS.internal,
    startTimeUnixNano: Math.round((epoch + startedAt) * 1e6),
    endTimeUnixNano: Math.round((epoch + endedAt) * 1e6),
    attributes: keyValues(attributes),
    links: links.map((link) => ({ traceId: bytesOf(link.traceId), spanId: bytesOf(link.spanId) })),
    ...(error !== undefined && !isServedWell(attributes) ? { status: { code: STATUS_ERROR, message: error } } : {}),
    flags: SAMPLED,
  };
}

const bytesOf = (hex: string): Uint8Array => Buffer.from(hex, 'hex');

/** The method and the route, without the names of objects: few different names. */
function serverSpanName(attributes: Attributes): string {
  const { 'http.request.method': method, 'http.route': route } = attributes;
  return route === undefined ? String(method) : `${method} ${route}`;
}

/** A server that refuses a request has not failed. */
function isServedWell({ 'http.response.status_code': status }: Attributes): boolean {
  return typeof status === 'number' && status < 500;
}

export const keyValues = (attributes: Attributes): KeyValue[] =>
  Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined || value === '' ? [] : [{ key, value: anyValue(value) }],
  );

function anyValue(value: AttributeValue): AnyValue {
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'string') return { stringValue: value };
  return Number.isInteger(value) ? { intValue: value } : { doubleValue: value };
}
