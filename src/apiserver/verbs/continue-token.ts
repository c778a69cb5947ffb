/** The continue token of a list with a limit: the revision of its first page and where the next one begins. */
import { badRequest } from '../../machinery/status.ts';
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
  let value: unknown;
  try {
    if (!/^[A-Za-z0-9_-]*$/.test(text)) throw new Error('illegal base64 data');
    value = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
  } catch (error) {
    throw badRequest(`continue key is not valid: ${error instanceof Error ? error.message : ''}`);
  }
  if (!isRecord(value) || value['v'] !== VERSION) throw badRequest('continue key is not valid: server does not recognize this encoded version');
  const { rv, start } = value;
  if (typeof rv !== 'number' || rv === 0) throw badRequest('continue key is not valid: incorrect encoded start resourceVersion (version meta.k8s.io/v1)');
  if (typeof start !== 'string' || start === '') throw badRequest('continue key is not valid: encoded start key empty (version meta.k8s.io/v1)');
  if (start.startsWith('/') || start.includes('../')) throw badRequest(`continue key is not valid: ${start}`);
  return { revision: rv, after: start.replace(/\0$/, '') };
}
