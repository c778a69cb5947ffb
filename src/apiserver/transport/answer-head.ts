/**
 * The head of an answer on HTTP/2. Heads differ in little but their audit id, date and length: what they have in common
 * is made once, and the same thing from then on, which every connection knows how to say in a few bytes.
 */
import type { Clock } from '../../kernel/index.ts';
import type { Head } from '../../net/http2/index.ts';
import type { ResponseHeaders } from '../request/request.ts';

export const AUDIT_ID = 'audit-id';
/** Beyond that many they are not alike, and kept by nobody. */
export const MOST_KNOWN_HEADS = 256;

/** The same text for the same headers, apart from what each answer has of its own; undefined where lists are among them. */
export function commonText(headers: ResponseHeaders): string | undefined {
  let text = '';
  for (const name in headers) {
    const value = headers[name];
    if (typeof value !== 'string') return undefined;
    if (name !== AUDIT_ID) text += `${name}\n${value}\n`;
  }
  return text;
}

/** Without what each answer has of its own. */
export function commonHead(status: number, headers: ResponseHeaders): Head {
  const head = [':status', String(status)];
  for (const [name, value] of Object.entries(headers)) {
    if (name === AUDIT_ID || name === 'content-length') continue;
    for (const one of Array.isArray(value) ? value : [value]) head.push(name.toLowerCase(), one);
  }
  return head;
}

export class AnswerHeads {
  readonly #known = new Map<string, Head>();
  #date = '';
  #dateAt = NaN;

  constructor(private readonly clock: Clock) {}

  common(status: number, headers: ResponseHeaders): Head {
    const text = commonText(headers);
    const key = text === undefined ? undefined : `${status}\n${text}`;
    const known = key === undefined ? undefined : this.#known.get(key);
    if (known) return known;
    const head = commonHead(status, headers);
    if (key !== undefined && this.#known.size < MOST_KNOWN_HEADS) this.#known.set(key, head);
    return head;
  }

  /** `length` for an answer that is whole. */
  own(auditId: string | readonly string[] | undefined, length?: number): Head {
    const head = ['date', this.#now()];
    if (typeof auditId === 'string' && auditId !== '') head.push(AUDIT_ID, auditId);
    if (length !== undefined) head.push('content-length', String(length));
    return head;
  }

  /** As HTTP writes it, which takes longer than most of the rest. */
  #now(): string {
    const second = Math.floor(this.clock.now() / 1000);
    if (second !== this.#dateAt) {
      this.#dateAt = second;
      this.#date = new Date(second * 1000).toUTCString();
    }
    return this.#date;
  }
}
