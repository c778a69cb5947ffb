/**
 * Bodies of lists in other forms than the stored JSON: tables, metadata only, YAML, indented JSON, protobuf. Items are
 * encoded while the list is sent, so that no list is in memory as a whole, neither as objects nor as bytes.
 */
import { apiVersionOf, schema } from '../../api/index.ts';
import { stringifyJson } from '../../base/index.ts';
import type { Clock } from '../../kernel/index.ts';
import { encodeYaml, parseExactJson } from '../../machinery/decode/index.ts';
import { notAcceptable } from '../../machinery/errors/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import { messageOfKind, protobufListFrame, type TypeMeta } from '../../machinery/protobuf/index.ts';
import { fairTurn } from '../request/fair-turns.ts';
import type { LargeBody, EncodedObject, ListResult } from '../request/request.ts';
import { indentedItem, protobufItem, yamlItem } from '../stage-thread/encode-item.ts';
import type { StageRunner } from '../stage-thread/stage-runner.ts';
import { asPartialMetadata, asTable, internalType } from '../verbs/represent.ts';
import type { Scope } from '../verbs/scope.ts';
import { listItem, listMetadata, typedListMetadata } from './list-body.ts';

/** Where the reader `mayWait`, large items come later, from the thread of large requests. */
type Pieces = (mayWait: boolean) => Iterable<Uint8Array | Promise<Uint8Array>>;

/** Larger items are encoded by the thread of large requests, where there is one. */
const LARGE_ITEM_BYTES = 64 * 1024;

export function listPieces(scope: Scope, list: ListResult): Pieces | Promise<Pieces> {
  const { mediaType, pretty } = scope.negotiated;
  if (mediaType === 'application/vnd.kubernetes.protobuf') return protobufPieces(scope, list);
  const document = documentOf(scope, list);
  const { entries } = list;
  if (mediaType === 'application/yaml') return (mayWait) => yamlPieces(document, entries, mayWait);
  return (mayWait) => (pretty ? indentedPieces(document, entries, mayWait) : jsonPieces(document, entries));
}

/** The item in another form; the thread encodes one that is large. */
function encodedItem(
  { item, stored, stages }: ListDocument,
  entry: EncodedObject,
  form: 'yaml' | 'indented',
  mayWait: boolean,
): Uint8Array | Promise<Uint8Array> {
  const encode = (): Uint8Array => (form === 'yaml' ? yamlItem : indentedItem)(item(entry));
  if (!mayWait || !stored || !stages.runs || entry.size < LARGE_ITEM_BYTES) return encode();
  return stages.run('encodeItem', { item: stored(entry), form }).then((encoded) => encoded ?? encode());
}

/** One call encodes for at most this long; other requests run before the next. */
const SLICE_MS = 8;

/** A body of pieces that are encoded on demand. */
export class PiecewiseBody implements LargeBody {
  readonly #clock: Clock;
  readonly #pieces: Pieces;
  #reading: Reading | undefined;
  produced = 0;

  constructor(clock: Clock, pieces: Pieces) {
    this.#clock = clock;
    this.#pieces = pieces;
  }

  async turn(): Promise<void> {
    await fairTurn(this.#clock);
    await this.#reading?.next();
  }

  toBuffer(): Buffer {
    return Buffer.concat([...this.#pieces(false)] as Uint8Array[]);
  }

  reader(): (target: Buffer) => number {
    const reading = (this.#reading = new Reading(this.#pieces(true)[Symbol.iterator]()));
    return (target) => {
      const until = this.#clock.monotonic() + SLICE_MS;
      let at = 0;
      while (at < target.length) {
        if (reading.rest.length === 0) {
          if (at > 0 && this.#clock.monotonic() > until) break;
          const awaited = reading.next();
          // A piece that comes later is awaited in the next turn.
          if (awaited && at === 0) throw new Error('the list was read without its turn');
          if (awaited || reading.rest.length === 0) break;
        }
        const part = reading.rest.subarray(0, target.length - at);
        target.set(part, at);
        at += part.length;
        reading.rest = reading.rest.subarray(part.length);
      }
      this.produced += at;
      return at;
    };
  }
}

class Reading {
  /** What is left of the current piece; empty at the end. */
  rest: Uint8Array = Buffer.alloc(0);
  readonly #pieces: Iterator<Uint8Array | Promise<Uint8Array>>;
  #awaited: Promise<void> | undefined;

  constructor(pieces: Iterator<Uint8Array | Promise<Uint8Array>>) {
    this.#pieces = pieces;
  }

  /** Moves on to the next piece, if the current one is at its end. */
  next(): Promise<void> | void {
    while (this.rest.length === 0) {
      if (this.#awaited) return this.#awaited;
      const { done, value } = this.#pieces.next();
      if (done) return;
      if (value instanceof Promise) {
        this.#awaited = value.then((piece) => {
          this.#awaited = undefined;
          this.rest = piece;
        });
        // The client has disconnected.
        void this.#awaited.catch(() => undefined);
      } else this.rest = value;
    }
  }
}

interface ListDocument {
  /** All fields but the items, whose list is empty and comes last. */
  readonly frame: Readonly<Record<string, unknown>>;
  readonly key: 'items' | 'rows';
  readonly item: (entry: EncodedObject) => unknown;
  /** The JSON of an item, where it is stored. */
  readonly stored?: (entry: EncodedObject) => Buffer;
  readonly stages: StageRunner;
}

function documentOf(scope: Scope, list: ListResult): ListDocument {
  const { served, negotiated } = scope;
  const { stages } = scope.backend;
  const { as } = negotiated;
  if (!as) {
    const frame = {
      kind: served.listKind,
      apiVersion: apiVersionOf(served),
      metadata: typedListMetadata(list),
      items: [],
    };
    const stored = (entry: EncodedObject): Buffer => listItem(served, entry);
    const item = (entry: EncodedObject): unknown => parseExactJson(stored(entry).toString('utf8'));
    return { frame, key: 'items', item, stored, stages };
  }
  if (as.kind === 'Table') {
    const frame = { ...asTable(scope, [], undefined), metadata: listMetadata(list) };
    return {
      frame,
      key: 'rows',
      item: (entry) => (asTable(scope, [entry.object], undefined) as unknown as { rows: unknown[] }).rows[0],
      stages,
    };
  }
  const { version } = wantedMetadata(scope);
  const items = list.entries.length > 0 ? [] : null;
  const frame = {
    kind: 'PartialObjectMetadataList',
    apiVersion: `meta.k8s.io/${version}`,
    metadata: listMetadata(list),
    items,
  };
  return { frame, key: 'items', item: (entry) => asPartialMetadata(served, entry.object, version), stages };
}

function wantedMetadata({ served, negotiated }: Scope): { readonly version: string } {
  const { kind, version } = negotiated.as!;
  if (kind === 'PartialObjectMetadata')
    throw notAcceptable(
      `you requested PartialObjectMetadata, but the requested object is a list (${internalType(served, 'List')})`,
    );
  return { version };
}

function* jsonPieces({ frame, item }: ListDocument, entries: readonly EncodedObject[]): Generator<Uint8Array> {
  const text = JSON.stringify(frame);
  if (entries.length === 0) return yield Buffer.from(`${text}\n`);
  yield Buffer.from(text.slice(0, -']}'.length));
  for (const [i, entry] of entries.entries()) {
    const value = item(entry) as { readonly object?: unknown };
    const comma = i > 0 ? ',' : '';
    if (entry.size < LARGE_ITEM_BYTES || value.object !== entry.object)
      yield Buffer.from(`${comma}${stringifyJson(value)}`);
    else yield* rowWithObject(comma, value, entry);
  }
  yield Buffer.from(']}\n');
}

/** A row of a Table with a large object, whose JSON is stored. */
function* rowWithObject(comma: string, row: object, { bytes }: EncodedObject): Generator<Uint8Array> {
  const { object: _, ...rest } = row as { readonly object: unknown };
  yield Buffer.from(`${comma}${stringifyJson(rest).slice(0, -1)},"object":`);
  yield bytes;
  yield Buffer.from('}');
}

function* indentedPieces(
  document: ListDocument,
  entries: readonly EncodedObject[],
  mayWait: boolean,
): Generator<Uint8Array | Promise<Uint8Array>> {
  const text = JSON.stringify(document.frame, null, 2);
  if (entries.length === 0) return yield Buffer.from(text);
  yield Buffer.from(text.slice(0, -']\n}'.length));
  for (const [i, entry] of entries.entries()) {
    yield Buffer.from(`${i > 0 ? ',' : ''}\n    `);
    yield encodedItem(document, entry, 'indented', mayWait);
  }
  yield Buffer.from('\n  ]\n}');
}

/** YAML keys are sorted, so the items stand between other fields, at the line with the empty list. */
function* yamlPieces(
  document: ListDocument,
  entries: readonly EncodedObject[],
  mayWait: boolean,
): Generator<Uint8Array | Promise<Uint8Array>> {
  const text = encodeYaml(document.frame).toString('utf8');
  if (entries.length === 0) return yield Buffer.from(text);
  const none = `\n${document.key}: []\n`;
  const at = text.indexOf(none);
  yield Buffer.from(`${text.slice(0, at)}\n${document.key}:\n`);
  for (const entry of entries) yield encodedItem(document, entry, 'yaml', mayWait);
  yield Buffer.from(text.slice(at + none.length));
}

/** Encoded items are encodedItems up to this size; beyond it they are encoded again when they are sent. */
const MAX_ENCODED_ITEMS_BYTES = 4 * 1024 * 1024;
/** An item of this length counts as one more step. */
const STEP_BYTES = 4096;
const STEPS_PER_SLICE = 80;

/** A protobuf list begins with its length: all items are encoded first, a few at a time. */
async function protobufPieces(scope: Scope, list: ListResult): Promise<Pieces> {
  const { served, negotiated, backend } = scope;
  const version = negotiated.as && wantedMetadata(scope).version;
  const typeOf = (kind: string): TypeMeta => ({
    kind,
    apiVersion: version ? `meta.k8s.io/${version}` : apiVersionOf(served),
  });
  const [itemKind, listKind] = version
    ? ['PartialObjectMetadata', 'PartialObjectMetadataList']
    : [served.kind, served.listKind];
  if (!messageOfKind(schema, typeOf(itemKind))) throw notAcceptable(`${served.kind} has no protobuf form`);
  const objectOf = ({ object }: EncodedObject): KubeObject =>
    version ? asPartialMetadata(served, object, version) : object;
  const form = typeOf(itemKind);
  const encoded = (entry: EncodedObject, mayWait: boolean): Uint8Array | Promise<Uint8Array> => {
    const encode = (): Buffer => protobufItem(form, objectOf(entry));
    if (!mayWait || version || !backend.stages.runs || entry.size < LARGE_ITEM_BYTES) return encode();
    return backend.stages.run('encodeItem', { item: entry.bytes, form }).then((item) => item ?? encode());
  };
  const { encodedItems, bytes } = await encodeAll(backend.ctx.clock, list.entries, (entry) => encoded(entry, true));
  const { start, end } = protobufListFrame(typeOf(listKind), listMetadata(list), bytes);
  return function* (mayWait) {
    yield start;
    if (encodedItems) yield* encodedItems;
    else for (const entry of list.entries) yield encoded(entry, mayWait);
    yield end;
  };
}

async function encodeAll(
  clock: Clock,
  entries: readonly EncodedObject[],
  encoded: (entry: EncodedObject) => Uint8Array | Promise<Uint8Array>,
): Promise<{ encodedItems: Uint8Array[] | undefined; bytes: number }> {
  let encodedItems: Uint8Array[] | undefined = [];
  let bytes = 0;
  let steps = 0;
  for (const entry of entries) {
    const encoding = encoded(entry);
    const item = encoding instanceof Promise ? await encoding : encoding;
    bytes += item.length;
    if (bytes > MAX_ENCODED_ITEMS_BYTES) encodedItems = undefined;
    encodedItems?.push(item);
    if ((steps += 1 + item.length / STEP_BYTES) < STEPS_PER_SLICE) continue;
    await fairTurn(clock);
    steps = 0;
  }
  return { encodedItems, bytes };
}
