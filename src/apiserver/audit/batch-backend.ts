/** Buffers events and stores them in batches, without requests waiting. If the buffer is full, events are dropped and counted. */
import { TokenBucket, type Context } from '../../kernel/index.ts';
import { AuditErrors } from './audit-errors.ts';
import type { AuditBackend, AuditSink } from './audit.ts';
import type { AuditEvent } from './event.ts';

export interface BatchOptions {
  readonly bufferSize: number;
  readonly maxSize: number;
  readonly maxWaitMs: number;
  /** The rate limit of batches; without it they are not limited. */
  readonly throttle?: { readonly qps: number; readonly burst: number } | undefined;
}

export const WEBHOOK_BATCHES: BatchOptions = {
  bufferSize: 10_000,
  maxSize: 400,
  maxWaitMs: 30_000,
  throttle: { qps: 10, burst: 15 },
};

/** A log file needs no batches. */
export const LOG_BATCHES: BatchOptions = { bufferSize: 10_000, maxSize: 1, maxWaitMs: 0 };

export class BatchBackend implements AuditBackend {
  #buffer: AuditEvent[] = [];
  #timer: { cancel(): void } | undefined;
  #storing: Promise<void> = Promise.resolve();
  #queued = 0;
  readonly #ctx: Context;
  readonly #sink: AuditSink;
  readonly #options: BatchOptions;
  readonly #limiter: TokenBucket | undefined;
  readonly #errors: AuditErrors;

  constructor(ctx: Context, sink: AuditSink, options: BatchOptions) {
    this.#ctx = ctx;
    this.#sink = sink;
    this.#options = options;
    this.#limiter = options.throttle && new TokenBucket(ctx.clock, options.throttle);
    this.#errors = new AuditErrors(ctx, sink.name);
  }

  write(event: AuditEvent): true {
    const { bufferSize, maxSize, maxWaitMs } = this.#options;
    if (this.#queued + this.#buffer.length >= bufferSize) {
      this.#errors.count(1);
      return true;
    }
    this.#buffer.push(event);
    if (this.#buffer.length >= maxSize) this.#send();
    else this.#timer ??= this.#ctx.clock.after(maxWaitMs, () => this.#send());
    return true;
  }

  async close(): Promise<void> {
    this.#send();
    await this.#storing;
    await this.#sink.close();
  }

  #send(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    const events = this.#buffer;
    if (events.length === 0) return;
    this.#buffer = [];
    this.#queued += events.length;
    this.#storing = this.#storing.then(() => this.#store(events));
  }

  async #store(events: readonly AuditEvent[]): Promise<void> {
    try {
      const wait = this.#limiter?.reserve() ?? 0;
      if (wait > 0) await this.#ctx.clock.sleep(wait, this.#ctx.signal);
      await this.#sink.store(events);
    } catch (error) {
      this.#errors.failed(error, events.length);
    } finally {
      this.#queued -= events.length;
    }
  }
}
