/** Work on what stands around workloads: Services, budgets, quotas, priorities, namespaces, nodes, ConfigMaps. */
import { container, name, namespace, operation } from './operation.ts';

const merge = { type: 'merge' } as const;

export const clusterObjects = {
  'create-service': operation({
    weight: 3,
    draw: (random) => ({
      namespace: namespace(random),
      name: name(random, 'web'),
      type: ['ClusterIP', 'NodePort', 'ClusterIP'][random.integer(3)]!,
    }),
    run: (client, { namespace, name, type }) =>
      client.resource('v1/services').create({
        metadata: { namespace, name },
        spec: { type, selector: { app: name }, ports: [{ port: 80 }] },
      }),
  }),
  'delete-service': operation({
    weight: 1,
    draw: (random) => ({ namespace: namespace(random), name: name(random, 'web') }),
    run: (client, { namespace, name }) => client.resource('v1/services').delete({ namespace, name }),
  }),
  'create-budget': operation({
    weight: 2,
    draw: (random) => ({ namespace: namespace(random), name: name(random, 'web'), minAvailable: random.integer(3) }),
    run: (client, { namespace, name, minAvailable }) =>
      client.resource('policy/v1/poddisruptionbudgets').create({
        metadata: { namespace, name },
        spec: { minAvailable, selector: { matchLabels: { app: name } } },
      }),
  }),
  'drain-node': operation({
    weight: 2,
    draw: (random) => ({ node: `sim-${random.integer(4)}` }),
    async run(client, { node }) {
      await client.resource('v1/nodes').patch({ name: node }, { spec: { unschedulable: true } }, merge);
      const pods = await client.resource('v1/pods').list({ fieldSelector: `spec.nodeName=${node}` });
      for (const { metadata } of pods.items) {
        if (metadata.ownerReferences?.some(({ kind }) => kind === 'DaemonSet')) continue;
        const { name, namespace } = metadata;
        await client
          .resource('v1/pods')
          .subresource({ name: name!, namespace }, 'eviction')
          .create({ apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace } })
          .catch(() => undefined);
      }
    },
  }),
  'uncordon-node': operation({
    weight: 2,
    draw: (random) => ({ node: `sim-${random.integer(4)}` }),
    run: (client, { node }) =>
      client.resource('v1/nodes').patch({ name: node }, { spec: { unschedulable: false } }, merge),
  }),
  'create-quota': operation({
    weight: 2,
    draw: (random) => ({ namespace: `team-${random.integer(2)}`, pods: 1 + random.integer(6) }),
    run: (client, { namespace, pods }) =>
      client.resource('v1/resourcequotas').create({
        metadata: { namespace, name: 'pods' },
        spec: { hard: { pods: String(pods) } },
      }),
  }),
  'create-pod': operation({
    weight: 3,
    draw: (random) => ({
      namespace: namespace(random),
      name: name(random, 'solo', 4),
      cpu: ['100m', '2', '6'][random.integer(3)]!,
    }),
    run: (client, { namespace, name, cpu }) =>
      client.resource('v1/pods').create({
        metadata: { namespace, name, labels: { app: name } },
        spec: {
          terminationGracePeriodSeconds: 2,
          containers: [container('solo:0', cpu)],
        },
      }),
  }),
  /** Past every scheduler, on a node that may not be there. */
  'create-placed-pod': operation({
    weight: 2,
    draw: (random) => ({
      namespace: namespace(random),
      name: name(random, 'placed', 4),
      node: `sim-${random.integer(4)}`,
    }),
    run: (client, { namespace, name, node }) =>
      client.resource('v1/pods').create({
        metadata: { namespace, name, labels: { app: name } },
        spec: { nodeName: node, terminationGracePeriodSeconds: 2, containers: [container('placed:0')] },
      }),
  }),
  /** As a scheduler of one's own does. */
  'bind-pod': operation({
    weight: 2,
    draw: (random) => ({
      namespace: namespace(random),
      name: name(random, 'solo', 4),
      node: `sim-${random.integer(2)}`,
    }),
    run: (client, { namespace, name, node }) =>
      client
        .resource('v1/pods')
        .subresource({ namespace, name }, 'binding')
        .create({
          apiVersion: 'v1',
          kind: 'Binding',
          metadata: { namespace, name },
          target: { kind: 'Node', name: node },
        }),
  }),
  'delete-pod': operation({
    weight: 2,
    draw: (random) => ({ namespace: namespace(random), name: name(random, 'solo', 4) }),
    run: (client, { namespace, name }) => client.resource('v1/pods').delete({ namespace, name }),
  }),
  /** It needs most of a node: others that are less urgent go. */
  'create-urgent-pod': operation({
    weight: 3,
    draw: (random) => ({ namespace: namespace(random), name: name(random, 'urgent', 2) }),
    run: (client, { namespace, name }) =>
      client.resource('v1/pods').create({
        metadata: { namespace, name, labels: { app: name } },
        spec: {
          terminationGracePeriodSeconds: 2,
          priorityClassName: 'urgent',
          containers: [container('urgent:0', '15')],
        },
      }),
  }),
  'delete-quota': operation({
    weight: 1,
    draw: (random) => ({ namespace: `team-${random.integer(2)}` }),
    run: (client, { namespace }) => client.resource('v1/resourcequotas').delete({ namespace, name: 'pods' }),
  }),
  'create-namespace': operation({
    weight: 2,
    draw: (random) => ({ name: `team-${random.integer(2)}` }),
    run: (client, { name }) => client.resource('v1/namespaces').create({ metadata: { name } }),
  }),
  'delete-namespace': operation({
    weight: 1,
    draw: (random) => ({ name: `team-${random.integer(2)}` }),
    run: (client, { name }) => client.resource('v1/namespaces').delete({ name }),
  }),
  'apply-configmap': operation({
    weight: 4,
    draw: (random) => ({
      namespace: namespace(random),
      name: name(random, 'settings'),
      manager: `manager-${random.integer(3)}`,
      key: `key-${random.integer(3)}`,
      value: random.integer(10),
      force: random.next() < 0.5,
    }),
    run: (client, { namespace, name, manager, key, value, force }) =>
      client
        .resource('v1/configmaps')
        .apply(
          { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace, name }, data: { [key]: String(value) } },
          { fieldManager: manager, force },
        ),
  }),
  'count-up': operation({
    weight: 4,
    draw: (random) => ({ name: name(random, 'counter', 2) }),
    /** Reads, adds one and writes: two clients that do so at once must not lose a count. */
    async run(client, { name }) {
      const configMaps = client.resource('v1/configmaps');
      const key = { namespace: 'default', name };
      const known = await configMaps.get(key).catch(() => undefined);
      if (!known) return configMaps.create({ metadata: key, data: { count: '1' } });
      return configMaps.update({ ...known, data: { count: String(Number(known.data?.['count'] ?? 0) + 1) } });
    },
  }),
};
