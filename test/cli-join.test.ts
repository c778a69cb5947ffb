/** A machine from elsewhere joins `k8ts up` with nothing but a bootstrap token. No containers: its runtime only remembers. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { connect, loadKubeconfig, type Client } from '../src/client/index.ts';
import { serveRuntime } from '../src/cri/index.ts';
import { createContext, RealClock } from '../src/kernel/index.ts';
import { parseKubeletFlags, startKubeletCommand } from '../src/kubelet/index.ts';
import { FakeRuntime } from '../src/kubelet/testing/fake-runtime.ts';
import { startK8ts, type K8tsProcess } from './k8ts-process.ts';

const NODE = 'from-elsewhere';
const GOOD = { id: 'abcdef', secret: '0123456789abcdef' };
const EXPIRED = { id: 'expird', secret: '0123456789abcdef' };

describe('k8ts up with the addon join', () => {
  const directory = mkdtempSync(join(tmpdir(), 'k8ts-join-'));
  const ctx = createContext({ writeLog: () => {} });
  let cluster: K8tsProcess;
  let admin: Client;

  beforeAll(async () => {
    cluster = await startK8ts({ flags: ['--nodes', '0', '--addons', 'join'] });
    admin = connect(ctx, await loadKubeconfig({ clock: ctx.clock, file: cluster.kubeconfig }));
  });
  afterAll(async () => {
    await admin?.close();
    await cluster?.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  const createToken = ({ id, secret }: typeof GOOD, more: Readonly<Record<string, string>> = {}) =>
    admin.resource('v1/secrets').create({
      type: 'bootstrap.kubernetes.io/token',
      metadata: { name: `bootstrap-token-${id}`, namespace: 'kube-system' },
      stringData: { 'token-id': id, 'token-secret': secret, 'usage-bootstrap-authentication': 'true', ...more },
    });
  const kubeconfigWith = ({ id, secret }: typeof GOOD): string => {
    const file = join(directory, `${id}.kubeconfig`);
    writeFileSync(
      file,
      stringify({
        apiVersion: 'v1',
        kind: 'Config',
        clusters: [
          {
            name: 'k8ts',
            cluster: {
              server: cluster.server,
              'certificate-authority-data': Buffer.from(cluster.credentials.ca).toString('base64'),
            },
          },
        ],
        users: [{ name: 'new', user: { token: `${id}.${secret}` } }],
        contexts: [{ name: 'new', context: { cluster: 'k8ts', user: 'new' } }],
        'current-context': 'new',
      }),
    );
    return file;
  };
  const isReady = async (): Promise<boolean> =>
    (
      await admin
        .resource('v1/nodes')
        .get({ name: NODE })
        .catch(() => undefined)
    )?.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false;

  it('creates a node for a kubelet with a token', async () => {
    await createToken(GOOD);
    const runtime = serveRuntime(new FakeRuntime(new RealClock()));
    await runtime.listen(`unix://${join(directory, 'cri.sock')}`);
    const stop = new AbortController();
    const own = createContext({ signal: stop.signal, writeLog: () => {} });
    const files = [
      '--bootstrap-kubeconfig',
      kubeconfigWith(GOOD),
      '--kubeconfig',
      join(directory, 'kubelet.kubeconfig'),
      '--cert-dir',
      join(directory, 'pki'),
      '--root-dir',
      join(directory, 'root'),
    ];
    const machine = [
      '--hostname-override',
      NODE,
      '--node-ip',
      '127.0.0.1',
      '--container-runtime-endpoint',
      `unix://${join(directory, 'cri.sock')}`,
      '--cgroups-per-qos=false',
      '--enforce-node-allocatable=',
      '--port=0',
      '--healthz-port=0',
      '--fail-swap-on=false',
    ];
    const kubelet = await startKubeletCommand(own, parseKubeletFlags([...files, ...machine]));
    try {
      await expect.poll(isReady).toBe(true);
      const [request] = (await admin.resource('certificates.k8s.io/v1/certificatesigningrequests').list()).items;
      expect(request).toMatchObject({
        spec: { username: `system:bootstrap:${GOOD.id}`, signerName: 'kubernetes.io/kube-apiserver-client-kubelet' },
        status: { conditions: [{ type: 'Approved', reason: 'AutoApproved' }] },
      });
    } finally {
      stop.abort(new Error('the test has ended'));
      await kubelet.finished.catch(() => undefined);
      runtime.close();
    }
  });

  it('refuses an expired token, and deletes it', async () => {
    await createToken(EXPIRED, { expiration: new Date(Date.now() - 1000).toISOString() });
    const late = connect(ctx, await loadKubeconfig({ clock: ctx.clock, file: kubeconfigWith(EXPIRED) }));
    try {
      await expect(late.resource('certificates.k8s.io/v1/certificatesigningrequests').list()).rejects.toMatchObject({
        status: { code: 401 },
      });
    } finally {
      await late.close();
    }
    await expect
      .poll(async () =>
        (
          await admin
            .resource('v1/secrets')
            .list({ namespace: 'kube-system', fieldSelector: 'type=bootstrap.kubernetes.io/token' })
        ).items.map(({ metadata }) => metadata.name),
      )
      .toEqual([`bootstrap-token-${GOOD.id}`]);
  });

  it('gives a token no other permissions', async () => {
    const guest = connect(ctx, await loadKubeconfig({ clock: ctx.clock, file: kubeconfigWith(GOOD) }));
    try {
      await expect(guest.resource('v1/secrets').list({ namespace: 'kube-system' })).rejects.toMatchObject({
        status: { code: 403 },
      });
    } finally {
      await guest.close();
    }
  });
});
