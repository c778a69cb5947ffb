/** Decodes compressed zstd blocks: literals, then sequences that copy literals and earlier output. */
import { BackwardBits, ZstdError } from './zstd-bits.ts';
import {
  buildFseTable,
  readFseTable,
  readHuffmanTable,
  singleSymbolTable,
  type FseTable,
  type HuffmanTable,
} from './zstd-tables.ts';

export const MAX_BLOCK_BYTES = 128 * 1024;

/** The decoder state that carries over between the blocks of a frame. */
export interface FrameState {
  huffman: HuffmanTable | undefined;
  tables: [literalLengths: FseTable | undefined, offsets: FseTable | undefined, matchLengths: FseTable | undefined];
  offsets: [number, number, number];
}

export function newFrameState(): FrameState {
  return { huffman: undefined, tables: [undefined, undefined, undefined], offsets: [1, 4, 8] };
}

/** The output window; matches refer to `bytes` before `at`. */
export interface Window {
  readonly bytes: Uint8Array;
  at: number;
}

// Baselines and extra bits of the codes for lengths.
const LITERAL_BASES = [
  ...Array.from({ length: 16 }, (_, i) => i),
  16,
  18,
  20,
  22,
  24,
  28,
  32,
  40,
  48,
  64,
  ...Array.from({ length: 10 }, (_, i) => 128 << i),
];
const LITERAL_BITS = [
  ...Array.from({ length: 16 }, () => 0),
  1,
  1,
  1,
  1,
  2,
  2,
  3,
  3,
  4,
  6,
  7,
  8,
  9,
  10,
  11,
  12,
  13,
  14,
  15,
  16,
];
const MATCH_BASES = [
  ...Array.from({ length: 32 }, (_, i) => i + 3),
  35,
  37,
  39,
  41,
  43,
  47,
  51,
  59,
  67,
  83,
  99,
  ...Array.from({ length: 10 }, (_, i) => (128 << i) + 3),
];
const MATCH_BITS = [
  ...Array.from({ length: 32 }, () => 0),
  1,
  1,
  1,
  1,
  2,
  2,
  3,
  3,
  4,
  4,
  5,
  7,
  8,
  9,
  10,
  11,
  12,
  13,
  14,
  15,
  16,
];

const ones = (count: number): number[] => Array.from({ length: count }, () => 1);
const lessThanOnes = (count: number): number[] => Array.from({ length: count }, () => -1);
const twos = (count: number): number[] => Array.from({ length: count }, () => 2);

/** The three kinds of codes in the order in which their tables are written. */
const KINDS = [
  {
    accuracy: 9,
    symbols: 36,
    predefined: buildFseTable([4, 3, ...twos(11), 1, 1, 1, ...twos(9), 3, 2, 1, 1, 1, 1, 1, ...lessThanOnes(4)], 6),
  },
  { accuracy: 8, symbols: 32, predefined: buildFseTable([...ones(6), 2, 2, 2, ...ones(15), ...lessThanOnes(5)], 5) },
  { accuracy: 9, symbols: 53, predefined: buildFseTable([1, 4, 3, ...twos(6), ...ones(37), ...lessThanOnes(7)], 6) },
] as const;

export function decodeBlock(block: Uint8Array, state: FrameState, window: Window): void {
  const { literals, next } = decodeLiterals(block, state);
  const start = window.at;
  const used = decodeSequences(block, next, { state, window, literals });
  window.bytes.set(literals.subarray(used), window.at);
  window.at += literals.length - used;
  if (window.at - start > MAX_BLOCK_BYTES) throw new ZstdError('a block is larger than allowed');
}

function decodeLiterals(block: Uint8Array, state: FrameState): { literals: Uint8Array; next: number } {
  const byte = (at: number): number => block[at] ?? 0;
  const type = byte(0) & 3;
  const format = (byte(0) >> 2) & 3;
  if (type < 2) {
    const header = (format & 1) === 0 ? 1 : format === 1 ? 2 : 3;
    const size = header === 1 ? byte(0) >> 3 : (byte(0) >> 4) | (byte(1) << 4) | (header === 3 ? byte(2) << 12 : 0);
    const end = type === 0 ? header + size : header + 1;
    if (size > MAX_BLOCK_BYTES || end > block.length) throw new ZstdError('literals are cut short');
    return { literals: type === 0 ? block.subarray(header, end) : new Uint8Array(size).fill(byte(header)), next: end };
  }
  const [header, width] = format < 2 ? [3, 10] : format === 2 ? [4, 14] : [5, 18];
  const bits =
    byte(0) +
    byte(1) * 0x100 +
    byte(2) * 0x10000 +
    (header > 3 ? byte(3) * 0x1000000 : 0) +
    (header > 4 ? byte(4) * 0x100000000 : 0);
  const size = Math.floor(bits / 16) % 2 ** width;
  const compressed = Math.floor(bits / 2 ** (4 + width)) % 2 ** width;
  const end = header + compressed;
  if (size > MAX_BLOCK_BYTES || end > block.length) throw new ZstdError('literals are cut short');
  let at = header;
  if (type === 2) ({ table: state.huffman, next: at } = readHuffmanTable(block, header, end));
  if (state.huffman === undefined) throw new ZstdError('literals refer to a table that was never sent');
  const literals = new Uint8Array(size);
  if (format === 0) decodeHuffman(block, { start: at, end }, state.huffman, literals);
  else decodeFourStreams(block, { start: at, end }, state.huffman, literals);
  return { literals, next: end };
}

function decodeFourStreams(
  block: Uint8Array,
  { start, end }: { start: number; end: number },
  table: HuffmanTable,
  literals: Uint8Array,
): void {
  const quarter = (literals.length + 3) >> 2;
  let at = start + 6;
  for (let stream = 0; stream < 4; stream++) {
    const size = (block[start + stream * 2] ?? 0) | ((block[start + stream * 2 + 1] ?? 0) << 8);
    const streamEnd = stream === 3 ? end : at + size;
    if (streamEnd > end) throw new ZstdError('literals are cut short');
    decodeHuffman(
      block,
      { start: at, end: streamEnd },
      table,
      literals.subarray(stream * quarter, stream === 3 ? literals.length : (stream + 1) * quarter),
    );
    at = streamEnd;
  }
}

function decodeHuffman(
  block: Uint8Array,
  { start, end }: { start: number; end: number },
  { maxBits, symbols, bits }: HuffmanTable,
  output: Uint8Array,
): void {
  const reader = new BackwardBits(block, start, end);
  const length = output.length;
  const mask = (1 << maxBits) - 1;
  // This loop takes most of the time, so it inlines the bit reader.
  let position = reader.left - maxBits;
  let i = 0;
  for (; i < length && position >= 0; i++) {
    const at = start + (position >> 3);
    const cell = ((block[at]! | (block[at + 1]! << 8) | (block[at + 2]! << 16)) >>> (position & 7)) & mask;
    output[i] = symbols[cell]!;
    position -= bits[cell]!;
  }
  reader.left = position + maxBits;
  for (; i < length; i++) {
    const cell = reader.peek(maxBits);
    output[i] = symbols[cell] ?? 0;
    reader.left -= bits[cell] ?? 0;
  }
  if (reader.left !== 0) throw new ZstdError('a stream of literals does not end where it should');
}

interface Decoding {
  readonly state: FrameState;
  readonly window: Window;
  readonly literals: Uint8Array;
}

/** Returns the number of literals that the sequences used. */
function decodeSequences(block: Uint8Array, start: number, { state, window, literals }: Decoding): number {
  const byte = (at: number): number => block[at] ?? 0;
  if (start >= block.length) throw new ZstdError('a block has no sequences');
  let at = start + 1;
  let count = byte(start);
  if (count === 0) {
    if (at !== block.length) throw new ZstdError('a block goes on after its end');
    return 0;
  }
  if (count >= 255) [count, at] = [byte(at) + (byte(at + 1) << 8) + 0x7f00, at + 2];
  else if (count >= 128) [count, at] = [((count - 128) << 8) + byte(at), at + 1];
  const modes = byte(at++);
  for (const [index, kind] of KINDS.entries()) {
    const mode = (modes >> (6 - 2 * index)) & 3;
    if (mode === 0) state.tables[index] = kind.predefined;
    else if (mode === 1) state.tables[index] = singleSymbolTable(byte(at++));
    else if (mode === 2)
      ({ table: state.tables[index], next: at } = readFseTable(block, { start: at, end: block.length }, kind));
  }
  const [literalTable, offsetTable, matchTable] = state.tables;
  if (literalTable === undefined || offsetTable === undefined || matchTable === undefined)
    throw new ZstdError('sequences refer to a table that was never sent');

  const reader = new BackwardBits(block, at, block.length);
  let literalState = reader.read(literalTable.accuracy);
  let offsetState = reader.read(offsetTable.accuracy);
  let matchState = reader.read(matchTable.accuracy);
  let used = 0;
  const limit = window.at + MAX_BLOCK_BYTES;
  for (let sequence = 0; sequence < count; sequence++) {
    const offsetCode = offsetTable.symbols[offsetState] ?? 0;
    const matchCode = matchTable.symbols[matchState] ?? 0;
    const literalCode = literalTable.symbols[literalState] ?? 0;
    if (offsetCode > 31 || matchCode > 52 || literalCode > 35) throw new ZstdError('a sequence has an unknown code');
    const offsetValue = 2 ** offsetCode + reader.readLong(offsetCode);
    const matchLength = (MATCH_BASES[matchCode] ?? 0) + reader.read(MATCH_BITS[matchCode] ?? 0);
    const literalLength = (LITERAL_BASES[literalCode] ?? 0) + reader.read(LITERAL_BITS[literalCode] ?? 0);
    if (sequence + 1 < count) {
      literalState = (literalTable.bases[literalState] ?? 0) + reader.read(literalTable.bits[literalState] ?? 0);
      matchState = (matchTable.bases[matchState] ?? 0) + reader.read(matchTable.bits[matchState] ?? 0);
      offsetState = (offsetTable.bases[offsetState] ?? 0) + reader.read(offsetTable.bits[offsetState] ?? 0);
    }
    if (reader.left < 0) throw new ZstdError('sequences are cut short');
    const offset = resolveOffset(state.offsets, offsetValue, literalLength === 0);
    if (used + literalLength > literals.length || window.at + literalLength + matchLength > limit)
      throw new ZstdError('a sequence is longer than its block');
    copyLiterals(window, literals, used, used + literalLength);
    used += literalLength;
    copyMatch(window, offset, matchLength);
  }
  if (reader.left !== 0) throw new ZstdError('sequences do not end where they should');
  return used;
}

/** Values 1 to 3 mean recently used offsets. */
function resolveOffset(recent: FrameState['offsets'], value: number, noLiterals: boolean): number {
  const [first, second, third] = recent;
  if (value > 3) {
    recent[2] = second;
    recent[1] = first;
    recent[0] = value - 3;
    return value - 3;
  }
  const index = value - 1 + (noLiterals ? 1 : 0);
  if (index === 0) return first;
  const offset = index === 1 ? second : index === 2 ? third : first - 1;
  if (index > 1) recent[2] = second;
  recent[1] = first;
  recent[0] = offset;
  return offset;
}

/** Most copies are a few bytes, for which creating a view costs more than a loop. */
function copyLiterals(window: Window, literals: Uint8Array, from: number, to: number): void {
  const { bytes, at } = window;
  const length = to - from;
  if (length > 32) bytes.set(literals.subarray(from, to), at);
  else for (let i = 0; i < length; i++) bytes[at + i] = literals[from + i]!;
  window.at = at + length;
}

function copyMatch(window: Window, offset: number, length: number): void {
  const { bytes, at } = window;
  const from = at - offset;
  if (offset <= 0 || from < 0) throw new ZstdError('a match refers to before the beginning');
  if (offset >= length && length > 64) bytes.copyWithin(at, from, from + length);
  else for (let i = 0; i < length; i++) bytes[at + i] = bytes[from + i]!;
  window.at = at + length;
}
