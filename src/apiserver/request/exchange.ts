/** A request and what the pipeline has learned about it so far. */
import type { Span, Timer } from '../../kernel/index.ts';
import type { AdmissionRecord } from './admission-record.ts';
import type { RequestInfo } from './request-info.ts';
import type { ApiRequest, UserInfo } from './request.ts';

export interface Exchange extends SeatHolder {
  readonly request: ApiRequest;
  readonly info: RequestInfo;
  readonly warnings: string[];
  /** Audit annotations. */
  readonly annotations: Map<string, string>;
  readonly startedAt: number;
  readonly auditId: string;
  /** Of a request that may write. */
  readonly span: Span | undefined;
  /** What admission did to it; absent where nothing is recorded. */
  readonly admission: AdmissionRecord | undefined;
  /** For the record of the request. */
  decision: RecordedDecision | undefined;
  policyGeneration: number;
  authorizingAt: number;
  authorizedAt: number;
  /** How long it waited in the queue of its priority level. */
  waitedMs: number;
  /** The path and verb exist: a resource that has the verb, or an endpoint. */
  recognized: true | undefined;
  user: UserInfo | undefined;
  /** The user may do this; until then impersonation or authorization can refuse the request. */
  authorized: true | undefined;
  impersonator: UserInfo | undefined;
  /** The flow schema and the priority level that the request was classified into. */
  flow: FlowIdentity | undefined;
  /** On the monotonic clock; undefined for a long-running request. */
  expiresAt: number | undefined;
  /** The request timed out before it was answered. */
  expired: true | undefined;
  /** How long it waited for webhooks. */
  webhooksMs: number | undefined;
  /** Of a deprecated version: the first release without it; empty if none is planned. */
  removedRelease: string | undefined;
  /** Why it was refused. */
  failure: string | undefined;
}

/** With all fields from the beginning: each that is added later makes another shape, and the object's memory grow. */
export const newExchange = (
  begun: Pick<Exchange, 'request' | 'info' | 'auditId' | 'span' | 'admission' | 'startedAt'>,
): Exchange => ({
  request: begun.request,
  info: begun.info,
  warnings: [],
  annotations: new Map(),
  startedAt: begun.startedAt,
  auditId: begun.auditId,
  span: begun.span,
  admission: begun.admission,
  decision: undefined,
  policyGeneration: 0,
  authorizingAt: 0,
  authorizedAt: 0,
  waitedMs: 0,
  recognized: undefined,
  user: undefined,
  authorized: undefined,
  impersonator: undefined,
  flow: undefined,
  expiresAt: undefined,
  expired: undefined,
  webhooksMs: undefined,
  removedRelease: undefined,
  failure: undefined,
  leave: undefined,
  seatLimit: undefined,
});

/** What the authorizers decided together. */
export interface RecordedDecision {
  readonly decision: 'allow' | 'deny' | 'no-opinion';
  readonly reason: string;
  readonly error?: string;
}

export interface FlowIdentity {
  readonly flowSchema: string;
  readonly flowSchemaUid: string;
  readonly priorityLevel: string;
  readonly priorityLevelUid: string;
}

interface SeatHolder {
  /** Releases the request's seat of flow control; absent while it has none. */
  leave: (() => void) | undefined;
  /** Releases the seat of a request that keeps it for too long. */
  seatLimit: Timer | undefined;
}

/** May be called again. */
export function leaveSeat(holder: SeatHolder): void {
  holder.seatLimit?.cancel();
  holder.leave?.();
}
