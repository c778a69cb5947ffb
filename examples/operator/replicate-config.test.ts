import { KubeConfig } from '@kubernetes/client-node';
import { Cluster } from 'k8ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startOperator } from './replicate-config.mjs';

let cluster: Cluster;
let operator: { stop(): Promise<void> };

beforeAll(async () => {
  cluster = await Cluster.start({ nodes: 0 });
  await cluster.client.resource('v1/namespaces').create({ metadata: { name: 'shared' } });
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromString(cluster.kubeconfig);
  operator = await startOperator(kubeConfig);
});
afterAll(async () => {
  await operator.stop();
  await cluster.stop();
});

test('a labelled ConfigMap appears in other namespaces, and follows its original', async () => {
  const original = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'settings', namespace: 'shared', labels: { replicate: 'true' } },
  };
  await cluster.apply({ ...original, data: { level: '1' } });
  await cluster.waitFor('configmap/settings', 'jsonpath={.data.level}=1');
  await cluster.apply({ ...original, data: { level: '2' } });
  const copy = await cluster.waitFor('configmap/settings', 'jsonpath={.data.level}=2');
  expect(copy.metadata.namespace).toBe('default');
});

test('the operator survives a dropped watch', async () => {
  cluster.faults.dropWatches({ resource: 'configmaps', namespace: 'shared' });
  await cluster.apply({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'later', namespace: 'shared', labels: { replicate: 'true' } },
    data: { a: 'b' },
  });
  await cluster.waitFor('configmap/later', 'jsonpath={.data.a}=b');
});
