import type { ObjectMeta } from '../../api/generated/meta-v1.ts';
/** Builds the audit.k8s.io/v1 Event of a request at one of its stages. */
import { schema } from '../../api/index.ts';
import { formatMicroTime } from '../../base/index.ts';
import { decodeProtobufObject, isProtobuf } from '../../machinery/protobuf/index.ts';
import type { Exchange } from '../request/exchange.ts';
import { headerOf, type ApiResponse, type UserInfo } from '../request/request.ts';
import type { AuditDecision, AuditStage } from './policy.ts';

export type AuditEvent = Readonly<Record<string, unknown>>;

export interface EventStage {
  readonly stage: AuditStage;
  readonly decision: AuditDecision;
  /** Milliseconds since the epoch. */
  readonly receivedAt: number;
  readonly now: number;
  readonly response?: ApiResponse;
  /** The body of the request, if the audit level includes it. */
  readonly requestBody?: Buffer;
  /** What the body of a create or update says of itself. */
  readonly reference?: WrittenReference;
  /** The decoded body, with the defaults of an object, if the audit level includes it. */
  readonly requestObject?: object;
}

export type WrittenReference = Pick<ObjectMeta, 'namespace' | 'name' | 'uid' | 'resourceVersion'>;

export function auditEvent(exchange: Exchange, moment: EventStage): AuditEvent {
  const { request, info, user, impersonator, annotations } = exchange;
  const { stage, decision, response } = moment;
  const query = request.query.toString();
  return {
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    level: decision.level,
    auditID: exchange.auditId,
    stage,
    requestURI: query === '' ? request.path : `${request.path}?${query}`,
    verb: info.verb,
    user: userOf(impersonator ?? user),
    ...(impersonator && user ? { impersonatedUser: userOf(user) } : {}),
    sourceIPs: sourceAddresses(exchange),
    ...(headerOf(request, 'user-agent') ? { userAgent: headerOf(request, 'user-agent')!.slice(0, 1024) } : {}),
    ...(info.isResourceRequest ? { objectRef: objectReference(exchange, moment.reference) } : {}),
    ...(response ? { responseStatus: responseStatus(response) } : {}),
    ...bodies(exchange, moment),
    requestReceivedTimestamp: formatMicroTime(moment.receivedAt),
    stageTimestamp: formatMicroTime(moment.now),
    ...(annotations.size > 0 && stage !== 'RequestReceived'
      ? { annotations: Object.fromEntries([...annotations].sort(([a], [b]) => (a < b ? -1 : 1))) }
      : {}),
  };
}

const userOf = (user: UserInfo | undefined): object =>
  user
    ? {
        username: user.name,
        ...(user.uid ? { uid: user.uid } : {}),
        ...(user.groups.length > 0 ? { groups: user.groups } : {}),
        ...(user.extra && Object.keys(user.extra).length > 0 ? { extra: user.extra } : {}),
      }
    : {};

function sourceAddresses({ request }: Exchange): string[] {
  const forwarded = (headerOf(request, 'x-forwarded-for') ?? '')
    .split(',')
    .map((address) => address.trim())
    .filter((address) => /^[0-9a-fA-F.:]+$/.test(address));
  return [...new Set([...forwarded, request.remoteAddress])];
}

/** What the path does not name, such as the name of a new object, the body does. */
function objectReference({ info }: Exchange, written: WrittenReference = {}): object {
  const namespace = info.namespace || written.namespace;
  const name = info.name || written.name;
  return {
    resource: info.resource,
    ...(namespace ? { namespace } : {}),
    ...(name ? { name } : {}),
    ...(written.uid ? { uid: written.uid } : {}),
    ...(info.apiGroup ? { apiGroup: info.apiGroup } : {}),
    apiVersion: info.apiVersion,
    ...(written.resourceVersion ? { resourceVersion: written.resourceVersion } : {}),
    ...(info.subresource ? { subresource: info.subresource } : {}),
  };
}

/** Failures include message, reason and details; a Status does not contain secrets of the request. */
function responseStatus(response: ApiResponse): object {
  if (response.status < 400) return { metadata: {}, code: response.status };
  const status = parsed(response.body, String(response.headers['content-type'] ?? ''));
  const { message, reason, details } = (status ?? {}) as { message?: string; reason?: string; details?: object };
  return {
    metadata: {},
    status: 'Failure',
    ...(message ? { message } : {}),
    ...(reason ? { reason } : {}),
    ...(details ? { details } : {}),
    code: response.status,
  };
}

function bodies(exchange: Exchange, { decision, response, requestBody, requestObject: decoded }: EventStage): object {
  if (decision.level === 'None' || decision.level === 'Metadata' || !response) return {};
  const { request } = exchange;
  const requestObject =
    decoded ?? request.object ?? parsed(requestBody, String(headerOf(request, 'content-type') ?? 'application/json'));
  const responseObject =
    decision.level === 'RequestResponse' && !response.stream
      ? parsed(response.body, String(response.headers['content-type'] ?? ''))
      : undefined;
  const shown = (object: unknown): unknown => (decision.omitManagedFields ? withoutManagedFields(object) : object);
  return {
    ...(requestObject ? { requestObject: shown(requestObject) } : {}),
    ...(responseObject ? { responseObject: shown(responseObject) } : {}),
  };
}

/** Undefined if the body is not an object. */
function parsed(body: Buffer | string | undefined, contentType: string): unknown {
  if (body === undefined || body.length === 0) return undefined;
  try {
    if (contentType.startsWith('application/vnd.kubernetes.protobuf')) {
      const bytes = Buffer.from(body);
      return isProtobuf(bytes) ? decodeProtobufObject(schema, bytes) : undefined;
    }
    return JSON.parse(body.toString()) as unknown;
  } catch {
    return undefined;
  }
}

function withoutManagedFields(object: unknown): unknown {
  if (typeof object !== 'object' || object === null) return object;
  const { metadata, items, ...rest } = object as { metadata?: object; items?: unknown[] };
  const { managedFields: _, ...shown } = (metadata ?? {}) as { managedFields?: unknown };
  return {
    ...rest,
    ...(metadata ? { metadata: shown } : {}),
    ...(items ? { items: items.map(withoutManagedFields) } : {}),
  };
}
