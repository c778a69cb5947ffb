import type { ApiObject, EventObject } from '../api/objects.ts';
import { typeOfKind } from '../api/resources.ts';
import { age, visible } from '../format.ts';
import { HeadRow, Notice, Pill } from '../parts/basics.tsx';
import { useObjects } from '../parts/use-feed.ts';
import { objectLink } from '../router.ts';
import { T } from '../texts.ts';

const timeOf = (event: EventObject): string =>
  event.series?.lastObservedTime ?? event.lastTimestamp ?? event.eventTime ?? event.metadata.creationTimestamp ?? '';

export const newestFirst = (events: readonly EventObject[]): EventObject[] =>
  [...events].sort((x, y) => timeOf(y).localeCompare(timeOf(x)));

export function EventsTab({ object }: { object: ApiObject }) {
  const { uid = '', namespace } = object.metadata;
  // Events of objects without a namespace are in the default one.
  const feed = useObjects<EventObject>('events', {
    namespace: namespace ?? 'default',
    fieldSelector: `involvedObject.uid=${uid}`,
  });
  const error = feed?.error.value;
  const events = newestFirst(feed?.items.value ?? []);
  if (error !== undefined) return <Notice kind="error">{visible(error)}</Notice>;
  if (feed?.state.value === 'loading') return <Notice>{T.state.loading}</Notice>;
  if (events.length === 0) return <Notice>{T.object.noEvents}</Notice>;
  return (
    <div class="card">
      <EventTable events={events} />
    </div>
  );
}

const { type, reason, seen, count, object: of, from, message } = T.object.eventColumns;

export const EventTable = ({ events, withObject }: { events: readonly EventObject[]; withObject?: boolean }) => (
  <table class="plain">
    <HeadRow titles={[type, reason, seen, count, withObject ? of : from, message]} />
    <tbody>
      {events.map((event) => (
        <tr key={event.metadata.uid}>
          <td>
            <Pill health={event.type === 'Warning' ? 'bad' : 'ok'} text={event.type ?? ''} />
          </td>
          <td>{visible(event.reason, 80)}</td>
          <td>{age(timeOf(event))}</td>
          <td>{event.series?.count ?? event.count ?? 1}</td>
          {!withObject && <td>{visible(event.source?.component || event.reportingComponent, 60)}</td>}
          {withObject && (
            <td class="break">
              <Involved event={event} />
            </td>
          )}
          <td class="break">{visible(event.message, 1000)}</td>
        </tr>
      ))}
    </tbody>
  </table>
);

function Involved({ event: { involvedObject } }: { event: EventObject }) {
  const { kind = '', apiVersion, namespace, name = '' } = involvedObject ?? {};
  const type = typeOfKind(kind, apiVersion);
  return type ? <a href={objectLink(type.key, { namespace, name })}>{visible(name, 80)}</a> : <>{visible(name, 80)}</>;
}
