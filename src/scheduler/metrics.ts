/** The scheduler's metrics, under upstream's names. */
import { exponentialBuckets, type Counter, type Gauge, type Histogram, type MetricsRegistry } from '../kernel/index.ts';

type AttemptResult = 'scheduled' | 'unschedulable' | 'error';

export interface SchedulerMetrics {
  readonly scheduleAttempts: Counter<'result' | 'profile'>;
  readonly attemptDuration: Histogram<'result' | 'profile'>;
  readonly algorithmDuration: Histogram;
  readonly extensionPointDuration: Histogram<'extension_point' | 'status' | 'profile'>;
  readonly pluginDuration: Histogram<'plugin' | 'extension_point' | 'status'>;
  readonly pluginEvaluations: Counter<'plugin' | 'extension_point' | 'profile'>;
  readonly podSchedulingAttempts: Histogram;
  readonly preemptionAttempts: Counter;
  readonly preemptionVictims: Histogram;
  readonly pendingPods: Gauge<'queue'>;
  readonly queueIncomingPods: Counter<'queue' | 'event'>;
  readonly inFlightEvents: Gauge;
  readonly unschedulablePods: Gauge<'plugin' | 'profile'>;
  readonly cacheSize: Gauge<'type'>;
  readonly goroutines: Gauge<'operation'>;
  readonly batchAttempts: Counter<'profile' | 'result'>;
  readonly scheduledAfterFlush: Counter;
  readonly eventHandlingDuration: Histogram<'event'>;
  readonly hintDuration: Histogram<'plugin' | 'event' | 'hint'>;
  readonly nodeHintDuration: Histogram<'hinted' | 'profile'>;
  /** Counts a scheduling attempt and observes its duration. */
  observeAttempt(result: AttemptResult, profile: string, seconds: number): void;
  /** Observes an evaluation of the nodes: with the results of equal pods (`hint_used`), or without. */
  observeEvaluation(profile: string, result: 'hint_used' | 'hint_not_used', seconds: number): void;
  /** Observes how long an informer event took. */
  observeEvent(event: string, seconds: number): void;
  /** Counts a pod that was added to one of the queues. */
  countIncoming(queue: string, event: string): void;
}

const SECONDS = exponentialBuckets(0.001, 2, 15);
const SHORT_BUCKETS = exponentialBuckets(0.0001, 2, 12);
const VERY_SHORT_BUCKETS = exponentialBuckets(0.00001, 1.5, 20);

export function schedulerMetrics(registry: MetricsRegistry): SchedulerMetrics {
  const metrics = { ...attemptMetrics(registry), ...queueMetrics(registry), ...preemptionMetrics(registry) };
  const attempts = byTwoLabels((result, profile) => metrics.scheduleAttempts.child({ result, profile }));
  const durations = byTwoLabels((result, profile) => metrics.attemptDuration.child({ result, profile }));
  const evaluations = byTwoLabels((profile, result) => metrics.batchAttempts.child({ profile, result }));
  const hints = byTwoLabels((profile, hinted) => metrics.nodeHintDuration.child({ profile, hinted }));
  const events = byTwoLabels((event) => metrics.eventHandlingDuration.child({ event }));
  const incoming = byTwoLabels((queue, event) => metrics.queueIncomingPods.child({ queue, event }));
  return {
    ...metrics,
    observeAttempt(result, profile, seconds) {
      attempts(result, profile).inc();
      durations(result, profile).observe(seconds);
    },
    observeEvaluation(profile, result, seconds) {
      evaluations(profile, result).inc();
      hints(profile, result === 'hint_used' ? 'true' : 'false').observe(seconds);
    },
    observeEvent: (event, seconds) => events(event, '').observe(seconds),
    countIncoming: (queue, event) => incoming(queue, event).inc(),
  };
}

/** Caches the child of a metric by two labels, so that counting a pod costs no label lookup. */
export function byTwoLabels<T>(child: (first: string, second: string) => T): (first: string, second: string) => T {
  const known = new Map<string, Map<string, T>>();
  return (first, second) => {
    let bySecond = known.get(first);
    if (bySecond === undefined) known.set(first, (bySecond = new Map<string, T>()));
    let found = bySecond.get(second);
    if (found === undefined) bySecond.set(second, (found = child(first, second)));
    return found;
  };
}

const attemptMetrics = (registry: MetricsRegistry) => ({
  scheduleAttempts: registry.counter({
    name: 'scheduler_schedule_attempts_total',
    help: 'Number of attempts to schedule pods, by result.',
    labels: ['result', 'profile'],
  }),
  attemptDuration: registry.histogram({
    name: 'scheduler_scheduling_attempt_duration_seconds',
    help: 'Scheduling attempt latency in seconds (scheduling algorithm + binding).',
    labels: ['result', 'profile'],
    buckets: SECONDS,
  }),
  algorithmDuration: registry.histogram({
    name: 'scheduler_scheduling_algorithm_duration_seconds',
    help: 'Scheduling algorithm latency in seconds.',
    buckets: SECONDS,
  }),
  extensionPointDuration: registry.histogram({
    name: 'scheduler_framework_extension_point_duration_seconds',
    help: 'Latency for running all plugins of an extension point.',
    labels: ['extension_point', 'status', 'profile'],
    buckets: SHORT_BUCKETS,
  }),
  pluginDuration: registry.histogram({
    name: 'scheduler_plugin_execution_duration_seconds',
    help: 'Duration for running a plugin at an extension point.',
    labels: ['plugin', 'extension_point', 'status'],
    buckets: VERY_SHORT_BUCKETS,
  }),
  pluginEvaluations: registry.counter({
    name: 'scheduler_plugin_evaluation_total',
    help: 'Number of evaluations by plugin and extension point.',
    labels: ['plugin', 'extension_point', 'profile'],
  }),
  podSchedulingAttempts: registry.histogram({
    name: 'scheduler_pod_scheduling_attempts',
    help: 'Number of attempts to schedule a pod.',
    buckets: [1, 2, 4, 8, 16],
  }),
  batchAttempts: registry.counter({
    name: 'scheduler_batch_attempts_total',
    help: 'Number of attempts with and without a shared evaluation.',
    labels: ['profile', 'result'],
  }),
  nodeHintDuration: registry.histogram({
    name: 'scheduler_get_node_hint_duration_seconds',
    help: 'Latency of updating an evaluation.',
    labels: ['hinted', 'profile'],
    buckets: VERY_SHORT_BUCKETS,
  }),
});

const queueMetrics = (registry: MetricsRegistry) => ({
  pendingPods: registry.gauge({
    name: 'scheduler_pending_pods',
    help: 'Number of pending pods, by queue.',
    labels: ['queue'],
  }),
  queueIncomingPods: registry.counter({
    name: 'scheduler_queue_incoming_pods_total',
    help: 'Number of pods added to scheduling queues, by event and queue.',
    labels: ['queue', 'event'],
  }),
  inFlightEvents: registry.gauge({
    name: 'scheduler_inflight_events',
    help: 'Number of events that are kept for pods being scheduled.',
  }),
  unschedulablePods: registry.gauge({
    name: 'scheduler_unschedulable_pods',
    help: 'Number of unschedulable pods, by plugin.',
    labels: ['plugin', 'profile'],
  }),
  scheduledAfterFlush: registry.counter({
    name: 'scheduler_pod_scheduled_after_flush_total',
    help: 'Number of pods that were scheduled only after they had been flushed from the unschedulable queue.',
  }),
  eventHandlingDuration: registry.histogram({
    name: 'scheduler_event_handling_duration_seconds',
    help: 'Event handling latency in seconds.',
    labels: ['event'],
    buckets: SHORT_BUCKETS,
  }),
  hintDuration: registry.histogram({
    name: 'scheduler_queueing_hint_execution_duration_seconds',
    help: 'Latency for running a queueing hint.',
    labels: ['plugin', 'event', 'hint'],
    buckets: SHORT_BUCKETS,
  }),
  cacheSize: registry.gauge({
    name: 'scheduler_cache_size',
    help: 'Number of nodes, pods and assumed pods in the scheduler cache.',
    labels: ['type'],
  }),
  goroutines: registry.gauge({
    name: 'scheduler_goroutines',
    help: 'Number of running tasks, by operation.',
    labels: ['operation'],
  }),
});

const preemptionMetrics = (registry: MetricsRegistry) => ({
  preemptionAttempts: registry.counter({
    name: 'scheduler_preemption_attempts_total',
    help: 'Total preemption attempts in the cluster.',
  }),
  preemptionVictims: registry.histogram({
    name: 'scheduler_preemption_victims',
    help: 'Number of selected preemption victims.',
    buckets: exponentialBuckets(1, 2, 7),
  }),
});
