/**
 * The requests that a server waits for before it ends: all but long-running ones. With --shutdown-send-retry-after it refuses
 * others meanwhile instead of not listening, so that clients go to another server without an error of the network.
 */
import type { Clock } from '../../kernel/index.ts';
import { isLongRunning, parseRequestInfo } from '../request/request-info.ts';
import { headerOf, type ApiRequest, type ApiResponse } from '../request/request.ts';
import { respondText } from '../request/responses.ts';
import type { Handler } from './transport.ts';

/** They are answered until the server ends: somebody wants to know how far it is. */
const EXEMPT = ['/readyz', '/livez', '/healthz', '/metrics'];

const RETRY_AFTER_SECONDS = '5';
const MESSAGE = 'The apiserver is shutting down, please try again later.\n';

export class InFlightRequests {
  readonly #clock: Clock;
  #running = 0;
  #refuses = false;
  #drained = (): void => {};

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  around(handler: Handler): Handler {
    return async (request) => {
      if (isExempt(request)) return handler(request);
      if (this.#refuses) return refuse(request);
      if (isLongRunning(parseRequestInfo(request.method, request.path, request.query))) return handler(request);
      this.#running++;
      try {
        const response = await handler(request);
        return this.#untilSent(response);
      } catch (error) {
        this.#ended();
        throw error;
      }
    };
  }

  /** From now on requests are refused. */
  refuse(): void {
    this.#refuses = true;
  }

  /** Resolves when no request is running, or after the time. */
  async drained(limitMs: number): Promise<void> {
    if (this.#running === 0) return;
    const drained = new AbortController();
    this.#drained = () => drained.abort();
    await this.#clock.sleep(limitMs, drained.signal).catch(() => {});
  }

  #untilSent(response: ApiResponse): ApiResponse {
    const { done } = response;
    if (!response.large && !response.stream) {
      this.#ended();
      return response;
    }
    response.done = () => {
      this.#ended();
      done?.();
    };
    return response;
  }

  #ended(): void {
    this.#running--;
    if (this.#running === 0) this.#drained();
  }
}

/** The server's own requests to itself end with it. */
const isExempt = (request: ApiRequest): boolean =>
  EXEMPT.some((prefix) => request.path.startsWith(prefix)) ||
  headerOf(request, 'user-agent')?.startsWith('kube-apiserver/') === true;

function refuse(request: ApiRequest): ApiResponse {
  const { leaveConnection } = request;
  leaveConnection?.call(request);
  const close: Record<string, string> = leaveConnection ? {} : { connection: 'close' };
  return respondText(429, MESSAGE, { 'retry-after': RETRY_AFTER_SECONDS, ...close });
}
