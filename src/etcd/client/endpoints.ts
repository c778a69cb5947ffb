import {
  type ChannelOptions,
  type ChannelCredentials,
  Client,
  credentials,
  Metadata,
  type ServiceError,
  status,
} from '@grpc/grpc-js';
import type { Clock } from '../../kernel/index.ts';
import { TlsTrust } from '../../net/tls/index.ts';
import { failure, failureOfMessage } from '../errors.ts';
import { StoreError } from '../store.ts';
import type { Message } from '../wire/message.ts';

export interface EtcdTls {
  /** CA bundle (PEM) that verifies the servers; the system's when absent. */
  ca?: Buffer;
  cert?: Buffer;
  key?: Buffer;
}

interface EndpointsOptions {
  /** `http://host:port` or `https://host:port`, or without a scheme for plain text. */
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

interface Call<Q extends object, R extends object> {
  path: string;
  request: Message<Q>;
  response: Message<R>;
}

const channelOptions: ChannelOptions = {
  'grpc.max_receive_message_length': -1,
  'grpc.max_send_message_length': -1,
  // Keepalives detect a dead peer within 8 s. etcd refuses clients that ping more often than every 5 s.
  'grpc.keepalive_time_ms': 6000,
  'grpc.keepalive_timeout_ms': 2000,
  'grpc.keepalive_permit_without_calls': 0,
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 1000,
  'grpc.enable_retries': 0,
  'grpc-node.flow_control_window': 4 * 1024 * 1024,
};

/** A member without a leader refuses the call at once, so that the client tries another member. */
export function requireLeader(): Metadata {
  const metadata = new Metadata();
  metadata.set('hasleader', 'true');
  return metadata;
}

const RETRY_PAUSE_MS = 50;

/** The members of a cluster: calls go to one of them until it fails. */
export class Endpoints {
  readonly #clients: Client[];
  #current = 0;
  #closed = false;
  readonly #options: EndpointsOptions;

  constructor(options: EndpointsOptions) {
    this.#options = options;
    if (options.endpoints.length === 0) throw new StoreError('unavailable', 'etcd needs at least one endpoint');
    this.#clients = options.endpoints.map((endpoint) => connect(endpoint, options.tls));
  }

  get size(): number {
    return this.#clients.length;
  }

  /** The current client, and its index for `failed`. */
  client(): { client: Client; index: number } {
    return { client: this.#clients[this.#current]!, index: this.#current };
  }

  failed(index: number): void {
    if (this.#current === index) this.#current = (index + 1) % this.#clients.length;
  }

  /** The clients of all members, for calls that every member needs. */
  all(): readonly Client[] {
    return this.#clients;
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
      const { client, index } = this.client();
      try {
        return await this.attempt(client, call, request, options.timeoutMs);
      } catch (error) {
        if (!isServiceError(error)) throw error;
        if (isEndpointFailure(error)) this.failed(index);
        const isRetryable = isEndpointFailure(error) && (options.idempotent || neverSent(error));
        if (!isRetryable || clock.monotonic() >= deadline) throw storeErrorOf(error);
        if (attempt % this.size === this.size - 1) await clock.sleep(RETRY_PAUSE_MS * Math.min(attempt + 1, 10));
      }
    }
  }

  attempt<Q extends object, R extends object>(
    client: Client,
    call: Call<Q, R>,
    request: Partial<Q>,
    timeoutMs = this.#options.requestTimeoutMs,
  ): Promise<R> {
    return new Promise((resolve, reject) => {
      // gRPC deadlines are wall-clock times, whatever clock the store runs on.
      const pending = client.makeUnaryRequest(
        call.path,
        (value: Partial<Q>) => call.request.encode(value),
        (bytes: Buffer) => call.response.decode(bytes),
        request,
        requireLeader(),
        {},
        (error, value) => {
          timer.cancel();
          if (error !== null) reject(error);
          else resolve(value!);
        },
      );
      const timer = this.#options.clock.after(timeoutMs, () => pending.cancel());
    });
  }

  close(): void {
    this.#closed = true;
    for (const client of this.#clients) client.close();
  }
}

function connect(endpoint: string, tls: EtcdTls | undefined): Client {
  const scheme = /^(https?):\/\//.exec(endpoint);
  const address = endpoint.slice(scheme?.[0].length ?? 0).replace(/\/$/, '');
  if (address === '' || endpoint.includes('://') !== (scheme !== null)) {
    throw new StoreError(
      'unavailable',
      `${JSON.stringify(endpoint)} is not an etcd endpoint: it must be http://host:port or https://host:port`,
    );
  }
  return new Client(address, scheme?.[1] === 'https' ? secure(tls) : credentials.createInsecure(), channelOptions);
}

function secure(tls: EtcdTls = {}): ChannelCredentials {
  const { secureContext, ...verifyOptions } = new TlsTrust({
    ca: tls.ca?.toString(),
    cert: tls.cert,
    key: tls.key,
  }).verifyingOptions();
  return credentials.createFromSecureContext(secureContext, verifyOptions);
}

export function isServiceError(error: unknown): error is ServiceError {
  return error instanceof Error && 'code' in error && typeof error.code === 'number' && 'details' in error;
}

/** The member is down, has no leader or does not answer: another member may work. */
function isEndpointFailure(error: ServiceError): boolean {
  if (error.code === status.UNAVAILABLE || error.code === status.DEADLINE_EXCEEDED) return true;
  // The call timed out, or its connection was closed.
  return (
    error.code === status.CANCELLED ||
    (error.code === status.INTERNAL && /RST_STREAM|stream|connection/i.test(error.details))
  );
}

function neverSent(error: ServiceError): boolean {
  if (error.code !== status.UNAVAILABLE) return false;
  return /^No connection established|^Name resolution failed|^etcdserver: no leader$/.test(error.details);
}

export function storeErrorOf(error: ServiceError): StoreError {
  const known = failureOfMessage(error.details);
  if (known !== undefined) return failure(known, { cause: error });
  switch (error.code) {
    case status.DEADLINE_EXCEEDED:
    case status.CANCELLED:
      return new StoreError('timeout', `etcd did not answer in time: ${error.details}`, 0, { cause: error });
    case status.UNIMPLEMENTED:
    case status.PERMISSION_DENIED:
    case status.UNAUTHENTICATED:
      return new StoreError('unsupported', error.details, 0, { cause: error });
    case status.RESOURCE_EXHAUSTED:
      if (error.details.includes('larger than max')) return failure('request-too-large', { cause: error });
      return new StoreError('unavailable', error.details, 0, { cause: error });
    default:
      return new StoreError('unavailable', `etcd: ${error.details}`, 0, { cause: error });
  }
}
