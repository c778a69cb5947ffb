/** A story of workloads, and what must be the same after a part of the control plane was exchanged. */
import type { PodTemplateSpec } from '../../src/api/generated/core-v1.ts';
import type { ApiObject, BuiltInResource, Client } from '../../src/client/index.ts';
import { until } from '../../src/kernel/testing/index.ts';

export const NAMESPACE = 'story';
const LIMIT_MS = 60_000;

const template = (app: string): PodTemplateSpec => ({
  metadata: { labels: { app }, annotations: { note: '<a> & "b"' } },
  spec: {
    containers: [
      {
        name: 'c',
        image: 'registry.example.com/app:1',
        command: ['sh', '-c', 'true && echo "<up>"'],
        ports: [{ containerPort: 80 }],
        resources: { requests: { cpu: '10m', memory: '16Mi' } },
      },
    ],
    terminationGracePeriodSeconds: 1,
  },
});

const selector = (app: string): { matchLabels: Record<string, string> } => ({ matchLabels: { app } });

/** Creates a workload of each kind and waits until all of them are ready. */
export async function createWorkloads(client: Client): Promise<void> {
  const metadata = (name: string): { name: string; namespace: string } => ({ name, namespace: NAMESPACE });
  await client.resource('v1/namespaces').create({ metadata: { name: NAMESPACE } });
  await until('the default ServiceAccount exists', () => exists(client, 'v1/serviceaccounts', 'default'), {
    limitMs: LIMIT_MS,
  });
  await client.resource('apps/v1/deployments').create({
    metadata: metadata('deployment'),
    spec: { replicas: 3, selector: selector('deployment'), template: template('deployment') },
  });
  await client.resource('apps/v1/statefulsets').create({
    metadata: metadata('statefulset'),
    spec: {
      replicas: 2,
      serviceName: 'service',
      selector: selector('statefulset'),
      template: template('statefulset'),
    },
  });
  await client.resource('apps/v1/daemonsets').create({
    metadata: metadata('daemonset'),
    spec: { selector: selector('daemonset'), template: template('daemonset') },
  });
  await client.resource('v1/services').create({
    metadata: metadata('service'),
    spec: { type: 'NodePort', selector: { app: 'deployment' }, ports: [{ port: 80 }] },
  });
  await client.resource('policy/v1/poddisruptionbudgets').create({
    metadata: metadata('budget'),
    spec: { minAvailable: 1, selector: selector('deployment') },
  });
  await client.resource('v1/resourcequotas').create({ metadata: metadata('quota'), spec: { hard: { pods: '50' } } });
  await untilReady(client, { deployment: 3 });
}

/** Waits until the workloads have as many ready pods as they want. */
export async function untilReady(client: Client, { deployment }: { deployment: number }): Promise<void> {
  const ready = async (): Promise<Record<string, unknown>> => {
    const place = (name: string): { name: string; namespace: string } => ({ name, namespace: NAMESPACE });
    const [first, second, third, slices] = await Promise.all([
      client.resource('apps/v1/deployments').get(place('deployment')),
      client.resource('apps/v1/statefulsets').get(place('statefulset')),
      client.resource('apps/v1/daemonsets').get(place('daemonset')),
      client.resource('discovery.k8s.io/v1/endpointslices').list({ namespace: NAMESPACE }),
    ]);
    return {
      deployment: first.status?.readyReplicas,
      updated: first.status?.updatedReplicas,
      statefulset: second.status?.readyReplicas,
      daemonset: third.status?.numberReady,
      endpoints: slices.items.flatMap((slice) => slice.endpoints ?? []).filter(({ conditions }) => conditions?.ready)
        .length,
    };
  };
  const wanted = JSON.stringify({
    deployment,
    updated: deployment,
    statefulset: 2,
    daemonset: 2,
    endpoints: deployment,
  });
  let last = '';
  await until(
    `the workloads are ready: ${wanted}`,
    async () => {
      last = JSON.stringify(await ready());
      return last === wanted;
    },
    { limitMs: LIMIT_MS, intervalMs: 200, details: () => last },
  );
}

export async function exists(
  client: Client,
  resource: BuiltInResource,
  name: string,
  namespace = NAMESPACE,
): Promise<boolean> {
  const { items } = (await client.resource(resource).list({ namespace })) as { items: ApiObject[] };
  return items.some(({ metadata }) => metadata.name === name);
}

const WORKLOAD_RESOURCES = [
  'v1/pods',
  'apps/v1/replicasets',
  'apps/v1/controllerrevisions',
  'discovery.k8s.io/v1/endpointslices',
] as const satisfies readonly BuiltInResource[];

/** Name and uid of what controllers made: the same before and after, if nothing was rolled, lost or made twice. */
export async function identities(client: Client): Promise<string[]> {
  const lists = await Promise.all(
    WORKLOAD_RESOURCES.map(async (resource) => {
      const { items } = (await client.resource(resource).list({ namespace: NAMESPACE })) as { items: ApiObject[] };
      return items.map(({ metadata }) => `${resource} ${metadata.name} ${metadata.uid}`);
    }),
  );
  return lists.flat().sort();
}

export async function scale(client: Client, replicas: number): Promise<void> {
  await client
    .resource('apps/v1/deployments')
    .patch({ namespace: NAMESPACE, name: 'deployment' }, { spec: { replicas } }, { type: 'merge' });
}
