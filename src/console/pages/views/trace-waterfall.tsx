/** A trace as a waterfall: a line for each span, in the order of the tree, on one time axis. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { milliseconds, type Trace } from '../api/trace.ts';
import { visible } from '../format.ts';
import { T } from '../texts.ts';
import type { Step } from './trace-steps.ts';

const MAX_LINES = 600;
const MAX_INDENT = 14;
/** Most happens at the beginning of a trace, and what comes much later hides it. */
const LIMITS_MS = [100, 1000, 10_000] as const;

interface WaterfallProps {
  readonly trace: Trace;
  readonly steps: readonly Step[];
  readonly at: number;
  readonly onChoose: (index: number) => void;
}

/** The shortest time in which nine of ten spans begin. */
function usualLimit({ startedAt, settledAt }: Trace, steps: readonly Step[]): number {
  const starts = steps.map(({ span }) => span.startedAt - startedAt).sort((a, b) => a - b);
  const most = starts[Math.floor(starts.length * 0.9)] ?? 0;
  return LIMITS_MS.find((ms) => ms >= most && ms < settledAt - startedAt) ?? Infinity;
}

export function Waterfall({ trace, steps, at, onChoose }: WaterfallProps) {
  const { startedAt, settledAt } = trace;
  const all = Math.max(1, settledAt - startedAt);
  const [limit, setLimit] = useState(() => usualLimit(trace, steps));
  const whole = Math.min(all, limit);
  const limits = LIMITS_MS.filter((ms) => ms < all);
  const percent = (ms: number): number => Math.max(0, Math.min(100, (ms / whole) * 100));
  const chosen = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    // Only the list scrolls: scrollIntoView would move the page, too.
    const [line, list] = [chosen.current, chosen.current?.closest<HTMLElement>('.waterfall')];
    if (!line || !list) return;
    const { offsetTop: top, offsetHeight: height } = line;
    if (top < list.scrollTop) list.scrollTop = top - height;
    else if (top + height > list.scrollTop + list.clientHeight) list.scrollTop = top + 2 * height - list.clientHeight;
  }, [at]);
  return (
    <>
      {limits.length > 0 && (
        <div class="choices" role="group" aria-label={T.trace.axis}>
          {[...limits, Infinity].map((ms) => (
            <button key={ms} type="button" aria-pressed={ms === limit} onClick={() => setLimit(ms)}>
              {ms === Infinity ? T.trace.wholeTime(milliseconds(all)) : T.trace.firstTime(milliseconds(ms))}
            </button>
          ))}
        </div>
      )}
      <ol class="waterfall" aria-label={T.trace.waterfall}>
        {steps.slice(0, MAX_LINES).map((step, index) => {
          const { span, depth, title, details, failed, to } = step;
          const left = percent(span.startedAt - startedAt);
          const width = percent((span.endedAt ?? span.startedAt) - startedAt) - left;
          return (
            <li key={span.id}>
              <button
                type="button"
                ref={index === at ? chosen : undefined}
                class={`span${index === at ? ' chosen' : ''}${failed ? ' failed' : ''}`}
                aria-current={index === at ? 'step' : undefined}
                onClick={() => onChoose(index)}
              >
                <span class="span-title" style={{ paddingLeft: `${Math.min(depth, MAX_INDENT) * 10}px` }}>
                  {visible(title, 160)}
                </span>
                <span class="span-details dim">{visible(details, 160)}</span>
                <span class="span-at dim">+{milliseconds(span.startedAt - startedAt)}</span>
                <span class="span-bar">
                  {left < 100 && <span class={to} style={{ left: `${left}%`, width: `max(3px, ${width}%)` }} />}
                </span>
              </button>
            </li>
          );
        })}
        {steps.length > MAX_LINES && <li class="dim">{T.trace.notShown(steps.length - MAX_LINES)}</li>}
      </ol>
    </>
  );
}
