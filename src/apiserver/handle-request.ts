/**
 * The door. Every request, from wherever it comes, passes these steps in this order:
 *
 *   authentication → audit → impersonation → flow control → authorization → routing → the verb (decode, mutating
 *   admission, defaulting, validation, validating admission, store) → the answer
 *
 * and nothing else decides anything.
 */
import { isStatusError, type StatusError } from '../machinery/status.ts';
import { failure, internalError, unauthorized } from '../machinery/status.ts';
import type { Aggregator } from './aggregator/index.ts';
import type { AuditLog } from './audit/audit.ts';
import { authorize } from './authz/authorize.ts';
import type { Impersonation } from './authn/impersonation.ts';
import type { Annotate, Authenticator } from './authn/authenticator.ts';
import type { FlowControl } from './flow-control/flow-control.ts';
import { negotiate } from './negotiate.ts';
import type { ApiServerMetrics } from './metrics.ts';
import { compress, respondError } from './respond.ts';
import { headerOf, type ApiRequest, type ApiResponse, type ResponseHeaders, type UserInfo } from './request.ts';
import { parseRequestInfo, type RequestInfo } from './request-info.ts';
import { route } from './route.ts';
import type { Backend } from './scope.ts';
import type { Endpoints } from './endpoints.ts';

export interface Door {
  readonly backend: Backend;
  readonly authenticators: readonly Authenticator[];
  readonly impersonation: Impersonation;
  readonly flowControl: FlowControl;
  readonly audit: AuditLog;
  readonly metrics: ApiServerMetrics;
  /** What is served besides resources: discovery, health, metrics, OpenAPI. */
  readonly endpoints: Endpoints;
  /** What other servers serve for this one. */
  readonly aggregator?: Aggregator;
}

export async function handleRequest(door: Door, request: ApiRequest): Promise<ApiResponse> {
  const info = parseRequestInfo(request.method, request.path, request.query);
  const exchange: Exchange = { request, info, warnings: [], annotations: new Map(), startedAt: door.backend.ctx.clock.monotonic() };
  const response = await answer(door, exchange);
  door.audit.finished(exchange, response.status);
  door.metrics.observe(exchange, response);
  return compress(request, withWarnings(response, exchange.warnings));
}

/** A request and what gathers around it on its way. */
export interface Exchange {
  readonly request: ApiRequest;
  readonly info: RequestInfo;
  readonly warnings: string[];
  readonly annotations: Map<string, string>;
  readonly startedAt: number;
  user?: UserInfo;
  impersonator?: UserInfo;
  auditId?: string;
}

async function answer(door: Door, exchange: Exchange): Promise<ApiResponse> {
  const { request, info } = exchange;
  let leave: (() => void) | undefined;
  try {
    const authenticated = await authenticate(door, exchange);
    exchange.user = authenticated;
    door.audit.received(exchange);
    const user = await door.impersonation.impersonate(authenticated, info, request);
    if (user !== authenticated) {
      exchange.impersonator = authenticated;
      exchange.user = user;
    }
    leave = await door.flowControl.enter(user, info, request);
    await authorize(door.backend.authorizer, user, info, request.query);
    return await route(door, exchange, user);
  } catch (error) {
    return respondFailure(door, exchange, error);
  } finally {
    leave?.();
  }
}

function authenticate(door: Door, { request, annotations }: Exchange): UserInfo | Promise<UserInfo> {
  return request.user ?? firstAuthenticated(door.authenticators, request, (key, value) => void annotations.set(key, value));
}

async function firstAuthenticated(authenticators: readonly Authenticator[], request: ApiRequest, annotate: Annotate): Promise<UserInfo> {
  for (const authenticator of authenticators) {
    const answer = authenticator.authenticate(request, annotate);
    const user = answer instanceof Promise ? await answer : answer;
    if (user) return user;
  }
  throw unauthorized();
}

function respondFailure(door: Door, exchange: Exchange, error: unknown): ApiResponse {
  const { request } = exchange;
  const status = asStatusError(door, exchange, error);
  let negotiated;
  try {
    const { as: _, ...plain } = negotiate(headerOf(request, 'accept'), request.query, headerOf(request, 'user-agent'), { transforms: true });
    negotiated = plain;
  } catch {
    // Whoever accepts nothing that we have gets JSON.
  }
  return respondError(status, negotiated);
}

function asStatusError(door: Door, exchange: Exchange, error: unknown): StatusError {
  if (isStatusError(error)) return error;
  if (exchange.request.signal.aborted) return failure(504, 'Timeout', 'request did not complete within the allotted timeout');
  door.backend.ctx.logger.error(error, 'A request failed for a reason of our own', { method: exchange.request.method, path: exchange.request.path });
  return internalError(error instanceof Error ? error.message : 'unknown');
}

const WARNING_LIMIT = 4096;

/** RFC 7234 warning headers; each text once, and no more than a header may hold. */
function withWarnings(response: ApiResponse, warnings: readonly string[]): ApiResponse {
  if (warnings.length === 0) return response;
  const values: string[] = [];
  let length = 0;
  for (const text of new Set(warnings)) {
    const value = `299 - "${printable(text).replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
    length += value.length;
    if (length > WARNING_LIMIT) break;
    values.push(value);
  }
  const headers: ResponseHeaders = { ...response.headers, warning: values };
  return { ...response, headers };
}

/** Header values are Latin-1: UTF-8 text travels as its bytes; control characters do not travel. */
const printable = (text: string): string => Buffer.from(text.replace(/[\0-\x1f\x7f]/g, ''), 'utf8').toString('latin1');
