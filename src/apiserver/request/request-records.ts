/**
 * The newest requests, for `why request AUDIT-ID`: what is known about each when it has been answered. Bounded in bytes. Plain
 * reads are many and have a place of their own, so that they do not displace writes, refusals and slow requests.
 */
import type { MetricsRegistry, ReadSpan } from '../../kernel/index.ts';
import {
  AdmissionRecord,
  AdmissionShapes,
  PACKED_NUMBERS,
  PACKED_TEXTS,
  unpackAdmission,
  type ReadAdmission,
} from './admission-record.ts';
import type { Exchange, FlowIdentity, RecordedDecision } from './exchange.ts';
import type { UserInfo } from './request.ts';

export interface RequestRecord extends ReadSpan {
  readonly method: string;
  /** Absent where it is empty. */
  readonly query: URLSearchParams | undefined;
  readonly identity: UserInfo | undefined;
  readonly impersonator: UserInfo | undefined;
  /** What authorization decided; absent where the request did not get there. */
  readonly decision: RecordedDecision | undefined;
  /** Of the RBAC objects when it was decided. */
  readonly policyGeneration: number;
  /** On the monotonic clock. */
  readonly authorizingAt: number;
  readonly authorizedAt: number;
  readonly flow: FlowIdentity | undefined;
  /** In the queue of its priority level. */
  readonly waitedMs: number;
  readonly failure: string | undefined;
  /** Of a request that may write: the commits of a span are its parts. */
  readonly span: number;
  readonly admission: ReadAdmission | undefined;
}

/** Together with the spans of the kernel's ring at most 32 MB. */
const READ_BYTES = 2 * 1024 * 1024;
const OTHER_BYTES = 4 * 1024 * 1024;
/** Its slots, and the strings that are its own. */
const RECORD_BYTES = 600;
/** With the slots of its admission. */
const WRITE_BYTES = RECORD_BYTES + PACKED_NUMBERS * 4 + PACKED_TEXTS * 8;
const SLOW_MS = 500;
/** Records of admission that wait for a request: as many as are under way at once, mostly. */
const MAX_SPARE = 64;
/** Writes after which shapes may be exchanged for new ones: no record that is kept has any from before the last ones, then. */
const SHAPES_LAST = 8192;

/** What is kept of an exchange. */
export type AnsweredExchange = Pick<
  Exchange,
  | 'startedAt'
  | 'auditId'
  | 'span'
  | 'admission'
  | 'decision'
  | 'policyGeneration'
  | 'authorizingAt'
  | 'authorizedAt'
  | 'waitedMs'
  | 'user'
  | 'impersonator'
  | 'flow'
  | 'failure'
  | 'expired'
> & {
  readonly info: Pick<Exchange['info'], 'verb'>;
  readonly request: Pick<Exchange['request'], 'method' | 'path' | 'query' | 'cause'>;
};

export class RequestRecords {
  readonly #spare: AdmissionRecord[] = [];
  #shapes = new AdmissionShapes();
  /** Since the shapes were new. */
  #recorded = 0;
  readonly #reads = new Ring({ maxBytes: READ_BYTES, recordBytes: RECORD_BYTES, packsAdmission: false });
  readonly #others = new Ring({ maxBytes: OTHER_BYTES, recordBytes: WRITE_BYTES, packsAdmission: true });

  constructor(metrics?: MetricsRegistry) {
    metrics
      ?.gauge({ name: 'k8ts_glass_requests', help: 'Requests that are kept in memory for why request.' })
      .collect(() => this.length);
    metrics
      ?.gauge({ name: 'k8ts_glass_request_bytes', help: 'About how many bytes the kept requests take.' })
      .collect(() => this.bytes);
  }

  get length(): number {
    return this.#reads.length + this.#others.length;
  }

  get bytes(): number {
    return this.#reads.bytes + this.#others.bytes;
  }

  /** For the admission of a request that began then. */
  admissionRecord(requestStartedAt: number): AdmissionRecord {
    if (++this.#recorded >= SHAPES_LAST && this.#shapes.isFull) {
      this.#shapes = new AdmissionShapes();
      this.#recorded = 0;
    }
    const record = this.#spare.pop() ?? new AdmissionRecord(this.#shapes);
    record.begin(requestStartedAt, this.#shapes);
    return record;
  }

  add(exchange: AnsweredExchange, status: number, endedAt: number): void {
    const isPlainRead = !exchange.span && status < 400 && endedAt - exchange.startedAt < SLOW_MS;
    if (isPlainRead) return void this.#reads.add(exchange, status, endedAt);
    const isPacked = this.#others.add(exchange, status, endedAt);
    const { admission } = exchange;
    if (!isPacked || !admission || this.#spare.length === MAX_SPARE) return;
    this.#spare.push(admission);
  }

  /** The newest one with this audit ID: a client may have chosen it, and used it twice. */
  find(auditId: string): RequestRecord | undefined {
    return this.#others.find(auditId) ?? this.#reads.find(auditId);
  }

  /** The newest first, of those that are no plain reads. */
  newest(limit: number, wanted: (record: RequestRecord) => boolean): RequestRecord[] {
    return this.#others.newest(limit, wanted);
  }
}

/** What many requests share: whoever sends one of a kind sends more of them. */
type Common = Pick<
  RequestRecord,
  'verb' | 'method' | 'identity' | 'impersonator' | 'decision' | 'flow' | 'policyGeneration'
>;

/** Of a record, side by side: what is kept of it apart from numbers. The last one is its admission, where that is not packed. */
const TEXTS = 6;
const ADMISSION = 5;
/** Stands for admission whose numbers and texts are in the slots. */
const PACKED = 'packed';
/** Its numbers. The last one is what it counted for: admission of a request that timed out may go on. */
const NUMBERS = 9;
const SIZE = 8;

interface RingOptions {
  readonly maxBytes: number;
  /** Of one record, without the texts that are its own. */
  readonly recordBytes: number;
  readonly packsAdmission: boolean;
}

/**
 * Every request is recorded and almost none is asked for: a record is written into slots that are there, and becomes an object when
 * somebody reads it. An object of its own, with its boxed numbers, would outlive the collector's young generation each time.
 */
class Ring {
  bytes = 0;
  length = 0;
  readonly #maxBytes: number;
  readonly #capacity: number;
  readonly #numbers: Float64Array;
  readonly #texts: unknown[] = [];
  /** The slot of the next record. */
  #next = 0;
  /** Of the newest record. */
  #path = '';
  #common: Common | undefined;
  readonly #recordBytes: number;
  /** How many texts a slot has. */
  readonly #width: number;
  /** Of admission; undefined where records have none. */
  readonly #packed: Float32Array | undefined;

  constructor({ maxBytes, recordBytes, packsAdmission }: RingOptions) {
    this.#maxBytes = maxBytes;
    this.#recordBytes = recordBytes;
    this.#capacity = Math.floor(maxBytes / recordBytes);
    this.#numbers = new Float64Array(this.#capacity * NUMBERS);
    this.#width = packsAdmission ? TEXTS + PACKED_TEXTS : TEXTS;
    this.#packed = packsAdmission ? new Float32Array(this.#capacity * PACKED_NUMBERS) : undefined;
  }

  /** Whether what admission did is packed: the exchange's record of it is free then. */
  add(exchange: AnsweredExchange, status: number, endedAt: number): boolean {
    // The texts of its slot are replaced, but for those of its admission, which may be more than the next one has.
    if (this.length === this.#capacity) this.#clear(this.#forgetOldest(), TEXTS);
    const textsAt = this.#next * this.#width;
    this.#writeTexts(textsAt, exchange);
    const isPacked = this.#pack(exchange);
    this.#texts[textsAt + ADMISSION] = isPacked ? PACKED : exchange.admission;
    const size = this.#recordBytes + sizeOf(exchange, isPacked ? undefined : exchange.admission);
    this.bytes += size;
    while (this.length > 0 && this.bytes > this.#maxBytes) this.#dropOldest();
    this.#writeNumbers(this.#next * NUMBERS, exchange, { status, endedAt, size });
    this.#next = this.#next + 1 === this.#capacity ? 0 : this.#next + 1;
    this.length++;
    return isPacked;
  }

  /** Admission of a request that timed out may go on: its record stays with it. */
  #pack({ admission, expired }: AnsweredExchange): boolean {
    return admission !== undefined && !expired && this.#packed !== undefined && admission.pack(this.#slots(this.#next));
  }

  #slots(slot: number): Parameters<typeof unpackAdmission>[0] {
    return {
      numbers: this.#packed!,
      numbersAt: slot * PACKED_NUMBERS,
      texts: this.#texts,
      textsAt: slot * this.#width + TEXTS,
    };
  }

  #writeNumbers(
    at: number,
    exchange: AnsweredExchange,
    { status, endedAt, size }: { readonly status: number; readonly endedAt: number; readonly size: number },
  ): void {
    const numbers = this.#numbers;
    numbers[at] = exchange.startedAt;
    numbers[at + 1] = endedAt;
    numbers[at + 2] = exchange.request.cause ?? 0;
    numbers[at + 3] = status;
    numbers[at + 4] = exchange.authorizingAt;
    numbers[at + 5] = exchange.authorizedAt;
    numbers[at + 6] = exchange.waitedMs;
    numbers[at + 7] = exchange.span?.id ?? 0;
    numbers[at + SIZE] = size;
  }

  /** In the order of the slots: the array grows by its end. */
  #writeTexts(at: number, exchange: AnsweredExchange): void {
    const texts = this.#texts;
    const { request } = exchange;
    texts[at] = exchange.auditId;
    texts[at + 1] = this.#commonOf(exchange);
    texts[at + 2] = this.#kept(request.path);
    texts[at + 3] = request.query.size > 0 ? request.query : undefined;
    texts[at + 4] = exchange.failure;
  }

  /** The newest record's, where nothing differs: a record then takes few slots. */
  #commonOf({ info, request, user, impersonator, decision, flow, policyGeneration }: AnsweredExchange): Common {
    const newest = this.#common;
    if (
      newest !== undefined &&
      newest.decision === decision &&
      newest.identity === user &&
      newest.flow === flow &&
      newest.verb === info.verb &&
      newest.method === request.method &&
      newest.impersonator === impersonator &&
      newest.policyGeneration === policyGeneration
    )
      return newest;
    const { verb } = info;
    const { method } = request;
    return (this.#common = { verb, method, identity: user, impersonator, decision, flow, policyGeneration });
  }

  /** Clients repeat themselves: a path that is the same as before is not kept twice. */
  #kept(path: string): string {
    if (path !== this.#path) this.#path = path;
    return this.#path;
  }

  #dropOldest(): void {
    this.#clear(this.#forgetOldest(), 0);
  }

  #forgetOldest(): number {
    const oldest = this.#slotOf(this.length - 1);
    this.bytes -= this.#numbers[oldest * NUMBERS + SIZE]!;
    this.length--;
    return oldest;
  }

  /** The texts of a slot, from one of them on. Every request comes by: `fill` takes several times as long for so few. */
  #clear(slot: number, from: number): void {
    const texts = this.#texts;
    for (let at = slot * this.#width + from, end = (slot + 1) * this.#width; at < end; at++) texts[at] = undefined;
  }

  /** Of the record that has this many newer ones. */
  #slotOf(newer: number): number {
    return (this.#next - 1 - newer + this.#capacity) % this.#capacity;
  }

  #read(slot: number): RequestRecord {
    const [startedAt, endedAt, parent, status, authorizingAt, authorizedAt, waitedMs, span] = this.#numbers.subarray(
      slot * NUMBERS,
      slot * NUMBERS + SIZE,
    ) as unknown as NumbersOf;
    const [auditId, common, path, query, failure, admission] = this.#texts.slice(
      slot * this.#width,
      slot * this.#width + TEXTS,
    ) as TextsOf;
    return {
      ...{ startedAt, endedAt, parent, status, authorizingAt, authorizedAt, waitedMs, span },
      ...{ auditId, ...common, path, query, failure },
      admission: admission === PACKED ? unpackAdmission(this.#slots(slot), startedAt) : admission?.read(),
      user: common.identity?.name ?? '',
    };
  }

  find(auditId: string): RequestRecord | undefined {
    for (let newer = 0; newer < this.length; newer++) {
      const slot = this.#slotOf(newer);
      if (this.#texts[slot * this.#width] === auditId) return this.#read(slot);
    }
    return undefined;
  }

  newest(limit: number, wanted: (record: RequestRecord) => boolean): RequestRecord[] {
    const found: RequestRecord[] = [];
    for (let newer = 0; newer < this.length && found.length < limit; newer++) {
      const record = this.#read(this.#slotOf(newer));
      if (wanted(record)) found.push(record);
    }
    return found;
  }
}

type NumbersOf = [number, number, number, number, number, number, number, number];

type TextsOf = [
  auditId: string,
  common: Common,
  path: string,
  query: RequestRecord['query'],
  failure: RequestRecord['failure'],
  admission: AdmissionRecord | typeof PACKED | undefined,
];

const sizeOf = ({ request, failure, auditId }: AnsweredExchange, admission: AdmissionRecord | undefined): number =>
  request.path.length + auditId.length + (failure?.length ?? 0) + (admission?.size ?? 0);
