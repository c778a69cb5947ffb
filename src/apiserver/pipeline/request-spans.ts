/** The spans of requests: writes, which may cause further work, and reads, which are kept apart. */
import type { Attributes, ReadSpan, Span, Tracer } from '../../kernel/index.ts';
import type { Exchange } from '../request/exchange.ts';
import type { RequestInfo } from '../request/request-info.ts';
import { headerOf, type ApiRequest, type ApiResponse, type UserInfo } from '../request/request.ts';
import type { HandlerChain } from './handler-chain.ts';

const READS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** The span of a request that may write; undefined for a read. */
export function startSpan(
  { backend }: HandlerChain,
  request: ApiRequest,
  { info, auditId, startedAt }: Pick<Exchange, 'info' | 'auditId' | 'startedAt'>,
): Span | undefined {
  const { tracer } = backend.ctx;
  if (!tracer.enabled || READS.has(request.method)) return undefined;
  const span = tracer.startRequest(request.path, startedAt, parentOf(tracer, request));
  const { attributes } = span;
  attributes['http.request.method'] = request.method;
  attributes['k8s.verb'] = info.verb;
  attributes['k8s.group'] = info.apiGroup;
  attributes['k8s.resource'] = info.resource;
  attributes['k8s.subresource'] = info.subresource;
  attributes['k8s.namespace.name'] = info.namespace;
  attributes['k8s.object.name'] = info.name;
  attributes['k8s.audit.id'] = auditId;
  if (request.query.has('dryRun')) attributes['k8s.dry_run'] = true;
  if (tracer.exporting) Object.assign(span.attributes, exportedAttributes(info, auditId));
  return span;
}

/** Who sent the request is known now, before impersonation. */
export function trustCaller({ backend }: HandlerChain, { span }: Exchange, user: UserInfo): void {
  if (span && backend.ctx.tracer.exporting) span.trustsCaller = decidesAboutTraces(user);
}

/** Other users' requests begin a trace of their own, which is linked to theirs. */
const decidesAboutTraces = (user: UserInfo | undefined): boolean =>
  user?.groups.some((group) => group === 'system:masters' || group === 'system:monitoring') ?? false;

/** `audit-id` is upstream's name. */
const exportedAttributes = (info: RequestInfo, auditId: string): Attributes => ({
  'http.route': routeOf(info),
  'audit-id': auditId,
});

/** The path of a resource without the names of objects. */
function routeOf({ isResourceRequest, ...info }: RequestInfo): string | undefined {
  if (!isResourceRequest) return undefined;
  const parts = ['', info.apiPrefix, info.apiGroup, info.apiVersion].filter((part, i) => i === 0 || part !== '');
  if (info.namespace !== '') parts.push('namespaces', '{:namespace}');
  parts.push(info.resource);
  if (info.name !== '') parts.push('{:name}');
  if (info.subresource !== '') parts.push(info.subresource);
  return parts.join('/');
}

/** In this process the caller names its span; other processes send headers. */
function parentOf(tracer: Tracer, request: ApiRequest): number {
  if (request.inProcess) return request.cause ?? 0;
  const traceparent = headerOf(request, 'traceparent');
  if (traceparent === undefined) return 0;
  const baggage = headerOf(request, 'baggage');
  return tracer.fromHeaders({ traceparent, ...(baggage === undefined ? {} : { baggage }) });
}

/** What is known of the request when it has been answered is recorded. */
export function endSpan(chain: HandlerChain, exchange: Exchange, response: ApiResponse, endedAt: number): void {
  const { tracer } = chain.backend.ctx;
  if (!tracer.enabled) return;
  const { span, user } = exchange;
  chain.records?.add(exchange, response.status, endedAt);
  if (!span) {
    if (tracer.exporting) tracer.read(readSpan(exchange, response, endedAt));
    return;
  }
  const { attributes } = span;
  attributes['http.response.status_code'] = response.status;
  attributes['user.name'] = user?.name;
  if (exchange.flow) attributes['k8s.flowschema.uid'] = exchange.flow.flowSchemaUid;
  if (exchange.expired) span.isHeld = true;
  if (exchange.impersonator) attributes['k8s.impersonator'] = exchange.impersonator.name;
  const error = response.status < 400 ? undefined : (exchange.failure ?? `HTTP ${response.status}`);
  tracer.end(span, error, endedAt);
}

function readSpan(exchange: Exchange, response: ApiResponse, endedAt: number): ReadSpan {
  const { request, info, user, auditId, startedAt, impersonator } = exchange;
  return {
    startedAt,
    endedAt,
    parent: request.cause ?? 0,
    verb: info.verb,
    path: request.path,
    user: user?.name ?? '',
    auditId,
    status: response.status,
    method: request.method,
    route: routeOf(info),
    traceparent: request.inProcess ? undefined : headerOf(request, 'traceparent'),
    trustsCaller: decidesAboutTraces(impersonator ?? user),
  };
}
