/** What the readers of glass.k8ts.dev get: a request, and what they look through. */
import type { Client } from '../../client/index.ts';
import type { Clock, Tracer } from '../../kernel/index.ts';
import type { Asker } from '../access/explain-access.ts';
import type { RecordedRequest, RequestInsight } from '../request/explain-request.ts';
import type { SchedulingDecision } from '../why/reader.ts';

export interface GlassRequest {
  readonly namespace: string;
  readonly resource: string;
  /** Empty for a list. */
  readonly name: string;
  readonly query: URLSearchParams;
  readonly user: Asker;
  readonly signal: AbortSignal;
}

/** What the glass looks through. */
export interface GlassSources<R extends RecordedRequest = RecordedRequest> {
  readonly tracer: Tracer;
  readonly clock: Clock;
  /** What the API server knows about requests and access. */
  readonly insight: RequestInsight<R>;
  /** A client that acts as the user who asks. */
  clientAs(user: Asker): Client;
  /** Absent where the scheduler is another process. */
  schedulingDecision?(pod: { namespace: string; name: string }): SchedulingDecision | undefined;
}
