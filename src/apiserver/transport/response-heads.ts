/**
 * The headers of responses on HTTP/2. They differ in little but audit id, date and length: the others are put together once and
 * are the same object from then on, which every connection encodes in a few bytes. Pays for the bench row `GET Pod`.
 */
import type { Clock } from '../../kernel/index.ts';
import type { Head } from '../../net/http2/index.ts';
import type { ResponseHeaders } from '../request/request.ts';

export const AUDIT_ID = 'audit-id';
/** Of all known headers together, equal beginnings counted once. */
const MAX_STEPS = 2048;

/** Headers up to one of them. */
class KnownHeaders<Value> {
  readonly name: string;
  readonly value: string;
  /** What is remembered of headers that end here. */
  remembered: Value | undefined = undefined;
  #last: KnownHeaders<Value> | undefined = undefined;
  readonly #next = new Map<string, KnownHeaders<Value>>();

  constructor(name: string, value: string) {
    this.name = name;
    this.value = value;
  }

  /** Headers with one more; undefined when it is not known. Responses of one kind share their strings, so that comparing them is quick. */
  with(name: string, value: string): KnownHeaders<Value> | undefined {
    const last = this.#last;
    if (last !== undefined && last.value === value && last.name === name) return last;
    const known = this.#next.get(value);
    if (known?.name !== name) return undefined;
    return (this.#last = known);
  }

  add(name: string, value: string): KnownHeaders<Value> | undefined {
    // The same value of another header: that is rare, and not remembered.
    if (this.#next.has(value)) return undefined;
    const added = new KnownHeaders<Value>(name, value);
    this.#next.set(value, added);
    return added;
  }
}

/** Remembers something of headers, audit id aside. They are found one header after the other, without a text of all of them. */
export class HeaderMemory<Value> {
  readonly #none = new KnownHeaders<Value>('', '');
  #steps = 0;

  /** undefined where a header has several values, or there is no room. */
  of(headers: ResponseHeaders): KnownHeaders<Value> | undefined {
    let known: KnownHeaders<Value> | undefined = this.#none;
    for (const name in headers) {
      if (name === AUDIT_ID) continue;
      const value = headers[name];
      if (typeof value !== 'string') return undefined;
      known = known.with(name, value) ?? this.#add(known, name, value);
      if (known === undefined) return undefined;
    }
    return known;
  }

  #add(known: KnownHeaders<Value>, name: string, value: string): KnownHeaders<Value> | undefined {
    if (this.#steps >= MAX_STEPS) return undefined;
    const added = known.add(name, value);
    if (added !== undefined) this.#steps++;
    return added;
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
