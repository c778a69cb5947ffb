/** What admission did to one request, for `why request`: how long each plugin took, what it changed, what it called. */

/** One run of the mutating or the validating step. */
export interface AdmissionRun {
  readonly type: 'admit' | 'validate';
  /** Of all plugins of the step, in their order: shared by all requests. */
  readonly plugins: readonly string[];
  /** Milliseconds by plugin; absent for one that does not concern the request. */
  readonly times: (number | undefined)[];
  readonly startedAt: number;
  /** On the monotonic clock; absent where a plugin refused the request. */
  endedAt?: number;
  /** The index of the plugin that refused it. */
  refusedBy?: number;
}

/** A webhook or a policy that was evaluated. */
export interface AdmissionCall {
  readonly plugin: string;
  /** The webhook with its configuration, or the policy with its binding. */
  readonly name: string;
  readonly configuration: string;
  readonly milliseconds: number;
  readonly outcome: 'allowed' | 'changed' | 'denied' | 'failed' | 'ignored';
  /** The denial, or why the call failed. */
  readonly message?: string;
  /** The JSON patch, shortened. */
  readonly patch?: string;
}

/** A field that a plugin set. */
interface AdmissionChange {
  readonly plugin: string;
  readonly field: string;
}

/** A request can match many webhooks and policies: those beyond are counted only. */
const MAX_CALLS = 50;
const MAX_TEXT = 2048;

export class AdmissionRecord {
  readonly runs: AdmissionRun[] = [];
  readonly changes: AdmissionChange[] = [];
  readonly calls: AdmissionCall[] = [];
  omittedCalls = 0;
  /** The plugin that runs now. */
  plugin = '';

  changed(field: string): void {
    this.changes.push({ plugin: this.plugin, field });
  }

  called({ message, patch, ...call }: AdmissionCall): void {
    if (this.calls.length >= MAX_CALLS) this.omittedCalls++;
    else
      this.calls.push({
        ...call,
        ...(message === undefined ? {} : { message: message.slice(0, MAX_TEXT) }),
        ...(patch === undefined ? {} : { patch: patch.slice(0, MAX_TEXT) }),
      });
  }

  /** About how many bytes of memory it takes. */
  get size(): number {
    let bytes = 200 + this.changes.length * 64;
    for (const { times } of this.runs) bytes += 120 + times.length * 16;
    for (const { message = '', patch = '' } of this.calls) bytes += 200 + message.length + patch.length;
    return bytes;
  }
}
