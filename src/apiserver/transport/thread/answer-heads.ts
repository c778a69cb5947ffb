/**
 * Headers of answers differ in little but their audit id: what they have in common is told once, and then named by its place.
 * Telling the other thread of an object costs several times as much as telling it of a number and a text.
 */
import type { ResponseHeaders } from '../../request.ts';
import type { BatchReader, Outbox } from './batch.ts';
import * as op from './operations.ts';

const AUDIT_ID = 'audit-id';
/** Beyond that many they are not alike, and told as they are. */
const MOST_PLACES = 256;

/** In the pipeline's thread. */
export class AnswerHeads {
  readonly #places = new Map<string, number>();

  constructor(private readonly outbox: Outbox) {}

  say(stream: number, status: number, headers: ResponseHeaders): void {
    const auditId = headers[AUDIT_ID];
    const place = this.#placeOf(headers);
    if (place === undefined || typeof auditId !== 'string') this.outbox.say(op.ANSWER, stream, status, headers, '');
    else this.outbox.say(op.ANSWER, stream, status, place, auditId);
  }

  #placeOf(headers: ResponseHeaders): number | undefined {
    let text = '';
    for (const name in headers) {
      const value = headers[name];
      if (typeof value !== 'string') return undefined;
      if (name !== AUDIT_ID) text += `${name}\n${value}\n`;
    }
    const known = this.#places.get(text);
    if (known !== undefined || this.#places.size >= MOST_PLACES) return known;
    const place = this.#places.size;
    this.#places.set(text, place);
    const { [AUDIT_ID]: _, ...common } = headers;
    this.outbox.say(op.ANSWER_HEADERS, place, common);
    return place;
  }
}

/** In the front's thread. */
export class ToldHeads {
  readonly #common: ResponseHeaders[] = [];

  told(reader: BatchReader): void {
    this.#common[reader.next<number>()] = reader.next<ResponseHeaders>();
  }

  headers(reader: BatchReader): ResponseHeaders {
    const given = reader.next<number | ResponseHeaders>();
    const auditId = reader.next<string>();
    return typeof given === 'number' ? { ...this.#common[given], [AUDIT_ID]: auditId } : given;
  }
}
