/**
 * The profile `cis`: every recommendation of the CIS Kubernetes Benchmark, what k8ts does about it, and whether that is in force on a
 * cluster that was started with the profile. docs/cis.md is written from these rows (`npx vitest run test/cis.test.ts -u`).
 */
import { execFile, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import os from 'node:os';
import path from 'node:path';
import tls from 'node:tls';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect, loadKubeconfig, type Client, type ClientConfig } from '../src/client/index.ts';
import { createContext } from '../src/kernel/index.ts';
import { until } from '../src/kernel/testing/index.ts';
import { builtProgram } from './k8ts-process.ts';
import { everything, requires } from './requires.ts';

const run = promisify(execFile);
const ctx = createContext();

/** A cluster of machines whose server or worker is checked instead (`test/machines/cis.test.ts`). */
interface OfMachines {
  /** Of the server. */
  readonly directory: string;
  readonly pid: number;
  /** The node whose kubelet is checked. */
  readonly node: string;
  readonly netns: string;
  /** The data directory of the worker, if it is one. */
  readonly worker?: string;
  /** Of all servers: controllers of one of them act. */
  readonly auditLogs: readonly string[];
}

const given = process.env['K8TS_CIS_MACHINES'];
const ofMachines = given === undefined ? undefined : (JSON.parse(given) as OfMachines);

interface Started {
  readonly directory: string;
  /** Of a worker. */
  readonly worker: string | undefined;
  readonly node: string;
  readonly pid: number;
  readonly client: Client;
  readonly config: ClientConfig;
  /** The status of a request without credentials, or with a bearer token. */
  status(path: string, token?: string): Promise<number>;
  /** The events of the audit log so far. */
  audit(): AuditEvent[];
  /** The kubelet's effective configuration; undefined where no node can run containers. */
  readonly kubelet: Readonly<Record<string, unknown>> | undefined;
}

interface AuditEvent {
  readonly level: string;
  readonly verb: string;
  readonly user: { readonly username: string };
  readonly objectRef?: { readonly resource?: string; readonly namespace?: string; readonly subresource?: string };
  readonly requestObject?: unknown;
  readonly responseObject?: unknown;
}

/** Who sees to it: always so, by the profile, not applicable, or the cluster's administrator. */
type By = 'always' | 'profile' | 'none' | 'you';

interface Row {
  readonly id: string;
  readonly what: string;
  readonly by: By;
  readonly how: string;
  readonly see?: string;
  /** Throws when it is not in force. */
  readonly check?: (cluster: Started) => Promise<void> | void;
}

const modeOf = (file: string): number => fs.statSync(file).mode & 0o777;
const filesBelow = (directory: string): string[] =>
  fs
    .readdirSync(directory, { withFileTypes: true, recursive: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => path.join(entry.parentPath, entry.name));
/** The embedded store, or the data of a member of etcd. */
const storeOf = (directory: string): string =>
  ['etcd-member', 'etcd'].map((name) => path.join(directory, name)).find((place) => fs.existsSync(place))!;
const isOwn = (file: string): void => expect(fs.statSync(file).uid, file).toBe(process.getuid!());
const SECRET = 'benchmark-s3cret-value';

const rows: readonly Row[] = [
  {
    id: '1.1.1–1.1.8, 1.1.15–1.1.18',
    what: 'Files that start components, and their kubeconfigs',
    by: 'none',
    how: 'one process; it reads `k8ts.yaml`, which `k8ts service install` writes with mode 600',
    check: ({ directory }) =>
      expect(fs.readdirSync(directory).filter((name) => /manifests|scheduler|controller-manager/.test(name))).toEqual(
        [],
      ),
  },
  {
    id: '1.1.9, 1.1.10',
    what: 'CNI files',
    by: 'none',
    how: 'the pod network needs none; those of `--cni-conf-dir` are yours',
    check: ({ directory, worker }) =>
      expect(
        [directory, ...(worker ? [worker] : [])].flatMap((place) =>
          fs.readdirSync(place).filter((name) => /cni|\.conflist$/.test(name)),
        ),
      ).toEqual([]),
  },
  {
    id: '1.1.11, 1.1.12',
    what: 'Directory of the store',
    by: 'always',
    how: 'mode 700, owned by the user of the process',
    see: '`stat DIR/etcd`, or `stat DIR/etcd-member`',
    check({ directory }) {
      expect(modeOf(storeOf(directory)) & 0o077).toBe(0);
      expect(modeOf(directory) & 0o077).toBe(0);
      isOwn(storeOf(directory));
    },
  },
  {
    id: '1.1.13, 1.1.14',
    what: "Administrator's kubeconfig",
    by: 'always',
    how: 'mode 600',
    see: '`stat DIR/kubeconfig`',
    check({ directory }) {
      expect(modeOf(path.join(directory, 'kubeconfig'))).toBe(0o600);
      isOwn(path.join(directory, 'kubeconfig'));
    },
  },
  {
    id: '1.1.19–1.1.21',
    what: 'PKI',
    by: 'always',
    how: 'certificates at most 644, keys and the encryption key 600, in a directory with mode 700',
    see: '`stat DIR/pki/*`',
    check({ directory }) {
      const pki = path.join(directory, 'pki');
      expect(modeOf(pki)).toBe(0o700);
      for (const file of filesBelow(pki)) {
        isOwn(file);
        if (/\.(crt|pub)$/.test(file)) expect(modeOf(file) & ~0o644, file).toBe(0);
        else expect(modeOf(file), file).toBe(0o600);
      }
    },
  },
  {
    id: '1.2.1',
    what: 'Anonymous requests',
    by: 'profile',
    how: 'only `/livez`, `/readyz`, `/healthz` and the signed `cluster-info` that joining machines read',
    see: '`curl -k https://…/api` is 401',
    async check({ status }) {
      expect(await status('/livez')).toBe(200);
      for (const place of ['/api', '/version', '/api/v1/namespaces', '/metrics', '/openapi/v2'])
        expect(await status(place), place).toBe(401);
    },
  },
  {
    id: '1.2.2',
    what: 'Static tokens',
    by: 'always',
    how: 'there is no token file',
    check: async ({ status }) => expect(await status('/api', 'any-token')).toBe(401),
  },
  {
    id: '1.2.3',
    what: 'DenyServiceExternalIPs',
    by: 'profile',
    how: 'on',
    see: 'a Service with `externalIPs` is refused',
    async check({ client }) {
      const service = {
        metadata: { name: 'external', namespace: 'default' },
        spec: { ports: [{ port: 80 }], externalIPs: ['192.0.2.7'] },
      };
      await expect(client.resource('v1/services').create(service)).rejects.toThrow(/external IPs is denied/);
    },
  },
  {
    id: '1.2.4, 1.2.5',
    what: 'Client certificate and CA for kubelets',
    by: 'profile',
    how: "the API server has a certificate of its own, and verifies the kubelets' by the cluster's CA",
    see: '`kubectl get --raw /api/v1/nodes/NODE/proxy/configz`',
    // Without a certificate that both sides trust, the API server could not have read it.
    check: ({ kubelet }) => expect(kubelet?.['authentication'] !== undefined).toBe(isReal),
  },
  {
    id: '1.2.6–1.2.8',
    what: 'Authorization modes',
    by: 'always',
    how: 'Node and RBAC',
    see: '`kubectl auth can-i --list --as nobody`',
    async check({ client }) {
      const review = await client.resource('authorization.k8s.io/v1/subjectaccessreviews').create({
        metadata: {},
        spec: { user: 'nobody', resourceAttributes: { verb: 'list', resource: 'secrets' } },
      });
      expect(review.status?.allowed).toBe(false);
      const node = await client.resource('authorization.k8s.io/v1/subjectaccessreviews').create({
        metadata: {},
        spec: {
          user: 'system:node:other',
          groups: ['system:nodes'],
          resourceAttributes: { verb: 'get', resource: 'secrets', namespace: 'default', name: 'benchmark' },
        },
      });
      expect(node.status?.allowed).toBe(false);
    },
  },
  {
    id: '1.2.9',
    what: 'EventRateLimit',
    by: 'profile',
    how: '5000 events a second, 20,000 at once',
    check: ({ client }) => pluginIsOn(client, 'EventRateLimit'),
  },
  {
    id: '1.2.10',
    what: 'AlwaysAdmit',
    by: 'always',
    how: 'off',
    async check({ client }) {
      await client
        .resource('v1/configmaps')
        .create({ metadata: { name: 'admitted', namespace: 'default' } }, { dryRun: true });
      const plugins = await admissionPlugins(client);
      expect(plugins).toContain('NamespaceLifecycle');
      expect(plugins).not.toContain('AlwaysAdmit');
    },
  },
  {
    id: '1.2.11',
    what: 'AlwaysPullImages',
    by: 'you',
    how: 'off: images that were loaded or built on a node could not be used. Pods of several tenants need it',
  },
  {
    id: '1.2.12–1.2.14',
    what: 'ServiceAccount, NamespaceLifecycle, NodeRestriction',
    by: 'always',
    how: 'on',
    async check({ client }) {
      const configMap = { metadata: { name: 'a', namespace: 'nowhere' } };
      await expect(client.resource('v1/configmaps').create(configMap)).rejects.toThrow(
        /namespaces "nowhere" not found/,
      );
      const pod = { ...allowedPod('no-account'), spec: { ...allowedPod('x').spec, serviceAccountName: 'missing' } };
      await expect(client.resource('v1/pods').create(pod)).rejects.toThrow(/serviceaccount "missing" not found/);
    },
  },
  {
    id: '1.2.15, 1.3.2, 1.4.1',
    what: 'Profiling',
    by: 'always',
    how: 'there is none',
    async check({ client }) {
      await expect(client.request({ method: 'GET', path: '/debug/pprof/' })).rejects.toThrow(/404|not find/);
    },
  },
  {
    id: '1.2.16–1.2.19',
    what: 'Audit log',
    by: 'profile',
    how: '`DIR/audit/audit.log`, mode 600, 30 days, 10 files of 100 MB',
    see: '`tail DIR/audit/audit.log`',
    async check({ directory, audit }) {
      await until('requests are audited', () => audit().length > 0);
      expect(modeOf(path.join(directory, 'audit', 'audit.log'))).toBe(0o600);
    },
  },
  {
    id: '1.2.20',
    what: 'Request timeout',
    by: 'always',
    how: 'one minute, and 34 seconds for a body that does not come, as upstream',
    async check({ config }) {
      const { status, seconds } = await requestWithoutEnd(config);
      expect([408, 504]).toContain(status);
      expect(seconds).toBeLessThan(65);
    },
  },
  {
    id: '1.2.21, 1.2.22',
    what: 'Tokens of ServiceAccounts',
    by: 'always',
    how: 'signed with `pki/sa.key`, and refused when the ServiceAccount is gone',
    async check({ client, status }) {
      const account = { name: 'benchmark', namespace: 'default' };
      await client.resource('v1/serviceaccounts').create({ metadata: { ...account } });
      const token = await tokenOf(client, account);
      expect(await status('/api', token)).toBe(200);
      await client.resource('v1/serviceaccounts').delete(account);
      await until('the token is refused', async () => (await status('/api', token)) === 401);
    },
  },
  {
    id: '1.2.23, 1.2.26, 2.1–2.7',
    what: 'TLS of etcd',
    by: 'always',
    how: 'the embedded store has no port; members of `--etcd managed` have TLS with client certificates of a CA of their own; with `--etcd-servers` use `https` URLs, and etcd is yours',
    see: '`ss -ltnp`; `curl -k https://…:2379/health` fails',
    async check({ pid, directory, config }) {
      expect(listeners(pid).filter(({ port }) => port === 2379 || port === 2380)).toEqual([]);
      if (!fs.existsSync(path.join(directory, 'etcd-member'))) return;
      const { hostname } = new URL(config.server);
      for (const port of [2379, 2380]) {
        await expect(statusOf({ ...config, server: `http://${hostname}:${port}` }, '/health')).rejects.toThrow();
        await expect(
          statusOf({ ...config, server: `https://${hostname}:${port}` }, '/health', { trustAny: true }),
        ).rejects.toThrow();
      }
      const own = (name: string): Buffer => fs.readFileSync(path.join(directory, 'pki', name));
      const certificate = { cert: own('apiserver-etcd-client.crt'), key: own('apiserver-etcd-client.key') };
      const access = { ...certificate, ca: own('etcd/ca.crt').toString() };
      expect(await statusOf({ ...config, server: `https://${hostname}:2379` }, '/health', access)).toBe(200);
      expect(own('etcd/ca.crt').equals(own('ca.crt'))).toBe(false);
    },
  },
  {
    id: '1.2.24, 1.2.25, 1.2.29',
    what: 'TLS of the API server',
    by: 'profile',
    how: 'TLS 1.3 alone, whose cipher suites are all strong; client certificates by the CA of the cluster',
    see: '`openssl s_client -tls1_2` fails',
    async check({ config }) {
      expect(await handshake(config.server, 'TLSv1.3')).toBe('TLSv1.3');
      await expect(handshake(config.server, 'TLSv1.2')).rejects.toThrow();
    },
  },
  {
    id: '1.2.27, 1.2.28',
    what: 'Encryption at rest',
    by: 'always',
    how: 'Secrets are encrypted with a key in `pki/encryption-config.yaml`',
    see: '`grep -r SECRET DIR/etcd` finds nothing',
    check({ directory }) {
      const files = filesBelow(storeOf(directory));
      expect(files.length).toBeGreaterThan(0);
      for (const file of files) {
        const bytes = fs.readFileSync(file);
        expect(bytes.includes(SECRET), file).toBe(false);
        expect(bytes.includes(Buffer.from(SECRET).toString('base64')), file).toBe(false);
      }
    },
  },
  {
    id: '1.2.30',
    what: 'Lifetime of ServiceAccount tokens',
    by: 'profile',
    how: 'not extended to a year',
    async check({ client }) {
      const token = await tokenOf(client, { name: 'default', namespace: 'default' }, 3607);
      const claims = JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as Record<string, number>;
      expect(claims['exp']! - claims['iat']!).toBeLessThanOrEqual(3607);
      expect(claims['kubernetes.io']).not.toHaveProperty('warnafter');
    },
  },
  {
    id: '1.3.1',
    what: 'Terminated pods',
    by: 'profile',
    how: 'the garbage collector keeps 1,000',
    async check({ client }) {
      const pods = client.resource('v1/pods');
      const names = Array.from({ length: 1010 }, (_, index) => `ended-${index}`);
      const pod = allowedPod('x');
      for (let from = 0; from < names.length; from += 50)
        await Promise.all(
          names.slice(from, from + 50).map(async (name) => {
            const metadata = { name, namespace: 'default', labels: { app: 'ended' } };
            const made = await pods.create({ metadata, spec: { ...pod.spec, schedulerName: 'nobody' } });
            await pods
              .subresource(made.metadata as never, 'status')
              .update({ ...made, status: { phase: 'Succeeded' } });
          }),
        );
      const left = async (): Promise<number> =>
        (await pods.list({ namespace: 'default', labelSelector: 'app=ended' })).items.length;
      await until('the oldest are deleted', async () => (await left()) <= 1000, { limitMs: 60_000, intervalMs: 500 });
      expect(await left()).toBeGreaterThan(950);
    },
  },
  {
    id: '1.3.3',
    what: 'Users of controllers',
    by: 'always',
    how: 'each controller is a ServiceAccount with roles of its own',
    see: 'users in the audit log',
    async check({ client, audit }) {
      await client.resource('apps/v1/deployments').create({
        metadata: { name: 'benchmark', namespace: 'default' },
        spec: {
          replicas: 0,
          selector: { matchLabels: { app: 'benchmark' } },
          template: { metadata: { labels: { app: 'benchmark' } }, spec: allowedPod('x').spec },
        },
      } as never);
      const user = 'system:serviceaccount:kube-system:deployment-controller';
      const isController = (event: AuditEvent): boolean => event.verb === 'create' && event.user.username === user;
      await until('the deployment controller acts as itself', () => audit().some(isController));
    },
  },
  {
    id: '1.3.4, 1.3.5',
    what: 'Key and root CA of the controller manager',
    by: 'always',
    how: 'those of the cluster: `kube-root-ca.crt` is in every namespace',
    async check({ client, config }) {
      const found = await client.resource('v1/configmaps').get({ name: 'kube-root-ca.crt', namespace: 'default' });
      expect(found.data?.['ca.crt']).toBe(config.ca);
    },
  },
  {
    id: '1.3.6, 4.2.10, 4.2.11',
    what: "Renewal of kubelets' certificates",
    by: 'always',
    how: 'client and serving certificates are renewed between 70 and 90 percent of their life',
    see: '`k8ts certs check`',
    async check({ kubelet, worker }) {
      if (kubelet) expect(kubelet['rotateCertificates']).toBe(true);
      if (worker === undefined) return;
      const { stdout } = await run(process.execPath, [await builtProgram(), 'certs', 'check', '--data-dir', worker]);
      expect(stdout).toMatch(/kubelet-client .* 36\dd .*\n/);
      expect(stdout).toMatch(/kubelet-server .* 36\dd .*\n/);
      expect(kubelet?.['serverTLSBootstrap']).toBe(true);
    },
  },
  {
    id: '1.3.7, 1.4.2, 4.3.1',
    what: 'Ports of controller manager, scheduler and kube-proxy metrics',
    by: 'always',
    how: 'none: they are in the process of the API server',
    see: '`ss -ltnp`',
    check: ({ pid }) => expect(listeners(pid).filter(({ port }) => [10249, 10257, 10259].includes(port))).toEqual([]),
  },
  {
    id: '3.1.1–3.1.3',
    what: 'Users without client certificates and tokens',
    by: 'you',
    how: 'use OIDC (`k8ts kube-apiserver --oidc-…`)',
  },
  {
    id: '3.2.1, 3.2.2',
    what: 'Audit policy',
    by: 'profile',
    how: 'all writes and reads of people with their metadata, RBAC with contents, no Secrets; `--audit-policy-file` has another one',
    see: '`grep secrets DIR/audit/audit.log`',
    async check({ client, audit, directory }) {
      await client
        .resource('v1/configmaps')
        .create({ metadata: { name: 'benchmark', namespace: 'default' }, data: { password: SECRET } });
      await client
        .resource('rbac.authorization.k8s.io/v1/roles')
        .create({ metadata: { name: 'benchmark', namespace: 'default' }, rules: [] });
      const of = (resource: string): AuditEvent | undefined =>
        audit().find(
          ({ verb, objectRef }) =>
            verb === 'create' && objectRef?.resource === resource && objectRef.namespace === 'default',
        );
      await until('the Role is audited', () => of('roles') !== undefined);
      expect(of('roles')).toMatchObject({ level: 'RequestResponse', requestObject: { kind: 'Role' } });
      expect(of('secrets')?.level).toBe('Metadata');
      expect(of('configmaps')?.level).toBe('Metadata');
      expect(audit().some(({ objectRef }) => objectRef?.subresource === 'token')).toBe(true);
      const text = fs.readFileSync(path.join(directory, 'audit', 'audit.log'), 'utf8');
      expect(text.includes(SECRET)).toBe(false);
      expect(text.includes(Buffer.from(SECRET).toString('base64'))).toBe(false);
      expect(text).not.toMatch(/eyJhbGciOi/);
    },
  },
  {
    id: '4.1.1–4.1.10',
    what: 'Files of kubelets and kube-proxy',
    by: 'always',
    how: 'in the process; of a machine that has joined: `kubelet.kubeconfig` and keys 600, its directory 700',
    see: '`stat /var/lib/k8ts/node/*`',
    check({ worker, directory }) {
      const place = worker ?? directory;
      expect(modeOf(place) & 0o077).toBe(0);
      const kubeconfigs = fs.readdirSync(place).filter((name) => name.endsWith('kubeconfig'));
      expect(kubeconfigs).toEqual([worker === undefined ? 'kubeconfig' : 'kubelet.kubeconfig']);
      expect(modeOf(path.join(place, kubeconfigs[0]!))).toBe(0o600);
      expect(modeOf(path.join(place, 'pki'))).toBe(0o700);
      for (const file of filesBelow(path.join(place, 'pki')).filter((name) => /\.(pem|key)$/.test(name)))
        expect(modeOf(file), file).toBe(0o600);
    },
  },
  {
    id: '4.2.1–4.2.4',
    what: "Kubelets' authentication and authorization",
    by: 'always',
    how: 'no anonymous requests, Webhook authorization, client CA, no read-only port',
    check: onNode((kubelet) => {
      expect(kubelet).toMatchObject({
        authentication: { anonymous: { enabled: false }, webhook: { enabled: true } },
        authorization: { mode: 'Webhook' },
      });
      expect(kubelet['readOnlyPort'] ?? 0).toBe(0);
    }),
  },
  {
    id: '4.2.5',
    what: 'Idle streams',
    by: 'profile',
    how: '5 minutes',
    check: onNode((kubelet) => expect(kubelet['streamingConnectionIdleTimeout']).toBe('5m0s')),
  },
  {
    id: '4.2.6',
    what: 'iptables chains',
    by: 'always',
    how: 'upstream’s default',
    check: onNode((kubelet) => expect(kubelet['makeIPTablesUtilChains']).toBe(true)),
  },
  {
    id: '4.2.7',
    what: 'Name of the node',
    by: 'always',
    how: 'the host name, that of the namespace, or `--node-name`; its certificate is for that name',
    async check({ client, node }) {
      const found = await client.resource('v1/nodes').get({ name: node });
      expect(found.metadata.labels?.['kubernetes.io/hostname']).toBe(node);
    },
  },
  {
    id: '4.2.8',
    what: 'Rate of events',
    by: 'always',
    how: '50 a second',
    check: onNode((kubelet) => expect(kubelet['eventRecordQPS']).toBe(50)),
  },
  {
    id: '4.2.9, 4.2.12',
    what: "Kubelets' TLS",
    by: 'profile',
    how: 'a certificate of the cluster, TLS 1.3 alone',
    check: onNode((kubelet) => expect(kubelet['tlsMinVersion']).toBe('VersionTLS13')),
  },
  {
    id: '4.2.13',
    what: 'Processes of a pod',
    by: 'profile',
    how: '4096',
    check: onNode((kubelet) => expect(kubelet['podPidsLimit']).toBe(4096)),
  },
  {
    id: '4.2.14, 5.6.2',
    what: 'Default seccomp profile',
    by: 'profile',
    how: 'RuntimeDefault',
    check: onNode((kubelet) => expect(kubelet['seccompDefault']).toBe(true)),
  },
  {
    id: '4.2.15',
    what: 'Addresses that reach the kubelet',
    by: 'you',
    how: 'a packet filter in front of port 10250; only servers need it',
  },
  {
    id: '5.1.1, 5.1.7',
    what: 'cluster-admin and system:masters',
    by: 'always',
    how: 'the administrator’s kubeconfig alone; keep it for emergencies and bind others to roles',
    async check({ client }) {
      const { items } = await client.resource('rbac.authorization.k8s.io/v1/clusterrolebindings').list();
      const bound = items.filter(({ roleRef }) => roleRef.name === 'cluster-admin');
      expect(bound.map(({ metadata }) => metadata.name)).toEqual(['cluster-admin']);
    },
  },
  {
    id: '5.1.2–5.1.6, 5.1.8–5.1.13',
    what: 'Roles and ServiceAccounts of workloads',
    by: 'you',
    how: 'k8ts’ own components have the least that each needs (docs/configuration.md)',
  },
  {
    id: '5.2.1–5.2.13, 5.6.3',
    what: 'Pod Security Standards',
    by: 'profile',
    how: 'restricted in all namespaces but kube-system, kube-public and kube-node-lease; labels of a namespace change it',
    see: '`kubectl run --image=… --privileged` is refused',
    async check({ client }) {
      const pod = allowedPod('privileged');
      const privileged = {
        ...pod,
        spec: { ...pod.spec, containers: [{ name: 'main', image: 'none', securityContext: { privileged: true } }] },
      };
      await expect(client.resource('v1/pods').create(privileged)).rejects.toThrow(
        /violates PodSecurity "restricted:latest"/,
      );
      await client.resource('v1/pods').create(allowedPod('allowed'));
    },
  },
  {
    id: '5.3.1',
    what: 'NetworkPolicies',
    by: 'always',
    how: 'are enforced on all nodes',
    see: '`nft list tables` on the node',
    async check({ client, node, kubelet }) {
      if (!kubelet) return;
      const pods = client.resource('v1/pods');
      const pod = allowedPod('isolated');
      const labels = { app: 'isolated' };
      // Its image does not exist; its sandbox has an address all the same.
      await pods.create({ metadata: { ...pod.metadata, labels }, spec: { ...pod.spec, nodeName: node } });
      let address = '';
      const hasAddress = async (): Promise<boolean> =>
        (address = (await pods.get(pod.metadata)).status?.podIP ?? '') !== '';
      await until('the pod has an address', hasAddress, { limitMs: 60_000, intervalMs: 200 });
      const before = policyRules(address);
      await client.resource('networking.k8s.io/v1/networkpolicies').create({
        metadata: { name: 'isolated', namespace: 'default' },
        spec: { podSelector: { matchLabels: labels }, policyTypes: ['Ingress'] },
      });
      await until('the node has rules of the policy', () => policyRules(address) > before, { limitMs: 30_000 });
    },
  },
  { id: '5.3.2', what: 'A NetworkPolicy in every namespace', by: 'you', how: 'what may talk to what is yours to say' },
  { id: '5.4.1–5.6.4', what: 'Secrets as files, image provenance, namespaces', by: 'you', how: 'of your manifests' },
];

function onNode(check: (kubelet: Readonly<Record<string, unknown>>) => void): NonNullable<Row['check']> {
  return ({ kubelet }) => {
    if (kubelet) check(kubelet);
  };
}

const allowedPod = (name: string) => ({
  metadata: { name, namespace: 'default' },
  spec: {
    securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
    containers: [
      {
        name: 'main',
        image: 'none',
        securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
      },
    ],
  },
});

async function tokenOf(client: Client, account: { name: string; namespace: string }, seconds = 3600): Promise<string> {
  const answer = (await client
    .resource('v1/serviceaccounts')
    .subresource(account, 'token')
    .create({ spec: { audiences: [], expirationSeconds: seconds } } as never)) as { status?: { token: string } };
  return answer.status!.token;
}

/** Names in the metrics of admission: a plugin that is off has none. */
async function admissionPlugins(client: Client): Promise<string[]> {
  const { body } = await client.request({ method: 'GET', path: '/metrics' });
  const lines = String(body).split('\n');
  const ofPlugins = lines.filter((line) => line.startsWith('apiserver_admission_controller_admission_duration'));
  return [...new Set(ofPlugins.flatMap((line) => /name="(\w+)"/.exec(line)?.[1] ?? []))];
}

async function pluginIsOn(client: Client, plugin: string): Promise<void> {
  await client.resource('v1/events').create({
    metadata: { name: 'benchmark', namespace: 'default' },
    involvedObject: { kind: 'Pod', namespace: 'default', name: 'benchmark' },
  } as never);
  expect(await admissionPlugins(client)).toContain(plugin);
}

const handshake = (server: string, version: tls.SecureVersion): Promise<string | null> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(server);
    const socket = tls.connect(
      { host: hostname, port: Number(port), rejectUnauthorized: false, minVersion: version, maxVersion: version },
      () => {
        resolve(socket.getProtocol());
        socket.destroy();
      },
    );
    socket.once('error', reject);
  });

/** TCP sockets that the process listens on, in its own network. */
function listeners(pid: number): { port: number }[] {
  const inodes = new Set(
    fs.readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      try {
        return /^socket:\[(\d+)\]$/.exec(fs.readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1] ?? [];
      } catch {
        return [];
      }
    }),
  );
  return ['tcp', 'tcp6'].flatMap((table) =>
    fs
      .readFileSync(`/proc/${pid}/net/${table}`, 'utf8')
      .split('\n')
      .slice(1)
      .map((line) => line.trim().split(/\s+/))
      .filter((fields) => fields[3] === '0A' && inodes.has(fields[9] ?? ''))
      .map((fields) => {
        const port = fields[1]!.split(':')[1] ?? '';
        return { port: Number.parseInt(port, 16) };
      }),
  );
}

const BY: Readonly<Record<By, string>> = { always: 'always', profile: 'profile', none: 'not applicable', you: 'you' };

it('is documented', async () => {
  const table = rows.map(({ id, what, by, how, see = '' }) => `| ${id} | ${what} | ${BY[by]} | ${how} | ${see} |`);
  await expect(`# The CIS Kubernetes Benchmark

\`k8ts up --profile cis\` (or \`profile: cis\` in [k8ts.yaml](configuration.md#k8tsyaml)) sets what the CIS Kubernetes Benchmark 1.11 asks of
each component that k8ts runs, on machines that join as well, and turns the audit log on. Most of it is so without the profile. The profile
refuses pods that are not \`restricted\`, so label the namespaces of workloads that need more:
\`kubectl label namespace NAME pod-security.kubernetes.io/enforce=baseline\`.

Components are in one process, so a scanner that reads command lines and files of kubeadm finds nothing: this table says for each
recommendation who sees to it (k8ts always, the profile, you) and how to see that. \`test/cis.test.ts\` checks the rows on a cluster, and
\`test/machines/cis.test.ts\` on the first server, a server that has joined, and a worker.

| recommendation | about | who | what is set | how to see it |
|---|---|---|---|---|
${table.join('\n')}
`).toMatchFileSnapshot('../docs/cis.md');
});

it('has a running check of everything that k8ts sees to', () => {
  const without = rows.filter(({ by, check }) => by !== 'you' && check === undefined);
  expect(without.map(({ id }) => id)).toEqual([]);
});

const isReal = ofMachines !== undefined || requires('root', 'runc', 'conmon', 'nft') === undefined;

describe.runIf(everything)('k8ts up --profile cis (long form)', () => {
  let root: string;
  let place: { readonly directory: string; readonly pid: number };
  let cluster: Started;

  beforeAll(async () => {
    root = fs.mkdtempSync(path.join(os.tmpdir(), 'k8ts-cis-'));
    place = ofMachines ?? (await startAlone(path.join(root, 'cluster')));
    const { directory, pid } = place;
    const config = await loadKubeconfig({ clock: ctx.clock, file: path.join(directory, 'kubeconfig') });
    const client = connect(ctx, config);
    await client
      .resource('v1/secrets')
      .create({ metadata: { name: 'benchmark', namespace: 'default' }, stringData: { password: SECRET } });
    const { items } = await client.resource('v1/nodes').list();
    const node = ofMachines?.node ?? items[0]!.metadata.name!;
    const configz = isReal
      ? await client.request({ method: 'GET', path: `/api/v1/nodes/${node}/proxy/configz` })
      : undefined;
    const auditLogs = ofMachines?.auditLogs ?? [path.join(directory, 'audit', 'audit.log')];
    cluster = {
      directory,
      worker: ofMachines?.worker,
      node,
      pid,
      client,
      config,
      status: (place, token) => statusOf(config, place, token === undefined ? {} : { token }),
      audit: () => auditLogs.flatMap(auditEvents),
      kubelet: (configz?.body as { kubeletconfig: Started['kubelet'] } | undefined)?.kubeletconfig,
    };
  }, 240_000);

  afterAll(async () => {
    await cluster?.client.close();
    if (place && !ofMachines)
      await run(process.execPath, [await builtProgram(), 'down', '--data-dir', place.directory]).catch(() => undefined);
    fs.rmSync(root, { recursive: true, force: true });
  }, 60_000);

  const checked = rows.filter(({ check }) => check !== undefined);
  it.each(checked.map((row) => [row.id, row.what, row] as const))(
    '%s %s',
    async (_, __, { check }) => {
      await check!(cluster);
    },
    120_000,
  );
});

async function startAlone(directory: string): Promise<{ directory: string; pid: number }> {
  const nodes = isReal ? ['--nodes', '1'] : ['--nodes', '0', '--simulated-nodes', '1'];
  const flags = ['--data-dir', directory, '--port', '0', '--profile', 'cis', ...nodes, '--detach', '--wait', '3m'];
  const { stdout } = await run(process.execPath, [await builtProgram(), 'up', ...flags, '-o', 'json']);
  return { directory, pid: (JSON.parse(stdout) as { pid: number }).pid };
}

/** How often the rules of NetworkPolicies name the address, on the node of the machine or on all nodes here. */
function policyRules(address: string): number {
  const here = fs
    .readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .filter((line) => line.includes(' net:[') && line.includes(' nsfs '))
    .map((line) => line.split(' ')[4]!);
  const rules = (ofMachines ? [ofMachines.netns] : here).map((netns) => {
    const list = ['nft', 'list', 'table', 'inet', 'k8ts-network-policy'];
    return spawnSync('nsenter', [`--net=${netns}`, ...list], { encoding: 'utf8' }).stdout ?? '';
  });
  return rules.join('').split(address).length - 1;
}

/** A body that announces more than comes: the status of the response, and when it came. */
async function requestWithoutEnd(config: ClientConfig): Promise<{ status: number; seconds: number }> {
  const { server, ca, credentials } = config;
  const from = performance.now();
  const own = await credentials.certificate();
  return new Promise((resolve, reject) => {
    const options = {
      ...{ ca, cert: own?.cert, key: own?.key, method: 'POST' },
      headers: { 'content-type': 'application/json', 'content-length': 1000 },
    };
    const request = https.request(new URL('/api/v1/namespaces/default/configmaps', server), options, (response) => {
      response.resume();
      resolve({ status: response.statusCode ?? 0, seconds: (performance.now() - from) / 1000 });
      request.destroy();
    });
    request.once('error', reject);
    request.write('{"metadata": ');
  });
}

function auditEvents(file: string): AuditEvent[] {
  if (!fs.existsSync(file)) return [];
  const lines = fs.readFileSync(file, 'utf8').split('\n');
  return lines.slice(0, -1).map((line) => JSON.parse(line) as AuditEvent);
}

interface Access {
  readonly token?: string;
  readonly trustAny?: boolean;
  readonly ca?: string;
  readonly cert?: Buffer;
  readonly key?: Buffer;
}

/** Without the administrator's certificate. */
function statusOf(
  { server, ca }: Pick<ClientConfig, 'server' | 'ca'>,
  place: string,
  { token, trustAny = false, ...access }: Access = {},
): Promise<number> {
  const { get } = server.startsWith('http:') ? http : https;
  return new Promise((resolve, reject) => {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    get(new URL(place, server), { ca, headers, rejectUnauthorized: !trustAny, ...access }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    }).once('error', reject);
  });
}
