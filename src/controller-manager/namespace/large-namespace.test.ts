import { expect, it } from 'vitest';
import { startFixture } from '../testing/index.ts';

const everything = process.env['K8TS_EVERYTHING'] === '1';
const OBJECTS = everything ? 10_000 : 500;
const LIMIT_MS = 30_000;

it(`deletes a namespace with ${OBJECTS} objects of many kinds within ${LIMIT_MS / 1000} s`, async () => {
  const fixture = await startFixture({ controllers: ['namespace-controller', 'garbage-collector-controller'] });
  const { client } = fixture;
  const namespace = 'large';
  try {
    await fixture.start();
    await client.resource('v1/namespaces').create({ metadata: { name: namespace } });
    const spec = { containers: [{ name: 'c', image: 'i' }] };
    const makers: readonly ((name: string) => Promise<unknown>)[] = [
      (name) => client.resource('v1/configmaps').create({ metadata: { name, namespace }, data: { a: 'b' } }),
      (name) => client.resource('v1/secrets').create({ metadata: { name, namespace }, stringData: { a: 'b' } }),
      (name) => client.resource('v1/pods').create({ metadata: { name, namespace }, spec }),
      (name) =>
        client.resource('apps/v1/deployments').create({
          metadata: { name, namespace },
          spec: {
            replicas: 0,
            selector: { matchLabels: { app: name } },
            template: { metadata: { labels: { app: name } }, spec },
          },
        }),
      (name) =>
        client
          .resource('batch/v1/jobs')
          .create({ metadata: { name, namespace }, spec: { template: { spec: { ...spec, restartPolicy: 'Never' } } } }),
      (name) => client.resource('v1/serviceaccounts').create({ metadata: { name, namespace } }),
      (name) =>
        client.resource('rbac.authorization.k8s.io/v1/roles').create({ metadata: { name, namespace }, rules: [] }),
      (name) =>
        client
          .resource('coordination.k8s.io/v1/leases')
          .create({ metadata: { name, namespace }, spec: { holderIdentity: 'x' } }),
    ];
    for (let i = 0; i < OBJECTS; i += 100)
      await Promise.all(
        Array.from({ length: Math.min(100, OBJECTS - i) }, (_, j) => makers[(i + j) % makers.length]!(`o-${i + j}`)),
      );
    const startedAt = fixture.clock.monotonic();
    // Processor time, so that other programs on the machine do not count, and the time that the controllers wait.
    const cpu = process.cpuUsage();
    await client.resource('v1/namespaces').delete({ name: namespace });
    const isGone = async (): Promise<boolean> =>
      !(await client.resource('v1/namespaces').list()).items.some(({ metadata }) => metadata.name === namespace);
    await fixture.until('the namespace is gone', isGone, LIMIT_MS);
    const { user, system } = process.cpuUsage(cpu);
    expect((user + system) / 1000 + (fixture.clock.monotonic() - startedAt)).toBeLessThan(LIMIT_MS);
  } finally {
    await fixture.stop();
  }
}, 240_000);
