import type { Event, EventSource } from '../api/generated/core-v1.ts';
import { formatTime } from '../base/index.ts';
import type { Context } from '../kernel/index.ts';
import type { Client } from './client.ts';
import { isNotFound } from './errors.ts';
import { EventCorrelator, type Correlation } from './event-correlator.ts';
import { eventName } from './event-name.ts';
import { EventQueue, type EventPacing, type EventRecorder, type Occurrence } from './event-recorder.ts';

/** A recorder of core/v1 Events: repeated ones are counted, similar ones combined, and a flood is cut off. */
export function createCoreEventRecorder(
  ctx: Context,
  client: Client,
  source: EventSource,
  pacing?: EventPacing,
): EventRecorder & { run(signal: AbortSignal): Promise<void> } {
  const correlator = new EventCorrelator(ctx.clock);
  const events = client.resource('v1/events');

  /** An occurrence that is tried again because the server was away must not count twice. */
  const correlated = new WeakMap<Occurrence, Correlation>();

  const write = async (occurrence: Occurrence, signal: AbortSignal): Promise<void> => {
    const correlation = correlated.get(occurrence) ?? correlator.correlate(makeEvent(occurrence, source));
    correlated.set(occurrence, correlation);
    const { event, key, repeated } = correlation;
    const { cause } = occurrence;
    if (event === undefined) return;
    if (repeated) {
      const { count, lastTimestamp, message } = event;
      const reference = { namespace: event.metadata.namespace, name: event.metadata.name ?? '' };
      try {
        correlator.written(
          key,
          await events.patch(reference, { count, lastTimestamp, message }, { type: 'strategic', signal, cause }),
        );
        return;
      } catch (error) {
        /** Events expire; then the count continues in a new event. */
        if (!isNotFound(error)) throw error;
      }
    }
    correlator.written(key, await events.create(event, { signal, cause }));
  };

  return new EventQueue(ctx, write, pacing);
}

function makeEvent(occurrence: Occurrence, source: EventSource): Event {
  const { regarding, type, reason, message, annotations, at } = occurrence;
  const time = formatTime(at);
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: {
      name: eventName(regarding.name ?? '', at),
      namespace: regarding.namespace ?? 'default',
      ...(annotations ? { annotations } : {}),
    },
    involvedObject: regarding,
    reason,
    message,
    source,
    firstTimestamp: time,
    lastTimestamp: time,
    count: 1,
    type,
    reportingComponent: source.component,
    reportingInstance: source.host ?? '',
  };
}
