/** Writes to the backends what the policy wants of each request, stage by stage. */
import type { Clock, Context } from '../../kernel/index.ts';
import type { Exchange } from '../request/exchange.ts';
import type { ApiRequest, ApiResponse } from '../request/request.ts';
import type { AuditBackend, AuditLog } from './audit.ts';
import { auditEvent, type EventMoment } from './event.ts';
import type { AuditDecision, AuditPolicy, AuditStage } from './policy.ts';

interface Tracked {
  readonly decision: AuditDecision;
  readonly receivedAt: number;
  requestBody?: Buffer;
}

export class PolicyAudit implements AuditLog {
  #tracked = new WeakMap<Exchange, Tracked>();

  readonly #clock: Clock;
  readonly #events: { inc(): void };
  readonly #levels;
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
      .counter({ name: 'apiserver_audit_event_total', help: 'Counter of audit events given to the backends.' })
      .child({});
    this.#levels = metrics.counter({
      name: 'apiserver_audit_level_total',
      help: 'Counter of requests by the level of their audit.',
      labels: ['level'],
    });
  }

  received(exchange: Exchange): void {
    const decision = this.#policy.decide(exchange.user, exchange.info);
    this.#levels.inc({ level: decision.level });
    if (decision.level === 'None') return;
    const tracked: Tracked = { decision, receivedAt: this.#clock.now() };
    this.#tracked.set(exchange, tracked);
    if (decision.level !== 'Metadata') keepBody(exchange.request, (body) => (tracked.requestBody = body));
    this.#write(exchange, tracked, 'RequestReceived');
  }

  finished(exchange: Exchange, response: ApiResponse): ApiResponse {
    const tracked = this.#tracked.get(exchange);
    if (!tracked) return response;
    const { stream } = response;
    if (!stream) {
      this.#write(exchange, tracked, 'ResponseComplete', response);
      return response;
    }
    this.#write(exchange, tracked, 'ResponseStarted', response);
    return {
      ...response,
      stream: async (sink) => {
        try {
          await stream(sink);
        } finally {
          this.#write(exchange, tracked, 'ResponseComplete', response);
        }
      },
    };
  }

  async close(): Promise<void> {
    await Promise.all(this.#backends.map((backend) => backend.close()));
  }

  #write(
    exchange: Exchange,
    { decision, receivedAt, requestBody }: Tracked,
    stage: AuditStage,
    response?: ApiResponse,
  ): void {
    if (decision.omitStages.has(stage)) return;
    const moment: EventMoment = {
      stage,
      decision,
      receivedAt,
      now: stage === 'RequestReceived' ? receivedAt : this.#clock.now(),
      ...(response ? { response } : {}),
      ...(requestBody ? { requestBody } : {}),
    };
    const event = auditEvent(exchange, moment);
    this.#events.inc();
    for (const backend of this.#backends) backend.write(event);
  }
}

/** The body is read by whoever serves the request; this only looks over their shoulder. */
function keepBody(request: ApiRequest, keep: (body: Buffer) => void): void {
  const read = request.readBody.bind(request);
  Object.defineProperty(request, 'readBody', {
    value: async () => {
      const body = await read();
      keep(body);
      return body;
    },
  });
}
