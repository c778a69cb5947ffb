/** The envelope of protobuf objects, `runtime.Unknown`, from which the kind is known before the object is decoded. */
import { apiVersionOf, type Message, type Schema } from '../../api/index.ts';
import { isRecord, quote } from '../../base/index.ts';
import { badRequest } from '../errors/index.ts';
import type { KubeObject } from '../index.ts';
import { decoderOf } from './decode-message.ts';
import { readFields } from './decode-scalar.ts';
import { encoderOf, encodeWith } from './encode-message.ts';
import { LENGTH_DELIMITED, Reader } from './reader.ts';
import type { BackwardWriter } from './writer.ts';

/**
 * The envelope of an object, so that its kind is known before it is decoded:
 *
 *     "k8s" 0x00 Unknown { typeMeta = 1 { apiVersion = 1, kind = 2 }, raw = 2, contentEncoding = 3, contentType = 4 }
 */
const MAGIC = Buffer.from('k8s\0', 'latin1');

export interface TypeMeta {
  readonly apiVersion: string;
  readonly kind: string;
}

interface Envelope extends TypeMeta {
  readonly raw: Buffer;
  readonly contentEncoding: string;
  readonly contentType: string;
}

/** An object in its envelope. */
export function encodeProtobuf(message: Message, object: unknown, typeMeta: TypeMeta): Buffer {
  const encoder = encoderOf(message);
  return encodeWith((writer) =>
    writeEnvelope(writer, typeMeta, () => encoder.write(writer, isRecord(object) ? object : {})),
  );
}

/** Puts an already encoded message into an envelope. */
export function wrapProtobuf(typeMeta: TypeMeta, raw: Uint8Array): Buffer {
  return encodeWith((writer) => writeEnvelope(writer, typeMeta, () => writer.bytes(raw)));
}

function writeEnvelope(writer: BackwardWriter, typeMeta: TypeMeta, writeRaw: () => void): void {
  writer.string('');
  writer.byte(0x22);
  writer.string('');
  writer.byte(0x1a);
  const raw = writer.mark();
  writeRaw();
  writer.length(raw);
  writer.byte(0x12);
  const meta = writer.mark();
  writer.string(typeMeta.kind);
  writer.byte(0x12);
  writer.string(typeMeta.apiVersion);
  writer.byte(0x0a);
  writer.length(meta);
  writer.byte(0x0a);
  writer.bytes(MAGIC);
}

export const isProtobuf = (bytes: Uint8Array): boolean => bytes.length >= 4 && MAGIC.equals(bytes.subarray(0, 4));

/** Decodes only the envelope; `raw` is the encoded object. */
export function decodeProtobuf(bytes: Uint8Array): Envelope {
  if (bytes.length === 0) throw badRequest('empty data');
  if (!isProtobuf(bytes)) {
    throw badRequest('provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]');
  }
  if (bytes.length === MAGIC.length) throw badRequest('empty body');
  const reader = new Reader(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  reader.position = MAGIC.length;
  const end = bytes.length;
  const envelope = { apiVersion: '', kind: '', raw: Buffer.alloc(0) as Buffer, contentEncoding: '', contentType: '' };
  while (reader.position < end) {
    const tag = reader.varint(end);
    if (tag === 0x0a) readTypeMeta(reader, end, envelope);
    else if (tag === 0x12) envelope.raw = reader.bytes(end);
    else if (tag === 0x1a) envelope.contentEncoding = reader.string(end);
    else if (tag === 0x22) envelope.contentType = reader.string(end);
    else reader.skip(tag & 7, end);
  }
  return envelope;
}

function readTypeMeta(reader: Reader, end: number, into: { apiVersion: string; kind: string }): void {
  readFields(reader, end, (number, wireType, valueEnd) => {
    if (wireType !== LENGTH_DELIMITED) return false;
    if (number === 1) into.apiVersion = reader.string(valueEnd);
    else if (number === 2) into.kind = reader.string(valueEnd);
    else return false;
    return true;
  });
}

/** Decodes an object of any kind of the schema; `apiVersion` and `kind` stand in for those that the bytes do not give. */
export function decodeProtobufObject(
  schema: Schema,
  bytes: Uint8Array,
  { apiVersion: defaultVersion = '', kind: defaultKind = '' }: Partial<TypeMeta> = {},
): KubeObject {
  const envelope = decodeProtobuf(bytes);
  const kind = envelope.kind || defaultKind;
  const apiVersion = envelope.apiVersion || defaultVersion;
  if (kind === '') throw badRequest(`Object 'Kind' is missing in '${typeMetaText(envelope)}'`);
  if (apiVersion === '') throw badRequest(`Object 'apiVersion' is missing in '${typeMetaText(envelope)}'`);
  const message = messageOfKind(schema, { apiVersion, kind });
  if (!message) throw badRequest(`no kind ${quote(kind)} is registered for version ${quote(apiVersion)}`);
  const fields = decoderOf(message).read(new Reader(envelope.raw), envelope.raw.length);
  return { kind, apiVersion, ...fields } as KubeObject;
}

const typeMetaText = (meta: TypeMeta): string =>
  `runtime.TypeMeta{APIVersion:${quote(meta.apiVersion)}, Kind:${quote(meta.kind)}}`;

/** Kinds of meta/v1 that upstream registers in every group. */
const KINDS_OF_EVERY_GROUP = [
  'CreateOptions',
  'DeleteOptions',
  'GetOptions',
  'ListOptions',
  'PatchOptions',
  'UpdateOptions',
  'WatchEvent',
];
const KINDS_WITHOUT_GROUP = ['APIGroup', 'APIGroupList', 'APIResourceList', 'APIVersions', 'Status'];

/** The message of a kind, also of the kinds of meta/v1 in other groups. */
export function messageOfKind(schema: Schema, { apiVersion, kind }: TypeMeta): Message | undefined {
  const slash = apiVersion.indexOf('/');
  const gvk = { group: apiVersion.slice(0, Math.max(slash, 0)), version: apiVersion.slice(slash + 1), kind };
  const found = schema.kind(gvk);
  if (found) return found;
  const isMetaKind =
    KINDS_OF_EVERY_GROUP.includes(kind) || (apiVersionOf(gvk) === 'v1' && KINDS_WITHOUT_GROUP.includes(kind));
  return isMetaKind ? schema.messages.get(`io.k8s.apimachinery.pkg.apis.meta.v1.${kind}`) : undefined;
}
