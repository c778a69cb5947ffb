/**
 * Allocation of cluster IPs, each backed by an IPAddress object within the ServiceCIDRs, and of node ports. The Service
 * strategy reserves them; `ServiceAllocator.repair` mends what a crash between two writes left behind.
 */

export { ServiceAllocator } from './service-allocator.ts';
export * from '../registry/service-needs.ts';
