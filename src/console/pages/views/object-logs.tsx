/** Logs of a pod, or of all pods of a workload, as they are written. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { ApiObject, ObjectList, PodObject } from '../api/objects.ts';
import { api, apiText, messageOf, openSocket } from '../api/request.ts';
import { findType, pathOf } from '../api/resources.ts';
import { visible } from '../format.ts';
import { Notice } from '../parts/basics.tsx';
import { Check, Field, SearchField } from '../parts/fields.tsx';
import { route, setQuery } from '../router.ts';
import { T } from '../texts.ts';
import { LogText } from './log-text.tsx';
import type { TabProps } from './tab-props.ts';

interface Source {
  readonly pod: string;
  readonly namespace: string;
  readonly container: string;
}

interface Line {
  readonly from: string;
  readonly text: string;
}

const MAX_LINES = 20_000;
const TAIL_LINES = 2000;
const MAX_SOURCES = 12;
const LINE_PX = 20;
const ANSI = /\u001b\[[0-9;]*[A-Za-z]/g;

const selectorOf = (object: ApiObject): string => {
  const labels = (object.spec?.['selector'] as { matchLabels?: Record<string, string> } | undefined)?.matchLabels ?? {};
  return Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
};

async function podsOf({ type, object }: TabProps): Promise<readonly PodObject[]> {
  if (type.key === 'pods') return [object as PodObject];
  const query = new URLSearchParams({ labelSelector: selectorOf(object), limit: '50' });
  const path = pathOf(findType('pods')!, { namespace: object.metadata.namespace });
  return (await api<ObjectList<PodObject>>(`${path}?${query.toString()}`)).items;
}

const sourcesOf = (pods: readonly PodObject[]): Source[] =>
  pods.flatMap(({ metadata, spec }) =>
    [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])].map(({ name }) => ({
      pod: metadata.name,
      namespace: metadata.namespace ?? '',
      container: name,
    })),
  );

const logPath = ({ pod, namespace, container }: Source, query: Record<string, string>): string =>
  `${pathOf(findType('pods')!, { namespace, name: pod })}/log?${new URLSearchParams({ container, tailLines: String(TAIL_LINES), ...query }).toString()}`;

export function LogsTab(props: TabProps) {
  const [pods, setPods] = useState<readonly PodObject[]>();
  const [problem, setProblem] = useState<string>();
  const isPod = props.type.key === 'pods';
  useEffect(() => {
    podsOf(props).then(setPods, (error: unknown) => setProblem(messageOf(error)));
  }, [props.object.metadata.uid, isPod ? '' : props.object.metadata.resourceVersion]);
  if (problem !== undefined) return <Notice kind="error">{visible(problem)}</Notice>;
  if (pods === undefined) return <Notice>{T.state.loading}</Notice>;
  if (pods.length === 0) return <Notice>{T.logs.noPods}</Notice>;
  return <Logs pods={pods} />;
}

function Logs({ pods }: { pods: readonly PodObject[] }) {
  const { query } = route.value;
  const container = query.get('container') ?? '';
  const pod = query.get('pod') ?? '';
  const previous = query.get('previous') === '1';
  const search = query.get('logsearch') ?? '';
  const [follow, setFollow] = useState(true);
  const [wrap, setWrap] = useState(false);
  const [json, setJson] = useState(true);
  const all = useMemo(() => sourcesOf(pods), [pods.map(({ metadata }) => metadata.uid).join()]);
  const chosen = useMemo(
    () =>
      all
        .filter((source) => (container === '' || source.container === container) && (pod === '' || source.pod === pod))
        .slice(0, MAX_SOURCES),
    [all, container, pod],
  );
  const { lines, notes } = useLines(chosen, { previous, follow });
  const wanted = search.toLowerCase();
  const shown = useMemo(
    () => (wanted === '' ? lines : lines.filter(({ text }) => text.toLowerCase().includes(wanted))),
    [lines, wanted],
  );
  const several = new Set(chosen.map(({ pod: name, container: of }) => `${name}/${of}`)).size > 1;
  return (
    <>
      <div class="toolbar filters">
        <Field label={T.logs.container}>
          <select
            value={`${pod}/${container}`}
            onChange={(event) => {
              const [toPod, toContainer] = event.currentTarget.value.split('/');
              setQuery({ pod: toPod, container: toContainer });
            }}
          >
            <option value="/">{T.logs.all}</option>
            {container !== '' && pod === '' && <option value={`/${container}`}>{visible(container)}</option>}
            {all.map((source) => (
              <option key={`${source.pod}/${source.container}`} value={`${source.pod}/${source.container}`}>
                {visible(pods.length > 1 ? `${source.pod}/${source.container}` : source.container)}
              </option>
            ))}
          </select>
        </Field>
        <SearchField label={T.logs.search} value={search} onChange={(logsearch) => setQuery({ logsearch })} />
        <Check
          label={T.logs.previous}
          checked={previous}
          onChange={(checked) => setQuery({ previous: checked ? '1' : undefined })}
        />
        <Check label={T.logs.follow} checked={follow} onChange={setFollow} />
        <Check label={T.logs.wrap} checked={wrap} onChange={setWrap} />
        <Check label={T.logs.json} checked={json} onChange={setJson} />
        <span class="grow" />
        <span class="dim">{T.logs.count(shown.length)}</span>
      </div>
      {previous && container !== '' && <p class="dim">{T.logs.crashed(visible(container))}</p>}
      {notes.map((note) => (
        <Notice key={note}>{visible(note)}</Notice>
      ))}
      <LogLines
        lines={shown}
        several={several}
        follow={follow}
        wrap={wrap}
        json={json}
        search={wanted}
        empty={lines.length === 0 ? T.logs.empty : T.logs.none}
      />
    </>
  );
}

function useLines(sources: readonly Source[], { previous, follow }: { previous: boolean; follow: boolean }) {
  const [lines, setLines] = useState<readonly Line[]>([]);
  const [notes, setNotes] = useState<readonly string[]>([]);
  useEffect(() => {
    const buffer: Line[] = [];
    const ended = new AbortController();
    const sockets: WebSocket[] = [];
    let scheduled = false;
    setLines([]);
    setNotes([]);
    const show = (): void => {
      if (scheduled || ended.signal.aborted) return;
      scheduled = true;
      requestAnimationFrame(() => {
        scheduled = false;
        if (buffer.length > MAX_LINES) buffer.splice(0, buffer.length - MAX_LINES);
        if (!ended.signal.aborted) setLines([...buffer]);
      });
    };
    const note = (text: string): void => {
      if (!ended.signal.aborted) setNotes((old) => (old.includes(text) ? old : [...old, text]));
    };
    for (const source of sources) {
      const from = `${source.pod}/${source.container}`;
      const take = (text: string): void => {
        for (const line of text.split('\n')) if (line !== '') buffer.push({ from, text: line.replace(ANSI, '') });
        show();
      };
      const read = (): void => {
        const query: Record<string, string> = previous ? { previous: 'true' } : {};
        apiText(logPath(source, query), { signal: ended.signal }).then(take, (error: unknown) => {
          // Only the API server's own words say why there is no log.
          if (!ended.signal.aborted) note(`${source.container}: ${messageOf(error)}`);
        });
      };
      if (previous || !follow) read();
      else sockets.push(followLog(source, { take, failed: read }));
    }
    return () => {
      ended.abort();
      for (const socket of sockets) socket.close();
    };
  }, [sources, previous, follow]);
  return { lines, notes };
}

function followLog(source: Source, { take, failed }: { take: (text: string) => void; failed: () => void }): WebSocket {
  const socket = openSocket(logPath(source, { follow: 'true' }), ['binary.k8s.io']);
  const decoder = new TextDecoder();
  let rest = '';
  let opened = false;
  socket.addEventListener('open', () => (opened = true));
  socket.addEventListener('message', ({ data }) => {
    rest += typeof data === 'string' ? data : decoder.decode(data as ArrayBuffer, { stream: true });
    const end = rest.lastIndexOf('\n');
    if (end < 0) return;
    take(rest.slice(0, end));
    rest = rest.slice(end + 1);
  });
  socket.addEventListener('close', () => {
    if (rest !== '') take(rest);
    // A browser is not told why a WebSocket was refused.
    if (!opened) failed();
  });
  return socket;
}

interface LogLinesProps {
  readonly lines: readonly Line[];
  readonly several: boolean;
  readonly follow: boolean;
  readonly wrap: boolean;
  readonly json: boolean;
  readonly search: string;
  readonly empty: string;
}

function LogLines(props: LogLinesProps) {
  const { lines, several, follow, wrap, json, search, empty } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 400 });
  useEffect(() => {
    const element = scroller.current!;
    const measure = (): void => setView({ top: element.scrollTop, height: element.clientHeight });
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    element.addEventListener('scroll', measure, { passive: true });
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    const element = scroller.current!;
    if (follow) element.scrollTop = element.scrollHeight;
  }, [lines, follow]);
  // Wrapped lines have heights of their own, so all of a smaller number are shown.
  const from = wrap ? Math.max(0, lines.length - TAIL_LINES) : Math.max(0, Math.floor(view.top / LINE_PX) - 20);
  const to = wrap ? lines.length : Math.min(lines.length, Math.ceil((view.top + view.height) / LINE_PX) + 20);
  return (
    <div class={wrap ? 'log wrap' : 'log'} ref={scroller} tabIndex={0} role="log" aria-label={T.logs.text}>
      {lines.length === 0 && <p class="dim">{empty}</p>}
      <div style={wrap ? {} : { height: `${lines.length * LINE_PX}px`, paddingTop: `${from * LINE_PX}px` }}>
        {lines.slice(from, to).map((line, at) => (
          <div key={from + at}>
            {several && <span class="from">{visible(line.from, 60)} </span>}
            <LogText text={line.text} json={json} search={search} />
          </div>
        ))}
      </div>
    </div>
  );
}
