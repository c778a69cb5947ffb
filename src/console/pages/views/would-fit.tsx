/** "Would this fit?": a pod that does not exist, judged by the scheduler's plugins on every node. */
import { useState } from 'preact/hooks';
import { parse, stringify } from 'yaml';
import { ask, messageOf } from '../api/request.ts';
import { findType } from '../api/resources.ts';
import { Editor } from '../edit/editor.tsx';
import { visible } from '../format.ts';
import { Card, Notice, Pill } from '../parts/basics.tsx';
import { Check, TextField } from '../parts/fields.tsx';
import { useFeed } from '../parts/use-feed.ts';
import { T } from '../texts.ts';
import { dropTarget, NodeJudgements, type NodeJudgement } from './node-judgements.tsx';

interface Fit {
  readonly node: string;
  readonly feasibleNodes: number;
  readonly totalNodes: number;
  readonly refusals: readonly string[];
  readonly nodes: readonly NodeJudgement[];
  readonly whatWouldHelp: readonly string[];
}

interface Form {
  readonly cpu: string;
  readonly memory: string;
  readonly selector: string;
  readonly toleratesAll: boolean;
}

const EMPTY: Form = { cpu: '500m', memory: '256Mi', selector: '', toleratesAll: false };

function podOf({ cpu, memory, selector, toleratesAll }: Form): Record<string, unknown> {
  const pairs = selector.split(',').flatMap((pair) => {
    const [key = '', value = ''] = pair.split('=').map((part) => part.trim());
    return key === '' ? [] : [[key, value] as const];
  });
  const requests = { ...(cpu ? { cpu } : {}), ...(memory ? { memory } : {}) };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'hypothetical', namespace: 'default' },
    spec: {
      containers: [{ name: 'main', image: 'hypothetical', resources: { requests } }],
      ...(pairs.length > 0 ? { nodeSelector: Object.fromEntries(pairs) } : {}),
      ...(toleratesAll ? { tolerations: [{ operator: 'Exists' }] } : {}),
    },
  };
}

export function WouldFit() {
  const [form, setForm] = useState(EMPTY);
  /** The pod as text once somebody prefers it. */
  const [yaml, setYaml] = useState<string>();
  const [fit, setFit] = useState<Fit>();
  const [error, setError] = useState<string>();
  const [chosen, setChosen] = useState('');
  const evaluate = async (node = ''): Promise<void> => {
    try {
      const pod = yaml === undefined ? podOf(form) : (parse(yaml) as Record<string, unknown>);
      const answer = await ask<Fit>('fit', { body: { pod } });
      setFit(answer);
      setError(undefined);
      setChosen(node || answer.node || (answer.nodes[0]?.node ?? ''));
    } catch (problem) {
      setFit(undefined);
      setError(messageOf(problem));
    }
  };
  const field = (name: 'cpu' | 'memory' | 'selector', label: string, hint = '') => (
    <TextField
      label={label}
      placeholder={hint}
      value={form[name]}
      onChange={(value) => setForm({ ...form, [name]: value })}
    />
  );
  return (
    <Card title={T.fit.title}>
      <form
        class="fit-form"
        onSubmit={(event) => {
          event.preventDefault();
          void evaluate();
        }}
      >
        <p class="dim">{T.fit.intro}</p>
        <div class="toolbar filters">
          {yaml === undefined && (
            <>
              {field('cpu', T.fit.cpu)}
              {field('memory', T.fit.memory)}
              {field('selector', T.fit.selector, T.fit.selectorHint)}
              <Check
                label={T.fit.tolerates}
                checked={form.toleratesAll}
                onChange={(toleratesAll) => setForm({ ...form, toleratesAll })}
              />
            </>
          )}
          <button type="submit" class="primary">
            {T.fit.ask}
          </button>
          <button type="button" onClick={() => setYaml(yaml === undefined ? stringify(podOf(form)) : undefined)}>
            {yaml === undefined ? T.fit.asYaml : T.fit.asForm}
          </button>
        </div>
        {yaml !== undefined && (
          <div class="small-editor">
            <Editor text={yaml} version="" onChange={setYaml} />
          </div>
        )}
      </form>
      {error !== undefined && <Notice kind="error">{visible(error)}</Notice>}
      <Targets shows={!fit} onDrop={(node) => void evaluate(node)} />
      {fit && <Result fit={fit} chosen={chosen} onChoose={setChosen} onDrop={(node) => void evaluate(node)} />}
    </Card>
  );
}

const MAX_TARGETS = 60;

/** The pod to drag, and until somebody has asked the nodes to drop it on: later the judged ones are there for it. */
function Targets({ shows, onDrop }: { shows: boolean; onDrop: (node: string) => void }) {
  const nodes = useFeed(findType('nodes')!).rows.value;
  return (
    <ul class="fit-targets" aria-label={T.fit.nodes}>
      <li
        class="pod-chip"
        draggable
        aria-hidden="true"
        onDragStart={(event) => event.dataTransfer?.setData('text/plain', 'hypothetical')}
      >
        {T.fit.chip}
      </li>
      {(shows ? nodes : []).slice(0, MAX_TARGETS).map(({ name }) => (
        <li key={name}>
          <button
            type="button"
            aria-label={T.fit.onNode(visible(name))}
            onClick={() => onDrop(name)}
            {...dropTarget(() => onDrop(name))}
          >
            {visible(name, 60)}
          </button>
        </li>
      ))}
      {shows && nodes.length > MAX_TARGETS && <li class="dim">{T.object.moreRelated(nodes.length - MAX_TARGETS)}</li>}
    </ul>
  );
}

interface ResultProps {
  readonly fit: Fit;
  readonly chosen: string;
  readonly onChoose: (node: string) => void;
  readonly onDrop: (node: string) => void;
}

function Result({ fit, chosen, onChoose, onDrop }: ResultProps) {
  const { node, feasibleNodes, totalNodes, refusals, nodes, whatWouldHelp } = fit;
  return (
    <div class="fit" role="status">
      <p class="why-state">
        <Pill health={node ? 'ok' : 'bad'} text={node ? T.fit.fits(visible(node)) : T.fit.fitsNot} />{' '}
        <span class="dim">{T.fit.of(feasibleNodes, totalNodes)}</span>
      </p>
      {refusals.map((refusal) => (
        <Notice key={refusal} kind="error">
          {visible(refusal)}
        </Notice>
      ))}
      {whatWouldHelp.length > 0 && (
        <ul class="evidence">
          {whatWouldHelp.map((line) => (
            <li key={line}>
              {T.why.helps}: {visible(line)}
            </li>
          ))}
        </ul>
      )}
      <NodeJudgements nodes={nodes} chosen={chosen} onChoose={onChoose} onDrop={onDrop} />
    </div>
  );
}
