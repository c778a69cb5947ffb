/** Worlds of some seeds, and that the simulation itself can be relied on: it repeats, it finds and it shrinks. */
import { describe, expect, it } from 'vitest';
import { drawPlan, failureText, runWorld, simulate, type Check, type PlanOptions } from './index.ts';

const everything = process.env['K8TS_EVERYTHING'] === '1';
const SEEDS = everything ? 1_000 : 8;
/** Shorter worlds than those of `npm run simulate`. */
const SHORT: PlanOptions = { durationMs: 60_000, operations: 16, faultCount: 4 };

it(`holds what it must in the worlds of ${SEEDS} seeds`, async () => {
  const report = await simulate({ seeds: SEEDS, world: everything ? {} : SHORT });
  expect(report.failure && failureText(report.failure)).toBeUndefined();
  expect(report.worlds).toBe(SEEDS);
}, 3_600_000);

it('takes the same steps for the same seed', async () => {
  const plan = drawPlan('same', SHORT);
  const first = await runWorld(plan, { trace: true });
  const second = await runWorld(plan, { trace: true });
  expect(first.trace.length).toBeGreaterThan(500);
  expect(second.trace.join('\n')).toBe(first.trace.join('\n'));
}, 60_000);

it('takes other steps for another seed', async () => {
  const [first, second] = [drawPlan(1, SHORT), drawPlan(2, SHORT)];
  expect(first.events).not.toEqual(second.events);
});

describe('a world that fails', () => {
  const noBigDeployments: Record<string, Check> = {
    'no-deployment-has-three-pods': {
      because: 'this test says so',
      committed: ({ kind, id, after }) =>
        kind === 'Deployment' && (after as unknown as { spec: { replicas: number } } | undefined)?.spec.replicas === 3
          ? `Deployment ${id} asks for three`
          : undefined,
    },
  };

  it('is shrunk to the operations that it takes, with their trace', async () => {
    const { failure } = await simulate({
      seeds: 20,
      world: {
        durationMs: 10_000,
        operations: 12,
        faultCount: 2,
        kinds: ['create-deployment', 'apply-configmap', 'create-service'],
      },
      checks: noBigDeployments,
      shrinkTries: 20,
    });
    expect(failure?.violation.check).toBe('no-deployment-has-three-pods');
    expect(failure?.plan.events).toHaveLength(1);
    expect(failure?.plan.events[0]).toMatchObject({
      type: 'operation',
      name: 'create-deployment',
      arguments: { replicas: 3 },
    });
    expect(failureText(failure!)).toContain('create-deployment namespace=');
  }, 120_000);
});
