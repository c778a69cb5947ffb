/** Pods that have no node, and why; and the scheduler's recent decisions. */
import { findType } from '../api/resources.ts';
import { age, visible } from '../format.ts';
import { Card, Notice } from '../parts/basics.tsx';
import { useFeed } from '../parts/use-feed.ts';
import { Why } from '../parts/why-view.tsx';
import { objectLink } from '../router.ts';
import { T } from '../texts.ts';
import { Decisions, SchedulingEvents } from './decisions.tsx';
import { WouldFit } from './would-fit.tsx';

const MAX_EXPLAINED = 20;

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
        {waiting.length > MAX_EXPLAINED && <p class="dim">{T.state.more(waiting.length - MAX_EXPLAINED)}</p>}
      </Card>
      <WouldFit />
      <Card title={T.scheduling.recent}>
        {findType('decisions.glass.k8ts.dev') ? <Decisions /> : <SchedulingEvents />}
      </Card>
    </div>
  );
}
