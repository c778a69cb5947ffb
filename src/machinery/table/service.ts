/** Table cells of Services and Endpoints. */
import type { Endpoints, Service } from '../../api/generated/core-v1.ts';
import { age, firstFew, labelsText, loadBalancerText, nameOf, NONE, UNKNOWN } from './cell-text.ts';
import type { Cell } from './table-printer.ts';

const MAX_ENDPOINTS = 3;

function externalIP(service: Service): string {
  const ips = service.spec?.externalIPs ?? [];
  switch (service.spec?.type) {
    case 'ClusterIP':
    case 'NodePort':
      return ips.length > 0 ? ips.join(',') : NONE;
    case 'LoadBalancer': {
      const balancer = loadBalancerText(service.status?.loadBalancer?.ingress);
      return [balancer, ...ips].filter((address) => address !== '').join(',') || '<pending>';
    }
    case 'ExternalName':
      return service.spec.externalName ?? '';
    default:
      return UNKNOWN;
  }
}

export function serviceCells(service: Service, now: number): Cell[] {
  const ports = (service.spec?.ports ?? []).map(({ port, nodePort, protocol }) =>
    nodePort ? `${port}:${nodePort}/${protocol ?? ''}` : `${port}/${protocol ?? ''}`,
  );
  return [
    nameOf(service),
    service.spec?.type ?? '',
    service.spec?.clusterIPs?.[0] ?? NONE,
    externalIP(service),
    ports.join(',') || NONE,
    age(service, now),
    labelsText(service.spec?.selector),
  ];
}

const hostPort = (ip: string, port: number): string => (ip.includes(':') ? `[${ip}]:${port}` : `${ip}:${port}`);

export function endpointsCells(endpoints: Endpoints, now: number): Cell[] {
  const subsets = endpoints.subsets ?? [];
  const addresses = subsets.flatMap((subset) => {
    const ips = (subset.addresses ?? []).map((address) => address.ip);
    const ports = subset.ports ?? [];
    return ports.length === 0 ? ips : ports.flatMap(({ port }) => ips.map((ip) => hostPort(ip, port)));
  });
  return [nameOf(endpoints), subsets.length === 0 ? NONE : firstFew(addresses, MAX_ENDPOINTS), age(endpoints, now)];
}
