import type { Event } from '../api/generated/core-v1.ts';
import { formatTime } from '../base/index.ts';
import { TokenBucket, type Clock } from '../kernel/index.ts';
import { eventName } from './event-name.ts';
import { LruCache } from './lru-cache.ts';

const CACHE_ENTRIES = 4096;
/** So many similar events, with no pause longer than the interval, are aggregated into one. */
const AGGREGATE_AT = 10;
const AGGREGATE_INTERVAL_MS = 600_000;
/** The spam filter per source and object: a burst, then one event in five minutes. */
const SPAM_BURST = 25;
const SPAM_QPS = 1 / 300;

export interface Correlation {
  /** What to write; undefined when the event is to be dropped. */
  event: Event | undefined;
  /** Under which key the written event is to be remembered. */
  key: string;
  /** The event exists: its count goes up. */
  repeated: boolean;
}

/** Decides whether an event is created, counted on an existing one, aggregated with similar ones, or dropped. */
export class EventCorrelator {
  readonly #clock: Clock;
  readonly #similar = new LruCache<string, { messages: Set<string>; lastAt: number }>(CACHE_ENTRIES);
  readonly #known = new LruCache<string, { name: string; firstTimestamp: string | undefined; count: number }>(
    CACHE_ENTRIES,
  );
  readonly #allowance = new LruCache<string, TokenBucket>(CACHE_ENTRIES);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  correlate(received: Event): Correlation {
    const { event, key } = this.#aggregate(received);
    const known = this.#known.get(key);
    const counted: Event =
      known === undefined
        ? event
        : {
            ...event,
            metadata: { ...event.metadata, name: known.name },
            firstTimestamp: known.firstTimestamp,
            count: known.count + 1,
          };
    this.#remember(key, counted);
    return { event: this.#allowed(counted) ? counted : undefined, key, repeated: known !== undefined };
  }

  /** The server has stored the event, perhaps under another name. */
  written(key: string, event: Event): void {
    this.#remember(key, event);
  }

  #remember(key: string, event: Event): void {
    this.#known.set(key, {
      name: event.metadata.name ?? '',
      firstTimestamp: event.firstTimestamp,
      count: event.count ?? 1,
    });
  }

  #aggregate(event: Event): { event: Event; key: string } {
    const now = this.#clock.now();
    const at = this.#clock.monotonic();
    const similarKey = join(event, event.reason, event.reportingComponent, event.reportingInstance);
    const before = this.#similar.get(similarKey);
    const record =
      before === undefined || at - before.lastAt > AGGREGATE_INTERVAL_MS
        ? { messages: new Set<string>(), lastAt: at }
        : before;
    record.messages.add(event.message ?? '');
    record.lastAt = at;
    this.#similar.set(similarKey, record);
    if (record.messages.size < AGGREGATE_AT)
      return { event, key: join(event, event.reason, event.involvedObject.fieldPath, event.message) };
    /** Removes one message, so that the set stays at its limit and the next message is aggregated, too. */
    const [oldest] = record.messages;
    if (oldest !== undefined) record.messages.delete(oldest);
    const time = formatTime(now);
    // As upstream's, it names its source, but not as the reporting component.
    const { reportingComponent: _, reportingInstance: __, ...own } = event;
    const combined: Event = {
      ...own,
      metadata: { name: eventName(event.involvedObject.name ?? '', now), namespace: event.metadata.namespace },
      message: `(combined from similar events): ${event.message ?? ''}`,
      firstTimestamp: time,
      lastTimestamp: time,
      count: 1,
    };
    return { event: combined, key: `combined/${similarKey}` };
  }

  #allowed(event: Event): boolean {
    const key = join(event);
    let bucket = this.#allowance.get(key);
    if (bucket === undefined)
      this.#allowance.set(key, (bucket = new TokenBucket(this.#clock, { qps: SPAM_QPS, burst: SPAM_BURST })));
    return bucket.tryTake();
  }
}

/** The key of an event: source, object, type, and further parts. */
function join(event: Event, ...more: (string | undefined)[]): string {
  const { source, involvedObject: object, type } = event;
  return JSON.stringify([
    source?.component,
    source?.host,
    object.kind,
    object.namespace,
    object.name,
    object.uid,
    object.apiVersion,
    type,
    ...more,
  ]);
}
