/** The scheduler's recent decisions: what each plugin said about each node. Other schedulers leave events only. */
import { Fragment } from 'preact';
import { useState } from 'preact/hooks';
import type { EventObject } from '../api/objects.ts';
import { api } from '../api/request.ts';
import { milliseconds } from '../api/trace.ts';
import { age, visible } from '../format.ts';
import { Notice, Pill } from '../parts/basics.tsx';
import { useObjects } from '../parts/use-feed.ts';
import { usePolled } from '../parts/use-polled.ts';
import { objectLink } from '../router.ts';
import { T } from '../texts.ts';
import { NodeJudgements, type NodeJudgement } from './node-judgements.tsx';
import { EventTable, newestFirst } from './object-events.tsx';

const MAX_SHOWN = 50;
const REFRESH_MS = 5000;

interface Decision {
  readonly pod: { readonly namespace: string; readonly name: string; readonly uid: string };
  readonly attempt: number;
  readonly time: string;
  readonly durationMs: number;
  readonly outcome: string;
  readonly node: string;
  readonly message: string;
  readonly feasibleNodes: number;
  readonly totalNodes: number;
  readonly nodes: readonly NodeJudgement[];
  readonly whatWouldHelp: readonly string[];
}

async function readDecisions(signal: AbortSignal): Promise<readonly Decision[]> {
  const path = '/apis/glass.k8ts.dev/v1alpha1/decisions';
  const { items } = await api<{ items: readonly { status: Decision }[] }>(path, { signal });
  return items.map(({ status }) => status).sort((a, b) => b.time.localeCompare(a.time));
}

export function Decisions() {
  const { value: decisions, error } = usePolled(readDecisions, { everyMs: REFRESH_MS, on: [] });
  const [open, setOpen] = useState('');
  if (error !== undefined && !decisions) return <Notice kind="error">{visible(error)}</Notice>;
  if (decisions === undefined) return <p class="dim">{T.state.loading}</p>;
  if (decisions.length === 0) return <p class="dim">{T.scheduling.noRecent}</p>;
  const { pod, outcome, node, nodes, took, when } = T.scheduling.columns;
  return (
    <table class="plain">
      <thead>
        <tr>
          {[pod, outcome, node, nodes, took, when, T.scheduling.details].map((title) => (
            <th key={title} scope="col">
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {decisions.slice(0, MAX_SHOWN).map((decision) => {
          const key = `${decision.pod.uid} ${decision.attempt}`;
          return (
            <Fragment key={key}>
              <Line decision={decision} isOpen={open === key} onOpen={() => setOpen(open === key ? '' : key)} />
              {open === key && (
                <tr class="decision">
                  <td colSpan={7}>
                    <Said decision={decision} />
                  </td>
                </tr>
              )}
            </Fragment>
          );
        })}
      </tbody>
    </table>
  );
}

function Line({ decision, isOpen, onOpen }: { decision: Decision; isOpen: boolean; onOpen: () => void }) {
  const { pod, outcome, node, feasibleNodes, totalNodes, durationMs, time } = decision;
  const name = `${visible(pod.namespace)}/${visible(pod.name)}`;
  const words: Readonly<Record<string, string>> = T.scheduling.outcomes;
  return (
    <tr>
      <th scope="row">
        <a href={objectLink('pods', pod)}>{name}</a>
      </th>
      <td>
        <Pill
          health={outcome === 'scheduled' ? 'ok' : 'bad'}
          text={Object.hasOwn(words, outcome) ? words[outcome]! : outcome}
        />
      </td>
      <td>{node ? <a href={objectLink('nodes', { name: node })}>{visible(node, 60)}</a> : '–'}</td>
      <td>{T.scheduling.nodesOf(feasibleNodes, totalNodes)}</td>
      <td>{milliseconds(durationMs)}</td>
      <td>{age(time)}</td>
      <td>
        <button type="button" aria-expanded={isOpen} aria-label={`${T.scheduling.details}: ${name}`} onClick={onOpen}>
          {isOpen ? '▾' : '▸'}
        </button>
      </td>
    </tr>
  );
}

function Said({ decision: { node, nodes, message, whatWouldHelp } }: { decision: Decision }) {
  const [chosen, setChosen] = useState(node || (nodes[0]?.node ?? ''));
  return (
    <>
      {message !== '' && <p>{visible(message, 1000)}</p>}
      {whatWouldHelp.map((line) => (
        <p key={line} class="remedy">
          {T.why.helps}: {visible(line)}
        </p>
      ))}
      <NodeJudgements nodes={nodes} chosen={chosen} onChoose={setChosen} />
    </>
  );
}

export function SchedulingEvents() {
  const feeds = [
    useObjects<EventObject>('events', { fieldSelector: 'reason=Scheduled' }),
    useObjects<EventObject>('events', { fieldSelector: 'reason=FailedScheduling' }),
  ].filter((feed) => feed !== undefined);
  const [error] = feeds.flatMap((feed) => feed.error.value ?? []);
  const events = newestFirst(feeds.flatMap((feed) => feed.items.value)).slice(0, MAX_SHOWN);
  if (error !== undefined && events.length === 0) return <Notice kind="error">{visible(error)}</Notice>;
  if (feeds.some(({ state }) => state.value === 'loading')) return <p class="dim">{T.state.loading}</p>;
  return (
    <>
      <p class="dim">{T.scheduling.fromEvents}</p>
      {events.length === 0 ? <p class="dim">{T.scheduling.noRecent}</p> : <EventTable events={events} withObject />}
    </>
  );
}
