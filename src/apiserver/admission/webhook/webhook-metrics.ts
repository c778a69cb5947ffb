/** Metrics of admission webhook calls, under upstream's names. */
import type { MetricsRegistry } from '../../../kernel/index.ts';
import type { Operation } from '../admission.ts';

export interface WebhookLabels {
  readonly name: string;
  readonly type: 'admit' | 'validating';
  readonly operation: Operation;
}

/** `calling_webhook_error`: the call failed. `apiserver_internal_error`: the response was unusable. `no_error`: a denial. */
type RejectionType = 'calling_webhook_error' | 'apiserver_internal_error' | 'no_error';

const BUCKETS = [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 25];
/** Higher codes count as this one: a webhook must not create an unlimited number of series. */
const MAX_CODE = 600;

const codeText = (code: number): string => String(Math.min(code, MAX_CODE));

export class WebhookMetrics {
  readonly #duration;
  readonly #requests;
  readonly #rejections;
  readonly #failedOpen;

  constructor(metrics: MetricsRegistry) {
    this.#duration = metrics.histogram({
      name: 'apiserver_admission_webhook_admission_duration_seconds',
      help: 'Duration of admission webhook calls, by name, operation, outcome and type.',
      labels: ['name', 'operation', 'rejected', 'type'],
      buckets: BUCKETS,
    });
    this.#requests = metrics.counter({
      name: 'apiserver_admission_webhook_request_total',
      help: 'Calls of admission webhooks, by name, type, operation, HTTP status and outcome.',
      labels: ['name', 'type', 'operation', 'code', 'rejected'],
    });
    this.#rejections = metrics.counter({
      name: 'apiserver_admission_webhook_rejection_count',
      help: 'Requests that admission webhooks rejected, by name, type, operation, error type and code.',
      labels: ['name', 'type', 'operation', 'error_type', 'rejection_code'],
    });
    this.#failedOpen = metrics.counter({
      name: 'apiserver_admission_webhook_fail_open_count',
      help: 'Requests that were admitted although an admission webhook failed, by name and type.',
      labels: ['name', 'type'],
    });
  }

  called({ name, type, operation }: WebhookLabels, seconds: number, code: number, rejected: boolean): void {
    this.#duration.observe(seconds, { name, operation, rejected: String(rejected), type });
    this.#requests.inc({ name, type, operation, code: codeText(code), rejected: String(rejected) });
  }

  rejected({ name, type, operation }: WebhookLabels, error: RejectionType, code: number): void {
    this.#rejections.inc({ name, type, operation, error_type: error, rejection_code: codeText(code) });
  }

  failedOpen({ name, type }: Pick<WebhookLabels, 'name' | 'type'>): void {
    this.#failedOpen.inc({ name, type });
  }
}
