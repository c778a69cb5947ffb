/**
 * metrics-server: the resource metrics API (`metrics.k8s.io/v1beta1`) with the CPU and memory usage of nodes and pods,
 * for `kubectl top` and autoscalers. `run` scrapes every node's kubelet, `samples` keeps the last two readings and
 * computes the usage between them, and `metrics-api` is served through the API server's aggregation layer.
 */
export { run } from './run.ts';
