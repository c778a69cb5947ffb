import type { ObjectReference } from '../api/generated/core-v1.ts';
import { type CauseSource, type Context, isAbort, revisionOf, WakeUp } from '../kernel/index.ts';
import { isStatusError } from '../machinery/errors/index.ts';
import { isAlreadyExists, isNamespaceTerminating } from './errors.ts';
import { referenceTo } from './object-reference.ts';
import type { ApiObject } from './resource.ts';

export type EventType = 'Normal' | 'Warning';

/** Records events about objects. It never blocks and never throws: a lost event is no failure. */
export interface EventRecorder {
  event(
    object: ApiObject | { reference: ObjectReference },
    type: EventType,
    reason: string,
    message: string,
    details?: EventDetails,
  ): void;
}

export interface EventDetails {
  annotations?: Record<string, string>;
  /** For events.k8s.io: what was done, and the second object that took part. */
  action?: string;
  related?: ApiObject;
  /** The span that records it; default: what made the object's revision. */
  cause?: number;
}

/** An event before it is converted to core/v1 or events.k8s.io/v1. */
export interface Occurrence {
  regarding: ObjectReference;
  related?: ObjectReference;
  type: EventType;
  reason: string;
  message: string;
  action?: string;
  annotations?: Record<string, string>;
  /** Milliseconds since the epoch. */
  at: number;
  cause?: number;
}

/** Delays the writing of events while a component is busy. */
export interface EventPacing {
  /** Waits until an event of that time may be written; undefined: at once. */
  mayWrite(occurredAt: number, signal: AbortSignal): Promise<void> | undefined;
  /** Beyond this many, new ones are dropped. */
  readonly maxWaiting: number;
}

/** A recorder whose events name what `source` is doing as their cause. */
export function causedRecorder(recorder: EventRecorder, source: Readonly<CauseSource>): EventRecorder {
  return {
    event: (object, type, reason, message, details) =>
      recorder.event(object, type, reason, message, { ...details, cause: source.span }),
  };
}

const MAX_QUEUED = 1000;
/** In milliseconds. */
const MICROSECOND = 0.001;
const MAX_TRIES = 12;
const RETRY_MS = 10_000;

/**
 * The queue between recording and writing: events wait here while the API server is away, and are dropped when too many
 * wait.
 */
export class EventQueue implements EventRecorder {
  readonly #ctx: Context;
  readonly #write: (occurrence: Occurrence, signal: AbortSignal) => Promise<void>;
  readonly #pacing: EventPacing | undefined;
  #waiting: Occurrence[] = [];
  /** The index of the next one: shifting a long array would move all others. */
  #next = 0;
  readonly #wakeUp = new WakeUp();
  #latest = 0;

  constructor(
    ctx: Context,
    write: (occurrence: Occurrence, signal: AbortSignal) => Promise<void>,
    pacing?: EventPacing,
  ) {
    this.#ctx = ctx;
    this.#write = write;
    this.#pacing = pacing;
  }

  event(
    object: ApiObject | { reference: ObjectReference },
    type: EventType,
    reason: string,
    message: string,
    details: EventDetails = {},
  ): void {
    const { clock, logger } = this.#ctx;
    try {
      if (this.#waiting.length - this.#next >= (this.#pacing?.maxWaiting ?? MAX_QUEUED)) {
        logger.v(1).info('Event dropped, the queue is full', { reason });
        return;
      }
      const regarding = 'reference' in object ? object.reference : referenceTo(object);
      const related = details.related === undefined ? undefined : referenceTo(details.related);
      logger.v(3).info('Event occurred', {
        object: `${regarding.namespace ?? ''}/${regarding.name ?? ''}`,
        kind: regarding.kind,
        type,
        reason,
        message,
      });
      this.#waiting.push({
        regarding,
        related,
        type,
        reason,
        message,
        action: details.action,
        annotations: details.annotations,
        at: this.#time(clock.now()),
        cause: details.cause ?? this.#causeOf(regarding, reason),
      });
      this.#wakeUp.wake();
    } catch (error) {
      logger.error(error, 'Could not construct reference, will not report event', { reason, message });
    }
  }

  /** An event about an object is caused by the revision of the object that its recorder saw. */
  #causeOf({ resourceVersion, namespace, name }: ObjectReference, reason: string): number {
    const { tracer } = this.#ctx;
    const revision = revisionOf(resourceVersion);
    if (!tracer.enabled || revision === undefined) return 0;
    const span = tracer.start(`event ${reason}`, {
      causes: [revision],
      attributes: { 'k8s.key': namespace === undefined ? name : `${namespace}/${name}` },
    });
    tracer.end(span);
    return span.id;
  }

  /** Events are named by their time, so two events never get the same time. */
  #time(now: number): number {
    this.#latest = Math.max(now, this.#latest + MICROSECOND);
    return this.#latest;
  }

  /** Writes until the signal aborts; what waits then is dropped. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const next = this.#waiting[this.#next];
      if (next === undefined) {
        this.#waiting = [];
        this.#next = 0;
        await this.#wakeUp.wait(signal);
        continue;
      }
      await this.#pacing?.mayWrite(next.at, signal);
      this.#next++;
      if (this.#next > MAX_QUEUED) this.#next -= this.#waiting.splice(0, this.#next).length;
      await this.#deliver(next, signal);
    }
  }

  async #deliver(occurrence: Occurrence, signal: AbortSignal): Promise<void> {
    const { clock, random, logger } = this.#ctx;
    for (let tries = 1; ; tries++) {
      try {
        await this.#write(occurrence, signal);
        return;
      } catch (error) {
        if (signal.aborted && isAbort(error, signal)) return;
        /** The server has rejected the event; a retry would not help. */
        if (isStatusError(error)) {
          if (isAlreadyExists(error) || isNamespaceTerminating(error))
            logger.v(5).info('Server rejected event (will not retry!)', { err: error });
          else logger.error(error, 'Server rejected event (will not retry!)', { reason: occurrence.reason });
          return;
        }
        if (tries >= MAX_TRIES) {
          logger.error(error, 'Unable to write event (retry limit exceeded!)', { reason: occurrence.reason });
          return;
        }
        /** The first pause is random, so that not all clients retry at once after an outage. */
        await clock.sleep(tries === 1 ? RETRY_MS * random.next() : RETRY_MS, signal).catch(() => {});
        if (signal.aborted) return;
      }
    }
  }
}
