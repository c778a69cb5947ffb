import { X509Certificate } from 'node:crypto';
import https from 'node:https';
import { join } from 'node:path';
import { connect as tlsConnect } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Pod } from '../src/api/generated/core-v1.ts';
import { issueCertificate } from '../src/apiserver/index.ts';
import { hasClientCertificate, storeClientCertificate } from '../src/kubelet/certificates/client-certificate.ts';
import { requestCertificate } from '../src/kubelet/certificates/request-certificate.ts';
import { startNodeCluster, type NodeCluster } from './node-cluster.ts';
import { requires } from './requires.ts';
import { busyboxImage, pushImage } from './test-images.ts';
import {
  REGISTRY_AUTHORIZATION,
  REGISTRY_PASSWORD,
  REGISTRY_USER,
  startRegistry,
  type TestRegistry,
} from './test-registry.ts';

const missing = requires('root', 'runc', 'conmon', 'kubectl', 'busybox', 'docker-registry');

describe.skipIf(missing)(`the kubelet's API, and images from registries${missing ? ` (${missing})` : ''}`, () => {
  let c: NodeCluster;
  let plain: TestRegistry;
  let guarded: TestRegistry;
  beforeAll(async () => {
    [c, plain, guarded] = await Promise.all([
      startNodeCluster(),
      startRegistry(),
      startRegistry({ authentication: true }),
    ]);
    await pushImage(busyboxImage('app'), { registry: plain.url, repository: 'app', tag: 'v1' });
    await pushImage(busyboxImage('app'), {
      registry: guarded.url,
      repository: 'app',
      tag: 'v1',
      authorization: REGISTRY_AUTHORIZATION,
    });
  });
  afterAll(() => Promise.all([c?.close(), plain?.stop(), guarded?.stop()]));

  const pods = () => c.client.resource('v1/pods');
  const make = (name: string, image: string, more: object = {}): Promise<Pod> =>
    pods().create({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: 'default' },
      spec: {
        terminationGracePeriodSeconds: 1,
        containers: [{ name: 'main', image, command: ['sleep', '1000'] }],
        ...more,
      },
    });
  const waiting = async (name: string): Promise<string | undefined> =>
    (await pods().get({ namespace: 'default', name })).status?.containerStatuses?.[0]?.state?.waiting?.reason;
  const isRunning = async (name: string): Promise<boolean> =>
    (await pods().get({ namespace: 'default', name })).status?.phase === 'Running';
  const events = async (name: string): Promise<string[]> =>
    (
      await c.client.resource('v1/events').list({ namespace: 'default', fieldSelector: `involvedObject.name=${name}` })
    ).items.map(({ reason, message }) => `${reason}: ${message}`);

  it('pulls, with and without credentials', async () => {
    await make('open', `${plain.host}/app:v1`);
    await c.until('it runs', () => isRunning('open'));
    const pulled = (await events('open')).find((event) => event.startsWith('Pulled'));
    expect(pulled).toMatch(
      new RegExp(
        `^Pulled: Successfully pulled image "${plain.host}/app:v1" in \\S+ \\(\\S+ including waiting\\)\\. Image size: \\d+ bytes\\.$`,
      ),
    );
    await make('locked', `${guarded.host}/app:v1`);
    await c.until('it is refused', async () =>
      ['ErrImagePull', 'ImagePullBackOff'].includes((await waiting('locked')) ?? ''),
    );
    expect(
      (await events('locked')).some((event) =>
        event.startsWith(`Failed: Failed to pull image "${guarded.host}/app:v1": `),
      ),
    ).toBe(true);
    await c.ok([
      'create',
      'secret',
      'docker-registry',
      'pull',
      `--docker-server=${guarded.host}`,
      `--docker-username=${REGISTRY_USER}`,
      `--docker-password=${REGISTRY_PASSWORD}`,
    ]);
    await make('let-in', `${guarded.host}/app:v1`, { imagePullSecrets: [{ name: 'pull' }] });
    await c.until('it runs', () => isRunning('let-in'));
    await make('absent', `${plain.host}/nothing:v1`);
    await c.until('it is not there', async () =>
      ['ErrImagePull', 'ImagePullBackOff'].includes((await waiting('absent')) ?? ''),
    );
    await c.ok('delete pod locked let-in absent --now');
  });

  /** Straight to the kubelet, past the API server. */
  async function ask(
    path: string,
    options: { token?: string; admin?: boolean; method?: string } = {},
  ): Promise<{ status: number; body: string }> {
    const { certificate, key } = await issueCertificate(c.ctx, c.controlPlane.pki.ca, {
      commonName: 'kubernetes-admin',
      organizations: ['system:masters'],
      usage: 'client',
    });
    return new Promise((resolve, reject) => {
      const createConnection = () =>
        tlsConnect({
          socket: c.node.connect(),
          rejectUnauthorized: false,
          ...(options.admin ? { cert: certificate, key } : {}),
        });
      const request = https.request(
        {
          path,
          method: options.method ?? 'GET',
          createConnection,
          headers: options.token === undefined ? {} : { authorization: `Bearer ${options.token}` },
        },
        (response) => {
          let body = '';
          response.on('data', (chunk: Buffer) => (body += chunk.toString()));
          response.once('end', () => resolve({ status: response.statusCode ?? 0, body }));
        },
      );
      request.once('error', reject);
      request.end();
    });
  }

  it('is served to authorized users', async (test) => {
    const oldKubectl = requires('kubectl>=1.24');
    if (oldKubectl) return test.skip(oldKubectl);
    expect(await ask('/pods')).toEqual({ status: 401, body: 'Unauthorized\n' });
    expect((await ask('/pods', { token: 'nonsense' })).status).toBe(401);
    await c.ok('create serviceaccount reader');
    const token = (await c.ok('create token reader')).trim();
    expect(await ask('/metrics/resource', { token })).toEqual({
      status: 403,
      body: 'Forbidden (user=system:serviceaccount:default:reader, verb=get, resource=nodes, subresource(s)=[metrics])\n',
    });
    await c.ok('create clusterrole metrics --verb=get --resource=nodes/stats,nodes/pods');
    await c.ok('create clusterrolebinding metrics --clusterrole=metrics --serviceaccount=default:reader');
    expect((await ask('/stats/summary', { token })).status).toBe(200);
    expect((await ask('/pods', { token })).status).toBe(200);
    expect((await ask('/exec/default/open/main?command=id&output=1', { token, method: 'POST' })).status).toBe(403);
  });

  it('gets its certificates from the cluster', async () => {
    const issued = await requestCertificate(c.ctx, c.client, {
      signerName: 'kubernetes.io/kube-apiserver-client-kubelet',
      nodeName: 'node-9',
    });
    const { subject, issuer } = new X509Certificate(issued.certificate);
    expect(subject.split('\n').toSorted()).toEqual(['CN=system:node:node-9', 'O=system:nodes']);
    expect(issuer).toBe(new X509Certificate(c.controlPlane.pki.ca.certificate).subject);
    await storeClientCertificate(join(c.directory, 'pki'), issued, Date.now());
    expect(await hasClientCertificate(join(c.directory, 'pki'), Date.now())).toBe(true);
  });

  it('reports pods, usage, metrics and configuration', async () => {
    const json = async (path: string) => JSON.parse((await ask(path, { admin: true })).body) as Record<string, never>;
    expect((await ask('/healthz', { admin: true })).body).toBe('ok');
    // The kubelet hears of the end of deleted pods after the API server.
    const onlyOpen = { kind: 'PodList', items: [{ metadata: { name: 'open' } }] };
    await expect.poll(() => json('/pods')).toMatchObject(onlyOpen);
    await expect.poll(() => json('/runningpods/')).toMatchObject(onlyOpen);
    const summary = await json('/stats/summary');
    expect(summary).toMatchObject({
      node: { nodeName: 'node-1' },
      pods: [
        {
          podRef: { name: 'open' },
          containers: [{ name: 'main', memory: { workingSetBytes: expect.any(Number) as number } }],
        },
      ],
    });
    expect((await ask('/metrics/resource', { admin: true })).body).toMatch(
      /container_memory_working_set_bytes\{container="main",namespace="default",pod="open"\} \d+/,
    );
    expect((await ask('/metrics/cadvisor', { admin: true })).body).toContain('machine_cpu_cores');
    expect((await ask('/metrics', { admin: true })).status).toBe(200);
    expect((await ask('/metrics/probes', { admin: true })).status).toBe(200);
    expect(await json('/configz')).toMatchObject({ kubeletconfig: { maxPods: 110 } });
    expect((await ask('/run/default/open/main?cmd=hostname', { admin: true, method: 'POST' })).body).toBe('open\n');
    expect((await ask('/checkpoint/default/open/main', { admin: true, method: 'POST' })).status).toBe(404);
    expect((await ask('/logs/../../etc/passwd', { admin: true })).status).toBe(404);
    expect(await ask('/containerLogs/default/open/other', { admin: true })).toEqual({
      status: 404,
      body: 'container "other" not found in pod "open"',
    });
    expect((await ask('/nonsense', { admin: true })).status).toBe(404);
  });
});
