/**
 * What admission did to one request, for `why request`: how long each plugin took, what it changed, what it called. Every write is
 * recorded and almost none is asked for: when a request is answered, what its record says is packed into slots that are there, and
 * the record, still in the processor's cache, becomes that of the next request.
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

/** A run that is being recorded. */
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

  /** How many numbers `pack` writes. */
  get packedLength(): number {
    return FIRST_PACKED_TIME + this.plugins.length;
  }

  pack(numbers: Float64Array, at: number): void {
    const own = this.#numbers;
    numbers[at] = this.type === 'admit' ? 0 : 1;
    numbers[at + 1] = this.#refusedBy;
    for (let i = 0, end = FIRST_TIME + this.plugins.length; i < end; i++) numbers[at + 2 + i] = own[i]!;
  }
}

function unpackRun(numbers: Float64Array, plugins: readonly string[]): ReadRun {
  const [type, refusedBy = -1, startedAt = 0, endedAt = Number.NaN, ...times] = numbers;
  return {
    type: type === 0 ? 'admit' : 'validate',
    plugins,
    times,
    startedAt,
    endedAt: Number.isNaN(endedAt) ? undefined : endedAt,
    refusedBy: refusedBy < 0 ? undefined : refusedBy,
  };
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
/** Of a run's numbers: the first of a plugin. Packed, its type and who refused it come before. */
const FIRST_TIME = 2;
const FIRST_PACKED_TIME = 4;

/** Numbers and texts that `pack` writes at most: of two runs and five changes, as nearly all requests have. */
export const PACKED_NUMBERS = 44;
const PACKED_RUNS = 2;
const PACKED_CHANGES = 5;
const TEXTS_OF_CHANGE = 3;
export const PACKED_TEXTS = PACKED_RUNS + PACKED_CHANGES * TEXTS_OF_CHANGE;

const NONE: readonly never[] = [];

export class AdmissionRecord {
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
      runs: this.#runs.slice(0, this.#runCount).map((run) => {
        const numbers = new Float64Array(run.packedLength);
        run.pack(numbers, 0);
        return unpackRun(numbers, run.plugins);
      }),
      changes: changesOf(this.#changes.slice(0, this.#changeLength)),
      calls: this.calls,
      omittedCalls: this.omittedCalls,
    };
  }

  /** Writes it into slots of a ring; false where it does not fit. */
  pack({ numbers, numbersAt, texts, textsAt }: AdmissionSlots): boolean {
    const [first, second] = this.#runs;
    const [runs, changes] = [this.#runCount, this.#changeLength];
    if (runs > PACKED_RUNS || changes > PACKED_CHANGES * TEXTS_OF_CHANGE || this.calls.length > 0) return false;
    const secondAt = runs > 0 ? 2 + first!.packedLength : 2;
    const length = runs > 1 ? secondAt + second!.packedLength : secondAt;
    if (length > PACKED_NUMBERS) return false;
    numbers[numbersAt] = runs;
    numbers[numbersAt + 1] = changes;
    if (runs > 0) first!.pack(numbers, numbersAt + 2);
    if (runs > 1) second!.pack(numbers, numbersAt + secondAt);
    texts[textsAt] = runs > 0 ? first!.plugins : undefined;
    texts[textsAt + 1] = runs > 1 ? second!.plugins : undefined;
    for (let i = 0; i < changes; i++) texts[textsAt + PACKED_RUNS + i] = this.#changes[i];
    return true;
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

  /** About how many bytes of memory it takes, where it does not fit into slots. */
  get size(): number {
    let bytes = 200 + this.#changes.length * 16 + this.#runs.length * 320;
    for (const { message = '', patch = '' } of this.calls) bytes += 200 + message.length + patch.length;
    return bytes;
  }
}

/** Where a record is packed: `PACKED_NUMBERS` and `PACKED_TEXTS` from there on. */
interface AdmissionSlots {
  readonly numbers: Float64Array;
  readonly numbersAt: number;
  readonly texts: unknown[];
  readonly textsAt: number;
}

export function unpackAdmission({ numbers, numbersAt, texts, textsAt }: AdmissionSlots): ReadAdmission {
  const [runs = 0, changes = 0] = numbers.subarray(numbersAt, numbersAt + 2);
  let at = numbersAt + 2;
  return {
    runs: (texts.slice(textsAt, textsAt + runs) as (readonly string[])[]).map((plugins) => {
      const from = at;
      at += FIRST_PACKED_TIME + plugins.length;
      return unpackRun(numbers.subarray(from, at), plugins);
    }),
    changes: changesOf(texts.slice(textsAt + PACKED_RUNS, textsAt + PACKED_RUNS + changes) as (string | undefined)[]),
    calls: [],
    omittedCalls: 0,
  };
}

function changesOf(texts: readonly (string | undefined)[]): AdmissionChange[] {
  return Array.from({ length: texts.length / TEXTS_OF_CHANGE }, (_, i) => {
    const [plugin = '', field = '', name = ''] = texts.slice(TEXTS_OF_CHANGE * i);
    return { plugin, field: field.replace('{}', () => name) };
  });
}
