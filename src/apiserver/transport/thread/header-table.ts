/**
 * Headers of responses between the two threads. They differ in little but their audit id: the pipeline's thread sends those in
 * common once and refers to them by number from then on. Cloning an object into another thread costs several times as much
 * as cloning a number and a string. Pays for the bench row `GET Pod`.
 */
import type { Head } from '../../../net/http2/index.ts';
import type { ResponseHeaders } from '../../request/request.ts';
import { AUDIT_ID, commonHead, HeaderMemory } from '../response-heads.ts';
import type { BatchReader, Outbox } from './message-batch.ts';
import * as op from './operations.ts';

/** More different ones are not worth remembering. */
const MAX_KNOWN_HEADS = 256;

/** In the pipeline's thread: begins the message of a complete response. */
export type WriteResponseHead = (stream: number, status: number, headers: ResponseHeaders) => void;

export function headerTableWriter(outbox: Outbox): WriteResponseHead {
  const memory = new HeaderMemory<number>();
  let count = 0;
  const indexOf = (headers: ResponseHeaders): number | undefined => {
    const known = memory.of(headers);
    if (known?.remembered !== undefined) return known.remembered;
    if (known === undefined || count >= MAX_KNOWN_HEADS) return undefined;
    const { [AUDIT_ID]: _, ...common } = headers;
    outbox.send(op.RESPONSE_HEADERS, count, common);
    return (known.remembered = count++);
  };
  const writeWhole = wholeHeaderWriter(outbox);
  return (stream, status, headers) => {
    const auditId = headers[AUDIT_ID];
    const index = typeof auditId === 'string' ? indexOf(headers) : undefined;
    if (index === undefined) writeWhole(stream, status, headers);
    else outbox.send(op.RESPONSE, stream, status, index, auditId as string);
  };
}

/** Every response carries all of its headers. */
export const wholeHeaderWriter =
  (outbox: Outbox): WriteResponseHead =>
  (stream, status, headers) =>
    outbox.send(op.RESPONSE, stream, status, headers, '');

/** In the front's thread: understands both writers. */
export class HeaderTableReader {
  readonly #headers: ResponseHeaders[] = [];
  readonly #heads = new Map<number, Map<number, Head>>();

  add(reader: BatchReader): void {
    this.#headers[reader.next<number>()] = reader.next<ResponseHeaders>();
  }

  read(reader: BatchReader): { readonly common: Head; readonly auditId: string } {
    const status = reader.next<number>();
    const indexOrHeaders = reader.next<number | ResponseHeaders>();
    const auditId = reader.next<string>();
    if (typeof indexOrHeaders === 'number') return { common: this.#headOf(indexOrHeaders, status), auditId };
    const own = indexOrHeaders[AUDIT_ID];
    return { common: commonHead(status, indexOrHeaders), auditId: typeof own === 'string' ? own : '' };
  }

  #headOf(index: number, status: number): Head {
    let byStatus = this.#heads.get(index);
    if (!byStatus) this.#heads.set(index, (byStatus = new Map()));
    let head = byStatus.get(status);
    if (!head) byStatus.set(status, (head = commonHead(status, this.#headers[index] ?? {})));
    return head;
  }
}
