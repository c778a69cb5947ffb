/**
 * The Service `kubernetes` by which pods reach the API server, its endpoints, and the ServiceCIDR. The Service has no
 * selector: the server writes the endpoints.
 */
import type { Endpoints, Service } from '../../api/generated/core-v1.ts';
import type { EndpointSlice } from '../../api/generated/discovery-v1.ts';
import type { ServiceCIDR } from '../../api/generated/networking-v1.ts';
import type { Stored } from './stored.ts';

export const KUBERNETES_SERVICE = { namespace: 'default', name: 'kubernetes' } as const;

/** Keeps the ServiceCIDR while Services use its addresses. */
const SERVICE_CIDR_FINALIZER = 'networking.k8s.io/service-cidr-finalizer';

export const serviceCIDR = (cidrs: readonly string[]): Stored<ServiceCIDR> => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'ServiceCIDR',
  metadata: { name: 'kubernetes', finalizers: [SERVICE_CIDR_FINALIZER] },
  spec: { cidrs: [...cidrs] },
});

/** `clusterIP` is the first address of the first range. */
export function kubernetesService(clusterIP: string, securePort: number, nodePort?: number): Stored<Service> {
  const type = nodePort === undefined ? 'ClusterIP' : 'NodePort';
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { ...KUBERNETES_SERVICE, labels: { component: 'apiserver', provider: 'kubernetes' } },
    spec: {
      type,
      clusterIP,
      clusterIPs: [clusterIP],
      ipFamilies: [familyOf(clusterIP)],
      ipFamilyPolicy: 'SingleStack',
      internalTrafficPolicy: 'Cluster',
      sessionAffinity: 'None',
      ports: [
        {
          name: 'https',
          protocol: 'TCP',
          port: 443,
          targetPort: securePort,
          ...(nodePort === undefined ? {} : { nodePort }),
        },
      ],
    },
    status: { loadBalancer: {} },
  };
}

/** `addresses` are the sorted advertise addresses of the servers. */
export const kubernetesEndpoints = (addresses: readonly string[], securePort: number): Stored<Endpoints> => ({
  apiVersion: 'v1',
  kind: 'Endpoints',
  metadata: { ...KUBERNETES_SERVICE, labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' } },
  subsets: [
    { addresses: addresses.map((ip) => ({ ip })), ports: [{ name: 'https', port: securePort, protocol: 'TCP' }] },
  ],
});

export const kubernetesEndpointSlice = (addresses: readonly string[], securePort: number): Stored<EndpointSlice> => ({
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  metadata: { ...KUBERNETES_SERVICE, labels: { 'kubernetes.io/service-name': KUBERNETES_SERVICE.name } },
  addressType: familyOf(addresses[0] ?? ''),
  endpoints: addresses.map((address) => ({ addresses: [address], conditions: { ready: true } })),
  ports: [{ name: 'https', port: securePort, protocol: 'TCP' }],
});

const familyOf = (address: string): 'IPv4' | 'IPv6' => (address.includes(':') ? 'IPv6' : 'IPv4');
