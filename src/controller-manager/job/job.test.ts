import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JobSpec } from '../../api/generated/batch-v1.ts';
import { formatTime, parseTime } from '../../base/index.ts';
import { convergesWhenKilledAtEveryWrite, startFixture, type ControllerFixture } from '../testing/index.ts';
import { TestKubelet } from '../testing/pods.ts';

let fixture: ControllerFixture;
let kubelet: TestKubelet;
const namespace = 'default';

beforeAll(async () => {
  fixture = await startFixture({ controllers: ['job-controller'] });
  kubelet = new TestKubelet(fixture.client, namespace);
});
afterAll(() => fixture.stop());

const jobs = () => fixture.client.resource('batch/v1/jobs');
const statusOf = async (name: string) => (await jobs().get({ namespace, name })).status ?? {};
const podsOf = (name: string) => kubelet.list(`batch.kubernetes.io/job-name=${name}`);
const conditionsOf = async (name: string) =>
  ((await statusOf(name)).conditions ?? []).map((c) => `${c.type}=${c.status} ${c.reason}`);

const make = (name: string, spec: Partial<JobSpec> = {}) =>
  jobs().create({
    metadata: { name, namespace },
    spec: {
      template: {
        spec: { restartPolicy: 'Never', terminationGracePeriodSeconds: 0, containers: [{ name: 'c', image: 'i' }] },
      },
      ...spec,
    },
  });

async function end(name: string, phase: 'Succeeded' | 'Failed', exitCode = phase === 'Failed' ? 1 : 0): Promise<void> {
  const finishedAt = formatTime(fixture.clock.now());
  await kubelet.setStatus(name, {
    phase,
    containerStatuses: [
      {
        name: 'c',
        image: 'i',
        imageID: '',
        ready: false,
        restartCount: 0,
        state: { terminated: { exitCode, finishedAt } },
      },
    ],
  });
}

async function endAll(job: string, phase: 'Succeeded' | 'Failed', exitCode?: number): Promise<void> {
  for (const pod of await podsOf(job))
    if (pod.status?.phase === 'Pending' && !pod.metadata.deletionTimestamp)
      await end(pod.metadata.name!, phase, exitCode);
}

describe('job-controller', () => {
  it('completes, with SuccessCriteriaMet first, all finalizers removed, and no further writes', async () => {
    await fixture.start();
    await make('three', { parallelism: 2, completions: 3 });
    await fixture.until('two', async () => (await statusOf('three')).active === 2);
    expect((await podsOf('three'))[0]?.metadata.finalizers).toEqual(['batch.kubernetes.io/job-tracking']);
    await fixture.until('done', async () => {
      await endAll('three', 'Succeeded');
      return (await conditionsOf('three')).length === 2;
    });
    expect(await conditionsOf('three')).toEqual([
      'SuccessCriteriaMet=True CompletionsReached',
      'Complete=True CompletionsReached',
    ]);
    expect(await statusOf('three')).toMatchObject({
      succeeded: 3,
      ready: 0,
      terminating: 0,
      uncountedTerminatedPods: {},
    });
    expect((await podsOf('three')).map((pod) => pod.metadata.finalizers)).toEqual([undefined, undefined, undefined]);
    const before = fixture.writes.length;
    await fixture.advance(600_000);
    expect(fixture.writes.slice(before)).toEqual([]);
  });

  it('completes when it was started by a clock that was an hour ahead', async () => {
    await fixture.start();
    fixture.clock.jump(3_600_000);
    await make('early');
    await fixture.until('started', async () => (await statusOf('early')).active === 1);
    fixture.clock.jump(-3_600_000);
    await endAll('early', 'Succeeded');
    await fixture.until('done', async () => (await conditionsOf('early')).includes('Complete=True CompletionsReached'));
    const { startTime, completionTime } = await statusOf('early');
    expect(completionTime).toBe(startTime);
  });

  it('waits longer after each failure and fails beyond the backoff limit', async () => {
    await fixture.start();
    await make('failing', { backoffLimit: 2 });
    await fixture.until('failed', async () => {
      await endAll('failing', 'Failed');
      return (await conditionsOf('failing')).includes('Failed=True BackoffLimitExceeded');
    });
    const [first = 0, second = 0, third = 0] = (await podsOf('failing'))
      .map((pod) => parseTime(pod.metadata.creationTimestamp!))
      .sort((x, y) => x - y);
    expect([second - first, third - second]).toEqual([10_000, 20_000]);
    expect((await statusOf('failing')).failed).toBe(3);
  });

  it('counts each index for itself', async () => {
    await fixture.start();
    await make('indexed', { completionMode: 'Indexed', completions: 3, parallelism: 3, backoffLimitPerIndex: 1 });
    await fixture.until('three', async () => (await statusOf('indexed')).active === 3);
    const pod = async (index: string) =>
      (await podsOf('indexed')).find(
        (p) =>
          p.metadata.labels?.['batch.kubernetes.io/job-completion-index'] === index && p.status?.phase === 'Pending',
      );
    expect((await pod('1'))?.spec?.hostname).toBe('indexed-1');
    await end((await pod('0'))!.metadata.name!, 'Succeeded');
    await end((await pod('2'))!.metadata.name!, 'Succeeded');
    await end((await pod('1'))!.metadata.name!, 'Failed');
    await fixture.until(
      'retried',
      async () => (await pod('1'))?.metadata.annotations?.['batch.kubernetes.io/job-index-failure-count'] === '1',
    );
    await end((await pod('1'))!.metadata.name!, 'Failed');
    await fixture.until('over', async () => (await conditionsOf('indexed')).includes('Failed=True FailedIndexes'));
    expect(await statusOf('indexed')).toMatchObject({
      completedIndexes: '0,2',
      failedIndexes: '1',
      succeeded: 2,
      failed: 2,
    });
  });

  it('obeys the pod failure policy', async () => {
    await fixture.start();
    await make('policy', {
      parallelism: 2,
      completions: 2,
      podFailurePolicy: { rules: [{ action: 'FailJob', onExitCodes: { operator: 'In', values: [42] } }] },
    });
    await fixture.until('two', async () => (await podsOf('policy')).length === 2);
    const [pod] = await podsOf('policy');
    await end(pod!.metadata.name!, 'Failed', 42);
    await fixture.until('failed', async () => (await conditionsOf('policy')).includes('Failed=True PodFailurePolicy'));
    expect((await statusOf('policy')).conditions?.[0]?.message).toBe(
      `Container c for pod default/${pod?.metadata.name} failed with exit code 42 matching FailJob rule at index 0`,
    );
    expect((await statusOf('policy')).failed).toBe(2);
  });

  it('stops early when the success policy is met', async () => {
    await fixture.start();
    await make('leader', {
      completionMode: 'Indexed',
      completions: 3,
      parallelism: 3,
      successPolicy: { rules: [{ succeededIndexes: '0' }] },
    });
    await fixture.until('three', async () => (await podsOf('leader')).length === 3);
    await end(
      (await podsOf('leader')).find((p) => p.metadata.labels?.['batch.kubernetes.io/job-completion-index'] === '0')!
        .metadata.name!,
      'Succeeded',
    );
    await fixture.until('complete', async () => (await conditionsOf('leader')).includes('Complete=True SuccessPolicy'));
    expect(await podsOf('leader')).toHaveLength(1);
  });

  it('suspends and resumes', async () => {
    await fixture.start();
    await make('pausing', { suspend: true });
    await fixture.until('suspended', async () =>
      (await conditionsOf('pausing')).includes('Suspended=True JobSuspended'),
    );
    expect((await statusOf('pausing')).startTime).toBeUndefined();
    await jobs().patch({ namespace, name: 'pausing' }, { spec: { suspend: false } }, { type: 'merge' });
    await fixture.until('resumed', async () => (await statusOf('pausing')).active === 1);
    await jobs().patch({ namespace, name: 'pausing' }, { spec: { suspend: true } }, { type: 'merge' });
    await fixture.until(
      'no pods',
      async () => (await podsOf('pausing')).length === 0 && (await statusOf('pausing')).active === undefined,
    );
    const suspended = await statusOf('pausing');
    expect([suspended.failed, suspended.startTime]).toEqual([undefined, undefined]);
    await jobs().patch({ namespace, name: 'pausing' }, { spec: { suspend: false } }, { type: 'merge' });
    await fixture.until('resumed again', async () => (await statusOf('pausing')).active === 1);
    expect((await statusOf('pausing')).startTime).toBeDefined();
  });

  it('ends a Job that is active for too long', async () => {
    await fixture.start();
    await make('slow', { activeDeadlineSeconds: 30 });
    await fixture.until(
      'deadline',
      async () => (await conditionsOf('slow')).includes('Failed=True DeadlineExceeded'),
      31_000,
    );
    expect(await podsOf('slow')).toHaveLength(0);
  });

  it('counts a deleted pod as failed and replaces it', async () => {
    await fixture.start();
    await make('deleted');
    await fixture.until('one', async () => (await podsOf('deleted')).length === 1);
    await fixture.client.resource('v1/pods').delete({ namespace, name: (await podsOf('deleted'))[0]!.metadata.name! });
    await fixture.until(
      'replaced',
      async () => (await statusOf('deleted')).failed === 1 && (await statusOf('deleted')).active === 1,
    );
  });

  it('reaches the same counts when killed at any write', async () => {
    const kills = await convergesWhenKilledAtEveryWrite({
      fixture,
      arrange: async (name) => {
        await jobs().deleteCollection({ namespace, deleteOptions: { propagationPolicy: 'Background' } });
        for (const pod of await kubelet.list())
          await fixture.client
            .resource('v1/pods')
            .patch({ namespace, name: pod.metadata.name! }, { metadata: { finalizers: null } }, { type: 'merge' });
        await fixture.client.resource('v1/pods').deleteCollection({ namespace });
        await make(name, { parallelism: 2, completions: 2 });
      },
      converged: async (name) => {
        await endAll(name, 'Succeeded');
        const status = await statusOf(name);
        if (status.conditions?.some((c) => c.type === 'Complete')) expect(status.succeeded).toBe(2);
        return status.conditions?.some((c) => c.type === 'Complete') ?? false;
      },
    });
    expect(kills).toBeGreaterThan(10);
  });
});
