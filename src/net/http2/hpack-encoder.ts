/**
 * Encodes HPACK header blocks. Headers that many responses share enter the peer's dynamic table and are never evicted
 * from it, so an entry's index follows from its age, and a head that is all in the table encodes to the same few bytes.
 */
import { DEFAULT_TABLE_BYTES } from './frames.ts';
import { ENTRY_BYTES, STATIC_TABLE } from './hpack-static.ts';

/** Names in lower case and values alternating, `:status` first. The encoder caches by identity: reuse the array. */
export type Head = readonly string[];

const STATIC_ENTRIES = new Map(STATIC_TABLE.map(([name, value], i) => [`${name}\n${value}`, i + 1]));
const STATIC_NAMES = new Map(STATIC_TABLE.map(([name], i) => [name, i + 1] as const).reverse());
const INDEXED = 0x80;
const WITH_INDEXING = 0x40;
const WITHOUT_INDEXING = 0x00;
const TABLE_SIZE_ZERO = 0x20;

interface Encoded {
  /** The number of table entries that the bytes refer to. */
  readonly entries: number;
  readonly bytes: Buffer;
}

export class HpackEncoder {
  readonly #table = new Map<string, number>();
  readonly #known = new WeakMap<Head, Encoded>();
  #room = DEFAULT_TABLE_BYTES;
  #resized = false;

  /** The peer's SETTINGS_HEADER_TABLE_SIZE: a table smaller than the default is not used at all. */
  set tableBytes(bytes: number) {
    if (bytes >= DEFAULT_TABLE_BYTES || this.#room === 0) return;
    this.#room = 0;
    this.#table.clear();
    this.#resized = true;
  }

  /** The block of a head that many responses share. */
  common(head: Head): Buffer {
    if (!this.#resized) return this.#common(head);
    this.#resized = false;
    return Buffer.concat([Buffer.from([TABLE_SIZE_ZERO]), this.#common(head)]);
  }

  #common(head: Head): Buffer {
    const known = this.#known.get(head);
    if (known?.entries === this.#table.size) return known.bytes;
    const bytes = Buffer.concat(head.flatMap((name, i) => (i % 2 === 0 ? [this.#field(name, head[i + 1]!)] : [])));
    // The first encoding added entries to the table; only the next one is all indexes and can be cached.
    this.#known.set(head, { entries: known ? this.#table.size : -1, bytes });
    return bytes;
  }

  #field(name: string, value: string): Buffer {
    const entry = `${name}\n${value}`;
    const fixed = STATIC_ENTRIES.get(entry);
    if (fixed !== undefined) return integer(INDEXED, 7, fixed);
    const position = this.#table.get(entry);
    if (position !== undefined) return integer(INDEXED, 7, STATIC_TABLE.length + this.#table.size - position);
    const bytes = Buffer.byteLength(name) + Buffer.byteLength(value) + ENTRY_BYTES;
    if (bytes > this.#room) return literal(WITHOUT_INDEXING, 4, name, value);
    this.#room -= bytes;
    this.#table.set(entry, this.#table.size);
    return literal(WITH_INDEXING, 6, name, value);
  }
}

/** Encoded names of headers whose value differs in every response. */
const ownNames = new Map<string, Buffer>();
const MAX_OWN_NAMES = 64;
const MAX_INTEGER_BYTES = 6;

function ownName(name: string): Buffer {
  let known = ownNames.get(name);
  if (!known) {
    const index = STATIC_NAMES.get(name);
    known =
      index === undefined
        ? Buffer.concat([integer(WITHOUT_INDEXING, 4, 0), text(name)])
        : integer(WITHOUT_INDEXING, 4, index);
    if (ownNames.size < MAX_OWN_NAMES) ownNames.set(name, known);
  }
  return known;
}

/** The maximum number of bytes that `writeOwn` writes. */
export function ownBytes(head: Head): number {
  let bytes = 0;
  for (let i = 0; i < head.length; i += 2) bytes += ownName(head[i]!).length + MAX_INTEGER_BYTES + head[i + 1]!.length;
  return bytes;
}

/** Writes the headers that only this response has; returns their end offset. */
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
  const mask = (1 << prefixBits) - 1;
  if (value < mask) return Buffer.from([flags | value]);
  const bytes = [flags | mask];
  let left = value - mask;
  for (; left >= 128; left = Math.floor(left / 128)) bytes.push((left % 128) | 0x80);
  bytes.push(left);
  return Buffer.from(bytes);
}
