/**
 * Allocation of cluster IPs, each backed by an IPAddress object within the ServiceCIDRs, and of node ports. The Service
 * strategy reserves them; `ServiceAllocator.repair` mends what a crash between two writes left behind.
 */
export { AddressRange, type IpFamily } from './address-range.ts';
export { AllocationError, ClusterIpAllocator } from './cluster-ip-allocator.ts';
export { NodePortAllocator, nodePortsOf } from './node-port-allocator.ts';
export { ServiceAllocator, type ServiceAllocatorOptions } from './service-allocator.ts';
export * from '../registry/service-needs.ts';
