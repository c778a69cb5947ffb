/** The endpoints of a Service, in groups that can share slices. */
import type { Node, Pod, Service } from '../../api/generated/core-v1.ts';
import type { Endpoint, EndpointPort } from '../../api/generated/discovery-v1.ts';
import { isPodReady } from '../../component-helpers/index.ts';
import { orderedSlicePorts } from './port-order.ts';
import { addressesOf, canServe, hostnameIn, isIPv6Address, targetPortOn } from './service-pods.ts';
import type { EndpointGroup } from './slice-plan.ts';
import { wantsTopologyHints } from './topology-hints.ts';

const ZONE_LABEL = 'topology.kubernetes.io/zone';

export function addressTypesOf({ spec }: Service): string[] {
  if (spec?.ipFamilies?.length) return [...spec.ipFamilies];
  const ip = spec?.clusterIP ?? '';
  if (ip !== '' && ip !== 'None') return [isIPv6Address(ip) ? 'IPv6' : 'IPv4'];
  return ['IPv4', 'IPv6'];
}

/** The annotation for topology aware routing takes precedence. */
export const trafficDistributionOf = (service: Service): string | undefined =>
  wantsTopologyHints(service) ? undefined : service.spec?.trafficDistribution;

interface ServiceEndpointsOptions {
  readonly service: Service;
  readonly pods: readonly Pod[];
  nodeOf(name: string): Node | undefined;
}

export function serviceEndpoints({ service, pods, nodeOf }: ServiceEndpointsOptions): EndpointGroup[] {
  const groups = new Map<string, { addressType: string; ports: EndpointPort[]; endpoints: Endpoint[] }>();
  for (const pod of pods) {
    if (!canServe(pod, true)) continue;
    const node = pod.spec?.nodeName ? nodeOf(pod.spec.nodeName) : undefined;
    // A pod on an unknown node may not run any more.
    if (pod.spec?.nodeName && !node && !service.spec?.publishNotReadyAddresses) continue;
    const ports = portsOn(pod, service);
    for (const addressType of addressTypesOf(service)) {
      const addresses = addressesOf(pod, addressType === 'IPv6');
      if (addresses.length === 0) continue;
      const key = JSON.stringify([addressType, ports]);
      const group = groups.get(key) ?? { addressType, ports: orderedSlicePorts(ports), endpoints: [] };
      groups.set(key, group);
      group.endpoints.push(endpointOf(pod, service, { addresses, node }));
    }
  }
  return [...groups.values()].map((group) => ({ ...group, endpoints: withHints(group.endpoints, service) }));
}

function portsOn(pod: Pod, service: Service): EndpointPort[] {
  return (service.spec?.ports ?? []).flatMap((port) => {
    const number = targetPortOn(pod, port);
    if (number === undefined) return [];
    return [
      {
        name: port.name ?? '',
        port: number,
        protocol: port.protocol ?? 'TCP',
        ...(port.appProtocol === undefined ? {} : { appProtocol: port.appProtocol }),
      },
    ];
  });
}

function endpointOf(
  pod: Pod,
  service: Service,
  { addresses, node }: { addresses: string[]; node: Node | undefined },
): Endpoint {
  const serving = isPodReady(pod);
  const terminating = pod.metadata.deletionTimestamp !== undefined;
  const hostname = hostnameIn(pod, service);
  const zone = node?.metadata.labels?.[ZONE_LABEL];
  const { namespace, name, uid } = pod.metadata;
  return {
    addresses,
    conditions: {
      ready: service.spec?.publishNotReadyAddresses === true || (serving && !terminating),
      serving,
      terminating,
    },
    ...(hostname === undefined ? {} : { hostname }),
    targetRef: { kind: 'Pod', namespace, name, uid },
    ...(pod.spec?.nodeName ? { nodeName: pod.spec.nodeName } : {}),
    ...(zone === undefined ? {} : { zone }),
  };
}

/** Topology hints of an endpoint: its own zone, and its own node. */
function withHints(endpoints: Endpoint[], service: Service): Endpoint[] {
  const wanted = trafficDistributionOf(service);
  if (wanted !== 'PreferClose' && wanted !== 'PreferSameZone' && wanted !== 'PreferSameNode') return endpoints;
  return endpoints.map((endpoint) => {
    if (!endpoint.conditions?.ready || endpoint.zone === undefined) return endpoint;
    const forNodes =
      wanted === 'PreferSameNode' && endpoint.nodeName ? { forNodes: [{ name: endpoint.nodeName }] } : {};
    return { ...endpoint, hints: { forZones: [{ name: endpoint.zone }], ...forNodes } };
  });
}
