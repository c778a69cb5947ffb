import type { Result } from '../request/request.ts';
/** GET of one object. */
import { requestedVersion } from '../request/resource-version.ts';
import type { Entry } from '../storage/entry.ts';
import type { Scope } from './scope.ts';

export function get(scope: Scope): Result | Promise<Result> {
  const { backend, served, place, request } = scope;
  const wanted = request.query.get('resourceVersion') ?? '';
  if (wanted === '') {
    const entry = backend.objects.get(served, place);
    return entry instanceof Promise ? entry.then(found) : found(entry);
  }
  return backend.cache.waitForClient(requestedVersion(wanted)).then(() => found(backend.objects.cached(served, place)));
}

const found = (entry: Entry): Result => ({ type: 'entry', status: 200, entry });
