import https from 'node:https';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parse } from 'yaml';
import { Cluster } from './index.ts';

let cluster: Cluster;
beforeAll(async () => {
  cluster = await Cluster.start();
});
afterAll(() => cluster.stop());

it('is ready when it has started: the default ServiceAccount is there', async () => {
  const account = await cluster.client.resource('v1/serviceaccounts').get({ namespace: 'default', name: 'default' });
  expect(account.metadata.uid).toMatch(/^[0-9a-f-]{36}$/);
});

it('returns the same objects to clients in the process and over HTTPS', async () => {
  await cluster.client
    .resource('v1/configmaps')
    .create({ metadata: { namespace: 'default', name: 'shared' }, data: { a: 'b' } });
  const { users, clusters } = parse(cluster.kubeconfig) as {
    users: [{ user: Record<string, string> }];
    clusters: [{ cluster: Record<string, string> }];
  };
  const pem = (text: string | undefined): string => Buffer.from(text ?? '', 'base64').toString();
  const body = await new Promise<string>((resolve, reject) => {
    const options = {
      cert: pem(users[0].user['client-certificate-data']),
      key: pem(users[0].user['client-key-data']),
      ca: pem(clusters[0].cluster['certificate-authority-data']),
    };
    https
      .get(`${cluster.server}/api/v1/namespaces/default/configmaps/shared`, options, (response) => {
        let text = '';
        response.on('data', (piece: Buffer) => (text += piece.toString()));
        response.on('end', () => resolve(text));
      })
      .on('error', reject);
  });
  expect(JSON.parse(body)).toMatchObject({ kind: 'ConfigMap', data: { a: 'b' } });
});

it('deletes a namespace with its content', async () => {
  const namespaces = cluster.client.resource('v1/namespaces');
  await namespaces.create({ metadata: { name: 'short-lived' } });
  await cluster.client.resource('v1/configmaps').create({ metadata: { namespace: 'short-lived', name: 'inside' } });
  await namespaces.delete({ name: 'short-lived' });
  await expect
    .poll(async () => (await namespaces.list()).items.map((n) => n.metadata.name), { timeout: 15_000 })
    .not.toContain('short-lived');
});
