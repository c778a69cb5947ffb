/** Flags that components share: API client, leader election, logging, and flags of Go programs that have no meaning here. */
import type { FlagTable } from './flag-table.ts';

const GO_RUNTIME = 'it configures the Go runtime';

export const loggingFlags = {
  v: { kind: 'whole', shorthand: 'v', default: 0, section: 'Logging', summary: 'Log verbosity' },
  'logging-format': {
    kind: 'text',
    default: 'text',
    only: ['text', 'json'],
    section: 'Logging',
    summary: 'Format of log lines',
  },
  vmodule: { kind: 'texts', refused: 'all modules have the same verbosity' },
  'log-flush-frequency': { kind: 'duration', ignored: 'log lines are not buffered' },
  'log-json-info-buffer-size': { kind: 'text', ignored: 'log lines are not buffered' },
  'log-json-split-stream': { kind: 'switch', only: ['false'], refused: 'all log lines go to standard error' },
  'log-text-info-buffer-size': { kind: 'text', ignored: 'log lines are not buffered' },
  'log-text-split-stream': { kind: 'switch', only: ['false'], refused: 'all log lines go to standard error' },
} as const satisfies FlagTable;

export const processFlags = {
  profiling: { kind: 'switch', ignored: GO_RUNTIME },
  'contention-profiling': { kind: 'switch', ignored: GO_RUNTIME },
  'allow-metric-labels': { kind: 'pairs', refused: 'labels of metrics are not limited' },
  'allow-metric-labels-manifest': { kind: 'text', refused: 'labels of metrics are not limited' },
  'disabled-metrics': { kind: 'texts', section: 'General', summary: 'Names of metrics that are not shown' },
  'show-hidden-metrics-for-version': { kind: 'text', ignored: 'no metric is hidden' },
  'emulated-version': {
    kind: 'texts',
    section: 'General',
    summary: 'Version to behave as: 1.33 to the own one; its feature gates and APIs apply',
  },
  'min-compatibility-version': {
    kind: 'texts',
    section: 'General',
    summary: 'Oldest version to be compatible with; default the one before the emulated version',
  },
} as const satisfies FlagTable;

/** The connection to the API server. `burst` is the component's default. */
export const clientFlags = (burst: number) =>
  ({
    kubeconfig: { kind: 'text', section: 'General', summary: 'Kubeconfig file of the API server' },
    master: { kind: 'text', section: 'General', summary: 'Address of the API server; overrides the kubeconfig' },
    'kube-api-qps': {
      kind: 'number',
      section: 'General',
      summary: 'Queries per second to the API server; unlimited by default',
    },
    'kube-api-burst': {
      kind: 'whole',
      section: 'General',
      summary: `Burst of queries when --kube-api-qps is set (default ${burst})`,
    },
    'kube-api-content-type': { kind: 'text', ignored: 'the client uses JSON' },
  }) as const satisfies FlagTable;

/** `subject` is what runs as the leader: `controllers run`. */
export const leaderElectionFlags = (
  subject: string,
  defaults: {
    readonly leaseDurationMs: number;
    readonly renewDeadlineMs: number;
    readonly retryPeriodMs: number;
    readonly resourceName: string;
    readonly resourceNamespace: string;
  },
) =>
  ({
    'leader-elect': {
      kind: 'switch',
      default: true,
      section: 'Leader election',
      summary: `Elect a leader before the ${subject}`,
    },
    'leader-elect-lease-duration': {
      kind: 'duration',
      default: defaults.leaseDurationMs,
      section: 'Leader election',
      summary: 'Duration that candidates wait before they take over a lease that is not renewed',
    },
    'leader-elect-renew-deadline': {
      kind: 'duration',
      default: defaults.renewDeadlineMs,
      section: 'Leader election',
      summary: 'Duration that the leader retries to renew its lease before it gives up',
    },
    'leader-elect-retry-period': {
      kind: 'duration',
      default: defaults.retryPeriodMs,
      section: 'Leader election',
      summary: 'Duration between attempts to acquire or renew the lease',
    },
    'leader-elect-resource-lock': { kind: 'text', only: ['leases'], refused: 'the lock is a Lease' },
    'leader-elect-resource-name': {
      kind: 'text',
      default: defaults.resourceName,
      section: 'Leader election',
      summary: 'Name of the Lease',
    },
    'leader-elect-resource-namespace': {
      kind: 'text',
      default: defaults.resourceNamespace,
      section: 'Leader election',
      summary: 'Namespace of the Lease',
    },
  }) as const satisfies FlagTable;

interface ContextFlags {
  readonly v: number;
  readonly 'logging-format': string;
  readonly 'disabled-metrics'?: readonly string[] | undefined;
}

/** The context options that the flags of logging and metrics set. */
export const contextOptions = (values: ContextFlags) => ({
  verbosity: values.v,
  logFormat: values['logging-format'] === 'json' ? ('json' as const) : ('text' as const),
  disabledMetrics: values['disabled-metrics'] ?? [],
});
