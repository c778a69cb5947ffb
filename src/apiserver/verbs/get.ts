/** GET of one object. */
import { whenDone } from '../../base/index.ts';
import type { Result } from '../request/request.ts';
import { requestedVersion } from '../request/resource-version.ts';
import type { Entry } from '../storage/entry.ts';
import type { Scope } from './scope.ts';

export function get({ backend, served, place, request }: Scope): Result | Promise<Result> {
  const version = request.query.get('resourceVersion') ?? '';
  if (version === '') return whenDone(backend.objects.get(served, place), found);
  return backend.cache
    .waitForClient(requestedVersion(version))
    .then(() => found(backend.objects.cached(served, place)));
}

const found = (entry: Entry): Result => ({ type: 'entry', status: 200, entry });
