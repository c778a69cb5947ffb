/** GET of one object. */
import { errorMessage, whenDone } from '../../base/index.ts';
import { badRequest } from '../../machinery/errors/index.ts';
import type { Result } from '../request/request.ts';
import { requestedVersion } from '../request/resource-version.ts';
import type { Entry } from '../storage/entry.ts';
import type { Scope } from './scope.ts';

export function get({ backend, served, place, request }: Scope): Result | Promise<Result> {
  const version = request.query.get('resourceVersion') ?? '';
  if (version === '') return whenDone(backend.objects.get(served, place), found);
  return backend.cache
    .waitForClient(served.plural === 'events' ? eventsVersion(version) : requestedVersion(version), served)
    .then(() => found(backend.objects.cached(served, place)));
}

/** Upstream reads events from the store, which refuses an invalid version in its own words. */
function eventsVersion(version: string): bigint {
  try {
    return requestedVersion(version);
  } catch (error) {
    throw badRequest(`invalid resource version: ${errorMessage(error)}`);
  }
}

const found = (entry: Entry): Result => ({ type: 'entry', status: 200, entry });
