/**
 * What the server holds for clients that read slowly: the bytes of answers that have been written and that no socket has taken
 * yet. Answers have back pressure, so each of them holds little; a budget bounds what all of them together hold, of one
 * connection and of the whole server. Over a budget, the answers that have waited longest are broken off: their clients can
 * ask again.
 */
import type { Clock, Timer } from '../../kernel/index.ts';
import type { Sending } from '../request/request.ts';

export interface SendLimits {
  /** Of one connection: 64 unread LISTs, or 500 watches that are all behind. */
  readonly connectionBytes: number;
  /** Of all connections. What the sockets themselves hold (TLS records, frames) comes on top: up to as much again. */
  readonly serverBytes: number;
  /** How long an answer may wait for its client whatever the budgets say, if nothing shorter holds for it. */
  readonly answerMs: number;
}

export const SEND_LIMITS: SendLimits = {
  connectionBytes: 32 * 1024 * 1024,
  serverBytes: 128 * 1024 * 1024,
  answerMs: 60_000,
};

/** A LIST or watch is not begun where a budget is that full: some room is left for the answers that are under way. */
const FULL = 0.75;
/** An answer that has waited for less is not slow: an event to thousands of watchers waits for all of them for a moment. */
const SLOW_MS = 2000;
/** Over so many times the budget, answers that have waited for less are broken off, too. */
const FAR_OVER = 2;
/** While nobody is slow enough, nobody is looked at again for so long. */
const LOOK_AGAIN_MS = 250;

export interface AnswerToSend {
  /** Stands for the connection. */
  readonly connection: object;
  /** On the monotonic clock; undefined for an answer that goes on until somebody ends it: a watch. */
  readonly expiresAt: number | undefined;
  /** Breaks the answer off and lets go of what waits for its client; called once at most. */
  readonly end: () => void;
}

interface ConnectionSends {
  bytes: number;
}

export class SendBudget {
  readonly #sendings = new Set<CountedSending>();
  readonly #connections = new WeakMap<object, ConnectionSends>();
  readonly #server: ConnectionSends = { bytes: 0 };
  #lookAgainAt = -Infinity;

  constructor(
    private readonly clock: Clock,
    readonly limits: SendLimits = SEND_LIMITS,
  ) {}

  /** Bytes that wait for their clients. */
  get waitingBytes(): number {
    return this.#server.bytes;
  }

  /** Whether no more long answers should be begun on this connection for now. Slow answers are ended first. */
  isFull(connection: object): boolean {
    const sends = this.#sendsOf(connection);
    const { connectionBytes, serverBytes } = this.limits;
    const isFull = (): boolean => sends.bytes > connectionBytes * FULL || this.#server.bytes > serverBytes * FULL;
    if (!isFull()) return false;
    this.#endSlow(sends, connectionBytes * FULL);
    this.#endSlow(undefined, serverBytes * FULL);
    return isFull();
  }

  begin({ connection, expiresAt, end }: AnswerToSend): Sending {
    const sends = this.#sendsOf(connection);
    const sending: CountedSending = new CountedSending(this.clock, {
      connection: sends,
      end,
      count: (bytes) => this.#count(sends, bytes),
      finished: () => void this.#sendings.delete(sending),
    });
    this.#sendings.add(sending);
    if (expiresAt !== undefined) sending.endAt(expiresAt);
    return sending;
  }

  /** When the time is over of an answer that is given now and waits for its client. */
  expiry(): number {
    return this.clock.monotonic() + this.limits.answerMs;
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
    const isFarOver = sends.bytes > connectionBytes * FAR_OVER || this.#server.bytes > serverBytes * FAR_OVER;
    const now = this.clock.monotonic();
    if (!isFarOver && now < this.#lookAgainAt) return;
    this.#lookAgainAt = now + LOOK_AGAIN_MS;
    this.#endSlow(sends, connectionBytes);
    this.#endSlow(undefined, serverBytes);
  }

  /** Ends answers of one connection, or of all, until no more than `most` bytes wait there. */
  #endSlow(of: ConnectionSends | undefined, most: number): void {
    const total = of ?? this.#server;
    if (total.bytes <= most) return;
    const candidates = [...this.#sendings].filter(
      ({ connection, waiting }) => waiting > 0 && (!of || connection === of),
    );
    const slowBefore = this.clock.monotonic() - SLOW_MS;
    for (const sending of candidates.sort((a, b) => a.waitingSince - b.waitingSince)) {
      const isLimit = total.bytes > most && (sending.waitingSince <= slowBefore || total.bytes > most * FAR_OVER);
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
  waiting = 0;
  /** Since when the oldest of the bytes have waited that wait now, or somewhat before that. */
  waitingSince = 0;
  readonly connection: ConnectionSends;
  /** Of the bytes that waited then, so many still do. */
  #old = 0;
  #isFinished = false;
  #timer: Timer | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly options: SendingOptions,
  ) {
    this.connection = options.connection;
  }

  endAt(expiresAt: number): void {
    this.#timer = this.clock.after(Math.max(0, expiresAt - this.clock.monotonic()), () => this.end());
  }

  wrote(bytes: number): void {
    if (this.#isFinished) return;
    this.waiting += bytes;
    if (this.#old === 0) this.#lookAtAll();
    this.options.count(bytes);
  }

  took(bytes: number): void {
    if (this.#isFinished) return;
    this.waiting -= bytes;
    this.#old -= bytes;
    if (this.#old <= 0) this.#lookAtAll();
    this.options.count(-bytes);
  }

  #lookAtAll(): void {
    this.#old = this.waiting;
    if (this.waiting > 0) this.waitingSince = this.clock.monotonic();
  }

  end(): void {
    if (this.#isFinished) return;
    this.finished();
    this.options.end();
  }

  finished(): void {
    if (this.#isFinished) return;
    this.#isFinished = true;
    this.#timer?.cancel();
    if (this.waiting > 0) this.options.count(-this.waiting);
    this.options.finished();
  }
}
