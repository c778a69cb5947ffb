/** The laboratory: what happens when nodes die, components stop and requests fail, on a cluster that is simulated. */
import { useState } from 'preact/hooks';
import { ask, messageOf } from '../api/request.ts';
import { dateTime, visible } from '../format.ts';
import { Card, Notice, Pill } from '../parts/basics.tsx';
import { Field, LineForm, NumberField, TextField } from '../parts/fields.tsx';
import { toast } from '../parts/toasts.tsx';
import { usePolled } from '../parts/use-polled.ts';
import { link, objectLink } from '../router.ts';
import { T } from '../texts.ts';

interface LaboratoryState {
  readonly nodes?: readonly { readonly name: string; readonly silent: boolean }[];
  readonly components?: readonly { readonly name: string; readonly running: boolean }[];
  readonly faults?: readonly {
    readonly id: number;
    readonly kind: keyof typeof T.laboratory.faults;
    readonly resource: string;
    readonly probability: number;
    readonly hits: number;
  }[];
  readonly time?: number;
}

type Act = (action: string, details?: object) => void;

const REFRESH_MS = 2000;
const MAX_NODES = 60;

export function LaboratoryPage() {
  const {
    value: state,
    error,
    show,
  } = usePolled((signal) => ask<LaboratoryState>('laboratory', { signal }), { everyMs: REFRESH_MS, on: [] });
  const act: Act = (action, details = {}) => {
    ask<LaboratoryState>('laboratory', { body: { action, ...details } }).then(
      (found) => {
        show(found);
        toast(T.laboratory.done);
      },
      (problem: unknown) => toast(messageOf(problem), { bad: true }),
    );
  };
  return (
    <div class="page">
      <div class="toolbar">
        <h1>{T.laboratory.title}</h1>
        <span class="grow" />
        <a href={link(['cluster'])}>{T.laboratory.watch}</a>
      </div>
      {error !== undefined && <Notice kind="error">{visible(error)}</Notice>}
      {state && !state.nodes && <Notice>{T.laboratory.none}</Notice>}
      {state?.nodes && (
        <div class="cards">
          <Nodes nodes={state.nodes} act={act} />
          <Faults faults={state.faults ?? []} act={act} />
          <Components components={state.components ?? []} act={act} />
          <Time time={state.time} act={act} />
        </div>
      )}
    </div>
  );
}

function Nodes({ nodes, act }: { nodes: NonNullable<LaboratoryState['nodes']>; act: Act }) {
  const [count, setCount] = useState(1);
  return (
    <Card title={T.laboratory.nodes(nodes.length)}>
      <LineForm submit={T.laboratory.add} onSubmit={() => act('addNodes', { count })}>
        <NumberField label={T.laboratory.count} min={1} max={1000} value={count} onChange={setCount} />
      </LineForm>
      <ul class="experiments">
        {nodes.slice(0, MAX_NODES).map(({ name, silent }) => (
          <li key={name}>
            <Pill health={silent ? 'bad' : 'ok'} text={silent ? T.laboratory.silent : T.laboratory.alive} />
            <a href={objectLink('nodes', { name })}>{visible(name)}</a>
            <span class="grow" />
            <button
              type="button"
              aria-label={`${silent ? T.laboratory.wake : T.laboratory.kill} ${name}`}
              onClick={() => act(silent ? 'wakeNode' : 'silenceNode', { node: name })}
            >
              {silent ? T.laboratory.wake : T.laboratory.kill}
            </button>
            <button
              type="button"
              class="danger"
              aria-label={`${T.laboratory.remove} ${name}`}
              onClick={() => act('removeNode', { node: name })}
            >
              {T.laboratory.remove}
            </button>
          </li>
        ))}
      </ul>
      {nodes.length > MAX_NODES && <p class="dim">{T.object.moreRelated(nodes.length - MAX_NODES)}</p>}
      <p class="dim">{T.laboratory.silence}</p>
    </Card>
  );
}

function Faults({ faults, act }: { faults: NonNullable<LaboratoryState['faults']>; act: Act }) {
  const [kind, setKind] = useState<keyof typeof T.laboratory.faults>('errors');
  const [resource, setResource] = useState('');
  const [percent, setPercent] = useState(20);
  const [ms, setMs] = useState(500);
  return (
    <Card title={T.laboratory.faultsTitle}>
      <LineForm
        submit={T.laboratory.inject}
        onSubmit={() => act('fault', { kind, resource, probability: percent / 100, ms })}
      >
        <Field label={T.laboratory.kind}>
          <select value={kind} onChange={(event) => setKind(event.currentTarget.value as typeof kind)}>
            {Object.entries(T.laboratory.faults).map(([name, text]) => (
              <option key={name} value={name}>
                {text}
              </option>
            ))}
          </select>
        </Field>
        <TextField label={T.laboratory.resource} placeholder="pods" value={resource} onChange={setResource} />
        <NumberField label={T.laboratory.percent} min={1} max={100} value={percent} onChange={setPercent} />
        {kind === 'delay' && <NumberField label={T.laboratory.ms} min={1} max={60_000} value={ms} onChange={setMs} />}
      </LineForm>
      {faults.length === 0 && <p class="dim">{T.laboratory.noFaults}</p>}
      <ul class="experiments">
        {faults.map((fault) => (
          <li key={fault.id}>
            <Pill health="bad" text={T.laboratory.faults[fault.kind]} />
            <span>{T.laboratory.where(visible(fault.resource), Math.round(fault.probability * 100), fault.hits)}</span>
            <span class="grow" />
            <button type="button" onClick={() => act('lift', { id: fault.id })}>
              {T.laboratory.lift}
            </button>
          </li>
        ))}
      </ul>
    </Card>
  );
}

const Components = ({ components, act }: { components: NonNullable<LaboratoryState['components']>; act: Act }) => (
  <Card title={T.laboratory.components}>
    <ul class="experiments">
      {components.map(({ name, running }) => (
        <li key={name}>
          <Pill health={running ? 'ok' : 'bad'} text={running ? T.laboratory.runs : T.laboratory.stopped} />
          <span>{name}</span>
          <span class="grow" />
          <button
            type="button"
            aria-label={`${running ? T.laboratory.stop : T.laboratory.start} ${name}`}
            onClick={() => act(running ? 'kill' : 'restart', { component: name })}
          >
            {running ? T.laboratory.stop : T.laboratory.start}
          </button>
        </li>
      ))}
    </ul>
  </Card>
);

const STEPS = [
  [60, 'minute'],
  [3600, 'hour'],
  [86_400, 'day'],
] as const;

const Time = ({ time, act }: { time: number | undefined; act: Act }) => (
  <Card title={T.laboratory.time}>
    {time === undefined ? (
      <p class="dim">{T.laboratory.realTime}</p>
    ) : (
      <>
        <p>
          <strong>{dateTime(new Date(time).toISOString())}</strong>
        </p>
        <div class="toolbar">
          {STEPS.map(([seconds, name]) => (
            <button key={seconds} type="button" onClick={() => act('advance', { seconds })}>
              {T.laboratory.forward(name)}
            </button>
          ))}
        </div>
      </>
    )}
  </Card>
);
