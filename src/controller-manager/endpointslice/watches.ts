/** What the EndpointSlice controller watches, and which Services an event concerns. */
import type { Node, Pod, Service } from '../../api/generated/core-v1.ts';
import { deepEqual } from '../../base/index.ts';
import { keyOf, type SharedInformer } from '../../client/index.ts';
import { watch, type Watch } from '../controller.ts';
import type { EndpointSliceParts } from './reconcile.ts';
import { watchServicesOfPods } from './service-pods.ts';
import { wantsTopologyHints, zoneCpu } from './topology-hints.ts';

export const PODS_BY_NODE_NAME = 'byNodeName';
const ZONE_LABEL = 'topology.kubernetes.io/zone';

interface EndpointSliceWatchParts extends EndpointSliceParts {
  /** With the index PODS_BY_NODE_NAME. */
  readonly pods: SharedInformer<Pod>;
}

export function endpointSliceWatches({ relations, pods, nodes, writer }: EndpointSliceWatchParts): readonly Watch[] {
  const itself = (service: Service): string[] => [keyOf(service)];
  const servicesOn = ({ metadata: { name = '' } }: Node): string[] =>
    pods.indexer.byIndex(PODS_BY_NODE_NAME, name).flatMap((pod) => relations.servicesOf(pod));
  const zoneOf = ({ metadata }: Node): string | undefined => metadata.labels?.[ZONE_LABEL];
  /** The shares of zones changed. */
  const hintedServices = (): string[] => relations.services.list().filter(wantsTopologyHints).map(keyOf);
  return [
    watch(relations.services, { added: itself, updated: (_, after) => itself(after), deleted: itself }),
    watchServicesOfPods(relations),
    (add) => writer.onChange(add),
    watch(nodes, {
      added: hintedServices,
      updated: (before, after) => (deepEqual(zoneCpu(before), zoneCpu(after)) ? [] : hintedServices()),
      deleted: hintedServices,
    }),
    watch(nodes, {
      added: servicesOn,
      updated: (before, after) => (zoneOf(before) === zoneOf(after) ? [] : servicesOn(after)),
      deleted: servicesOn,
    }),
  ];
}
