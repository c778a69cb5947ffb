import {
  createTestContext,
  PrometheusRegistry,
  redact,
  SeededRandom,
  SystemRandom,
  VirtualClock,
  WorkQueue,
} from '../src/kernel/index.ts';
import { callsPerSecond, type BenchOptions, type Row } from './harness.ts';

export const name = 'kernel';

export async function run({ durationMs }: BenchOptions): Promise<Row[]> {
  const clock = new VirtualClock();
  const queue = new WorkQueue<string>({ clock });
  const seeded = new SeededRandom(1);
  const system = new SystemRandom();
  const counter = new PrometheusRegistry().counter({
    name: 'requests_total',
    help: 'x',
    labels: ['verb', 'resource', 'code'],
  });
  const labels = { verb: 'GET', resource: 'pods', code: '200' };
  const { logger } = createTestContext();
  const pairs = { pod: 'default/web-1', attempt: 3 };

  const queueTurns = async (): Promise<number> => {
    const start = performance.now();
    let turns = 0;
    for (; performance.now() - start < durationMs; turns++) {
      queue.add('default/web');
      const item = await queue.get();
      if (item !== undefined) queue.done(item);
    }
    return (turns / (performance.now() - start)) * 1000;
  };

  const timerSteps = async (): Promise<number> => {
    const start = performance.now();
    let fired = 0;
    const timers = Array.from({ length: 1000 }, (_, i) => clock.every(1000 + i, () => fired++));
    while (performance.now() - start < durationMs) await clock.advance(1000);
    for (const timer of timers) timer.cancel();
    return (fired / (performance.now() - start)) * 1000;
  };

  return [
    { work: 'work queue: add, get, done', value: await queueTurns(), unit: '/s' },
    { work: 'virtual clock: timers fired', value: await timerSteps(), unit: '/s' },
    { work: 'seeded random: integer', value: callsPerSecond(() => void seeded.integer(1000), durationMs), unit: '/s' },
    { work: 'system random: uid', value: callsPerSecond(() => void system.uid(), durationMs), unit: '/s' },
    { work: 'counter with three labels', value: callsPerSecond(() => counter.inc(labels), durationMs), unit: '/s' },
    {
      work: 'log line that is not enabled',
      value: callsPerSecond(() => logger.v(4).info('Synced', pairs), durationMs),
      unit: '/s',
    },
    { work: 'redact a small object', value: callsPerSecond(() => void redact(pairs), durationMs), unit: '/s' },
  ];
}
