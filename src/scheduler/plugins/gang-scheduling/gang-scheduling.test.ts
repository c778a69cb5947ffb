import { afterEach, beforeEach, expect, test } from 'vitest';
import { defineResource, type ApiObject } from '../../../client/index.ts';
import { makeNode, makePod, startSchedulerFixture, type SchedulerFixture } from '../../testing/index.ts';
import { POD_GROUP_LABEL } from './pod-group.ts';

let fixture: SchedulerFixture;

const podGroups = defineResource<ApiObject & { spec: { minMember: number; scheduleTimeoutSeconds?: number } }>({
  group: 'scheduling.x-k8s.io',
  version: 'v1alpha1',
  plural: 'podgroups',
  kind: 'PodGroup',
  namespaced: true,
});

beforeEach(async () => {
  fixture = await startSchedulerFixture();
  const { client } = fixture;
  await client.resource('apiextensions.k8s.io/v1/customresourcedefinitions').create({
    metadata: {
      name: 'podgroups.scheduling.x-k8s.io',
      annotations: { 'api-approved.kubernetes.io': 'https://github.com/kubernetes-sigs/scheduler-plugins/pull/50' },
    },
    spec: {
      group: 'scheduling.x-k8s.io',
      scope: 'Namespaced',
      names: { plural: 'podgroups', singular: 'podgroup', kind: 'PodGroup' },
      versions: [
        {
          name: 'v1alpha1',
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        },
      ],
    },
  });
  await client.resource('rbac.authorization.k8s.io/v1/clusterroles').create({
    metadata: { name: 'gangs' },
    rules: [
      { apiGroups: ['scheduling.x-k8s.io'], resources: ['podgroups'], verbs: ['get', 'list', 'watch'] },
      { apiGroups: ['scheduling.x-k8s.io'], resources: ['podgroups/status'], verbs: ['patch'] },
    ],
  });
  await client.resource('rbac.authorization.k8s.io/v1/clusterrolebindings').create({
    metadata: { name: 'gangs' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'gangs' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'system:kube-scheduler' }],
  });
  await fixture.advance(2_000);
  await fixture.start();
});

afterEach(() => fixture.stop());

const gang = async (name: string, minMember: number): Promise<void> => {
  await fixture.until(`group ${name} is there`, async () => {
    try {
      await fixture.client
        .resource(podGroups)
        .create({ metadata: { namespace: 'default', name }, spec: { minMember } });
      return true;
    } catch {
      return false;
    }
  });
};
const member = (group: string, i: number) =>
  makePod(`${group}-${i}`).label(POD_GROUP_LABEL, group).requests({ cpu: '1' });

async function boundOf(group: string): Promise<number> {
  const { items } = await fixture.client
    .resource('v1/pods')
    .list({ namespace: 'default', labelSelector: `${POD_GROUP_LABEL}=${group}` });
  return items.filter((pod) => pod.spec?.nodeName).length;
}

async function phaseOf(group: string): Promise<string | undefined> {
  const object = (await fixture.client.resource(podGroups).get({ namespace: 'default', name: group })) as {
    status?: { phase?: string };
  };
  return object.status?.phase;
}

test('no pod is bound before enough members exist, then all are', async () => {
  await fixture.createNode(makeNode('n').allocatable({ cpu: '8' }));
  await gang('g', 3);
  for (const i of [0, 1]) await fixture.createPod(member('g', i));
  await fixture.advance(10_000);
  expect(await boundOf('g')).toBe(0);
  await fixture.createPod(member('g', 2));
  await fixture.until('all three are bound', async () => (await boundOf('g')) === 3);
  await fixture.until('the group says so', async () => (await phaseOf('g')) === 'Scheduled');
});

test('a gang that does not fit does not block others, and is scheduled when there is room', async () => {
  await fixture.createNode(makeNode('n').allocatable({ cpu: '2' }));
  await gang('g', 3);
  for (const i of [0, 1, 2]) await fixture.createPod(member('g', i));
  await fixture.advance(3_000);
  await fixture.createPod(makePod('alone').requests({ cpu: '2' }));
  expect(await fixture.placed('alone')).toBe('n');
  expect(await boundOf('g')).toBe(0);
  expect(await phaseOf('g')).toBe('Scheduling');
  await fixture.createNode(makeNode('m').allocatable({ cpu: '4' }));
  await fixture.until('all three are bound', async () => (await boundOf('g')) === 3);
});

test('two gangs that fit separately but not together do not block each other', async () => {
  await fixture.stopScheduler();
  for (const name of ['n', 'm']) await fixture.createNode(makeNode(name).allocatable({ cpu: '3' }));
  for (const group of ['a', 'b']) await gang(group, 4);
  /** Interleaved, so that each would hold half. */
  for (let i = 0; i < 4; i++) for (const group of ['a', 'b']) await fixture.createPod(member(group, i));
  await fixture.start();
  let first = '';
  await fixture.until('one of them is bound', async () => {
    for (const group of ['a', 'b']) if ((await boundOf(group)) === 4) first = group;
    return first !== '';
  });
  const second = first === 'a' ? 'b' : 'a';
  await fixture.advance(5_000);
  expect(await boundOf(second)).toBe(0);
  for (let i = 0; i < 4; i++)
    await fixture.client
      .resource('v1/pods')
      .delete({ namespace: 'default', name: `${first}-${i}` }, { gracePeriodSeconds: 0 });
  await fixture.until('the other one is bound', async () => (await boundOf(second)) === 4, 60_000);
});
