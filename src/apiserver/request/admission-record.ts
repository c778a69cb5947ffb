/** What admission did to one request, for `why request`: how long each plugin took, what it changed, what it called. */

/** One run of the mutating or the validating step. */
export interface AdmissionRun {
  readonly type: 'admit' | 'validate';
  /** Of all plugins of the step, in their order: shared by all requests. */
  readonly plugins: readonly string[];
  /** Milliseconds by plugin; NaN for one that does not concern the request, which keeps the numbers unboxed. */
  readonly times: number[];
  readonly startedAt: number;
  /** On the monotonic clock; undefined where a plugin refused the request. */
  endedAt: number | undefined;
  /** The index of the plugin that refused it. */
  refusedBy: number | undefined;
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

const NONE: readonly never[] = [];

export class AdmissionRecord {
  /** Arrays of their exact length: most requests have two runs, few changes and no calls. */
  runs: readonly AdmissionRun[] = NONE;
  calls: readonly AdmissionCall[] = NONE;
  omittedCalls = 0;
  /** The plugin that runs now. */
  plugin = '';
  /** Plugins and fields, in turn. */
  #changes: readonly string[] = NONE;

  began(run: AdmissionRun): void {
    this.runs = [...this.runs, run];
  }

  changed(field: string): void {
    this.#changes = [...this.#changes, this.plugin, field];
  }

  get changes(): AdmissionChange[] {
    const changes = this.#changes;
    return Array.from({ length: changes.length / 2 }, (_, i) => ({
      plugin: changes[2 * i]!,
      field: changes[2 * i + 1]!,
    }));
  }

  called({ message, patch, ...call }: AdmissionCall): void {
    if (this.calls.length >= MAX_CALLS) this.omittedCalls++;
    else
      this.calls = [
        ...this.calls,
        {
          ...call,
          ...(message === undefined ? {} : { message: message.slice(0, MAX_TEXT) }),
          ...(patch === undefined ? {} : { patch: patch.slice(0, MAX_TEXT) }),
        },
      ];
  }

  /** About how many bytes of memory it takes. */
  get size(): number {
    let bytes = 200 + this.#changes.length * 32;
    for (const { times } of this.runs) bytes += 120 + times.length * 8;
    for (const { message = '', patch = '' } of this.calls) bytes += 200 + message.length + patch.length;
    return bytes;
  }
}
