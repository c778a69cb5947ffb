import { expect, it } from 'vitest';
import { registerGcPauses } from './gc-pauses.ts';
import { PrometheusRegistry } from './metrics-registry.ts';
import { until } from './testing/index.ts';

it('counts pauses for all registries, and tells the longest', async () => {
  const [first, second] = [new PrometheusRegistry(), new PrometheusRegistry()];
  registerGcPauses(first);
  registerGcPauses(second);
  const minor = (metrics: PrometheusRegistry, name: string): number =>
    Number(new RegExp(`^${name}\\{kind="minor"\\} (.*)$`, 'm').exec(metrics.expose())?.[1]);
  let kept: object[] = [];
  await until('there were pauses', () => {
    kept = Array.from({ length: 100_000 }, (_, i) => ({ i }));
    return minor(first, 'k8ts_gc_pauses_total') > 1;
  });
  expect(kept).toHaveLength(100_000);
  const [count, together, longest] = ['pauses_total', 'pause_seconds_total', 'longest_pause_seconds'].map((name) =>
    minor(second, `k8ts_gc_${name}`),
  );
  expect(count).toBeGreaterThan(1);
  expect(longest).toBeGreaterThan(0);
  expect(together).toBeGreaterThanOrEqual(longest!);
});
