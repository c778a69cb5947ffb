import { expect, it } from 'vitest';
import type { Clock } from './clock.ts';
import { EventLoopTurns } from './event-loop-turns.ts';
import { PrometheusRegistry } from './metrics-registry.ts';
import { VirtualClock } from './virtual-clock.ts';

it('measures a turn once, from the first work in it to its end', async () => {
  const metrics = new PrometheusRegistry();
  let now = 0;
  let endTurn = (): void => {};
  const clock: Clock = Object.assign(new VirtualClock(), {
    monotonic: () => now,
    yield: () => new Promise<void>((resolve) => (endTurn = resolve)),
  });
  const turns = new EventLoopTurns(metrics, clock);
  turns.begin();
  now = 30;
  turns.begin();
  now = 40;
  endTurn();
  await Promise.resolve();
  now = 1000;
  turns.begin();
  now = 1003;
  endTurn();
  await Promise.resolve();
  const text = metrics.expose();
  expect(text).toContain('k8ts_event_loop_turn_duration_seconds_bucket{le="0.005"} 1\n');
  expect(text).toContain('k8ts_event_loop_turn_duration_seconds_bucket{le="0.05"} 2\n');
  expect(text).toContain('k8ts_event_loop_turn_duration_seconds_count 2\n');
});
