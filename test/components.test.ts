/** The control plane as processes of their own: etcd, API server and two controller managers, by upstream's flags. */
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import http2 from 'node:http2';
import https from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tls from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPki } from '../src/apiserver/index.ts';
import { connect, loadKubeconfig, type Client } from '../src/client/index.ts';
import { createEtcdStore } from '../src/etcd/index.ts';
import { RemoteSpans, spansOf, traceOf } from '../src/glass/index.ts';
import { createContext } from '../src/kernel/index.ts';
import { until } from '../src/kernel/testing/index.ts';
import { makeCertificate } from '../src/net/tls/testing/index.ts';
import { attributesOf, Collector } from '../src/otlp/testing/collector.ts';
import { startComponent, type ComponentProcess } from './component-process.ts';
import { freePort } from './free-port.ts';
import { everything, some } from './requires.ts';

interface AuditEvent {
  readonly user: { readonly username: string; readonly groups: readonly string[] };
  readonly responseStatus?: { readonly code: number };
}

const directory = mkdtempSync(join(tmpdir(), 'k8ts-components-'));
const file = (name: string): string => join(directory, name);
const TOKEN = 'token-of-the-admin';
const MANAGER_TOKEN = 'token-of-the-manager';
/** Longer than any test: who takes over before has been given the lease. */
const LONG_LEASE = ['--leader-elect-lease-duration=1h', '--leader-elect-renew-deadline=50m'];
const LEADER = /"Successfully acquired lease"/;

const ctx = createContext({ writeLog: () => {} });
const running: ComponentProcess[] = [];
const collector = new Collector();
let client: Client;
let apiServer: ComponentProcess;
let apiServerPort = 0;
let etcdPort = 0;
let managerPort = 0;

const writeCertificate = async (name: string, commonName: string): Promise<void> => {
  const { pem, keyPem } = await makeCertificate({ subject: `CN=${commonName}` });
  writeFileSync(file(`${name}.key`), keyPem);
  writeFileSync(file(`${name}.crt`), pem);
};

const start = async (args: readonly string[], ready?: string | RegExp): Promise<ComponentProcess> => {
  const component = await startComponent(args, ready);
  running.push(component);
  return component;
};

const startManager = (port: number, ready: string | RegExp, flags: readonly string[] = []): Promise<ComponentProcess> =>
  start(
    [
      ...[
        'kube-controller-manager',
        '--kubeconfig',
        file('manager.kubeconfig'),
        '--use-service-account-credentials',
        '--bind-address=127.0.0.1',
        `--secure-port=${port}`,
      ],
      ...[
        '--root-ca-file',
        file('ca.crt'),
        '--service-account-private-key-file',
        file('sa.key'),
        '--cluster-signing-cert-file',
        file('ca.crt'),
      ],
      ...[
        '--cluster-signing-key-file',
        file('ca.key'),
        '--allocate-node-cidrs',
        '--cluster-cidr=10.244.0.0/16',
        '--concurrent-deployment-syncs=2',
      ],
      ...flags,
    ],
    ready,
  );

beforeAll(async () => {
  await openPki(ctx, directory, { dnsNames: ['localhost'], addresses: ['127.0.0.1'], signingKey: 'ec' });
  writeFileSync(
    file('tokens.csv'),
    `${TOKEN},admin,u1,"system:masters"\nguest-token,guest,u2\n${MANAGER_TOKEN},system:kube-controller-manager,u3\n`,
    { mode: 0o600 },
  );
  await writeCertificate('sni', 'before');
  writeFileSync(file('audit.yaml'), 'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: Metadata}]\n');
  writeFileSync(
    file('encryption.yaml'),
    JSON.stringify({
      apiVersion: 'apiserver.config.k8s.io/v1',
      kind: 'EncryptionConfiguration',
      resources: [
        {
          resources: ['secrets'],
          providers: [
            { aesgcm: { keys: [{ name: 'k', secret: Buffer.alloc(32, 7).toString('base64') }] } },
            { identity: {} },
          ],
        },
      ],
    }),
    { mode: 0o600 },
  );
  writeFileSync(
    file('admission.yaml'),
    'apiVersion: apiserver.config.k8s.io/v1\nkind: AdmissionConfiguration\nplugins:\n- name: PodSecurity\n  configuration: {apiVersion: pod-security.admission.config.k8s.io/v1, kind: PodSecurityConfiguration, defaults: {enforce: baseline}}\n',
  );
  writeFileSync(
    file('tracing.yaml'),
    `apiVersion: apiserver.config.k8s.io/v1\nkind: TracingConfiguration\nendpoint: ${await collector.listen()}\nsamplingRatePerMillion: 1000000\n`,
  );
  const port = await freePort();
  etcdPort = await freePort();
  apiServerPort = port;
  managerPort = await freePort();
  await start(
    ['etcd', '--data-dir', file('etcd'), '--listen-client-urls', `http://127.0.0.1:${etcdPort}`],
    'Serving the etcd v3 API',
  );
  apiServer = await start(
    [
      ...[
        'kube-apiserver',
        '--etcd-servers',
        `http://127.0.0.1:${etcdPort}`,
        '--bind-address=127.0.0.1',
        `--secure-port=${port}`,
      ],
      ...[
        '--tls-cert-file',
        file('apiserver.crt'),
        '--tls-private-key-file',
        file('apiserver.key'),
        '--client-ca-file',
        file('ca.crt'),
      ],
      ...[
        '--service-account-key-file',
        file('sa.pub'),
        '--service-account-signing-key-file',
        file('sa.key'),
        '--service-account-issuer=https://kubernetes.default.svc',
      ],
      ...[
        '--authorization-mode=Node,RBAC',
        '--token-auth-file',
        file('tokens.csv'),
        '--service-cluster-ip-range=10.96.0.0/16',
        '--enable-admission-plugins=NodeRestriction,AlwaysPullImages',
      ],
      ...[
        '--audit-policy-file',
        file('audit.yaml'),
        '--audit-log-path',
        file('audit.log'),
        '--encryption-provider-config',
        file('encryption.yaml'),
      ],
      ...[
        '--admission-control-config-file',
        file('admission.yaml'),
        '--requestheader-client-ca-file',
        file('front-proxy-ca.crt'),
        '--runtime-config=autoscaling/v1=false',
        '--tracing-config-file',
        file('tracing.yaml'),
        '--allow-privileged',
        '--shutdown-delay-duration=2s',
        '--cors-allowed-origins=//example\\.com(:|$)',
        '--goaway-chance=0.02',
        '--etcd-prefix=/elsewhere',
        '--strict-transport-security-directives=max-age=60,includeSubDomains',
        `--tls-sni-cert-key=${file('sni.crt')},${file('sni.key')}:sni.example`,
        '--audit-log-mode=blocking-strict',
      ],
    ],
    'Serving securely',
  );
  const kubeconfigOf = (token: string): string =>
    JSON.stringify({
      ...{
        apiVersion: 'v1',
        kind: 'Config',
        'current-context': 'a',
        contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
      },
      clusters: [
        { name: 'a', cluster: { server: `https://127.0.0.1:${port}`, 'certificate-authority': file('ca.crt') } },
      ],
      users: [{ name: 'a', user: { token } }],
    });
  writeFileSync(file('kubeconfig'), kubeconfigOf(TOKEN), { mode: 0o600 });
  writeFileSync(file('manager.kubeconfig'), kubeconfigOf(MANAGER_TOKEN), { mode: 0o600 });
  writeFileSync(file('guest.kubeconfig'), kubeconfigOf('guest-token'), { mode: 0o600 });
  client = connect(ctx, await loadKubeconfig({ clock: ctx.clock, file: file('kubeconfig') }));
});

afterAll(async () => {
  await client?.close();
  for (const component of running.reverse()) await component.stop('SIGKILL');
  collector.close();
  rmSync(directory, { recursive: true, force: true });
});

async function deploy(name: string): Promise<void> {
  const template = { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  await client.resource('apps/v1/deployments').create({
    metadata: { name, namespace: 'default' },
    spec: { replicas: 2, selector: { matchLabels: { app: name } }, template },
  });
}

async function untilPods(name: string): Promise<void> {
  const pods = { namespace: 'default', labelSelector: `app=${name}` };
  await until(`${name} has two pods`, async () => (await client.resource('v1/pods').list(pods)).items.length === 2);
}

const ask = (path: string, token?: string, port = managerPort): Promise<number> =>
  new Promise((resolve, reject) => {
    const headers = token ? { authorization: `Bearer ${token}` } : {};
    https
      .get({ host: '127.0.0.1', port, path, headers, rejectUnauthorized: false, agent: false }, (response) =>
        resolve(response.resume().statusCode!),
      )
      .on('error', reject);
  });

describe('components as processes', () => {
  let leader: ComponentProcess;
  let standby: ComponentProcess;

  it('work together, each controller as its own ServiceAccount', async () => {
    leader = await startManager(managerPort, LEADER, LONG_LEASE);
    await deploy('first');
    await untilPods('first');
    const { items } = await client.resource('v1/pods').list({ namespace: 'default' });
    expect(items[0]?.spec?.containers[0]?.imagePullPolicy).toBe('Always');
    const accounts = await client.resource('v1/serviceaccounts').list({ namespace: 'kube-system' });
    expect(accounts.items.map(({ metadata }) => metadata.name)).toEqual(
      expect.arrayContaining(['deployment-controller', 'replicaset-controller', 'service-account-controller']),
    );
  });

  it('do it with the roles that they have', () => {
    const events = readFileSync(file('audit.log'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as AuditEvent);
    const byManager = events.filter(
      ({ user }) =>
        user.username === 'system:kube-controller-manager' ||
        user.username.startsWith('system:serviceaccount:kube-system:'),
    );
    expect(byManager.length).toBeGreaterThan(100);
    expect(
      byManager.filter(
        ({ user, responseStatus }) => user.groups.includes('system:masters') || responseStatus?.code === 403,
      ),
    ).toEqual([]);
  });

  it('follow their flags', async () => {
    const privileged = {
      metadata: { name: 'p', namespace: 'default' },
      spec: { containers: [{ name: 'c', image: 'i', securityContext: { privileged: true } }] },
    };
    await expect(client.resource('v1/pods').create(privileged)).rejects.toThrow(
      /violates PodSecurity "baseline:latest": privileged/,
    );
    await expect(
      client.resource('autoscaling/v1/horizontalpodautoscalers').list({ namespace: 'default' }),
    ).rejects.toThrow(/could not find the requested resource/);
  });

  it('serve health to everybody and metrics to authorized users', async () => {
    expect(await ask('/healthz')).toBe(200);
    expect(await ask('/metrics')).toBe(403);
    expect(await ask('/metrics', 'guest-token')).toBe(403);
    expect(await ask('/metrics', TOKEN)).toBe(200);
  });

  it('record one trace together, from the write to the binding', async () => {
    await client.resource('v1/nodes').create({ metadata: { name: 'n' } });
    await client.resource('v1/nodes').patch({ name: 'n' }, { spec: { taints: null } }, { type: 'merge' });
    const capacity = { cpu: '4', memory: '4Gi', pods: '10' };
    await client
      .resource('v1/nodes')
      .patch({ name: 'n' }, { status: { capacity, allocatable: capacity } }, { type: 'merge', subresource: 'status' });
    const scheduler = ['kube-scheduler', '--kubeconfig', file('kubeconfig'), '--leader-elect=false', '--secure-port=0'];
    await start(scheduler);
    const spans = new RemoteSpans(client, ctx.signal);
    const from = await spans.next();
    await deploy('traced');
    const titles = async (): Promise<string[]> => {
      const recorded = await spans.since(from);
      const root = recorded.find(({ name, parent }) => name === 'create deployments' && parent === 0);
      const trace = traceOf(recorded, root!.id)!;
      return spansOf(trace.root).map(({ name, isRemote }) => (isRemote ? `${name} in another process` : name));
    };
    await expect
      .poll(titles)
      .toEqual(
        expect.arrayContaining([
          'reconcile deployment in another process',
          'create replicasets',
          'reconcile replicaset in another process',
          'create pods',
          'schedule in another process',
          'create pods/binding',
        ]),
      );
    const guest = await loadKubeconfig({ clock: ctx.clock, file: file('guest.kubeconfig') });
    await expect(new RemoteSpans(connect(ctx, guest), ctx.signal).next()).rejects.toThrow(
      'User "guest" cannot list resource "spans" in API group "glass.k8ts.dev"',
    );
  });

  it('export spans by OTLP', async () => {
    const writes = () =>
      collector
        .spansOf('apiserver')
        .filter(({ name }) => name === 'POST /apis/apps/v1/namespaces/{:namespace}/deployments');
    await until('the write arrives at the collector', () => writes().length > 0, { limitMs: 20_000 });
    expect(attributesOf(writes()[0]!)).toMatchObject({
      'http.request.method': 'POST',
      'http.response.status_code': 201,
      'url.path': '/apis/apps/v1/namespaces/default/deployments',
      'user.name': 'admin',
    });
    const reads = collector.spansOf('apiserver').filter(({ name }) => name?.startsWith('GET /api/v1/'));
    expect(reads.length).toBeGreaterThan(0);
  }, 30_000);

  it('hand over when the leader is stopped, long before its lease expires', async () => {
    standby = await startManager(0, 'Attempting to acquire leader lease', LONG_LEASE);
    await leader.stop('SIGTERM');
    await deploy('second');
    await untilPods('second');
  });

  it.runIf(everything)('take over when the lease of a killed leader expires (long form)', async () => {
    const killed = await startManager(0, 'Attempting to acquire leader lease');
    await standby.stop('SIGTERM');
    await until('it leads', () => LEADER.test(killed.output()));
    await startManager(0, 'Attempting to acquire leader lease');
    await killed.stop('SIGKILL');
    await deploy('third');
    await untilPods('third');
  });

  it.each([
    [
      'a flag that nobody knows',
      ['kube-apiserver', '--etcd-server=x'],
      'unknown flag: --etcd-server; did you mean --etcd-servers?',
    ],
    [
      'a flag that cannot be honoured',
      ['kube-apiserver', '--etcd-servers=x', '--egress-selector-config-file=x'],
      '--egress-selector-config-file is not supported: egress selection is not supported',
    ],
    ['a store that is not named', ['kube-apiserver'], '--etcd-servers must be specified'],
    [
      'a gate that nobody knows',
      ['kube-apiserver', '--etcd-servers=x', '--feature-gates=Nonsense=true'],
      'unrecognized feature gate: Nonsense',
    ],
    ...some(['kube-scheduler', 'kube-controller-manager', 'cloud-controller-manager', 'kubelet', 'kube-proxy'], 1).map(
      (component): [string, string[], string] => [
        `${component}'s traces, which upstream's does not export by a flag`,
        [component, '--tracing-config-file=x'],
        'unknown flag: --tracing-config-file',
      ],
    ),
    [
      'a tracing configuration that there is not',
      ['kube-apiserver', '--etcd-servers=x', '--tracing-config-file=/nowhere/tracing.yaml'],
      'failed to read tracing config: ENOENT',
    ],
    [
      'a controller that there is not',
      ['kube-controller-manager', '--controllers=*,nonsense'],
      '"nonsense" is not in the list of known controllers',
    ],
  ])('refuse %s', async (_, args, message) => {
    const component = await startComponent(args);
    expect(await component.exited).toBe(1);
    expect(component.output()).toContain(message);
  });
});

it('an API server with --cors-allowed-origins answers preflights without a token', async () => {
  const allowed = (origin: string): Promise<readonly unknown[]> =>
    new Promise((resolve, reject) => {
      https
        .request(
          {
            host: '127.0.0.1',
            port: apiServerPort,
            method: 'OPTIONS',
            path: '/api',
            headers: { origin },
            rejectUnauthorized: false,
          },
          (response) => resolve([response.resume().statusCode, response.headers['access-control-allow-origin']]),
        )
        .on('error', reject)
        .end();
    });
  expect(await allowed('https://example.com')).toEqual([204, 'https://example.com']);
  expect((await allowed('https://example.com.attacker.org'))[1]).toBeUndefined();
});

it('an API server with --etcd-prefix has all of its keys below it', async () => {
  const store = createEtcdStore({ endpoints: [`http://127.0.0.1:${etcdPort}`], clock: ctx.clock });
  const count = async (prefix: string): Promise<number> =>
    (await store.range({ key: prefix, rangeEnd: `${prefix.slice(0, -1)}0`, countOnly: true })).count;
  expect(await count('/elsewhere/namespaces/')).toBeGreaterThan(3);
  expect(await count('/registry/')).toBe(0);
  await store.close();
});

it('an API server with --tls-sni-cert-key serves with what the files have now', async () => {
  const shown = async (servername: string): Promise<unknown> => {
    const socket = tls.connect({ host: '127.0.0.1', port: apiServerPort, servername, rejectUnauthorized: false });
    await once(socket, 'secureConnect');
    const { CN } = socket.getPeerCertificate().subject;
    socket.destroy();
    return CN;
  };
  expect([await shown('sni.example'), await shown('localhost')]).toEqual(['before', 'kube-apiserver']);
  await writeCertificate('sni', 'after');
  await until('the new certificate', async () => (await shown('sni.example')) === 'after');
});

it('an API server with --strict-transport-security-directives sends them', async () => {
  const session = http2.connect(`https://127.0.0.1:${apiServerPort}`, { rejectUnauthorized: false });
  const [head] = (await once(session.request({ ':path': '/livez' }).resume(), 'response')) as [
    http2.IncomingHttpHeaders,
  ];
  expect(head['strict-transport-security']).toBe('max-age=60; includeSubDomains');
  session.destroy();
});

it('an API server with --goaway-chance ends connections, after it has answered', async () => {
  const session = http2.connect(`https://127.0.0.1:${apiServerPort}`, { rejectUnauthorized: false });
  let isLeft = false;
  session.once('goaway', () => (isLeft = true));
  const closed = once(session, 'close');
  // With the chance of a fiftieth, a thousand requests miss it once in five hundred million runs.
  for (let i = 0; i < 1000 && !isLeft; i++) {
    const [head] = (await once(session.request({ ':path': '/livez' }).resume(), 'response')) as [
      http2.IncomingHttpHeaders,
    ];
    expect(head).toMatchObject({ ':status': 200 });
  }
  expect(isLeft).toBe(true);
  await closed;
});

it('an API server with a shutdown delay serves on after SIGTERM, not ready, and then ends', async () => {
  const stopped = apiServer.stop('SIGTERM');
  await until('it is not ready', async () => (await ask('/readyz', TOKEN, apiServerPort)) === 500);
  expect(await ask('/livez', TOKEN, apiServerPort)).toBe(200);
  expect((await client.resource('v1/namespaces').get({ name: 'default' })).metadata.name).toBe('default');
  await stopped;
  expect(await apiServer.exited).toBe(0);
});
