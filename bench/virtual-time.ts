/** Virtual time: what a day of a small cluster costs, with its heartbeats, leases and a CronJob. */
import { Cluster } from '../src/index.ts';
import type { BenchOptions, Row } from './harness.ts';

export const name = 'virtual-time';

const SECONDS_OWED = 5;

const cronJob = {
  metadata: { name: 'every-ten-minutes', namespace: 'default' },
  spec: {
    schedule: '*/10 * * * *',
    jobTemplate: {
      spec: {
        template: {
          spec: { restartPolicy: 'Never' as const, containers: [{ name: 'main', image: 'job:1', command: ['true'] }] },
        },
      },
    },
  },
};

export async function run(_: BenchOptions): Promise<Row[]> {
  const cluster = await Cluster.start({ clock: 'virtual', nodes: 2 });
  try {
    await cluster.client.resource('batch/v1/cronjobs').create(cronJob);
    const [startedAt, cpu] = [performance.now(), process.cpuUsage()];
    await cluster.clock.advance('24h');
    const { user, system } = process.cpuUsage(cpu);
    const elapsed = (performance.now() - startedAt) / 1000;
    const job = await cluster.client
      .resource('batch/v1/cronjobs')
      .get({ namespace: 'default', name: cronJob.metadata.name });
    const { lastSuccessfulTime = '' } = job.status ?? {};
    if (cluster.clock.now() - Date.parse(lastSuccessfulTime) > 11 * 60_000)
      throw new Error('the last Job did not succeed');
    return [
      { work: '24 hours, 2 nodes, a CronJob every ten minutes', value: elapsed, unit: 's', atMost: SECONDS_OWED },
      { work: 'processor time of the same', value: (user + system) / 1e6, unit: 's' },
    ];
  } finally {
    await cluster.stop();
  }
}
