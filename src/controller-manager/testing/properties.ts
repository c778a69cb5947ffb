import type { Pod, PodTemplateSpec } from '../../api/generated/core-v1.ts';
/**
 * What must hold of the cluster once a controller has had its time, whatever was there before: for each a random starting
 * state and the question what is wrong with it. `properties.test.ts` asks it of one manager, of two at once, and of one that
 * is killed at every write.
 */
import type { TestServerOptions } from '../../apiserver/testing/index.ts';
import { isAlreadyExists, type Client } from '../../client/index.ts';
import type { Random } from '../../kernel/index.ts';
import type { ControllerManagerConfig } from '../config.ts';
import type { ControllerFixture } from './index.ts';

export interface World {
  readonly client: Client;
  readonly random: Random;
  /** Everything is made in this namespace, or with names that begin with it. */
  readonly namespace: string;
}

export interface Property {
  /** What must hold, in words. */
  readonly holds: string;
  readonly controllers: readonly string[];
  readonly config?: Partial<ControllerManagerConfig> | (() => Promise<Partial<ControllerManagerConfig>>);
  /** Of the API server. */
  readonly server?: TestServerOptions;
  /** Serves the APIs that the server has not by itself. */
  readonly serve?: (fixture: ControllerFixture) => Promise<void>;
  /** Events are what the controllers are there for: they count as writes. */
  readonly countsEvents?: true;
  arrange(world: World): Promise<void>;
  /** What the rest of the cluster does in the meantime; before every look. */
  meanwhile?(world: World): Promise<void>;
  /** What is wrong; nothing when all is right. */
  wrong(world: World): Promise<string | undefined>;
  /** Leaves nothing to do in the world: controllers that start later shall not begin with it. */
  clear?(world: World): Promise<void>;
  readonly limitMs?: number;
}

export const times = (count: number): number[] => Array.from({ length: count }, (_, i) => i);
export const chance = (random: Random, probability: number): boolean => random.next() < probability;
export const some = (random: Random, most: number): number => random.integer(most + 1);
export const container = { name: 'c', image: 'i' };
const template = (labels: Record<string, string>): PodTemplateSpec => ({
  metadata: { labels },
  spec: { containers: [container] },
});
const isActive = ({ metadata, status }: Pod): boolean =>
  metadata.deletionTimestamp === undefined && status?.phase !== 'Succeeded' && status?.phase !== 'Failed';
export const podsOf = async ({ client, namespace }: World): Promise<Pod[]> =>
  (await client.resource('v1/pods').list({ namespace })).items;
const controlledBy = (pods: readonly Pod[], uid: string | undefined): Pod[] =>
  pods.filter(
    (pod) => isActive(pod) && pod.metadata.ownerReferences?.some((owner) => owner.controller && owner.uid === uid),
  );
export const sorted = (names: readonly (string | undefined)[]): string[] => names.map(String).sort();
export const differ = (what: string, found: unknown, wanted: unknown): string | undefined =>
  JSON.stringify(found) === JSON.stringify(wanted)
    ? undefined
    : `${what}: ${JSON.stringify(found)} instead of ${JSON.stringify(wanted)}`;

/** For what the worlds of one server share. */
export async function once(create: Promise<unknown>): Promise<void> {
  await create.catch((error: unknown) => {
    if (!isAlreadyExists(error)) throw error;
  });
}

export async function firstWrong<T>(
  items: readonly T[],
  look: (item: T) => string | undefined | Promise<string | undefined>,
): Promise<string | undefined> {
  for (const item of items) {
    const found = await look(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Pods of nobody, of somebody who is gone, finished ones, and ones with other labels. */
async function scatterPods({ client, random, namespace }: World, labels: Record<string, string>): Promise<void> {
  for (const i of times(some(random, 5))) {
    const ownerReferences = chance(random, 0.3)
      ? [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'gone', uid: `gone-${i}`, controller: true }]
      : undefined;
    const name = `stray-${i}`;
    await client.resource('v1/pods').create({
      metadata: {
        name,
        namespace,
        labels: chance(random, 0.7) ? labels : { app: 'other' },
        ...(ownerReferences ? { ownerReferences } : {}),
      },
      spec: { containers: [container], terminationGracePeriodSeconds: 0 },
    });
    if (chance(random, 0.2))
      await client
        .resource('v1/pods')
        .patch({ namespace, name }, { status: { phase: 'Failed' } }, { type: 'merge', subresource: 'status' });
  }
}

async function makeNodes({ client, random, namespace }: World, most: number): Promise<string[]> {
  const names = times(1 + some(random, most - 1)).map((i) => `${namespace}-${i}`);
  for (const name of names) {
    const taints = chance(random, 0.3)
      ? [{ key: 'busy', effect: chance(random, 0.5) ? 'NoSchedule' : 'PreferNoSchedule' }]
      : [];
    await client.resource('v1/nodes').create({ metadata: { name, labels: { pool: namespace } } });
    /** New nodes are tainted as not ready: with that, none would take a pod. */
    await client.resource('v1/nodes').patch({ name }, { spec: { taints } }, { type: 'merge' });
  }
  return names;
}

const nodesOf = async ({ client, namespace }: World) =>
  (await client.resource('v1/nodes').list()).items.filter(({ metadata }) => metadata.name!.startsWith(`${namespace}-`));

/** Ranges that nodes bring along are counted down from here, while the controller gives them out from below. */
let takenRange = 255;

export const PROPERTIES: readonly Property[] = [
  {
    holds: 'a ReplicaSet controls as many active pods as it asks for, strays with its labels among them',
    controllers: ['replicaset-controller', 'replicationcontroller-controller'],
    async arrange(world) {
      const { client, random, namespace } = world;
      await scatterPods(world, { app: 'rs-0' });
      for (const i of times(2))
        await client.resource('apps/v1/replicasets').create({
          metadata: { name: `rs-${i}`, namespace },
          spec: {
            replicas: some(random, 4),
            selector: { matchLabels: { app: `rs-${i}` } },
            template: template({ app: `rs-${i}` }),
          },
        });
      await client.resource('v1/replicationcontrollers').create({
        metadata: { name: 'rc', namespace },
        spec: { replicas: some(random, 3), selector: { app: 'rc' }, template: template({ app: 'rc' }) },
      });
    },
    async wrong(world) {
      const { client, namespace } = world;
      const pods = await podsOf(world);
      const sets = [
        ...(await client.resource('apps/v1/replicasets').list({ namespace })).items,
        ...(await client.resource('v1/replicationcontrollers').list({ namespace })).items,
      ];
      return firstWrong(sets, ({ metadata, spec, status }) =>
        differ(
          metadata.name!,
          [controlledBy(pods, metadata.uid).length, status?.replicas],
          [spec?.replicas, spec?.replicas],
        ),
      );
    },
  },
  {
    holds: 'a Deployment has one ReplicaSet of its template, as large as it asks for',
    controllers: ['deployment-controller', 'replicaset-controller'],
    async arrange({ client, random, namespace }) {
      for (const i of times(1 + some(random, 2))) {
        await client.resource('apps/v1/deployments').create({
          metadata: { name: `d-${i}`, namespace },
          spec: {
            replicas: some(random, 4),
            paused: chance(random, 0.2),
            strategy: { type: chance(random, 0.5) ? 'Recreate' : 'RollingUpdate' },
            selector: { matchLabels: { app: `d-${i}` } },
            template: template({ app: `d-${i}` }),
          },
        });
      }
    },
    async wrong(world) {
      const { client, namespace } = world;
      const sets = (await client.resource('apps/v1/replicasets').list({ namespace })).items;
      return firstWrong(
        (await client.resource('apps/v1/deployments').list({ namespace })).items,
        ({ metadata, spec, status }) => {
          if (spec?.paused) return differ(`${metadata.name} observed`, status?.observedGeneration, metadata.generation);
          const own = sets.filter(({ metadata: set }) => set.ownerReferences?.[0]?.uid === metadata.uid);
          return differ(
            metadata.name!,
            [own.length, own[0]?.spec?.replicas, status?.replicas ?? 0],
            [1, spec?.replicas, spec?.replicas],
          );
        },
      );
    },
  },
  {
    holds: 'a parallel StatefulSet has the pods of its ordinals and no others',
    controllers: ['statefulset-controller'],
    async arrange({ client, random, namespace }) {
      const start = some(random, 3);
      await client.resource('apps/v1/statefulsets').create({
        metadata: { name: 'web', namespace },
        spec: {
          serviceName: 'web',
          podManagementPolicy: 'Parallel',
          replicas: some(random, 4),
          ordinals: { start },
          selector: { matchLabels: { app: 'web' } },
          template: template({ app: 'web' }),
        },
      });
      if (chance(random, 0.5))
        await client.resource('v1/pods').create({
          metadata: { name: `web-${start}`, namespace, labels: { app: 'web' } },
          spec: { containers: [container] },
        });
    },
    async wrong(world) {
      const set = await world.client.resource('apps/v1/statefulsets').get({ namespace: world.namespace, name: 'web' });
      const wanted = times(set.spec!.replicas!).map((i) => `web-${i + (set.spec!.ordinals?.start ?? 0)}`);
      const found = controlledBy(await podsOf(world), set.metadata.uid).map(({ metadata }) => metadata.name);
      return differ('pods', sorted(found), sorted(wanted));
    },
  },
  {
    holds: 'a DaemonSet has one pod for every node that takes it',
    controllers: ['daemonset-controller'],
    async arrange(world) {
      await makeNodes(world, 4);
      await world.client.resource('apps/v1/daemonsets').create({
        metadata: { name: 'ds', namespace: world.namespace },
        spec: {
          selector: { matchLabels: { app: 'ds' } },
          template: {
            metadata: { labels: { app: 'ds' } },
            spec: { nodeSelector: { pool: world.namespace }, containers: [container] },
          },
        },
      });
    },
    async wrong(world) {
      const set = await world.client.resource('apps/v1/daemonsets').get({ namespace: world.namespace, name: 'ds' });
      const takes = (await nodesOf(world)).filter(
        ({ spec }) => !spec?.taints?.some(({ effect }) => effect === 'NoSchedule'),
      ).length;
      return differ(
        'pods',
        [controlledBy(await podsOf(world), set.metadata.uid).length, set.status?.desiredNumberScheduled],
        [takes, takes],
      );
    },
  },
  {
    holds: 'a Job runs as many pods as it may at once, a suspended one none',
    controllers: ['job-controller'],
    async arrange({ client, random, namespace }) {
      for (const i of times(2))
        await client.resource('batch/v1/jobs').create({
          metadata: { name: `j-${i}`, namespace },
          spec: {
            completions: 1 + some(random, 4),
            parallelism: some(random, 4),
            suspend: chance(random, 0.3),
            template: { spec: { restartPolicy: 'Never', containers: [container] } },
          },
        });
    },
    async wrong(world) {
      const pods = await podsOf(world);
      return firstWrong(
        (await world.client.resource('batch/v1/jobs').list({ namespace: world.namespace })).items,
        ({ metadata, spec, status }) => {
          const wanted = spec!.suspend ? 0 : Math.min(spec!.parallelism!, spec!.completions!);
          return differ(
            metadata.name!,
            [controlledBy(pods, metadata.uid).length, status?.active ?? 0],
            [wanted, wanted],
          );
        },
      );
    },
  },
  {
    holds: 'a CronJob has made a Job when its time has come, a suspended one none',
    controllers: ['cronjob-controller'],
    async arrange({ client, random, namespace }) {
      for (const i of times(2))
        await client.resource('batch/v1/cronjobs').create({
          metadata: { name: `cj-${i}`, namespace },
          spec: {
            schedule: '* * * * *',
            suspend: chance(random, 0.4),
            concurrencyPolicy: 'Forbid',
            jobTemplate: { spec: { template: { spec: { restartPolicy: 'Never', containers: [container] } } } },
          },
        });
    },
    async wrong({ client, namespace }) {
      const jobs = (await client.resource('batch/v1/jobs').list({ namespace })).items;
      return firstWrong((await client.resource('batch/v1/cronjobs').list({ namespace })).items, ({ metadata, spec }) =>
        differ(
          metadata.name!,
          jobs.filter(({ metadata: job }) => job.ownerReferences?.[0]?.uid === metadata.uid).length,
          spec!.suspend ? 0 : 1,
        ),
      );
    },
    limitMs: 150_000,
  },
  {
    holds: 'a budget counts the pods that it selects',
    controllers: ['disruption-controller'],
    async arrange(world) {
      await scatterPods(world, { app: 'pdb' });
      await world.client.resource('policy/v1/poddisruptionbudgets').create({
        metadata: { name: 'pdb', namespace: world.namespace },
        spec: { minAvailable: some(world.random, 2), selector: { matchLabels: { app: 'pdb' } } },
      });
    },
    async wrong(world) {
      const { metadata, status } = await world.client
        .resource('policy/v1/poddisruptionbudgets')
        .get({ namespace: world.namespace, name: 'pdb' });
      return differ(
        'observed',
        [status?.observedGeneration, status?.disruptionsAllowed, status?.currentHealthy],
        [metadata.generation, 0, 0],
      );
    },
  },
  {
    holds: 'slices and endpoints list the ready pods of a Service',
    controllers: ['endpointslice-controller', 'endpoints-controller'],
    async arrange({ client, random, namespace }) {
      for (const i of times(some(random, 5))) {
        const name = `p-${i}`;
        await client.resource('v1/pods').create({
          metadata: { name, namespace, labels: { app: chance(random, 0.7) ? 's' : 'other' } },
          spec: { containers: [container] },
        });
        const ip = `10.7.0.${i + 1}`;
        if (chance(random, 0.8))
          await client.resource('v1/pods').patch(
            { namespace, name },
            {
              status: {
                phase: 'Running',
                podIP: ip,
                podIPs: [{ ip }],
                conditions: [
                  {
                    type: 'Ready',
                    status: chance(random, 0.7) ? 'True' : 'False',
                    lastTransitionTime: '2026-01-01T00:00:00Z',
                  },
                ],
              },
            },
            { type: 'merge', subresource: 'status' },
          );
      }
      await client
        .resource('v1/services')
        .create({ metadata: { name: 's', namespace }, spec: { selector: { app: 's' }, ports: [{ port: 80 }] } });
    },
    async wrong(world) {
      const { client, namespace } = world;
      const ready = (await podsOf(world))
        .filter(
          ({ metadata, status }) =>
            metadata.labels?.['app'] === 's' &&
            status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True'),
        )
        .map(({ status }) => status!.podIP!)
        .sort();
      const slices = (
        await client
          .resource('discovery.k8s.io/v1/endpointslices')
          .list({ namespace, labelSelector: 'kubernetes.io/service-name=s' })
      ).items;
      const listed = slices
        .flatMap(({ endpoints }) => endpoints ?? [])
        .filter(({ conditions }) => conditions?.ready)
        .flatMap(({ addresses }) => addresses);
      const endpoints = (await client.resource('v1/endpoints').list({ namespace })).items.find(
        ({ metadata }) => metadata.name === 's',
      );
      const addresses = (endpoints?.subsets ?? []).flatMap((subset) => subset.addresses ?? []).map(({ ip }) => ip);
      return slices.length === 0
        ? 'there is no slice'
        : (differ('slices', listed.sort(), ready) ?? differ('endpoints', addresses.sort(), ready));
    },
  },
  {
    holds: 'Endpoints that somebody wrote are mirrored',
    controllers: ['endpointslice-mirroring-controller'],
    async arrange({ client, random, namespace }) {
      await client
        .resource('v1/services')
        .create({ metadata: { name: 'm', namespace }, spec: { ports: [{ port: 80 }] } });
      await client.resource('v1/endpoints').create({
        metadata: { name: 'm', namespace },
        subsets: [
          { addresses: times(1 + some(random, 5)).map((i) => ({ ip: `10.8.0.${i + 1}` })), ports: [{ port: 80 }] },
        ],
      });
    },
    async wrong({ client, namespace }) {
      const wanted = (await client.resource('v1/endpoints').get({ namespace, name: 'm' })).subsets![0]!.addresses!
        .length;
      const slices = (await client.resource('discovery.k8s.io/v1/endpointslices').list({ namespace })).items;
      return differ('mirrored', slices.flatMap(({ endpoints }) => endpoints ?? []).length, wanted);
    },
  },
  {
    holds: 'a namespace that is deleted goes with everything in it',
    controllers: ['namespace-controller'],
    async arrange({ client, random, namespace }) {
      for (const i of times(some(random, 5)))
        await client.resource('v1/configmaps').create({ metadata: { name: `c-${i}`, namespace } });
      for (const i of times(some(random, 3)))
        await client
          .resource('v1/pods')
          .create({ metadata: { name: `p-${i}`, namespace }, spec: { containers: [container] } });
      await client.resource('v1/namespaces').delete({ name: namespace });
    },
    async wrong({ client, namespace }) {
      return (await client.resource('v1/namespaces').list()).items.some(({ metadata }) => metadata.name === namespace)
        ? 'it is there'
        : undefined;
    },
  },
  {
    holds: 'what belongs only to owners that are gone goes, everything else stays',
    controllers: ['garbage-collector-controller'],
    async arrange({ client, random, namespace }) {
      const owner = await client.resource('v1/configmaps').create({ metadata: { name: 'owner', namespace } });
      const reference = (uid: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid });
      for (const i of times(1 + some(random, 6))) {
        const [alive, gone] = [chance(random, 0.5), chance(random, 0.5)];
        const ownerReferences = [
          ...(alive ? [reference(owner.metadata.uid!)] : []),
          ...(gone ? [{ ...reference(`gone-${i}`), name: 'gone' }] : []),
        ];
        await client.resource('v1/secrets').create({
          metadata: {
            name: `${gone && !alive ? 'goes' : 'stays'}-${i}`,
            namespace,
            ...(ownerReferences.length > 0 ? { ownerReferences } : {}),
          },
        });
      }
      await client
        .resource('v1/configmaps')
        .create({ metadata: { name: 'stays', namespace, annotations: { made: String(some(random, 100)) } } });
    },
    async wrong({ client, namespace }) {
      const names = (await client.resource('v1/secrets').list({ namespace })).items;
      const late = names.find(({ metadata }) => metadata.name!.startsWith('goes'));
      const half = names.find(({ metadata }) => metadata.ownerReferences?.some(({ name }) => name === 'gone'));
      return late
        ? `${late.metadata.name} is there`
        : half
          ? `${half.metadata.name} still names an owner that is gone`
          : undefined;
    },
  },
  {
    holds: 'every namespace has its default account and the root certificate',
    controllers: ['serviceaccount-controller', 'root-ca-certificate-publisher-controller'],
    config: { rootCa: 'the authority' },
    async arrange({ client, random, namespace }) {
      if (chance(random, 0.5))
        await client.resource('v1/configmaps').apply(
          {
            apiVersion: 'v1',
            kind: 'ConfigMap',
            metadata: { name: 'kube-root-ca.crt', namespace },
            data: { 'ca.crt': 'an old one' },
          },
          { fieldManager: 'somebody', force: true },
        );
    },
    async wrong({ client, namespace }) {
      const accounts = (await client.resource('v1/serviceaccounts').list({ namespace })).items.map(
        ({ metadata }) => metadata.name,
      );
      const maps = (await client.resource('v1/configmaps').list({ namespace })).items.find(
        ({ metadata }) => metadata.name === 'kube-root-ca.crt',
      );
      return differ('account and certificate', [accounts, maps?.data?.['ca.crt']], [['default'], 'the authority']);
    },
  },
  {
    holds: 'a quota says how many there are',
    controllers: ['resourcequota-controller'],
    /** What is created is counted on its way in, where there is a quota; what was there before is counted anew only now and then. */
    config: { resourceQuotaSyncPeriodMs: 60_000 },
    async arrange({ client, random, namespace }) {
      for (const i of times(some(random, 6)))
        await client.resource('v1/configmaps').create({ metadata: { name: `c-${i}`, namespace } });
      await client
        .resource('v1/resourcequotas')
        .create({ metadata: { name: 'q', namespace }, spec: { hard: { 'count/configmaps': '20', pods: '5' } } });
    },
    async wrong({ client, namespace }) {
      const count = (await client.resource('v1/configmaps').list({ namespace })).items.length;
      const { status } = await client.resource('v1/resourcequotas').get({ namespace, name: 'q' });
      return differ('used', [status?.used?.['count/configmaps'], status?.used?.['pods']], [String(count), '0']);
    },
  },
  {
    holds: 'claims and volumes are bound in pairs, and no claim waits beside a volume that fits',
    controllers: ['persistentvolume-binder-controller'],
    async arrange({ client, random, namespace }) {
      const size = (): string => `${1 + some(random, 3)}Gi`;
      for (const i of times(1 + some(random, 3)))
        await client.resource('v1/persistentvolumes').create({
          metadata: { name: `${namespace}-${i}` },
          spec: {
            capacity: { storage: size() },
            accessModes: ['ReadWriteOnce'],
            storageClassName: namespace,
            hostPath: { path: '/x' },
          },
        });
      for (const i of times(1 + some(random, 3)))
        await client.resource('v1/persistentvolumeclaims').create({
          metadata: { name: `c-${i}`, namespace },
          spec: {
            accessModes: ['ReadWriteOnce'],
            storageClassName: namespace,
            resources: { requests: { storage: size() } },
          },
        });
    },
    async wrong({ client, namespace }) {
      const volumes = (await client.resource('v1/persistentvolumes').list()).items.filter(
        ({ spec }) => spec?.storageClassName === namespace,
      );
      const claims = (await client.resource('v1/persistentvolumeclaims').list({ namespace })).items;
      const gibibytes = (text: string | undefined): number => Number(text?.replace('Gi', ''));
      const free = volumes.filter(({ status }) => status?.phase !== 'Bound');
      return firstWrong(claims, ({ metadata, spec, status }) => {
        if (status?.phase === 'Bound') {
          const volume = volumes.find(({ metadata: { name } }) => name === spec?.volumeName);
          return differ(metadata.name!, [volume?.spec?.claimRef?.uid, volume?.status?.phase], [metadata.uid, 'Bound']);
        }
        const fits = free.find(
          (volume) =>
            gibibytes(volume.spec?.capacity?.['storage']) >= gibibytes(spec?.resources?.requests?.['storage']),
        );
        return fits ? `${metadata.name} waits beside ${fits.metadata.name}` : undefined;
      });
    },
    limitMs: 120_000,
  },
  {
    holds: 'a claim that is deleted stays while a pod uses it, and goes otherwise',
    controllers: ['persistentvolumeclaim-protection-controller'],
    async arrange({ client, random, namespace }) {
      for (const i of times(1 + some(random, 3))) {
        const used = chance(random, 0.5);
        const name = `${used ? 'used' : 'free'}-${i}`;
        await client.resource('v1/persistentvolumeclaims').create({
          metadata: { name, namespace },
          spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
        });
        if (used)
          await client.resource('v1/pods').create({
            metadata: { name, namespace },
            spec: {
              nodeName: 'n',
              containers: [container],
              volumes: [{ name: 'v', persistentVolumeClaim: { claimName: name } }],
            },
          });
        await client.resource('v1/persistentvolumeclaims').delete({ namespace, name });
      }
    },
    async wrong(world) {
      const claims = (
        await world.client.resource('v1/persistentvolumeclaims').list({ namespace: world.namespace })
      ).items.map(({ metadata }) => metadata.name);
      const wanted = (await podsOf(world)).map(({ metadata }) => metadata.name);
      return differ('claims', sorted(claims), sorted(wanted));
    },
  },
  {
    holds: 'nodes that are silent are unknown, and get no new pods',
    controllers: ['node-lifecycle-controller'],
    async arrange(world) {
      for (const name of await makeNodes(world, 4)) {
        if (chance(world.random, 0.5))
          await world.client.resource('v1/nodes').patch(
            { name },
            {
              status: {
                conditions: [
                  {
                    type: 'Ready',
                    status: 'True',
                    lastHeartbeatTime: '2026-01-01T00:00:00Z',
                    lastTransitionTime: '2026-01-01T00:00:00Z',
                  },
                ],
              },
            },
            { type: 'merge', subresource: 'status' },
          );
      }
    },
    async wrong(world) {
      return firstWrong(await nodesOf(world), ({ metadata, spec, status }) => {
        const isTainted = (spec?.taints ?? []).some(
          ({ key, effect }) => key === 'node.kubernetes.io/unreachable' && effect === 'NoSchedule',
        );
        return differ(
          metadata.name!,
          [status?.conditions?.find(({ type }) => type === 'Ready')?.status, isTainted],
          ['Unknown', true],
        );
      });
    },
    limitMs: 300_000,
  },
  {
    holds: 'pods leave nodes with a NoExecute taint, unless they tolerate it',
    controllers: ['taint-eviction-controller'],
    async arrange({ client, random, namespace }) {
      await client.resource('v1/nodes').create({
        metadata: { name: `${namespace}-0` },
        spec: { taints: [{ key: 'out', effect: 'NoExecute', timeAdded: '2026-01-01T00:00:00Z' }] },
      });
      for (const i of times(1 + some(random, 4))) {
        const tolerates = chance(random, 0.5);
        await client.resource('v1/pods').create({
          metadata: { name: `${tolerates ? 'stays' : 'leaves'}-${i}`, namespace },
          spec: {
            nodeName: `${namespace}-0`,
            terminationGracePeriodSeconds: 0,
            containers: [container],
            ...(tolerates ? { tolerations: [{ key: 'out', operator: 'Exists' }] } : {}),
          },
        });
      }
    },
    async wrong(world) {
      const late = (await podsOf(world)).find(
        ({ metadata }) => metadata.name!.startsWith('leaves') && metadata.deletionTimestamp === undefined,
      );
      return late && `${late.metadata.name} is there`;
    },
  },
  {
    holds: 'every node has a range of its own',
    controllers: ['node-ipam-controller'],
    config: { clusterCidr: '10.128.0.0/16' },
    async arrange(world) {
      await makeNodes(world, 6);
      if (chance(world.random, 0.5))
        await world.client
          .resource('v1/nodes')
          .create({ metadata: { name: `${world.namespace}-has` }, spec: { podCIDR: `10.128.${takenRange--}.0/24` } });
    },
    async wrong(world) {
      const ranges = (await world.client.resource('v1/nodes').list()).items.map(({ spec }) => spec?.podCIDR);
      return ranges.includes(undefined)
        ? 'a node has none'
        : new Set(ranges).size < ranges.length
          ? `two nodes share one: ${ranges.join()}`
          : undefined;
    },
  },
  {
    holds: 'pods of nodes that are gone go',
    controllers: ['pod-garbage-collector-controller'],
    async arrange({ client, random, namespace }) {
      await client.resource('v1/nodes').create({ metadata: { name: `${namespace}-0` } });
      for (const i of times(1 + some(random, 4))) {
        const gone = chance(random, 0.5);
        await client.resource('v1/pods').create({
          metadata: { name: `${gone ? 'lost' : 'well'}-${i}`, namespace },
          spec: { nodeName: gone ? `${namespace}-nowhere` : `${namespace}-0`, containers: [container] },
        });
      }
    },
    async wrong(world) {
      const lost = (await podsOf(world)).find(({ metadata }) => metadata.name!.startsWith('lost'));
      return lost && `${lost.metadata.name} is there`;
    },
    limitMs: 300_000,
  },
  {
    holds: 'an aggregated role has the rules of those that it selects',
    controllers: ['clusterrole-aggregation-controller'],
    async arrange({ client, random, namespace }) {
      const roles = client.resource('rbac.authorization.k8s.io/v1/clusterroles');
      for (const i of times(some(random, 4)))
        await roles.create({
          metadata: { name: `${namespace}-${i}`, labels: { into: chance(random, 0.7) ? namespace : 'nothing' } },
          rules: [{ apiGroups: [''], resources: [`things-${i}`], verbs: ['get'] }],
        });
      await roles.create({
        metadata: { name: `${namespace}-all` },
        aggregationRule: { clusterRoleSelectors: [{ matchLabels: { into: namespace } }] },
        rules: [],
      });
    },
    async wrong({ client, namespace }) {
      const roles = (await client.resource('rbac.authorization.k8s.io/v1/clusterroles').list()).items;
      const wanted = roles
        .filter(({ metadata }) => metadata.labels?.['into'] === namespace)
        .flatMap(({ rules }) => rules ?? [])
        .map(({ resources }) => resources![0]);
      const all = roles.find(({ metadata }) => metadata.name === `${namespace}-all`);
      return differ('rules', sorted((all?.rules ?? []).map(({ resources }) => resources![0])), sorted(wanted));
    },
  },
  {
    holds: 'bootstrap tokens whose time is over go',
    controllers: ['token-cleaner-controller'],
    async arrange({ client, random, namespace }) {
      for (const i of times(1 + some(random, 3))) {
        const expired = chance(random, 0.5);
        await client.resource('v1/secrets').create({
          metadata: { name: `${expired ? 'old' : 'new'}-${namespace}-${i}`, namespace: 'kube-system' },
          type: 'bootstrap.kubernetes.io/token',
          stringData: {
            'token-id': 'abcdef',
            'token-secret': '0123456789abcdef',
            expiration: expired ? '2020-01-01T00:00:00Z' : '2099-01-01T00:00:00Z',
          },
        });
      }
    },
    async wrong({ client, namespace }) {
      const old = (await client.resource('v1/secrets').list({ namespace: 'kube-system' })).items.find(({ metadata }) =>
        metadata.name!.startsWith(`old-${namespace}`),
      );
      return old && `${old.metadata.name} is there`;
    },
  },
  {
    holds: 'a pod with an ephemeral volume has the claim for it',
    controllers: ['ephemeral-volume-controller'],
    async arrange({ client, random, namespace }) {
      for (const i of times(1 + some(random, 3))) {
        const volumes = chance(random, 0.7)
          ? [
              {
                name: 'v',
                ephemeral: {
                  volumeClaimTemplate: {
                    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
                  },
                },
              },
            ]
          : [];
        await client
          .resource('v1/pods')
          .create({ metadata: { name: `p-${i}`, namespace }, spec: { containers: [container], volumes } });
      }
    },
    async wrong(world) {
      const wanted = (await podsOf(world))
        .filter(({ spec }) => spec?.volumes?.some(({ ephemeral }) => ephemeral))
        .map(({ metadata }) => `${metadata.name}-v`);
      const claims = (
        await world.client.resource('v1/persistentvolumeclaims').list({ namespace: world.namespace })
      ).items.map(({ metadata }) => metadata.name);
      return differ('claims', sorted(claims), sorted(wanted));
    },
  },
  {
    holds: 'nodes are told how long they may keep what they read',
    controllers: ['ttl-controller'],
    arrange: async (world) => void (await makeNodes(world, 4)),
    async wrong(world) {
      return firstWrong(await nodesOf(world), ({ metadata }) =>
        differ(metadata.name!, metadata.annotations?.['node.alpha.kubernetes.io/ttl'], '0'),
      );
    },
  },
  {
    holds: 'policies are looked at in the version that they have now',
    controllers: ['validatingadmissionpolicy-status-controller'],
    async arrange({ client, random, namespace }) {
      for (const i of times(1 + some(random, 2)))
        await client.resource('admissionregistration.k8s.io/v1/validatingadmissionpolicies').create({
          metadata: { name: `${namespace}-${i}` },
          spec: {
            matchConstraints: {
              resourceRules: [
                { apiGroups: ['apps'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['deployments'] },
              ],
            },
            validations: [{ expression: chance(random, 0.5) ? 'object.spec.replicas < 5' : 'object.nothing == 1' }],
          },
        });
    },
    async wrong({ client, namespace }) {
      const policies = (
        await client.resource('admissionregistration.k8s.io/v1/validatingadmissionpolicies').list()
      ).items.filter(({ metadata }) => metadata.name!.startsWith(namespace));
      return firstWrong(policies, ({ metadata, status }) =>
        differ(metadata.name!, status?.observedGeneration, metadata.generation),
      );
    },
  },
];
