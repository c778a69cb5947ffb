import { exponentialBuckets, type MetricsRegistry } from './metrics.ts';

/** Upstream's work queue metrics, for one queue. */
export function workQueueMetrics(registry: MetricsRegistry, name: string) {
  const labels = ['name'] as const;
  const at = { name };
  const depth = registry.gauge({ name: 'workqueue_depth', help: 'Current depth of workqueue', labels });
  const buckets = exponentialBuckets(10e-9, 10, 12);
  return {
    depth: (read: () => number) => depth.collect(read, at),
    unfinished: (read: () => number) =>
      registry
        .gauge({
          name: 'workqueue_unfinished_work_seconds',
          help: 'Seconds of work that is in progress and not yet observed',
          labels,
        })
        .collect(read, at),
    longestRunning: (read: () => number) =>
      registry
        .gauge({
          name: 'workqueue_longest_running_processor_seconds',
          help: 'Seconds the longest running processor has been running',
          labels,
        })
        .collect(read, at),
    adds: registry.counter({ name: 'workqueue_adds_total', help: 'Adds handled by workqueue', labels }).child(at),
    retries: registry
      .counter({ name: 'workqueue_retries_total', help: 'Retries handled by workqueue', labels })
      .child(at),
    queueDuration: registry
      .histogram({
        name: 'workqueue_queue_duration_seconds',
        help: 'Seconds an item stays in workqueue before being requested',
        labels,
        buckets,
      })
      .child(at),
    workDuration: registry
      .histogram({
        name: 'workqueue_work_duration_seconds',
        help: 'Seconds processing an item from workqueue takes',
        labels,
        buckets,
      })
      .child(at),
  };
}

export type WorkQueueMetrics = ReturnType<typeof workQueueMetrics>;
