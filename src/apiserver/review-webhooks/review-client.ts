/** Posts objects to the webhook of a kubeconfig. Retries connection errors, 429 and 5xx. */
import { isRecord } from '../../base/index.ts';
import { HttpTransport, loadKubeconfig, TransportError, type Transport } from '../../client/index.ts';
import { Backoff, type Context } from '../../kernel/index.ts';

interface ReviewClientOptions {
  readonly timeoutMs?: number;
  readonly attempts?: number;
  /** The wait before the second attempt; 500 ms by default. */
  readonly retryBackoffMs?: number;
  /** Retries all failures, not only connection errors, 429 and 5xx. */
  readonly retries?: 'all';
}

const DEFAULT_TIMEOUT_MS = 30_000;
const DEFAULT_ATTEMPTS = 5;
const MAX_BACKOFF_MS = 5000;

export class ReviewClient {
  readonly #ctx: Context;
  readonly #transport: Transport;
  readonly #options: ReviewClientOptions;

  constructor(ctx: Context, transport: Transport, options: ReviewClientOptions = {}) {
    this.#ctx = ctx;
    this.#transport = transport;
    this.#options = options;
  }

  static async fromKubeconfig(ctx: Context, file: string, options: ReviewClientOptions = {}): Promise<ReviewClient> {
    const config = await loadKubeconfig({ clock: ctx.clock, file });
    return new ReviewClient(ctx, new HttpTransport({ config, clock: ctx.clock }), options);
  }

  async post(body: unknown): Promise<Record<string, unknown>> {
    const backoff = new Backoff({
      baseMs: this.#options.retryBackoffMs ?? 500,
      factor: 1.5,
      capMs: Math.max(MAX_BACKOFF_MS, this.#options.retryBackoffMs ?? 0),
      jitter: 0.2,
      random: this.#ctx.random,
    });
    const attempts = this.#options.attempts ?? DEFAULT_ATTEMPTS;
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#postOnce(body);
      } catch (error) {
        if (attempt >= attempts || !(this.#options.retries === 'all' || shouldRetry(error)) || this.#ctx.signal.aborted)
          throw error;
      }
      await this.#ctx.clock.sleep(backoff.next(), this.#ctx.signal);
    }
  }

  close = (): Promise<void> => this.#transport.close();

  async #postOnce(body: unknown): Promise<Record<string, unknown>> {
    const signal = this.#ctx.clock.deadline(this.#options.timeoutMs ?? DEFAULT_TIMEOUT_MS, this.#ctx.signal);
    const response = await this.#transport.request({
      method: 'POST',
      path: '',
      body,
      headers: { 'content-type': 'application/json' },
      signal,
    });
    if (response.status < 200 || response.status > 299) throw new WebhookFailure(response.status);
    if (!isRecord(response.body))
      throw new WebhookFailure(response.status, 'the response of the webhook is not an object');
    return response.body;
  }
}

class WebhookFailure extends Error {
  readonly code = 'webhook-failure';

  constructor(
    readonly status: number,
    message = `the webhook returned status ${status}`,
  ) {
    super(message);
  }
}

function shouldRetry(error: unknown): boolean {
  if (error instanceof WebhookFailure) return error.status === 429 || error.status >= 500;
  return error instanceof TransportError && error.code !== 'malformed';
}
