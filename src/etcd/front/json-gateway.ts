/**
 * etcd's JSON gateway: the methods of the KV service as POST /v3/kv/METHOD. Keys and values are base64, 64-bit numbers are
 * texts. Names may be in snake case or camel case; unknown ones are ignored. The gRPC handlers do the work.
 */
import { isRecord } from '../../base/index.ts';
import { FRAME_HEADER_BYTES } from '../wire/frames.ts';
import type { Message } from '../wire/message.ts';
import {
  CompactionRequest,
  DeleteRangeRequest,
  DeleteRangeResponse,
  HeaderOnly,
  PutRequest,
  PutResponse,
  RangeRequest,
  RangeResponse,
  TxnRequest,
  TxnResponse,
} from '../wire/messages.ts';
import { GrpcCode, GrpcError, grpcErrorOf } from '../wire/status.ts';
import type { Services, UnaryResponse } from './grpc-server.ts';

type Kind =
  | 'key'
  | 'bytes'
  | 'number'
  | 'id'
  | 'flag'
  | readonly string[]
  | { readonly each?: true; readonly of: Shape };
/** By name in JSON, in camel case: the field of the message, and what it holds. */
type Shape = ReadonlyMap<string, readonly [field: string, kind: Kind]>;

const shape = (fields: Record<string, Kind>, renamed: Readonly<Record<string, string>> = {}): Shape =>
  new Map(Object.entries(fields).map(([name, kind]) => [name, [renamed[name] ?? name, kind]]));

const RANGE = shape({
  key: 'key',
  rangeEnd: 'key',
  limit: 'number',
  revision: 'number',
  sortOrder: ['NONE', 'ASCEND', 'DESCEND'],
  sortTarget: ['KEY', 'VERSION', 'CREATE', 'MOD', 'VALUE'],
  serializable: 'flag',
  keysOnly: 'flag',
  countOnly: 'flag',
  minModRevision: 'number',
  maxModRevision: 'number',
  minCreateRevision: 'number',
  maxCreateRevision: 'number',
});
const PUT = shape({
  key: 'key',
  value: 'bytes',
  lease: 'id',
  prevKv: 'flag',
  ignoreValue: 'flag',
  ignoreLease: 'flag',
});
const DELETE = shape({ key: 'key', rangeEnd: 'key', prevKv: 'flag' });
const COMPARE = shape({
  result: ['EQUAL', 'GREATER', 'LESS', 'NOT_EQUAL'],
  target: ['VERSION', 'CREATE', 'MOD', 'VALUE', 'LEASE'],
  key: 'key',
  version: 'number',
  createRevision: 'number',
  modRevision: 'number',
  value: 'bytes',
  lease: 'id',
  rangeEnd: 'key',
});
const OPERATION = shape(
  { requestRange: { of: RANGE }, requestPut: { of: PUT }, requestDeleteRange: { of: DELETE } },
  { requestRange: 'range', requestPut: 'put', requestDeleteRange: 'deleteRange' },
);
const TXN = shape({
  compare: { each: true, of: COMPARE },
  success: { each: true, of: OPERATION },
  failure: { each: true, of: OPERATION },
});
const COMPACTION = shape({ revision: 'number', physical: 'flag' });

interface Method {
  readonly name: string;
  readonly shape: Shape;
  readonly request: Message<object>;
  readonly response: Message<object>;
}

const methodOf = (name: string, of: Shape, request: unknown, response: unknown): Method => ({
  name,
  shape: of,
  request: request as Message<object>,
  response: response as Message<object>,
});

const METHODS: ReadonlyMap<string, Method> = new Map([
  ['/v3/kv/range', methodOf('Range', RANGE, RangeRequest, RangeResponse)],
  ['/v3/kv/put', methodOf('Put', PUT, PutRequest, PutResponse)],
  ['/v3/kv/deleterange', methodOf('DeleteRange', DELETE, DeleteRangeRequest, DeleteRangeResponse)],
  ['/v3/kv/txn', methodOf('Txn', TXN, TxnRequest, TxnResponse)],
  ['/v3/kv/compaction', methodOf('Compact', COMPACTION, CompactionRequest, HeaderOnly)],
]);

interface GatewayResponse {
  readonly status: number;
  readonly body: string;
}

export const isGatewayPath = (path: string): boolean => path.startsWith('/v3/');

export async function answerGateway(
  services: Services,
  { path, method, body }: { readonly path: string; readonly method: string; readonly body: Buffer },
): Promise<GatewayResponse> {
  try {
    const found = METHODS.get(path);
    if (!found) throw new GrpcError(GrpcCode.NOT_FOUND, 'Not Found');
    if (method !== 'POST') throw new GrpcError(GrpcCode.UNIMPLEMENTED, 'Method Not Allowed');
    const handler = services['etcdserverpb.KV']?.[found.name];
    if (!handler || !('unary' in handler)) throw new GrpcError(GrpcCode.UNIMPLEMENTED, 'Not Implemented');
    const request = fromJson(parse(body), found.shape);
    const framed = wholeResponse(await handler.unary(Buffer.from(found.request.encode(request))));
    const response = found.response.decode(framed.subarray(FRAME_HEADER_BYTES));
    return { status: 200, body: JSON.stringify(toJson(response)) };
  } catch (error) {
    const { code, message } = grpcErrorOf(error);
    return { status: HTTP_STATUS.get(code) ?? 500, body: JSON.stringify({ code, message }) };
  }
}

function wholeResponse(response: UnaryResponse): Buffer {
  if (Buffer.isBuffer(response)) return response;
  const pieces: Buffer[] = [];
  for (let next = response.next(); !next.done; next = response.next()) pieces.push(Buffer.from(next.value));
  return Buffer.concat(pieces);
}

const HTTP_STATUS: ReadonlyMap<number, number> = new Map([
  [GrpcCode.INVALID_ARGUMENT, 400],
  [GrpcCode.NOT_FOUND, 404],
  [GrpcCode.RESOURCE_EXHAUSTED, 429],
  [GrpcCode.FAILED_PRECONDITION, 400],
  [GrpcCode.OUT_OF_RANGE, 400],
  [GrpcCode.UNIMPLEMENTED, 501],
  [GrpcCode.UNAVAILABLE, 503],
]);

const invalid = (message: string): GrpcError => new GrpcError(GrpcCode.INVALID_ARGUMENT, `proto: ${message}`);

function parse(body: Buffer): unknown {
  if (body.length === 0) return {};
  try {
    return JSON.parse(body.toString('utf8')) as unknown;
  } catch {
    throw invalid('syntax error');
  }
}

const camelCase = (name: string): string => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

function fromJson(value: unknown, of: Shape): Record<string, unknown> {
  if (!isRecord(value)) throw invalid('unexpected token');
  const message: Record<string, unknown> = {};
  for (const [name, given] of Object.entries(value)) {
    const [field, kind] = of.get(camelCase(name)) ?? [];
    if (field !== undefined && kind !== undefined && given !== null) message[field] = valueOf(given, kind, name);
  }
  return message;
}

const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/;

function valueOf(given: unknown, kind: Kind, name: string): unknown {
  const refuse = (what: string): never => {
    throw invalid(`invalid value for ${what} field ${name}: ${JSON.stringify(given)}`);
  };
  if (kind === 'key' || kind === 'bytes') {
    if (typeof given !== 'string' || !BASE64.test(given)) return refuse('bytes');
    const bytes = Buffer.from(given, 'base64');
    return kind === 'key' ? bytes.toString('latin1') : bytes;
  }
  if (kind === 'flag') return typeof given === 'boolean' ? given : refuse('bool');
  if (kind === 'number' || kind === 'id') {
    const text = String(given);
    if ((typeof given !== 'string' && typeof given !== 'number') || !/^-?\d{1,19}$/.test(text)) return refuse('int64');
    return kind === 'id' ? BigInt(text) : Number(text);
  }
  if ('of' in kind) {
    if (!kind.each) return fromJson(given, kind.of);
    return Array.isArray(given) ? given.map((one) => fromJson(one, kind.of)) : refuse('list');
  }
  const at = typeof given === 'number' ? given : kind.indexOf(String(given));
  return at >= 0 && at < kind.length ? at : refuse('enum');
}

/** What a member of a transaction's response is called. */
const RESPONSE_NAMES: ReadonlyMap<string, string> = new Map([
  ['range', 'response_range'],
  ['put', 'response_put'],
  ['deleteRange', 'response_delete_range'],
  ['txn', 'response_txn'],
]);

/** As protobuf's JSON form, without fields that have their zero value. All texts in these messages are keys. */
function toJson(message: object): Record<string, unknown> {
  const json: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(message) as [string, unknown][]) {
    const written = textOf(value);
    if (written !== undefined) json[RESPONSE_NAMES.get(name) ?? snakeCase(name)] = written;
  }
  return json;
}

function textOf(value: unknown): unknown {
  if (value === undefined || value === '' || value === false || value === 0 || value === 0n) return undefined;
  if (typeof value === 'string') return Buffer.from(value, 'latin1').toString('base64');
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  if (typeof value === 'boolean') return value;
  if (value instanceof Uint8Array) return value.length === 0 ? undefined : Buffer.from(value).toString('base64');
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map((one) => toJson(one as object));
  return toJson(value as object);
}
