/** Workloads: their pods, statuses, revisions and events. */
import type { Step } from '../../conversation.ts';
import {
  APPS,
  BATCH,
  CORE,
  create,
  events,
  node,
  OWN_NODES,
  patch,
  podSpec,
  remove,
  seen,
  SELECTOR,
  template,
  type Scenario,
} from './steps.ts';

/** No scheduler takes their pods. */
const NOBODY = { schedulerName: 'nobody' };
const all = (...paths: string[]): Step[] => paths.map((path) => seen(path));

export const deployments: Scenario = (random) => {
  const strategy = random.pick([
    { type: 'Recreate' },
    {
      type: 'RollingUpdate',
      rollingUpdate: { maxSurge: random.pick([1, '50%']), maxUnavailable: random.pick([0, 1]) },
    },
  ]);
  const spec = { replicas: random.pick([1, 2, 3]), selector: SELECTOR, template: template(NOBODY), strategy };
  const path = `${APPS}/deployments/d`;
  const seenAll = all(path, `${APPS}/replicasets`, `${CORE}/pods`);
  const changed = {
    spec: { template: { spec: { containers: [{ name: 'c', image: 'registry.test/other' }], ...NOBODY } } },
  };
  return {
    steps: [
      create(`${APPS}/deployments`, { metadata: { name: 'd' }, spec: { ...spec, paused: random.chance(0.2) } }),
      ...seenAll,
      patch(path, { spec: { replicas: random.pick([0, 1, 4]) } }),
      ...seenAll,
      patch(path, random.chance(0.5) ? changed : { spec: { progressDeadlineSeconds: 700, paused: true } }),
      ...seenAll,
      patch(path, { metadata: { annotations: { a: 'b' } }, spec: { paused: false, minReadySeconds: 1 } }),
      ...seenAll,
      events(),
      remove(path, { propagationPolicy: random.pick(['Foreground', 'Background', 'Orphan']) }),
      ...all(`${APPS}/replicasets`, `${CORE}/pods`),
    ],
  };
};

export const statefulSets: Scenario = (random) => {
  const claim = {
    metadata: { name: 'data' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, storageClassName: 'absent' },
  };
  const spec = {
    ...{ replicas: 2, serviceName: 's', selector: SELECTOR, template: template(NOBODY) },
    podManagementPolicy: random.pick(['OrderedReady', 'Parallel']),
    ...(random.chance(0.6) ? { volumeClaimTemplates: [claim] } : {}),
    ...(random.chance(0.5)
      ? {
          persistentVolumeClaimRetentionPolicy: {
            whenDeleted: 'Delete',
            whenScaled: random.pick(['Delete', 'Retain']),
          },
        }
      : {}),
    ...(random.chance(0.3) ? { ordinals: { start: 3 } } : {}),
  };
  const path = `${APPS}/statefulsets/s`;
  const seenAll = all(path, `${CORE}/pods`, `${CORE}/persistentvolumeclaims`, `${APPS}/controllerrevisions`);
  return {
    steps: [
      create(`${APPS}/statefulsets`, { metadata: { name: 's' }, spec }),
      ...seenAll,
      patch(path, { spec: { replicas: random.pick([1, 3]) } }),
      ...seenAll,
      patch(path, { spec: { template: { metadata: { annotations: { a: 'b' } } } } }),
      ...seenAll,
      events(),
    ],
  };
};

export const daemons: Scenario = (random) => {
  const path = `${APPS}/daemonsets/d`;
  const seenAll = all(path, `${CORE}/pods`, `${APPS}/controllerrevisions`);
  const spec = { selector: SELECTOR, template: template({ ...OWN_NODES, ...NOBODY }) };
  const updateStrategy = random.pick([
    { type: 'OnDelete' },
    { type: 'RollingUpdate', rollingUpdate: random.pick([{ maxUnavailable: 1 }, { maxSurge: 1, maxUnavailable: 0 }]) },
  ]);
  return {
    steps: [
      ...node('n1-$RUN'),
      create(`${APPS}/daemonsets`, { metadata: { name: 'd' }, spec: { ...spec, updateStrategy } }),
      ...seenAll,
      ...node('n2-$RUN'),
      ...seenAll,
      patch(path, { spec: { template: { metadata: { annotations: { a: 'b' } } } } }),
      ...seenAll,
      events(),
    ],
    cleanup: ['n1-$RUN', 'n2-$RUN'].map((name) => remove(`/api/v1/nodes/${name}`)),
  };
};

export const jobs: Scenario = (random) => {
  const path = `${BATCH}/jobs/j`;
  const completionMode = random.pick(['Indexed', 'NonIndexed']);
  const spec = {
    ...{ suspend: random.chance(0.5), completions: 2, parallelism: random.pick([1, 2]), completionMode },
    backoffLimit: random.pick([0, 1]),
    ...(completionMode === 'Indexed' && random.chance(0.5) ? { backoffLimitPerIndex: 1, maxFailedIndexes: 1 } : {}),
    ...(completionMode === 'Indexed' && random.chance(0.4)
      ? { successPolicy: { rules: [{ succeededIndexes: '0' }] } }
      : {}),
    template: { spec: podSpec({ ...NOBODY, restartPolicy: 'Never' }) },
  };
  const seenAll = [...all(path, `${CORE}/pods`)];
  const finish = (phase: string): Step[] => [
    {
      method: 'GET',
      path: `${CORE}/pods`,
      setup: true,
      save: { POD: 'items.0.metadata.name' },
    },
    patch(`${CORE}/pods/$POD/status`, { status: { phase } }),
  ];
  return {
    steps: [
      create(`${BATCH}/jobs`, { metadata: { name: 'j' }, spec }),
      ...seenAll,
      patch(path, { spec: { suspend: false } }),
      ...seenAll,
      ...finish(random.pick(['Succeeded', 'Failed'])),
      ...seenAll,
      patch(path, { spec: { suspend: true } }),
      ...seenAll,
      patch(path, { spec: { suspend: false } }),
      ...seenAll,
      create(`${BATCH}/cronjobs`, {
        metadata: { name: 'c' },
        spec: { schedule: '0 0 1 1 *', suspend: random.chance(0.5), jobTemplate: { spec } },
      }),
      seen(`${BATCH}/cronjobs/c`),
      events(),
    ],
  };
};

export const policies: Scenario = (random) => {
  const group = '/apis/policy/v1/namespaces/$NS/poddisruptionbudgets';
  const spec = random.pick([
    { minAvailable: random.pick([0, 1, '50%']) },
    { maxUnavailable: random.pick([0, 1, '50%']) },
  ]);
  const alone = { metadata: { name: 'alone', labels: { app: 'a' } }, spec: podSpec(NOBODY) };
  const owned = random.chance(0.5);
  return {
    steps: [
      create(group, { metadata: { name: 'empty' }, spec: { selector: { matchLabels: { no: 'pod' } }, ...spec } }),
      owned
        ? create(`${APPS}/replicasets`, {
            metadata: { name: 'r' },
            spec: { replicas: 2, selector: SELECTOR, template: template(NOBODY) },
          })
        : create(`${CORE}/pods`, alone),
      create(group, { metadata: { name: 'p' }, spec: { selector: SELECTOR, ...spec } }),
      seen(group),
      { method: 'GET', path: `${CORE}/pods`, setup: true, save: { POD: 'items.0.metadata.name' } },
      patch(`${CORE}/pods/$POD/status`, {
        status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
      }),
      seen(group),
      {
        method: 'POST',
        path: `${CORE}/pods/$POD/eviction`,
        body: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: '$POD' } },
      },
      seen(group),
      events(),
    ],
  };
};
