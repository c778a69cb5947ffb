/** Work on Deployments, StatefulSets, DaemonSets, Jobs and CronJobs. */
import { container, name, namespace, operation, replicas } from './operation.ts';

const template = (app: string, image: string, cpu?: string): object => ({
  metadata: { labels: { app } },
  spec: { terminationGracePeriodSeconds: 2, containers: [container(image, cpu)] },
});

const merge = { type: 'merge' } as const;

export const workloads = {
  'create-deployment': operation({
    weight: 6,
    draw: (random) => ({
      namespace: namespace(random),
      name: name(random, 'web'),
      replicas: replicas(random),
      maxUnavailable: random.integer(2),
    }),
    run: (client, { namespace, name, replicas, maxUnavailable }) =>
      client.resource('apps/v1/deployments').create({
        metadata: { namespace, name },
        spec: {
          replicas,
          selector: { matchLabels: { app: name } },
          strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable, maxSurge: 1 } },
          template: template(name, 'web:0'),
        },
      }),
  }),
  'roll-deployment': operation({
    weight: 4,
    draw: (random) => ({ namespace: namespace(random), name: name(random, 'web'), version: random.integer(3) }),
    run: (client, { namespace, name, version }) =>
      client
        .resource('apps/v1/deployments')
        .patch(
          { namespace, name },
          { spec: { template: { spec: { containers: [{ name: 'main', image: `web:${version}` }] } } } },
          { type: 'strategic' },
        ),
  }),
  'scale-deployment': operation({
    weight: 4,
    draw: (random) => ({ namespace: namespace(random), name: name(random, 'web'), replicas: replicas(random) }),
    run: (client, { namespace, name, replicas }) =>
      client
        .resource('apps/v1/deployments')
        .patch({ namespace, name }, { spec: { replicas } }, { ...merge, subresource: 'scale' }),
  }),
  /** Takes the template of an earlier ReplicaSet, as `kubectl rollout undo` does. */
  'roll-back-deployment': operation({
    weight: 3,
    draw: (random) => ({ namespace: namespace(random), name: name(random, 'web') }),
    async run(client, { namespace, name }) {
      const deployments = client.resource('apps/v1/deployments');
      const { metadata } = await deployments.get({ namespace, name });
      const sets = await client.resource('apps/v1/replicasets').list({ namespace, labelSelector: `app=${name}` });
      const revision = (set: { metadata: { annotations?: Record<string, string> } }): number =>
        Number(set.metadata.annotations?.['deployment.kubernetes.io/revision'] ?? 0);
      const [, previous] = sets.items
        .filter((set) => set.metadata.ownerReferences?.some(({ uid }) => uid === metadata.uid))
        .sort((a, b) => revision(b) - revision(a));
      if (!previous?.spec?.template) return undefined;
      const { 'pod-template-hash': _, ...labels } = previous.spec.template.metadata?.labels ?? {};
      const template = { ...previous.spec.template, metadata: { labels } };
      return deployments.patch({ namespace, name }, [{ op: 'replace', path: '/spec/template', value: template }], {
        type: 'json',
      });
    },
  }),
  /** Several managers apply fields of one Deployment. */
  'apply-deployment': operation({
    weight: 2,
    draw: (random) => ({
      namespace: namespace(random),
      name: name(random, 'web'),
      manager: `manager-${random.integer(2)}`,
      replicas: replicas(random),
      force: random.next() < 0.5,
    }),
    run: (client, { namespace, name, manager, replicas, force }) =>
      client.resource('apps/v1/deployments').apply(
        {
          apiVersion: 'apps/v1',
          kind: 'Deployment',
          metadata: { namespace, name, labels: { [manager]: 'was-here' } },
          spec: {
            replicas,
            selector: { matchLabels: { app: name } },
            template: template(name, 'web:applied') as never,
          },
        },
        { fieldManager: manager, force },
      ),
  }),
  'create-autoscaler': operation({
    weight: 2,
    draw: (random) => ({ namespace: namespace(random), name: name(random, 'web'), minReplicas: 1 + random.integer(4) }),
    run: (client, { namespace, name, minReplicas }) =>
      client.resource('autoscaling/v2/horizontalpodautoscalers').create({
        metadata: { namespace, name },
        spec: {
          minReplicas,
          maxReplicas: minReplicas + 1,
          scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name },
        },
      }),
  }),
  'delete-autoscaler': operation({
    weight: 1,
    draw: (random) => ({ namespace: namespace(random), name: name(random, 'web') }),
    run: (client, { namespace, name }) =>
      client.resource('autoscaling/v2/horizontalpodautoscalers').delete({ namespace, name }),
  }),
  'pause-deployment': operation({
    weight: 1,
    draw: (random) => ({ namespace: namespace(random), name: name(random, 'web'), paused: random.next() < 0.3 }),
    run: (client, { namespace, name, paused }) =>
      client.resource('apps/v1/deployments').patch({ namespace, name }, { spec: { paused } }, merge),
  }),
  'delete-deployment': operation({
    weight: 2,
    draw: (random) => ({
      namespace: namespace(random),
      name: name(random, 'web'),
      propagationPolicy: ['Background', 'Foreground', 'Orphan'][random.integer(3)]!,
    }),
    run: (client, { namespace, name, propagationPolicy }) =>
      client
        .resource('apps/v1/deployments')
        .delete({ namespace, name }, { propagationPolicy: propagationPolicy as 'Background' }),
  }),
  'create-statefulset': operation({
    weight: 3,
    draw: (random) => ({
      namespace: namespace(random),
      name: name(random, 'db', 2),
      replicas: replicas(random),
      parallel: random.next() < 0.5,
    }),
    run: (client, { namespace, name, replicas, parallel }) =>
      client.resource('apps/v1/statefulsets').create({
        metadata: { namespace, name },
        spec: {
          replicas,
          serviceName: name,
          podManagementPolicy: parallel ? 'Parallel' : 'OrderedReady',
          selector: { matchLabels: { app: name } },
          template: template(name, 'db:0'),
          volumeClaimTemplates: [
            {
              metadata: { name: 'data' },
              spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
            },
          ],
        },
      }),
  }),
  'scale-statefulset': operation({
    weight: 3,
    draw: (random) => ({ namespace: namespace(random), name: name(random, 'db', 2), replicas: replicas(random) }),
    run: (client, { namespace, name, replicas }) =>
      client
        .resource('apps/v1/statefulsets')
        .patch({ namespace, name }, { spec: { replicas } }, { ...merge, subresource: 'scale' }),
  }),
  'roll-statefulset': operation({
    weight: 2,
    draw: (random) => ({ namespace: namespace(random), name: name(random, 'db', 2), version: random.integer(3) }),
    run: (client, { namespace, name, version }) =>
      client
        .resource('apps/v1/statefulsets')
        .patch(
          { namespace, name },
          { spec: { template: { spec: { containers: [{ name: 'main', image: `db:${version}` }] } } } },
          { type: 'strategic' },
        ),
  }),
  'create-daemonset': operation({
    weight: 2,
    draw: (random) => ({ namespace: namespace(random), name: name(random, 'agent', 2) }),
    run: (client, { namespace, name }) =>
      client.resource('apps/v1/daemonsets').create({
        metadata: { namespace, name },
        spec: { selector: { matchLabels: { app: name } }, template: template(name, 'agent:0', '10m') },
      }),
  }),
  'roll-daemonset': operation({
    weight: 1,
    draw: (random) => ({ namespace: namespace(random), name: name(random, 'agent', 2), version: random.integer(3) }),
    run: (client, { namespace, name, version }) =>
      client
        .resource('apps/v1/daemonsets')
        .patch(
          { namespace, name },
          { spec: { template: { spec: { containers: [{ name: 'main', image: `agent:${version}` }] } } } },
          { type: 'strategic' },
        ),
  }),
  'create-job': operation({
    weight: 3,
    draw: (random) => ({
      namespace: namespace(random),
      name: name(random, 'task', 4),
      completions: 1 + random.integer(3),
      parallelism: 1 + random.integer(2),
      seconds: 1 + random.integer(20),
    }),
    run: (client, { namespace, name, completions, parallelism, seconds }) =>
      client.resource('batch/v1/jobs').create({
        metadata: { namespace, name },
        spec: {
          completions,
          parallelism,
          template: {
            metadata: { labels: { app: name } },
            spec: {
              restartPolicy: 'Never',
              containers: [{ ...container('task:0'), command: ['sleep', String(seconds)] }],
            },
          },
        },
      }),
  }),
  'suspend-job': operation({
    weight: 1,
    draw: (random) => ({ namespace: namespace(random), name: name(random, 'task', 4), suspend: random.next() < 0.4 }),
    run: (client, { namespace, name, suspend }) =>
      client.resource('batch/v1/jobs').patch({ namespace, name }, { spec: { suspend } }, merge),
  }),
  'delete-job': operation({
    weight: 1,
    draw: (random) => ({ namespace: namespace(random), name: name(random, 'task', 4) }),
    run: (client, { namespace, name }) =>
      client.resource('batch/v1/jobs').delete({ namespace, name }, { propagationPolicy: 'Background' }),
  }),
  'create-cronjob': operation({
    weight: 1,
    draw: (random) => ({ namespace: namespace(random), name: name(random, 'tick', 2) }),
    run: (client, { namespace, name }) =>
      client.resource('batch/v1/cronjobs').create({
        metadata: { namespace, name },
        spec: {
          schedule: '* * * * *',
          concurrencyPolicy: 'Forbid',
          jobTemplate: {
            spec: {
              template: {
                spec: { restartPolicy: 'Never', containers: [{ ...container('tick:0'), command: ['sleep', '2'] }] },
              },
            },
          },
        },
      }),
  }),
};
