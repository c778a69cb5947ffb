/** Related objects as a graph: owners and users on the left, what an object owns and uses on the right. */
import { useEffect, useState } from 'preact/hooks';
import { visible } from '../format.ts';
import { layout, type Laid } from '../parts/graph-layout.ts';
import { objectLink } from '../router.ts';
import { T } from '../texts.ts';
import { idOf, type RelatedObject } from './related-object.ts';

type Thing = Pick<RelatedObject, 'type' | 'name' | 'namespace'>;

const MAX_DRAWN = 30;
/** Of one kind beside one object: a Deployment may own hundreds of pods. */
const MAX_ALIKE = 8;
const MAX_NAME = 25;
const BOX = { width: 190, height: 42 };
/** These point to the object from the left. */
const INCOMING: ReadonlySet<string> = new Set(['owned by', 'selected by']);
/** The arrow of an owner says that it owns. */
const ARROWS: Readonly<Record<string, string>> = { 'owned by': 'owns', 'selected by': 'selects' };

export function RelatedGraph({ self, related }: { self: Thing; related: readonly RelatedObject[] }) {
  const [laid, setLaid] = useState<Laid>();
  const drawn = chosen(related);
  const things = new Map<string, Thing>([[idOf(self), self], ...drawn.map((each) => [idOf(each), each] as const)]);
  const key = drawn.map((each) => `${each.relation} ${each.of ?? ''} ${idOf(each)}`).join('\n');
  useEffect(() => {
    const edges = drawn.map((each) => {
      const [other, own] = [idOf(each), each.of ?? idOf(self)];
      const incoming = INCOMING.has(each.relation);
      const label = Object.hasOwn(ARROWS, each.relation) ? ARROWS[each.relation]! : each.relation;
      return incoming ? { from: other, to: own, label } : { from: own, to: other, label };
    });
    void layout({ nodes: [...things.keys()].map((id) => ({ id, ...BOX })), edges }).then(setLaid);
  }, [key]);
  if (!laid) return <p class="dim">{T.state.loading}</p>;
  return (
    <>
      <div class="graph">
        <svg
          width={laid.width}
          height={laid.height}
          viewBox={`0 0 ${laid.width} ${laid.height}`}
          role="group"
          aria-label={T.object.related}
        >
          <defs>
            <marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
              <path d="M0 0 8 4 0 8z" />
            </marker>
          </defs>
          {laid.edges.map(({ from, to, path, label, x, y }) => (
            <g key={`${from} ${to} ${label}`}>
              <path class="edge" d={path} marker-end="url(#arrow)" />
              <text class="relation" x={x} y={y + 4} text-anchor="middle">
                {label}
              </text>
            </g>
          ))}
          {laid.nodes.map(({ id, x, y }) => {
            const thing = things.get(id);
            return thing && <Box key={id} thing={thing} x={x} y={y} self={id === idOf(self)} />;
          })}
        </svg>
      </div>
      {related.length > drawn.length && <p class="dim">{T.object.moreRelated(related.length - drawn.length)}</p>}
    </>
  );
}

/** Those beside an object that is not drawn are not drawn either. */
function chosen(related: readonly RelatedObject[]): RelatedObject[] {
  const alike = new Map<string, number>();
  const drawn = new Set<string>();
  return related
    .filter((each) => {
      if (each.of !== undefined && each.relation === 'owns' && !drawn.has(each.of)) return false;
      const group = `${each.relation} ${each.of ?? ''} ${each.type.key}`;
      const count = (alike.get(group) ?? 0) + 1;
      alike.set(group, count);
      if (count > MAX_ALIKE) return false;
      drawn.add(idOf(each));
      return true;
    })
    .slice(0, MAX_DRAWN);
}

function Box({ thing, x, y, self }: { thing: Thing; x: number; y: number; self: boolean }) {
  const { type, name } = thing;
  const short = name.length > MAX_NAME ? `${name.slice(0, 11)}…${name.slice(-12)}` : name;
  return (
    <a href={objectLink(type.key, thing)} class={self ? 'self' : ''} aria-label={`${type.kind} ${visible(name)}`}>
      <title>{`${type.kind} ${visible(name)}`}</title>
      <rect x={x - BOX.width / 2} y={y - BOX.height / 2} width={BOX.width} height={BOX.height} rx="7" />
      <text class="kind" x={x - BOX.width / 2 + 10} y={y - 5}>
        {type.kind}
      </text>
      <text x={x - BOX.width / 2 + 10} y={y + 12}>
        {visible(short)}
      </text>
    </a>
  );
}
