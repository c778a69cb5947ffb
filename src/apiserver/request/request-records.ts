/**
 * The newest requests, for `why request AUDIT-ID`: what is known about each when it has been answered. Bounded in bytes. Plain
 * reads are many and have a place of their own, so that they do not displace writes, refusals and slow requests.
 */
import type { MetricsRegistry, ReadSpan } from '../../kernel/index.ts';
import type { AdmissionRecord } from './admission-record.ts';
import type { FlowIdentity, RecordedDecision } from './exchange.ts';
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
  readonly admission: AdmissionRecord | undefined;
}

/** Together with the spans of the kernel's ring at most 32 MB. */
const READ_BYTES = 2 * 1024 * 1024;
const OTHER_BYTES = 4 * 1024 * 1024;
/** The object, its numbers, and the strings that are its own. */
const RECORD_BYTES = 600;
const SLOW_MS = 500;

export class RequestRecords {
  readonly #reads = new Ring(READ_BYTES);
  readonly #others = new Ring(OTHER_BYTES);

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

  add(record: RequestRecord): void {
    const isPlainRead = record.span === 0 && record.status < 400 && record.endedAt - record.startedAt < SLOW_MS;
    (isPlainRead ? this.#reads : this.#others).add(record);
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

class Ring {
  bytes = 0;
  #records: (RequestRecord | undefined)[] = [];
  /** What each counted for: admission of a request that timed out may go on. */
  #sizes: number[] = [];
  #head = 0;
  readonly #maxBytes: number;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get length(): number {
    return this.#records.length - this.#head;
  }

  add(record: RequestRecord): void {
    this.#records.push(record);
    const size = sizeOf(record);
    this.#sizes.push(size);
    this.bytes += size;
    while (this.bytes > this.#maxBytes && this.length > 1) {
      this.bytes -= this.#sizes[this.#head]!;
      this.#records[this.#head++] = undefined;
    }
    if (this.#head < 1024 || this.#head < this.#records.length / 2) return;
    this.#records = this.#records.slice(this.#head);
    this.#sizes = this.#sizes.slice(this.#head);
    this.#head = 0;
  }

  find(auditId: string): RequestRecord | undefined {
    return this.#records.findLast((record) => record?.auditId === auditId);
  }

  newest(limit: number, wanted: (record: RequestRecord) => boolean): RequestRecord[] {
    const found: RequestRecord[] = [];
    for (let i = this.#records.length - 1; i >= this.#head && found.length < limit; i--)
      if (wanted(this.#records[i]!)) found.push(this.#records[i]!);
    return found;
  }
}

const sizeOf = ({ path, failure, admission, auditId }: RequestRecord): number =>
  RECORD_BYTES + path.length + auditId.length + (failure?.length ?? 0) + (admission?.size ?? 0);
