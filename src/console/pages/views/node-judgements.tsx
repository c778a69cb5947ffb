/** What the scheduler's plugins said about each node for one pod. */
import { visible } from '../format.ts';
import { Pill } from '../parts/basics.tsx';
import { objectLink } from '../router.ts';
import { T } from '../texts.ts';

interface Filtered {
  readonly plugin: string;
  /** `pass`, `fail`, or why the plugin was not asked. */
  readonly result: string;
  readonly reasons?: readonly string[];
}

export interface NodeJudgement {
  readonly node: string;
  readonly fits: boolean;
  readonly filters: readonly Filtered[];
  readonly scores?: Readonly<Record<string, number>>;
  readonly total?: number;
}

interface NodeJudgementsProps {
  readonly nodes: readonly NodeJudgement[];
  readonly chosen: string;
  readonly onChoose: (node: string) => void;
  /** When a hypothetical pod is dropped on a node. */
  readonly onDrop?: (node: string) => void;
}

/** The nodes, and the plugins' answers for the chosen one. */
export function NodeJudgements({ nodes, chosen, onChoose, onDrop }: NodeJudgementsProps) {
  const detail = nodes.find((each) => each.node === chosen);
  return (
    <div class="fit-result">
      <ul class="fit-nodes" aria-label={T.fit.nodes}>
        {nodes.map((each) => (
          <li key={each.node}>
            <button
              type="button"
              class={each.node === chosen ? 'fit-node chosen' : 'fit-node'}
              aria-current={each.node === chosen ? 'true' : undefined}
              onClick={() => onChoose(each.node)}
              {...(onDrop ? dropTarget(() => onDrop(each.node)) : {})}
            >
              <Pill health={each.fits ? 'ok' : 'bad'} text={each.node} />
              <span class="dim">
                {each.fits
                  ? T.fit.score(each.total ?? 0)
                  : visible(each.filters.flatMap(({ reasons = [] }) => reasons).join(', '), 120)}
              </span>
            </button>
          </li>
        ))}
      </ul>
      {detail && <NodeDetail detail={detail} />}
    </div>
  );
}

interface DropTarget {
  readonly onDragOver: (event: DragEvent) => void;
  readonly onDrop: (event: DragEvent) => void;
}

export const dropTarget = (dropped: () => void): DropTarget => ({
  onDragOver: (event) => event.preventDefault(),
  onDrop: (event) => {
    event.preventDefault();
    dropped();
  },
});

function NodeDetail({ detail: { node, filters, scores = {}, total } }: { detail: NodeJudgement }) {
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
            return (
              <tr key={plugin}>
                <th scope="row">{visible(plugin)}</th>
                <td>{filter && <Verdict {...filter} />}</td>
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

function Verdict({ result, reasons = [] }: Filtered) {
  if (reasons.length > 0) return <Pill health="bad" text={reasons.join(', ')} />;
  return result === 'pass' ? <Pill health="ok" text={T.fit.passes} /> : <span class="dim">{visible(result, 60)}</span>;
}
