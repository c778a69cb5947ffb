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
const SPARE_NUMBERS = 256;
const SPARE_CHANGES = 60;

/**
 * The numbers of a run. Times are in milliseconds and those of the clock count from the start of the request, so that few bits suffice;
 * NaN stands for what there is not.
 *
 *   type, who refused it, started, ended, the time of each plugin
 */
const REFUSED_BY = 1;
const STARTED = 2;
const ENDED = 3;
const FIRST_TIME = 4;
const ADMIT = 0;
const VALIDATE = 1;

/** Numbers and texts that `pack` writes at most: of two runs and five changes, as nearly all requests have. */
export const PACKED_NUMBERS = 44;
const PACKED_RUNS = 2;
const PACKED_CHANGES = 5;
const TEXTS_OF_CHANGE = 3;
export const PACKED_TEXTS = PACKED_RUNS + PACKED_CHANGES * TEXTS_OF_CHANGE;

const NONE: readonly never[] = [];

export class AdmissionRecord {
  #requestStartedAt = 0;
  /** Of all runs, one behind the other. */
  #numbers = new Float32Array(PACKED_NUMBERS);
  #length = 0;
  /** The plugins of each run; the lists are shared by all requests. */
  readonly #plugins: (readonly string[])[] = [];
  #runCount = 0;
  calls: readonly AdmissionCall[] = NONE;
  omittedCalls = 0;
  /** The plugin that runs now. */
  plugin = '';
  /** A plugin, a field and the name in it, in turn. */
  readonly #changes: (string | undefined)[] = [];
  #changeLength = 0;

  /** Of another request, which started then, on the monotonic clock. */
  begin(requestStartedAt: number): void {
    this.#requestStartedAt = requestStartedAt;
    if (this.#numbers.length > SPARE_NUMBERS) this.#numbers = new Float32Array(PACKED_NUMBERS);
    if (this.#changes.length > SPARE_CHANGES) this.#changes.length = SPARE_CHANGES;
    this.#length = 0;
    this.#runCount = 0;
    if (this.calls.length > 0) this.calls = NONE;
    this.omittedCalls = 0;
    this.#changeLength = 0;
  }

  /** Begins a run of a step. The result names it; it is negative where the run is not recorded. */
  began(type: ReadRun['type'], plugins: readonly string[], startedAt: number): number {
    if (this.#runCount === MAX_RUNS) return -1;
    const run = this.#length;
    const end = run + FIRST_TIME + plugins.length;
    if (end > this.#numbers.length) this.#grow(end);
    const numbers = this.#numbers;
    numbers[run] = type === 'admit' ? ADMIT : VALIDATE;
    numbers[run + REFUSED_BY] = Number.NaN;
    numbers[run + STARTED] = startedAt - this.#requestStartedAt;
    for (let i = run + ENDED; i < end; i++) numbers[i] = Number.NaN;
    this.#plugins[this.#runCount++] = plugins;
    this.#length = end;
    return run;
  }

  #grow(length: number): void {
    const numbers = new Float32Array(length * 2);
    numbers.set(this.#numbers);
    this.#numbers = numbers;
  }

  passed(run: number, plugin: number, milliseconds: number): void {
    if (run >= 0) this.#numbers[run + FIRST_TIME + plugin] = milliseconds;
  }

  refused(run: number, plugin: number, milliseconds: number): void {
    this.passed(run, plugin, milliseconds);
    if (run >= 0) this.#numbers[run + REFUSED_BY] = plugin;
  }

  ended(run: number, at: number): void {
    if (run >= 0) this.#numbers[run + ENDED] = at - this.#requestStartedAt;
  }

  /** A plugin set a field; `name` stands for `{}` in it, so that no text has to be made of both. */
  changed(field: string, name?: string): void {
    const changes = this.#changes;
    changes[this.#changeLength++] = this.plugin;
    changes[this.#changeLength++] = field;
    changes[this.#changeLength++] = name;
  }

  read(): ReadAdmission {
    const plugins = this.#plugins.slice(0, this.#runCount);
    return {
      runs: readRuns(this.#numbers, plugins, this.#requestStartedAt),
      changes: changesOf(this.#changes.slice(0, this.#changeLength)),
      calls: this.calls,
      omittedCalls: this.omittedCalls,
    };
  }

  /** Writes it into slots of a ring; false where it does not fit. */
  pack({ numbers, numbersAt, texts, textsAt }: AdmissionSlots): boolean {
    const [runs, changes, length] = [this.#runCount, this.#changeLength, this.#length];
    const fits = runs <= PACKED_RUNS && changes <= PACKED_CHANGES * TEXTS_OF_CHANGE && length <= PACKED_NUMBERS;
    if (!fits || this.calls.length > 0) return false;
    const own = this.#numbers;
    for (let i = 0; i < length; i++) numbers[numbersAt + i] = own[i]!;
    for (let i = 0; i < runs; i++) texts[textsAt + i] = this.#plugins[i];
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
    let bytes = 200 + this.#changes.length * 16 + this.#numbers.length * 4;
    for (const { message = '', patch = '' } of this.calls) bytes += 200 + message.length + patch.length;
    return bytes;
  }
}

/** Where a record is packed: `PACKED_NUMBERS` and `PACKED_TEXTS` from there on. The texts were undefined before. */
interface AdmissionSlots {
  readonly numbers: Float32Array;
  readonly numbersAt: number;
  readonly texts: unknown[];
  readonly textsAt: number;
}

export function unpackAdmission(
  { numbers, numbersAt, texts, textsAt }: AdmissionSlots,
  requestStartedAt: number,
): ReadAdmission {
  const isThere = (text: unknown): boolean => text !== undefined;
  const plugins = texts.slice(textsAt, textsAt + PACKED_RUNS).filter(isThere) as (readonly string[])[];
  const changes = texts.slice(textsAt + PACKED_RUNS, textsAt + PACKED_TEXTS) as (string | undefined)[];
  while (changes.length > 0 && !isThere(changes.at(-TEXTS_OF_CHANGE))) changes.length -= TEXTS_OF_CHANGE;
  return {
    runs: readRuns(numbers.subarray(numbersAt, numbersAt + PACKED_NUMBERS), plugins, requestStartedAt),
    changes: changesOf(changes),
    calls: [],
    omittedCalls: 0,
  };
}

function readRuns(numbers: Float32Array, plugins: readonly (readonly string[])[], requestStartedAt: number): ReadRun[] {
  let run = 0;
  return plugins.map((names) => {
    const end = run + FIRST_TIME + names.length;
    const [type, refusedBy = NaN, started = NaN, ended = NaN, ...times] = numbers.subarray(run, end);
    run = end;
    return {
      type: type === ADMIT ? 'admit' : 'validate',
      plugins: names,
      times,
      startedAt: requestStartedAt + started,
      endedAt: Number.isNaN(ended) ? undefined : requestStartedAt + ended,
      refusedBy: Number.isNaN(refusedBy) ? undefined : refusedBy,
    };
  });
}

function changesOf(texts: readonly (string | undefined)[]): AdmissionChange[] {
  return Array.from({ length: texts.length / TEXTS_OF_CHANGE }, (_, i) => {
    const [plugin = '', field = '', name = ''] = texts.slice(TEXTS_OF_CHANGE * i);
    return { plugin, field: field.replace('{}', () => name) };
  });
}
