import { X509Certificate } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tls from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPki, startApiServer, type ApiServer, type ClusterPki } from '../src/apiserver/index.ts';
import { Client } from '../src/client/index.ts';
import { inProcessTransport } from '../src/cluster/in-process-transport.ts';
import { DEFAULT_CONFIG, run as runControllerManager } from '../src/controller-manager/index.ts';
import { serveRuntime } from '../src/cri/index.ts';
import { createMemoryStore } from '../src/etcd/index.ts';
import { createContext, RealClock, RunGroup, SystemRandom, type Context } from '../src/kernel/index.ts';
import { until } from '../src/kernel/testing/index.ts';
import { parseKubeletFlags, startKubeletCommand, type KubeletCommand } from '../src/kubelet/index.ts';
import { FakeRuntime } from '../src/kubelet/testing/fake-runtime.ts';
import { everything } from './requires.ts';

const TOKEN = { id: 'abcdef', secret: '0123456789abcdef' };
const MASTERS = ['system:masters', 'system:authenticated'];
/** The signer dates certificates back by five minutes, and they are renewed after 70 percent of their life: about a second from now. */
const LIFE_SECONDS = 132;
const NODE = 'new-node';

/** Renewals come as soon as they may. */
class Soonest extends SystemRandom {
  override next(): number {
    return 0;
  }
  override fork(): this {
    return this;
  }
}

/** A machine that has nothing but a token becomes a node, and stays one. No containers: the runtime only remembers. */
describe('a kubelet with bootstrap credentials', () => {
  const directory = mkdtempSync(join(tmpdir(), 'k8ts-bootstrap-'));
  const stop = new AbortController();
  let ctx: Context;
  let group: RunGroup;
  let pkiOfCluster: ClusterPki;
  let apiServer: ApiServer;
  let client: Client;
  let closeRuntime: () => void;
  let kubelet: { command: KubeletCommand; stop: AbortController } | undefined;

  beforeAll(async () => {
    ctx = createContext({ signal: stop.signal, writeLog: () => {} });
    group = new RunGroup({ signal: ctx.signal });
    pkiOfCluster = await openPki(ctx, undefined, {
      signingKey: 'ec',
      dnsNames: ['localhost'],
      addresses: ['127.0.0.1'],
    });
    apiServer = await startApiServer(ctx, {
      store: createMemoryStore({ clock: ctx.clock }),
      pki: pkiOfCluster,
      host: '127.0.0.1',
      port: 0,
      advertiseAddress: '192.0.2.1',
      serviceClusterIpRange: '10.96.0.0/16',
      authentication: { bootstrapTokens: true },
    });
    client = clientAs('admin');
    const config = {
      ...DEFAULT_CONFIG,
      rootCa: pkiOfCluster.ca.certificate,
      clusterSigningCertificate: pkiOfCluster.ca.certificate,
      clusterSigningKey: pkiOfCluster.ca.key,
      clusterSigningDurationSeconds: LIFE_SECONDS,
      serviceAccountPrivateKey: pkiOfCluster.serviceAccount.privateKey,
      leaderElect: false,
    };
    group.start('kube-controller-manager', () =>
      runControllerManager(ctx, { client: clientAs('system:kube-controller-manager'), config, identity: 'test' }),
    );
    await prepareCluster();
    const server = serveRuntime(new FakeRuntime(new RealClock()));
    await server.listen(`unix://${join(directory, 'cri.sock')}`);
    closeRuntime = () => server.close();
  });

  const clientAs = (name: string): Client =>
    new Client({
      transport: inProcessTransport({ handle: apiServer.handle, user: { name, groups: MASTERS }, signal: ctx.signal }),
      clock: ctx.clock,
      userAgent: name,
    });

  afterAll(async () => {
    await stopKubelet();
    closeRuntime?.();
    stop.abort(new Error('closed'));
    await group.wait().catch(() => {});
    await apiServer?.finished.catch(() => {});
    rmSync(directory, { recursive: true, force: true });
  });

  /** What an installer makes once: the token, who may ask with it, and whose requests are approved. */
  async function prepareCluster(): Promise<void> {
    const secret = {
      'token-id': TOKEN.id,
      'token-secret': TOKEN.secret,
      'usage-bootstrap-authentication': 'true',
      'auth-extra-groups': 'system:bootstrappers:test',
    };
    await client.resource('v1/secrets').create({
      apiVersion: 'v1',
      kind: 'Secret',
      type: 'bootstrap.kubernetes.io/token',
      metadata: { name: `bootstrap-token-${TOKEN.id}`, namespace: 'kube-system' },
      data: Object.fromEntries(
        Object.entries(secret).map(([key, value]) => [key, Buffer.from(value).toString('base64')]),
      ),
    });
    const bind = (name: string, role: string, group_: string) =>
      client.resource('rbac.authorization.k8s.io/v1/clusterrolebindings').create({
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRoleBinding',
        metadata: { name },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: group_ }],
      });
    await bind('ask', 'system:node-bootstrapper', 'system:bootstrappers:test');
    await bind(
      'approve-first',
      'system:certificates.k8s.io:certificatesigningrequests:nodeclient',
      'system:bootstrappers:test',
    );
    await bind(
      'approve-renewal',
      'system:certificates.k8s.io:certificatesigningrequests:selfnodeclient',
      'system:nodes',
    );
    writeFileSync(
      join(directory, 'bootstrap.kubeconfig'),
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Config',
        clusters: [
          {
            name: 'c',
            cluster: {
              server: `https://127.0.0.1:${apiServer.port}`,
              'certificate-authority-data': Buffer.from(pkiOfCluster.ca.certificate).toString('base64'),
            },
          },
        ],
        contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
        'current-context': 'c',
        users: [{ name: 'u', user: { token: `${TOKEN.id}.${TOKEN.secret}` } }],
      }),
    );
  }

  const pki = join(directory, 'pki');
  async function startKubelet(): Promise<void> {
    const stopping = new AbortController();
    const own = createContext({ signal: stopping.signal, writeLog: () => {}, random: new Soonest() });
    const flags = [
      '--bootstrap-kubeconfig',
      join(directory, 'bootstrap.kubeconfig'),
      '--kubeconfig',
      join(directory, 'kubelet.kubeconfig'),
      '--cert-dir',
      pki,
      '--root-dir',
      join(directory, 'root'),
      '--hostname-override',
      NODE,
      '--node-ip',
      '127.0.0.1',
      '--container-runtime-endpoint',
      `unix://${join(directory, 'cri.sock')}`,
      '--rotate-certificates',
      '--rotate-server-certificates',
      '--cgroups-per-qos=false',
      '--enforce-node-allocatable=',
      '--port=0',
      '--healthz-port=0',
      '--fail-swap-on=false',
    ];
    const command = await startKubeletCommand(own, parseKubeletFlags(flags));
    kubelet = { command, stop: stopping };
  }
  async function stopKubelet(): Promise<void> {
    kubelet?.stop.abort(new Error('stopped'));
    await kubelet?.command.finished.catch(() => {});
    kubelet = undefined;
  }
  const requests = async () =>
    (await client.resource('certificates.k8s.io/v1/certificatesigningrequests').list()).items;
  const current = (kind: 'client' | 'server'): X509Certificate =>
    new X509Certificate(readFileSync(join(pki, `kubelet-${kind}-current.pem`)));
  const node = () => client.resource('v1/nodes').get({ name: NODE });
  const isReady = async (): Promise<boolean> =>
    (await node().catch(() => undefined))?.status?.conditions?.some(
      ({ type, status }) => type === 'Ready' && status === 'True',
    ) ?? false;

  it('gets a client certificate and joins', async () => {
    await startKubelet();
    await until('the node is ready', isReady);
    expect(current('client').subject.split('\n').toSorted()).toEqual([`CN=system:node:${NODE}`, 'O=system:nodes']);
    // The request for its serving certificate may stand beside it already.
    const first = (await requests()).find(({ metadata }) => metadata.name?.startsWith('node-csr-'));
    expect(first?.spec).toMatchObject({
      signerName: 'kubernetes.io/kube-apiserver-client-kubelet',
      username: `system:bootstrap:${TOKEN.id}`,
      usages: ['digital signature', 'client auth'],
    });
    expect(first?.status?.conditions).toMatchObject([{ type: 'Approved', reason: 'AutoApproved' }]);
    const kubeconfig = JSON.parse(readFileSync(join(directory, 'kubelet.kubeconfig'), 'utf8')) as {
      users: [{ user: object }];
    };
    expect(kubeconfig.users[0].user).toEqual({
      'client-certificate': join(pki, 'kubelet-client-current.pem'),
      'client-key': join(pki, 'kubelet-client-current.pem'),
    });
  });

  it('renews it by itself, with itself', async () => {
    const { serialNumber } = current('client');
    await until('there is another', () => current('client').serialNumber !== serialNumber);
    const renewal = (await requests()).find(
      ({ spec, metadata }) =>
        spec.signerName === 'kubernetes.io/kube-apiserver-client-kubelet' && metadata.name?.startsWith('csr-'),
    );
    expect(renewal?.spec.username).toBe(`system:node:${NODE}`);
    expect(renewal?.status?.conditions).toMatchObject([
      { type: 'Approved', message: 'Auto approving self kubelet client certificate after SubjectAccessReview.' },
    ]);
    expect(await isReady()).toBe(true);
  });

  /** An administrator's part: nobody else approves serving certificates. */
  async function approveServing(): Promise<void> {
    const waiting = (await requests()).filter(
      ({ spec, status }) => spec.signerName === 'kubernetes.io/kubelet-serving' && status?.conditions === undefined,
    );
    for (const request of waiting)
      await client
        .resource('certificates.k8s.io/v1/certificatesigningrequests')
        .patch(
          { name: request.metadata.name ?? '' },
          { status: { conditions: [{ type: 'Approved', status: 'True', reason: 'Test', message: 'approved' }] } },
          { type: 'merge', subresource: 'approval' },
        );
  }
  const shown = async (): Promise<X509Certificate> => {
    const port = (await node()).status?.daemonEndpoints?.kubeletEndpoint?.Port ?? 0;
    return new Promise((resolve, reject) => {
      const socket = tls.connect({ host: '127.0.0.1', port, rejectUnauthorized: false }, () => {
        const certificate = socket.getPeerX509Certificate();
        socket.destroy();
        if (certificate === undefined) reject(new Error('no certificate'));
        else resolve(certificate);
      });
      socket.once('error', reject);
    });
  };

  it('serves with a certificate of the cluster once it is approved, and renews that too', async () => {
    const issuer = new X509Certificate(pkiOfCluster.ca.certificate);
    expect((await shown()).checkIssued(issuer)).toBe(false);
    await until('the certificate is asked for', async () =>
      (await requests()).some(({ spec }) => spec.signerName === 'kubernetes.io/kubelet-serving'),
    );
    await approveServing();
    await until('it is shown', async () => (await shown()).checkIssued(issuer));
    const first = await shown();
    expect(first.subjectAltName?.split(', ').toSorted()).toEqual([`DNS:${NODE}`, 'IP Address:127.0.0.1']);
    await until('the next is shown', async () => {
      await approveServing();
      return (await shown()).serialNumber !== first.serialNumber;
    });
  });

  it('restarts without new requests', async () => {
    await stopKubelet();
    rmSync(join(directory, 'bootstrap.kubeconfig'));
    const serving = current('server');
    await startKubelet();
    await until(
      'the server is back',
      async () =>
        (await shown().catch(() => undefined))?.checkIssued(new X509Certificate(pkiOfCluster.ca.certificate)) === true,
    );
    expect(Date.parse(serving.validTo)).toBeGreaterThan(Date.now());
    expect(existsSync(join(pki, 'kubelet.crt'))).toBe(false);
    expect(readdirSync(pki).filter((name) => name.startsWith('kubelet-client-2')).length).toBeGreaterThan(1);
  });

  it.runIf(everything)('outlives its first certificate (long form)', { timeout: 300_000 }, async () => {
    const renewedAt = async () =>
      (await client.resource('coordination.k8s.io/v1/leases').get({ namespace: 'kube-node-lease', name: NODE })).spec
        ?.renewTime;
    await new Promise((resolve) => setTimeout(resolve, (LIFE_SECONDS + 20) * 1000));
    const before = await renewedAt();
    await until('the lease is renewed', async () => (await renewedAt()) !== before);
  });
});
