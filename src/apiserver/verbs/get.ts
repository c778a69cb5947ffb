/** GET of one object. */
import { failure } from '../../machinery/status.ts';
import { quote } from '../../machinery/quote.ts';
import type { Result } from '../result.ts';
import type { Scope } from '../scope.ts';
import type { Entry } from '../storage/entry.ts';

export function get(scope: Scope): Result | Promise<Result> {
  const { backend, served, place, request } = scope;
  const wanted = request.query.get('resourceVersion') ?? '';
  if (wanted === '') {
    const entry = backend.objects.get(served, place);
    return entry instanceof Promise ? entry.then(found) : found(entry);
  }
  if (!/^\d+$/.test(wanted)) {
    throw failure(500, '', `resourceVersion: Invalid value: ${quote(wanted)}: strconv.ParseUint: parsing ${quote(wanted)}: invalid syntax`);
  }
  return backend.cache.waitForClient(Number(wanted)).then(() => found(backend.objects.cached(served, place)));
}

const found = (entry: Entry): Result => ({ type: 'entry', status: 200, entry });
