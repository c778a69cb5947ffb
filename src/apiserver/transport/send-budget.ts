/**
 * Bounds the memory held for slow clients: bytes of responses that have been written and that no socket has accepted
 * yet. Responses have back pressure, so each holds little; a budget limits what they hold together, for each connection
 * and for the whole server. Over a budget, the responses that have waited longest are aborted: their clients can retry.
 */
import type { Clock, Timer } from '../../kernel/index.ts';
import type { Sending } from '../request/request.ts';

export interface SendLimits {
  /** For one connection: 64 unread LISTs, or 500 watches that are all behind. */
  readonly connectionBytes: number;
  /** For all connections. The sockets themselves (TLS records, frames) may hold as much again. */
  readonly serverBytes: number;
  /** How long a response may wait for its client, if it has no shorter deadline. */
  readonly responseMs: number;
}

export const SEND_LIMITS: SendLimits = {
  connectionBytes: 32 * 1024 * 1024,
  serverBytes: 128 * 1024 * 1024,
  responseMs: 60_000,
};

/** No LIST or watch starts while a budget is this full, to leave room for the responses in progress. */
const FULL = 0.75;
/** A response that has waited for less is not slow: an event to thousands of watchers waits briefly for all of them. */
const SLOW_MS = 2000;
/** When this many times over budget, responses that have waited for less are aborted, too. */
const FAR_OVER_BUDGET = 2;
/** How long to wait before looking for slow responses again, when there were none. */
const RECHECK_MS = 250;

interface ResponseToSend {
  /** Identifies the connection. */
  readonly connection: object;
  /** On the monotonic clock; undefined for a response without a deadline, such as a watch. */
  readonly expiresAt: number | undefined;
  /** Aborts the response and drops its bytes; called once at most. */
  readonly end: () => void;
}

interface ConnectionSends {
  bytes: number;
}

export class SendBudget {
  readonly #clock: Clock;
  readonly #sendings = new Set<CountedSending>();
  readonly #connections = new WeakMap<object, ConnectionSends>();
  readonly #server: ConnectionSends = { bytes: 0 };
  #recheckAt = -Infinity;

  constructor(
    clock: Clock,
    readonly limits: SendLimits = SEND_LIMITS,
  ) {
    this.#clock = clock;
  }

  get waitingBytes(): number {
    return this.#server.bytes;
  }

  /** Whether no long response should start on this connection. Aborts slow responses first. */
  isFull(connection: object): boolean {
    const sends = this.#sendsOf(connection);
    const { connectionBytes, serverBytes } = this.limits;
    const isFull = (): boolean => sends.bytes > connectionBytes * FULL || this.#server.bytes > serverBytes * FULL;
    if (!isFull()) return false;
    this.#endSlow(sends, connectionBytes * FULL);
    this.#endSlow(undefined, serverBytes * FULL);
    return isFull();
  }

  begin({ connection, expiresAt, end }: ResponseToSend): Sending {
    const sends = this.#sendsOf(connection);
    const sending: CountedSending = new CountedSending(this.#clock, {
      connection: sends,
      end,
      count: (bytes) => this.#count(sends, bytes),
      finished: () => void this.#sendings.delete(sending),
    });
    this.#sendings.add(sending);
    if (expiresAt !== undefined) sending.endAt(expiresAt);
    return sending;
  }

  /** The deadline of a response that is sent now. */
  expiry(): number {
    return this.#clock.monotonic() + this.limits.responseMs;
  }

  #sendsOf(connection: object): ConnectionSends {
    let sends = this.#connections.get(connection);
    if (!sends) this.#connections.set(connection, (sends = { bytes: 0 }));
    return sends;
  }

  #count(sends: ConnectionSends, bytes: number): void {
    sends.bytes += bytes;
    this.#server.bytes += bytes;
    if (bytes < 0) return;
    const { connectionBytes, serverBytes } = this.limits;
    if (sends.bytes <= connectionBytes && this.#server.bytes <= serverBytes) return;
    const isFarOver =
      sends.bytes > connectionBytes * FAR_OVER_BUDGET || this.#server.bytes > serverBytes * FAR_OVER_BUDGET;
    const now = this.#clock.monotonic();
    if (!isFarOver && now < this.#recheckAt) return;
    this.#recheckAt = now + RECHECK_MS;
    this.#endSlow(sends, connectionBytes);
    this.#endSlow(undefined, serverBytes);
  }

  /** Aborts responses of one connection, or of all, until at most `max` bytes wait there. */
  #endSlow(of: ConnectionSends | undefined, max: number): void {
    const total = of ?? this.#server;
    if (total.bytes <= max) return;
    const candidates = [...this.#sendings].filter(
      ({ connection, waiting }) => waiting > 0 && (!of || connection === of),
    );
    const slowBefore = this.#clock.monotonic() - SLOW_MS;
    for (const sending of candidates.sort((a, b) => a.waitingSince - b.waitingSince)) {
      const isLimit = total.bytes > max && (sending.waitingSince <= slowBefore || total.bytes > max * FAR_OVER_BUDGET);
      if (!isLimit) return;
      sending.end();
    }
  }
}

interface SendingOptions {
  readonly connection: ConnectionSends;
  readonly end: () => void;
  readonly count: (bytes: number) => void;
  readonly finished: () => void;
}

class CountedSending implements Sending {
  readonly #clock: Clock;
  readonly #options: SendingOptions;
  waiting = 0;
  /** Since when the oldest waiting bytes have waited, or somewhat earlier. */
  waitingSince = 0;
  readonly connection: ConnectionSends;
  /** How many of the bytes that waited then still do. */
  #old = 0;
  #isFinished = false;
  #timer: Timer | undefined;

  constructor(clock: Clock, options: SendingOptions) {
    this.#clock = clock;
    this.#options = options;
    this.connection = options.connection;
  }

  endAt(expiresAt: number): void {
    this.#timer = this.#clock.after(Math.max(0, expiresAt - this.#clock.monotonic()), () => this.end());
  }

  wrote(bytes: number): void {
    if (this.#isFinished) return;
    this.waiting += bytes;
    if (this.#old === 0) this.#lookAtAll();
    this.#options.count(bytes);
  }

  took(bytes: number): void {
    if (this.#isFinished) return;
    this.waiting -= bytes;
    this.#old -= bytes;
    if (this.#old <= 0) this.#lookAtAll();
    this.#options.count(-bytes);
  }

  #lookAtAll(): void {
    this.#old = this.waiting;
    if (this.waiting > 0) this.waitingSince = this.#clock.monotonic();
  }

  end(): void {
    if (this.#isFinished) return;
    this.finished();
    this.#options.end();
  }

  finished(): void {
    if (this.#isFinished) return;
    this.#isFinished = true;
    this.#timer?.cancel();
    if (this.waiting > 0) this.#options.count(-this.waiting);
    this.#options.finished();
  }
}
