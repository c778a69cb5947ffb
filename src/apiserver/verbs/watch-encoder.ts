/** Watch events on the wire: a JSON document a line, or protobuf frames; whole objects, metadata only, or table rows. */
import type { ColumnDeclaration } from '../../api/index.ts';
import { stringifyJson } from '../../base/index.ts';
import { allocateBytes } from '../../kernel/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import { encodeWatchFrame } from '../../machinery/protobuf/index.ts';
import { viewOf } from '../registry/served-resource.ts';
import type { WatchedObject } from '../request/request.ts';
import { encodeObjectProtobuf } from '../request/responses.ts';
import type { Entry } from '../storage/entry.ts';
import type { CacheEvent } from '../storage/resource-cache.ts';
import { asPartialMetadata, asTable, zeroObject } from './represent.ts';
import type { Scope } from './scope.ts';

/** `F` is a frame: bytes on the wire, or an event object for a caller in this process. */
export interface WatchEncoder<F = Buffer> {
  readonly contentType: string;
  encode(type: string, entry: Entry): F;
  /** Encodes the frame once for all watchers of the same form. */
  encodeShared(event: CacheEvent): F;
  encodeObject(type: string, object: KubeObject): F;
  bookmark(revision: number, annotations: Record<string, string> | undefined): F;
}

/** No encoding at all: the cache's own frozen objects. */
export function objectEncoder(scope: Scope): WatchEncoder<WatchedObject> {
  const encodeObject = (type: string, object: KubeObject): WatchedObject => ({ type, object });
  return {
    contentType: '',
    encode: (type, entry) => ({ type, object: entry.object }),
    encodeShared: (event) => ({ type: event.type, object: viewOf(scope.served, event.entry).object }),
    encodeObject,
    bookmark: (revision, annotations) => encodeObject('BOOKMARK', bookmarkObject(scope, revision, annotations)),
  };
}

export function watchEncoderOf(scope: Scope): WatchEncoder {
  const { negotiated } = scope;
  const protobuf = negotiated.mediaType === 'application/vnd.kubernetes.protobuf';
  return protobuf ? protobufEncoder(scope) : negotiated.as ? transformedEncoder(scope) : jsonEncoder(scope);
}

const NEWLINE_AFTER = Buffer.from('}\n');

const jsonHeads: ReadonlyMap<string, Buffer> = new Map(
  ['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK', 'ERROR'].map((type) => [
    type,
    Buffer.from(`{"type":"${type}","object":`),
  ]),
);

function jsonFrame(type: string, body: Buffer): Buffer {
  const head = jsonHeads.get(type)!;
  const frame = allocateBytes(head.length + body.length + NEWLINE_AFTER.length);
  head.copy(frame);
  body.copy(frame, head.length);
  NEWLINE_AFTER.copy(frame, head.length + body.length);
  return frame;
}

function bookmarkObject(scope: Scope, revision: number, annotations: Record<string, string> | undefined): KubeObject {
  const object = zeroObject(scope.served);
  const all = { ...object.metadata.annotations, ...annotations };
  const shown = Object.keys(all).length > 0 ? { annotations: all } : {};
  return { ...object, metadata: { ...shown, resourceVersion: String(revision) } };
}

function jsonEncoder(scope: Scope): WatchEncoder {
  const { served } = scope;
  const { frameOf } = scope.backend;
  const form = `json ${served.conversion ? `${served.group}/${served.version}` : ''}`;
  return {
    contentType: 'application/json',
    encode: (type, entry) => jsonFrame(type, entry.bytes),
    encodeShared: (event) => frameOf(event, form, () => jsonFrame(event.type, viewOf(served, event.entry).bytes)),
    encodeObject: (type, object) => jsonFrame(type, Buffer.from(stringifyJson(object))),
    bookmark(revision, annotations) {
      return this.encodeObject('BOOKMARK', bookmarkObject(scope, revision, annotations));
    },
  };
}

/** Tables and PartialObjectMetadata; only the first Table of a watch has column definitions. */
function transformedEncoder(scope: Scope): WatchEncoder {
  const { served, negotiated } = scope;
  let columnsSent = false;
  const transform = (entry: Entry): KubeObject => {
    if (negotiated.as!.kind !== 'Table') return asPartialMetadata(served, entry.object, negotiated.as!.version);
    const table = asTable(scope, [entry.object], entry.object.metadata.resourceVersion) as KubeObject & {
      columnDefinitions: readonly ColumnDeclaration[] | null;
    };
    if (columnsSent) table.columnDefinitions = null;
    columnsSent = true;
    return table;
  };
  const encodeObject = (type: string, object: KubeObject): Buffer =>
    jsonFrame(type, Buffer.from(stringifyJson(object)));
  return {
    contentType: 'application/json',
    encode(type, entry) {
      const object = transform(entry);
      return jsonFrame(type, tableWithObject(object, entry) ?? Buffer.from(stringifyJson(object)));
    },
    encodeShared(event) {
      return this.encode(event.type, viewOf(served, event.entry));
    },
    encodeObject,
    bookmark(revision, annotations) {
      const object = bookmarkObject(scope, revision, annotations);
      if (negotiated.as!.kind !== 'Table')
        return encodeObject('BOOKMARK', asPartialMetadata(served, object, negotiated.as!.version));
      const table = {
        ...asTable(scope, [object], String(revision)),
        ...(columnsSent ? { columnDefinitions: null } : {}),
      };
      columnsSent = true;
      return encodeObject('BOOKMARK', table as KubeObject);
    },
  };
}

/** The JSON of a Table whose row has the whole object: that is encoded already. */
function tableWithObject(table: KubeObject, entry: Entry): Buffer | undefined {
  const { rows, ...fields } = table as KubeObject & { readonly rows?: readonly { readonly object?: unknown }[] };
  const { object, ...row } = rows?.[0] ?? {};
  if (object === undefined || object !== entry.object) return undefined;
  return Buffer.concat([
    Buffer.from(`${stringifyJson(fields).slice(0, -1)},"rows":[${stringifyJson(row).slice(0, -1)},"object":`),
    entry.bytes,
    Buffer.from('}]}'),
  ]);
}

function protobufEncoder(scope: Scope): WatchEncoder {
  const { served, negotiated } = scope;
  const { frameOf } = scope.backend;
  const form = `protobuf ${served.group}/${served.version} ${negotiated.as?.kind ?? ''}`;
  const encodeObject = (type: string, object: KubeObject): Buffer =>
    encodeWatchFrame(type, encodeObjectProtobuf(object, served.kind));
  const transform = (object: KubeObject): KubeObject =>
    negotiated.as ? asPartialMetadata(served, object, negotiated.as.version) : object;
  return {
    contentType: 'application/vnd.kubernetes.protobuf;stream=watch',
    encode: (type, entry) => encodeObject(type, transform(entry.object)),
    encodeShared(event) {
      return frameOf(event, form, () => this.encode(event.type, viewOf(served, event.entry)));
    },
    encodeObject,
    bookmark: (revision, annotations) =>
      encodeObject('BOOKMARK', transform(bookmarkObject(scope, revision, annotations))),
  };
}
