/** Composes the components into a cluster: in one process, in several, or simulated. */
export { startCluster, type Cluster, type ClusterOptions } from './start-cluster.ts';
export { inProcessTransport, type InProcessOptions } from './in-process-transport.ts';
