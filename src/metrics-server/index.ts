/**
 * The resource metrics API (`metrics.k8s.io/v1beta1`), which `kubectl top` and autoscalers read: what nodes and containers use.
 * Every node's kubelet is asked for its counters; of each the last two samples are kept, and what
 * lies between them is the usage. `MetricsServer.api` is served through the API server's aggregation layer.
 */
export { run } from './run.ts';
