/**
 * What Services are given from the cluster's stock: cluster IPs out of the ServiceCIDRs, each backed by an IPAddress object,
 * and ports on every node. The Service's strategy asks for them; `ServiceAllocator.start` puts right what a crash between two
 * writes left behind.
 */
export { AddressRange, type IpFamily } from './address-range.ts';
export { AllocationError, ClusterIpAllocator } from './cluster-ip-allocator.ts';
export { NodePortAllocator, nodePortsOf } from './node-port-allocator.ts';
export { ServiceAllocator, type ServiceAllocatorOptions } from './service-allocator.ts';
export * from '../registry/service-needs.ts';
