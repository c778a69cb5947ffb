/**
 * Writes header blocks of HPACK. Headers that come with answer after answer enter the peer's table; nothing is ever
 * thrown out of it, so that the place of an entry follows from when it came in, and a head that is all in the table is
 * the same few bytes each time.
 */
import { DEFAULT_TABLE_BYTES } from './frames.ts';
import { ENTRY_BYTES, STATIC_TABLE } from './hpack-static.ts';

/** Names in lower case and values in turn, `:status` first. One that is used again and again is encoded once. */
export type Head = readonly string[];

const STATIC_ENTRIES = new Map(STATIC_TABLE.map(([name, value], i) => [`${name}\n${value}`, i + 1]));
const STATIC_NAMES = new Map(STATIC_TABLE.map(([name], i) => [name, i + 1] as const).reverse());
const INDEXED = 0x80;
const KEPT = 0x40;
const NOT_KEPT = 0x00;
const NO_TABLE = 0x20;

interface Encoded {
  /** How many entries the table had. */
  readonly kept: number;
  readonly bytes: Buffer;
}

export class HpackEncoder {
  readonly #kept = new Map<string, number>();
  readonly #known = new WeakMap<Head, Encoded>();
  #room = DEFAULT_TABLE_BYTES;
  #resized = false;

  /** The peer's setting: a table smaller than the usual one is not used at all. */
  set tableBytes(bytes: number) {
    if (bytes >= DEFAULT_TABLE_BYTES || this.#room === 0) return;
    this.#room = 0;
    this.#kept.clear();
    this.#resized = true;
  }

  /** What answers have in common, as they have had it before or for the first time. */
  common(head: Head): Buffer {
    if (!this.#resized) return this.#common(head);
    this.#resized = false;
    return Buffer.concat([Buffer.from([NO_TABLE]), this.#common(head)]);
  }

  #common(head: Head): Buffer {
    const known = this.#known.get(head);
    if (known?.kept === this.#kept.size) return known.bytes;
    const bytes = Buffer.concat(head.flatMap((name, i) => (i % 2 === 0 ? [this.#field(name, head[i + 1]!)] : [])));
    // What was written now has put entries into the table: the next time it is only their places.
    this.#known.set(head, { kept: known ? this.#kept.size : -1, bytes });
    return bytes;
  }

  #field(name: string, value: string): Buffer {
    const entry = `${name}\n${value}`;
    const fixed = STATIC_ENTRIES.get(entry);
    if (fixed !== undefined) return integer(INDEXED, 7, fixed);
    const kept = this.#kept.get(entry);
    if (kept !== undefined) return integer(INDEXED, 7, STATIC_TABLE.length + this.#kept.size - kept);
    const bytes = Buffer.byteLength(name) + Buffer.byteLength(value) + ENTRY_BYTES;
    if (bytes > this.#room) return literal(NOT_KEPT, 4, name, value);
    this.#room -= bytes;
    this.#kept.set(entry, this.#kept.size);
    return literal(KEPT, 6, name, value);
  }
}

/** Names with which a header begins that only one answer has. */
const ownNames = new Map<string, Buffer>();
const MOST_OWN_NAMES = 64;
const LONGEST_INTEGER_BYTES = 6;

function ownName(name: string): Buffer {
  let known = ownNames.get(name);
  if (!known) {
    const index = STATIC_NAMES.get(name);
    known = index === undefined ? Buffer.concat([integer(NOT_KEPT, 4, 0), text(name)]) : integer(NOT_KEPT, 4, index);
    if (ownNames.size < MOST_OWN_NAMES) ownNames.set(name, known);
  }
  return known;
}

/** The most bytes that `writeOwn` takes. */
export function ownBytes(head: Head): number {
  let bytes = 0;
  for (let i = 0; i < head.length; i += 2)
    bytes += ownName(head[i]!).length + LONGEST_INTEGER_BYTES + head[i + 1]!.length;
  return bytes;
}

/** Headers that only this answer has; gives where they end. */
export function writeOwn(head: Head, target: Buffer, from: number): number {
  let at = from;
  for (let i = 0; i < head.length; i += 2) {
    at += ownName(head[i]!).copy(target, at);
    const value = head[i + 1]!;
    if (value.length < 127) target[at++] = value.length;
    else at += integer(0, 7, value.length).copy(target, at);
    at += target.write(value, at, 'latin1');
  }
  return at;
}

function literal(kind: number, prefixBits: number, name: string, value: string): Buffer {
  const index = STATIC_NAMES.get(name);
  return Buffer.concat(
    index === undefined
      ? [integer(kind, prefixBits, 0), text(name), text(value)]
      : [integer(kind, prefixBits, index), text(value)],
  );
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value, 'latin1');
  return Buffer.concat([integer(0, 7, bytes.length), bytes]);
}

function integer(flags: number, prefixBits: number, value: number): Buffer {
  const most = (1 << prefixBits) - 1;
  if (value < most) return Buffer.from([flags | value]);
  const bytes = [flags | most];
  let left = value - most;
  for (; left >= 128; left = Math.floor(left / 128)) bytes.push((left % 128) | 0x80);
  bytes.push(left);
  return Buffer.from(bytes);
}
