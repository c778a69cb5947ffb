/** Metrics of API priority and fairness, under upstream's names. Gauges are computed when they are read. */
import type { Counter, MetricsRegistry } from '../../kernel/index.ts';
import type { TooBusy } from './flow-control.ts';
import type { FlowCounts, FlowInstruments, PriorityLevel } from './priority-level.ts';

interface FlowState {
  levels(): readonly PriorityLevel[];
  /** By level and flow schema, separated by `\0`. */
  counts(): ReadonlyMap<string, FlowCounts>;
  readonly serverSeats: number;
  /** The fraction of its demand that each level got at the last lending. */
  fairFraction(): number;
}

const SECONDS = [0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30];
const FLOW = ['priority_level', 'flow_schema'] as const;

export class FlowMetrics {
  readonly #metrics: MetricsRegistry;
  readonly #rejected: Counter<'priority_level' | 'flow_schema' | 'reason'>;

  constructor(metrics: MetricsRegistry, state: FlowState) {
    this.#metrics = metrics;
    this.#rejected = metrics.counter({
      name: 'apiserver_flowcontrol_rejected_requests_total',
      help: 'Number of requests rejected by API Priority and Fairness subsystem',
      labels: [...FLOW, 'reason'],
    });
    registerLevelGauges(metrics, state);
    registerFlowGauges(metrics, state);
  }

  readonly rejected = ({ name }: PriorityLevel, schema: string, reason: TooBusy['reason']): void =>
    this.#rejected.inc({ priority_level: name, flow_schema: schema, reason });

  /** Series appear with the first request. */
  instruments(level: string, schema: string, type: 'regular' | 'watch'): FlowInstruments {
    const labels = { priority_level: level, flow_schema: schema };
    const resolve = () => ({
      dispatched: this.#metrics
        .counter({
          name: 'apiserver_flowcontrol_dispatched_requests_total',
          help: 'Number of requests executed by API Priority and Fairness subsystem',
          labels: FLOW,
        })
        .child(labels),
      waited: this.#metrics
        .histogram({
          name: 'apiserver_flowcontrol_request_wait_duration_seconds',
          help: 'How long requests waited in a queue.',
          labels: [...FLOW, 'execute'],
          buckets: SECONDS,
        })
        .child({ ...labels, execute: 'true' }),
      executed: this.#metrics
        .histogram({
          name: 'apiserver_flowcontrol_request_execution_seconds',
          help: 'How long requests held their seats.',
          labels: [...FLOW, 'type'],
          buckets: SECONDS,
        })
        .child({ ...labels, type }),
      seats: this.#metrics
        .histogram({
          name: 'apiserver_flowcontrol_work_estimated_seats',
          help: 'How many seats requests took.',
          labels: FLOW,
          buckets: [1, 2, 4, 8, 16, 32, 64, 100],
        })
        .child(labels),
      queued: this.#metrics.histogram({
        name: 'apiserver_flowcontrol_request_queue_length_after_enqueue',
        help: 'Length of a queue after a request was added to it.',
        labels: FLOW,
        buckets: [0, 10, 25, 50, 100, 250, 500, 1000],
      }),
    });
    let known: ReturnType<typeof resolve> | undefined;
    return {
      dispatched(waitedMs, width) {
        known ??= resolve();
        known.dispatched.inc();
        known.waited.observe(waitedMs / 1000);
        known.seats.observe(width);
      },
      executed: (tookMs) => known?.executed.observe(tookMs / 1000),
      queued(length) {
        known ??= resolve();
        known.queued.observe(length, labels);
      },
    };
  }
}

function registerLevelGauges(metrics: MetricsRegistry, state: FlowState): void {
  const gauge = (name: string, help: string, value: (level: PriorityLevel) => number): void =>
    metrics
      .gauge({ name: `apiserver_flowcontrol_${name}`, help, labels: ['priority_level'] })
      .collectEach(() =>
        state.levels().map((level) => ({ labels: { priority_level: level.name }, value: value(level) })),
      );
  gauge(
    'nominal_limit_seats',
    'Nominal number of execution seats configured for each priority level',
    ({ nominalSeats }) => nominalSeats,
  );
  gauge('current_limit_seats', 'Seats of a level with those that it borrows or lends.', ({ seats }) => seats);
  gauge('lower_limit_seats', 'Seats that a level does not lend.', ({ minSeats }) => minSeats);
  gauge('upper_limit_seats', 'Seats that a level has at most, with all that it may borrow.', ({ maxSeats }) =>
    Math.min(maxSeats, state.serverSeats),
  );
  gauge(
    'demand_seats_high_watermark',
    'The highest demand for seats since the last lending.',
    ({ highDemand }) => highDemand,
  );
  metrics
    .gauge({
      name: 'apiserver_flowcontrol_seat_fair_frac',
      help: 'The fraction of its demand that each level got at the last lending.',
    })
    .collect(() => state.fairFraction());
}

function registerFlowGauges(metrics: MetricsRegistry, state: FlowState): void {
  const gauge = (name: string, help: string, value: (counts: FlowCounts) => number): void =>
    metrics.gauge({ name: `apiserver_flowcontrol_${name}`, help, labels: FLOW }).collectEach(() =>
      [...state.counts()].map(([key, counts]) => {
        const [level = '', schema = ''] = key.split('\0');
        return { labels: { priority_level: level, flow_schema: schema }, value: value(counts) };
      }),
    );
  gauge('current_executing_requests', 'Requests that run.', ({ executing }) => executing);
  gauge('current_executing_seats', 'Seats of requests that run.', ({ executingSeats }) => executingSeats);
  gauge('current_inqueue_requests', 'Requests that wait in a queue.', ({ waiting }) => waiting);
  gauge('current_inqueue_seats', 'Seats that the waiting requests need.', ({ waitingSeats }) => waitingSeats);
}
