/** The parts that handle a request, in upstream's sense of a handler chain; `handle-request.ts` is their order. */
import type { Aggregator } from '../aggregator/index.ts';
import type { AuditLog } from '../audit/audit.ts';
import type { Authenticator } from '../authn/authenticator.ts';
import type { Impersonation } from '../authn/impersonation.ts';
import type { FlowControl } from '../flow-control/flow-control.ts';
import type { RequestRecords } from '../request/request-records.ts';
import type { Backend } from '../verbs/scope.ts';
import type { Endpoints } from './endpoints.ts';
import type { ApiServerMetrics } from './metrics.ts';
import type { RequestDeadlines } from './request-deadlines.ts';
import type { SecurityMetrics } from './security-metrics.ts';

export interface HandlerChain {
  readonly backend: Backend;
  readonly authenticators: readonly Authenticator[];
  readonly impersonation: Impersonation;
  readonly flowControl: FlowControl;
  readonly deadlines: RequestDeadlines;
  readonly audit: AuditLog;
  /** The newest requests; absent where nothing is recorded. */
  readonly records: RequestRecords | undefined;
  /** Increases with every change of the RBAC objects. */
  readonly policyGeneration: () => number;
  readonly metrics: ApiServerMetrics;
  readonly securityMetrics: SecurityMetrics;
  /** Discovery, health, metrics, OpenAPI. */
  readonly endpoints: Endpoints;
  /** Forwards requests for aggregated APIs. */
  readonly aggregator?: Aggregator;
}
