/** Warnings about Services. */
import type { Service } from '../../../../api/generated/core-v1.ts';
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
  for (const [i, ip] of (spec.externalIPs ?? []).entries())
    append(warnings, ipWarnings(ip, SPEC.child('externalIPs').index(i)));
  if (spec.loadBalancerIP) append(warnings, ipWarnings(spec.loadBalancerIP, SPEC.child('loadBalancerIP')));
  for (const [i, range] of (spec.loadBalancerSourceRanges ?? []).entries()) {
    append(warnings, cidrWarnings(range.trim(), SPEC.child('loadBalancerSourceRanges').index(i)));
  }
  useWarnings(warnings, service);
  if (spec.trafficDistribution === 'PreferClose') {
    warnings.push('spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"');
  }
}

/** Warnings about fields that have no effect. */
function useWarnings(warnings: string[], { spec = {} }: Service): void {
  const externalIPs = Boolean(spec.externalIPs?.length);
  if (spec.type === 'ExternalName') {
    if (externalIPs) warnings.push('spec.externalIPs is ignored when spec.type is "ExternalName"');
    return;
  }
  if (spec.externalName) warnings.push('spec.externalName is ignored when spec.type is not "ExternalName"');
  if (!isHeadless(spec)) {
    if (externalIPs) warnings.push('spec.externalIPs is deprecated and may no longer be implemented in some clusters');
    return;
  }
  if (spec.loadBalancerIP) warnings.push('spec.loadBalancerIP is ignored for headless services');
  if (externalIPs) warnings.push('spec.externalIPs is ignored for headless services');
  if (spec.sessionAffinity !== 'None') warnings.push('spec.SessionAffinity is ignored for headless services');
}
