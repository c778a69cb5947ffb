/** `spans` and `traces`: what the API server's process has recorded. */
import type { RecordedSpan, Span, SpanRing } from '../../kernel/index.ts';
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
  const spans = ring.recorded(sinceOf(query), PAGE + 1);
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
 * The newest requests that began a trace, from `since` on, with `components=false` without those of the cluster's own users: on a large
 * cluster these are hundreds a second. Or the trace of a span, of the spans that followed soon. `k8ts trace` reads all spans, page by
 * page, and builds the trace itself.
 */
export function readTraces({ namespace, name, query }: GlassRequest, ring: SpanRing): object {
  if (name === '') {
    const since = sinceOf(query);
    const isWanted = (span: Span): boolean =>
      isIn(span, namespace) && (query.get('components') !== 'false' || !isOfComponent(span));
    return {
      kind: 'TraceList',
      apiVersion: GLASS_API,
      metadata: { resourceVersion: String(ring.nextId) },
      items: newestRoots(ring, { since, isWanted }).map((span) => ({ metadata: { name: String(span.id) }, span })),
    };
  }
  const id = idOf(name, 'traces');
  const spans = ring.recorded(id, SPANS_OF_TRACE).filter((span) => isIn(span, namespace));
  const trace = traceOf(spans, id);
  if (!trace) throw notFound({ group: GLASS_GROUP, resource: 'traces' }, name);
  return { kind: 'Trace', apiVersion: GLASS_API, metadata: { name }, trace };
}

interface WantedRoots {
  /** The number of the oldest span that is looked at. */
  readonly since: number;
  readonly isWanted: (span: Span) => boolean;
}

/** The oldest first. */
function newestRoots(ring: SpanRing, { since, isWanted }: WantedRoots): RecordedSpan[] {
  const spans = ring.since(since);
  const roots: RecordedSpan[] = [];
  for (let i = spans.length - 1; i >= 0 && roots.length < PAGE; i--) {
    const span = spans[i]!;
    if (span.parent === 0 && span.causes.length === 0 && isWanted(span)) roots.push(...ring.recorded(span.id, 1));
  }
  return roots.reverse();
}

const isOfComponent = ({ attributes }: Span): boolean =>
  String(attributes['user.name'] ?? 'system:').startsWith('system:');

function sinceOf(query: URLSearchParams): number {
  const since = query.get('since') ?? '0';
  if (!/^\d{1,15}$/.test(since)) throw badRequest(`since must be the number of a span, not ${JSON.stringify(since)}`);
  return Number(since);
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
