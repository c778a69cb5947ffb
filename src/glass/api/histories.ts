/** `histories`: what `k8ts history` prints, read as the user who asks. Who wrote it is for those who may get spans. */
import type { ApiObject } from '../../client/index.ts';
import type { SpanRing } from '../../kernel/index.ts';
import { badRequest } from '../../machinery/errors/index.ts';
import { accessTo } from '../access/explain-access.ts';
import { historyOf, type Revision } from '../history/history.ts';
import { GLASS_API, GLASS_GROUP } from './glass-group.ts';
import type { GlassRequest, GlassSources } from './glass-sources.ts';
import { namedObject } from './object-reference.ts';

const MAX_REVISIONS = 200;

export async function readHistory(sources: GlassSources, request: GlassRequest, ring: SpanRing): Promise<object> {
  const { namespace, name, user, query, signal } = request;
  const limit = limitOf(query.get('limit'));
  const client = sources.clientAs(user);
  const { resource, name: objectName } = await namedObject(client, { plural: 'histories', namespace, name });
  const seesWriters = await sources.insight.isAllowed(user, accessTo('get', GLASS_GROUP, 'spans', { namespace }));
  const place = { resource: resource.plural, group: resource.group, namespace, name: objectName };
  const spans = seesWriters ? ring.recordedOf(place) : [];
  const history = await historyOf({ client, resource, namespace, name: objectName, spans, signal, limit });
  // A list shows values as well, but what may be listed may not always be got.
  const mayGet =
    resource.kind !== 'Secret' ||
    (await sources.insight.isAllowed(
      user,
      accessTo('get', resource.group, resource.plural, { namespace, name: objectName }),
    ));
  const withObjects = query.get('includeObject') === 'Object';
  return {
    kind: 'History',
    apiVersion: GLASS_API,
    metadata: { name, ...(namespace === '' ? {} : { namespace }) },
    status: {
      ...history,
      revisions: history.revisions.map((revision) => shownRevision(revision, { withObjects, mayGet })),
    },
  };
}

function limitOf(text: string | null): number {
  if (text === null || text === '') return MAX_REVISIONS;
  if (!/^\d{1,6}$/.test(text) || Number(text) === 0)
    throw badRequest(`limit must be a whole number above 0, not ${JSON.stringify(text)}`);
  return Math.min(Number(text), MAX_REVISIONS);
}

function shownRevision(
  { object, ...revision }: Revision,
  { withObjects, mayGet }: { readonly withObjects: boolean; readonly mayGet: boolean },
): Revision {
  if (!withObjects || !object) return revision;
  return { ...revision, object: mayGet ? object : withoutValues(object) };
}

function withoutValues(secret: ApiObject): ApiObject {
  const { data: _, stringData: __, ...rest } = secret as ApiObject & { data?: unknown; stringData?: unknown };
  return rest as ApiObject;
}
