/**
 * The queues of one priority level of API priority and fairness (APF), with fair queuing among them. Each queue has a virtual time; the one that is
 * furthest behind is served next, and advances by the seats and the time that its request takes. A queue that was empty
 * starts at the present, so that a flow gains nothing from having been idle.
 */
import { dealHand } from './shuffle-shard.ts';

export interface Waiting {
  readonly width: number;
  /** Starts the request; `finished` is to be called with the time that it took. */
  run(finished: (tookMs: number) => void): void;
}

interface Queue {
  readonly index: number;
  readonly waiting: Waiting[];
  executing: number;
  virtualStart: number;
  /** When it was last served, to break ties. */
  lastTurn: number;
}

interface QueueSettings {
  readonly queues: number;
  readonly handSize: number;
  readonly queueLengthLimit: number;
}

/** The assumed duration of a request that is still running. */
const ESTIMATED_MS = 60_000;
const HANDS_KEPT = 10_000;

export class QueueSet {
  readonly #settings: QueueSettings;
  #queues: Queue[];
  #hands = new Map<string, readonly number[]>();
  #virtualTime = 0;
  #active = new Set<Queue>();
  #turns = 0;

  constructor(settings: QueueSettings) {
    this.#settings = settings;
    this.#queues = Array.from({ length: settings.queues }, (_, index) => ({
      index,
      waiting: [],
      executing: 0,
      virtualStart: 0,
      lastTurn: 0,
    }));
  }

  get length(): number {
    let length = 0;
    for (const queue of this.#active) length += queue.waiting.length;
    return length;
  }

  /** Adds a request to the shortest queue of its flow and returns the queue's length; undefined when that is full. */
  enqueue(flow: string, waiting: Waiting): number | undefined {
    let best: Queue | undefined;
    for (const index of this.#hand(flow)) {
      const queue = this.#queues[index]!;
      if (!best || load(queue) < load(best)) best = queue;
    }
    if (!best || best.waiting.length >= this.#settings.queueLengthLimit) return undefined;
    if (best.waiting.length === 0 && best.executing === 0) best.virtualStart = this.#virtualTime;
    best.waiting.push(waiting);
    this.#active.add(best);
    return best.waiting.length;
  }

  remove(waiting: Waiting): void {
    for (const queue of this.#active) {
      const at = queue.waiting.indexOf(waiting);
      if (at < 0) continue;
      queue.waiting.splice(at, 1);
      if (queue.waiting.length === 0) this.#active.delete(queue);
      return;
    }
  }

  /** The width of the next request; undefined when all queues are empty. */
  nextWidth(): number | undefined {
    return this.#next()?.waiting[0]?.width;
  }

  /** Starts the next request. */
  dispatch(): void {
    const queue = this.#next();
    const waiting = queue?.waiting.shift();
    if (!queue || !waiting) return;
    if (queue.waiting.length === 0) this.#active.delete(queue);
    this.#virtualTime = Math.max(this.#virtualTime, queue.virtualStart);
    queue.virtualStart += waiting.width * ESTIMATED_MS;
    queue.lastTurn = ++this.#turns;
    queue.executing += waiting.width;
    waiting.run((tookMs) => {
      queue.executing -= waiting.width;
      queue.virtualStart -= waiting.width * Math.max(0, ESTIMATED_MS - tookMs);
    });
  }

  #next(): Queue | undefined {
    let best: Queue | undefined;
    for (const queue of this.#active) if (!best || isBehind(queue, best)) best = queue;
    return best;
  }

  #hand(flow: string): readonly number[] {
    let hand = this.#hands.get(flow);
    if (!hand) {
      hand = dealHand(flow, this.#settings.queues, this.#settings.handSize);
      if (this.#hands.size >= HANDS_KEPT) this.#hands.clear();
      this.#hands.set(flow, hand);
    }
    return hand;
  }
}

const isBehind = (a: Queue, b: Queue): boolean =>
  a.virtualStart < b.virtualStart || (a.virtualStart === b.virtualStart && a.lastTurn < b.lastTurn);

const load = (queue: Queue): number => queue.executing + queue.waiting.reduce((sum, { width }) => sum + width, 0);
