/**
 * The headers of responses on HTTP/2. They differ in little but audit id, date and length: the others are put together once and
 * are the same object from then on, which every connection encodes in a few bytes. Pays for the bench row `GET Pod`.
 */
import type { Clock } from '../../kernel/index.ts';
import type { Head } from '../../net/http2/index.ts';
import type { ResponseHeaders } from '../request/request.ts';

export const AUDIT_ID = 'audit-id';
/** Responses with more different headers than that are not worth remembering. */
export const MAX_KNOWN_HEADS = 256;

/** Equal for equal headers, audit id aside; undefined where a header has several values. */
export function commonText(headers: ResponseHeaders): string | undefined {
  let text = '';
  for (const name in headers) {
    const value = headers[name];
    if (typeof value !== 'string') return undefined;
    if (name !== AUDIT_ID) text += `${name}\n${value}\n`;
  }
  return text;
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
  readonly #maxKnown: number;
  readonly #known = new Map<string, Head>();
  #date = '';
  #dateSecond = NaN;

  constructor(clock: Clock, remembers: boolean) {
    this.#clock = clock;
    this.#maxKnown = remembers ? MAX_KNOWN_HEADS : 0;
  }

  common(status: number, headers: ResponseHeaders): Head {
    const text = this.#maxKnown > 0 ? commonText(headers) : undefined;
    if (text === undefined) return commonHead(status, headers);
    const key = `${status}\n${text}`;
    let head = this.#known.get(key);
    if (!head) {
      head = commonHead(status, headers);
      if (this.#known.size < this.#maxKnown) this.#known.set(key, head);
    }
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
