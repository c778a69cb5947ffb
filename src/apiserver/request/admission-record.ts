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
const SPARE_NAMES = 16;

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

/** Numbers and texts that `pack` writes at most: the shape, and the names in two changes. Nearly all requests have two runs and few names. */
export const PACKED_NUMBERS = 44;
const PACKED_NAMES = 2;
export const PACKED_TEXTS = 1 + PACKED_NAMES;

const NONE: readonly never[] = [];

const MAX_SHAPES = 4096;
const SHAPE_BYTES = 100;

/** The shapes that requests share. When it is full, others belong to their record alone. */
export class AdmissionShapes {
  #count = 0;
  readonly nothingDone: AdmissionShape;

  constructor() {
    this.nothingDone = new AdmissionShape(this, undefined, undefined, '', '');
    this.nothingDone.isShared = true;
  }

  get isFull(): boolean {
    return this.#count >= MAX_SHAPES;
  }

  added(): void {
    this.#count++;
  }
}

/**
 * What a record says apart from numbers and names: its runs and changes in their order, each a step from the shape before. Requests of one
 * kind take the same steps and so have the same shape: a record of it is one reference.
 */
class AdmissionShape {
  readonly #shapes: AdmissionShapes;
  readonly before: AdmissionShape | undefined;
  /** Of a run; undefined for a change. */
  readonly plugins: readonly string[] | undefined;
  /** Of a change. */
  readonly plugin: string;
  readonly field: string;
  readonly length: number;
  readonly runCount: number;
  /** Others have it, too: a record need not count what it takes. */
  isShared = false;
  #next: Map<readonly string[] | string, AdmissionShape> | undefined = undefined;
  /** The newest step. */
  #last: AdmissionShape | undefined = undefined;

  constructor(
    shapes: AdmissionShapes,
    before: AdmissionShape | undefined,
    plugins: readonly string[] | undefined,
    plugin: string,
    field: string,
  ) {
    this.#shapes = shapes;
    this.before = before;
    this.plugins = plugins;
    this.plugin = plugin;
    this.field = field;
    this.length = before === undefined ? 0 : before.length + 1;
    this.runCount = (before?.runCount ?? 0) + (plugins === undefined ? 0 : 1);
  }

  withRun(plugins: readonly string[]): AdmissionShape {
    if (this.#last?.plugins === plugins) return this.#last;
    return this.#step(plugins, this.#next?.get(plugins) ?? new AdmissionShape(this.#shapes, this, plugins, '', ''));
  }

  withChange(plugin: string, field: string): AdmissionShape {
    const known = this.#last?.field === field ? this.#last : this.#next?.get(field);
    if (known?.plugin === plugin) return known;
    return this.#step(field, new AdmissionShape(this.#shapes, this, undefined, plugin, field));
  }

  #step(key: readonly string[] | string, to: AdmissionShape): AdmissionShape {
    if (!to.isShared) {
      if (!this.isShared || this.#shapes.isFull) return to;
      this.#shapes.added();
      to.isShared = true;
    }
    this.#next ??= new Map();
    this.#next.set(key, to);
    return (this.#last = to);
  }
}

export class AdmissionRecord {
  #requestStartedAt = 0;
  /** Of all runs, one behind the other. */
  #numbers = new Float32Array(PACKED_NUMBERS);
  #length = 0;
  #shape: AdmissionShape;
  calls: readonly AdmissionCall[] = NONE;
  omittedCalls = 0;
  /** The plugin that runs now. */
  plugin = '';
  /** Those in the fields of changes, in their order. */
  readonly #names: string[] = [];
  #nameCount = 0;

  constructor(shapes = new AdmissionShapes()) {
    this.#shape = shapes.nothingDone;
  }

  /** Of another request, which started then, on the monotonic clock. */
  begin(requestStartedAt: number, { nothingDone }: AdmissionShapes): void {
    this.#requestStartedAt = requestStartedAt;
    if (this.#numbers.length > SPARE_NUMBERS) this.#numbers = new Float32Array(PACKED_NUMBERS);
    if (this.#names.length > SPARE_NAMES) this.#names.length = SPARE_NAMES;
    this.#length = 0;
    this.#shape = nothingDone;
    if (this.calls.length > 0) this.calls = NONE;
    this.omittedCalls = 0;
    this.#nameCount = 0;
  }

  /** Begins a run of a step. The result names it; it is negative where the run is not recorded. */
  began(type: ReadRun['type'], plugins: readonly string[], startedAt: number): number {
    if (this.#shape.runCount === MAX_RUNS) return -1;
    const run = this.#length;
    const end = run + FIRST_TIME + plugins.length;
    if (end > this.#numbers.length) this.#grow(end);
    const numbers = this.#numbers;
    numbers[run] = type === 'admit' ? ADMIT : VALIDATE;
    numbers[run + REFUSED_BY] = Number.NaN;
    numbers[run + STARTED] = startedAt - this.#requestStartedAt;
    for (let i = run + ENDED; i < end; i++) numbers[i] = Number.NaN;
    this.#shape = this.#shape.withRun(plugins);
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
    this.#shape = this.#shape.withChange(this.plugin, field);
    if (name !== undefined) this.#names[this.#nameCount++] = name;
  }

  read(): ReadAdmission {
    return {
      ...readShape(this.#shape, {
        numbers: this.#numbers,
        names: this.#names,
        requestStartedAt: this.#requestStartedAt,
      }),
      calls: this.calls,
      omittedCalls: this.omittedCalls,
    };
  }

  /** Writes it into slots of a ring; false where it does not fit. */
  pack({ numbers, numbersAt, texts, textsAt }: AdmissionSlots): boolean {
    const [names, length] = [this.#nameCount, this.#length];
    const fits = names <= PACKED_NAMES && length <= PACKED_NUMBERS && this.#shape.isShared;
    if (!fits || this.calls.length > 0) return false;
    const own = this.#numbers;
    for (let i = 0; i < length; i++) numbers[numbersAt + i] = own[i]!;
    texts[textsAt] = this.#shape;
    for (let i = 0; i < names; i++) texts[textsAt + 1 + i] = this.#names[i];
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
    let bytes = 200 + this.#shape.length * SHAPE_BYTES + this.#names.length * 16 + this.#numbers.length * 4;
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
  const [shape, ...names] = texts.slice(textsAt, textsAt + PACKED_TEXTS) as [AdmissionShape, ...string[]];
  const own = numbers.subarray(numbersAt, numbersAt + PACKED_NUMBERS);
  return { ...readShape(shape, { numbers: own, names, requestStartedAt }), calls: [], omittedCalls: 0 };
}

interface ShapeValues {
  readonly numbers: Float32Array;
  readonly names: readonly string[];
  readonly requestStartedAt: number;
}

function readShape(
  shape: AdmissionShape,
  { numbers, names, requestStartedAt }: ShapeValues,
): Pick<ReadAdmission, 'runs' | 'changes'> {
  const steps: AdmissionShape[] = [];
  for (let at = shape; at.before !== undefined; at = at.before) steps.unshift(at);
  let name = 0;
  return {
    runs: readRuns(
      numbers,
      steps.flatMap(({ plugins }) => (plugins ? [plugins] : [])),
      requestStartedAt,
    ),
    changes: steps
      .filter(({ plugins }) => !plugins)
      .map(({ plugin, field }) => ({ plugin, field: field.replace('{}', () => names[name++] ?? '') })),
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
