/** Audits requests by the audit policy: sends an event to the backends at each stage that the policy selects. */
import { cloneJson, whenDone, type MaybePromise } from '../../base/index.ts';
import type { Clock, Context } from '../../kernel/index.ts';
import type { Exchange } from '../request/exchange.ts';
import type { ApiRequest, ApiResponse } from '../request/request.ts';
import type { AuditBackend, AuditLog } from './audit.ts';
import { auditEvent, type EventStage, type WrittenReference } from './event.ts';
import type { AuditDecision, AuditPolicy, AuditStage } from './policy.ts';

interface AuditContext {
  readonly decision: AuditDecision;
  readonly receivedAt: number;
  requestBody?: Buffer;
  reference?: WrittenReference;
  requestObject?: object;
}

export class PolicyAudit implements AuditLog {
  #contexts = new WeakMap<Exchange, AuditContext>();

  readonly #clock: Clock;
  readonly #events: { inc(): void };
  readonly #levels;
  readonly #rejected: { inc(): void };
  readonly #policy: AuditPolicy;
  readonly #backends: readonly AuditBackend[];

  constructor(
    { clock, metrics }: Pick<Context, 'clock' | 'metrics'>,
    policy: AuditPolicy,
    backends: readonly AuditBackend[],
  ) {
    this.#policy = policy;
    this.#backends = backends;
    this.#clock = clock;
    this.#events = metrics
      .counter({ name: 'apiserver_audit_event_total', help: 'Counter of audit events sent to the backends.' })
      .child({});
    this.#rejected = metrics
      .counter({
        name: 'apiserver_audit_requests_rejected_total',
        help: 'Counter of apiserver requests rejected due to an error in audit logging backend.',
      })
      .child({});
    this.#levels = metrics.counter({
      name: 'apiserver_audit_level_total',
      help: 'Counter of requests by audit level.',
      labels: ['level'],
    });
  }

  received(exchange: Exchange): MaybePromise<boolean> {
    const decision = this.#policy.decide(exchange.user, exchange.info);
    this.#levels.inc({ level: decision.level });
    if (decision.level === 'None') return true;
    const context: AuditContext = { decision, receivedAt: this.#clock.now() };
    this.#contexts.set(exchange, context);
    const withBody = decision.level !== 'Metadata';
    if (withBody) captureBody(exchange.request, (body) => (context.requestBody = body));
    exchange.request.noteDecoded = (body) => {
      const { namespace, name, uid, resourceVersion } = body.metadata ?? {};
      context.reference = { namespace, name, uid, resourceVersion };
      // Admission changes the object.
      if (withBody) context.requestObject = cloneJson(body) as object;
    };
    return whenDone(this.#write(exchange, context, 'RequestReceived'), (stored) => {
      if (!stored) this.#rejected.inc();
      return stored;
    });
  }

  finished(exchange: Exchange, response: ApiResponse): MaybePromise<ApiResponse> {
    const context = this.#contexts.get(exchange);
    if (!context) return response;
    const { stream } = response;
    if (!stream) return whenDone(this.#write(exchange, context, 'ResponseComplete', response), () => response);
    const audited: ApiResponse = {
      ...response,
      stream: async (sink) => {
        try {
          await stream(sink);
        } finally {
          await this.#write(exchange, context, 'ResponseComplete', response);
        }
      },
    };
    return whenDone(this.#write(exchange, context, 'ResponseStarted', response), () => audited);
  }

  async close(): Promise<void> {
    await Promise.all(this.#backends.map((backend) => backend.close()));
  }

  #write(
    exchange: Exchange,
    { decision, receivedAt, requestBody, reference, requestObject }: AuditContext,
    stage: AuditStage,
    response?: ApiResponse,
  ): MaybePromise<boolean> {
    if (decision.omitStages.has(stage)) return true;
    const eventStage: EventStage = {
      stage,
      decision,
      receivedAt,
      now: stage === 'RequestReceived' ? receivedAt : this.#clock.now(),
      ...(response ? { response } : {}),
      ...(requestBody ? { requestBody } : {}),
      ...(reference ? { reference } : {}),
      ...(requestObject ? { requestObject } : {}),
    };
    const event = auditEvent(exchange, eventStage);
    this.#events.inc();
    return this.#backends.reduce<MaybePromise<boolean>>(
      (earlier, backend) => whenDone(earlier, (stored) => whenDone(backend.write(event), (own) => own && stored)),
      true,
    );
  }
}

/** Records the body when the handler reads it. */
function captureBody(request: ApiRequest, capture: (body: Buffer) => void): void {
  const read = request.readBody.bind(request);
  Object.defineProperty(request, 'readBody', {
    value: async () => {
      const body = await read();
      capture(body);
      return body;
    },
  });
}
