/**
 * Cluster DNS: answers names of Services and Pods from the API server's objects, as the Kubernetes DNS specification
 * has it, and forwards every other name. It takes CoreDNS' place at the cluster DNS address.
 *
 * `message` is the wire format, `cluster-records` what the cluster's objects say, `answer-query` decides (both pure),
 * `forwarder` asks others, `serve` owns the sockets, `run` puts them together.
 */
export { run, DEFAULT_DNS_CONFIG } from './run.ts';
export { ClusterRecords } from './cluster-records.ts';

export { decodeMessage, encodeMessage, TYPE } from './message.ts';
