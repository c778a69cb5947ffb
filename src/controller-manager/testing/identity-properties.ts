/** What must hold of tokens, certificates, ranges of addresses and finished Jobs; see `testing-properties.ts`. */
import { generateKeyPairSync, webcrypto } from 'node:crypto';
import * as x509 from '../../net/x509/index.ts';
import type { ControllerManagerConfig } from '../config.ts';
import {
  chance,
  container,
  differ,
  firstWrong,
  once,
  some,
  sorted,
  times,
  type Property,
  type World,
} from './properties.ts';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const DAY_MS = 24 * 3600_000;
const KUBELET_CLIENT = 'kubernetes.io/kube-apiserver-client-kubelet';
const TOKEN = 'kubernetes.io/service-account-token';

async function certificateKeys(): Promise<x509.X509CertificateCreateSelfSignedParams['keys']> {
  x509.cryptoProvider.set('default', webcrypto as never);
  return (await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])) as never;
}

async function selfSigned(keys: x509.X509CertificateCreateSelfSignedParams['keys'], until: number): Promise<string> {
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: 'CN=ca',
    keys,
    signingAlgorithm: ALGORITHM,
    notBefore: new Date(Date.UTC(2020, 0, 1)),
    notAfter: new Date(until),
  });
  return certificate.toString('pem');
}

async function signingConfig(): Promise<Partial<ControllerManagerConfig>> {
  const keys = await certificateKeys();
  const clusterSigningKey = x509.PemConverter.encode(
    await webcrypto.subtle.exportKey('pkcs8', keys.privateKey as never),
    'PRIVATE KEY',
  );
  return { clusterSigningCertificate: await selfSigned(keys, Date.UTC(2046, 0, 1)), clusterSigningKey };
}

async function makeRequest(
  { client }: World,
  name: string,
  { organization = 'system:nodes', signerName = KUBELET_CLIENT } = {},
): Promise<void> {
  const subject: x509.JsonName = [{ O: [organization] }, { CN: ['system:node:n'] }];
  const request = await x509.Pkcs10CertificateRequestGenerator.create({
    name: subject,
    keys: await certificateKeys(),
    signingAlgorithm: ALGORITHM,
  });
  await client.resource('certificates.k8s.io/v1/certificatesigningrequests').create({
    metadata: { name },
    spec: {
      request: Buffer.from(request.toString('pem')).toString('base64'),
      signerName,
      usages: ['digital signature', 'client auth'],
    },
  });
}

const requestsOf = async ({ client, namespace }: World) =>
  (await client.resource('certificates.k8s.io/v1/certificatesigningrequests').list()).items.filter(({ metadata }) =>
    metadata.name!.startsWith(`${namespace}-`),
  );

const makeToken = ({ client, namespace }: World, name: string, account: string, labels?: Record<string, string>) =>
  client.resource('v1/secrets').create({
    metadata: {
      name,
      namespace,
      annotations: { 'kubernetes.io/service-account.name': account },
      ...(labels ? { labels } : {}),
    },
    type: TOKEN,
  });
const tokensOf = async ({ client, namespace }: World) =>
  (await client.resource('v1/secrets').list({ namespace, fieldSelector: `type=${TOKEN}` })).items;

/** Ranges that no other world has. */
let range = 0;

export const IDENTITY_PROPERTIES: readonly Property[] = [
  {
    holds: 'cluster-info is signed with every token that may sign, and with no other',
    controllers: ['bootstrap-signer-controller'],
    async arrange({ client, random }) {
      await once(
        client.resource('v1/configmaps').create({
          metadata: { name: 'cluster-info', namespace: 'kube-public' },
          data: { kubeconfig: 'content', 'jws-kubeconfig-oldold': 'x' },
        }),
      );
      for (const _ of times(1 + some(random, 3))) {
        const id = `t${String(range++).padStart(5, '0')}`;
        await client.resource('v1/secrets').create({
          metadata: { name: `bootstrap-token-${id}`, namespace: 'kube-system' },
          type: 'bootstrap.kubernetes.io/token',
          stringData: {
            'token-id': id,
            'token-secret': '0123456789abcdef',
            'usage-bootstrap-signing': String(chance(random, 0.6)),
          },
        });
      }
    },
    async wrong({ client }) {
      const text = (data: string | undefined): string => Buffer.from(data ?? '', 'base64').toString();
      const tokens = (
        await client
          .resource('v1/secrets')
          .list({ namespace: 'kube-system', fieldSelector: 'type=bootstrap.kubernetes.io/token' })
      ).items;
      const signing = tokens
        .filter(({ data }) => text(data?.['usage-bootstrap-signing']) === 'true')
        .map(({ data }) => `jws-kubeconfig-${text(data?.['token-id'])}`);
      const info = await client.resource('v1/configmaps').get({ namespace: 'kube-public', name: 'cluster-info' });
      return differ('signatures', sorted(Object.keys(info.data ?? {})), sorted([...signing, 'kubeconfig']));
    },
  },
  {
    holds: 'what a kubelet may have is approved and signed, and nothing else',
    controllers: ['certificatesigningrequest-approving-controller', 'certificatesigningrequest-signing-controller'],
    config: signingConfig,
    async arrange(world) {
      for (const i of times(1 + some(world.random, 3))) {
        const may = chance(world.random, 0.6);
        await makeRequest(
          world,
          `${world.namespace}-${may ? 'may' : 'not'}-${i}`,
          may ? {} : chance(world.random, 0.5) ? { organization: 'somebody' } : { signerName: 'example.com/signer' },
        );
      }
    },
    async wrong(world) {
      return firstWrong(await requestsOf(world), ({ metadata, status }) => {
        const approved = (status?.conditions ?? []).filter(({ type }) => type === 'Approved').length;
        const may = metadata.name!.startsWith(`${world.namespace}-may`);
        return differ(metadata.name!, [approved, status?.certificate !== undefined], [may ? 1 : 0, may]);
      });
    },
  },
  {
    holds: 'requests whose certificates have expired go',
    controllers: ['certificatesigningrequest-cleaner-controller'],
    async arrange(world) {
      const requests = world.client.resource('certificates.k8s.io/v1/certificatesigningrequests');
      for (const i of times(1 + some(world.random, 2))) {
        const expired = chance(world.random, 0.6);
        const name = `${world.namespace}-${expired ? 'old' : 'new'}-${i}`;
        await makeRequest(world, name);
        if (!expired) continue;
        await requests.patch(
          { name },
          { status: { conditions: [{ type: 'Approved', status: 'True', reason: 'Test' }] } },
          { type: 'merge', subresource: 'approval' },
        );
        const certificate = await selfSigned(await certificateKeys(), Date.UTC(2021, 0, 1));
        await requests.patch(
          { name },
          { status: { certificate: Buffer.from(certificate).toString('base64') } },
          { type: 'merge', subresource: 'status' },
        );
      }
    },
    async wrong(world) {
      const names = (await requestsOf(world)).map(({ metadata }) => metadata.name!);
      return names.find((name) => name.startsWith(`${world.namespace}-old`));
    },
    limitMs: 2 * 3600_000,
  },
  {
    holds: 'Secrets for tokens have one while their account is there, and go without it',
    controllers: ['serviceaccount-token-controller'],
    config: () =>
      Promise.resolve({
        rootCa: 'the CA',
        serviceAccountPrivateKey: generateKeyPairSync('ec', { namedCurve: 'P-256' })
          .privateKey.export({ type: 'pkcs8', format: 'pem' })
          .toString(),
      }),
    async arrange(world) {
      await world.client
        .resource('v1/serviceaccounts')
        .create({ metadata: { name: 'somebody', namespace: world.namespace } });
      for (const i of times(1 + some(world.random, 4))) {
        const known = chance(world.random, 0.6);
        await makeToken(world, `${known ? 'known' : 'lost'}-${i}`, known ? 'somebody' : 'nobody');
      }
    },
    async wrong(world) {
      return firstWrong(await tokensOf(world), ({ metadata, data }) =>
        metadata.name!.startsWith('lost')
          ? `${metadata.name} is there`
          : data?.['token'] === undefined
            ? `${metadata.name} has no token`
            : undefined,
      );
    },
  },
  {
    holds: 'tokens that nobody uses are marked and go; those in use stay',
    controllers: ['legacy-serviceaccount-token-cleaner-controller'],
    config: { legacyTokenCleanUpPeriodSeconds: 1 },
    async arrange(world) {
      const { client, random, namespace } = world;
      await once(
        client.resource('v1/configmaps').create({
          metadata: { name: 'kube-apiserver-legacy-service-account-token-tracking', namespace: 'kube-system' },
          data: { since: '2020-01-01' },
        }),
      );
      const kinds = [
        'unused-0',
        ...times(some(random, 3)).map((i) => `${['unused', 'used', 'mounted'][random.integer(3)]}-${i + 1}`),
      ];
      await client
        .resource('v1/serviceaccounts')
        .create({ metadata: { name: 'a', namespace }, secrets: kinds.map((name) => ({ name })) });
      for (const name of kinds) {
        await makeToken(
          world,
          name,
          'a',
          name.startsWith('used') ? { 'kubernetes.io/legacy-token-last-used': '2099-01-01' } : undefined,
        );
        if (name.startsWith('mounted'))
          await client.resource('v1/pods').create({
            metadata: { name, namespace },
            spec: { containers: [container], volumes: [{ name: 'v', secret: { secretName: name } }] },
          });
      }
    },
    async wrong(world) {
      const [account, secrets] = [
        await world.client.resource('v1/serviceaccounts').get({ namespace: world.namespace, name: 'a' }),
        await tokensOf(world),
      ];
      const kept = (account.secrets ?? []).map(({ name }) => name).filter((name) => !name!.startsWith('unused'));
      const marked = secrets.find(
        ({ metadata }) =>
          !metadata.name!.startsWith('unused') &&
          metadata.labels?.['kubernetes.io/legacy-token-invalid-since'] !== undefined,
      );
      return marked
        ? `${marked.metadata.name} is marked`
        : differ('tokens', sorted(secrets.map(({ metadata }) => metadata.name)), sorted(kept));
    },
    limitMs: 4 * DAY_MS,
  },
  {
    holds: 'a range of Service addresses that is deleted stays while one is in use',
    controllers: ['service-cidr-controller'],
    async arrange({ client, random, namespace }) {
      for (const i of times(1 + some(random, 3))) {
        const [used, leaves] = [chance(random, 0.5), chance(random, 0.7)];
        const name = `${namespace}-${used ? 'used' : 'free'}-${leaves ? 'leaves' : 'stays'}-${i}`;
        const place = `10.${100 + (range >> 8)}.${range++ & 255}`;
        await client.resource('networking.k8s.io/v1/servicecidrs').create({
          metadata: { name, finalizers: ['networking.k8s.io/service-cidr-finalizer'] },
          spec: { cidrs: [`${place}.0/24`] },
        });
        if (used)
          await client.resource('networking.k8s.io/v1/ipaddresses').create({
            metadata: { name: `${place}.7` },
            spec: { parentRef: { resource: 'services', namespace, name: 'x' } },
          });
        if (leaves) await client.resource('networking.k8s.io/v1/servicecidrs').delete({ name });
      }
    },
    async wrong({ client, namespace }) {
      const ranges = (await client.resource('networking.k8s.io/v1/servicecidrs').list()).items.filter(({ metadata }) =>
        metadata.name!.startsWith(`${namespace}-`),
      );
      return firstWrong(ranges, ({ metadata: { name = '' }, status }) => {
        if (name.includes('free-leaves')) return `${name} is there`;
        return differ(
          name,
          status?.conditions?.find(({ type }) => type === 'Ready')?.status,
          name.includes('leaves') ? 'False' : 'True',
        );
      });
    },
  },
  {
    holds: 'finished Jobs go when the time that they ask for is over',
    controllers: ['ttl-after-finished-controller'],
    async arrange({ client, random, namespace }) {
      for (const i of times(1 + some(random, 3))) {
        const [finished, limited] = [chance(random, 0.7), chance(random, 0.7)];
        const name = `${finished && limited ? 'leaves' : 'stays'}-${i}`;
        await client.resource('batch/v1/jobs').create({
          metadata: { name, namespace },
          spec: {
            ...(limited ? { ttlSecondsAfterFinished: some(random, 20) } : {}),
            template: { spec: { restartPolicy: 'Never', containers: [container] } },
          },
        });
        if (!finished) continue;
        const at = '2026-01-01T00:00:00Z';
        const conditions = ['FailureTarget', 'Failed'].map((type) => ({
          type,
          status: 'True',
          reason: 'Test',
          lastTransitionTime: at,
        }));
        await client
          .resource('batch/v1/jobs')
          .patch(
            { namespace, name },
            { status: { startTime: at, conditions } },
            { type: 'merge', subresource: 'status' },
          );
      }
    },
    async wrong({ client, namespace }) {
      const jobs = (await client.resource('batch/v1/jobs').list({ namespace })).items;
      return firstWrong(jobs, ({ metadata }) =>
        differ(
          `${metadata.name} is going`,
          metadata.deletionTimestamp !== undefined,
          metadata.name!.startsWith('leaves'),
        ),
      );
    },
  },
];
