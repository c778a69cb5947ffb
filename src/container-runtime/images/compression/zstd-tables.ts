/** zstd's entropy tables: FSE for sequences and weights, Huffman for literals. */
import { BackwardBits, ForwardBits, ZstdError } from './zstd-bits.ts';

export interface FseTable {
  readonly accuracy: number;
  readonly symbols: Uint8Array;
  readonly bits: Uint8Array;
  readonly bases: Uint16Array;
}

export interface HuffmanTable {
  readonly maxBits: number;
  readonly symbols: Uint8Array;
  readonly bits: Uint8Array;
}

const highestBit = (value: number): number => 31 - Math.clz32(value);

export function readFseTable(
  bytes: Uint8Array,
  range: { start: number; end: number },
  limits: { accuracy: number; symbols: number },
): { table: FseTable; next: number } {
  const reader = new ForwardBits(bytes, range.start, range.end);
  const accuracy = reader.read(4) + 5;
  if (accuracy > limits.accuracy) throw new ZstdError(`a table has an accuracy of ${accuracy}`);
  const counts: number[] = [];
  let remaining = 1 << accuracy;
  while (remaining > 0) {
    const width = highestBit(remaining + 1) + 1;
    let value = reader.read(width);
    const lowerMask = (1 << (width - 1)) - 1;
    const threshold = (1 << width) - 1 - (remaining + 1);
    if ((value & lowerMask) < threshold) {
      reader.back(1);
      value &= lowerMask;
    } else if (value > lowerMask) value -= threshold;
    const count = value - 1;
    remaining -= Math.abs(count);
    counts.push(count);
    if (count === 0) {
      let repeat: number;
      do {
        repeat = reader.read(2);
        for (let i = 0; i < repeat; i++) counts.push(0);
      } while (repeat === 3 && counts.length <= limits.symbols);
    }
    if (counts.length > limits.symbols) throw new ZstdError('a table has too many symbols');
  }
  if (remaining !== 0) throw new ZstdError('the counts of a table do not add up');
  return { table: buildFseTable(counts, accuracy), next: reader.byteEnd };
}

/** A count of -1 means a probability of "less than one". */
export function buildFseTable(counts: readonly number[], accuracy: number): FseTable {
  const size = 1 << accuracy;
  const symbols = new Uint8Array(size);
  const bits = new Uint8Array(size);
  const bases = new Uint16Array(size);
  const next = new Uint16Array(counts.length);
  let high = size;
  for (const [symbol, count] of counts.entries()) {
    if (count === -1) symbols[--high] = symbol;
    next[symbol] = Math.abs(count);
  }
  const step = (size >> 1) + (size >> 3) + 3;
  let position = 0;
  for (const [symbol, count] of counts.entries()) {
    for (let i = 0; i < count; i++) {
      symbols[position] = symbol;
      do position = (position + step) & (size - 1);
      while (position >= high);
    }
  }
  for (let state = 0; state < size; state++) {
    const symbol = symbols[state] ?? 0;
    const value = next[symbol] ?? 1;
    next[symbol] = value + 1;
    const width = accuracy - highestBit(value);
    bits[state] = width;
    bases[state] = (value << width) - size;
  }
  return { accuracy, symbols, bits, bases };
}

export function singleSymbolTable(symbol: number): FseTable {
  return { accuracy: 0, symbols: Uint8Array.of(symbol), bits: Uint8Array.of(0), bases: Uint16Array.of(0) };
}

const MAX_HUFFMAN_BITS = 11;

export function readHuffmanTable(bytes: Uint8Array, start: number, end: number): { table: HuffmanTable; next: number } {
  const header = bytes[start] ?? 0;
  const weights: number[] = [];
  let next: number;
  if (header >= 128) {
    const count = header - 127;
    next = start + 1 + ((count + 1) >> 1);
    for (let i = 0; i < count; i++) {
      const pair = bytes[start + 1 + (i >> 1)] ?? 0;
      weights.push(i % 2 === 0 ? pair >> 4 : pair & 15);
    }
  } else {
    next = start + 1 + header;
    if (next > end) throw new ZstdError('a Huffman table is cut short');
    weights.push(...readWeights(bytes, start + 1, next));
  }
  if (next > end) throw new ZstdError('a Huffman table is cut short');
  return { table: buildHuffmanTable(weights), next };
}

/** Two FSE states alternate until the bits run out. */
function readWeights(bytes: Uint8Array, start: number, end: number): number[] {
  const { table, next } = readFseTable(bytes, { start, end }, { accuracy: 6, symbols: 256 });
  const reader = new BackwardBits(bytes, next, end);
  const states = [reader.read(table.accuracy), reader.read(table.accuracy)];
  const weights: number[] = [];
  for (let turn = 0; weights.length < 255; turn ^= 1) {
    const state = states[turn] ?? 0;
    weights.push(table.symbols[state] ?? 0);
    states[turn] = (table.bases[state] ?? 0) + reader.read(table.bits[state] ?? 0);
    if (reader.left < 0) {
      weights.push(table.symbols[states[turn ^ 1] ?? 0] ?? 0);
      return weights;
    }
  }
  throw new ZstdError('a Huffman table has too many weights');
}

function buildHuffmanTable(weights: readonly number[]): HuffmanTable {
  let sum = 0;
  for (const weight of weights) sum += weight === 0 ? 0 : 1 << (weight - 1);
  if (sum === 0) throw new ZstdError('a Huffman table is empty');
  const maxBits = highestBit(sum) + 1;
  const rest = (1 << maxBits) - sum;
  if (maxBits > MAX_HUFFMAN_BITS || (rest & (rest - 1)) !== 0)
    throw new ZstdError('the weights of a Huffman table do not add up');
  // The last weight is not stored: it completes the sum to a power of two.
  const all = [...weights, highestBit(rest) + 1];
  const symbols = new Uint8Array(1 << maxBits);
  const bits = new Uint8Array(1 << maxBits);
  let at = 0;
  for (let weight = 1; weight <= maxBits; weight++) {
    for (const [symbol, own] of all.entries()) {
      if (own !== weight) continue;
      const cells = 1 << (weight - 1);
      symbols.fill(symbol, at, at + cells);
      bits.fill(maxBits + 1 - weight, at, at + cells);
      at += cells;
    }
  }
  return { maxBits, symbols, bits };
}
