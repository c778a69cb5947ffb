import { Cluster } from 'k8ts';

let cluster;
beforeAll(async () => {
  cluster = await Cluster.start({ nodes: 2 });
});
afterAll(() => cluster.stop());

test('a Deployment comes up though half of all writes meet a conflict', async () => {
  const storm = cluster.faults.conflicts({ probability: 0.5 });
  await cluster.apply({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web' },
    spec: {
      replicas: 2,
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image: 'nginx' }] } },
    },
  });
  await cluster.waitFor('deployment/web', 'Available');
  expect(storm.hits).toBeGreaterThan(0);
  storm.lift();
});
