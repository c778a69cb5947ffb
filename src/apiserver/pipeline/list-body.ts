/** The JSON body of a list: its head, then the bytes of each object. A large body is never in memory as a whole. */
import { apiVersionOf } from '../../api/index.ts';
import type { LargeBody, EncodedObject, ListedKind, ListResult } from '../request/request.ts';

const COMMA = Buffer.from(',');
/** Items of built-in kinds have neither kind nor apiVersion: they begin where their metadata does. */
const ITEM_START = Buffer.from('{');
const ITEM_START_AFTER_COMMA = Buffer.from(',{');
const NOTHING = Buffer.alloc(0);
const END = Buffer.from(']}\n');

export function listMetadata(list: ListResult): Record<string, unknown> {
  return {
    resourceVersion: list.resourceVersion,
    ...(list.continueToken ? { continue: list.continueToken } : {}),
    ...(list.remainingItemCount ? { remainingItemCount: list.remainingItemCount } : {}),
  };
}

/** Lists of custom resources always have a `continue` field. */
export const typedListMetadata = (list: ListResult): Record<string, unknown> =>
  list.served.custom ? { continue: '', ...listMetadata(list) } : listMetadata(list);

/** One item as the list contains it. */
export const listItem = ({ custom }: Pick<ListedKind, 'custom'>, { bytes, metadataStart }: EncodedObject): Buffer =>
  custom ? bytes : Buffer.concat([ITEM_START, bytes.subarray(metadataStart)]);

export class ListBody implements LargeBody {
  produced = 0;
  readonly #head: Buffer;
  readonly #entries: readonly EncodedObject[];
  readonly #whole: boolean;

  constructor(list: ListResult) {
    const { served, entries } = list;
    this.#head = Buffer.from(
      `{"kind":"${served.listKind}","apiVersion":"${apiVersionOf(served)}","metadata":${JSON.stringify(typedListMetadata(list))},"items":[`,
    );
    this.#entries = entries;
    this.#whole = served.custom;
  }

  /** Encodes only as many items as it takes to know. */
  isShorterThan(max: number): boolean {
    return this.#lengthUpTo(max) < max;
  }

  toBuffer(): Buffer {
    const buffer = Buffer.allocUnsafe(this.#lengthUpTo(Infinity));
    this.reader()(buffer);
    return buffer;
  }

  /** Exact below `max`; may stop counting there. */
  #lengthUpTo(max: number): number {
    let length = this.#head.length + Math.max(0, this.#entries.length - 1) + END.length;
    for (const { line, metadataStart } of this.#entries) {
      length += this.#whole ? line.length - 1 : line.length - metadataStart;
      if (length >= max) break;
    }
    return length;
  }

  /** Each call fills as much of `target` as is left, and returns the number of bytes. */
  reader(): (target: Buffer) => number {
    const entries = this.#entries;
    const separators = this.#whole
      ? { first: NOTHING, other: COMMA }
      : { first: ITEM_START, other: ITEM_START_AFTER_COMMA };
    let segment: Buffer | undefined = this.#head;
    let from = 0;
    let to = this.#head.length;
    let next = 0;
    let afterSeparator = false;
    const goOn = (): void => {
      from = 0;
      if (segment === END) segment = undefined;
      else if (next === entries.length) segment = END;
      else if (!afterSeparator) {
        segment = next === 0 ? separators.first : separators.other;
        afterSeparator = true;
      } else {
        const { line, metadataStart } = entries[next++]!;
        segment = line;
        to = line.length - 1;
        if (!this.#whole) from = metadataStart;
        afterSeparator = false;
        return;
      }
      to = segment?.length ?? 0;
    };
    return (target) => {
      let at = 0;
      while (segment !== undefined && at < target.length) {
        const copied = segment.copy(target, at, from, to);
        at += copied;
        from += copied;
        if (from === to) goOn();
      }
      this.produced += at;
      return at;
    };
  }
}
