/** service: a load balancer for every Service that asks for one. */
import type { Node, Service } from '../api/generated/core-v1.ts';
import { enqueueOnChange, isNotFound, keyOf, splitKey } from '../client/index.ts';
import type { CloudController, CloudControllerContext } from './controller.ts';
import { keyedWorkers } from './keyed-workers.ts';
import type { LoadBalancers, LoadBalancerStatus } from './provider.ts';

const FINALIZER = 'service.kubernetes.io/load-balancer-cleanup';
const EXCLUDED_LABEL = 'node.kubernetes.io/exclude-from-external-load-balancers';
const TO_BE_DELETED_TAINT = 'ToBeDeletedByClusterAutoscaler';

export const service: CloudController = {
  eventSource: 'service-controller',
  build(context) {
    const { informers, provider } = context;
    const balancers = provider.loadBalancers;
    if (!balancers) return undefined;
    const services = informers.informer('v1/services');
    const nodes = informers.informer('v1/nodes');
    /** What each balancer was last told: its Service's spec, and the nodes. */
    const told = new Map<string, { spec: string; nodes: string }>();
    const { queue, run } = keyedWorkers(
      context,
      'service',
      async (key) => {
        const current = services.get(key);
        if (!current) {
          told.delete(key);
          return;
        }
        if (wantsBalancer(current))
          await ensure(context, { balancers, service: current, nodes: nodes.list().filter(isEligible), told });
        else if (current.metadata.finalizers?.includes(FINALIZER)) {
          told.delete(key);
          await remove(context, balancers, current);
        }
      },
      context.config.concurrentServiceSyncs,
    );
    enqueueOnChange(services, queue, (each) =>
      wantsBalancer(each) || each.metadata.finalizers?.includes(FINALIZER) || told.has(keyOf(each))
        ? keyOf(each)
        : undefined,
    );
    const allBalancers = (): void =>
      services
        .list()
        .filter(wantsBalancer)
        .forEach((each) => queue.add(keyOf(each)));
    nodes.addHandler({
      onAdd: allBalancers,
      onUpdate: (before, after) => describeNodes([before]) !== describeNodes([after]) && allBalancers(),
      onDelete: allBalancers,
    });
    return run;
  },
};

/** With a class, another controller looks after it. */
const wantsBalancer = ({ metadata, spec }: Service): boolean =>
  spec?.type === 'LoadBalancer' && !spec.loadBalancerClass && !metadata.deletionTimestamp;

/** May receive traffic from outside. That a node is not ready is for its balancer's health checks to find out. */
const isEligible = ({ metadata, spec }: Node): boolean =>
  metadata.deletionTimestamp === undefined &&
  metadata.labels?.[EXCLUDED_LABEL] === undefined &&
  Boolean(spec?.providerID) &&
  !(spec?.taints ?? []).some(({ key }) => key === TO_BE_DELETED_TAINT);

const describeNodes = (nodes: readonly Node[]): string =>
  nodes
    .map(
      (node) =>
        `${node.metadata.name} ${isEligible(node)} ${(node.status?.addresses ?? []).map(({ address }) => address).join()}`,
    )
    .sort()
    .join('\n');

interface Ensuring {
  readonly balancers: LoadBalancers;
  readonly service: Service;
  readonly nodes: readonly Node[];
  readonly told: Map<string, { spec: string; nodes: string }>;
}

async function ensure(
  context: CloudControllerContext,
  { balancers, service: before, nodes, told }: Ensuring,
): Promise<void> {
  const { recorder, config } = context;
  const key = keyOf(before);
  const now = { spec: JSON.stringify([before.spec, before.metadata.annotations]), nodes: describeNodes(nodes) };
  const known = told.get(key);
  if (known?.spec === now.spec && known.nodes === now.nodes && before.status?.loadBalancer?.ingress?.length) return;
  try {
    if (known?.spec === now.spec && before.status?.loadBalancer?.ingress?.length) {
      await balancers.update(config.clusterName, before, nodes);
      recorder.event(before, 'Normal', 'UpdatedLoadBalancer', 'Updated load balancer with new hosts');
    } else {
      recorder.event(before, 'Normal', 'EnsuringLoadBalancer', 'Ensuring load balancer');
      const current = await withFinalizer(context, before);
      const status = await balancers.ensure(config.clusterName, current, nodes);
      await writeStatus(context, current, status);
      recorder.event(before, 'Normal', 'EnsuredLoadBalancer', 'Ensured load balancer');
    }
    told.set(key, now);
  } catch (error) {
    if (isNotFound(error)) return;
    recorder.event(
      before,
      'Warning',
      'SyncLoadBalancerFailed',
      `Error syncing load balancer: failed to ensure load balancer: ${error instanceof Error ? error.message : String(error)}`,
    );
    throw error;
  }
}

/** Before there is anything to clean up, so that no balancer can be forgotten. */
async function withFinalizer({ client, signal }: CloudControllerContext, before: Service): Promise<Service> {
  const { finalizers = [], resourceVersion } = before.metadata;
  if (finalizers.includes(FINALIZER)) return before;
  return client
    .resource('v1/services')
    .patch(
      splitKey(keyOf(before)),
      { metadata: { resourceVersion, finalizers: [...finalizers, FINALIZER] } },
      { type: 'merge', signal },
    );
}

async function writeStatus(
  { client, signal }: CloudControllerContext,
  current: Service,
  loadBalancer: LoadBalancerStatus,
): Promise<void> {
  if (JSON.stringify(current.status?.loadBalancer ?? {}) === JSON.stringify(loadBalancer)) return;
  await client
    .resource('v1/services')
    .patch(splitKey(keyOf(current)), { status: { loadBalancer } }, { type: 'merge', subresource: 'status', signal });
}

async function remove(context: CloudControllerContext, balancers: LoadBalancers, before: Service): Promise<void> {
  const { client, recorder, config, signal } = context;
  recorder.event(before, 'Normal', 'DeletingLoadBalancer', 'Deleting load balancer');
  try {
    await balancers.ensureDeleted(config.clusterName, before);
    if (!before.metadata.deletionTimestamp && before.status?.loadBalancer?.ingress?.length) {
      await client
        .resource('v1/services')
        .patch(
          splitKey(keyOf(before)),
          { status: { loadBalancer: { ingress: null } } },
          { type: 'merge', subresource: 'status', signal },
        );
    }
    const { resourceVersion } = await client
      .resource('v1/services')
      .get(splitKey(keyOf(before)), { signal })
      .then(({ metadata }) => metadata);
    const finalizers = (before.metadata.finalizers ?? []).filter((each) => each !== FINALIZER);
    await client
      .resource('v1/services')
      .patch(splitKey(keyOf(before)), { metadata: { resourceVersion, finalizers } }, { type: 'merge', signal });
  } catch (error) {
    if (isNotFound(error)) return;
    recorder.event(
      before,
      'Warning',
      'SyncLoadBalancerFailed',
      `Error syncing load balancer: failed to delete load balancer: ${error instanceof Error ? error.message : String(error)}`,
    );
    throw error;
  }
  recorder.event(before, 'Normal', 'DeletedLoadBalancer', 'Deleted load balancer');
}
