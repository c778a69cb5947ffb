/** The continue token of a list with a limit: the revision of its first page and where the next one begins. */
import { isRecord } from '../../base/index.ts';
import { parseJson } from '../../machinery/decode/index.ts';
import { badRequest, isStatusError, type StatusError } from '../../machinery/errors/index.ts';

interface ContinueToken {
  /** -1 for the collection as it is now. */
  readonly revision: number;
  /** The last key that was delivered, relative to the collection. */
  readonly after: string;
}

const VERSION = 'meta.k8s.io/v1';

export function encodeContinue(token: ContinueToken): string {
  return Buffer.from(JSON.stringify({ v: VERSION, rv: token.revision, start: `${token.after}\0` })).toString(
    'base64url',
  );
}

export function decodeContinue(text: string): ContinueToken {
  const { v = '', rv = 0, start = '' } = readToken(text);
  if (v !== VERSION) throw invalidToken(`server does not recognize this encoded version ${v}`);
  if (rv === 0) throw invalidToken('incorrect encoded start resourceVersion (version meta.k8s.io/v1)');
  if (start === '') throw invalidToken('encoded start key empty (version meta.k8s.io/v1)');
  const key = start.startsWith('/') ? start : `/${start}`;
  // The key must stay within the collection.
  if (!isCleanPath(key)) throw invalidToken(start);
  return { revision: rv, after: key.slice(1).replace(/\0$/, '') };
}

const isCleanPath = (path: string): boolean =>
  path === '/' ||
  path
    .slice(1)
    .split('/')
    .every((step) => step !== '' && step !== '.' && step !== '..');

const invalidToken = (why: string): StatusError =>
  badRequest(`invalid continue token: continue key is not valid: ${why}`);

interface TokenFields {
  v?: string;
  rv?: number;
  start?: string;
}

function readToken(text: string): TokenFields {
  const bad = illegalBase64At(text);
  if (bad !== undefined) throw invalidToken(`illegal base64 data at input byte ${bad}`);
  try {
    const { value } = parseJson(Buffer.from(text, 'base64url'));
    if (value === null) return {};
    if (!isRecord(value)) throw badRequest(typeErrorText(kindOf(value), 'storage.continueToken'));
    return { ...stringField(value, 'v'), ...versionField(value), ...stringField(value, 'start') };
  } catch (error) {
    throw isStatusError(error) ? invalidToken(error.message) : error;
  }
}

/** The offset at which Go's decoder fails: it accepts neither padding nor a single trailing character. */
function illegalBase64At(text: string): number | undefined {
  const at = text.search(/[^A-Za-z0-9_-]/);
  if (at >= 0) return at;
  return text.length % 4 === 1 ? text.length - 1 : undefined;
}

function stringField(token: Record<string, unknown>, name: 'v' | 'start'): TokenFields {
  const value = token[name] ?? undefined;
  if (value !== undefined && typeof value !== 'string') throw badRequest(fieldErrorText(kindOf(value), name, 'string'));
  return value === undefined ? {} : { [name]: value };
}

function versionField({ rv }: Record<string, unknown>): TokenFields {
  if (rv === undefined || rv === null) return {};
  if (typeof rv === 'bigint') return { rv: Number(rv) };
  if (typeof rv !== 'number') throw badRequest(fieldErrorText(kindOf(rv), 'rv', 'int64'));
  if (!Number.isInteger(rv) || Math.abs(rv) >= 2 ** 63) throw badRequest(fieldErrorText(`number ${rv}`, 'rv', 'int64'));
  return { rv };
}

const typeErrorText = (value: string, type: string): string =>
  `json: cannot unmarshal ${value} into Go value of type ${type}`;
const fieldErrorText = (value: string, name: string, type: string): string =>
  `json: cannot unmarshal ${value} into Go struct field continueToken.${name} of type ${type}`;

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'bigint' ? 'number' : typeof value;
}
