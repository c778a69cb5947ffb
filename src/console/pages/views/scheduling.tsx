/** Pods that have no node, and why; and the scheduler's recent decisions. */
import { useEffect, useState } from 'preact/hooks';
import type { EventObject, ObjectList } from '../api/objects.ts';
import { api, messageOf } from '../api/request.ts';
import { findType } from '../api/resources.ts';
import { age, visible } from '../format.ts';
import { Card, Notice } from '../parts/basics.tsx';
import { useFeed } from '../parts/use-feed.ts';
import { Why } from '../parts/why-view.tsx';
import { objectLink } from '../router.ts';
import { T } from '../texts.ts';
import { EventTable, timeOf } from './object-events.tsx';
import { WouldFit } from './would-fit.tsx';

const MAX_EXPLAINED = 20;
const MAX_EVENTS = 50;
const REFRESH_MS = 5000;

export function SchedulingPage() {
  const pods = findType('pods')!;
  const feed = useFeed(pods, { fieldSelector: 'spec.nodeName=' });
  const waiting = feed.rows.value.filter(({ deleting }) => !deleting);
  return (
    <div class="page">
      <div class="toolbar">
        <h1>{T.scheduling.title}</h1>
        <span class={`live ${feed.state.value}`} role="status">
          {T.state[feed.state.value]}
        </span>
      </div>
      {feed.error.value !== undefined && <Notice kind="error">{visible(feed.error.value)}</Notice>}
      <Card title={T.scheduling.pending}>
        {feed.state.value === 'live' && waiting.length === 0 && <p class="all-well">{T.scheduling.none}</p>}
        {waiting.slice(0, MAX_EXPLAINED).map(({ uid, name, namespace, created }) => (
          <article key={uid} class="pending">
            <h3>
              <a href={objectLink('pods', { namespace, name })}>
                {visible(namespace)}/{visible(name)}
              </a>{' '}
              <span class="dim">{age(created)}</span>
            </h3>
            <Why type={pods} namespace={namespace} name={name} />
          </article>
        ))}
        {waiting.length > MAX_EXPLAINED && <p class="dim">… {waiting.length - MAX_EXPLAINED} more</p>}
      </Card>
      <WouldFit />
      <Card title={T.scheduling.recent}>
        <Decisions />
      </Card>
    </div>
  );
}

function Decisions() {
  const [events, setEvents] = useState<readonly EventObject[]>();
  const [error, setError] = useState<string>();
  useEffect(() => {
    const ended = new AbortController();
    const read = async (): Promise<void> => {
      const lists = await Promise.all(
        ['Scheduled', 'FailedScheduling'].map((reason) =>
          api<ObjectList<EventObject>>(
            `/api/v1/events?limit=500&fieldSelector=${encodeURIComponent(`reason=${reason}`)}`,
            {
              signal: ended.signal,
            },
          ),
        ),
      );
      const all = lists.flatMap(({ items }) => items).sort((a, b) => timeOf(b).localeCompare(timeOf(a)));
      if (!ended.signal.aborted) setEvents(all.slice(0, MAX_EVENTS));
    };
    const failed = (problem: unknown): void => {
      if (!ended.signal.aborted) setError(messageOf(problem));
    };
    read().catch(failed);
    const timer = setInterval(() => void read().catch(failed), REFRESH_MS);
    return () => {
      clearInterval(timer);
      ended.abort();
    };
  }, []);
  if (error !== undefined) return <Notice kind="error">{visible(error)}</Notice>;
  if (events === undefined) return <p class="dim">{T.state.loading}</p>;
  return events.length === 0 ? <p class="dim">{T.scheduling.noRecent}</p> : <EventTable events={events} withObject />;
}
