/**
 * The API group glass.k8ts.dev: what the API server's process has recorded. Authorization decides who may ask; whoever may
 * ask in a namespace alone gets what concerns that namespace.
 */
import type { APIResourceDiscovery } from '../../api/generated/apidiscovery-v2.ts';
import { SpanRing, type RecordedSpan, type Tracer } from '../../kernel/index.ts';
import { badRequest, notFound } from '../../machinery/errors/index.ts';
import { traceOf } from '../trace/trace.ts';

export const GLASS_GROUP = 'glass.k8ts.dev';
export const GLASS_VERSION = 'v1alpha1';
const API_VERSION = `${GLASS_GROUP}/${GLASS_VERSION}`;

interface GlassRequest {
  readonly namespace: string;
  readonly resource: string;
  /** Empty for a list. */
  readonly name: string;
  readonly query: URLSearchParams;
}

/** An API as the aggregation layer serves it. */
interface GlassApi {
  readonly group: string;
  readonly version: string;
  readonly groupPriorityMinimum: number;
  readonly versionPriority: number;
  readonly resources: readonly APIResourceDiscovery[];
  get(request: GlassRequest): object | undefined;
}

const resource = (plural: string, singular: string, kind: string): APIResourceDiscovery => ({
  resource: plural,
  singularResource: singular,
  scope: 'Namespaced',
  responseKind: { group: GLASS_GROUP, version: GLASS_VERSION, kind },
  verbs: ['get', 'list'],
});

export function glassApi({ tracer }: { readonly tracer: Tracer }): GlassApi {
  const readers: Readonly<Record<string, (request: GlassRequest, ring: SpanRing) => object>> = {
    spans: readSpans,
    traces: readTraces,
  };
  return {
    group: GLASS_GROUP,
    version: GLASS_VERSION,
    groupPriorityMinimum: 100,
    versionPriority: 100,
    resources: [resource('spans', 'span', 'Span'), resource('traces', 'trace', 'Trace')],
    get(request) {
      const read = Object.hasOwn(readers, request.resource) ? readers[request.resource] : undefined;
      return read && tracer instanceof SpanRing ? read(request, tracer) : undefined;
    },
  };
}

/** A recorder may hold a hundred thousand spans: no response looks at so many that other requests would wait for it. */
const PAGE = 500;
const SPANS_OF_TRACE = 2_000;

function readSpans({ namespace, name, query }: GlassRequest, ring: SpanRing): object {
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
    apiVersion: API_VERSION,
    metadata: { resourceVersion: String(ring.nextId), ...(next === 0 ? {} : { continue: String(next) }) },
    items: page.map(spanObject),
  };
}

const spanObject = (span: RecordedSpan): object => ({
  kind: 'Span',
  apiVersion: API_VERSION,
  metadata: { name: String(span.id) },
  span,
});

/**
 * The newest requests that began a trace; or the trace of a span, of the spans that followed soon. `k8ts trace` reads all
 * spans, page by page, and builds the trace itself.
 */
function readTraces({ namespace, name }: GlassRequest, ring: SpanRing): object {
  if (name === '') {
    return {
      kind: 'TraceList',
      apiVersion: API_VERSION,
      metadata: {},
      items: newestRoots(namespace, ring).map((span) => ({ metadata: { name: String(span.id) }, span })),
    };
  }
  const id = idOf(name, 'traces');
  const spans = ring.recorded(id, SPANS_OF_TRACE).filter((span) => isIn(span, namespace));
  const trace = traceOf(spans, id);
  if (!trace) throw notFound({ group: GLASS_GROUP, resource: 'traces' }, name);
  return { kind: 'Trace', apiVersion: API_VERSION, metadata: { name }, trace };
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
