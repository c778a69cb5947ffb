import type { Event } from '../api/generated/events-v1.ts';
import { formatMicroTime } from '../base/index.ts';
import { RunGroup, type Context } from '../kernel/index.ts';
import type { Client } from './client.ts';
import { isNotFound } from './errors.ts';
import { eventName } from './event-name.ts';
import { EventQueue, type EventPacing, type EventRecorder, type Occurrence } from './event-recorder.ts';

/** A series without news for this long is over. */
const FINISH_MS = 6 * 60_000;
/** A continuing series is written this often, so that it neither expires nor is written for every occurrence. */
const REFRESH_MS = 30 * 60_000;

interface Series {
  event: Event;
  /** Milliseconds since the epoch. */
  lastAt: number;
}

/** A recorder of events.k8s.io/v1 Events, as the scheduler uses it: what repeats becomes a series with a count. */
export function createEventsV1Recorder(
  ctx: Context,
  client: Client,
  reporting: { controller: string; instance: string },
  pacing?: EventPacing,
): EventRecorder & { run(signal: AbortSignal): Promise<void> } {
  const { clock, logger } = ctx;
  const events = client.resource('events.k8s.io/v1/events');
  const known = new Map<string, Series>();

  /** A series is patched; when it has expired on the server meanwhile, it is written anew. */
  const send = async (event: Event, signal: AbortSignal, cause?: number): Promise<void> => {
    if (event.series !== undefined) {
      const reference = { namespace: event.metadata.namespace, name: event.metadata.name ?? '' };
      try {
        await events.patch(reference, { series: event.series }, { type: 'strategic', signal, cause });
        return;
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    }
    await events.create(event, { signal, cause });
  };

  const observed = new WeakMap<Occurrence, Event | undefined>();
  const observe = (occurrence: Occurrence): Event | undefined => {
    const key = keyOf(occurrence);
    const series = known.get(key);
    if (series === undefined) {
      const event = makeEvent(occurrence, reporting);
      known.set(key, { event, lastAt: clock.monotonic() });
      return event;
    }
    const first = series.event.series === undefined;
    series.lastAt = clock.monotonic();
    series.event = {
      ...series.event,
      series: { count: (series.event.series?.count ?? 1) + 1, lastObservedTime: formatMicroTime(occurrence.at) },
    };
    return first ? series.event : undefined;
  };

  const queue = new EventQueue(
    ctx,
    async (occurrence, signal) => {
      const event = observed.has(occurrence) ? observed.get(occurrence) : observe(occurrence);
      observed.set(occurrence, event);
      if (event !== undefined) await send(event, signal, occurrence.cause);
    },
    pacing,
  );

  const everySoOften = async (
    ms: number,
    signal: AbortSignal,
    visit: (key: string, series: Series) => Promise<void>,
  ): Promise<void> => {
    for (;;) {
      await clock.sleep(ms, signal);
      for (const [key, series] of known) {
        await visit(key, series).catch((error: unknown) =>
          logger.v(1).info('Unable to write event series', { err: error }),
        );
      }
    }
  };

  return {
    event: (...args) => queue.event(...args),
    run: async (signal) => {
      const group = new RunGroup({ signal, logger });
      group.start('write', (stop) => queue.run(stop));
      group.start('refresh', (stop) =>
        everySoOften(REFRESH_MS, stop, async (_key, series) => {
          if (series.event.series !== undefined) await send(series.event, stop);
        }),
      );
      group.start('finish', (stop) =>
        everySoOften(FINISH_MS, stop, async (key, series) => {
          if (clock.monotonic() - series.lastAt < FINISH_MS) return;
          known.delete(key);
          if (series.event.series !== undefined) await send(series.event, stop);
        }),
      );
      await group.wait();
    },
  };
}

function keyOf({ type, action, reason, regarding, related }: Occurrence): string {
  return JSON.stringify([type, action, reason, regarding, related]);
}

function makeEvent(occurrence: Occurrence, reporting: { controller: string; instance: string }): Event {
  const { regarding, related, type, reason, message, action, at } = occurrence;
  return {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { name: eventName(regarding.name ?? '', at), namespace: regarding.namespace ?? 'default' },
    eventTime: formatMicroTime(at),
    reportingController: reporting.controller,
    reportingInstance: reporting.instance,
    action,
    reason,
    regarding,
    related,
    note: message,
    type,
  };
}
