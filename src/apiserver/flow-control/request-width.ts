/** How many seats a request takes: a list of many objects is as much work as many small requests. */
import type { Registry } from '../registry/registry.ts';
import { isTrue, type RequestInfo } from '../request/request-info.ts';

const OBJECTS_PER_SEAT = 100;
const MAX_SEATS = 10;

export function requestWidth(registry: Registry, info: RequestInfo, query: URLSearchParams): number {
  const initialEvents = info.verb === 'watch' && isTrue(query.get('sendInitialEvents'));
  if ((info.verb !== 'list' && !initialEvents) || info.name !== '') return 1;
  const count = registry.find(info.apiGroup, info.apiVersion, info.resource)?.cache.size ?? 0;
  const limit = Number(query.get('limit') ?? 0);
  const objects = limit > 0 ? Math.min(count, limit) : count;
  return Math.min(MAX_SEATS, Math.max(1, Math.ceil(objects / OBJECTS_PER_SEAT)));
}
