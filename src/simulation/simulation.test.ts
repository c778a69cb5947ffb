/** Worlds of some seeds, and that the simulation itself can be relied on: it repeats, it finds and it shrinks. */
import { readFile } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  drawPlan,
  failureText,
  faults,
  operation,
  runSeeds,
  runWorld,
  simulate,
  SimulationFailed,
  type Check,
  type Operator,
  type PlanOptions,
  type Work,
} from './index.ts';

const everything = process.env['K8TS_EVERYTHING'] === '1';
const SEEDS = everything ? 1_000 : 50;
/** Shorter worlds than those of `npm run simulate`, in which everything can still happen. */
const SHORT: PlanOptions = { durationMs: 30_000, operations: 10, faultCount: 4, maxFaultMs: 20_000 };

it(`holds what it must in the worlds of ${SEEDS} seeds`, async () => {
  const report = await simulate({ seeds: SEEDS, world: everything ? {} : SHORT, strict: true });
  expect(report.worlds).toBe(SEEDS);
}, 3_600_000);

it('takes the same steps for the same seed, after other worlds and on a busy machine', async () => {
  const plan = drawPlan('same', SHORT);
  const first = await runWorld(plan, { trace: true });
  await runWorld(drawPlan('another', SHORT));
  const second = await whileBusy(() => runWorld(plan, { trace: true }));
  expect(first.trace.length).toBeGreaterThan(300);
  expect(second.trace.join('\n')).toBe(first.trace.join('\n'));
}, 60_000);

it('names nothing after the machine', async () => {
  const { trace } = await runWorld(drawPlan('names', { ...SHORT, faultCount: 0 }), { trace: true });
  const names = trace.flatMap((line) => / commit \d+ Lease kube-system\/(apiserver-\w+)$/.exec(line)?.[1] ?? []);
  // Hashes of kube-apiserver-0 and kube-apiserver-1.
  expect([...new Set(names)].sort()).toEqual([
    'apiserver-g5kfpqajuockav766sai746cbm',
    'apiserver-j3agt6uezsya7e3uhyouvf6bpa',
  ]);
}, 60_000);

/** Files are read meanwhile, and every few milliseconds nothing else runs for a while. */
async function whileBusy<T>(work: () => Promise<T>): Promise<T> {
  const busy = setInterval(() => {
    const end = performance.now() + 2;
    while (performance.now() < end);
    readFile(import.meta.filename, () => undefined);
  }, 5);
  try {
    return await work();
  } finally {
    clearInterval(busy);
  }
}

it('takes other steps for another seed', async () => {
  const [first, second] = [drawPlan(1, SHORT), drawPlan(2, SHORT)];
  expect(first.events).not.toEqual(second.events);
});

it('draws every kind of fault where it is asked to', () => {
  const struck = drawPlan(1, { everyFault: true }).events.flatMap((event) =>
    event.type === 'fault' ? [event.name] : [],
  );
  expect(struck.sort()).toEqual(Object.keys(faults).sort());
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
    const { failure } = await runSeeds({
      seeds: 20,
      world: {
        durationMs: 10_000,
        operations: 12,
        faultCount: 2,
        kinds: ['create-deployment', 'apply-configmap', 'create-service'],
      },
      invariants: noBigDeployments,
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

describe('an operator of one’s own', () => {
  const maps = 'v1/configmaps';
  const work: Work = {
    ask: operation({
      draw: (random) => ({ name: `ask-${random.integer(3)}` }),
      run: (client, { name }) => client.resource(maps).create({ metadata: { namespace: 'default', name } }),
    }),
  };
  /** Answers every `ask-N` by an `answer-N`. */
  const invariants: Record<string, Check> = {
    'asked-is-answered': {
      because: 'an operator does its work',
      settled: ({ log, looked }) => {
        const asked = log.objects('ConfigMap').filter(({ metadata }) => metadata.name?.startsWith('ask-'));
        if (asked.length > 0) looked();
        const missing = asked.find(
          ({ metadata }) => !log.object('ConfigMap', `default/${metadata.name!.replace('ask', 'answer')}`),
        );
        return missing && `${missing.metadata.name} has no answer`;
      },
    },
  };
  const world: PlanOptions = { durationMs: 10_000, operations: 4, faultCount: 1 };
  const operator: Operator = async (client, { clock, signal }) => {
    while (!signal.aborted) {
      const { items } = await client
        .resource(maps)
        .list({ namespace: 'default' })
        .catch(() => ({ items: [] }));
      for (const { metadata } of items)
        if (metadata.name?.startsWith('ask-'))
          await client
            .resource(maps)
            .create({ metadata: { namespace: 'default', name: metadata.name.replace('ask', 'answer') } })
            .catch(() => undefined);
      await clock.sleep(10_000, signal).catch(() => undefined);
    }
  };

  it('works in worlds with work of its own, and is held to its invariants', async () => {
    const { looked, done } = await simulate({ seeds: 2, work, invariants, world, operator });
    expect(looked['asked-is-answered']).toBeGreaterThan(0);
    expect(Object.keys(done)).toEqual(['ask']);
  }, 60_000);

  it('fails with the story, and how to run it again', async () => {
    const idle: Operator = (_, { clock, signal }) => clock.sleep(1e9, signal);
    const failed = await simulate({ seeds: ['x'], work, invariants, world, operator: idle, shrinkTries: 6 }).catch(
      (error: unknown) => error,
    );
    expect(failed).toBeInstanceOf(SimulationFailed);
    const { message } = failed as SimulationFailed;
    expect(message).toContain('asked-is-answered does not hold: ask-');
    expect(message).toMatch(/the shortest story .*\n +[0-9.]+ s {2}client-\d ask name=ask-\d\n\n/);
    expect(message).toContain(`run it again: simulate({ …, seeds: ["x"], world: ${JSON.stringify(world)} })`);
  }, 120_000);

  it('may come with a client of its own, over HTTP', async () => {
    const { looked } = await simulate({
      seeds: ['http'],
      work,
      invariants,
      world: { ...world, faultCount: 0 },
      speed: 20,
      operatorOverHttp: async (kubeconfig, { signal }) => {
        const { clusters } = JSON.parse(kubeconfig) as { clusters: { cluster: { server: string } }[] };
        const url = `${clusters[0]!.cluster.server}/api/v1/namespaces/default/configmaps`;
        const headers = { 'content-type': 'application/json' };
        while (!signal.aborted) {
          const response = await fetch(`${url}?watch=true&timeoutSeconds=20`, { signal });
          const lines = response.body!.pipeThrough(new TextDecoderStream());
          let rest = '';
          for await (const text of lines) {
            const parts = (rest + text).split('\n');
            rest = parts.pop()!;
            for (const part of parts) {
              const { object } = JSON.parse(part) as { object: { metadata: { name: string } } };
              const name = object.metadata.name;
              if (!name?.startsWith('ask-')) continue;
              const body = JSON.stringify({ metadata: { name: name.replace('ask', 'answer') } });
              await fetch(url, { method: 'POST', headers, body, signal });
            }
          }
        }
      },
    });
    expect(looked['asked-is-answered']).toBeGreaterThan(0);
  }, 120_000);
});
