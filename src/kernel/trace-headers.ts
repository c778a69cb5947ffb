/**
 * How a span travels to another process: its identifiers in W3C `traceparent`, its name, causes and attributes in W3C
 * `baggage`, so that the API server can record work that it did not see.
 */
import type { Attributes, Cause, RemoteSpanContext, Span, TraceHeaders } from './tracing.ts';

const BAGGAGE_KEY = 'k8ts';
const MAX_BAGGAGE = 4096;
const MAX_TEXT = 256;
const MAX_ATTRIBUTES = 8;
const MAX_CAUSES = 32;

interface RemoteSpan extends RemoteSpanContext {
  readonly name: string;
  readonly causes: readonly (number | string)[];
  readonly attributes: Attributes;
}

export function formatTraceHeaders(
  span: Pick<Span, 'name' | 'causes' | 'attributes'>,
  { traceId, spanId, sampled }: RemoteSpanContext,
  spanIdOf: (span: number) => string,
): TraceHeaders {
  const causes = span.causes.map((cause) => (typeof cause === 'number' ? cause : spanIdOf(cause.span)));
  const member = encodeURIComponent(JSON.stringify([span.name, causes, span.attributes]));
  return {
    traceparent: `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`,
    baggage: member.length > MAX_BAGGAGE ? '' : `${BAGGAGE_KEY}=${member}`,
  };
}

const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;
/** The flag of a span that its process exports. */
const SAMPLED = 1;

/** Headers come from any client: what is malformed or too long is left out. */
export function parseTraceHeaders({ traceparent, baggage }: Partial<TraceHeaders>): RemoteSpan | undefined {
  const context = parseTraceparent(traceparent);
  return context && { ...context, ...describedBy(baggage) };
}

export function parseTraceparent(traceparent: string | undefined): RemoteSpanContext | undefined {
  const match = traceparent === undefined || traceparent.length > 55 ? null : TRACEPARENT.exec(traceparent);
  if (!match) return undefined;
  const [, traceId = '', spanId = '', flags = ''] = match;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & SAMPLED) !== 0 };
}

const UNKNOWN = { name: 'remote', causes: [], attributes: {} };

function describedBy(baggage: string | undefined): Pick<RemoteSpan, 'name' | 'causes' | 'attributes'> {
  if (baggage === undefined || baggage.length > MAX_BAGGAGE + BAGGAGE_KEY.length + 1) return UNKNOWN;
  const prefix = `${BAGGAGE_KEY}=`;
  const member = baggage.split(',').find((each) => each.trim().startsWith(prefix));
  if (member === undefined) return UNKNOWN;
  let parsed: unknown;
  try {
    parsed = JSON.parse(decodeURIComponent(member.trim().slice(prefix.length)));
  } catch {
    return UNKNOWN;
  }
  if (!Array.isArray(parsed) || typeof parsed[0] !== 'string' || parsed[0].length > MAX_TEXT) return UNKNOWN;
  const [name, causes, attributes] = parsed as [string, unknown, unknown];
  return { name, causes: causesOf(causes), attributes: attributesOf(attributes) };
}

function causesOf(causes: unknown): (number | string)[] {
  if (!Array.isArray(causes)) return [];
  const isCause = (cause: unknown): cause is number | string =>
    (typeof cause === 'number' && Number.isSafeInteger(cause) && cause > 0) ||
    (typeof cause === 'string' && /^[0-9a-f]{16}$/.test(cause));
  return causes.slice(0, MAX_CAUSES).filter(isCause);
}

function attributesOf(attributes: unknown): Attributes {
  if (typeof attributes !== 'object' || attributes === null) return {};
  const known: Attributes = {};
  for (const [name, value] of Object.entries(attributes).slice(0, MAX_ATTRIBUTES)) {
    const isShort = typeof value === 'string' ? value.length <= MAX_TEXT : typeof value === 'number';
    if (isShort && /^[a-z][a-z0-9._]{0,63}$/.test(name)) known[name] = value as string | number;
  }
  return known;
}

/** The causes of a remote span under the ids of this process. */
export function localCauses(remote: RemoteSpan, idOf: (spanId: string) => number | undefined): readonly Cause[] {
  const causes: Cause[] = [];
  for (const cause of remote.causes) {
    if (typeof cause === 'number') causes.push(cause);
    else {
      const span = idOf(cause);
      if (span !== undefined) causes.push({ span });
    }
  }
  return causes;
}
