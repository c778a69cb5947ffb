/**
 * What a plugin answers. Success is `undefined`, so that the common case costs nothing; everything else says why.
 *
 * - Unschedulable: not here and now, but removing pods might help.
 * - UnschedulableAndUnresolvable: no preemption can help.
 * - Wait: Permit holds the pod back until somebody allows or rejects it.
 * - Skip: the plugin has nothing to do with this pod (PreFilter, PreScore) or leaves it to the next (Bind).
 * - Pending: an outside component must act first; the pod comes back without backoff.
 * - Error: something failed that says nothing about the pod.
 */
export type Code = 'Error' | 'Unschedulable' | 'UnschedulableAndUnresolvable' | 'Wait' | 'Skip' | 'Pending';

export class Status {
  readonly code: Code;
  readonly reasons: readonly string[];
  /** Who says so; the framework fills it in. */
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

  /** Whether the pod was turned down, rather than that something failed. */
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
  return new Status('Error', [error instanceof Error ? error.message : String(error)], error);
}
