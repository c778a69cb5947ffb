/** The parts of a cluster, and a trace that moves through them step by step. */
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { visible } from '../format.ts';
import { T } from '../texts.ts';
import type { Actor, Step } from './trace-steps.ts';

interface Place {
  readonly x: number;
  readonly y: number;
}

const BOX = { width: 150, height: 54 };
const PLACES: Readonly<Record<Actor, Place>> = {
  client: { x: 95, y: 150 },
  api: { x: 400, y: 150 },
  etcd: { x: 705, y: 150 },
  controllers: { x: 300, y: 36 },
  scheduler: { x: 500, y: 36 },
  kubelet: { x: 300, y: 264 },
  proxy: { x: 500, y: 264 },
};
const ALL = Object.keys(PLACES) as Actor[];

/** Where a wire meets the edge of a box. */
function edge(of: Place, towards: Place): Place {
  const [dx, dy] = [towards.x - of.x, towards.y - of.y];
  const reach = Math.min(BOX.width / 2 / Math.abs(dx || 1e-9), BOX.height / 2 / Math.abs(dy || 1e-9));
  return { x: of.x + dx * reach, y: of.y + dy * reach };
}

export function TracePicture({ steps, at, stepMs }: { steps: readonly Step[]; at: number; stepMs: number }) {
  const step = steps[at];
  const counts = useMemo(() => {
    const counted = new Map<Actor, number>();
    for (const { from, to } of steps.slice(0, at + 1)) {
      const actor = to === 'api' ? from : to;
      counted.set(actor, (counted.get(actor) ?? 0) + 1);
      if (to === 'api' && from !== 'api') counted.set('api', (counted.get('api') ?? 0) + 1);
    }
    return counted;
  }, [steps, at]);
  return (
    <svg
      class="picture"
      viewBox="0 0 800 300"
      role="img"
      aria-label={step ? `${T.trace.picture}: ${visible(step.title)}` : T.trace.picture}
    >
      {ALL.filter((actor) => actor !== 'api').map((actor) => {
        const [from, to] = [edge(PLACES[actor], PLACES.api), edge(PLACES.api, PLACES[actor])];
        const live = step && (step.from === actor || step.to === actor);
        return (
          <line
            key={actor}
            class={live ? (step.failed ? 'wire live bad' : 'wire live') : 'wire'}
            x1={from.x}
            y1={from.y}
            x2={to.x}
            y2={to.y}
          />
        );
      })}
      {ALL.map((actor) => {
        const { x, y } = PLACES[actor];
        const live = step && (step.from === actor || step.to === actor);
        return (
          <g key={actor} class={live ? 'actor live' : 'actor'}>
            <rect x={x - BOX.width / 2} y={y - BOX.height / 2} width={BOX.width} height={BOX.height} rx="9" />
            <text x={x} y={y - 2} text-anchor="middle">
              {T.trace.actors[actor]}
            </text>
            <text class="count-of" x={x} y={y + 15} text-anchor="middle">
              {T.trace.did(counts.get(actor) ?? 0)}
            </text>
          </g>
        );
      })}
      {step && step.from !== step.to && <Pulse key={`${at} ${step.span.id}`} step={step} stepMs={stepMs} />}
    </svg>
  );
}

function Pulse({ step, stepMs }: { step: Step; stepMs: number }) {
  const dot = useRef<SVGGElement>(null);
  const from = edge(PLACES[step.from], PLACES[step.to]);
  const to = edge(PLACES[step.to], PLACES[step.from]);
  useEffect(() => {
    if (matchMedia('(prefers-reduced-motion: reduce)').matches) return undefined;
    const place = ({ x, y }: Place): Keyframe => ({ transform: `translate(${x}px, ${y}px)` });
    const moving = dot.current!.animate([place(from), place(to)], {
      duration: Math.max(120, stepMs * 0.8),
      easing: 'ease-in-out',
      fill: 'forwards',
    });
    return () => moving.cancel();
  }, []);
  return (
    <g ref={dot} class={step.failed ? 'pulse bad' : 'pulse'} transform={`translate(${to.x} ${to.y})`}>
      <circle r="7" />
      <title>{visible(step.title)}</title>
    </g>
  );
}
