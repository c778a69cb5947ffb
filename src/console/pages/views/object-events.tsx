import { useEffect, useState } from 'preact/hooks';
import type { ApiObject, EventObject, ObjectList } from '../api/objects.ts';
import { api, messageOf } from '../api/request.ts';
import { age, visible } from '../format.ts';
import { Notice, Pill } from '../parts/basics.tsx';
import { T } from '../texts.ts';

const REFRESH_MS = 5000;

export const timeOf = (event: EventObject): string =>
  event.series?.lastObservedTime ?? event.lastTimestamp ?? event.eventTime ?? event.metadata.creationTimestamp ?? '';

export function EventsTab({ object }: { object: ApiObject }) {
  const { uid = '', namespace } = object.metadata;
  const [events, setEvents] = useState<readonly EventObject[]>();
  const [error, setError] = useState<string>();
  useEffect(() => {
    const ended = new AbortController();
    const query = new URLSearchParams({ fieldSelector: `involvedObject.uid=${uid}` });
    // Events of objects without a namespace are in the default one.
    const path = `/api/v1/namespaces/${encodeURIComponent(namespace ?? 'default')}/events?${query.toString()}`;
    const read = (): void => {
      api<ObjectList<EventObject>>(path, { signal: ended.signal }).then(
        ({ items }) => setEvents([...items].sort((a, b) => timeOf(b).localeCompare(timeOf(a)))),
        (problem: unknown) => {
          if (!ended.signal.aborted) setError(messageOf(problem));
        },
      );
    };
    read();
    const timer = setInterval(read, REFRESH_MS);
    return () => {
      clearInterval(timer);
      ended.abort();
    };
  }, [uid]);
  if (error !== undefined) return <Notice kind="error">{visible(error)}</Notice>;
  if (events === undefined) return <Notice>{T.state.loading}</Notice>;
  if (events.length === 0) return <Notice>{T.object.noEvents}</Notice>;
  return <EventTable events={events} />;
}

export const EventTable = ({ events, withObject }: { events: readonly EventObject[]; withObject?: boolean }) => (
  <table class="plain">
    <thead>
      <tr>
        <th scope="col">Type</th>
        <th scope="col">Reason</th>
        <th scope="col">Last seen</th>
        <th scope="col">Count</th>
        <th scope="col">From</th>
        {withObject && <th scope="col">Object</th>}
        <th scope="col">Message</th>
      </tr>
    </thead>
    <tbody>
      {events.map((event) => (
        <tr key={event.metadata.uid}>
          <td>
            <Pill health={event.type === 'Warning' ? 'bad' : 'ok'} text={event.type ?? ''} />
          </td>
          <td>{visible(event.reason, 80)}</td>
          <td>{age(timeOf(event))}</td>
          <td>{event.series?.count ?? event.count ?? 1}</td>
          <td>{visible(event.source?.component || event.reportingComponent, 60)}</td>
          {withObject && <td>{visible(event.involvedObject?.name, 80)}</td>}
          <td class="break">{visible(event.message, 1000)}</td>
        </tr>
      ))}
    </tbody>
  </table>
);
