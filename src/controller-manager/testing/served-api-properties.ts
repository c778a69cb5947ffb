/** What must hold of kinds that the server has not by itself, and of what metrics decide; see `testing-properties.ts`. */
import { createHash } from 'node:crypto';
import type { HorizontalPodAutoscaler, MetricSpec } from '../../api/generated/autoscaling-v2.ts';
import type { Random } from '../../kernel/index.ts';
import { ignoreNotFound } from '../ignore-not-found.ts';
import { TestKubelet } from './pods.ts';
import {
  chance,
  container,
  differ,
  firstWrong,
  once,
  podsOf,
  some,
  sorted,
  times,
  type Property,
  type World,
} from './properties.ts';
import {
  CLUSTER_TRUST_BUNDLES,
  EXTERNAL_METRIC,
  LOAD_ANNOTATION,
  serveClusterTrustBundles,
  serveMetrics,
  serveStorageVersions,
  STORAGE_VERSIONS,
  type StorageVersion,
} from './served-apis.ts';

const SIGNER = 'kubernetes.io/kube-apiserver-serving';
const AUTHORITY = 'the authority';
const OWN_BUNDLES = `${SIGNER.replace('/', ':')}:`;
const PUBLISHED = `${OWN_BUNDLES}${createHash('sha256').update(AUTHORITY).digest('hex').slice(0, 24)}`;

/** What is to become of the objects of a world that have no namespace: those that are gone cannot be asked. */
const expectationsOf = async ({ client, namespace }: World): Promise<[string, string][]> =>
  Object.entries((await client.resource('v1/configmaps').get({ namespace, name: 'expected' })).data ?? {});
const expectAll = async ({ client, namespace }: World, data: Record<string, string>): Promise<void> =>
  void (await client.resource('v1/configmaps').create({ metadata: { name: 'expected', namespace }, data }));

type Records = NonNullable<NonNullable<StorageVersion['status']>['storageVersions']>;

/** The version that all servers write, if there is one. */
const agreed = (records: Records): string | undefined =>
  new Set(records.map(({ encodingVersion }) => encodingVersion)).size === 1 ? records[0]!.encodingVersion : undefined;

const identity = (component: string) => ({ 'apiserver.kubernetes.io/identity': component });

/** In thousandths of a CPU: half of what each pod asks for. */
const TARGET_MILLI = 250;
/** So few that no size but one is within a tenth of the target. */
const MOST_REPLICAS = 8;

/** Metrics that are met by as many pods as said, no more and no less. */
const cpu: MetricSpec = {
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } },
};
const external = (replicas: number): MetricSpec => ({
  type: 'External',
  external: {
    metric: { name: EXTERNAL_METRIC, selector: { matchLabels: { value: String(replicas * 10) } } },
    target: { type: 'AverageValue', averageValue: '10' },
  },
});

async function makeScaled({ client, random, namespace }: World, name: string): Promise<void> {
  const [byCpu, byExternal] = [1 + some(random, MOST_REPLICAS - 1), 1 + some(random, MOST_REPLICAS - 1)];
  const [usesCpu, usesExternal] = pick(random, [
    [true, false],
    [false, true],
    [true, true],
  ]);
  const minReplicas = 1 + some(random, 3);
  const maxReplicas = minReplicas + some(random, MOST_REPLICAS - minReplicas);
  const replicas = chance(random, 0.1) ? 0 : 1 + some(random, MOST_REPLICAS - 1);
  const wanted = Math.max(usesCpu ? byCpu : 0, usesExternal ? byExternal : 0);
  const expected = replicas === 0 ? 0 : Math.min(maxReplicas, Math.max(minReplicas, wanted));
  const template = {
    metadata: { labels: { app: name }, annotations: { [LOAD_ANNOTATION]: String(byCpu * TARGET_MILLI) } },
    spec: {
      terminationGracePeriodSeconds: 0,
      containers: [{ ...container, resources: { requests: { cpu: `${2 * TARGET_MILLI}m` } } }],
    },
  };
  await client
    .resource('apps/v1/replicasets')
    .create({ metadata: { name, namespace }, spec: { replicas, selector: { matchLabels: { app: name } }, template } });
  await client.resource('autoscaling/v2/horizontalpodautoscalers').create({
    metadata: { name, namespace, annotations: { expected: String(expected) } },
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'ReplicaSet', name },
      minReplicas,
      maxReplicas,
      metrics: [...(usesCpu ? [cpu] : []), ...(usesExternal ? [external(byExternal)] : [])],
    },
  });
}

const pick = <T>(random: Random, choices: readonly T[]): T => choices[random.integer(choices.length)]!;
const conditionOf = ({ status }: HorizontalPodAutoscaler, type: string): string | undefined =>
  status?.conditions?.find((condition) => condition.type === type)?.status;

export const SERVED_API_PROPERTIES: readonly Property[] = [
  {
    holds: "there is one bundle of the API server's authority, and those of others are left alone",
    controllers: ['kube-apiserver-serving-clustertrustbundle-publisher-controller'],
    config: { rootCa: AUTHORITY },
    serve: serveClusterTrustBundles,
    async arrange(world) {
      const { client, random, namespace } = world;
      const bundles = client.resource(CLUSTER_TRUST_BUNDLES);
      const make = (name: string, trustBundle: string, signerName?: string) =>
        bundles.create({
          metadata: { name },
          spec: { ...(signerName === undefined ? {} : { signerName }), trustBundle },
        });
      for (const i of times(some(random, 3))) await make(`${OWN_BUNDLES}${namespace}-${i}`, 'an old one', SIGNER);
      const before = pick(random, ['wrong', 'wrong', 'gone', 'as it was']);
      if (before === 'wrong') await once(make(PUBLISHED, 'not what its name says', SIGNER));
      if (before === 'gone') await ignoreNotFound(() => bundles.delete({ name: PUBLISHED }));
      const others = times(1 + some(random, 2)).map((i) =>
        chance(random, 0.5) ? `example.com:signer:${namespace}-${i}` : `${namespace}-${i}`,
      );
      for (const name of others)
        await make(name, 'of somebody else', name.includes(':') ? 'example.com/signer' : undefined);
      await expectAll(world, { others: others.join() });
    },
    async wrong(world) {
      const bundles = (await world.client.resource(CLUSTER_TRUST_BUNDLES).list()).items;
      const own = bundles
        .filter(({ spec }) => spec.signerName === SIGNER)
        .map(({ metadata, spec }) => [metadata.name, spec.trustBundle]);
      const others = bundles
        .filter(({ metadata, spec }) => spec.signerName !== SIGNER && metadata.name!.includes(`${world.namespace}-`))
        .map(({ metadata }) => metadata.name);
      const [[, wanted = ''] = []] = await expectationsOf(world);
      return (
        differ('own', own, [[PUBLISHED, AUTHORITY]]) ?? differ('others', sorted(others), sorted(wanted.split(',')))
      );
    },
  },
  {
    holds: 'StorageVersions name only servers that are there, and what these agree on',
    controllers: ['storageversion-garbage-collector-controller'],
    serve: serveStorageVersions,
    async arrange(world) {
      const { client, random, namespace } = world;
      const leases = client.resource('coordination.k8s.io/v1/leases');
      const servers = times(4).map((i) => ({
        name: `${namespace}-${i}`,
        fate: pick(random, ['stays', 'stays', 'leaves', 'never came', 'is something else']),
      }));
      for (const { name, fate } of servers) {
        if (fate !== 'never came')
          await leases.create({
            metadata: {
              name,
              namespace: 'kube-system',
              labels: identity(fate === 'is something else' ? 'somebody' : 'kube-apiserver'),
            },
            spec: { holderIdentity: name },
          });
      }
      const expected: Record<string, string> = {};
      for (const i of times(1 + some(random, 3))) {
        const name = `${namespace}.things-${i}`;
        const named = servers.filter(() => chance(random, 0.6));
        const records: Records = named.map((server) => ({
          apiServerID: server.name,
          encodingVersion: chance(random, 0.7) ? 'v1' : 'v2',
          decodableVersions: ['v1', 'v2'],
        }));
        const kept = records.filter((_, at) => named[at]!.fate === 'stays');
        const common = agreed(records);
        await client.resource(STORAGE_VERSIONS).create({ metadata: { name }, spec: {} });
        await client.resource(STORAGE_VERSIONS).patch(
          { name },
          {
            status: { storageVersions: records, ...(common === undefined ? {} : { commonEncodingVersion: common }) },
          },
          { type: 'merge', subresource: 'status' },
        );
        expected[name] =
          kept.length === 0 && records.length > 0
            ? 'gone'
            : JSON.stringify([kept.map(({ apiServerID }) => apiServerID), agreed(kept) ?? null]);
      }
      for (const { name, fate } of servers)
        if (fate === 'leaves') await leases.delete({ namespace: 'kube-system', name });
      await expectAll(world, expected);
    },
    async wrong(world) {
      const versions = new Map(
        (await world.client.resource(STORAGE_VERSIONS).list()).items.map(
          ({ metadata, status }) => [metadata.name!, status] as const,
        ),
      );
      return firstWrong(await expectationsOf(world), ([name, wanted]) => {
        const status = versions.get(name);
        const found =
          status === undefined
            ? 'gone'
            : JSON.stringify([
                (status.storageVersions ?? []).map(({ apiServerID }) => apiServerID),
                status.commonEncodingVersion ?? null,
              ]);
        return differ(name, found, wanted);
      });
    },
  },
  {
    holds:
      'an autoscaler makes its target as large as its metrics ask for, within its bounds, and leaves one of size 0 alone',
    controllers: ['horizontal-pod-autoscaler-controller', 'replicaset-controller'],
    /** Looks often and hesitates little: there is not much to see between two looks. */
    config: {
      horizontalPodAutoscaler: {
        syncPeriodMs: 2_000,
        tolerance: 0.1,
        cpuInitializationPeriodMs: 300_000,
        initialReadinessDelayMs: 30_000,
        downscaleStabilizationMs: 10_000,
      },
    },
    serve: serveMetrics,
    async arrange(world) {
      const { client, random, namespace } = world;
      for (const i of times(1 + some(random, 2))) await makeScaled(world, `scaled-${i}`);
      if (chance(random, 0.3))
        await client.resource('autoscaling/v2/horizontalpodautoscalers').create({
          metadata: { name: 'lost', namespace },
          spec: {
            scaleTargetRef: { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'nothing' },
            maxReplicas: 2,
            metrics: [external(1)],
          },
        });
    },
    async meanwhile({ client, namespace }) {
      const kubelet = new TestKubelet(client, namespace);
      const at = '2025-01-01T00:00:00Z';
      for (const { metadata, status } of await kubelet.list()) {
        if (status?.phase === 'Pending')
          await ignoreNotFound(() =>
            kubelet.setStatus(metadata.name!, {
              phase: 'Running',
              startTime: at,
              conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: at }],
            }),
          );
      }
    },
    async wrong(world) {
      const { client, namespace } = world;
      const sizes = new Map(
        (await client.resource('apps/v1/replicasets').list({ namespace })).items.map(
          ({ metadata, spec }) => [metadata.name, spec?.replicas] as const,
        ),
      );
      const pods = await podsOf(world);
      return firstWrong(
        (await client.resource('autoscaling/v2/horizontalpodautoscalers').list({ namespace })).items,
        (autoscaler) => {
          const { metadata, status } = autoscaler;
          const expected = Number(metadata.annotations?.['expected']);
          const running = pods.filter(
            (pod) => pod.metadata.labels?.['app'] === metadata.name && pod.status?.phase === 'Running',
          ).length;
          if (metadata.name === 'lost') return differ('lost', conditionOf(autoscaler, 'AbleToScale'), 'False');
          return differ(
            metadata.name!,
            [
              sizes.get(metadata.name),
              running,
              status?.currentReplicas ?? 0,
              status?.desiredReplicas,
              conditionOf(autoscaler, 'AbleToScale'),
              conditionOf(autoscaler, 'ScalingActive'),
            ],
            [expected, expected, expected, expected, 'True', expected === 0 ? 'False' : 'True'],
          );
        },
      );
    },
  },
];
