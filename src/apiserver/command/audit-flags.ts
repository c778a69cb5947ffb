/** The audit flags of kube-apiserver. */
import { type FlagDeclaration, type FlagTable, type FlagValues, UsageError } from '../../flags/index.ts';
import { LOG_BATCHES, WEBHOOK_BATCHES, type BatchOptions } from '../audit/index.ts';

type Declared<Kind extends FlagDeclaration['kind'], Value> = FlagDeclaration & {
  readonly kind: Kind;
  readonly default: Value;
};

type BackendFlags<Name extends string> = Readonly<
  Record<`audit-${Name}-mode`, Declared<'text', string>> &
    Record<`audit-${Name}-batch-max-wait`, Declared<'duration', number>> &
    Record<`audit-${Name}-batch-throttle-qps`, Declared<'number', number>> &
    Record<`audit-${Name}-${'batch-throttle-enable' | 'truncate-enabled'}`, Declared<'switch', boolean>> &
    Record<
      `audit-${Name}-${'batch-buffer-size' | 'batch-max-size' | 'batch-throttle-burst'}`,
      Declared<'whole', number>
    > &
    Record<`audit-${Name}-truncate-${'max-event-size' | 'max-batch-size'}`, Declared<'whole', number>>
>;

/** The flags of how a backend of auditing takes events. */
const auditBackendFlags = <Name extends 'log' | 'webhook'>(name: Name, mode: string, batches: BatchOptions) =>
  ({
    [`audit-${name}-mode`]: {
      kind: 'text',
      default: mode,
      only: ['batch', 'blocking', 'blocking-strict'],
      section: 'Audit',
      summary: 'Whether responses wait for their events (blocking), and requests fail without (blocking-strict)',
    },
    [`audit-${name}-batch-buffer-size`]: {
      kind: 'whole',
      default: batches.bufferSize,
      section: 'Audit',
      summary: 'Maximum number of buffered audit events in batch mode',
    },
    [`audit-${name}-batch-max-size`]: {
      kind: 'whole',
      default: batches.maxSize,
      section: 'Audit',
      summary: 'Maximum number of events of a batch',
    },
    [`audit-${name}-batch-max-wait`]: {
      kind: 'duration',
      default: batches.maxWaitMs,
      section: 'Audit',
      summary: 'Maximum wait before a batch is stored',
    },
    [`audit-${name}-batch-throttle-enable`]: {
      kind: 'switch',
      default: batches.throttle !== undefined,
      section: 'Audit',
      summary: 'Limit the rate of batches',
    },
    [`audit-${name}-batch-throttle-qps`]: {
      kind: 'number',
      default: batches.throttle?.qps ?? 0,
      section: 'Audit',
      summary: 'Maximum number of batches per second',
    },
    [`audit-${name}-batch-throttle-burst`]: {
      kind: 'whole',
      default: batches.throttle?.burst ?? 0,
      section: 'Audit',
      summary: 'Maximum burst of batches',
    },
    [`audit-${name}-truncate-enabled`]: {
      kind: 'switch',
      default: false,
      section: 'Audit',
      summary: 'Remove the objects of events that are too large',
    },
    [`audit-${name}-truncate-max-event-size`]: {
      kind: 'whole',
      default: 100 * 1024,
      section: 'Audit',
      summary: 'Maximum size of an event in bytes',
    },
    [`audit-${name}-truncate-max-batch-size`]: {
      kind: 'whole',
      default: 10 * 1024 * 1024,
      section: 'Audit',
      summary: 'At least --audit-log-truncate-max-event-size; events are truncated one by one',
    },
  }) as const as BackendFlags<Name>;

export const auditFlags = {
  'audit-policy-file': { kind: 'text', section: 'Audit', summary: 'Audit policy file' },
  'audit-log-path': { kind: 'text', section: 'Audit', summary: 'Audit log file; - for standard output' },
  'audit-log-maxsize': {
    kind: 'whole',
    default: 100,
    section: 'Audit',
    summary: 'Size in megabytes at which the audit log is rotated; 0: never',
  },
  'audit-log-maxbackup': {
    kind: 'whole',
    default: 100,
    section: 'Audit',
    summary: 'Maximum number of rotated audit logs; 0: no limit',
  },
  'audit-log-maxage': {
    kind: 'whole',
    default: 366,
    section: 'Audit',
    summary: 'Maximum age of rotated audit logs in days; 0: no limit',
  },
  'audit-log-format': {
    kind: 'text',
    default: 'json',
    only: ['json', 'legacy'],
    section: 'Audit',
    summary: 'Format of the audit log; legacy is a line of text for each event',
  },
  'audit-log-version': { kind: 'text', only: ['audit.k8s.io/v1'], refused: 'audit events are audit.k8s.io/v1' },
  'audit-log-compress': {
    kind: 'switch',
    default: false,
    section: 'Audit',
    summary: 'Compress rotated audit logs with gzip',
  },
  ...auditBackendFlags('log', 'blocking', LOG_BATCHES),
  'audit-webhook-config-file': { kind: 'text', section: 'Audit', summary: 'Kubeconfig of the audit webhook' },
  ...auditBackendFlags('webhook', 'batch', WEBHOOK_BATCHES),
  'audit-webhook-version': { kind: 'text', only: ['audit.k8s.io/v1'], refused: 'audit events are audit.k8s.io/v1' },
  'audit-webhook-initial-backoff': {
    kind: 'duration',
    default: 10_000,
    section: 'Audit',
    summary: 'Wait before the audit webhook is called again after a failure',
  },
} as const satisfies FlagTable;

export interface AuditBackendOptions {
  readonly mode: string;
  readonly batches: BatchOptions;
  /** The size above which events are truncated. */
  readonly maxEventSize?: number;
}

/** How the backend takes events. Throws a UsageError for what cannot be. */
export function auditBackendOptions(
  values: FlagValues<typeof auditFlags>,
  name: 'log' | 'webhook',
): AuditBackendOptions {
  const batches = {
    bufferSize: values[`audit-${name}-batch-buffer-size`],
    maxSize: values[`audit-${name}-batch-max-size`],
    maxWaitMs: values[`audit-${name}-batch-max-wait`],
    throttle: values[`audit-${name}-batch-throttle-enable`]
      ? { qps: values[`audit-${name}-batch-throttle-qps`], burst: values[`audit-${name}-batch-throttle-burst`] }
      : undefined,
  };
  const mode = values[`audit-${name}-mode`];
  const { bufferSize, maxSize, throttle } = batches;
  if (mode === 'batch') {
    const limits = { 'buffer size': bufferSize, 'max batch size': maxSize };
    const rates = throttle ? { 'throttle QPS': throttle.qps, 'throttle burst': throttle.burst } : {};
    for (const [what, value] of Object.entries({ ...limits, ...rates }))
      if (value <= 0) throw new UsageError(`invalid audit batch ${name} ${what} ${value}, must be a positive number`);
  }
  const event = values[`audit-${name}-truncate-max-event-size`];
  const batch = values[`audit-${name}-truncate-max-batch-size`];
  const invalid = `invalid audit truncate ${name}`;
  if (event <= 0) throw new UsageError(`${invalid} max event size ${event}, must be a positive number`);
  if (batch < event)
    throw new UsageError(`${invalid} max batch size ${batch}, must be greater than max event size (${event})`);
  return { mode, batches, ...(values[`audit-${name}-truncate-enabled`] ? { maxEventSize: event } : {}) };
}
