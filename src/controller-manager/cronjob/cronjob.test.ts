import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CronJob } from '../../api/generated/batch-v1.ts';
import { convergesWhenKilledAtEveryWrite, startFixture, type ControllerFixture } from '../testing/index.ts';

let fixture: ControllerFixture;
const namespace = 'default';

beforeAll(async () => {
  fixture = await startFixture({ controllers: ['cronjob-controller'] });
});
afterAll(() => fixture.stop());

const cronJobs = () => fixture.client.resource('batch/v1/cronjobs');
const jobs = () => fixture.client.resource('batch/v1/jobs');
const statusOf = async (name: string) => (await cronJobs().get({ namespace, name })).status ?? {};
const jobsOf = async (name: string) => (await jobs().list({ namespace, labelSelector: `from=${name}` })).items;

const make = (name: string, spec: Partial<CronJob['spec']> = {}) =>
  cronJobs().create({
    metadata: { name, namespace },
    spec: {
      schedule: '*/5 * * * *',
      jobTemplate: {
        metadata: { labels: { from: name } },
        spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } } },
      },
      ...spec,
    },
  });

async function finish(job: string): Promise<void> {
  const time = '2026-01-01T00:00:00Z';
  const condition = (type: string) => ({
    type,
    status: 'True',
    reason: 'CompletionsReached',
    lastProbeTime: time,
    lastTransitionTime: time,
  });
  await jobs().patch(
    { namespace, name: job },
    {
      status: {
        startTime: time,
        completionTime: time,
        succeeded: 1,
        conditions: [condition('SuccessCriteriaMet'), condition('Complete')],
      },
    },
    { type: 'merge', subresource: 'status' },
  );
}

describe('cronjob-controller', () => {
  it('creates a Job at each time of the schedule, named by the minute', async () => {
    await fixture.start();
    await make('five');
    await fixture.advance(10 * 60_000);
    await fixture.until('two jobs', async () => (await jobsOf('five')).length === 2);
    const { lastScheduleTime, active } = await statusOf('five');
    expect(lastScheduleTime).toBe('2026-01-01T00:10:00Z');
    expect(active).toHaveLength(2);
    expect((await jobsOf('five')).map((job) => job.metadata.name ?? '').toSorted((a, b) => a.localeCompare(b))).toEqual(
      [`five-${Date.UTC(2026, 0, 1, 0, 5) / 60_000}`, `five-${Date.UTC(2026, 0, 1, 0, 10) / 60_000}`],
    );
    await cronJobs().delete({ namespace, name: 'five' });
  });

  it('respects the concurrency policies Forbid and Replace', async () => {
    await fixture.start();
    await make('forbid', { concurrencyPolicy: 'Forbid' });
    await make('replace', { concurrencyPolicy: 'Replace' });
    await fixture.advance(11 * 60_000);
    expect(await jobsOf('forbid')).toHaveLength(1);
    const kept = (await jobsOf('replace')).filter((job) => !job.metadata.deletionTimestamp);
    expect(kept).toHaveLength(1);
    expect((await statusOf('replace')).active?.map(({ name }) => name)).toEqual(kept.map((job) => job.metadata.name));
    for (const name of ['forbid', 'replace']) await cronJobs().delete({ namespace, name });
  });

  it('records finished Jobs and keeps a limited history', async () => {
    await fixture.start();
    await make('history', { successfulJobsHistoryLimit: 1 });
    for (let i = 0; i < 3; i++) {
      await fixture.advance(5 * 60_000);
      await fixture.until('active', async () => ((await statusOf('history')).active ?? []).length === 1);
      await finish((await statusOf('history')).active![0]!.name!);
      await fixture.until('noted', async () => (await statusOf('history')).active === undefined);
    }
    expect((await statusOf('history')).lastSuccessfulTime).toBeDefined();
    await fixture.until('one is left', async () => (await jobsOf('history')).length === 1);
    await cronJobs().delete({ namespace, name: 'history' });
  });

  it('starts the latest of many missed runs, unless it is too late', async () => {
    await make('missed');
    await make('late', { startingDeadlineSeconds: 10 });
    await fixture.stopControllers();
    await fixture.advance(63 * 60_000);
    await fixture.start();
    await fixture.until('one', async () => (await jobsOf('missed')).length === 1, 1_000);
    expect(await jobsOf('late')).toHaveLength(0);
    const due = Number((await jobsOf('missed'))[0]!.metadata.name!.split('-')[1]) * 60_000;
    expect(fixture.clock.now() - due).toBeLessThan(5 * 60_000);
    for (const name of ['missed', 'late']) await cronJobs().delete({ namespace, name });
  });

  it('creates each Job once when killed at any write', async () => {
    const kills = await convergesWhenKilledAtEveryWrite({
      fixture,
      arrange: async (name) => {
        await cronJobs().deleteCollection({ namespace });
        await make(name, { schedule: '0 0 * * *' });
        await cronJobs().patch(
          { namespace, name },
          { status: { lastScheduleTime: '2025-12-20T00:00:00Z' } },
          { type: 'merge', subresource: 'status' },
        );
      },
      converged: async (name) => {
        expect((await jobsOf(name)).length).toBeLessThanOrEqual(1);
        return (await statusOf(name)).active?.length === 1;
      },
    });
    expect(kills).toBe(4);
  });

  it('tells of a schedule that never comes', async () => {
    await fixture.start();
    await make('never', { schedule: '0 0 31 2 *' });
    const events = async () =>
      (await fixture.client.resource('v1/events').list({ namespace, fieldSelector: 'involvedObject.name=never' }))
        .items;
    await fixture.until('told', async () => (await events()).length > 0);
    expect((await events())[0]).toMatchObject({
      reason: 'InvalidSchedule',
      message: 'invalid schedule: 0 0 31 2 * : time difference between two schedules is less than 1 second',
    });
  });
});
