import { errorMessage } from '../../base/index.ts';
/**
 * The status that a plugin returns. Success is `undefined`, so that the common case costs nothing.
 *
 * - Unschedulable: the pod does not fit now, but preemption might help.
 * - UnschedulableAndUnresolvable: no preemption can help.
 * - Wait: the pod waits in Permit until plugins allow or reject it.
 * - Skip: the plugin does not concern this pod (PreFilter, PreScore), or leaves it to the next plugin (Bind).
 * - Pending: an external component must act first; the pod is then retried without backoff.
 * - Error: an internal failure, which does not mean that the pod does not fit.
 */
export type Code = 'Error' | 'Unschedulable' | 'UnschedulableAndUnresolvable' | 'Wait' | 'Skip' | 'Pending';

export class Status {
  readonly code: Code;
  readonly reasons: readonly string[];
  /** The plugin that returned the status, set by the framework. */
  plugin = '';
  readonly error: unknown;

  constructor(code: Code, reasons: readonly string[] = [], error?: unknown) {
    this.code = code;
    this.reasons = reasons;
    this.error = error;
  }

  get message(): string {
    return this.reasons.join(', ');
  }

  /** Whether the plugin rejected the pod, as opposed to an error. */
  get isRejected(): boolean {
    return this.code === 'Unschedulable' || this.code === 'UnschedulableAndUnresolvable' || this.code === 'Pending';
  }

  from(plugin: string): this {
    if (this.plugin === '') this.plugin = plugin;
    return this;
  }
}

export const unschedulable = (...reasons: string[]): Status => new Status('Unschedulable', reasons);
export const unresolvable = (...reasons: string[]): Status => new Status('UnschedulableAndUnresolvable', reasons);
export const skip = (): Status => new Status('Skip');
export const waiting = (reason = ''): Status => new Status('Wait', reason === '' ? [] : [reason]);

export function errorStatus(error: unknown): Status {
  return new Status('Error', [errorMessage(error)], error);
}
