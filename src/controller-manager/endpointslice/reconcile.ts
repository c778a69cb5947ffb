/** Reconciles the EndpointSlices of one Service with its pods. */
import type { Node, Service } from '../../api/generated/core-v1.ts';
import { errorMessage } from '../../base/index.ts';
import { controllerReference, type SharedInformer } from '../../client/index.ts';
import type { ControllerContext, Reconciler } from '../controller.ts';
import { ignoreNotFound } from '../ignore-not-found.ts';
import type { ServiceSyncMetrics } from './metrics.ts';
import { addressTypesOf, serviceEndpoints } from './service-endpoints.ts';
import { hasSelectedPods, HEADLESS_LABEL, isHeadless, TRIGGER_TIME, type ServicesOfPods } from './service-pods.ts';
import { MANAGED_BY_LABEL, SERVICE_NAME_LABEL, type SliceTarget, type SliceWriter } from './slice-writer.ts';
import { TriggerTimes } from './trigger-time.ts';

export const MANAGER = 'endpointslice-controller.k8s.io';

/** What the reconciler and the watches of EndpointSlices share. */
export interface EndpointSliceParts {
  readonly relations: ServicesOfPods;
  readonly nodes: SharedInformer<Node>;
  readonly writer: SliceWriter;
  readonly metrics: ServiceSyncMetrics;
}

export class EndpointSliceReconciler implements Reconciler {
  readonly #context: ControllerContext;
  readonly #parts: EndpointSliceParts;
  readonly #triggers: TriggerTimes;

  constructor(context: ControllerContext, parts: EndpointSliceParts, triggers: TriggerTimes) {
    this.#triggers = triggers;
    this.#context = context;
    this.#parts = parts;
  }

  async reconcile(key: string): Promise<void> {
    const { metrics } = this.#parts;
    try {
      metrics.synced(await this.#sync(key));
    } catch (error) {
      metrics.synced('error');
      throw error;
    }
  }

  async #sync(key: string): Promise<'success' | 'stale'> {
    const { relations, writer, metrics } = this.#parts;
    const service = relations.services.get(key);
    if (!service || service.metadata.deletionTimestamp !== undefined) {
      this.#triggers.forget(key);
      metrics.distributes(key, undefined);
      writer.forget(key);
      // The garbage collector would delete the slices too, but later.
      if (!service) for (const slice of writer.of(key)) await writer.delete(slice);
      return 'success';
    }
    if (!hasSelectedPods(service)) return 'success';
    if (writer.isBehind(key)) return 'stale';
    await ignoreNotFound(() => this.#write(key, service));
    return 'success';
  }

  async #write(key: string, service: Service): Promise<void> {
    const { recorder, signal } = this.#context;
    const { writer, metrics } = this.#parts;
    const distribution = service.spec?.trafficDistribution;
    metrics.distributes(key, distribution);
    try {
      const { create, update, delete: removed } = await writer.write(this.#wantedSlices(key, service));
      const labels = { topology: 'Disabled', traffic_distribution: distribution ?? '' } as const;
      metrics.changed(create.length + update.length + removed.length, labels);
    } catch (error) {
      const { name = '', namespace = '' } = service.metadata;
      const why = errorMessage(error);
      const message = `Error updating Endpoint Slices for Service ${namespace}/${name}: ${why}`;
      if (!signal.aborted) recorder.event(service, 'Warning', 'FailedToUpdateEndpointSlices', message);
      throw error;
    }
  }

  #wantedSlices(key: string, service: Service): SliceTarget {
    const { relations, nodes } = this.#parts;
    const { name = '', namespace = '' } = service.metadata;
    const pods = relations.podsOf(service);
    const time = this.#triggers.next(key, service, pods);
    return {
      namespace,
      service: name,
      groups: serviceEndpoints({ service, pods, nodeOf: (node) => nodes.get(node) }),
      placeholders: addressTypesOf(service),
      maxPerSlice: this.#context.config.maxEndpointsPerSlice,
      metadata: {
        labels: {
          ...service.metadata.labels,
          [SERVICE_NAME_LABEL]: name,
          [MANAGED_BY_LABEL]: MANAGER,
          ...(isHeadless(service) ? { [HEADLESS_LABEL]: '' } : {}),
        },
        ownerReferences: [controllerReference(service, { apiVersion: 'v1', kind: 'Service' })],
        annotations: time === undefined ? {} : { [TRIGGER_TIME]: time },
      },
    };
  }
}
