/** Reconciles the EndpointSlices of one Service with its pods. */
import type { Node, Service } from '../../api/generated/core-v1.ts';
import type { Endpoint } from '../../api/generated/discovery-v1.ts';
import { errorMessage } from '../../base/index.ts';
import { controllerReference, type SharedInformer } from '../../client/index.ts';
import type { ControllerContext, Reconciler } from '../controller.ts';
import { ignoreNotFound } from '../ignore-not-found.ts';
import type { ServiceSyncMetrics } from './metrics.ts';
import { addressTypesOf, serviceEndpoints, trafficDistributionOf } from './service-endpoints.ts';
import { hasSelectedPods, HEADLESS_LABEL, isHeadless, TRIGGER_TIME, type ServicesOfPods } from './service-pods.ts';
import type { EndpointGroup } from './slice-plan.ts';
import { MANAGED_BY_LABEL, SERVICE_NAME_LABEL, type SliceTarget, type SliceWriter } from './slice-writer.ts';
import { wantsTopologyHints, withTopologyHints, zoneShares } from './topology-hints.ts';
import { TriggerTimes } from './trigger-time.ts';

export const MANAGER = 'endpointslice-controller.k8s.io';

/** What the reconciler and the watches of EndpointSlices share. */
export interface EndpointSliceParts {
  readonly relations: ServicesOfPods;
  readonly nodes: SharedInformer<Node>;
  readonly writer: SliceWriter;
  readonly metrics: ServiceSyncMetrics;
  /** The Services whose endpoints have hints by the shares of zones. */
  readonly hinted: Set<string>;
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
      this.#parts.hinted.delete(key);
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
    const distribution = trafficDistributionOf(service);
    metrics.distributes(key, distribution);
    try {
      const { create, update, delete: removed } = await writer.write(this.#wantedSlices(key, service));
      const topology = wantsTopologyHints(service) ? 'Auto' : 'Disabled';
      const labels = { topology, traffic_distribution: distribution ?? '' } as const;
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
      groups: this.#hinted(key, service, serviceEndpoints({ service, pods, nodeOf: (node) => nodes.get(node) })),
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

  /** With the hints of topology aware routing, if the Service wants them; its events tell whether it has them. */
  #hinted(key: string, service: Service, groups: readonly EndpointGroup[]): readonly EndpointGroup[] {
    const { nodes, writer, hinted } = this.#parts;
    const record = (type: 'Normal' | 'Warning', reason: string, message: string, addressType: string): void =>
      this.#context.recorder.event(service, type, reason, `${message}, addressType: ${addressType}`);
    const disabled = (message: string, addressType: string): void => {
      hinted.delete(key);
      record('Warning', 'TopologyAwareHintsDisabled', message, addressType);
    };
    const types = addressTypesOf(service);
    if (!wantsTopologyHints(service)) {
      if (hinted.has(key)) for (const type of types) disabled('Topology Aware Hints has been disabled', type);
      return groups;
    }
    const shares = zoneShares(nodes.list());
    const current = new Map(
      writer
        .of(key)
        .flatMap(({ endpoints = [] }) =>
          endpoints.map(({ addresses, hints }) => [addresses.join(), hints?.forZones?.[0]?.name] as const),
        ),
    );
    const currentZone = ({ addresses }: Endpoint): string | undefined => current.get(addresses.join());
    return types.flatMap((type) => {
      const ofType = groups.filter(({ addressType }) => addressType === type);
      const { groups: result, problem } = withTopologyHints(ofType, { shares, currentZone });
      if (problem !== undefined) disabled(problem, type);
      else if (!hinted.has(key)) {
        hinted.add(key);
        record('Normal', 'TopologyAwareHintsEnabled', 'Topology Aware Hints has been enabled', type);
      }
      return result;
    });
  }
}
