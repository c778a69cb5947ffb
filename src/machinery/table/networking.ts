/** Table cells of the group networking.k8s.io. */
import type { EndpointSlice } from '../../api/generated/discovery-v1.ts';
import type {
  Ingress,
  IngressClass,
  IPAddress,
  NetworkPolicy,
  ServiceCIDR,
} from '../../api/generated/networking-v1.ts';
import { formatLabelSelector } from '../selectors/index.ts';
import { age, firstFew, loadBalancerText, nameOf, NONE, UNSET } from './cell-text.ts';
import type { Cell } from './table-printer.ts';

const MAX_SHOWN = 3;

/** The hosts of the first rules. Rules without a host are skipped, but count as not shown. */
function ingressHosts(ingress: Ingress): string {
  const rules = ingress.spec?.rules ?? [];
  const shown: string[] = [];
  let more = false;
  for (const rule of rules) {
    if (shown.length === MAX_SHOWN) more = true;
    else if (rule.host) shown.push(rule.host);
  }
  if (shown.length === 0) return '*';
  return more ? `${shown.join(',')} + ${rules.length - MAX_SHOWN} more...` : shown.join(',');
}

export const ingressCells = (ingress: Ingress, now: number): Cell[] => [
  nameOf(ingress),
  ingress.spec?.ingressClassName ?? NONE,
  ingressHosts(ingress),
  loadBalancerText(ingress.status?.loadBalancer?.ingress),
  (ingress.spec?.tls ?? []).length > 0 ? '80, 443' : '80',
  age(ingress, now),
];

export function ingressClassCells(ingressClass: IngressClass, now: number): Cell[] {
  const parameters = ingressClass.spec?.parameters;
  const kind = parameters?.apiGroup === undefined ? parameters?.kind : `${parameters.kind}.${parameters.apiGroup}`;
  return [
    nameOf(ingressClass),
    ingressClass.spec?.controller ?? '',
    parameters ? `${kind}/${parameters.name}` : NONE,
    age(ingressClass, now),
  ];
}

export function ipAddressCells(address: IPAddress): Cell[] {
  const parent = address.spec?.parentRef;
  const resource = parent?.group ? `${parent.resource ?? ''}.${parent.group}` : (parent?.resource ?? '');
  const text = parent
    ? [resource, parent.namespace, parent.name].filter((part) => part !== undefined && part !== '').join('/')
    : NONE;
  return [nameOf(address), text];
}

export const serviceCIDRCells = (serviceCIDR: ServiceCIDR, now: number): Cell[] => [
  nameOf(serviceCIDR),
  (serviceCIDR.spec?.cidrs ?? []).join(','),
  age(serviceCIDR, now),
];

export const networkPolicyCells = (policy: NetworkPolicy, now: number): Cell[] => [
  nameOf(policy),
  formatLabelSelector(policy.spec?.podSelector),
  age(policy, now),
];

export function endpointSliceCells(slice: EndpointSlice, now: number): Cell[] {
  const ports = (slice.ports ?? []).map(({ port, name }) => (typeof port === 'number' ? `${port}` : (name ?? '*')));
  const addresses = (slice.endpoints ?? []).flatMap((endpoint) => endpoint.addresses ?? []);
  return [
    nameOf(slice),
    slice.addressType,
    firstFew(ports, MAX_SHOWN) || UNSET,
    firstFew(addresses, MAX_SHOWN) || UNSET,
    age(slice, now),
  ];
}
