import type { Clock } from '../../kernel/index.ts';
import { failure } from '../errors.ts';
import { StoreError, type Watch, type WatchBatch, type WatchRequest as StoreWatchRequest } from '../store.ts';
import { eventOfMessage } from '../wire/convert.ts';
import type { WatchRequestMessage, WatchResponseMessage } from '../wire/messages.ts';
import { GrpcCode } from '../wire/status.ts';
import { CallError } from './call-error.ts';
import { streams } from './calls.ts';
import { storeErrorOf, type Endpoints } from './endpoints.ts';
import { MessageStream } from './message-stream.ts';

type WatchStream = MessageStream<WatchRequestMessage, WatchResponseMessage>;

const RECONNECT_PAUSE_MS = 100;
const MAX_PAUSE_MS = 2000;

/**
 * One watch, with its own stream. When the stream breaks, for any reason but compaction, the watch resumes at another
 * member after the last delivered revision: no event is lost or repeated.
 */
export class EtcdWatch implements Watch {
  #stream: WatchStream | undefined;
  #created = false;
  #progressRequested = false;
  #cancelled = false;
  readonly #stop = new AbortController();
  /** The first revision that is not delivered yet; 0 until the server has reported its current revision. */
  #next: number;
  readonly #batches: AsyncGenerator<WatchBatch>;
  readonly #request: StoreWatchRequest;
  readonly #endpoints: Endpoints;
  readonly #clock: Clock;
  readonly #onEnd: (watch: EtcdWatch) => void;

  constructor(request: StoreWatchRequest, endpoints: Endpoints, clock: Clock, onEnd: (watch: EtcdWatch) => void) {
    this.#request = request;
    this.#endpoints = endpoints;
    this.#clock = clock;
    this.#onEnd = onEnd;
    this.#next = request.startRevision && request.startRevision > 0 ? request.startRevision : 0;
    this.#connect();
    this.#batches = this.#run();
  }

  [Symbol.asyncIterator](): AsyncIterator<WatchBatch> {
    return this.#batches;
  }

  requestProgress(): void {
    this.#progressRequested = true;
    this.#requestProgress();
  }

  cancel(): void {
    if (this.#cancelled) return;
    this.#cancelled = true;
    this.#stop.abort();
    this.#stream?.cancel();
    this.#onEnd(this);
  }

  async *#run(): AsyncGenerator<WatchBatch> {
    let failures = 0;
    try {
      while (!this.#cancelled) {
        try {
          for await (const response of this.#connect()) {
            const batch = this.#receive(response);
            if (batch === 'again') break;
            failures = 0;
            if (batch !== undefined) yield batch;
          }
        } catch (error) {
          if (!(error instanceof CallError)) throw error;
          if (!this.#cancelled && !isRetryable(error)) throw storeErrorOf(error);
        }
        if (this.#cancelled) return;
        this.#disconnect();
        if (failures++ > 0) await this.#pause(failures);
      }
    } finally {
      this.cancel();
    }
  }

  /** The running stream, or a new one from the first revision that is not delivered yet. */
  #connect(): WatchStream {
    if (this.#stream !== undefined) return this.#stream;
    const channel = this.#endpoints.current;
    const stream: WatchStream = new MessageStream(channel, streams.watch, () => this.#endpoints.failed(channel));
    const { key, rangeEnd = '', prevKv = false, progressNotify = false, filters = [] } = this.#request;
    stream.write({
      create: {
        key,
        rangeEnd,
        startRevision: this.#next,
        prevKv,
        progressNotify,
        filters: filters.map((filter) => (filter === 'noput' ? 0 : 1)),
        watchId: 0,
        fragment: false,
      },
    });
    this.#stream = stream;
    return stream;
  }

  #disconnect(): void {
    this.#stream?.cancel();
    this.#stream = undefined;
    this.#created = false;
  }

  #receive(response: WatchResponseMessage): WatchBatch | 'again' | undefined {
    const revision = response.header?.revision ?? 0;
    if (response.compactRevision > 0) throw failure('compacted', { compactRevision: response.compactRevision });
    if (response.canceled) {
      const reason = response.cancelReason;
      if (reason === '' || reason.startsWith('etcdserver: ')) return 'again';
      throw new StoreError('unavailable', `etcd ended the watch: ${reason}`);
    }
    if (response.created) {
      this.#created = true;
      if (this.#next === 0) this.#next = revision + 1;
      this.#requestProgress();
      return undefined;
    }
    if (response.events.length === 0) {
      this.#progressRequested = false;
      this.#next = Math.max(this.#next, revision + 1);
      return { revision, events: [] };
    }
    const events = response.events.map(eventOfMessage);
    // The header may be ahead of events that are still to come; the last event is not.
    const last = events.at(-1)!.kv.modRevision;
    this.#next = last + 1;
    return { revision: last, events };
  }

  #requestProgress(): void {
    if (this.#progressRequested && this.#created) this.#stream?.write({ progress: {} });
  }

  async #pause(failures: number): Promise<void> {
    const ms = Math.min(RECONNECT_PAUSE_MS * failures, MAX_PAUSE_MS);
    await this.#clock.sleep(ms, this.#stop.signal).catch(() => {});
  }
}

/** Errors that every member would return, also on a retry. */
const PERMANENT_CODES: readonly number[] = [
  GrpcCode.INVALID_ARGUMENT,
  GrpcCode.PERMISSION_DENIED,
  GrpcCode.UNAUTHENTICATED,
  GrpcCode.UNIMPLEMENTED,
];

function isRetryable(error: CallError): boolean {
  return !PERMANENT_CODES.includes(error.code);
}
