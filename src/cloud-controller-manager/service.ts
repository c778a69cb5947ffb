/** service-lb-controller: creates, updates and deletes the load balancers of Services of type LoadBalancer. */
import type { Node, Service } from '../api/generated/core-v1.ts';
import { errorMessage } from '../base/index.ts';
import { enqueueOnChange, isNotFound, keyOf, splitKey, type SharedInformer } from '../client/index.ts';
import { hasFinalizer } from '../component-helpers/index.ts';
import type { CloudController, CloudControllerContext } from './controller.ts';
import { keyedLoop } from './keyed-loop.ts';
import type { LoadBalancers, LoadBalancerStatus } from './provider.ts';

const FINALIZER = 'service.kubernetes.io/load-balancer-cleanup';
const EXCLUDED_LABEL = 'node.kubernetes.io/exclude-from-external-load-balancers';
const TO_BE_DELETED_TAINT = 'ToBeDeletedByClusterAutoscaler';

export const serviceController: CloudController = {
  eventSource: 'service-controller',
  build(context) {
    const { informers, provider, config } = context;
    if (!provider.loadBalancers) return undefined;
    const services = informers.informer('v1/services');
    const nodes = informers.informer('v1/nodes');
    const parts = { balancers: provider.loadBalancers, services, nodes, applied: new Map() };
    const reconciler = new LoadBalancerReconciler(context, parts);
    const { queue, run } = keyedLoop(
      context,
      'service',
      (key, worker) => new LoadBalancerReconciler(worker, parts).reconcile(key),
      config.concurrentServiceSyncs,
    );
    enqueueOnChange(services, queue, (service) => (reconciler.concerns(service) ? keyOf(service) : undefined));
    const enqueueAll = (): void => {
      for (const service of services.list()) if (needsLoadBalancer(service)) queue.add(keyOf(service));
    };
    nodes.addHandler({
      onAdd: enqueueAll,
      onUpdate: (before, after) => describeNodes([before]) !== describeNodes([after]) && enqueueAll(),
      onDelete: enqueueAll,
    });
    return run;
  },
};

/** A Service with a loadBalancerClass belongs to another controller. */
const needsLoadBalancer = ({ metadata, spec }: Service): boolean =>
  spec?.type === 'LoadBalancer' && !spec.loadBalancerClass && !metadata.deletionTimestamp;

/** Whether load balancers send traffic to the node. Readiness is left to their health checks. */
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

interface LoadBalancerParts {
  readonly balancers: LoadBalancers;
  readonly services: SharedInformer<Service>;
  readonly nodes: SharedInformer<Node>;
  /** What was last applied to each load balancer: the spec of its Service, and the nodes. */
  readonly applied: Map<string, { spec: string; nodes: string }>;
}

class LoadBalancerReconciler {
  readonly #context: CloudControllerContext;
  readonly #parts: LoadBalancerParts;

  constructor(context: CloudControllerContext, parts: LoadBalancerParts) {
    this.#context = context;
    this.#parts = parts;
  }

  concerns(service: Service): boolean {
    return needsLoadBalancer(service) || hasFinalizer(service, FINALIZER) || this.#parts.applied.has(keyOf(service));
  }

  async reconcile(key: string): Promise<void> {
    const service = this.#parts.services.get(key);
    if (service && needsLoadBalancer(service)) return this.#ensure(service);
    this.#parts.applied.delete(key);
    if (service && hasFinalizer(service, FINALIZER)) await this.#remove(service);
  }

  async #ensure(service: Service): Promise<void> {
    const key = keyOf(service);
    const nodes = this.#parts.nodes.list().filter(isEligible);
    const wanted = { spec: JSON.stringify([service.spec, service.metadata.annotations]), nodes: describeNodes(nodes) };
    const applied = this.#parts.applied.get(key);
    const isSpecApplied = applied?.spec === wanted.spec && Boolean(service.status?.loadBalancer?.ingress?.length);
    if (isSpecApplied && applied?.nodes === wanted.nodes) return;
    await this.#reportingErrors(service, 'failed to ensure load balancer', async () => {
      if (isSpecApplied) await this.#updateNodes(service, nodes);
      else await this.#apply(service, nodes);
      this.#parts.applied.set(key, wanted);
    });
  }

  async #updateNodes(service: Service, nodes: readonly Node[]): Promise<void> {
    const { recorder, config } = this.#context;
    await this.#parts.balancers.update(config.clusterName, service, nodes);
    recorder.event(service, 'Normal', 'UpdatedLoadBalancer', 'Updated load balancer with new hosts');
  }

  async #apply(service: Service, nodes: readonly Node[]): Promise<void> {
    const { recorder, config } = this.#context;
    recorder.event(service, 'Normal', 'EnsuringLoadBalancer', 'Ensuring load balancer');
    const current = await this.#addFinalizer(service);
    const status = await this.#parts.balancers.ensure(config.clusterName, current, nodes);
    await this.#writeStatus(current, status);
    recorder.event(service, 'Normal', 'EnsuredLoadBalancer', 'Ensured load balancer');
  }

  async #remove(service: Service): Promise<void> {
    const { client, recorder, config, signal } = this.#context;
    const reference = splitKey(keyOf(service));
    const services = client.resource('v1/services');
    recorder.event(service, 'Normal', 'DeletingLoadBalancer', 'Deleting load balancer');
    await this.#reportingErrors(service, 'failed to delete load balancer', async () => {
      await this.#parts.balancers.ensureDeleted(config.clusterName, service);
      if (!service.metadata.deletionTimestamp && service.status?.loadBalancer?.ingress?.length)
        await services.patch(
          reference,
          { status: { loadBalancer: { ingress: null } } },
          { type: 'merge', subresource: 'status', signal },
        );
      const { resourceVersion } = (await services.get(reference, { signal })).metadata;
      const finalizers = (service.metadata.finalizers ?? []).filter((finalizer) => finalizer !== FINALIZER);
      await services.patch(reference, { metadata: { resourceVersion, finalizers } }, { type: 'merge', signal });
      recorder.event(service, 'Normal', 'DeletedLoadBalancer', 'Deleted load balancer');
    });
  }

  /** The finalizer is added before the load balancer exists, so that none is left behind. */
  async #addFinalizer(service: Service): Promise<Service> {
    if (hasFinalizer(service, FINALIZER)) return service;
    const { client, signal } = this.#context;
    const { finalizers = [], resourceVersion } = service.metadata;
    const metadata = { resourceVersion, finalizers: [...finalizers, FINALIZER] };
    return client.resource('v1/services').patch(splitKey(keyOf(service)), { metadata }, { type: 'merge', signal });
  }

  async #writeStatus(service: Service, loadBalancer: LoadBalancerStatus): Promise<void> {
    if (JSON.stringify(service.status?.loadBalancer ?? {}) === JSON.stringify(loadBalancer)) return;
    const { client, signal } = this.#context;
    await client
      .resource('v1/services')
      .patch(splitKey(keyOf(service)), { status: { loadBalancer } }, { type: 'merge', subresource: 'status', signal });
  }

  async #reportingErrors(service: Service, problem: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (isNotFound(error)) return;
      const message = `Error syncing load balancer: ${problem}: ${errorMessage(error)}`;
      this.#context.recorder.event(service, 'Warning', 'SyncLoadBalancerFailed', message);
      throw error;
    }
  }
}
