/**
 * The handler chain. Every request, from whichever transport, passes these steps in this order:
 *
 *   time limit → authentication → audit → impersonation → flow control → authorization → routing → the verb (decode,
 *   defaulting, mutating admission, validation, validating admission, store) → the response
 *
 * and nothing else decides anything. The request keeps its seat of flow control until its client has received the
 * response.
 */
import { ParseError, whenDone, type MaybePromise } from '../../base/index.ts';
import {
  badRequest,
  internalError,
  isStatusError,
  type StatusError,
  timeout,
  unauthorized,
} from '../../machinery/errors/index.ts';
import type { Annotate, Authenticator } from '../authn/authenticator.ts';
import { isPlainIdentity } from '../authn/identity-text.ts';
import { authorize, refusal } from '../authz/authorize.ts';
import { TooBusy } from '../flow-control/flow-control.ts';
import { leaveSeat, newExchange, type Exchange } from '../request/exchange.ts';
import { FilterFailure, respondFilterFailure } from '../request/filter-failure.ts';
import { negotiate } from '../request/negotiate.ts';
import { parseRequestInfo, type RequestInfo } from '../request/request-info.ts';
import { headerOf, type ApiRequest, type ApiResponse, type LargeBody, type UserInfo } from '../request/request.ts';
import { NO_SNIFF, respondError, respondText } from '../request/responses.ts';
import { compress } from './compress.ts';
import type { HandlerChain } from './handler-chain.ts';
import { endSpan, startSpan, trustCaller } from './request-spans.ts';
import { route } from './route.ts';
import type { AuthenticationResult } from './security-metrics.ts';

export async function handleRequest(chain: HandlerChain, request: ApiRequest): Promise<ApiResponse> {
  const info = parseRequestInfo(request.method, request.path, request.query);
  const { clock, random } = chain.backend.ctx;
  const auditId = auditIdOf(request) ?? random.uid();
  const startedAt = clock.monotonic();
  const span = startSpan(chain, request, { info, auditId, startedAt });
  const admission = span && chain.records?.admissionRecord(startedAt);
  const exchange = newExchange({ request, info, auditId, span, admission, startedAt });
  chain.metrics.started(info);
  const finished = chain.audit.finished(exchange, await answerInTime(chain, exchange));
  const response = finished instanceof Promise ? await finished : finished;
  const endedAt = chain.metrics.observe(exchange, response);
  endSpan(chain, exchange, response, endedAt);
  addHeaders(response, exchange);
  const answered = await compress(request, response);
  if (answered.large || answered.stream) keepSeat(chain, exchange, { answered, large: response.large });
  else leaveSeat(exchange);
  return answered;
}

async function answerInTime(chain: HandlerChain, exchange: Exchange): Promise<ApiResponse> {
  const { info, request, startedAt } = exchange;
  let limit;
  try {
    limit = chain.deadlines.limitOf(info, request.query);
  } catch (error) {
    return respondFailure(chain, exchange, error);
  }
  if (!limit) return answer(chain, exchange);
  const { error } = limit;
  const expired = (): ApiResponse => {
    exchange.expired = true;
    chain.metrics.terminated(exchange, 504);
    request.abort?.(error());
    return respondFailure(chain, exchange, error());
  };
  exchange.expiresAt = startedAt + limit.ms;
  return chain.deadlines.within(answer(chain, exchange), { expiresAt: exchange.expiresAt, limit, expired });
}

/**
 * Keeps the seat until the client has received the response or the request times out. A watch releases it after its
 * initial events.
 */
function keepSeat(
  chain: HandlerChain,
  exchange: Exchange,
  { answered, large }: { answered: ApiResponse; large: LargeBody | undefined },
): void {
  if (exchange.expiresAt !== undefined) answered.expiresAt = exchange.expiresAt;
  else if (exchange.leave) exchange.seatLimit = chain.deadlines.limitSeat(() => leaveSeat(exchange));
  const ended = exchange.expiresAt === undefined ? chain.metrics.longRunning(exchange) : undefined;
  answered.done = () => {
    leaveSeat(exchange);
    ended?.();
    if (large) chain.metrics.observeSize(exchange, answered, large.produced);
  };
}

const AUDIT_ID_LIMIT = 64;

/** A client may choose the audit id, to correlate the audit events of several servers. */
export function auditIdOf(request: ApiRequest): string | undefined {
  const given = headerOf(request, 'audit-id');
  return given ? given.slice(0, AUDIT_ID_LIMIT) : undefined;
}

async function answer(chain: HandlerChain, exchange: Exchange): Promise<ApiResponse> {
  try {
    return await serve(chain, exchange);
  } catch (error) {
    if (!exchange.user) {
      observeAuthentication(chain, exchange, isStatusError(error, 'Unauthorized') ? 'failure' : 'error');
      if (!(await chain.audit.received(exchange))) return respondFailure(chain, exchange, notAudited());
    }
    leaveSeat(exchange);
    return respondFailure(chain, exchange, error);
  }
}

/** Most requests wait for nothing: a step returns its result at once where it can. */
const serve = (chain: HandlerChain, exchange: Exchange): MaybePromise<ApiResponse> =>
  whenDone(authenticate(chain, exchange), (authenticated) =>
    whenDone(impersonate(chain, exchange, authenticated), (user) =>
      whenDone(enterFlowControl(chain, exchange, user), () =>
        whenDone(authorizeRequest(chain, exchange, user), () => route(chain, exchange, user)),
      ),
    ),
  );

const authenticate = (chain: HandlerChain, { request, annotations }: Exchange): MaybePromise<UserInfo> =>
  request.user ??
  firstAuthenticated(chain.authenticators, request, (key, value) => void annotations.set(key, value), 0);

function impersonate(chain: HandlerChain, exchange: Exchange, authenticated: UserInfo): MaybePromise<UserInfo> {
  const { request } = exchange;
  exchange.user = authenticated;
  trustCaller(chain, exchange, authenticated);
  if (!request.user) observeAuthentication(chain, exchange, 'success');
  return whenDone(chain.audit.received(exchange), (stored) => {
    if (!stored) throw notAudited();
    return impersonateUser(chain, exchange, authenticated);
  });
}

const notAudited = (): FilterFailure => new FilterFailure('failed to store audit event');

function impersonateUser(chain: HandlerChain, exchange: Exchange, authenticated: UserInfo): MaybePromise<UserInfo> {
  const { request, info } = exchange;
  return whenDone(chain.impersonation.impersonate(authenticated, info, request), (user) => {
    if (user !== authenticated) {
      exchange.impersonator = authenticated;
      exchange.user = user;
    }
    return user;
  });
}

function enterFlowControl(chain: HandlerChain, exchange: Exchange, user: UserInfo): MaybePromise<void> {
  const { request, info } = exchange;
  const entering = chain.flowControl.enter(user, info, request);
  const { clock } = chain.backend.ctx;
  const waitsSince = entering instanceof Promise ? clock.monotonic() : undefined;
  return whenDone(entering, ({ leave, flow }) => {
    if (waitsSince !== undefined) exchange.waitedMs = clock.monotonic() - waitsSince;
    chain.securityMetrics.filtered('priorityandfairness', exchange.waitedMs / 1000);
    exchange.leave = leave;
    exchange.flow = flow;
    if (exchange.expired) throw timeout('request did not complete within the allotted timeout', 0);
    if (mayAnswerAtLength(info) && request.congested) throw new TooBusy('slow-clients', flow, RETRY_AFTER_SECONDS);
  });
}

const RETRY_AFTER_SECONDS = 1;

const mayAnswerAtLength = ({ verb }: RequestInfo): boolean => verb === 'list' || verb === 'watch';

function authorizeRequest(chain: HandlerChain, exchange: Exchange, user: UserInfo): MaybePromise<void> {
  const { authorizer, ctx } = chain.backend;
  const { info, request, annotations } = exchange;
  const startedAt = ctx.clock.monotonic();
  return whenDone(authorize(authorizer, user, info, request.query), (decision) => {
    const now = ctx.clock.monotonic();
    chain.securityMetrics.authorized(decision, (now - startedAt) / 1000);
    exchange.decision = decision;
    exchange.policyGeneration = chain.policyGeneration();
    exchange.authorizingAt = startedAt;
    exchange.authorizedAt = now;
    const allowed = decision.decision === 'allow';
    annotations.set('authorization.k8s.io/decision', allowed ? 'allow' : 'forbid');
    if (!allowed) throw refusal(decision, user, info, request.query);
    annotations.set('authorization.k8s.io/reason', decision.reason);
    exchange.authorized = true;
  });
}

function observeAuthentication(chain: HandlerChain, { startedAt }: Exchange, result: AuthenticationResult): void {
  chain.securityMetrics.authenticated(result, (chain.backend.ctx.clock.monotonic() - startedAt) / 1000);
}

function firstAuthenticated(
  authenticators: readonly Authenticator[],
  request: ApiRequest,
  annotate: Annotate,
  from: number,
): MaybePromise<UserInfo> {
  for (let i = from; i < authenticators.length; i++) {
    const answer = authenticators[i]!.authenticate(request, annotate);
    if (answer instanceof Promise)
      return answer.then((user) =>
        user ? plainIdentity(user) : firstAuthenticated(authenticators, request, annotate, i + 1),
      );
    if (answer) return plainIdentity(answer);
  }
  throw unauthorized();
}

/** No authenticator may produce an identity whose text could be read as another one. */
function plainIdentity(user: UserInfo): UserInfo {
  if (!isPlainIdentity(user)) throw unauthorized();
  return user;
}

function respondFailure(chain: HandlerChain, exchange: Exchange, error: unknown): ApiResponse {
  const { request } = exchange;
  if (error instanceof TooBusy) {
    if (error.flow) exchange.flow = error.flow;
    exchange.failure = error.message;
    chain.metrics.terminated(exchange, 429);
    return respondText(429, `${error.message}\n`, { 'retry-after': String(error.retryAfterSeconds) });
  }
  if (error instanceof FilterFailure) {
    exchange.failure = error.message;
    return respondFilterFailure(request, error.message);
  }
  const status = asStatusError(chain, exchange, error);
  exchange.failure = status.message;
  let negotiated;
  try {
    negotiated = negotiate(headerOf(request, 'accept'), request.query, headerOf(request, 'user-agent'));
  } catch {
    // A client that accepts no media type of this server, or only a form that a Status does not have, gets JSON.
  }
  const response = respondError(status, negotiated);
  // Impersonation and authorization repeat what the client wrote; admission and the handlers refuse without this header.
  const isRefusal = status.code === 400 || status.code === 403;
  if (isRefusal && exchange.user && !exchange.authorized) Object.assign(response.headers, NO_SNIFF);
  return response;
}

function asStatusError(chain: HandlerChain, exchange: Exchange, error: unknown): StatusError {
  if (isStatusError(error)) return error;
  if (error instanceof ParseError) return badRequest(error.message);
  if (exchange.request.signal.aborted) {
    chain.metrics.aborted(exchange);
    return timeout('request did not complete within the allotted timeout', 0);
  }
  chain.backend.ctx.logger.error(error, 'Request failed with an internal error', {
    method: exchange.request.method,
    path: exchange.request.path,
  });
  return internalError(error instanceof Error ? error.message : 'unknown');
}

const WARNING_LIMIT = 4096;

/** Headers of every response besides its own. Only responses that allow it may be cached. */
function addHeaders({ headers }: ApiResponse, { auditId, warnings, flow }: Exchange): void {
  headers['audit-id'] = auditId;
  headers['cache-control'] ??= 'no-cache, private';
  if (flow) {
    headers['x-kubernetes-pf-flowschema-uid'] = flow.flowSchemaUid;
    headers['x-kubernetes-pf-prioritylevel-uid'] = flow.priorityLevelUid;
  }
  if (warnings.length > 0) headers['warning'] = warningValues(warnings);
}

/** RFC 7234 warnings; each text once, and no more than a header may hold. */
function warningValues(warnings: readonly string[]): string[] {
  const values: string[] = [];
  let length = 0;
  for (const text of new Set(warnings)) {
    const value = `299 - "${printable(text).replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
    length += value.length;
    if (length > WARNING_LIMIT) break;
    values.push(value);
  }
  return values;
}

/** Header values are Latin-1: UTF-8 text travels as its bytes; control characters do not travel. */
const printable = (text: string): string => Buffer.from(text.replace(/[\0-\x1f\x7f]/g, ''), 'utf8').toString('latin1');
