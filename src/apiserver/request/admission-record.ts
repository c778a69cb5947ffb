/**
 * What admission did to one request, for `why request`: how long each plugin took, what it changed, what it called. Every write is
 * recorded and almost none is asked for, so a record whose request is forgotten becomes that of another request.
 */

/** One run of the mutating or the validating step, as it is read. */
interface ReadRun {
  readonly type: 'admit' | 'validate';
  /** Of all plugins of the step, in their order. */
  readonly plugins: readonly string[];
  /** Milliseconds by plugin; NaN for one that does not concern the request. */
  readonly times: readonly number[];
  readonly startedAt: number;
  /** On the monotonic clock; undefined where a plugin refused the request. */
  readonly endedAt: number | undefined;
  /** The index of the plugin that refused it. */
  readonly refusedBy: number | undefined;
}

/** What was recorded of the admission of one request. */
export interface ReadAdmission {
  readonly runs: readonly ReadRun[];
  readonly changes: readonly AdmissionChange[];
  readonly calls: readonly AdmissionCall[];
  readonly omittedCalls: number;
}

/** A run that is being recorded. Numbers are side by side, without boxes, in an array that later requests use, too. */
export class AdmissionRun {
  type: 'admit' | 'validate' = 'admit';
  /** Shared by all requests. */
  plugins: readonly string[] = NONE;
  #refusedBy = -1;
  /** When it started and ended, and the time of each plugin; NaN for what there is not. */
  #numbers = new Float64Array(FIRST_TIME + 24);

  begin(type: AdmissionRun['type'], plugins: readonly string[], startedAt: number): void {
    this.type = type;
    this.plugins = plugins;
    this.#refusedBy = -1;
    if (this.#numbers.length < FIRST_TIME + plugins.length)
      this.#numbers = new Float64Array(FIRST_TIME + plugins.length);
    const numbers = this.#numbers;
    for (let i = 1, end = FIRST_TIME + plugins.length; i < end; i++) numbers[i] = Number.NaN;
    numbers[0] = startedAt;
  }

  passed(plugin: number, milliseconds: number): void {
    this.#numbers[FIRST_TIME + plugin] = milliseconds;
  }

  refused(plugin: number, milliseconds: number): void {
    this.passed(plugin, milliseconds);
    this.#refusedBy = plugin;
  }

  ended(at: number): void {
    this.#numbers[1] = at;
  }

  read(): ReadRun {
    const [startedAt = 0, endedAt = Number.NaN, ...times] = this.#numbers.subarray(0, FIRST_TIME + this.plugins.length);
    return {
      type: this.type,
      plugins: this.plugins,
      times,
      startedAt,
      endedAt: Number.isNaN(endedAt) ? undefined : endedAt,
      refusedBy: this.#refusedBy < 0 ? undefined : this.#refusedBy,
    };
  }
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

/** A deletion of a collection has two runs for each object: those beyond are not kept. */
const MAX_RUNS = 200;
/** What a record that is used again keeps of its arrays. */
const SPARE_RUNS = 4;
const SPARE_CHANGES = 60;
/** Of a run's numbers. */
const FIRST_TIME = 2;

const NONE: readonly never[] = [];

export class AdmissionRecord {
  /** Of a request that timed out: its admission may go on, so the record is not used again. */
  isHeld = false;
  /** Those of this request come first. */
  readonly #runs: AdmissionRun[] = [];
  #runCount = 0;
  calls: readonly AdmissionCall[] = NONE;
  omittedCalls = 0;
  /** The plugin that runs now. */
  plugin = '';
  /** A plugin, a field and the name in it, in turn. */
  readonly #changes: (string | undefined)[] = [];
  #changeLength = 0;

  /** Forgets the request. */
  reset(): void {
    if (this.#runs.length > SPARE_RUNS) this.#runs.length = SPARE_RUNS;
    if (this.#changes.length > SPARE_CHANGES) this.#changes.length = SPARE_CHANGES;
    this.#runCount = 0;
    if (this.calls.length > 0) this.calls = NONE;
    this.omittedCalls = 0;
    this.#changeLength = 0;
  }

  began(type: AdmissionRun['type'], plugins: readonly string[], startedAt: number): AdmissionRun {
    const run = this.#runs[this.#runCount] ?? new AdmissionRun();
    if (this.#runCount < MAX_RUNS) this.#runs[this.#runCount++] = run;
    run.begin(type, plugins, startedAt);
    return run;
  }

  /** A plugin set a field; `name` stands for `{}` in it, so that no text has to be made of both. */
  changed(field: string, name?: string): void {
    const changes = this.#changes;
    changes[this.#changeLength++] = this.plugin;
    changes[this.#changeLength++] = field;
    changes[this.#changeLength++] = name;
  }

  read(): ReadAdmission {
    return {
      runs: this.#runs.slice(0, this.#runCount).map((run) => run.read()),
      changes: Array.from({ length: this.#changeLength / 3 }, (_, i) => {
        const [plugin = '', field = '', name = ''] = this.#changes.slice(3 * i);
        return { plugin, field: field.replace('{}', () => name) };
      }),
      calls: this.calls,
      omittedCalls: this.omittedCalls,
    };
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
    let bytes = 200 + this.#changes.length * 16 + this.#runs.length * 320;
    for (const { message = '', patch = '' } of this.calls) bytes += 200 + message.length + patch.length;
    return bytes;
  }
}
