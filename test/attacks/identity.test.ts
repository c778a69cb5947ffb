/**
 * Nobody but the administrator and the API server itself is in system:masters, and every component may do what it has to
 * do with the role that it has. A cluster lives through everything that its controllers work on; its audit log tells who
 * asked for what.
 */
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { parse } from 'yaml';
import type { TokenRequest } from '../../src/api/generated/authentication-v1.ts';
import type { Eviction } from '../../src/api/generated/policy-v1.ts';
import { openPki } from '../../src/apiserver/index.ts';
import { builtIn, defineResource, ResourceFinder, type BuiltInResource, type Client } from '../../src/client/index.ts';
import { ADMIN, nodeUser } from '../../src/cluster/identities.ts';
import { applyManifests, ClusterClock, serveControlSocket, startCluster, waitUntil } from '../../src/cluster/index.ts';
import type { Cluster, ClusterOptions, NodeTemplate } from '../../src/cluster/index.ts';
import { loadImage } from '../../src/cluster/node-fleet/index.ts';
import { createContext } from '../../src/kernel/index.ts';
import { requestCertificate } from '../../src/kubelet/certificates/request-certificate.ts';
import { everything, requires } from '../requires.ts';
import { busyboxImage, dockerArchive, webImage } from '../test-images.ts';
import { CONTAINER_STORY, STORY } from './identity-story.ts';
import { RequestLog } from './request-log.ts';

/** The client of the test is the administrator's own. */
const TEST = 'test';
const OPTIONS: ClusterOptions = {
  bindAddress: '127.0.0.1',
  port: 0,
  serviceClusterIpRange: '10.98.0.0/16',
  clusterCidr: '10.246.0.0/16',
  controllers: ['*', 'bootstrap-signer-controller', 'token-cleaner-controller'],
  signingKey: 'ec',
};

/** One node has a label that kubelets may not give themselves. */
const nodeTemplate = (index: number): NodeTemplate => ({
  annotations: { 'volumes.kubernetes.io/controller-managed-attach-detach': 'true' },
  ...(index === 2 ? { labels: { 'node-role.kubernetes.io/worker': '' } } : {}),
});

/** What sets a cluster up, as an installer would; nothing else acts as the administrator. */
const SETUP = new Set([
  'create serviceaccounts',
  'create serviceaccounts/token',
  'create rbac.authorization.k8s.io/clusterroles',
  'create rbac.authorization.k8s.io/clusterrolebindings',
  'create storage.k8s.io/storageclasses',
  'get services',
  'create services',
  'patch discovery.k8s.io/endpointslices',
  'create nodes',
  'delete nodes',
]);

/** Requests of system:masters that are neither the test's, nor part of the setup, nor the API server's own. */
function unexpectedMasters(log: RequestLog): string[] {
  const [own, test, setup] = [
    'system:apiserver (kube-apiserver) ',
    `${ADMIN.name} (${TEST}) `,
    `${ADMIN.name} (k8ts) `,
  ];
  return log.masters().filter((line) => {
    if (line.startsWith(own) || line.startsWith(test)) return false;
    return !(line.startsWith(setup) && SETUP.has(line.slice(setup.length)));
  });
}

const account = (name: string): string => `system:serviceaccount:kube-system:${name}`;

/** Those that have something to do in the story. */
const ACCOUNTS = `
  attachdetach-controller bootstrap-signer certificate-controller clusterrole-aggregation-controller cronjob-controller
  daemon-set-controller deployment-controller disruption-controller endpoint-controller endpointslice-controller
  endpointslicemirroring-controller ephemeral-volume-controller generic-garbage-collector horizontal-pod-autoscaler
  job-controller namespace-controller node-controller persistent-volume-binder pod-garbage-collector
  pv-protection-controller pvc-protection-controller replicaset-controller replication-controller
  resource-claim-controller resourcequota-controller root-ca-cert-publisher service-account-controller
  service-cidrs-controller statefulset-controller token-cleaner ttl-after-finished-controller
  validatingadmissionpolicy-status-controller volumeattributesclass-protection-controller
  metrics-server simulated-kubelet`
  .trim()
  .split(/\s+/);

const WIDGETS = defineResource({
  group: 'example.com',
  version: 'v1',
  plural: 'widgets',
  kind: 'Widget',
  namespaced: true,
});

describe('a cluster of simulated nodes', () => {
  const stop = new AbortController();
  const clock = new ClusterClock();
  const log = new RequestLog();
  const ctx = createContext({ signal: stop.signal, clock, writeLog: () => {} });
  let cluster: Cluster;
  let client: Client;

  beforeAll(async () => {
    const starting = startCluster(ctx, {
      ...OPTIONS,
      simulatedNodes: 3,
      nodeTemplate,
      addons: ['storage', 'metrics', 'join'],
      audit: log,
      intercept: (handle) => clock.observe(handle),
    });
    cluster = await clock.during(starting);
    client = cluster.clientAs(ADMIN, TEST);
    cluster.simulatedNodes.simulate(({ object: { spec } }) => ({
      logs: ['hello'],
      exec: () => 'done\n',
      usage: { cpu: 0.2, memory: 1000 },
      ...(spec?.restartPolicy === 'Never' ? { runFor: '1s' } : {}),
    }));
  });
  afterAll(async () => {
    stop.abort(new Error('the test has ended'));
    await clock.during(cluster.finished.catch(() => undefined));
  });

  const until = (what: string, look: () => Promise<unknown>): Promise<unknown> =>
    waitUntil({ now: () => clock.now(), pause: () => clock.nudge() }, what, { timeout: 600_000 }, look);
  const placeOf = (resource: BuiltInResource, name: string, namespace = 'story') => ({
    name,
    ...(builtIn(resource).namespaced ? { namespace } : {}),
  });
  /** An object of the cluster, or of the namespace `story` or another. */
  const get = <K extends BuiltInResource>(resource: K, name: string, namespace?: string) =>
    client.resource(resource).get(placeOf(resource, name, namespace));
  const merge = (resource: BuiltInResource, name: string, patch: object) =>
    client.resource(resource).patch(placeOf(resource, name), patch, { type: 'merge' });
  const isGone = (work: Promise<unknown>): Promise<boolean> =>
    work.then(
      () => false,
      (error: { status?: { code?: number } }) => error.status?.code === 404,
    );
  const count = async (resource: BuiltInResource, selectors: { labelSelector?: string; fieldSelector?: string } = {}) =>
    (
      await client
        .resource(resource)
        .list({ ...selectors, ...(builtIn(resource).namespaced ? { namespace: 'story' } : {}) })
    ).items.length;
  const firstPod = async (app: string) => {
    const { items } = await client.resource('v1/pods').list({ namespace: 'story', labelSelector: `app=${app}` });
    return items[0]!;
  };

  const evict = (name: string): Promise<unknown> => {
    const eviction: Eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace: 'story' } };
    return client.resource('v1/pods').subresource<Eviction>({ namespace: 'story', name }, 'eviction').create(eviction);
  };

  it('runs everything that is applied to it', async () => {
    await clock.during(applyManifests(client, new ResourceFinder(client), STORY));
    const {
      metadata: { uid = '' },
    } = await client.resource(WIDGETS).get({ namespace: 'story', name: 'owner' });
    const ownerReferences = [{ apiVersion: 'example.com/v1', kind: 'Widget', name: 'owner', uid }];
    await client.resource('v1/configmaps').create({ metadata: { name: 'owned', namespace: 'story', ownerReferences } });
    const steps: [what: string, look: () => Promise<unknown>][] = [
      ['the StatefulSet is ready', async () => (await get('apps/v1/statefulsets', 'db')).status?.readyReplicas === 2],
      ['the DaemonSet is ready', async () => (await get('apps/v1/daemonsets', 'agent')).status?.numberReady === 3],
      ['an ephemeral volume is made', async () => !(await isGone(get('v1/persistentvolumeclaims', 'scratch-tmp')))],
      ['it is bound', async () => (await get('v1/persistentvolumeclaims', 'scratch-tmp')).status?.phase === 'Bound'],
      ['a volume is to be attached', async () => (await count('storage.k8s.io/v1/volumeattachments')) === 1],
      ['a claim of devices is made', async () => (await count('resource.k8s.io/v1/resourceclaims')) === 1],
      [
        'the Endpoints are mirrored',
        async () =>
          (await count('discovery.k8s.io/v1/endpointslices', {
            labelSelector: 'kubernetes.io/service-name=outside',
          })) === 1,
      ],
      ['the token is there', async () => (await get('v1/secrets', 'robot-token')).data?.['token']],
      [
        'the role is gathered',
        async () => (await get('rbac.authorization.k8s.io/v1/clusterroles', 'gathered')).rules?.length === 1,
      ],
      [
        'the policy is checked',
        async () =>
          (await get('admissionregistration.k8s.io/v1/validatingadmissionpolicies', 'named')).status
            ?.observedGeneration,
      ],
      [
        'cluster-info is signed',
        async () => (await get('v1/configmaps', 'cluster-info', 'kube-public')).data?.['jws-kubeconfig-abcdef'],
      ],
      ['the expired token is gone', () => isGone(get('v1/secrets', 'bootstrap-token-expird', 'kube-system'))],
      [
        'the Deployment has grown',
        async () => (await get('apps/v1/deployments', 'web')).status?.availableReplicas === 6,
      ],
      ['the Job is done and gone', () => isGone(get('batch/v1/jobs', 'once'))],
      ['the CronJob has run', async () => (await get('batch/v1/cronjobs', 'minutely')).status?.lastSuccessfulTime],
    ];
    for (const [what, look] of steps) await until(what, look);
  });

  it('changes, evicts, signs and clears up', async () => {
    const containers = [{ name: 'main', image: 'web:2' }];
    await client
      .resource('apps/v1/deployments')
      .patch(
        { namespace: 'story', name: 'web' },
        { spec: { template: { spec: { containers } } } },
        { type: 'strategic' },
      );
    await until('the Deployment is new, and no old pod is left', async () => {
      const { updatedReplicas, replicas, availableReplicas } = (await get('apps/v1/deployments', 'web')).status ?? {};
      return updatedReplicas === 6 && replicas === 6 && availableReplicas === 6;
    });
    await merge('apps/v1/statefulsets', 'db', { spec: { replicas: 1 } });

    /** The autoscaler may take a pod away before it is evicted. */
    let evicted = '';
    await until('a pod is evicted', async () => {
      const { items } = await client.resource('v1/pods').list({ namespace: 'story', labelSelector: 'app=web' });
      const running = items.find(({ metadata, status }) => !metadata.deletionTimestamp && status?.phase === 'Running');
      evicted = running?.metadata.name ?? '';
      return evicted !== '' && !(await isGone(evict(evicted)));
    });
    await until('the evicted pod is gone', () => isGone(get('v1/pods', evicted)));

    await client.resource(WIDGETS).delete({ namespace: 'story', name: 'owner' });
    await until('what the Widget owned is gone', () => isGone(get('v1/configmaps', 'owned')));
    await client.resource('networking.k8s.io/v1/servicecidrs').delete({ name: 'more' });
    await until('the ServiceCIDR is gone', () => isGone(get('networking.k8s.io/v1/servicecidrs', 'more')));

    const tokens = client
      .resource('v1/serviceaccounts')
      .subresource<TokenRequest>({ namespace: 'story', name: 'robot' }, 'token');
    const asked: TokenRequest = {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      metadata: {},
      spec: { audiences: [] },
    };
    expect((await tokens.create(asked)).status?.token).toBeDefined();

    const kubelet = cluster.clientAs(nodeUser('sim-0'), 'kubelet');
    const order = { nodeName: 'sim-0', signerName: 'kubernetes.io/kube-apiserver-client-kubelet' } as const;
    const renewed = await clock.during(requestCertificate(ctx, kubelet, order));
    expect(new X509Certificate(renewed.certificate).subject).toContain('system:node:sim-0');
  });

  it('notices and empties nodes', async () => {
    const podsThere = () => count('v1/pods', { fieldSelector: 'spec.nodeName=sim-1' });
    const conditions = async () => (await get('v1/nodes', 'sim-1')).status?.conditions ?? [];
    await merge('v1/nodes', 'sim-1', { spec: { taints: [{ key: 'gone', effect: 'NoExecute' }] } });
    await until('the tainted node is empty', async () => (await podsThere()) === 0);
    await merge('v1/nodes', 'sim-1', { spec: { taints: null } });
    await until('its agent is back', async () => (await get('apps/v1/daemonsets', 'agent')).status?.numberReady === 3);
    cluster.simulatedNodes.silence('sim-1');
    await until('its silence is noticed', async () =>
      (await conditions()).some(({ type, status }) => type === 'Ready' && status === 'Unknown'),
    );
    await clock.during(cluster.simulatedNodes.remove('sim-1'));
    await until('its pods are gone', async () => (await podsThere()) === 0);
  });

  it('shows logs, runs commands and sends requests to kubelets', async () => {
    const {
      metadata: { name = '' },
      spec,
    } = await firstPod('db');
    let text = '';
    const stream = await client.resource('v1/pods').streamSubresource({ namespace: 'story', name }, 'log');
    for await (const piece of stream) text += Buffer.from(piece).toString();
    expect(text).toBe('hello\n');
    const command = `/api/v1/namespaces/story/pods/${name}/exec?command=date&stdout=true&container=main`;
    expect(await clock.during(exec(command))).toBe('done\n');
    const read = async (path: string): Promise<unknown> => (await client.request({ method: 'GET', path })).body;
    expect(await read(`/api/v1/nodes/${spec?.nodeName}/proxy/stats/summary`)).toHaveProperty('pods');
    expect(await read('/apis/metrics.k8s.io/v1beta1/nodes')).toHaveProperty('items.length', 2);
  });

  /** As kubectl does, over the network with the administrator's certificate. */
  function exec(path: string): Promise<string> {
    const kubeconfig = parse(cluster.kubeconfig) as {
      clusters: { cluster: Record<string, string> }[];
      users: { user: Record<string, string> }[];
    };
    const pem = (text: string | undefined): string => Buffer.from(text ?? '', 'base64').toString();
    const user = kubeconfig.users[0]!.user;
    const options = {
      ca: pem(kubeconfig.clusters[0]!.cluster['certificate-authority-data']),
      cert: pem(user['client-certificate-data']),
      key: pem(user['client-key-data']),
      headers: { 'user-agent': TEST },
    };
    return new Promise((resolve, reject) => {
      const socket = new WebSocket(cluster.server.replace('https', 'wss') + path, 'v5.channel.k8s.io', options);
      let output = '';
      socket.on('message', (data: Buffer) => (output += data[0] === 1 ? data.toString('utf8', 1) : ''));
      socket.once('close', () => resolve(output)).once('error', reject);
    });
  }

  it('deletes a namespace with all that is in it', async () => {
    await client.resource('v1/persistentvolumes').delete({ name: 'remote' });
    await client.resource('storage.k8s.io/v1/volumeattributesclasses').delete({ name: 'fast' });
    await client.resource('v1/namespaces').delete({ name: 'story' });
    await until('the volume is detached', async () => (await count('storage.k8s.io/v1/volumeattachments')) === 0);
    await until('the namespace is gone', () => isGone(get('v1/namespaces', 'story')));
    await until('its volumes are gone', async () => (await count('v1/persistentvolumes')) === 0);
  });

  it.each(ACCOUNTS)('has done things as the ServiceAccount %s', (name) => expect(log.users()).toContain(account(name)));

  it('serves its state on its control socket, with the permissions of its own user', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'identity-'));
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
    const socketPath = join(directory, 'k8ts.sock');
    await serveControlSocket(ctx, cluster, { socket: socketPath, stop: () => {} });
    const status = await new Promise<string>((resolve, reject) => {
      const request = http.request({ socketPath, path: '/status', agent: false }, (response) => {
        let text = '';
        response.on('data', (piece: Buffer) => (text += piece.toString()));
        response.on('end', () => resolve(text));
      });
      request.on('error', reject).end();
    });
    expect(JSON.parse(status)).toMatchObject({ nodes: [{ name: 'sim-0' }, { name: 'sim-2' }] });
  });

  it('has only the administrator and the API server in system:masters', () => {
    expect(unexpectedMasters(log)).toEqual([]);
  });

  it('has no refused requests', () => expect(log.refusals()).toEqual([]));

  it.each(['k8ts', 'kube-controller-manager', 'kube-scheduler', 'node:sim-0', 'node:sim-1', 'node:sim-2'])(
    'has done things as system:%s',
    (user) => expect(log.users()).toContain(`system:${user}`),
  );
});

const missing = requires('root', 'runc', 'conmon', 'nft', 'ip', 'busybox');
const title = `a cluster of nodes that run containers${missing === undefined ? '' : ` (${missing})`}`;

describe.skipIf(missing !== undefined)(title, () => {
  let directory = '';
  const stop = new AbortController();
  const log = new RequestLog();
  const ctx = createContext({ signal: stop.signal, writeLog: () => {} });
  let cluster: Cluster;
  let client: Client;

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'identity-'));
    cluster = await startCluster(ctx, {
      ...OPTIONS,
      dataDirectory: join(directory, 'data'),
      nodes: 2,
      addons: ['storage', 'dns', 'ingress', 'metrics', 'join'],
      ingressPorts: { httpPort: 0, httpsPort: 0 },
      audit: log,
    });
    client = cluster.clientAs(ADMIN, TEST);
    const archive = join(directory, 'images.tar');
    writeFileSync(archive, dockerArchive(busyboxImage(), webImage()));
    await loadImage(cluster.fleet!, archive);
  });
  afterAll(async () => {
    stop.abort(new Error('the test has ended'));
    await cluster?.finished.catch(() => undefined);
    rmSync(directory, { recursive: true, force: true });
  });

  it('serves a Deployment, and its kubelets accept the API server and metrics-server', async () => {
    await applyManifests(client, new ResourceFinder(client), CONTAINER_STORY);
    const place = { namespace: 'default', name: 'www' };
    const available = async () => (await client.resource('apps/v1/deployments').get(place)).status?.availableReplicas;
    const addresses = async (resource: 'v1/services' | 'networking.k8s.io/v1/ingresses') =>
      (await client.resource(resource).get(place)).status?.loadBalancer?.ingress?.length;
    await expect.poll(available).toBe(2);
    await expect.poll(() => addresses('v1/services')).toBe(1);
    await expect.poll(() => addresses('networking.k8s.io/v1/ingresses')).toBe(1);

    const {
      items: [pod],
    } = await client.resource('v1/pods').list({ namespace: 'default', labelSelector: 'app=www' });
    const {
      metadata: { name = '' },
      spec,
    } = pod!;
    for await (const piece of await client
      .resource('v1/pods')
      .streamSubresource({ namespace: 'default', name }, 'log')) {
      expect(piece.length).toBeGreaterThan(0);
    }
    const read = (path: string) => client.request({ method: 'GET', path });
    for (const path of ['pods', 'stats/summary', 'metrics/resource', 'healthz', 'configz']) {
      expect((await read(`/api/v1/nodes/${spec?.nodeName}/proxy/${path}`)).status, path).toBe(200);
    }
    /** Two readings, 15 s apart. */
    const measured = async () =>
      ((await read('/apis/metrics.k8s.io/v1beta1/nodes')).body as { items: unknown[] }).items.length;
    if (everything) await expect.poll(measured, { interval: 500 }).toBe(2);
    await client.resource('v1/services').delete(place);
    await cluster.fleet!.remove('node-2');
  });

  it('has only the administrator and the API server in system:masters', () => {
    /** Taking a node off the machine is the administrator's, too. */
    const removal = ['list pods', 'delete pods'].map((line) => `${ADMIN.name} (k8ts) ${line}`);
    expect(unexpectedMasters(log).filter((line) => !removal.includes(line))).toEqual([]);
  });

  it('has no refused requests', () => expect(log.refusals()).toEqual([]));

  it.each([
    'cloud-controller-manager',
    'coredns',
    'ingress-controller',
    'metrics-server',
    'network-policy',
    'persistent-volume-binder',
  ])('has done things as the ServiceAccount %s', (name) => expect(log.users()).toContain(account(name)));

  it.each(['kube-proxy', 'node:node-1', 'node:node-2'])('has done things as system:%s', (user) => {
    expect(log.users()).toContain(`system:${user}`);
  });
});

describe('the certificate with which the API server calls kubelets', () => {
  it('is in no group, and one that an earlier version created in system:masters is replaced', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'k8ts-pki-'));
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
    const ctx = createContext({ writeLog: () => {} });
    const open = () => openPki(ctx, directory, { dnsNames: ['localhost'], addresses: ['127.0.0.1'], signingKey: 'ec' });
    const first = await open();
    expect(new X509Certificate(first.kubeletClient.certificate).subject).toBe('CN=kube-apiserver-kubelet-client');
    expect((await open()).kubeletClient).toEqual(first.kubeletClient);

    const names = { commonName: 'kube-apiserver-kubelet-client', organizations: ['system:masters'], usage: 'client' };
    writeFileSync(join(directory, 'apiserver-kubelet-client.names'), JSON.stringify(names));
    const {
      kubeletClient: { certificate },
    } = await open();
    expect(certificate).not.toBe(first.kubeletClient.certificate);
    expect(readFileSync(join(directory, 'apiserver-kubelet-client.crt'), 'utf8')).toBe(certificate);
  });
});
