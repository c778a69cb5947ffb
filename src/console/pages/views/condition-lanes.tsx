/** Conditions over time, as bars. */
import type { Condition } from '../api/objects.ts';
import type { Health } from '../health.ts';
import { T } from '../texts.ts';

/** Conditions whose truth is bad news. */
const BAD_WHEN_TRUE =
  /Pressure$|^NetworkUnavailable$|^ScalingLimited$|^Stalled$|^Degraded$|^ReplicaFailure$|^Failed$|^DisruptionTarget$|^NamesNotAccepted$|Failure$/;

export function healthOfCondition({ type, status }: Condition): Health {
  if (status === 'Unknown') return 'wait';
  return (status === 'True') === BAD_WHEN_TRUE.test(type) ? 'bad' : 'ok';
}

/** One condition: a piece for each step of the slider, from its revision to the next. */
export function BarLane(props: { title: string; states: readonly (Health | undefined)[]; place: number }) {
  const { title, states, place } = props;
  const now = states[place];
  return (
    <div class="lane">
      <span class="lane-title">{title}</span>
      <span
        class="lane-bar"
        role="img"
        aria-label={`${title}: ${now === undefined ? T.history.notThere : now === 'ok' ? T.history.good : T.history.bad}`}
      >
        {states.map((health, at) => (
          <span key={at} class={`${health ?? 'none'}${at === place ? ' here' : ''}`} />
        ))}
      </span>
    </div>
  );
}
