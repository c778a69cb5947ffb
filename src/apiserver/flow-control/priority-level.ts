/** One priority level: its seats, the requests that hold them, and the requests that wait. */
import type { PriorityLevelConfiguration } from '../../api/generated/flowcontrol-v1.ts';
import type { Clock } from '../../kernel/index.ts';
import type { FlowIdentity } from '../request/exchange.ts';
import { TooBusy, type Admitted } from './flow-control.ts';
import { QueueSet, type Waiting } from './queue-set.ts';

/** How long a request may wait in a queue. */
const WAIT_LIMIT_MS = 15_000;
const RETRY_AFTER_SECONDS = 1;

/** The metrics of one flow schema at one level. */
export interface FlowInstruments {
  dispatched(waitedMs: number, width: number): void;
  /** The request has ended, after it ran for so long. */
  executed(tookMs: number): void;
  /** So many requests are in the queue that the request was added to. */
  queued(length: number): void;
}

export interface LevelEvents {
  rejected(level: PriorityLevel, schema: string, reason: TooBusy['reason']): void;
  /** A request has to wait or is rejected: a good time to lend seats anew. */
  contended(): void;
}

/** The requests of one flow schema at one level. */
export class FlowCounts {
  executing = 0;
  executingSeats = 0;
  waiting = 0;
  waitingSeats = 0;
}

interface Entering {
  readonly schema: string;
  readonly counts: FlowCounts;
  readonly instruments: FlowInstruments;
  /** Distinguishes the flows of the schema. */
  readonly distinguisher: string;
  readonly identity: FlowIdentity;
  readonly width: number;
  /** The signal is created on demand, for the few requests that wait. */
  readonly request: { readonly signal: AbortSignal };
}

export class PriorityLevel {
  readonly #clock: Clock;
  readonly #events: LevelEvents;
  readonly name: string;
  readonly uid: string;
  readonly exempt: boolean;
  readonly shares: number;
  readonly lendablePercent: number;
  /** undefined: it may borrow any number. */
  readonly borrowingLimitPercent: number | undefined;
  /** `nominalSeats` follow from its shares; `seats` includes those that it borrows or lends. */
  nominalSeats = 1;
  seats = 1;
  executing = 0;
  /** The highest demand for seats since the last lending. */
  highDemand = 0;
  #queues: QueueSet | undefined;

  constructor(clock: Clock, events: LevelEvents, { metadata, spec }: PriorityLevelConfiguration) {
    this.#clock = clock;
    this.#events = events;
    this.name = metadata?.name ?? '';
    this.uid = metadata?.uid ?? '';
    this.exempt = spec?.type === 'Exempt';
    const settings = this.exempt ? spec?.exempt : spec?.limited;
    this.shares = settings?.nominalConcurrencyShares ?? (this.exempt ? 0 : 30);
    this.lendablePercent = settings?.lendablePercent ?? 0;
    this.borrowingLimitPercent = this.exempt ? undefined : spec?.limited?.borrowingLimitPercent;
    const response = spec?.limited?.limitResponse;
    if (!this.exempt && response?.type === 'Queue') {
      const { queues = 64, handSize = 8, queueLengthLimit = 50 } = response.queuing ?? {};
      this.#queues = new QueueSet({ queues, handSize, queueLengthLimit });
    }
  }

  get waiting(): number {
    return this.#queues?.length ?? 0;
  }

  get minSeats(): number {
    return this.nominalSeats - Math.round((this.nominalSeats * this.lendablePercent) / 100);
  }

  get maxSeats(): number {
    return this.borrowingLimitPercent === undefined
      ? Infinity
      : this.nominalSeats + Math.round((this.nominalSeats * this.borrowingLimitPercent) / 100);
  }

  enter(entering: Entering): Admitted | Promise<Admitted> {
    const width = Math.min(
      entering.width,
      Math.max(1, this.exempt ? entering.width : Math.ceil(this.nominalSeats * 0.15)),
    );
    if (this.exempt || (this.waiting === 0 && this.#fits(width))) return this.#start(entering, width);
    this.highDemand = Math.max(this.highDemand, this.executing + this.waiting + width);
    this.#events.contended();
    // Lending may just have freed a seat.
    if (this.waiting === 0 && this.#fits(width)) return this.#start(entering, width);
    if (!this.#queues) throw this.#reject(entering, 'concurrency-limit');
    return this.#wait(this.#queues, entering, width);
  }

  /** Gives free seats to waiting requests. */
  dispatch(): void {
    if (!this.#queues) return;
    for (;;) {
      const width = this.#queues.nextWidth();
      if (width === undefined || !this.#fits(width)) return;
      this.#queues.dispatch();
    }
  }

  /** A request wider than the level runs when it is alone. */
  #fits(width: number): boolean {
    return this.executing + width <= this.seats || (this.executing === 0 && width > this.seats);
  }

  /** `waited`: the request comes from a queue, which is told how long it took. */
  #start(
    { identity, counts, instruments }: Entering,
    width: number,
    waited?: { readonly since: number; readonly finish: (tookMs: number) => void },
  ): Admitted {
    this.executing += width;
    counts.executing++;
    counts.executingSeats += width;
    if (this.executing > this.highDemand) this.highDemand = this.executing;
    const startedAt = this.#clock.monotonic();
    instruments.dispatched(waited ? startedAt - waited.since : 0, width);
    let left = false;
    return {
      flow: identity,
      leave: () => {
        if (left) return;
        left = true;
        this.executing -= width;
        counts.executing--;
        counts.executingSeats -= width;
        const tookMs = this.#clock.monotonic() - startedAt;
        instruments.executed(tookMs);
        waited?.finish(tookMs);
        if (this.#queues) this.dispatch();
      },
    };
  }

  #wait(queues: QueueSet, entering: Entering, width: number): Promise<Admitted> {
    const { counts, instruments } = entering;
    const { signal } = entering.request;
    const since = this.#clock.monotonic();
    counts.waiting++;
    counts.waitingSeats += width;
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        counts.waiting--;
        counts.waitingSeats -= width;
        timer.cancel();
        signal.removeEventListener('abort', onAbort);
      };
      const waiting: Waiting = {
        width,
        run: (finished) => {
          settle();
          resolve(this.#start(entering, width, { since, finish: finished }));
        },
      };
      const giveUp = (reason: TooBusy['reason']): void => {
        settle();
        queues.remove(waiting);
        reject(this.#reject(entering, reason));
      };
      const onAbort = (): void => giveUp('cancelled');
      const timer = this.#clock.after(WAIT_LIMIT_MS, () => giveUp('time-out'));
      signal.addEventListener('abort', onAbort, { once: true });
      const length = queues.enqueue(`${entering.schema}\0${entering.distinguisher}`, waiting);
      if (length === undefined) giveUp('queue-full');
      else instruments.queued(length);
    });
  }

  #reject({ schema, identity }: Entering, reason: TooBusy['reason']): TooBusy {
    this.#events.rejected(this, schema, reason);
    return new TooBusy(reason, identity, RETRY_AFTER_SECONDS);
  }
}
