/** The whole cluster: what is wrong first, then the control plane, then nodes with their pods. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Column, Feed, Row } from '../api/feed.ts';
import { findType, type ResourceType } from '../api/resources.ts';
import { age, now, visible } from '../format.ts';
import { cellOf, healthOfPod, healthOfStatus, type Health } from '../health.ts';
import { HealthMark, Notice, Pill, shapeOf } from '../parts/basics.tsx';
import { useSliced, type Sliced } from '../parts/sliced.ts';
import { TimeMachineButton } from '../parts/time-machine.tsx';
import { useFeed } from '../parts/use-feed.ts';
import { FirstCause } from '../parts/why-view.tsx';
import { listLink, objectLink, pastRevision } from '../router.ts';
import { T } from '../texts.ts';
import { ControlPlane } from './control-plane.tsx';

interface PodCell {
  readonly row: Row;
  readonly health: Health;
  readonly status: string;
}

interface NodeCard {
  readonly name: string;
  readonly health: Health;
  readonly status: string;
  readonly pods: readonly PodCell[];
}

export function ClusterPage() {
  const pods = useFeed(findType('pods')!);
  const nodes = useFeed(findType('nodes')!);
  const inputs = [pods.rows.value, pods.columns.value, nodes.rows.value, nodes.columns.value];
  const { cells, cards, counts } = useSliced(() => pictureOf(pods, nodes), inputs, NOTHING);
  const errors = [pods.error.value, nodes.error.value].filter((error) => error !== undefined);
  return (
    <div class="page">
      <div class="toolbar">
        <h1>{T.cluster.title}</h1>
        <span class={`live ${pods.state.value}`} role="status">
          {T.state[pods.state.value]}
        </span>
        <TimeMachineButton />
        <span class="grow" />
        <ul class="legend" aria-label={T.cluster.legend}>
          {(['ok', 'wait', 'bad', 'done', 'gone'] as const).map((health) => (
            <li key={health}>
              <HealthMark health={health} /> {counts[health]} {T.health[health]}
            </li>
          ))}
        </ul>
      </div>
      {errors.map((error) => (
        <Notice key={error} kind="error">
          {error}
        </Notice>
      ))}
      <Problems
        cells={cells}
        cards={cards}
        ready={[pods, nodes].every(({ state }) => state.value === 'live' || state.value === 'past')}
      />
      {pastRevision.value === 0 && <ControlPlane nodes={cards.filter(({ name }) => name !== '').length} />}
      <Nodes cards={cards} loaded={nodes.state.value === 'live' || nodes.state.value === 'past'} />
    </div>
  );
}

const cellOfPod = (row: Row, columns: readonly Column[]): PodCell => ({
  row,
  health: row.deleting ? 'gone' : healthOfPod(row, columns),
  status: cellOf(row, columns, 'Status'),
});

interface Picture {
  /** Those that may be a problem. */
  readonly cells: readonly PodCell[];
  readonly cards: readonly NodeCard[];
  readonly counts: Readonly<Record<Health, number>>;
}

const NOTHING: Picture = { cells: [], cards: [], counts: { ok: 0, wait: 0, bad: 0, done: 0, gone: 0 } };
const ROWS_PER_STEP = 500;

function* pictureOf(pods: Feed, nodes: Feed): Sliced<Picture> {
  const [podColumns, nodeColumns] = [pods.columns.value, nodes.columns.value];
  const at = podColumns.findIndex(({ name }) => name === 'Node');
  const counts = { ...NOTHING.counts };
  const byNode = new Map<string, PodCell[]>();
  const cells: PodCell[] = [];
  let done = 0;
  for (const row of pods.rows.value) {
    const cell = cellOfPod(row, podColumns);
    counts[cell.health]++;
    if (cell.health === 'bad' || cell.health === 'wait') cells.push(cell);
    const value = row.cells[at];
    const node = typeof value === 'string' && value !== '<none>' ? value : '';
    const there = byNode.get(node);
    if (there) there.push(cell);
    else byNode.set(node, [cell]);
    if (++done % ROWS_PER_STEP === 0) yield;
  }
  const cards: NodeCard[] = [];
  for (const row of nodes.rows.value) {
    const status = cellOf(row, nodeColumns, 'Status');
    const here = byNode.get(row.name) ?? [];
    byNode.delete(row.name);
    cards.push({ name: row.name, status, health: healthOfStatus(status), pods: here });
    if (++done % ROWS_PER_STEP === 0) yield;
  }
  const homeless = [...byNode.values()].flat();
  const none: NodeCard = { name: '', status: '', health: 'wait', pods: homeless };
  return { cells, cards: homeless.length > 0 ? [none, ...cards] : cards, counts };
}

const MAX_PROBLEMS = 12;
/** States in which a container of the pod has run and ended. */
const CRASHED = /CrashLoopBackOff|^Error$|OOMKilled/;
/** A new pod waits for a moment without being a problem. */
const SETTLING_MS = 5000;

interface Problem {
  readonly type: ResourceType;
  readonly row: Pick<Row, 'uid' | 'name' | 'namespace' | 'created'>;
  readonly health: Health;
  readonly status: string;
}

function Problems({ cells, cards, ready }: { cells: readonly PodCell[]; cards: readonly NodeCard[]; ready: boolean }) {
  const problems = useMemo(() => {
    const pods = findType('pods')!;
    const nodes = findType('nodes')!;
    const young = now.value - SETTLING_MS;
    const bad = (health: Health, created: string): boolean =>
      health === 'bad' || (health === 'wait' && Date.parse(created) < young);
    const ofNodes = cards
      .filter(({ name, health }) => name !== '' && health === 'bad')
      .map(({ name, health, status }): Problem => ({
        type: nodes,
        row: { uid: name, name, namespace: '', created: '' },
        health,
        status,
      }));
    const ofPods = cells
      .filter(({ health, row }) => bad(health, row.created))
      .map(({ row, health, status }): Problem => ({ type: pods, row, health, status }));
    ofPods.sort((a, b) => Number(b.health === 'bad') - Number(a.health === 'bad'));
    return [...ofNodes, ...ofPods];
  }, [cells, cards, now.value]);
  return (
    <section class="card problems" aria-label={T.cluster.wrong}>
      <h2>
        {T.cluster.wrong} {problems.length > 0 && <span class="count">{problems.length}</span>}
      </h2>
      {problems.length === 0 && (
        <p class={ready ? 'all-well' : 'dim'}>{ready ? T.cluster.nothingWrong : T.state.loading}</p>
      )}
      <ul>
        {problems.slice(0, MAX_PROBLEMS).map(({ type, row, health, status }) => (
          <li key={row.uid}>
            <Pill health={health} text={status} />
            <a href={objectLink(type.key, row, { tab: 'why' })}>
              <span class="dim">{type.kind} </span>
              {row.namespace !== '' && <span class="dim">{visible(row.namespace)}/</span>}
              {visible(row.name)}
            </a>
            <span class="dim">{age(row.created)}</span>
            {pastRevision.value === 0 && (
              <span class="cause">
                <FirstCause type={type} namespace={row.namespace} name={row.name} version={status} />
                {CRASHED.test(status) && (
                  <>
                    {' '}
                    <a class="more" href={objectLink(type.key, row, { tab: 'logs' })}>
                      {T.cluster.itsLogs}
                    </a>
                  </>
                )}
              </span>
            )}
          </li>
        ))}
      </ul>
      {problems.length > MAX_PROBLEMS && (
        <p class="dim">
          <a href={listLink('pods', { sort: 'Status' })}>{T.cluster.more(problems.length - MAX_PROBLEMS)}</a>
        </p>
      )}
    </section>
  );
}

const CARD_PX = 232;
const CARD_ROW_PX = 128;
const CELL_PX = 14;
const CELLS_PER_LINE = 14;
const LINES = 5;
const MAX_CELLS = CELLS_PER_LINE * LINES;

/** Only the visible cards are in the page. */
function Nodes({ cards, loaded }: { cards: readonly NodeCard[]; loaded: boolean }) {
  const [search, setSearch] = useState('');
  const [view, setView] = useState({ from: 0, to: 12, perRow: 4 });
  const space = useRef<HTMLDivElement>(null);
  const shown = useMemo(() => cards.filter(({ name }) => name.includes(search)), [cards, search]);
  useEffect(() => {
    const scroller = document.getElementById('content')!;
    const measure = (): void => {
      if (space.current === null) return;
      const { top, width } = space.current.getBoundingClientRect();
      const above = scroller.getBoundingClientRect().top - top;
      const perRow = Math.max(1, Math.floor(width / CARD_PX));
      const from = Math.max(0, Math.floor(above / CARD_ROW_PX) - 1);
      const to = Math.ceil((above + scroller.clientHeight) / CARD_ROW_PX) + 1;
      setView((old) => (old.from === from && old.to === to && old.perRow === perRow ? old : { from, to, perRow }));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(scroller);
    observer.observe(space.current!);
    scroller.addEventListener('scroll', measure, { passive: true });
    return () => {
      observer.disconnect();
      scroller.removeEventListener('scroll', measure);
    };
  }, []);
  const { from, to, perRow } = view;
  const rows = Math.ceil(shown.length / perRow);
  return (
    <section class="nodes" aria-label={T.cluster.nodes}>
      <div class="toolbar">
        <h2>
          {T.cluster.nodes} <span class="count">{cards.filter(({ name }) => name !== '').length}</span>
        </h2>
        <span class="grow" />
        <input
          type="search"
          data-filter=""
          placeholder={T.cluster.search}
          aria-label={T.cluster.search}
          value={search}
          onInput={(event) => setSearch(event.currentTarget.value)}
        />
      </div>
      {loaded && cards.length === 0 && <Notice>{T.cluster.noNodes}</Notice>}
      <div class="node-space" ref={space} style={{ height: `${rows * CARD_ROW_PX}px` }}>
        {shown.slice(from * perRow, to * perRow).map((card, offset) => {
          const at = from * perRow + offset;
          const place = {
            top: `${Math.floor(at / perRow) * CARD_ROW_PX}px`,
            left: `${((at % perRow) * 100) / perRow}%`,
            width: `calc(${100 / perRow}% - 12px)`,
          };
          return <Node key={card.name} card={card} place={place} />;
        })}
      </div>
    </section>
  );
}

/** One path for the pods of each state: a page may show thousands. */
function shapesOf(pods: readonly PodCell[]): ReadonlyMap<Health, string> {
  const paths = new Map<Health, string>();
  pods.slice(0, MAX_CELLS).forEach(({ health }, at) => {
    const shape = shapeOf(health, (at % CELLS_PER_LINE) * CELL_PX, Math.floor(at / CELLS_PER_LINE) * CELL_PX);
    paths.set(health, `${paths.get(health) ?? ''}${shape}`);
  });
  return paths;
}

function Node({ card, place }: { card: NodeCard; place: Record<string, string> }) {
  const { name, health, status, pods } = card;
  const failing = pods.filter((pod) => pod.health === 'bad').length;
  const href = name === '' ? listLink('pods', { search: 'Pending' }) : objectLink('nodes', { name });
  const more = pods.length - MAX_CELLS;
  const podAt = ({ currentTarget, clientX, clientY }: MouseEvent): PodCell | undefined => {
    const { left, top, height } = (currentTarget as SVGElement).getBoundingClientRect();
    const cell = height / LINES;
    const [column, line] = [Math.floor((clientX - left) / cell), Math.floor((clientY - top) / cell)];
    return column < CELLS_PER_LINE && line < LINES ? pods[line * CELLS_PER_LINE + column] : undefined;
  };
  return (
    <article class={`node ${health}`} style={place}>
      <h3>
        <HealthMark health={health} />
        <a href={href}>{name === '' ? T.cluster.unscheduled : visible(name, 60)}</a>
        <span class="dim">{visible(status, 40)}</span>
      </h3>
      <svg
        role="img"
        aria-label={`${T.cluster.podsOf(pods.length)}, ${failing} ${T.health.bad}`}
        viewBox={`0 0 ${CELLS_PER_LINE * CELL_PX} ${LINES * CELL_PX}`}
        onMouseMove={(event) => {
          const pod = podAt(event);
          const text = pod ? `${visible(pod.row.namespace)}/${visible(pod.row.name)}: ${visible(pod.status)}` : '';
          (event.currentTarget.parentElement as HTMLElement).title = text;
        }}
        onClick={(event) => {
          const pod = podAt(event);
          if (pod) location.hash = objectLink('pods', pod.row);
        }}
      >
        {[...shapesOf(pods)].map(([state, path]) => (
          <path key={state} class={`pod ${state}`} d={path} />
        ))}
      </svg>
      <p class="dim">
        {T.cluster.podsOf(pods.length)}
        {more > 0 ? T.cluster.notDrawn(more) : ''}
      </p>
    </article>
  );
}
