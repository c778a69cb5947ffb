/** Table cells of events. */
import type { Event as CoreEvent } from '../../api/generated/core-v1.ts';
import type { Event } from '../../api/generated/events-v1.ts';
import { nameOf, since } from './cell-text.ts';
import type { Cell } from './table-printer.ts';

/** Events of the core group; those of events.k8s.io have the same fields under other names. */
export function coreEventCells(event: CoreEvent, now: number): Cell[] {
  const { involvedObject: object, source, series } = event;
  const firstSeen = since(event.firstTimestamp ?? event.eventTime, now);
  const lastSeen = series
    ? since(series.lastObservedTime, now)
    : event.lastTimestamp
      ? since(event.lastTimestamp, now)
      : firstSeen;
  const kind = (object?.kind ?? '').toLowerCase();
  const component = source?.component || (event.reportingComponent ?? '');
  const instance = source?.host || (event.reportingInstance ?? '');
  return [
    lastSeen,
    event.type ?? '',
    event.reason ?? '',
    object?.name ? `${kind}/${object.name}` : kind,
    object?.fieldPath ?? '',
    instance === '' ? component : `${component}, ${instance}`,
    (event.message ?? '').trim(),
    firstSeen,
    series ? (series.count ?? 0) : event.count || 1,
    nameOf(event),
  ];
}

export function eventCells(event: Event, now: number): Cell[] {
  return coreEventCells(
    {
      ...event,
      involvedObject: event.regarding ?? {},
      message: event.note,
      source: event.deprecatedSource,
      firstTimestamp: event.deprecatedFirstTimestamp,
      lastTimestamp: event.deprecatedLastTimestamp,
      count: event.deprecatedCount,
      reportingComponent: event.reportingController ?? '',
    } as CoreEvent,
    now,
  );
}
