/** Decodes HPACK header blocks (RFC 7541) and keeps the dynamic table that they build. */
import { ConnectionError, DEFAULT_TABLE_BYTES, ERROR } from './frames.ts';
import { ENTRY_BYTES, STATIC_TABLE } from './hpack-static.ts';
import { decodeHuffman } from './huffman.ts';
import { isValidField } from './request-head.ts';

interface Entry {
  readonly name: string;
  readonly value: string;
  /** Checked once, however often blocks refer to the entry. */
  readonly valid: boolean;
}

export interface Decoded {
  /** Names and values in turn. */
  readonly fields: string[];
  /** Whether HTTP/2 allows every field in a request. */
  readonly valid: boolean;
  /** The block exceeds the limits; `fields` has its beginning. */
  readonly tooMany: boolean;
}

const entryOf = (name: string, value: string): Entry => ({ name, value, valid: isValidField(name, value) });

const STATIC: readonly Entry[] = STATIC_TABLE.map(([name, value]) => entryOf(name, value));
const MAX_INTEGER = 2 ** 28;
/** Values of this length are remembered and compared with the next ones. */
const MIN_REPEATED_BYTES = 32;
const MAX_REPEATED_BYTES = 8 * 1024;
const MAX_REPEATED = 8;

const compressionError = (message: string): ConnectionError => new ConnectionError(ERROR.compression, message);

export class HpackDecoder {
  /** The newest first. */
  readonly #table: Entry[] = [];
  #tableBytes = 0;
  #maxTableBytes = DEFAULT_TABLE_BYTES;
  /** The last long literal of each name that was sent without indexing, as its encoded bytes. */
  readonly #repeated = new Map<string, { readonly bytes: Buffer; readonly entry: Entry }>();
  #block: Buffer = Buffer.alloc(0);
  #at = 0;
  readonly #limits: { readonly bytes: number; readonly pairs: number };

  constructor(limits: { readonly bytes: number; readonly pairs: number }) {
    this.#limits = limits;
  }

  /** A block that is too large is still decoded to its end: the next block builds on its table. */
  decode(block: Buffer): Decoded {
    this.#block = block;
    this.#at = 0;
    const fields: string[] = [];
    let bytes = 0;
    let begun = false;
    let valid = true;
    while (this.#at < block.length) {
      const first = block[this.#at]!;
      if ((first & 0xe0) === 0x20) {
        if (begun) throw compressionError('table size update within a block');
        this.#resize(this.#integer(5));
        continue;
      }
      begun = true;
      const { name, value, valid: validField } = this.#field(first);
      valid &&= validField;
      bytes += name.length + value.length + ENTRY_BYTES;
      if (bytes <= this.#limits.bytes && fields.length < 2 * this.#limits.pairs) fields.push(name, value);
      else bytes = Infinity;
    }
    return { fields, valid, tooMany: bytes === Infinity };
  }

  #field(first: number): Entry {
    if (first & 0x80) return this.#entry(this.#integer(7));
    const isIndexed = (first & 0x40) !== 0;
    const index = this.#integer(isIndexed ? 6 : 4);
    const name = index === 0 ? this.#text() : this.#entry(index).name;
    if (!isIndexed) return this.#unindexed(name);
    const entry = entryOf(name, this.#text());
    this.#add(entry);
    return entry;
  }

  /** Clients send credentials in full with every request, without indexing: comparing bytes is faster than decoding. */
  #unindexed(name: string): Entry {
    const from = this.#at;
    const length = this.#integer(7);
    const last = this.#repeated.get(name);
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
    const isRemembered =
      length >= MIN_REPEATED_BYTES &&
      length <= MAX_REPEATED_BYTES &&
      name.length <= MAX_REPEATED_BYTES &&
      (last !== undefined || this.#repeated.size < MAX_REPEATED);
    if (isRemembered) this.#repeated.set(name, { bytes: Buffer.from(this.#block.subarray(from, end)), entry });
    return entry;
  }

  #entry(index: number): Entry {
    const entry = index <= STATIC.length ? STATIC[index - 1] : this.#table[index - STATIC.length - 1];
    if (!entry) throw compressionError(`no table entry ${index}`);
    return entry;
  }

  #add(entry: Entry): void {
    this.#table.unshift(entry);
    this.#tableBytes += entry.name.length + entry.value.length + ENTRY_BYTES;
    this.#evict();
  }

  #resize(bytes: number): void {
    if (bytes > DEFAULT_TABLE_BYTES) throw compressionError('table size update above the limit');
    this.#maxTableBytes = bytes;
    this.#evict();
  }

  #evict(): void {
    while (this.#tableBytes > this.#maxTableBytes) {
      const { name, value } = this.#table.pop()!;
      this.#tableBytes -= name.length + value.length + ENTRY_BYTES;
    }
  }

  #integer(prefixBits: number): number {
    const mask = (1 << prefixBits) - 1;
    const first = this.#byte() & mask;
    if (first < mask) return first;
    let value = mask;
    for (let weight = 1; ; weight *= 128) {
      const byte = this.#byte();
      value += (byte & 0x7f) * weight;
      if (value > MAX_INTEGER || weight > MAX_INTEGER) throw compressionError('integer is too large');
      if (!(byte & 0x80)) return value;
    }
  }

  #byte(): number {
    const byte = this.#block[this.#at++];
    if (byte === undefined) throw compressionError('truncated header block');
    return byte;
  }

  #text(): string {
    const isHuffman = ((this.#block[this.#at] ?? 0) & 0x80) !== 0;
    const length = this.#integer(7);
    const from = this.#at;
    const to = from + length;
    if (to > this.#block.length) throw compressionError('truncated header block');
    this.#at = to;
    if (!isHuffman) return this.#block.toString('latin1', from, to);
    const text = decodeHuffman(this.#block, from, to);
    if (text === undefined) throw compressionError('invalid Huffman code');
    return text;
  }
}
