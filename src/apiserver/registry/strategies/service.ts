import type { Service } from '../../../api/generated/core-v1.ts';
import { deepEqual } from '../../../base/index.ts';
import {
  allocatesNodePorts,
  isExternallyAccessible,
  isLoadBalancer,
  needsClusterIp,
  needsHealthCheckPort,
  sameClusterIps,
  sameIpFamilies,
} from '../service-needs.ts';
import type { ObjectOf, Strategy } from '../strategy.ts';

export const services: Strategy<ObjectOf<Service>> = {
  allowCreateOnUpdate: true,
  deleteReturnsObject: true,
  reserve: (service, old, request) => request.serviceAllocator.reserve(service, old, request),
  prepareForUpdate: dropFieldsOfOldType,
  afterDelete: (service, request) => request.serviceAllocator.release(service, request),
};

/**
 * When a change of type makes fields meaningless, those that the client merely sent back are dropped; those that it
 * changed stay, for validation to refuse.
 */
function dropFieldsOfOldType(service: Service, old: Service): void {
  const spec = (service.spec ??= {});
  const before = old.spec ?? {};
  const stops = (needs: (service: Service) => boolean): boolean => needs(old) && !needs(service);
  if (stops(needsClusterIp)) {
    if (sameClusterIps(service, old)) {
      delete spec.clusterIP;
      delete spec.clusterIPs;
    }
    if (sameIpFamilies(service, old)) delete spec.ipFamilies;
    if (spec.ipFamilyPolicy === before.ipFamilyPolicy) delete spec.ipFamilyPolicy;
    if (spec.internalTrafficPolicy === before.internalTrafficPolicy) delete spec.internalTrafficPolicy;
  }
  if (stops(allocatesNodePorts) && sameNodePorts(service, old))
    for (const port of spec.ports ?? []) delete port.nodePort;
  if (stops(needsHealthCheckPort) && spec.healthCheckNodePort === before.healthCheckNodePort)
    delete spec.healthCheckNodePort;
  if (stops(isLoadBalancer)) {
    service.status = { ...service.status, loadBalancer: {} };
    if (spec.allocateLoadBalancerNodePorts === before.allocateLoadBalancerNodePorts)
      delete spec.allocateLoadBalancerNodePorts;
    if (spec.loadBalancerClass === before.loadBalancerClass) delete spec.loadBalancerClass;
  }
  if (stops(isExternallyAccessible) && spec.externalTrafficPolicy === before.externalTrafficPolicy)
    delete spec.externalTrafficPolicy;
}

function sameNodePorts({ spec }: Service, { spec: before }: Service): boolean {
  const ports = (list: Service['spec']): unknown =>
    (list?.ports ?? []).map((port) => port.nodePort ?? 0).sort((a, b) => a - b);
  return deepEqual([...new Set(ports(spec) as number[])], [...new Set(ports(before) as number[])]);
}
