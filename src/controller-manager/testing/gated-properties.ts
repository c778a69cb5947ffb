/** What must hold of kinds whose APIs are off by default; see `testing-properties.ts`. */
import { createSign, generateKeyPairSync } from 'node:crypto';
import { chance, container, differ, firstWrong, some, sorted, times, type Property } from './properties.ts';

const served = (gate: string): Pick<Property, 'server'> => ({
  server: { servesVersion: () => true, featureGates: { [gate]: true } },
});

const KEYS = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const KEY = KEYS.publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
const PROOF = createSign('sha256').update('u').sign(KEYS.privateKey).toString('base64');

export const GATED_PROPERTIES: readonly Property[] = [
  {
    holds: 'a group of pods that is deleted stays while a pod is in it',
    controllers: ['podgroup-protection-controller'],
    ...served('GenericWorkload'),
    async arrange({ client, random, namespace }) {
      const groups = client.resource('scheduling.k8s.io/v1alpha2/podgroups');
      for (const i of times(2 + some(random, 3))) {
        const used = i > 0 && chance(random, 0.5);
        const leaves = i === 0 || chance(random, 0.7);
        const name = `${used ? 'used' : 'free'}-${leaves ? 'leaves' : 'stays'}-${i}`;
        await groups.create({ metadata: { name, namespace }, spec: { schedulingPolicy: { gang: { minCount: 1 } } } });
        if (used)
          await client.resource('v1/pods').create({
            metadata: { name, namespace },
            spec: { schedulingGroup: { podGroupName: name }, containers: [container] },
          });
        if (leaves) await groups.delete({ namespace, name });
      }
    },
    async wrong({ client, namespace }) {
      const { items } = await client.resource('scheduling.k8s.io/v1alpha2/podgroups').list({ namespace });
      return firstWrong(items, ({ metadata: { name = '', finalizers = [] } }) => {
        if (name.startsWith('free-leaves')) return `${name} is there`;
        return finalizers.length > 0 ? undefined : `${name} is not protected`;
      });
    },
  },
  {
    holds: 'requests for certificates of pods are deleted after a while',
    controllers: ['podcertificaterequest-cleaner-controller'],
    ...served('PodCertificateRequest'),
    limitMs: 30 * 60_000,
    async arrange({ client, random, namespace }) {
      for (const i of times(1 + some(random, 2)))
        await client.resource('certificates.k8s.io/v1beta1/podcertificaterequests').create({
          metadata: { name: `r-${i}`, namespace },
          spec: {
            ...{ signerName: 'example.com/s', podName: 'p', podUID: 'u', serviceAccountName: 'a' },
            ...{ serviceAccountUID: 'v', nodeName: 'n', nodeUID: 'w', stubPKCS10Request: '' },
            ...{ pkixPublicKey: KEY, proofOfPossession: PROOF },
          },
        });
    },
    async wrong({ client, namespace }) {
      const { items } = await client.resource('certificates.k8s.io/v1beta1/podcertificaterequests').list({ namespace });
      return differ('requests', items.length, 0);
    },
  },
  {
    holds: 'every migration ends, one after the other',
    controllers: ['storage-version-migrator-controller'],
    ...served('StorageVersionMigrator'),
    async arrange({ client, random, namespace }) {
      await client.resource('v1/configmaps').create({ metadata: { name: 'm', namespace }, data: { a: 'b' } });
      for (const i of times(1 + some(random, 2)))
        await client.resource('storagemigration.k8s.io/v1beta1/storageversionmigrations').create({
          metadata: { name: `${namespace}-${i}` },
          spec: { resource: { group: '', resource: 'configmaps' } },
        });
    },
    async wrong({ client, namespace }) {
      const { items } = await client.resource('storagemigration.k8s.io/v1beta1/storageversionmigrations').list();
      const own = items.filter(({ metadata }) => metadata.name!.startsWith(`${namespace}-`));
      return firstWrong(own, ({ metadata, status }) =>
        differ(
          metadata.name!,
          Object.fromEntries((status?.conditions ?? []).map((condition) => [condition.type, condition.status])),
          { Succeeded: 'True', Running: 'False' },
        ),
      );
    },
  },
  {
    holds: 'every request for the status of pools is answered with the number of their devices',
    controllers: ['resourcepoolstatusrequest-controller'],
    ...served('DRAResourcePoolStatus'),
    async arrange({ client, random, namespace }) {
      const driver = `${namespace}.example.com`;
      for (const i of times(1 + some(random, 2)))
        await client.resource('resource.k8s.io/v1/resourceslices').create({
          metadata: { name: `${namespace}-${i}` },
          spec: {
            driver,
            nodeName: 'n',
            pool: { name: `pool-${i}`, generation: 1, resourceSliceCount: 1 },
            devices: times(1 + some(random, 3)).map((device) => ({ name: `d-${device}` })),
          },
        });
      await client
        .resource('resource.k8s.io/v1alpha3/resourcepoolstatusrequests')
        .create({ metadata: { name: namespace }, spec: { driver } });
    },
    async wrong({ client, namespace }) {
      const { items } = await client.resource('resource.k8s.io/v1/resourceslices').list();
      const own = items.filter(({ metadata }) => metadata.name!.startsWith(`${namespace}-`));
      const { status } = await client
        .resource('resource.k8s.io/v1alpha3/resourcepoolstatusrequests')
        .get({ name: namespace });
      return differ(
        'devices',
        sorted((status?.pools ?? []).map(({ poolName, totalDevices }) => `${poolName} ${totalDevices}`)),
        sorted(own.map(({ spec }) => `${spec.pool.name} ${spec.devices?.length}`)),
      );
    },
  },
];
