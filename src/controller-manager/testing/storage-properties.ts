/** What must hold of volumes, claims and devices; see `testing-properties.ts`. */
import { STANDARD_CLASS } from '../host-path-provisioner/host-path-provisioner.ts';
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

const volumesOf = async ({ client, namespace }: World) =>
  (await client.resource('v1/persistentvolumes').list()).items.filter(
    ({ metadata, spec }) => metadata.name!.startsWith(`${namespace}-`) || spec?.claimRef?.namespace === namespace,
  );
const claimSpec = (storageClassName?: string) => ({
  accessModes: ['ReadWriteOnce'],
  ...(storageClassName === undefined ? {} : { storageClassName }),
  resources: { requests: { storage: '1Gi' } },
});
const deviceTemplate = { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'c' } }] } };

async function makeVolume({ client, namespace }: World, name: string): Promise<void> {
  const spec = {
    capacity: { storage: '1Gi' },
    accessModes: ['ReadWriteOnce'],
    storageClassName: name,
    csi: { driver: 'example.com', volumeHandle: name },
  };
  await client.resource('v1/persistentvolumes').create({ metadata: { name }, spec });
  await client.resource('v1/persistentvolumeclaims').create({ metadata: { name, namespace }, spec: claimSpec(name) });
}

/** A claim that a pod holds, with the device that it was given. */
async function makeHeldClaim({ client, namespace }: World, name: string, device: string): Promise<void> {
  const { metadata } = await client.resource('v1/pods').create({
    metadata: { name, namespace },
    spec: {
      terminationGracePeriodSeconds: 0,
      resourceClaims: [{ name: 'dev', resourceClaimName: name }],
      containers: [{ ...container, resources: { claims: [{ name: 'dev' }] } }],
    },
  });
  await client.resource('resource.k8s.io/v1/resourceclaims').create({
    metadata: { name, namespace, finalizers: ['resource.kubernetes.io/delete-protection'] },
    spec: deviceTemplate,
  });
  const status = {
    allocation: { devices: { results: [{ request: 'r', driver: 'example.com', pool: namespace, device }] } },
    reservedFor: [{ resource: 'pods', name, uid: metadata.uid }],
  };
  await client
    .resource('resource.k8s.io/v1/resourceclaims')
    .patch({ namespace, name }, { status }, { type: 'merge', subresource: 'status' });
}

export const STORAGE_PROPERTIES: readonly Property[] = [
  {
    holds: 'a volume that is deleted stays while it is bound, and goes otherwise',
    controllers: ['persistentvolume-protection-controller'],
    async arrange({ client, random, namespace }) {
      for (const i of times(1 + some(random, 4))) {
        const bound = chance(random, 0.5);
        const leaves = chance(random, 0.7);
        const name = `${namespace}-${bound ? 'bound' : 'free'}-${leaves ? 'leaves' : 'stays'}-${i}`;
        await client.resource('v1/persistentvolumes').create({
          metadata: { name, finalizers: ['kubernetes.io/pv-protection'] },
          spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/x' } },
        });
        await client
          .resource('v1/persistentvolumes')
          .patch(
            { name },
            { status: { phase: bound ? 'Bound' : 'Available' } },
            { type: 'merge', subresource: 'status' },
          );
        if (leaves) await client.resource('v1/persistentvolumes').delete({ name });
      }
    },
    async wrong(world) {
      return firstWrong(await volumesOf(world), ({ metadata: { name = '', finalizers = [] } }) => {
        if (name.includes('free-leaves')) return `${name} is there`;
        return finalizers.includes('kubernetes.io/pv-protection') ? undefined : `${name} is not protected`;
      });
    },
  },
  {
    holds: 'a class of volume attributes that is deleted stays while a claim asks for it',
    controllers: ['volumeattributesclass-protection-controller'],
    async arrange({ client, random, namespace }) {
      for (const i of times(1 + some(random, 4))) {
        const used = chance(random, 0.5);
        const leaves = chance(random, 0.7);
        const name = `${namespace}-${used ? 'used' : 'free'}-${leaves ? 'leaves' : 'stays'}-${i}`;
        await client.resource('storage.k8s.io/v1/volumeattributesclasses').create({
          metadata: { name, ...(leaves ? { finalizers: ['kubernetes.io/vac-protection'] } : {}) },
          driverName: 'example.com',
          parameters: { a: 'b' },
        });
        if (used)
          await client
            .resource('v1/persistentvolumeclaims')
            .create({ metadata: { name, namespace }, spec: { ...claimSpec('x'), volumeAttributesClassName: name } });
        if (leaves) await client.resource('storage.k8s.io/v1/volumeattributesclasses').delete({ name });
      }
    },
    async wrong({ client, namespace }) {
      const classes = (await client.resource('storage.k8s.io/v1/volumeattributesclasses').list()).items.filter(
        ({ metadata }) => metadata.name!.startsWith(`${namespace}-`),
      );
      return firstWrong(classes, ({ metadata: { name = '', finalizers = [] } }) => {
        if (name.includes('free-leaves')) return `${name} is there`;
        return finalizers.includes('kubernetes.io/vac-protection') ? undefined : `${name} is not protected`;
      });
    },
  },
  {
    holds: 'a volume is attached to the node of the pod that uses it, once, and to no other',
    controllers: ['persistentvolume-attach-detach-controller', 'persistentvolume-binder-controller'],
    async arrange(world) {
      const { client, random, namespace } = world;
      await client.resource('v1/nodes').create({
        metadata: {
          name: `${namespace}-0`,
          annotations: { 'volumes.kubernetes.io/controller-managed-attach-detach': 'true' },
        },
      });
      for (const i of times(1 + some(random, 3))) {
        const name = `${namespace}-${i}`;
        await makeVolume(world, name);
        if (chance(random, 0.7))
          await client.resource('v1/pods').create({
            metadata: { name, namespace },
            spec: {
              nodeName: `${namespace}-0`,
              containers: [container],
              volumes: [{ name: 'v', persistentVolumeClaim: { claimName: name } }],
            },
          });
      }
    },
    async wrong(world) {
      const attached = (await world.client.resource('storage.k8s.io/v1/volumeattachments').list()).items.filter(
        ({ spec }) => spec.nodeName === `${world.namespace}-0`,
      );
      return differ(
        'attached',
        sorted(attached.map(({ spec }) => spec.source.persistentVolumeName)),
        sorted((await podsOf(world)).map(({ metadata }) => metadata.name)),
      );
    },
  },
  {
    holds: 'a claim that waits for its volume to grow says so, and names who makes volumes of older kinds grow',
    controllers: ['persistentvolume-expander-controller'],
    countsEvents: true,
    async arrange(world) {
      const { client, random, namespace } = world;
      const claims = client.resource('v1/persistentvolumeclaims');
      await client
        .resource('storage.k8s.io/v1/storageclasses')
        .create({ metadata: { name: namespace }, provisioner: 'example.com/x', allowVolumeExpansion: true });
      for (const i of times(1 + some(random, 4))) {
        const [grows, migrated] = [chance(random, 0.6), chance(random, 0.5)];
        const name = `${grows ? 'grows' : 'fits'}-${migrated ? 'migrated' : 'external'}-${i}`;
        const volumeName = `${namespace}-${i}`;
        const { metadata } = await claims.create({
          metadata: { name, namespace },
          spec: { ...claimSpec(namespace), volumeName },
        });
        const source = migrated
          ? { awsElasticBlockStore: { volumeID: 'vol-1' } }
          : { csi: { driver: 'example.com', volumeHandle: name } };
        await client.resource('v1/persistentvolumes').create({
          metadata: { name: volumeName },
          spec: {
            capacity: { storage: '1Gi' },
            accessModes: ['ReadWriteOnce'],
            storageClassName: namespace,
            claimRef: { namespace, name, uid: metadata.uid! },
            ...source,
          },
        });
        await claims.patch(
          { namespace, name },
          { status: { phase: 'Bound', accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' } } },
          { type: 'merge', subresource: 'status' },
        );
        if (grows)
          await claims.patch(
            { namespace, name },
            { spec: { resources: { requests: { storage: '2Gi' } } } },
            { type: 'merge' },
          );
      }
    },
    async wrong({ client, namespace }) {
      const claims = (await client.resource('v1/persistentvolumeclaims').list({ namespace })).items;
      const told = new Set(
        (await client.resource('v1/events').list({ namespace })).items
          .filter(({ reason }) => reason === 'ExternalExpanding')
          .map(({ involvedObject }) => involvedObject.name),
      );
      return firstWrong(claims, ({ metadata: { name = '', annotations = {} } }) => {
        const grows = name.startsWith('grows');
        return differ(
          name,
          [told.has(name), annotations['volume.kubernetes.io/storage-resizer'] ?? null],
          [grows, grows && name.includes('migrated') ? 'ebs.csi.aws.com' : null],
        );
      });
    },
    /** The drivers have done it. */
    async clear({ client, namespace }) {
      const claims = client.resource('v1/persistentvolumeclaims');
      for (const { metadata, spec } of (await claims.list({ namespace })).items)
        await claims.patch(
          { namespace, name: metadata.name! },
          { status: { capacity: spec?.resources?.requests } },
          { type: 'merge', subresource: 'status' },
        );
    },
  },
  {
    holds: 'every claim of a class that binds at once has a volume of its own',
    controllers: ['host-path-provisioner', 'persistentvolume-binder-controller'],
    config: { hostPathProvisionerDirectory: '/volumes', removeVolumeDirectory: () => Promise.resolve() },
    async arrange({ client, random, namespace }) {
      await once(
        client
          .resource('storage.k8s.io/v1/storageclasses')
          .create({ ...STANDARD_CLASS, volumeBindingMode: 'Immediate' }),
      );
      for (const i of times(1 + some(random, 3)))
        await client
          .resource('v1/persistentvolumeclaims')
          .create({ metadata: { name: `c-${i}`, namespace }, spec: claimSpec('standard') });
    },
    async wrong(world) {
      const claims = (await world.client.resource('v1/persistentvolumeclaims').list({ namespace: world.namespace }))
        .items;
      const unbound = claims.find(({ status }) => status?.phase !== 'Bound');
      return unbound
        ? `${unbound.metadata.name} is not bound`
        : differ(
            'volumes',
            sorted((await volumesOf(world)).map(({ spec }) => spec?.claimRef?.uid)),
            sorted(claims.map(({ metadata }) => metadata.uid)),
          );
    },
  },
  {
    holds: 'a pod that runs has a claim of its template and knows which, one that is done has none',
    controllers: ['resourceclaim-controller'],
    async arrange({ client, random, namespace }) {
      const claims = client.resource('resource.k8s.io/v1/resourceclaims');
      await client
        .resource('resource.k8s.io/v1/resourceclaimtemplates')
        .create({ metadata: { name: 't', namespace }, spec: { spec: deviceTemplate } });
      for (const i of times(1 + some(random, 3))) {
        const name = `p-${i}`;
        const { metadata } = await client.resource('v1/pods').create({
          metadata: { name, namespace },
          spec: {
            resourceClaims: [{ name: 'dev', resourceClaimTemplateName: 't' }],
            containers: [{ ...container, resources: { claims: [{ name: 'dev' }] } }],
          },
        });
        const ownerReferences = [{ apiVersion: 'v1', kind: 'Pod', name, uid: metadata.uid!, controller: true }];
        if (chance(random, 0.3))
          await claims.create({
            metadata: {
              name: `${name}-dev-old`,
              namespace,
              annotations: { 'resource.kubernetes.io/pod-claim-name': 'dev' },
              ownerReferences,
            },
            spec: deviceTemplate,
          });
        if (chance(random, 0.4))
          await client
            .resource('v1/pods')
            .patch({ namespace, name }, { status: { phase: 'Succeeded' } }, { type: 'merge', subresource: 'status' });
      }
    },
    async wrong(world) {
      const claims = (
        await world.client.resource('resource.k8s.io/v1/resourceclaims').list({ namespace: world.namespace })
      ).items;
      return firstWrong(await podsOf(world), ({ metadata, status }) => {
        const own = claims
          .filter((claim) => claim.metadata.ownerReferences?.[0]?.uid === metadata.uid)
          .map((claim) => claim.metadata.name);
        if (status?.phase === 'Succeeded')
          return own.length > 0 ? `${metadata.name} is done and has ${own.join()}` : undefined;
        /** Names are generated: where an answer was lost, or two leaders acted, there may be a claim too many, which goes with the pod. */
        const known = status?.resourceClaimStatuses?.map(({ resourceClaimName }) => resourceClaimName);
        return known?.length === 1 && own.includes(known[0])
          ? undefined
          : `${metadata.name} knows ${String(known)} of ${own.join()}`;
      });
    },
  },
  {
    holds: 'pods leave devices with a NoExecute taint',
    controllers: ['device-taint-eviction-controller'],
    async arrange(world) {
      const { client, random, namespace } = world;
      const devices = [
        { name: 'broken', taints: [{ key: 'broken', effect: 'NoExecute', timeAdded: '2026-01-01T00:00:00Z' }] },
        { name: 'sound' },
      ];
      await client.resource('resource.k8s.io/v1/resourceslices').create({
        metadata: { name: namespace },
        spec: {
          driver: 'example.com',
          nodeName: 'n',
          pool: { name: namespace, generation: 1, resourceSliceCount: 1 },
          devices,
        },
      });
      for (const i of times(1 + some(random, 3))) {
        const broken = chance(random, 0.5);
        await makeHeldClaim(world, `${broken ? 'leaves' : 'stays'}-${i}`, broken ? 'broken' : 'sound');
      }
    },
    async wrong(world) {
      const claims = (
        await world.client.resource('resource.k8s.io/v1/resourceclaims').list({ namespace: world.namespace })
      ).items;
      return differ(
        'pods',
        sorted((await podsOf(world)).map(({ metadata }) => metadata.name)),
        sorted(claims.map(({ metadata }) => metadata.name).filter((name) => name!.startsWith('stays'))),
      );
    },
  },
];
