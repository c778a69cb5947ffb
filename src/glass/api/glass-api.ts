/**
 * The API group glass.k8ts.dev. What an answer is made of is read as the user who asks, so that nobody sees through the glass
 * what they may not get: `explanations`, `histories` and `decisions` need no more rights than the objects that they are about,
 * and are open to every authenticated user. Spans, traces and the requests of others need a right of their own.
 */
import type { APIResourceDiscovery } from '../../api/generated/apidiscovery-v2.ts';
import type { SubjectAccessReviewSpec } from '../../api/generated/authorization-v1.ts';
import { isRecord, type JsonObject, type MaybePromise } from '../../base/index.ts';
import { SpanRing } from '../../kernel/index.ts';
import { badRequest } from '../../machinery/errors/index.ts';
import { explainAccess } from '../access/explain-access.ts';
import { explainRequest, recentRequests, type RecordedRequest } from '../request/explain-request.ts';
import { readDecisions } from './decisions.ts';
import { readExplanations } from './explanations.ts';
import { GLASS_API, GLASS_GROUP, GLASS_VERSION } from './glass-group.ts';
import type { GlassRequest, GlassSources } from './glass-sources.ts';
import { readHistory } from './histories.ts';
import { readSpans, readTraces } from './recorded-work.ts';
import { discoveryOf, GLASS_RESOURCES } from './resources.ts';

/** An API as the aggregation layer serves it. */
interface GlassApi {
  readonly group: string;
  readonly version: string;
  readonly groupPriorityMinimum: number;
  readonly versionPriority: number;
  readonly resources: readonly APIResourceDiscovery[];
  readonly columns: Readonly<Record<string, (typeof GLASS_RESOURCES)[number]['columns']>>;
  readonly schemas: Readonly<Record<string, JsonObject>>;
  readonly open: Readonly<Record<string, readonly string[]>>;
  readonly asksAsUser: true;
  get(request: GlassRequest): MaybePromise<object | undefined>;
  create(request: GlassRequest & { readonly body: JsonObject }): MaybePromise<object | undefined>;
}

const RECENT_REQUESTS = 200;

/** `list requests` is the right to see the requests of others. */
const OPEN = {
  explanations: ['get', 'list'],
  decisions: ['get', 'list'],
  histories: ['get'],
  requests: ['get'],
  accessexplanations: ['create'],
};

export function glassApi<R extends RecordedRequest>(given: GlassSources<R>): GlassApi {
  const { tracer, clock } = given;
  const sources = given as unknown as GlassSources;
  const readers: ReadonlyMap<string, (request: GlassRequest, ring: SpanRing) => MaybePromise<object>> = new Map<
    string,
    (request: GlassRequest, ring: SpanRing) => MaybePromise<object>
  >([
    ['spans', readSpans],
    ['traces', readTraces],
    ['explanations', (request) => readExplanations(sources, request)],
    ['histories', (request, ring) => readHistory(sources, request, ring)],
    ['decisions', (request) => readDecisions(sources, request)],
    ['requests', (request, ring) => readRequests({ insight: sources.insight, clock, ring }, request)],
  ]);
  return {
    group: GLASS_GROUP,
    version: GLASS_VERSION,
    groupPriorityMinimum: 100,
    versionPriority: 100,
    resources: GLASS_RESOURCES.map(discoveryOf),
    columns: Object.fromEntries(GLASS_RESOURCES.map(({ plural, columns }) => [plural, columns])),
    schemas: Object.fromEntries(
      GLASS_RESOURCES.map(({ kind, description, properties }) => [kind, { description, properties }]),
    ),
    open: OPEN,
    asksAsUser: true,
    get(request) {
      const read = readers.get(request.resource);
      return read && tracer instanceof SpanRing ? read(request, tracer) : undefined;
    },
    create(request) {
      return request.resource === 'accessexplanations' ? createAccessExplanation(sources, request) : undefined;
    },
  };
}

async function readRequests(
  sources: Parameters<typeof explainRequest>[0],
  { name, user }: GlassRequest,
): Promise<object> {
  const requestObject = (auditId: string, status: object): object => ({
    kind: 'Request',
    apiVersion: GLASS_API,
    metadata: { name: auditId },
    status,
  });
  if (name !== '') return requestObject(name, await explainRequest(sources, user, name));
  const items = (await recentRequests(sources, user, RECENT_REQUESTS)).map((status) =>
    requestObject((status as { auditId: string }).auditId, status),
  );
  return { kind: 'RequestList', apiVersion: GLASS_API, metadata: {}, items };
}

async function createAccessExplanation(
  { insight }: GlassSources,
  { user, body }: GlassRequest & { readonly body: JsonObject },
): Promise<object> {
  const spec = body['spec'];
  if (!isRecord(spec) || !isSpec(spec)) throw badRequest('spec must be as that of a SubjectAccessReview');
  const status = await explainAccess(insight, user, spec);
  return { kind: 'AccessExplanation', apiVersion: GLASS_API, metadata: {}, spec, status };
}

/** Whether its members are of the types of a SubjectAccessReview's. */
function isSpec(spec: Readonly<Record<string, unknown>>): spec is SubjectAccessReviewSpec & Record<string, unknown> {
  const { user, groups, resourceAttributes, nonResourceAttributes } = spec;
  const isText = (value: unknown): boolean => value === undefined || typeof value === 'string';
  const hasTexts = (value: unknown): boolean =>
    value === undefined || (isRecord(value) && Object.values(value).every((member) => isText(member)));
  return (
    isText(user) &&
    (groups === undefined || (Array.isArray(groups) && groups.every((group) => typeof group === 'string'))) &&
    hasTexts(resourceAttributes) &&
    hasTexts(nonResourceAttributes)
  );
}
