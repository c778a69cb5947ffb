/** What an object was: a slider over its kept revisions, who made each and why, and what each changed. */
import { useEffect, useMemo, useState } from 'preact/hooks';
import { askHistory, type ObjectHistory, type Revision } from '../api/history.ts';
import type { ApiObject } from '../api/objects.ts';
import { messageOf } from '../api/request.ts';
import { comparable } from '../edit/review.tsx';
import { age, dateTime, visible } from '../format.ts';
import { Card, Notice } from '../parts/basics.tsx';
import { DiffView } from '../parts/diff-view.tsx';
import { Check } from '../parts/fields.tsx';
import { link, route, setQuery } from '../router.ts';
import { T } from '../texts.ts';
import { BarLane, healthOfCondition } from './condition-lanes.tsx';
import type { TabProps } from './tab-props.ts';

const REFRESH_MS = 2000;

function useHistory({ type, object }: TabProps): { history?: ObjectHistory; error?: string } {
  const [result, setResult] = useState<{ history?: ObjectHistory; error?: string }>({});
  const { namespace = '', name, resourceVersion } = object.metadata;
  useEffect(() => {
    const ended = new AbortController();
    const read = (): void => {
      askHistory(type, { namespace, name, signal: ended.signal }).then(
        (history) => setResult({ history }),
        (error: unknown) => {
          if (!ended.signal.aborted) setResult({ error: messageOf(error) });
        },
      );
    };
    // An object that changes all the time is not read all the time.
    const timer = setTimeout(read, result.history ? REFRESH_MS : 0);
    return () => {
      clearTimeout(timer);
      ended.abort();
    };
  }, [type.key, namespace, name, resourceVersion]);
  return result;
}

export function HistoryTab(props: TabProps) {
  const { history, error } = useHistory(props);
  if (error !== undefined && !history) return <Notice kind="error">{`${T.history.failed}: ${visible(error)}`}</Notice>;
  if (!history) return <Notice>{T.state.loading}</Notice>;
  if (history.revisions.length === 0) return <Notice>{T.history.none}</Notice>;
  return <Revisions history={history} />;
}

function Revisions({ history: { revisions, isRecorded } }: { history: ObjectHistory }) {
  const asked = Number(route.value.query.get('revision') ?? 0);
  const found = revisions.findIndex(({ revision }) => revision === asked);
  // Controllers write a status often; who changed the spec is what people look for.
  const newestChange = Math.max(
    0,
    [changesSpec, (each: Revision) => !isStatusOnly(each)]
      .map((is) => revisions.findIndex(is))
      .find((index) => index >= 0) ?? 0,
  );
  const at = found < 0 ? newestChange : found;
  const chosen = revisions[at]!;
  const choose = (index: number): void => {
    const next = revisions[Math.max(0, Math.min(revisions.length - 1, index))]!;
    setQuery({ revision: String(next.revision) });
  };
  const [withStatus, setWithStatus] = useState<boolean>();
  const listed = revisions.filter((each) => !isStatusOnly(each));
  const showsAll = withStatus ?? listed.length < 2;
  return (
    <div class="history">
      <Card title={T.history.title} wide>
        <Slider revisions={revisions} at={at} onChoose={choose} />
        {!isRecorded && <p class="dim">{T.history.notRecorded}</p>}
      </Card>
      <div class="revision-list">
        <Check
          label={T.history.withStatus(revisions.length - listed.length)}
          checked={showsAll}
          onChange={setWithStatus}
        />
        <ol class="revisions">
          {(showsAll ? revisions : listed).map((each) => (
            <li key={each.revision}>
              <button
                type="button"
                aria-current={each === chosen ? 'true' : undefined}
                class={each === chosen ? 'revision chosen' : 'revision'}
                onClick={() => choose(revisions.indexOf(each))}
              >
                <span class="when">{age(each.time)}</span>
                <span class="who">{visible(whoOf(each), 60)}</span>
                <span class="what">{summaryOf(each)}</span>
              </button>
            </li>
          ))}
        </ol>
      </div>
      <Chosen chosen={chosen} before={revisions[at + 1]} newest={revisions[0]!} />
    </div>
  );
}

/** Service accounts are known by their names. */
const whoOf = ({ user, manager }: Revision): string =>
  (user ?? manager ?? T.history.unknown).replace(/^system:(?:serviceaccount:[^:]+:)?/, '');

const changesSpec = ({ changes }: Revision): boolean => changes.some(({ path }) => path.startsWith('.spec'));

const isStatusOnly = ({ event, changes }: Revision): boolean =>
  event === 'updated' && changes.every(({ path }) => path.startsWith('.status'));

const isShort = (value: unknown): value is string | number =>
  typeof value === 'number' || (typeof value === 'string' && value.length < 30);

function summaryOf({ event, changes }: Revision): string {
  if (event !== 'updated') return T.history.events[event];
  const first = changes.find(({ path }) => path.startsWith('.spec')) ?? changes[0];
  if (!first) return T.history.noChanges;
  const more = changes.length > 1 ? ` ${T.history.more(changes.length - 1)}` : '';
  const value = isShort(first.before) && isShort(first.after) ? `: ${first.before} → ${first.after}` : '';
  // The last parts of a path say most, where it is long.
  const path = (first.path.match(/\.[\w-]+(?:\[\d+\])?|\["[^"]*"\]/g) ?? [first.path])
    .slice(-3)
    .join('')
    .replace(/^\./, '');
  return `${visible(`${path}${value}`, 80)}${more}`;
}

/** Conditions as lanes above the slider: each column is the time between two revisions. */
function Slider(props: { revisions: readonly Revision[]; at: number; onChoose: (index: number) => void }) {
  const { revisions, at, onChoose } = props;
  const oldestFirst = useMemo(() => [...revisions].reverse(), [revisions]);
  const last = revisions.length - 1;
  const lanes = useMemo(() => {
    const types = new Set(
      oldestFirst.flatMap(({ object }) => object?.status?.conditions?.map(({ type }) => type) ?? []),
    );
    return [...types].map((type) => ({
      type,
      states: oldestFirst.map(({ object }) => {
        const condition = object?.status?.conditions?.find((each) => each.type === type);
        return condition ? healthOfCondition(condition) : undefined;
      }),
    }));
  }, [oldestFirst]);
  const place = last - at;
  return (
    <div class="slider">
      {lanes.map(({ type, states }) => (
        <BarLane key={type} title={type} states={states} place={place} />
      ))}
      <label class="slider-line">
        <span class="lane-title">{T.history.slider}</span>
        <input
          type="range"
          min={0}
          max={Math.max(last, 0)}
          step={1}
          value={place}
          disabled={last === 0}
          aria-valuetext={`${T.history.revision} ${revisions[at]!.revision}, ${dateTime(revisions[at]!.time)}`}
          onInput={(event) => onChoose(last - Number(event.currentTarget.value))}
        />
      </label>
      <div class="slider-ends dim">
        <span>{dateTime(oldestFirst[0]?.time)}</span>
        <span>{dateTime(revisions[0]?.time)}</span>
      </div>
    </div>
  );
}

type Compared = 'before' | 'now' | 'whole';

function Chosen(props: { chosen: Revision; before: Revision | undefined; newest: Revision }) {
  const { chosen, before, newest } = props;
  const [compared, setCompared] = useState<Compared>('before');
  const text = (object: ApiObject | undefined): string => (object ? comparable(object) : '');
  const facts: readonly (readonly [string, string | undefined])[] = [
    [T.history.when, chosen.time && `${dateTime(chosen.time)} (${age(chosen.time)} ago)`],
    [T.history.who, chosen.user],
    [T.history.manager, chosen.manager],
    [T.history.cause, chosen.cause ?? (chosen.user === undefined ? undefined : T.history.own)],
    [T.history.revision, String(chosen.revision)],
  ];
  return (
    <section class="card chosen-revision" aria-label={T.history.chosen}>
      <dl class="facts">
        {facts.map(([term, value]) => (
          <div key={term}>
            <dt>{term}</dt>
            <dd>{value ? <bdi>{visible(value, 200)}</bdi> : <span class="dim">{T.history.unknown}</span>}</dd>
          </div>
        ))}
      </dl>
      <div class="toolbar">
        <div class="choices" role="group" aria-label={T.history.compare}>
          {(['before', 'now', 'whole'] as const).map((each) => (
            <button key={each} type="button" aria-pressed={each === compared} onClick={() => setCompared(each)}>
              {T.history.compared[each]}
            </button>
          ))}
        </div>
        <span class="grow" />
        <a href={link(['cluster'], { at: String(chosen.revision) })}>{T.history.clusterThen}</a>
      </div>
      {chosen.event === 'deleted' ? (
        <p class="dim">{T.history.events.deleted}</p>
      ) : !chosen.object ? (
        <p class="dim">{T.history.tooLarge}</p>
      ) : compared === 'now' ? (
        <DiffView before={text(chosen.object)} after={text(newest.object)} label={T.history.compared.now} />
      ) : compared === 'before' && chosen.event === 'updated' ? (
        <DiffView before={text(before?.object)} after={text(chosen.object)} label={T.history.compared.before} />
      ) : (
        <>
          {compared === 'before' && <p class="dim">{T.history.events[chosen.event]}</p>}
          <pre class="diff" tabIndex={0} aria-label={T.history.compared.whole}>
            {visible(text(chosen.object), 100_000)}
          </pre>
        </>
      )}
    </section>
  );
}
