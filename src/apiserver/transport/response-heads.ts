/**
 * The headers of responses on HTTP/2. They differ in little but audit id, date and length: the others are put together once and
 * are the same object from then on, which every connection encodes in a few bytes. Pays for the bench row `GET Pod`.
 */
import { SequenceMemory, type Sequence } from '../../base/index.ts';
import type { Clock } from '../../kernel/index.ts';
import type { Head } from '../../net/http2/index.ts';
import type { ResponseHeaders } from '../request/request.ts';

export const AUDIT_ID = 'audit-id';
/** Responses with more different headers are not worth remembering. */
const MAX_SEQUENCES = 4096;

/** Remembers something of headers, audit id aside. */
export class HeaderMemory<Value> {
  readonly #memory = new SequenceMemory<string, Value>(MAX_SEQUENCES);

  /** undefined where a header has several values, or there is no room. */
  of(headers: ResponseHeaders): Sequence<string, Value> | undefined {
    let sequence: Sequence<string, Value> | undefined = this.#memory.start;
    for (const name in headers) {
      if (name === AUDIT_ID) continue;
      const value = headers[name];
      if (typeof value !== 'string') return undefined;
      sequence = sequence.with(name)?.with(value);
      if (sequence === undefined) return undefined;
    }
    return sequence;
  }
}

/** Status and headers without those that every response has of its own. */
export function commonHead(status: number, headers: ResponseHeaders): Head {
  const head = [':status', String(status)];
  for (const [name, value] of Object.entries(headers)) {
    if (name === AUDIT_ID || name === 'content-length') continue;
    for (const one of Array.isArray(value) ? value : [value]) head.push(name.toLowerCase(), one);
  }
  return head;
}

export class ResponseHeads {
  readonly #clock: Clock;
  readonly #known: HeaderMemory<Map<number, Head>> | undefined;
  #date = '';
  #dateSecond = NaN;

  constructor(clock: Clock, remembers: boolean) {
    this.#clock = clock;
    if (remembers) this.#known = new HeaderMemory();
  }

  common(status: number, headers: ResponseHeaders): Head {
    const known = this.#known?.of(headers);
    if (known === undefined) return commonHead(status, headers);
    const byStatus = (known.remembered ??= new Map<number, Head>());
    let head = byStatus.get(status);
    if (!head) byStatus.set(status, (head = commonHead(status, headers)));
    return head;
  }

  /** `length` for a response whose body is complete. */
  own(auditId: string | readonly string[] | undefined, length?: number): Head {
    const head = ['date', this.#now()];
    if (typeof auditId === 'string' && auditId !== '') head.push(AUDIT_ID, auditId);
    if (length !== undefined) head.push('content-length', String(length));
    return head;
  }

  /** Formatted once a second: formatting a date takes longer than most of the rest. */
  #now(): string {
    const second = Math.floor(this.#clock.now() / 1000);
    if (second !== this.#dateSecond) {
      this.#dateSecond = second;
      this.#date = new Date(second * 1000).toUTCString();
    }
    return this.#date;
  }
}
