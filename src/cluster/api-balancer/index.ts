/**
 * The API servers of a cluster behind one address of this machine, so that its kubelet and other agents work on when one of
 * them dies. `balancer.ts` is the port, `health.ts` asks each server whether it is ready, `follow-servers.ts` learns which
 * there are from the Service `kubernetes`.
 */
export { startApiBalancer, type ApiBalancer } from './balancer.ts';
export { followServers } from './follow-servers.ts';
