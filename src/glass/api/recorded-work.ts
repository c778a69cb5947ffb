/** `spans` and `traces`: what the API server's process has recorded. */
import type { RecordedSpan, SpanRing } from '../../kernel/index.ts';
import { badRequest, notFound } from '../../machinery/errors/index.ts';
import { traceOf } from '../trace/trace.ts';
import { GLASS_API, GLASS_GROUP } from './glass-group.ts';
import type { GlassRequest } from './glass-sources.ts';

/** A recorder may hold a hundred thousand spans: no response looks at so many that other requests would wait for it. */
const PAGE = 500;
const SPANS_OF_TRACE = 2_000;

export function readSpans({ namespace, name, query }: GlassRequest, ring: SpanRing): object {
  if (name !== '') {
    const id = idOf(name, 'spans');
    const [found] = ring.recorded(id, 1);
    if (found?.id !== id || !isIn(found, namespace)) throw notFound({ group: GLASS_GROUP, resource: 'spans' }, name);
    return spanObject(found);
  }
  const since = query.get('since') ?? '0';
  if (!/^\d{1,15}$/.test(since)) throw badRequest(`since must be the number of a span, not ${JSON.stringify(since)}`);
  const spans = ring.recorded(Number(since), PAGE + 1);
  const page = spans.slice(0, PAGE).filter((span) => isIn(span, namespace));
  const next = spans[PAGE]?.id ?? 0;
  return {
    kind: 'SpanList',
    apiVersion: GLASS_API,
    metadata: { resourceVersion: String(ring.nextId), ...(next === 0 ? {} : { continue: String(next) }) },
    items: page.map(spanObject),
  };
}

const spanObject = (span: RecordedSpan): object => ({
  kind: 'Span',
  apiVersion: GLASS_API,
  metadata: { name: String(span.id) },
  span,
});

/**
 * The newest requests that began a trace; or the trace of a span, of the spans that followed soon. `k8ts trace` reads all
 * spans, page by page, and builds the trace itself.
 */
export function readTraces({ namespace, name }: GlassRequest, ring: SpanRing): object {
  if (name === '') {
    return {
      kind: 'TraceList',
      apiVersion: GLASS_API,
      metadata: {},
      items: newestRoots(namespace, ring).map((span) => ({ metadata: { name: String(span.id) }, span })),
    };
  }
  const id = idOf(name, 'traces');
  const spans = ring.recorded(id, SPANS_OF_TRACE).filter((span) => isIn(span, namespace));
  const trace = traceOf(spans, id);
  if (!trace) throw notFound({ group: GLASS_GROUP, resource: 'traces' }, name);
  return { kind: 'Trace', apiVersion: GLASS_API, metadata: { name }, trace };
}

/** The oldest first. */
function newestRoots(namespace: string, ring: SpanRing): RecordedSpan[] {
  const spans = ring.since();
  const roots: RecordedSpan[] = [];
  for (let i = spans.length - 1; i >= 0 && roots.length < PAGE; i--) {
    const span = spans[i]!;
    if (span.parent === 0 && span.causes.length === 0 && isIn(span, namespace))
      roots.push(...ring.recorded(span.id, 1));
  }
  return roots.reverse();
}

function idOf(name: string, plural: string): number {
  if (!/^\d{1,15}$/.test(name)) throw notFound({ group: GLASS_GROUP, resource: plural }, name);
  return Number(name);
}

/** Spans of other namespaces, and of none, are for those who may see all. */
function isIn({ attributes }: Pick<RecordedSpan, 'attributes'>, namespace: string): boolean {
  if (namespace === '') return true;
  const key = attributes['k8s.key'];
  return typeof key === 'string' ? key.startsWith(`${namespace}/`) : attributes['k8s.namespace.name'] === namespace;
}
