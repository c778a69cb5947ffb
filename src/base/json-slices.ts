/**
 * JSON of large values in steps: encoding yields after a few thousand nodes, and a value that a thread encoded in pieces is
 * put together piece by piece. Each takes a little longer than JSON.stringify and JSON.parse, and blocks nobody.
 */
import { stringifyJson } from './encode-json.ts';
import { setOwn } from './own-property.ts';
import type { Steps } from './steps.ts';

/** A value with fewer nodes is encoded at once. */
const FEW_NODES = 1000;
const NODES_PER_STEP = 40;
const CHARACTERS_PER_STEP = 1024;

/** The same text as JSON.stringify, for plain values; bigints are written as integers. */
export function stringifySteps(value: object): Steps<string> {
  return textSteps(value, new Sizes());
}

function* textSteps(value: object, sizes: Sizes): Steps<string> {
  if (sizes.isSmall(value)) return stringifyJson(value);
  yield;
  return Array.isArray(value) ? yield* listSteps(value, sizes) : yield* recordSteps(value, sizes);
}

function* listSteps(list: readonly unknown[], sizes: Sizes): Steps<string> {
  const texts: string[] = [];
  for (let from = 0; from < list.length;) {
    let nodes = 0;
    let to = from;
    while (to < list.length && nodes < FEW_NODES) {
      const own = sizes.nodes(list[to], FEW_NODES);
      if (own >= FEW_NODES) break;
      nodes += own;
      to++;
    }
    if (to > from) {
      texts.push(stringifyJson(list.slice(from, to)).slice(1, -1));
      yield nodes / NODES_PER_STEP;
      from = to;
    } else texts.push(yield* textSteps(list[from++] as object, sizes));
  }
  return `[${texts.join(',')}]`;
}

function* recordSteps(record: object, sizes: Sizes): Steps<string> {
  const texts: string[] = [];
  let nodes = 0;
  for (const key of sizes.keys(record)) {
    const value = (record as Record<string, unknown>)[key];
    const own = sizes.nodes(value, FEW_NODES);
    const text = own < FEW_NODES ? stringifyJson(value) : yield* textSteps(value as object, sizes);
    if (text !== undefined) texts.push(`${JSON.stringify(key)}:${text}`);
    if ((nodes += own) < FEW_NODES) continue;
    yield nodes / NODES_PER_STEP;
    nodes = 0;
  }
  return `{${texts.join(',')}}`;
}

/** The sizes of the values of one run. Finding the keys of a large record takes long, so they are found once. */
class Sizes {
  readonly #keys = new Map<object, readonly string[]>();

  keys(record: object): readonly string[] {
    const known = this.#keys.get(record);
    if (known) return known;
    const keys = Object.keys(record);
    if (keys.length >= FEW_NODES) this.#keys.set(record, keys);
    return keys;
  }

  isSmall(value: unknown): boolean {
    return this.nodes(value, FEW_NODES) < FEW_NODES;
  }

  /** How many nodes the value has; at least `limit` where it has more. */
  nodes(value: unknown, limit: number): number {
    if (typeof value !== 'object' || value === null) return 1;
    let nodes = 1;
    if (Array.isArray(value)) {
      if (value.length >= limit) return limit;
      for (const item of value as unknown[]) if ((nodes += this.nodes(item, limit - nodes)) >= limit) break;
      return nodes;
    }
    const keys = this.keys(value);
    if (keys.length >= limit) return limit;
    for (const key of keys)
      if ((nodes += this.nodes((value as Record<string, unknown>)[key], limit - nodes)) >= limit) break;
    return nodes;
  }
}

/** The JSON of a value in pieces of a size that is parsed at once. */
export type JsonPieces =
  | Piece
  /** A piece holds some items in a list, or one item in pieces. */
  | { readonly list: readonly (Piece | { readonly item: JsonPieces })[] }
  /** A piece holds some members in a record, or one member in pieces. */
  | { readonly record: readonly (Piece | { readonly key: string; readonly value: JsonPieces })[] };

/** The JSON of a small value; the value itself if it has bigints, which JSON.parse would round. */
type Piece = string | { readonly plain: unknown };

export function toPieces(value: object, sizes = new Sizes()): JsonPieces {
  if (sizes.isSmall(value)) return pieceOf(value);
  return Array.isArray(value) ? listPieces(value, sizes) : recordPieces(value, sizes);
}

function pieceOf(value: unknown): Piece {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (error instanceof TypeError) return { plain: value };
    throw error;
  }
}

function listPieces(items: readonly unknown[], sizes: Sizes): JsonPieces {
  const list: (Piece | { item: JsonPieces })[] = [];
  let nodes = 0;
  let from = 0;
  const flush = (to: number): void => {
    if (to > from) list.push(pieceOf(items.slice(from, to)));
    from = to;
    nodes = 0;
  };
  items.forEach((item, i) => {
    const own = sizes.nodes(item, FEW_NODES);
    if (own >= FEW_NODES) {
      flush(i);
      list.push({ item: toPieces(item as object, sizes) });
      from = i + 1;
    } else if ((nodes += own) >= FEW_NODES) flush(i + 1);
  });
  flush(items.length);
  return { list };
}

function recordPieces(members: object, sizes: Sizes): JsonPieces {
  const record: (Piece | { key: string; value: JsonPieces })[] = [];
  let nodes = 0;
  let some: Record<string, unknown> = {};
  const flush = (): void => {
    if (nodes > 0) record.push(pieceOf(some));
    some = {};
    nodes = 0;
  };
  for (const key of sizes.keys(members)) {
    const value = (members as Record<string, unknown>)[key];
    const own = sizes.nodes(value, FEW_NODES);
    if (own >= FEW_NODES) {
      flush();
      record.push({ key, value: toPieces(value as object, sizes) });
      continue;
    }
    setOwn(some, key, value);
    if ((nodes += own) >= FEW_NODES) flush();
  }
  flush();
  return { record };
}

/** How long the texts of the pieces are together. */
export function piecesLength(pieces: JsonPieces): number {
  if (typeof pieces === 'string') return pieces.length;
  if ('plain' in pieces) return stringifyJson(pieces.plain).length;
  let length = 2;
  if ('list' in pieces) for (const piece of pieces.list) length += piecesLength(partOf(piece));
  else
    for (const piece of pieces.record)
      length += piecesLength(partOf(piece)) + (typeof piece !== 'string' && 'key' in piece ? piece.key.length + 4 : 0);
  return length;
}

const partOf = (part: Piece | { readonly item: JsonPieces } | { readonly value: JsonPieces }): JsonPieces =>
  typeof part === 'string' || 'plain' in part ? part : 'item' in part ? part.item : part.value;

export function* fromPieces(pieces: JsonPieces): Steps<unknown> {
  if (typeof pieces === 'string' || 'plain' in pieces) return yield* parsePiece(pieces);
  if ('list' in pieces) {
    const list: unknown[] = [];
    for (const piece of pieces.list) {
      if (typeof piece !== 'string' && 'item' in piece) list.push(yield* fromPieces(piece.item));
      else for (const item of (yield* parsePiece(piece)) as unknown[]) list.push(item);
    }
    return list;
  }
  const record: Record<string, unknown> = {};
  for (const piece of pieces.record) {
    if (typeof piece !== 'string' && 'key' in piece) setOwn(record, piece.key, yield* fromPieces(piece.value));
    else {
      const members = (yield* parsePiece(piece)) as Record<string, unknown>;
      for (const key in members) setOwn(record, key, members[key]);
    }
  }
  return record;
}

function* parsePiece(piece: Piece): Steps<unknown> {
  if (typeof piece !== 'string') {
    yield FEW_NODES / NODES_PER_STEP;
    return piece.plain;
  }
  yield piece.length / CHARACTERS_PER_STEP;
  return JSON.parse(piece) as unknown;
}
