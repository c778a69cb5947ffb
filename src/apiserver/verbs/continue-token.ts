/** The continue token of a list with a limit: the revision of its first page and where the next one begins. */
import { parseJson } from '../../machinery/decode/index.ts';
import { badRequest, isStatusError, type StatusError } from '../../machinery/status.ts';
import { isRecord } from '../../machinery/object.ts';

export interface ContinueToken {
  /** -1: as the collection is now. */
  readonly revision: number;
  /** The last key that was delivered, relative to the collection. */
  readonly after: string;
}

const VERSION = 'meta.k8s.io/v1';

export function encodeContinue(token: ContinueToken): string {
  return Buffer.from(JSON.stringify({ v: VERSION, rv: token.revision, start: `${token.after}\0` })).toString('base64url');
}

export function decodeContinue(text: string): ContinueToken {
  const bad = /[^A-Za-z0-9_-]/.exec(text);
  if (bad) throw invalidToken(`illegal base64 data at input byte ${bad.index}`);
  const value = readToken(text);
  if (!isRecord(value) || value['v'] !== VERSION) {
    throw invalidToken(`server does not recognize this encoded version ${isRecord(value) && typeof value['v'] === 'string' ? value['v'] : ''}`);
  }
  const { rv, start } = value;
  if (typeof rv !== 'number' || rv === 0) throw invalidToken('incorrect encoded start resourceVersion (version meta.k8s.io/v1)');
  if (typeof start !== 'string' || start === '') throw invalidToken('encoded start key empty (version meta.k8s.io/v1)');
  if (start.startsWith('/') || start.includes('../')) throw invalidToken(start);
  return { revision: rv, after: start.replace(/\0$/, '') };
}

const invalidToken = (why: string): StatusError => badRequest(`invalid continue token: continue key is not valid: ${why}`);

function readToken(text: string): unknown {
  try {
    return parseJson(Buffer.from(text, 'base64url')).value;
  } catch (error) {
    throw isStatusError(error) ? invalidToken(error.message) : error;
  }
}
