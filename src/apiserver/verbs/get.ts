/** GET of one object. */
import { failure } from '../../machinery/status.ts';
import { quote } from '../../machinery/quote.ts';
import type { Result } from '../result.ts';
import type { Scope } from '../scope.ts';

export async function get(scope: Scope): Promise<Result> {
  const { backend, served, place, request } = scope;
  const wanted = request.query.get('resourceVersion') ?? '';
  if (wanted === '') return { type: 'entry', status: 200, entry: await backend.objects.get(served, place) };
  if (!/^\d+$/.test(wanted)) {
    throw failure(500, '', `resourceVersion: Invalid value: ${quote(wanted)}: strconv.ParseUint: parsing ${quote(wanted)}: invalid syntax`);
  }
  await backend.cache.waitForClient(Number(wanted));
  return { type: 'entry', status: 200, entry: backend.objects.cached(served, place) };
}
