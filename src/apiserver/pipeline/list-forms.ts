/**
 * Bodies of lists in other forms than the stored JSON: tables, metadata only, YAML, indented JSON, protobuf. Items are
 * encoded while the list is sent, so that no list is in memory as a whole, neither as objects nor as bytes.
 */
import { apiVersionOf, schema } from '../../api/index.ts';
import type { Clock } from '../../kernel/index.ts';
import { encodeYaml } from '../../machinery/decode/index.ts';
import { notAcceptable } from '../../machinery/errors/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import {
  encodeMessage,
  messageOfKind,
  protobufListFrame,
  protobufListItem,
  type TypeMeta,
} from '../../machinery/protobuf/index.ts';
import { fairTurn } from '../request/fair-turns.ts';
import { inSlices } from '../request/in-slices.ts';
import type { LargeBody, EncodedObject, ListResult } from '../request/request.ts';
import { asPartialMetadata, asTable, internalType } from '../verbs/represent.ts';
import type { Scope } from '../verbs/scope.ts';
import { listItem, listMetadata, typedListMetadata } from './list-body.ts';

type Pieces = () => Iterable<Uint8Array>;

export function listPieces(scope: Scope, list: ListResult): Pieces | Promise<Pieces> {
  const { mediaType, pretty } = scope.negotiated;
  if (mediaType === 'application/vnd.kubernetes.protobuf') return protobufPieces(scope, list);
  const document = documentOf(scope, list);
  if (mediaType === 'application/yaml') return () => yamlPieces(document, list.entries);
  return () => (pretty ? indentedPieces(document, list.entries) : jsonPieces(document, list.entries));
}

/** One call encodes for at most this long; other requests run before the next. */
const SLICE_MS = 8;

/** A body of pieces that are encoded on demand. */
export class PiecewiseBody implements LargeBody {
  readonly #clock: Clock;
  readonly #pieces: Pieces;
  produced = 0;

  constructor(clock: Clock, pieces: Pieces) {
    this.#clock = clock;
    this.#pieces = pieces;
  }

  turn(): Promise<void> {
    return fairTurn(this.#clock);
  }

  toBuffer(): Buffer {
    return Buffer.concat([...this.#pieces()]);
  }

  reader(): (target: Buffer) => number {
    const pieces = this.#pieces()[Symbol.iterator]();
    let piece: Uint8Array | undefined;
    let from = 0;
    return (target) => {
      const until = this.#clock.monotonic() + SLICE_MS;
      let at = 0;
      while (at < target.length) {
        if (!piece || from === piece.length) {
          if (at > 0 && this.#clock.monotonic() > until) break;
          const next = pieces.next();
          if (next.done) break;
          piece = next.value;
          from = 0;
        }
        const part = piece.subarray(from, from + target.length - at);
        target.set(part, at);
        at += part.length;
        from += part.length;
      }
      this.produced += at;
      return at;
    };
  }
}

interface ListDocument {
  /** All fields but the items, whose list is empty and comes last. */
  readonly frame: Readonly<Record<string, unknown>>;
  readonly key: 'items' | 'rows';
  readonly item: (entry: EncodedObject) => unknown;
}

function documentOf(scope: Scope, list: ListResult): ListDocument {
  const { served, negotiated } = scope;
  const { as } = negotiated;
  if (!as) {
    const frame = {
      kind: served.listKind,
      apiVersion: apiVersionOf(served),
      metadata: typedListMetadata(list),
      items: [],
    };
    return { frame, key: 'items', item: (entry) => JSON.parse(listItem(served, entry).toString('utf8')) as unknown };
  }
  if (as.kind === 'Table') {
    const frame = { ...asTable(scope, [], undefined), metadata: listMetadata(list) };
    return {
      frame,
      key: 'rows',
      item: (entry) => (asTable(scope, [entry.object], undefined) as unknown as { rows: unknown[] }).rows[0],
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
  return { frame, key: 'items', item: (entry) => asPartialMetadata(served, entry.object, version) };
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
  for (const [i, entry] of entries.entries()) yield Buffer.from(`${i > 0 ? ',' : ''}${JSON.stringify(item(entry))}`);
  yield Buffer.from(']}\n');
}

function* indentedPieces({ frame, item }: ListDocument, entries: readonly EncodedObject[]): Generator<Uint8Array> {
  const text = JSON.stringify(frame, null, 2);
  if (entries.length === 0) return yield Buffer.from(text);
  yield Buffer.from(text.slice(0, -']\n}'.length));
  for (const [i, entry] of entries.entries()) {
    const lines = JSON.stringify(item(entry), null, 2).replaceAll('\n', '\n    ');
    yield Buffer.from(`${i > 0 ? ',' : ''}\n    ${lines}`);
  }
  yield Buffer.from('\n  ]\n}');
}

/** YAML keys are sorted, so the items stand between other fields, at the line with the empty list. */
function* yamlPieces({ frame, key, item }: ListDocument, entries: readonly EncodedObject[]): Generator<Uint8Array> {
  const text = encodeYaml(frame).toString('utf8');
  if (entries.length === 0) return yield Buffer.from(text);
  const none = `\n${key}: []\n`;
  const at = text.indexOf(none);
  yield Buffer.from(`${text.slice(0, at)}\n${key}:\n`);
  for (const entry of entries) {
    const lines = encodeYaml([item(entry)]);
    // The YAML encoder falls back to JSON for deep nesting, and JSON is YAML too.
    yield lines[0] === OPENING_BRACKET
      ? Buffer.concat([SEQUENCE_ITEM, lines.subarray(1, lines.lastIndexOf(CLOSING_BRACKET)), NEWLINE])
      : lines;
  }
  yield Buffer.from(text.slice(at + none.length));
}

const OPENING_BRACKET = 0x5b;
const CLOSING_BRACKET = 0x5d;
const SEQUENCE_ITEM = Buffer.from('- ');
const NEWLINE = Buffer.from('\n');

/** Encoded items are encodedItems up to this size; beyond it they are encoded again when they are sent. */
const MAX_ENCODED_ITEMS_BYTES = 4 * 1024 * 1024;
/** An item of this length counts as one more step. */
const STEP_BYTES = 4096;

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
  const message = messageOfKind(schema, typeOf(itemKind));
  if (!message) throw notAcceptable(`${served.kind} has no protobuf form`);
  const objectOf = ({ object }: EncodedObject): KubeObject =>
    version ? asPartialMetadata(served, object, version) : object;
  const encoded = (entry: EncodedObject): Buffer => protobufListItem(encodeMessage(message, objectOf(entry)));
  const { clock } = backend.ctx;
  const { encodedItems, bytes } = await inSlices({ yield: () => fairTurn(clock) }, encodeAll(list.entries, encoded));
  const { start, end } = protobufListFrame(typeOf(listKind), listMetadata(list), bytes);
  return function* () {
    yield start;
    if (encodedItems) yield* encodedItems;
    else for (const entry of list.entries) yield encoded(entry);
    yield end;
  };
}

function* encodeAll(
  entries: readonly EncodedObject[],
  encoded: (entry: EncodedObject) => Buffer,
): Generator<number, { encodedItems: Buffer[] | undefined; bytes: number }> {
  let encodedItems: Buffer[] | undefined = [];
  let bytes = 0;
  for (const entry of entries) {
    const item = encoded(entry);
    bytes += item.length;
    if (bytes > MAX_ENCODED_ITEMS_BYTES) encodedItems = undefined;
    encodedItems?.push(item);
    yield 1 + item.length / STEP_BYTES;
  }
  return { encodedItems, bytes };
}
