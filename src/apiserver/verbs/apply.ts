/** Server-side apply: the fields that a manager wants, merged into the object. */
import { failure } from '../../machinery/status.ts';
import type { Result } from '../result.ts';
import type { Scope } from '../scope.ts';

export function apply(scope: Scope): Promise<Result> {
  throw failure(501, 'NotImplemented', `server-side apply is not served for ${scope.served.plural}`);
}
