/** Reads header blocks of HPACK, with the table that they build up on the way. */
import { ConnectionError, DEFAULT_TABLE_BYTES, ERROR } from './frames.ts';
import { ENTRY_BYTES, STATIC_TABLE } from './hpack-static.ts';
import { decodeHuffman } from './huffman.ts';
import { isGoodField } from './request-head.ts';

interface Entry {
  readonly name: string;
  readonly value: string;
  /** Looked at once, however often it is named by its place. */
  readonly good: boolean;
}

export interface Decoded {
  /** Names and values in turn. */
  readonly fields: string[];
  /** Each of them may be a header of a request. */
  readonly good: boolean;
  /** There were more than the limits allow. */
  readonly tooMany: boolean;
}

const entryOf = (name: string, value: string): Entry => ({ name, value, good: isGoodField(name, value) });

const STATIC: readonly Entry[] = STATIC_TABLE.map(([name, value]) => entryOf(name, value));
const LARGEST_INTEGER = 2 ** 28;
/** Of a value that is worth comparing, and of one that is worth keeping. */
const LONG_BYTES = 32;
const TOO_LONG_BYTES = 8 * 1024;
const MOST_LAST = 8;

const broken = (message: string): ConnectionError => new ConnectionError(ERROR.compression, message);

export class HpackDecoder {
  /** The newest first. */
  readonly #table: Entry[] = [];
  #tableBytes = 0;
  #mostBytes = DEFAULT_TABLE_BYTES;
  /** Long values that were sent outside of the table, as they were sent. */
  readonly #last = new Map<string, { readonly bytes: Buffer; readonly entry: Entry }>();
  #block: Buffer = Buffer.alloc(0);
  #at = 0;
  readonly #limits: { readonly bytes: number; readonly pairs: number };

  constructor(limits: { readonly bytes: number; readonly pairs: number }) {
    this.#limits = limits;
  }

  /** The block is read to its end even if it is too long: the next one builds on its table. */
  decode(block: Buffer): Decoded {
    this.#block = block;
    this.#at = 0;
    const fields: string[] = [];
    let bytes = 0;
    let begun = false;
    let good = true;
    while (this.#at < block.length) {
      const first = block[this.#at]!;
      if ((first & 0xe0) === 0x20) {
        if (begun) throw broken('a change of the table within a block');
        this.#resize(this.#integer(5));
        continue;
      }
      begun = true;
      const { name, value, good: goodField } = this.#field(first);
      good &&= goodField;
      bytes += name.length + value.length + ENTRY_BYTES;
      if (bytes <= this.#limits.bytes && fields.length < 2 * this.#limits.pairs) fields.push(name, value);
      else bytes = Infinity;
    }
    return { fields, good, tooMany: bytes === Infinity };
  }

  #field(first: number): Entry {
    if (first & 0x80) return this.#entry(this.#integer(7));
    const isKept = (first & 0x40) !== 0;
    const index = this.#integer(isKept ? 6 : 4);
    const name = index === 0 ? this.#text() : this.#entry(index).name;
    if (!isKept) return this.#again(name);
    const entry = entryOf(name, this.#text());
    this.#keep(entry);
    return entry;
  }

  /** Clients keep credentials out of the table and send them in full with each request: compared they are faster than read. */
  #again(name: string): Entry {
    const from = this.#at;
    const length = this.#integer(7);
    const last = this.#last.get(name);
    const end = this.#at + length;
    if (
      last?.bytes.length === end - from &&
      end <= this.#block.length &&
      this.#block.compare(last.bytes, 0, last.bytes.length, from, end) === 0
    ) {
      this.#at = end;
      return last.entry;
    }
    this.#at = from;
    const entry = entryOf(name, this.#text());
    const isKept =
      length >= LONG_BYTES &&
      length <= TOO_LONG_BYTES &&
      name.length <= TOO_LONG_BYTES &&
      (last !== undefined || this.#last.size < MOST_LAST);
    if (isKept) this.#last.set(name, { bytes: Buffer.from(this.#block.subarray(from, end)), entry });
    return entry;
  }

  #entry(index: number): Entry {
    const entry = index <= STATIC.length ? STATIC[index - 1] : this.#table[index - STATIC.length - 1];
    if (!entry) throw broken(`there is no entry ${index}`);
    return entry;
  }

  #keep(entry: Entry): void {
    this.#table.unshift(entry);
    this.#tableBytes += entry.name.length + entry.value.length + ENTRY_BYTES;
    this.#evict();
  }

  #resize(bytes: number): void {
    if (bytes > DEFAULT_TABLE_BYTES) throw broken('a table larger than was allowed');
    this.#mostBytes = bytes;
    this.#evict();
  }

  #evict(): void {
    while (this.#tableBytes > this.#mostBytes) {
      const { name, value } = this.#table.pop()!;
      this.#tableBytes -= name.length + value.length + ENTRY_BYTES;
    }
  }

  #integer(prefixBits: number): number {
    const most = (1 << prefixBits) - 1;
    const first = this.#byte() & most;
    if (first < most) return first;
    let value = most;
    for (let weight = 1; ; weight *= 128) {
      const byte = this.#byte();
      value += (byte & 0x7f) * weight;
      if (value > LARGEST_INTEGER || weight > LARGEST_INTEGER) throw broken('a number is too large');
      if (!(byte & 0x80)) return value;
    }
  }

  #byte(): number {
    const byte = this.#block[this.#at++];
    if (byte === undefined) throw broken('a block ends too early');
    return byte;
  }

  #text(): string {
    const isHuffman = ((this.#block[this.#at] ?? 0) & 0x80) !== 0;
    const length = this.#integer(7);
    const from = this.#at;
    const to = from + length;
    if (to > this.#block.length) throw broken('a block ends too early');
    this.#at = to;
    if (!isHuffman) return this.#block.toString('latin1', from, to);
    const text = decodeHuffman(this.#block, from, to);
    if (text === undefined) throw broken('no Huffman code');
    return text;
  }
}
