/** The spans of requests: writes, which may cause further work, and reads, which are kept apart. */
import type { Span, Tracer } from '../../kernel/index.ts';
import type { Exchange } from '../request/exchange.ts';
import type { RequestRecord } from '../request/request-records.ts';
import { headerOf, type ApiRequest, type ApiResponse } from '../request/request.ts';
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
  const { isResourceRequest, verb, resource, subresource } = info;
  const name = isResourceRequest ? `${verb} ${subresource === '' ? resource : `${resource}/${subresource}`}` : verb;
  return tracer.start(name, {
    parent: parentOf(tracer, request),
    startedAt,
    attributes: {
      'http.request.method': request.method,
      'url.path': request.path,
      'http.response.status_code': undefined,
      'user.name': undefined,
      'k8s.verb': verb,
      'k8s.group': info.apiGroup,
      'k8s.resource': resource,
      'k8s.subresource': subresource,
      'k8s.namespace.name': info.namespace,
      'k8s.object.name': info.name,
      'k8s.audit.id': auditId,
      'k8s.flowschema.uid': undefined,
      'k8s.dry_run': request.query.has('dryRun') ? true : undefined,
    },
  });
}

/** In this process the caller names its span; other processes send headers. */
function parentOf(tracer: Tracer, request: ApiRequest): number {
  if (request.inProcess) return request.cause ?? 0;
  const traceparent = headerOf(request, 'traceparent');
  if (traceparent === undefined) return 0;
  const baggage = headerOf(request, 'baggage');
  return tracer.fromHeaders({ traceparent, ...(baggage === undefined ? {} : { baggage }) });
}

export function endSpan(chain: HandlerChain, exchange: Exchange, response: ApiResponse): void {
  const { tracer, clock } = chain.backend.ctx;
  if (!tracer.enabled) return;
  const { span, request, info, user, auditId, startedAt } = exchange;
  const record: RequestRecord = {
    startedAt,
    endedAt: clock.monotonic(),
    parent: request.cause ?? 0,
    verb: info.verb,
    path: request.path,
    user: user?.name ?? '',
    auditId,
    status: response.status,
    method: request.method,
    query: request.query.size > 0 ? request.query : undefined,
    identity: user,
    impersonator: exchange.impersonator,
    decision: exchange.decision,
    policyGeneration: exchange.policyGeneration,
    authorizingAt: exchange.authorizingAt,
    authorizedAt: exchange.authorizedAt,
    flow: exchange.flow,
    waitedMs: exchange.waitedMs,
    failure: exchange.failure,
    span: span?.id ?? 0,
    admission: exchange.admission,
  };
  chain.records?.add(record);
  if (!span) {
    tracer.read(record);
    return;
  }
  const { attributes } = span;
  attributes['http.response.status_code'] = response.status;
  attributes['user.name'] = user?.name;
  if (exchange.flow) attributes['k8s.flowschema.uid'] = exchange.flow.flowSchemaUid;
  if (exchange.impersonator) attributes['k8s.impersonator'] = exchange.impersonator.name;
  tracer.end(span, response.status < 400 ? undefined : (exchange.failure ?? `HTTP ${response.status}`));
}
