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
  recognized?: true;
  user?: UserInfo;
  /** The user may do this; until then impersonation or authorization can refuse the request. */
  authorized?: true;
  impersonator?: UserInfo;
  /** The flow schema and the priority level that the request was classified into. */
  flow?: FlowIdentity | undefined;
  /** On the monotonic clock; undefined for a long-running request. */
  expiresAt?: number;
  /** The request timed out before it was answered. */
  expired?: true;
  /** How long it waited for webhooks. */
  webhooksMs?: number;
  /** Of a deprecated version: the first release without it; empty if none is planned. */
  removedRelease?: string;
  /** Why it was refused. */
  failure?: string;
}

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
  leave?: () => void;
  /** Releases the seat of a request that keeps it for too long. */
  seatLimit?: Timer | undefined;
}

/** May be called again. */
export function leaveSeat(holder: SeatHolder): void {
  holder.seatLimit?.cancel();
  holder.leave?.();
}
