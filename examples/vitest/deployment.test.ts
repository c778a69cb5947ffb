import { Cluster } from 'k8ts';
import { afterAll, beforeAll, expect, test } from 'vitest';

let cluster: Cluster;
beforeAll(async () => {
  cluster = await Cluster.start({ nodes: 3 });
});
afterAll(() => cluster.stop());

test('three replicas come up on three nodes', async () => {
  await cluster.apply(`
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: web, image: nginx}]
      topologySpreadConstraints:
      - {maxSkew: 1, topologyKey: kubernetes.io/hostname, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: web}}}
`);
  await cluster.waitFor('deployment/web', 'Available');
  const { items } = await cluster.client.resource('v1/pods').list({ namespace: 'default', labelSelector: 'app=web' });
  expect(items.map((pod) => pod.spec?.nodeName).sort()).toEqual(['sim-0', 'sim-1', 'sim-2']);
});

test('a pod that crashes is started again', async () => {
  const undo = cluster.simulate({
    pod: (pod) => (pod.name === 'crasher' && pod.restartCount === 0 ? { runFor: '100ms', exitCode: 1 } : undefined),
  });
  await cluster.apply({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'crasher' },
    spec: { containers: [{ name: 'main', image: 'crash' }] },
  });
  await cluster.waitFor('pod/crasher', 'jsonpath={.status.containerStatuses[0].restartCount}=1');
  await cluster.waitFor('pod/crasher', 'Ready');
  undo();
});
