/** "Would this fit?": a pod that does not exist, judged by the scheduler's plugins on every node. */
import { useState } from 'preact/hooks';
import { parse, stringify } from 'yaml';
import { ask, messageOf } from '../api/request.ts';
import { Editor } from '../edit/editor.tsx';
import { visible } from '../format.ts';
import { Card, Notice, Pill } from '../parts/basics.tsx';
import { objectLink } from '../router.ts';
import { T } from '../texts.ts';

interface NodeFit {
  readonly node: string;
  readonly fits: boolean;
  readonly filters: readonly { readonly plugin: string; readonly reasons: readonly string[] }[];
  readonly scores?: Readonly<Record<string, number>>;
  readonly total?: number;
}

interface Fit {
  readonly node: string;
  readonly feasibleNodes: number;
  readonly totalNodes: number;
  readonly refusals: readonly string[];
  readonly nodes: readonly NodeFit[];
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
    <label class="field">
      <span>{label}</span>
      <input
        type="text"
        value={form[name]}
        placeholder={hint}
        spellcheck={false}
        onInput={(event) => setForm({ ...form, [name]: event.currentTarget.value })}
      />
    </label>
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
              <label class="check">
                <input
                  type="checkbox"
                  checked={form.toleratesAll}
                  onChange={(event) => setForm({ ...form, toleratesAll: event.currentTarget.checked })}
                />
                {T.fit.tolerates}
              </label>
            </>
          )}
          <button type="submit" class="primary">
            {T.fit.ask}
          </button>
          <button type="button" onClick={() => setYaml(yaml === undefined ? stringify(podOf(form)) : undefined)}>
            {yaml === undefined ? T.fit.asYaml : T.fit.asForm}
          </button>
          <span
            class="pod-chip"
            draggable
            aria-hidden="true"
            onDragStart={(event) => event.dataTransfer?.setData('text/plain', 'hypothetical')}
          >
            {T.fit.chip}
          </span>
        </div>
        {yaml !== undefined && (
          <div class="small-editor">
            <Editor text={yaml} version="" onChange={setYaml} />
          </div>
        )}
      </form>
      {error !== undefined && <Notice kind="error">{visible(error)}</Notice>}
      {fit && <Result fit={fit} chosen={chosen} onChoose={setChosen} onDrop={(node) => void evaluate(node)} />}
    </Card>
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
  const detail = nodes.find((each) => each.node === chosen);
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
      <div class="fit-result">
        <ul class="fit-nodes" aria-label={T.fit.nodes}>
          {nodes.map((each) => (
            <li key={each.node}>
              <button
                type="button"
                class={each.node === chosen ? 'fit-node chosen' : 'fit-node'}
                aria-current={each.node === chosen ? 'true' : undefined}
                onClick={() => onChoose(each.node)}
                onDragOver={(event) => event.preventDefault()}
                onDrop={(event) => {
                  event.preventDefault();
                  onDrop(each.node);
                }}
              >
                <Pill health={each.fits ? 'ok' : 'bad'} text={each.node} />
                <span class="dim">
                  {each.fits
                    ? T.fit.score(each.total ?? 0)
                    : visible(each.filters.flatMap(({ reasons }) => reasons).join(', '), 120)}
                </span>
              </button>
            </li>
          ))}
        </ul>
        {detail && <NodeDetail detail={detail} />}
      </div>
    </div>
  );
}

function NodeDetail({ detail: { node, filters, scores = {}, total } }: { detail: NodeFit }) {
  return (
    <div>
      <h3>
        <a href={objectLink('nodes', { name: node })}>{visible(node)}</a>
      </h3>
      <table class="plain">
        <thead>
          <tr>
            <th scope="col">{T.fit.plugin}</th>
            <th scope="col">{T.fit.filter}</th>
            <th scope="col">{T.fit.scored}</th>
          </tr>
        </thead>
        <tbody>
          {[...new Set([...filters.map(({ plugin }) => plugin), ...Object.keys(scores)])].map((plugin) => {
            const filter = filters.find((each) => each.plugin === plugin);
            const refused = filter !== undefined && filter.reasons.length > 0;
            return (
              <tr key={plugin}>
                <th scope="row">{visible(plugin)}</th>
                <td>
                  {filter && (
                    <Pill health={refused ? 'bad' : 'ok'} text={refused ? filter.reasons.join(', ') : T.fit.passes} />
                  )}
                </td>
                <td>{Object.hasOwn(scores, plugin) ? scores[plugin] : ''}</td>
              </tr>
            );
          })}
          {total !== undefined && (
            <tr>
              <th scope="row">{T.fit.total}</th>
              <td />
              <td>
                <strong>{total}</strong>
              </td>
            </tr>
          )}
        </tbody>
      </table>
    </div>
  );
}
