import type { Clock } from '../../kernel/index.ts';
import { failure, failureOfMessage } from '../errors.ts';
import { StoreError } from '../store.ts';
import { GrpcCode } from '../wire/status.ts';
import { CallError } from './call-error.ts';
import { Channel, type EtcdTls } from './channel.ts';
import { callUnary, type Call } from './unary.ts';

interface EndpointsOptions {
  endpoints: readonly string[];
  tls?: EtcdTls;
  clock: Clock;
  /** How long one attempt may take. */
  requestTimeoutMs: number;
  /** How long an idempotent operation is retried on one endpoint after the other. */
  retryForMs: number;
}

interface CallOptions {
  idempotent: boolean;
  /** Overrides `requestTimeoutMs` for this call. */
  timeoutMs?: number;
}

const RETRY_PAUSE_MS = 50;

/** The members of a cluster: calls go to one of them until it fails. */
export class Endpoints {
  /** By endpoint, in the order in which they are tried. */
  #channels = new Map<string, Channel>();
  #current: Channel;
  #closed = false;
  readonly #options: EndpointsOptions;

  constructor(options: EndpointsOptions) {
    this.#options = options;
    if (options.endpoints.length === 0) throw new StoreError('unavailable', 'etcd needs at least one endpoint');
    this.#channels = this.#channelsOf(options.endpoints);
    this.#current = this.all()[0]!;
  }

  get size(): number {
    return this.#channels.size;
  }

  /** The member that calls go to. */
  get current(): Channel {
    return this.#current;
  }

  /** The next call goes to another member. */
  failed(channel: Channel): void {
    if (this.#current !== channel) return;
    const all = this.all();
    this.#current = all[(all.indexOf(channel) + 1) % all.length]!;
  }

  /** All members, for calls that every member needs. */
  all(): readonly Channel[] {
    return [...this.#channels.values()];
  }

  /** Members were added or removed; connections to those that stay are kept. */
  update(endpoints: readonly string[]): void {
    if (this.#closed || endpoints.length === 0) return;
    const before = this.#channels;
    this.#channels = this.#channelsOf(endpoints);
    if (!this.all().includes(this.#current)) this.#current = this.all()[0]!;
    for (const [endpoint, channel] of before) if (!this.#channels.has(endpoint)) channel.close();
  }

  #channelsOf(endpoints: readonly string[]): Map<string, Channel> {
    const { tls, clock } = this.#options;
    const channelOf = (endpoint: string): Channel =>
      this.#channels.get(endpoint) ?? new Channel({ endpoint, tls, clock });
    return new Map(endpoints.map((endpoint) => [endpoint, channelOf(endpoint)]));
  }

  /**
   * Calls one endpoint after the other until one answers. Retries only when the request is idempotent or certainly did
   * not reach a member.
   */
  async unary<Q extends object, R extends object>(
    call: Call<Q, R>,
    request: Partial<Q>,
    options: CallOptions,
  ): Promise<R> {
    const { clock, retryForMs } = this.#options;
    const deadline = clock.monotonic() + retryForMs;
    for (let attempt = 0; ; attempt++) {
      if (this.#closed) throw failure('closed');
      const channel = this.#current;
      try {
        return await this.attempt(channel, call, request, options.timeoutMs);
      } catch (error) {
        if (!(error instanceof CallError)) throw error;
        if (isEndpointFailure(error)) this.failed(channel);
        const isRetryable = isEndpointFailure(error) && (options.idempotent || error.neverSent);
        if (!isRetryable || clock.monotonic() >= deadline) throw storeErrorOf(error);
        if (attempt % this.size === this.size - 1) await clock.sleep(RETRY_PAUSE_MS * Math.min(attempt + 1, 10));
      }
    }
  }

  attempt<Q extends object, R extends object>(
    channel: Channel,
    call: Call<Q, R>,
    request: Partial<Q>,
    timeoutMs = this.#options.requestTimeoutMs,
  ): Promise<R> {
    return callUnary({ channel, clock: this.#options.clock, timeoutMs }, call, request);
  }

  close(): void {
    this.#closed = true;
    for (const channel of this.all()) channel.close();
  }
}

/** The member is down, has no leader or does not answer: another member may work. */
const isEndpointFailure = ({ code }: CallError): boolean =>
  code === GrpcCode.UNAVAILABLE || code === GrpcCode.DEADLINE_EXCEEDED;

export function storeErrorOf(error: CallError): StoreError {
  const known = failureOfMessage(error.message);
  if (known !== undefined) return failure(known, { cause: error });
  switch (error.code) {
    case GrpcCode.DEADLINE_EXCEEDED:
    case GrpcCode.CANCELLED:
      return new StoreError('timeout', `etcd did not answer in time: ${error.message}`, 0, { cause: error });
    case GrpcCode.UNIMPLEMENTED:
    case GrpcCode.PERMISSION_DENIED:
    case GrpcCode.UNAUTHENTICATED:
      return new StoreError('unsupported', error.message, 0, { cause: error });
    case GrpcCode.RESOURCE_EXHAUSTED:
      if (error.message.includes('larger than max')) return failure('request-too-large', { cause: error });
      return new StoreError('unavailable', error.message, 0, { cause: error });
    default:
      return new StoreError('unavailable', `etcd: ${error.message}`, 0, { cause: error });
  }
}
