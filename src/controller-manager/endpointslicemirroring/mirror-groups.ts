import type { EndpointAddress, Endpoints } from '../../api/generated/core-v1.ts';
import type { Endpoint } from '../../api/generated/discovery-v1.ts';
import { orderedSlicePorts } from '../endpointslice/port-order.ts';
import { isIPv6Address } from '../endpointslice/service-pods.ts';
import type { EndpointGroup } from '../endpointslice/slice-plan.ts';

/** Groups the addresses of an Endpoints object by ports and address type, for slices; `skipped` are beyond the limit. */
export function mirrorGroups(endpoints: Endpoints, maxPerSubset: number): { groups: EndpointGroup[]; skipped: number } {
  let skipped = 0;
  const groups = new Map<
    string,
    { addressType: string; ports: EndpointGroup['ports']; endpoints: Map<string, Endpoint> }
  >();
  for (const subset of endpoints.subsets ?? []) {
    const ports = orderedSlicePorts(
      (subset.ports ?? []).map(({ name = '', port, protocol = 'TCP', appProtocol }) => ({
        name,
        port,
        protocol,
        ...(appProtocol === undefined ? {} : { appProtocol }),
      })),
    );
    const all = [
      ...(subset.addresses ?? []).map((address) => ({ address, ready: true })),
      ...(subset.notReadyAddresses ?? []).map((address) => ({ address, ready: false })),
    ];
    skipped += Math.max(0, all.length - maxPerSubset);
    for (const { address, ready } of all.slice(0, maxPerSubset)) {
      const addressType = isIPv6Address(address.ip) ? 'IPv6' : 'IPv4';
      const key = JSON.stringify([addressType, ports]);
      const group = groups.get(key) ?? { addressType, ports, endpoints: new Map<string, Endpoint>() };
      groups.set(key, group);
      if (!group.endpoints.has(address.ip)) group.endpoints.set(address.ip, mirrored(address, ready));
    }
  }
  const filled = [...groups.values()].map((group) => ({ ...group, endpoints: [...group.endpoints.values()] }));
  return { groups: filled, skipped };
}

function mirrored({ ip, hostname, nodeName, targetRef }: EndpointAddress, ready: boolean): Endpoint {
  return {
    addresses: [ip],
    conditions: { ready },
    ...(hostname ? { hostname } : {}),
    ...(targetRef ? { targetRef } : {}),
    ...(nodeName ? { nodeName } : {}),
  };
}
