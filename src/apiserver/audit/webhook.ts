/** The webhook backend of auditing: sends events in batches. If the buffer is full, events are dropped and counted. */
import { TokenBucket, type Context, type Counter } from '../../kernel/index.ts';
import type { ReviewClient } from '../review-webhooks/index.ts';
import type { AuditBackend } from './audit.ts';
import type { AuditEvent } from './event.ts';

export interface AuditWebhookOptions {
  readonly client: Pick<ReviewClient, 'post'>;
  readonly bufferSize?: number;
  readonly batchMaxSize?: number;
  readonly batchMaxWaitMs?: number;
  /** The rate limit of batches. */
  readonly throttleQps?: number;
  readonly throttleBurst?: number;
}

export class AuditWebhook implements AuditBackend {
  #buffer: AuditEvent[] = [];
  #timer: { cancel(): void } | undefined;
  #sending: Promise<void> = Promise.resolve();
  #queued = 0;
  #limiter: TokenBucket;
  #dropped: Counter<'plugin'>;
  readonly #ctx: Context;
  readonly #options: AuditWebhookOptions;

  constructor(ctx: Context, options: AuditWebhookOptions) {
    this.#ctx = ctx;
    this.#options = options;
    const { throttleQps = 10, throttleBurst = 15 } = options;
    this.#limiter = new TokenBucket(ctx.clock, { qps: throttleQps, burst: throttleBurst });
    this.#dropped = ctx.metrics.counter({
      name: 'apiserver_audit_error_total',
      help: 'Counter of audit events that failed to be audited properly. Plugin identifies the plugin affected by the error.',
      labels: ['plugin'],
    });
  }

  write(event: AuditEvent): void {
    const { bufferSize = 10_000, batchMaxSize = 400, batchMaxWaitMs = 30_000 } = this.#options;
    if (this.#queued + this.#buffer.length >= bufferSize) return this.#dropped.inc({ plugin: 'webhook' });
    this.#buffer.push(event);
    if (this.#buffer.length >= batchMaxSize) this.#send();
    else this.#timer ??= this.#ctx.clock.after(batchMaxWaitMs, () => this.#send());
  }

  async close(): Promise<void> {
    this.#send();
    await this.#sending;
  }

  #send(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    const items = this.#buffer;
    if (items.length === 0) return;
    this.#buffer = [];
    this.#queued += items.length;
    this.#sending = this.#sending.then(() => this.#post(items));
  }

  async #post(items: readonly AuditEvent[]): Promise<void> {
    try {
      const wait = this.#limiter.reserve();
      if (wait > 0) await this.#ctx.clock.sleep(wait, this.#ctx.signal);
      await this.#options.client.post({ kind: 'EventList', apiVersion: 'audit.k8s.io/v1', metadata: {}, items });
    } catch (error) {
      this.#dropped.inc({ plugin: 'webhook' }, items.length);
      this.#ctx.logger.error(error, 'Failed to send audit events', { events: items.length });
    } finally {
      this.#queued -= items.length;
    }
  }
}
