/** What a Service of a type has to have. */
import type { Service, ServiceSpec } from '../../api/generated/core-v1.ts';
import { deepEqual } from '../../base/index.ts';

const specOf = (service: Service): ServiceSpec => service.spec ?? {};

const typeOf = (service: Service): string => specOf(service).type ?? 'ClusterIP';

export const needsClusterIp = (service: Service): boolean => typeOf(service) !== 'ExternalName';

export const isHeadless = (service: Service): boolean => specOf(service).clusterIP === 'None';

export const hasNodePorts = (service: Service): boolean => ['NodePort', 'LoadBalancer'].includes(typeOf(service));

/** Node ports that the client did not choose are allocated, unless a load balancer does without them. */
export const allocatesNodePorts = (service: Service): boolean =>
  typeOf(service) === 'NodePort' ||
  (typeOf(service) === 'LoadBalancer' && specOf(service).allocateLoadBalancerNodePorts !== false);

export const needsHealthCheckPort = (service: Service): boolean =>
  typeOf(service) === 'LoadBalancer' && specOf(service).externalTrafficPolicy === 'Local';

export const isExternallyAccessible = (service: Service): boolean =>
  hasNodePorts(service) || (typeOf(service) === 'ClusterIP' && (specOf(service).externalIPs?.length ?? 0) > 0);

export const isLoadBalancer = (service: Service): boolean => typeOf(service) === 'LoadBalancer';

export const sameClusterIps = (a: Service, b: Service): boolean =>
  deepEqual(specOf(a).clusterIPs ?? [], specOf(b).clusterIPs ?? []);

export const sameIpFamilies = (a: Service, b: Service): boolean =>
  deepEqual(specOf(a).ipFamilies ?? [], specOf(b).ipFamilies ?? []);
