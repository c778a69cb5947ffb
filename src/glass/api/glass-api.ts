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

/** A page: a recorder may hold a hundred thousand. */
const MAX_ITEMS = 20_000;

function readSpans({ namespace, name, query }: GlassRequest, ring: SpanRing): object {
  if (name !== '') {
    const id = idOf(name, 'spans');
    const found = ring.recorded(id).find((span) => span.id === id && isIn(span, namespace));
    if (!found) throw notFound({ group: GLASS_GROUP, resource: 'spans' }, name);
    return spanObject(found);
  }
  const since = query.get('since') ?? '0';
  if (!/^\d{1,15}$/.test(since)) throw badRequest(`since must be the number of a span, not ${JSON.stringify(since)}`);
  const spans = ring.recorded(Number(since));
  const page = spans.slice(0, MAX_ITEMS).filter((span) => isIn(span, namespace));
  const next = spans.length > MAX_ITEMS ? spans[MAX_ITEMS]!.id : 0;
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

/** The trace of a span, or the newest requests that began one. */
function readTraces({ namespace, name }: GlassRequest, ring: SpanRing): object {
  const spans = ring.recorded().filter((span) => isIn(span, namespace));
  if (name === '') {
    const roots = spans.filter(({ parent, causes }) => parent === 0 && causes.length === 0);
    return {
      kind: 'TraceList',
      apiVersion: API_VERSION,
      metadata: {},
      items: roots.map((span) => ({ metadata: { name: String(span.id) }, span })),
    };
  }
  const id = idOf(name, 'traces');
  const trace = traceOf(spans, id);
  if (!trace) throw notFound({ group: GLASS_GROUP, resource: 'traces' }, name);
  return { kind: 'Trace', apiVersion: API_VERSION, metadata: { name }, trace };
}

function idOf(name: string, plural: string): number {
  if (!/^\d{1,15}$/.test(name)) throw notFound({ group: GLASS_GROUP, resource: plural }, name);
  return Number(name);
}

/** Spans of other namespaces, and of none, are for those who may see all. */
function isIn({ attributes }: RecordedSpan, namespace: string): boolean {
  if (namespace === '') return true;
  const key = attributes['k8s.key'];
  return typeof key === 'string' ? key.startsWith(`${namespace}/`) : attributes['k8s.namespace.name'] === namespace;
}
