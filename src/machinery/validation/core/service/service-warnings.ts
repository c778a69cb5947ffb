/** Warnings about Services. */
import type { Service, ServiceSpec } from '../../../../api/generated/core-v1.ts';
import { append } from '../../../../base/index.ts';
import { path } from '../../../errors/index.ts';
import { cidrWarnings, ipWarnings } from '../../ip.ts';
import { isHeadless } from './service-cluster-ips.ts';

const SPEC = path('spec');
const TOPOLOGY_HINTS = 'service.kubernetes.io/topology-aware-hints';

export function serviceWarnings(warnings: string[], service: Service): void {
  const { spec = {} } = service;
  if (service.metadata?.annotations?.[TOPOLOGY_HINTS] !== undefined) {
    warnings.push(`annotation ${TOPOLOGY_HINTS} is deprecated, please use service.kubernetes.io/topology-mode instead`);
  }
  for (const [i, ip] of (spec.clusterIPs ?? []).entries())
    append(warnings, ipWarnings(ip, SPEC.child('clusterIPs').index(i)));
  const headless = spec.type !== 'ExternalName' && isHeadless(spec);
  if (headless) headlessWarnings(warnings, spec);
  for (const [i, ip] of (spec.externalIPs ?? []).entries())
    append(warnings, ipWarnings(ip, SPEC.child('externalIPs').index(i)));
  const externalIPs = Boolean(spec.externalIPs?.length);
  if (externalIPs && !headless && spec.type !== 'ExternalName')
    warnings.push('spec.externalIPs is deprecated and may no longer be implemented in some clusters');
  if (spec.loadBalancerIP) append(warnings, ipWarnings(spec.loadBalancerIP, SPEC.child('loadBalancerIP')));
  for (const [i, range] of (spec.loadBalancerSourceRanges ?? []).entries()) {
    append(warnings, cidrWarnings(range.trim(), SPEC.child('loadBalancerSourceRanges').index(i)));
  }
  if (spec.type === 'ExternalName') {
    if (externalIPs) warnings.push('spec.externalIPs is ignored when spec.type is "ExternalName"');
  } else if (spec.externalName) warnings.push('spec.externalName is ignored when spec.type is not "ExternalName"');
  if (spec.trafficDistribution === 'PreferClose') {
    warnings.push('spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"');
  }
}

function headlessWarnings(warnings: string[], spec: ServiceSpec): void {
  if (spec.loadBalancerIP) warnings.push('spec.loadBalancerIP is ignored for headless services');
  if (spec.externalIPs?.length) warnings.push('spec.externalIPs is ignored for headless services');
  if (spec.sessionAffinity !== 'None') warnings.push('spec.SessionAffinity is ignored for headless services');
}
