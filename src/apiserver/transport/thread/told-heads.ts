/**
 * Headers of answers differ in little but their audit id: what they have in common is told once, and then named by its place.
 * Telling the other thread of an object costs several times as much as telling it of a number and a text.
 */
import type { Head } from '../../../net/http2/index.ts';
import type { ResponseHeaders } from '../../request/request.ts';
import { AUDIT_ID, commonHead, commonText, MOST_KNOWN_HEADS } from '../answer-head.ts';
import type { BatchReader, Outbox } from './batch.ts';
import * as op from './operations.ts';

/** In the pipeline's thread. */
export class TellingHeads {
  readonly #places = new Map<string, number>();

  constructor(private readonly outbox: Outbox) {}

  say(stream: number, status: number, headers: ResponseHeaders): void {
    const auditId = headers[AUDIT_ID];
    const place = this.#placeOf(headers);
    if (place === undefined || typeof auditId !== 'string') this.outbox.say(op.ANSWER, stream, status, headers, '');
    else this.outbox.say(op.ANSWER, stream, status, place, auditId);
  }

  #placeOf(headers: ResponseHeaders): number | undefined {
    const text = commonText(headers);
    if (text === undefined) return undefined;
    const known = this.#places.get(text);
    if (known !== undefined || this.#places.size >= MOST_KNOWN_HEADS) return known;
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
  readonly #heads = new Map<number, Map<number, Head>>();

  told(reader: BatchReader): void {
    this.#common[reader.next<number>()] = reader.next<ResponseHeaders>();
  }

  read(reader: BatchReader): { readonly common: Head; readonly auditId: string } {
    const status = reader.next<number>();
    const given = reader.next<number | ResponseHeaders>();
    const auditId = reader.next<string>();
    if (typeof given === 'number') return { common: this.#headOf(given, status), auditId };
    const own = given[AUDIT_ID];
    return { common: commonHead(status, given), auditId: typeof own === 'string' ? own : '' };
  }

  #headOf(place: number, status: number): Head {
    let ofPlace = this.#heads.get(place);
    if (!ofPlace) this.#heads.set(place, (ofPlace = new Map()));
    let head = ofPlace.get(status);
    if (!head) ofPlace.set(status, (head = commonHead(status, this.#common[place] ?? {})));
    return head;
  }
}
