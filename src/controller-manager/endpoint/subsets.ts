import type { EndpointAddress, EndpointPort, EndpointSubset, Pod, Service } from '../../api/generated/core-v1.ts';
import { isPodReady } from '../../component-helpers/index.ts';
import { orderedEndpointsPorts } from '../endpointslice/port-order.ts';
import { addressesOf, canServe, hostnameIn, isHeadless, targetPortOn } from '../endpointslice/service-pods.ts';

interface Group {
  readonly ports: EndpointPort[];
  readonly ready: EndpointAddress[];
  readonly notReady: EndpointAddress[];
}

/** The addresses of a Service's pods; addresses with equal ports share a subset. */
export function subsetsOf(service: Service, pods: readonly Pod[]): EndpointSubset[] {
  const groups = new Map<string, Group>();
  const { publishNotReadyAddresses = false, ports = [], ipFamilies } = service.spec ?? {};
  for (const pod of pods) {
    if (!canServe(pod, publishNotReadyAddresses)) continue;
    const [ip] = addressesOf(pod, ipFamilies?.[0] === 'IPv6');
    if (ip === undefined) continue;
    const podPorts = portsOn(pod, service);
    if (podPorts.length === 0 && !(isHeadless(service) && ports.length === 0)) continue;
    const key = JSON.stringify(podPorts);
    const group = groups.get(key) ?? { ports: orderedEndpointsPorts(podPorts), ready: [], notReady: [] };
    groups.set(key, group);
    (publishNotReadyAddresses || isPodReady(pod) ? group.ready : group.notReady).push(addressOf(pod, service, ip));
  }
  return [...groups.entries()]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, { ports: shared, ready, notReady }]) => ({
      ...(ready.length > 0 ? { addresses: ready.sort(byAddress) } : {}),
      ...(notReady.length > 0 ? { notReadyAddresses: notReady.sort(byAddress) } : {}),
      ...(shared.length > 0 ? { ports: shared } : {}),
    }));
}

/** Truncates to the maximum number of addresses; ready ones have precedence. */
export function truncated(
  subsets: readonly EndpointSubset[],
  max: number,
): { subsets: EndpointSubset[]; over: boolean } {
  const count = (pick: (subset: EndpointSubset) => readonly unknown[] | undefined): number =>
    subsets.reduce((sum, subset) => sum + (pick(subset)?.length ?? 0), 0);
  const ready = count((subset) => subset.addresses);
  if (ready + count((subset) => subset.notReadyAddresses) <= max) return { subsets: [...subsets], over: false };
  let readyLeft = Math.min(max, ready);
  let othersLeft = max - readyLeft;
  const cut = subsets.map((subset) => {
    const addresses = (subset.addresses ?? []).slice(0, readyLeft);
    readyLeft -= addresses.length;
    const notReadyAddresses = (subset.notReadyAddresses ?? []).slice(0, othersLeft);
    othersLeft -= notReadyAddresses.length;
    return {
      ...(addresses.length > 0 ? { addresses } : {}),
      ...(notReadyAddresses.length > 0 ? { notReadyAddresses } : {}),
      ...(subset.ports ? { ports: subset.ports } : {}),
    };
  });
  return { subsets: cut.filter((subset) => subset.addresses ?? subset.notReadyAddresses), over: true };
}

function portsOn(pod: Pod, service: Service): EndpointPort[] {
  return (service.spec?.ports ?? []).flatMap(({ name, protocol, appProtocol, ...port }) => {
    const number = targetPortOn(pod, { name, protocol, appProtocol, ...port });
    if (number === undefined) return [];
    return [
      {
        ...(name ? { name } : {}),
        port: number,
        protocol: protocol ?? 'TCP',
        ...(appProtocol === undefined ? {} : { appProtocol }),
      },
    ];
  });
}

function addressOf(pod: Pod, service: Service, ip: string): EndpointAddress {
  const hostname = hostnameIn(pod, service);
  const { namespace, name, uid } = pod.metadata;
  return {
    ip,
    ...(hostname === undefined ? {} : { hostname }),
    ...(pod.spec?.nodeName ? { nodeName: pod.spec.nodeName } : {}),
    targetRef: { kind: 'Pod', namespace, name, uid },
  };
}

const byAddress = (a: EndpointAddress, b: EndpointAddress): number =>
  compare(a.ip, b.ip) || compare(a.targetRef?.uid ?? '', b.targetRef?.uid ?? '');
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
