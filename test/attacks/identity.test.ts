/**
 * Nobody but the administrator and the API server itself is in system:masters, and every component may do what it has to do
 * with the role that it has. A cluster lives through everything that its controllers work on; its audit log tells who asked
 * for what.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { X509Certificate } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { parse } from 'yaml';
import type { TokenRequest } from '../../src/api/generated/authentication-v1.ts';
import type { Eviction } from '../../src/api/generated/policy-v1.ts';
import { openPki } from '../../src/apiserver/index.ts';
import type { Client } from '../../src/client/index.ts';
import { applyManifests, ClusterClock, ResourceFinder, startCluster, waitUntil, type Cluster, type ClusterOptions, type NodeTemplate } from '../../src/cluster/index.ts';
import { ADMIN, nodeUser } from '../../src/cluster/identities.ts';
import { loadImage } from '../../src/cluster/node-fleet/index.ts';
import { createContext, type Context } from '../../src/kernel/index.ts';
import { requestCertificate } from '../../src/kubelet/certificates/request-certificate.ts';
import { everything, requires } from '../requires.ts';
import { busyboxImage, dockerArchive, webImage } from '../test-images.ts';
import { STORY } from './identity-story.ts';
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
const SETUP = new Set(['create serviceaccounts', 'create serviceaccounts/token', 'create rbac.authorization.k8s.io/clusterroles', 'create rbac.authorization.k8s.io/clusterrolebindings', 'create storage.k8s.io/storageclasses', 'get services', 'create services', 'patch discovery.k8s.io/endpointslices', 'create nodes', 'delete nodes']);

/** Requests of system:masters that are neither the test's, nor part of the setup, nor the API server's own. */
function unexpectedMasters(log: RequestLog): string[] {
  return log.masters().filter((line) => {
    if (line.startsWith('system:apiserver (kube-apiserver) ') || line.startsWith(`${ADMIN.name} (${TEST}) `)) return false;
    const setup = `${ADMIN.name} (k8ts) `;
    return !(line.startsWith(setup) && SETUP.has(line.slice(setup.length)));
  });
}

describe('a cluster of simulated nodes', () => {
  const stop = new AbortController();
  const clock = new ClusterClock();
  const log = new RequestLog();
  const ctx = createContext({ signal: stop.signal, clock, writeLog: () => {} });
  let cluster: Cluster;
  let client: Client;

  beforeAll(async () => {
    cluster = await clock.during(
      startCluster(ctx, { ...OPTIONS, simulatedNodes: 3, addons: ['storage', 'metrics', 'join'], audit: log, intercept: (handle) => clock.observe(handle), nodeTemplate }),
    );
    client = cluster.clientAs(ADMIN, TEST);
    cluster.simulatedNodes.simulate(({ object: { spec } }) => ({ logs: ['hello'], exec: () => 'done\n', usage: { cpu: 0.2, memory: 1000 }, ...(spec?.restartPolicy === 'Never' ? { runFor: '1s' } : {}) }));
  }, 60_000);
  afterAll(async () => {
    stop.abort(new Error('the test has ended'));
    await clock.during(cluster.finished.catch(() => undefined));
  }, 60_000);

  const until = <T>(what: string, look: () => Promise<T>): Promise<unknown> => waitUntil({ now: () => clock.now(), pause: () => clock.nudge() }, what, { timeout: 600_000 }, look);
  const podsOf = async (app: string) => (await client.resource('v1/pods').list({ namespace: 'story', labelSelector: `app=${app}` })).items;
  const isGone = (work: Promise<unknown>): Promise<boolean> => work.then(() => false, (error: { status?: { code?: number } }) => error.status?.code === 404);

  it('runs everything that is applied to it', async () => {
    await clock.during(applyManifests(client, new ResourceFinder(client), STORY));
    const owner = await client.resource({ group: 'example.com', version: 'v1', plural: 'widgets', kind: 'Widget', namespaced: true }).get({ namespace: 'story', name: 'owner' });
    await client.resource('v1/configmaps').create({ metadata: { name: 'owned', namespace: 'story', ownerReferences: [{ apiVersion: 'example.com/v1', kind: 'Widget', name: 'owner', uid: owner.metadata.uid! }] } });
    await until('the StatefulSet is ready', async () => (await client.resource('apps/v1/statefulsets').get({ namespace: 'story', name: 'db' })).status?.readyReplicas === 2);
    await until('the DaemonSet is ready', async () => (await client.resource('apps/v1/daemonsets').get({ namespace: 'story', name: 'agent' })).status?.numberReady === 3);
    await until('the ephemeral volume is bound', async () => (await client.resource('v1/persistentvolumeclaims').get({ namespace: 'story', name: 'scratch-tmp' }).catch(() => undefined))?.status?.phase === 'Bound');
    await until('the volume is to be attached', async () => (await client.resource('storage.k8s.io/v1/volumeattachments').list()).items.length === 1);
    await until('the claim is made', async () => (await client.resource('resource.k8s.io/v1/resourceclaims').list({ namespace: 'story' })).items.length === 1);
    await until('the Endpoints are mirrored', async () => (await client.resource('discovery.k8s.io/v1/endpointslices').list({ namespace: 'story', labelSelector: 'kubernetes.io/service-name=outside' })).items.length === 1);
    await until('the token is there', async () => (await client.resource('v1/secrets').get({ namespace: 'story', name: 'robot-token' })).data?.['token'] !== undefined);
    await until('the role is gathered', async () => (await client.resource('rbac.authorization.k8s.io/v1/clusterroles').get({ name: 'gathered' })).rules?.length === 1);
    await until('the policy is checked', async () => (await client.resource('admissionregistration.k8s.io/v1/validatingadmissionpolicies').get({ name: 'named' })).status?.observedGeneration === 1);
    await until('cluster-info is signed', async () => (await client.resource('v1/configmaps').get({ namespace: 'kube-public', name: 'cluster-info' })).data?.['jws-kubeconfig-abcdef'] !== undefined);
    await until('the expired token is gone', () => isGone(client.resource('v1/secrets').get({ namespace: 'kube-system', name: 'bootstrap-token-expird' })));
    await until('the autoscaler has grown the Deployment', async () => (await client.resource('apps/v1/deployments').get({ namespace: 'story', name: 'web' })).status?.availableReplicas === 6);
    await until('the Job is done and gone', () => isGone(client.resource('batch/v1/jobs').get({ namespace: 'story', name: 'once' })));
    await until('the CronJob has run', async () => (await client.resource('batch/v1/cronjobs').get({ namespace: 'story', name: 'minutely' })).status?.lastSuccessfulTime !== undefined);
  }, 120_000);

  it('changes, evicts, signs and clears up', async () => {
    await client.resource('apps/v1/deployments').patch({ namespace: 'story', name: 'web' }, { spec: { template: { spec: { containers: [{ name: 'main', image: 'web:2' }] } } } }, { type: 'strategic' });
    await until('the Deployment is rolled over', async () => (await client.resource('apps/v1/deployments').get({ namespace: 'story', name: 'web' })).status?.updatedReplicas === 6);
    await client.resource('apps/v1/statefulsets').patch({ namespace: 'story', name: 'db' }, { spec: { replicas: 1 } }, { type: 'merge' });
    const [web] = await podsOf('web');
    await client.resource('v1/pods').subresource<Eviction>({ namespace: 'story', name: web!.metadata.name! }, 'eviction').create({ apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: web!.metadata.name!, namespace: 'story' } });
    await until('the pod is evicted', () => isGone(client.resource('v1/pods').get({ namespace: 'story', name: web!.metadata.name! })));

    await client.resource({ group: 'example.com', version: 'v1', plural: 'widgets', kind: 'Widget', namespaced: true }).delete({ namespace: 'story', name: 'owner' });
    await until('what the Widget owned is gone', () => isGone(client.resource('v1/configmaps').get({ namespace: 'story', name: 'owned' })));
    await client.resource('networking.k8s.io/v1/servicecidrs').delete({ name: 'more' });
    await until('the ServiceCIDR is gone', () => isGone(client.resource('networking.k8s.io/v1/servicecidrs').get({ name: 'more' })));
    const token = await client.resource('v1/serviceaccounts').subresource<TokenRequest>({ namespace: 'story', name: 'robot' }, 'token').create({ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', metadata: {}, spec: { audiences: [] } });
    expect(token.status?.token).toBeDefined();

    const renewed = await clock.during(requestCertificate(ctx, cluster.clientAs(nodeUser('sim-0'), 'kubelet'), { nodeName: 'sim-0', signerName: 'kubernetes.io/kube-apiserver-client-kubelet' }));
    expect(new X509Certificate(renewed.certificate).subject).toContain('system:node:sim-0');
    await client.resource('v1/nodes').patch({ name: 'sim-1' }, { spec: { taints: [{ key: 'gone', effect: 'NoExecute' }] } }, { type: 'merge' });
    await until('the tainted node is empty', async () => (await client.resource('v1/pods').list({ namespace: 'story', fieldSelector: 'spec.nodeName=sim-1' })).items.length === 0);
    await client.resource('v1/nodes').patch({ name: 'sim-1' }, { spec: { taints: null } }, { type: 'merge' });
    await until('its agent is back', async () => (await client.resource('apps/v1/daemonsets').get({ namespace: 'story', name: 'agent' })).status?.numberReady === 3);
    cluster.simulatedNodes.silence('sim-1');
    await until('the silent node is noticed', async () => (await client.resource('v1/nodes').get({ name: 'sim-1' })).status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'Unknown') ?? false);
    await clock.during(cluster.simulatedNodes.remove('sim-1'));
    await until('its pods are gone', async () => (await client.resource('v1/pods').list({ namespace: 'story', fieldSelector: 'spec.nodeName=sim-1' })).items.length === 0);
  }, 120_000);

  it('shows logs, runs commands and forwards to kubelets', async () => {
    const [pod] = await podsOf('db');
    const place = { namespace: 'story', name: pod!.metadata.name! };
    let text = '';
    for await (const piece of await client.resource('v1/pods').streamSubresource(place, 'log')) text += Buffer.from(piece).toString();
    expect(text).toBe('hello\n');
    expect(await clock.during(exec(`/api/v1/namespaces/story/pods/${place.name}/exec?command=date&stdout=true&container=main`))).toBe('done\n');
    expect((await client.request({ method: 'GET', path: `/api/v1/nodes/${pod!.spec!.nodeName!}/proxy/stats/summary` })).status).toBe(200);
    expect((await client.request({ method: 'GET', path: '/apis/metrics.k8s.io/v1beta1/nodes' })).body).toMatchObject({ items: expect.arrayContaining([expect.anything()]) as unknown });
  }, 60_000);

  /** As kubectl does, over the network with the administrator's certificate. */
  function exec(path: string): Promise<string> {
    const kubeconfig = parse(cluster.kubeconfig) as { clusters: { cluster: Record<string, string> }[]; users: { user: Record<string, string> }[] };
    const pem = (text: string | undefined): string => Buffer.from(text ?? '', 'base64').toString();
    const [{ cluster: server }, { user }] = [kubeconfig.clusters[0]!, kubeconfig.users[0]!];
    return new Promise((resolve, reject) => {
      const socket = new WebSocket(cluster.server.replace('https', 'wss') + path, 'v5.channel.k8s.io', { ca: pem(server['certificate-authority-data']), cert: pem(user['client-certificate-data']), key: pem(user['client-key-data']), headers: { 'user-agent': TEST } });
      let output = '';
      socket.on('message', (data: Buffer) => (output += data[0] === 1 ? data.toString('utf8', 1) : ''));
      socket.once('close', () => resolve(output)).once('error', reject);
    });
  }

  it('deletes a namespace with all that is in it', async () => {
    await client.resource('v1/persistentvolumes').delete({ name: 'remote' });
    await client.resource('storage.k8s.io/v1/volumeattributesclasses').delete({ name: 'fast' });
    await client.resource('v1/namespaces').delete({ name: 'story' });
    await until('the volume is detached', async () => {
      const attachments = client.resource('storage.k8s.io/v1/volumeattachments');
      const { items } = await attachments.list();
      return items.length === 0;
    });
    await until('the namespace is gone', () => isGone(client.resource('v1/namespaces').get({ name: 'story' })));
    await until('its volumes are gone', async () => (await client.resource('v1/persistentvolumes').list()).items.length === 0);
  }, 120_000);

  it('has asked for nothing as system:masters but for the administrator and the API server', () => expect(unexpectedMasters(log)).toEqual([]));

  it('was refused nothing', () => expect(log.refusals()).toEqual([]));

  it.each([
    ...['attachdetach-controller', 'bootstrap-signer', 'certificate-controller', 'clusterrole-aggregation-controller', 'cronjob-controller', 'daemon-set-controller', 'deployment-controller', 'disruption-controller'],
    ...['endpoint-controller', 'endpointslice-controller', 'endpointslicemirroring-controller', 'ephemeral-volume-controller', 'generic-garbage-collector', 'horizontal-pod-autoscaler', 'job-controller', 'namespace-controller'],
    ...['node-controller', 'persistent-volume-binder', 'pod-garbage-collector', 'pv-protection-controller', 'pvc-protection-controller', 'replicaset-controller', 'replication-controller', 'resource-claim-controller'],
    ...['resourcequota-controller', 'root-ca-cert-publisher', 'service-account-controller', 'service-cidrs-controller', 'statefulset-controller', 'token-cleaner', 'ttl-after-finished-controller'],
    ...['validatingadmissionpolicy-status-controller', 'volumeattributesclass-protection-controller', 'metrics-server', 'simulated-kubelet'],
  ])('has done things as the ServiceAccount %s', (account) => expect(log.users()).toContain(`system:serviceaccount:kube-system:${account}`));

  it('has done things as the components', () => {
    expect(log.users()).toEqual(expect.arrayContaining(['system:kube-controller-manager', 'system:kube-scheduler', 'system:node:sim-0', 'system:node:sim-1', 'system:node:sim-2']));
  });
});

const missing = requires('root', 'runc', 'conmon', 'nft', 'ip', 'busybox');

describe.skipIf(missing !== undefined)(`a cluster of nodes that run containers${missing === undefined ? '' : ` (${missing})`}`, () => {
  const directory = mkdtempSync(join(tmpdir(), 'identity-'));
  const stop = new AbortController();
  const log = new RequestLog();
  const ctx: Context = createContext({ signal: stop.signal, writeLog: () => {} });
  let cluster: Cluster;
  let client: Client;

  beforeAll(async () => {
    cluster = await startCluster(ctx, { ...OPTIONS, dataDirectory: join(directory, 'data'), nodes: 2, addons: ['storage', 'dns', 'ingress', 'metrics', 'join'], ingressPorts: { httpPort: 0, httpsPort: 0 }, audit: log });
    client = cluster.clientAs(ADMIN, TEST);
    const archive = join(directory, 'images.tar');
    writeFileSync(archive, dockerArchive(busyboxImage(), webImage()));
    await loadImage(cluster.fleet!, archive);
  }, 60_000);
  afterAll(async () => {
    stop.abort(new Error('the test has ended'));
    await cluster?.finished.catch(() => undefined);
    rmSync(directory, { recursive: true, force: true });
  }, 60_000);

  it('serves a Deployment through Service, Ingress and NetworkPolicy, and the kubelets let the API server in', async () => {
    await applyManifests(client, new ResourceFinder(client), `
apiVersion: apps/v1
kind: Deployment
metadata: {name: www}
spec:
  replicas: 2
  selector: {matchLabels: {app: www}}
  template:
    metadata: {labels: {app: www}}
    spec:
      containers: [{name: www, image: "docker.io/library/www:test", imagePullPolicy: Never, ports: [{containerPort: 8080}], volumeMounts: [{name: data, mountPath: /data}]}]
      volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]
---
{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data}, spec: {accessModes: [ReadWriteMany], resources: {requests: {storage: 1Gi}}}}
---
{apiVersion: v1, kind: Service, metadata: {name: www}, spec: {type: LoadBalancer, selector: {app: www}, ports: [{port: 80, targetPort: 8080}]}}
---
{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: www}, spec: {rules: [{host: www.example, http: {paths: [{path: /, pathType: Prefix, backend: {service: {name: www, port: {number: 80}}}}]}}]}}
---
{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: www}, spec: {podSelector: {matchLabels: {app: www}}, ingress: [{}]}}
`);
    await expect.poll(async () => (await client.resource('apps/v1/deployments').get({ namespace: 'default', name: 'www' })).status?.availableReplicas, { timeout: 40_000 }).toBe(2);
    await expect.poll(async () => (await client.resource('v1/services').get({ namespace: 'default', name: 'www' })).status?.loadBalancer?.ingress?.length, { timeout: 20_000 }).toBe(1);
    await expect.poll(async () => (await client.resource('networking.k8s.io/v1/ingresses').get({ namespace: 'default', name: 'www' })).status?.loadBalancer?.ingress?.length, { timeout: 20_000 }).toBe(1);
    const { items: [pod] } = await client.resource('v1/pods').list({ namespace: 'default', labelSelector: 'app=www' });
    for await (const piece of await client.resource('v1/pods').streamSubresource({ namespace: 'default', name: pod!.metadata.name! }, 'log')) expect(piece.length).toBeGreaterThan(0);
    for (const path of ['pods', 'stats/summary', 'metrics/resource', 'healthz', 'configz']) expect((await client.request({ method: 'GET', path: `/api/v1/nodes/${pod!.spec!.nodeName!}/proxy/${path}` })).status, path).toBe(200);
    /** Two readings, 15 s apart. */
    if (everything) await expect.poll(async () => ((await client.request({ method: 'GET', path: '/apis/metrics.k8s.io/v1beta1/nodes' })).body as { items: unknown[] }).items.length, { timeout: 50_000, interval: 500 }).toBe(2);
    await client.resource('v1/services').delete({ namespace: 'default', name: 'www' });
    await cluster.fleet!.remove('node-2');
  }, 150_000);

  it('has asked for nothing as system:masters but for the administrator and the API server', () => {
    /** Taking a node off the machine is the administrator's, too. */
    const removal = new Set(['list pods', 'delete pods']);
    expect(unexpectedMasters(log).filter((line) => !removal.has(line.replace(`${ADMIN.name} (k8ts) `, '')))).toEqual([]);
  });

  it('was refused nothing', () => expect(log.refusals()).toEqual([]));

  it('has done things as the components', () => {
    const accounts = ['cloud-controller-manager', 'coredns', 'ingress-controller', 'metrics-server', 'network-policy', 'persistent-volume-binder'].map((name) => `system:serviceaccount:kube-system:${name}`);
    expect(log.users()).toEqual(expect.arrayContaining([...accounts, 'system:kube-proxy', 'system:node:node-1', 'system:node:node-2']));
  });
});

describe('the certificate with which the API server calls kubelets', () => {
  const subjectOf = (pem: string): string => new X509Certificate(pem).subject;

  it('is in no group, and one that an earlier version made in system:masters is replaced', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'k8ts-pki-'));
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
    const serving = { dnsNames: ['localhost'], addresses: ['127.0.0.1'], signingKey: 'ec' as const };
    const ctx = createContext({ writeLog: () => {} });
    const first = await openPki(ctx, directory, serving);
    expect(subjectOf(first.kubeletClient.certificate)).toBe('CN=kube-apiserver-kubelet-client');
    expect((await openPki(ctx, directory, serving)).kubeletClient).toEqual(first.kubeletClient);
    writeFileSync(join(directory, 'apiserver-kubelet-client.names'), '{"commonName":"kube-apiserver-kubelet-client","organizations":["system:masters"],"usage":"client"}');
    const second = await openPki(ctx, directory, serving);
    expect(second.kubeletClient).not.toEqual(first.kubeletClient);
    expect(readFileSync(join(directory, 'apiserver-kubelet-client.crt'), 'utf8')).toBe(second.kubeletClient.certificate);
  });
});
