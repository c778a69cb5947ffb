/** Traces: what a write caused, request by request. */
import { signal } from '@preact/signals';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { messageOf } from '../api/request.ts';
import { findType } from '../api/resources.ts';
import {
  milliseconds,
  NewestRoots,
  parseTrace,
  readTrace,
  textOf,
  titleOf,
  userOf,
  type Span,
  type Trace,
} from '../api/trace.ts';
import { age, visible } from '../format.ts';
import { Card, Notice, Pill } from '../parts/basics.tsx';
import { Check, SearchField } from '../parts/fields.tsx';
import { NamespacePicker } from '../parts/namespaces.tsx';
import { toast } from '../parts/toasts.tsx';
import { usePolled } from '../parts/use-polled.ts';
import { go, link, route, setQuery } from '../router.ts';
import { T } from '../texts.ts';
import { TracePicture } from './trace-picture.tsx';
import { stepsOf } from './trace-steps.ts';
import { Waterfall } from './trace-waterfall.tsx';

/** What was opened from a file. */
const opened = signal<Trace | undefined>(undefined);
const FROM_FILE = 'file';
const REFRESH_MS = 1000;
const MAX_ROOTS = 50;
/** A trace that has not changed for as many reads is read no more. */
const QUIET_READS = 5;
const MAX_FILE_BYTES = 32 * 1024 * 1024;

export function TracePage({ id }: { id: string | undefined }) {
  if (id === FROM_FILE && opened.value) return <OneTrace id={id} trace={opened.value} />;
  // Other clusters serve no glass; a trace of a file can be opened there, too.
  if (!findType('traces.glass.k8ts.dev'))
    return (
      <div class="page">
        <Heading />
        <Notice>{T.trace.notServed}</Notice>
      </div>
    );
  return id === undefined || id === FROM_FILE ? <Roots /> : <Followed key={id} id={id} />;
}

function Heading({ trace }: { trace?: Trace }) {
  return (
    <div class="toolbar">
      <h1>{trace ? visible(titleOf(trace.root.span, trace.root.children), 200) : T.trace.title}</h1>
      <span class="grow" />
      {trace && (
        <button type="button" onClick={() => save(trace)}>
          {T.trace.save}
        </button>
      )}
      <label class="button">
        {T.trace.open}
        <input
          type="file"
          accept=".json,application/json"
          class="file"
          onChange={(event) => {
            const file = event.currentTarget.files?.[0];
            if (file) void openFile(file).catch((error: unknown) => toast(messageOf(error), { bad: true }));
          }}
        />
      </label>
    </div>
  );
}

async function openFile(file: File): Promise<void> {
  if (file.size > MAX_FILE_BYTES) throw new Error(T.trace.tooLarge);
  opened.value = parseTrace(await file.text());
  go(link(['trace', FROM_FILE]));
}

function save(trace: Trace): void {
  const url = URL.createObjectURL(new Blob([JSON.stringify({ kind: 'Trace', trace })], { type: 'application/json' }));
  const anchor = document.createElement('a');
  anchor.href = url;
  anchor.download = `trace-${trace.root.span.id}.json`;
  anchor.click();
  URL.revokeObjectURL(url);
}

function Roots() {
  const { query } = route.value;
  const namespace = query.get('namespace') ?? '';
  const system = query.get('system') === '1';
  const newest = useMemo(() => new NewestRoots({ namespace, components: system }), [namespace, system]);
  const { value: roots, error } = usePolled((ended) => newest.read(ended), { everyMs: REFRESH_MS, on: [newest] });
  const search = (query.get('search') ?? '').toLowerCase();
  const found = roots?.filter((span) => (system || isWrite(span)) && matches(span, search));
  const shown = found?.slice(0, MAX_ROOTS);
  return (
    <div class="page">
      <Heading />
      <p class="dim">{T.trace.intro}</p>
      <div class="toolbar filters">
        <NamespacePicker />
        <SearchField
          label={T.trace.search}
          value={query.get('search') ?? ''}
          onChange={(text) => setQuery({ search: text })}
        />
        <Check
          label={T.trace.system}
          checked={system}
          onChange={(checked) => setQuery({ system: checked ? '1' : undefined })}
        />
      </div>
      {error !== undefined && <Notice kind="error">{visible(error)}</Notice>}
      {roots === undefined && error === undefined && <Notice>{T.state.loading}</Notice>}
      {shown?.length === 0 && <Notice>{search === '' ? T.trace.none : T.trace.noMatch}</Notice>}
      {shown && shown.length > 0 && (
        <Card title={T.trace.newest} wide>
          <table class="plain">
            <thead>
              <tr>
                <th scope="col">{T.trace.columns.what}</th>
                <th scope="col">{T.trace.columns.who}</th>
                <th scope="col">{T.trace.columns.result}</th>
                <th scope="col">{T.trace.columns.took}</th>
                <th scope="col">{T.trace.columns.when}</th>
              </tr>
            </thead>
            <tbody>
              {shown.map((span) => (
                <tr key={span.id}>
                  <th scope="row">
                    <a href={link(['trace', String(span.id)], { namespace })}>{visible(titleOf(span), 120)}</a>
                  </th>
                  <td>{visible(userOf(span), 60)}</td>
                  <td>
                    <Pill
                      health={span.error === undefined ? 'ok' : 'bad'}
                      text={textOf(span, 'http.response.status_code') || (span.error ?? 'done')}
                    />
                  </td>
                  <td>{span.endedAt === undefined ? '' : milliseconds(span.endedAt - span.startedAt)}</td>
                  <td>{age(new Date(span.startedAt).toISOString())}</td>
                </tr>
              ))}
            </tbody>
          </table>
          {found && found.length > MAX_ROOTS && <p class="dim">{T.trace.older(found.length - MAX_ROOTS)}</p>}
        </Card>
      )}
    </div>
  );
}

const matches = (span: Span, search: string): boolean =>
  `${titleOf(span)} ${textOf(span, 'user.name')}`.toLowerCase().includes(search);

const isWrite = (span: Span): boolean =>
  'http.request.method' in span.attributes &&
  // A review is a question, although it is sent as a create.
  !textOf(span, 'k8s.resource').endsWith('reviews');

function Followed({ id }: { id: string }) {
  const namespace = route.value.query.get('namespace') ?? '';
  const [trace, setTrace] = useState<Trace>();
  const [error, setError] = useState<string>();
  useEffect(() => {
    const ended = new AbortController();
    let [known, quiet, timer] = ['', 0, 0];
    const read = async (): Promise<void> => {
      const next = await readTrace(id, { namespace, signal: ended.signal });
      const state = `${next.size} ${next.open.length}`;
      quiet = state === known ? quiet + 1 : 0;
      if (state !== known) setTrace(next);
      known = state;
      if (quiet < QUIET_READS) timer = window.setTimeout(again, REFRESH_MS);
    };
    const again = (): void =>
      void read().catch((problem: unknown) => {
        if (!ended.signal.aborted) setError(messageOf(problem));
      });
    again();
    return () => {
      clearTimeout(timer);
      ended.abort();
    };
  }, [id, namespace]);
  if (trace) return <OneTrace id={id} trace={trace} />;
  return (
    <div class="page">
      <Heading />
      {error === undefined ? (
        <Notice>{T.state.loading}</Notice>
      ) : (
        <Notice kind="error">{`${T.trace.gone} (${visible(error)})`}</Notice>
      )}
    </div>
  );
}

const SPEEDS = [2000, 800, 250] as const;

function OneTrace({ id, trace }: { id: string; trace: Trace }) {
  const steps = useMemo(() => stepsOf(trace), [trace]);
  const [at, setAt] = useState(0);
  const [playing, setPlaying] = useState(false);
  const [stepMs, setStepMs] = useState<number>(SPEEDS[1]);
  const place = Math.min(at, steps.length - 1);
  const step = steps[place]!;
  const timer = useRef(0);
  useEffect(() => {
    if (!playing) return undefined;
    timer.current = window.setTimeout(() => {
      if (place >= steps.length - 1) setPlaying(false);
      else setAt(place + 1);
    }, stepMs);
    return () => clearTimeout(timer.current);
  }, [playing, place, stepMs, steps.length]);
  const move = (to: number): void => {
    setPlaying(false);
    setAt(Math.max(0, Math.min(steps.length - 1, to)));
  };
  const { writes, refusals, reconciles, deliveries } = trace.counts;
  return (
    <div class="page">
      <nav class="crumbs" aria-label={T.place}>
        <a href={link(['trace'])}>{T.trace.title}</a>
      </nav>
      <Heading trace={trace} />
      <p>
        <span class="dim">
          {userOf(trace.root.span) && `${T.trace.by} ${visible(userOf(trace.root.span), 60)} · `}
          {T.trace.counts({ writes, refusals, reconciles, deliveries })} ·{' '}
          {T.trace.settled(milliseconds(trace.settledAt - trace.startedAt))}
          {id === FROM_FILE && ` · ${T.trace.fromFile}`}
        </span>
      </p>
      <section class="card trace-picture" aria-label={T.trace.picture}>
        <TracePicture steps={steps} at={place} stepMs={stepMs} />
        <div class="step" role="status" aria-live={playing ? 'off' : 'polite'}>
          <p>
            <span class="dim">
              {place + 1}/{steps.length}
            </span>{' '}
            <strong>{visible(step.title, 200)}</strong>
          </p>
          <p class="dim">
            {T.trace.actors[step.from]} → {T.trace.actors[step.to]} · {visible(step.details, 300)}
          </p>
        </div>
        <div class="toolbar player">
          <button type="button" onClick={() => move(0)} aria-label={T.trace.first}>
            ⇤
          </button>
          <button type="button" onClick={() => move(place - 1)} aria-label={T.trace.back}>
            ◀
          </button>
          <button
            type="button"
            class="primary"
            onClick={() => {
              if (!playing && place === steps.length - 1) setAt(0);
              setPlaying(!playing);
            }}
          >
            {playing ? T.trace.pause : T.trace.play}
          </button>
          <button type="button" onClick={() => move(place + 1)} aria-label={T.trace.next}>
            ▶
          </button>
          <input
            type="range"
            min={0}
            max={steps.length - 1}
            value={place}
            aria-label={T.trace.step}
            onInput={(event) => move(Number(event.currentTarget.value))}
          />
          <div class="choices" role="group" aria-label={T.trace.speed}>
            {SPEEDS.map((each, index) => (
              <button key={each} type="button" aria-pressed={each === stepMs} onClick={() => setStepMs(each)}>
                {T.trace.speeds[index]}
              </button>
            ))}
          </div>
        </div>
      </section>
      <Card title={T.trace.waterfall} wide>
        <Waterfall trace={trace} steps={steps} at={place} onChoose={move} />
      </Card>
    </div>
  );
}
