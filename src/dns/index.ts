/**
 * Cluster DNS: answers names of Services and Pods from the API server's objects, as the Kubernetes DNS specification
 * says, and forwards all other names. It takes the place of CoreDNS at the cluster DNS address. (The search domains
 * and `ndots` of pods are the kubelet's.)
 *
 * `message` is the wire format; `cluster-records` holds the records of the cluster's objects; `answer-query` answers
 * from them (pure); `forwarder` asks upstream servers; `respond` is the story of one request; `serve` owns the
 * sockets; `run` connects these parts.
 */
export { run, DEFAULT_DNS_CONFIG } from './run.ts';
export { ClusterRecords } from './cluster-records.ts';

export { decodeMessage, encodeMessage, TYPE } from './message.ts';
