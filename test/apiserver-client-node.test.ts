import {
  AppsV1Api,
  CoreV1Api,
  KubeConfig,
  makeInformer,
  type Informer,
  type V1ConfigMap,
} from '@kubernetes/client-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiConnection } from './api-connection.ts';
import { type K8tsProcess, startK8ts } from './k8ts-process.ts';
import { everything } from './requires.ts';
import { severable, type SeverableProxy } from './severable-proxy.ts';

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** The informer is watched for ten minutes in the long form. */
const DROPS = everything ? 120 : 6;
const DROP_EVERY_MS = everything ? 5_000 : 700;

describe('@kubernetes/client-node', { timeout: DROPS * DROP_EVERY_MS + 180_000 }, () => {
  let k8ts: K8tsProcess;
  let proxy: SeverableProxy;
  let config: KubeConfig;

  beforeAll(async () => {
    k8ts = await startK8ts();
    proxy = await severable(k8ts.port);
    config = new KubeConfig();
    config.loadFromFile(k8ts.kubeconfig);
  });
  afterAll(async () => {
    await proxy?.close();
    await k8ts?.stop();
  });

  it('creates, reads, replaces, patches, lists and deletes with types', async () => {
    const core = config.makeApiClient(CoreV1Api);
    const apps = config.makeApiClient(AppsV1Api);
    const namespace = 'default';
    const created = await core.createNamespacedConfigMap({
      namespace,
      body: { metadata: { name: 'typed' }, data: { a: '1' } },
    });
    expect(created.metadata?.creationTimestamp).toBeInstanceOf(Date);
    const read = await core.readNamespacedConfigMap({ namespace, name: 'typed' });
    expect(read.data).toEqual({ a: '1' });
    const replaced = await core.replaceNamespacedConfigMap({
      namespace,
      name: 'typed',
      body: { ...read, data: { a: '2' } },
    });
    expect(Number(replaced.metadata?.resourceVersion)).toBeGreaterThan(Number(read.metadata?.resourceVersion));
    await expect(
      core.replaceNamespacedConfigMap({ namespace, name: 'typed', body: { ...read, data: {} } }),
    ).rejects.toMatchObject({ code: 409 });
    const patched = await core.patchNamespacedConfigMap({
      namespace,
      name: 'typed',
      body: [{ op: 'add', path: '/data/b', value: '3' }],
    });
    expect(patched.data).toEqual({ a: '2', b: '3' });
    const deployment = await apps.createNamespacedDeployment({
      namespace,
      body: {
        metadata: { name: 'typed' },
        spec: {
          selector: { matchLabels: { app: 'x' } },
          template: { metadata: { labels: { app: 'x' } }, spec: { containers: [{ name: 'c', image: 'nginx' }] } },
        },
      },
    });
    expect(deployment.spec?.strategy?.rollingUpdate?.maxSurge).toBe('25%');
    const list = await core.listNamespacedConfigMap({ namespace, labelSelector: '!absent', limit: 1 });
    expect(list.items).toHaveLength(1);
    await core.deleteNamespacedConfigMap({ namespace, name: 'typed' });
    await expect(core.readNamespacedConfigMap({ namespace, name: 'typed' })).rejects.toMatchObject({ code: 404 });
  });

  it('keeps an informer equal to the server while its connections are dropped', async () => {
    const dropped = new KubeConfig();
    dropped.loadFromFile(k8ts.kubeconfig);
    dropped.clusters = dropped.clusters.map((cluster) => ({ ...cluster, server: proxy.server }));
    const core = dropped.makeApiClient(CoreV1Api);
    const path = '/api/v1/namespaces/kube-public/configmaps';
    const informer = makeInformer<V1ConfigMap>(dropped, path, () =>
      core.listNamespacedConfigMap({ namespace: 'kube-public' }),
    );
    const seen = keepUp(informer);
    await informer.start();
    const api = new ApiConnection(k8ts.server, k8ts.credentials);
    for (let i = 0, drops = 0, nextDrop = performance.now(); drops < DROPS; i++) {
      const name = `c-${i % 20}`;
      const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { i: String(i) } };
      if (i % 7 === 6) await api.call('DELETE', `${path}/${name}`);
      else if ((await api.call('PUT', `${path}/${name}`, { body })).status === 404)
        await api.call('POST', path, { body });
      if (performance.now() > nextDrop) {
        proxy.sever();
        drops++;
        nextDrop = performance.now() + DROP_EVERY_MS;
      }
      await sleep(20);
    }
    const items = (await api.call('GET', path)).json()['items'] as {
      metadata: { name: string; resourceVersion: string };
    }[];
    const wanted = new Map(items.map(({ metadata }) => [metadata.name, metadata.resourceVersion]));
    await expect.poll(() => seen).toEqual(wanted);
    await informer.stop();
    api.close();
  });

  /** What the informer has told; it is started again whenever it gives up. */
  function keepUp(informer: Informer<V1ConfigMap>): Map<string, string> {
    const seen = new Map<string, string>();
    const put = ({ metadata }: V1ConfigMap): void => void seen.set(metadata!.name!, metadata!.resourceVersion!);
    informer.on('add', put);
    informer.on('update', put);
    informer.on('delete', ({ metadata }) => void seen.delete(metadata!.name!));
    informer.on('error', () => setTimeout(() => void informer.start().catch(() => undefined), 100));
    return seen;
  }
});
