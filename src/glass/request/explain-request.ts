/** Explains a recorded request on the server. What it was decided by is asked for again: it was not written down. */
import { formatTime } from '../../base/index.ts';
import type { AccessRequest } from '../../component-helpers/index.ts';
import type { Clock, SpanRing } from '../../kernel/index.ts';
import { notFound } from '../../machinery/errors/index.ts';
import type { AuthorizerVerdict } from '../access/access-answer.ts';
import { accessTo, answerOf, visibility, type AccessInsight, type Asker } from '../access/explain-access.ts';
import { GLASS_GROUP } from '../api/glass-group.ts';
import type { AdmissionCallOutcome, PluginOutcome, RequestAnswer, RequestStage } from './request-answer.ts';

/** What the API server has recorded about a request; times are on the monotonic clock. */
export interface RecordedRequest {
  readonly auditId: string;
  readonly method: string;
  readonly path: string;
  readonly verb: string;
  readonly user: string;
  readonly status: number;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly identity: Asker | undefined;
  readonly impersonator: Asker | undefined;
  readonly decision: { readonly decision: string; readonly reason: string } | undefined;
  readonly authorizingAt: number;
  readonly authorizedAt: number;
  readonly flow: { readonly flowSchema: string; readonly priorityLevel: string } | undefined;
  readonly waitedMs: number;
  readonly failure: string | undefined;
  /** The id of its span; 0 for a read. */
  readonly span: number;
  readonly admission: RecordedAdmission | undefined;
}

interface RecordedAdmission {
  readonly runs: readonly AdmissionRun[];
  readonly changes: readonly { readonly plugin: string; readonly field: string }[];
  readonly calls: readonly AdmissionCallOutcome[];
  readonly omittedCalls: number;
}

interface AdmissionRun {
  readonly type: 'admit' | 'validate';
  readonly plugins: readonly string[];
  /** NaN for a plugin that does not concern the request. */
  readonly times: readonly number[];
  readonly startedAt: number;
  readonly endedAt: number | undefined;
  readonly refusedBy: number | undefined;
}

export interface RequestInsight<R extends RecordedRequest = RecordedRequest> extends AccessInsight {
  request(auditId: string): R | undefined;
  newestRequests(limit: number, wanted: (record: R) => boolean): readonly R[];
  accessOf(record: R): AccessRequest;
  explainRecorded(record: R): Promise<{
    readonly answers: Awaited<ReturnType<AccessInsight['explainAccess']>>;
    readonly isUnchanged: boolean;
  }>;
}

interface RequestSources {
  readonly insight: RequestInsight;
  readonly ring: SpanRing;
  readonly clock: Clock;
}

/** Everyone may ask about their own requests; about those of others whoever may list requests. */
export async function explainRequest(sources: RequestSources, asker: Asker, auditId: string): Promise<RequestAnswer> {
  const { insight, clock, ring } = sources;
  const record = insight.request(auditId);
  if (!record || !(await maySee(insight, asker, record)))
    throw notFound({ group: GLASS_GROUP, resource: 'requests' }, auditId);
  const { identity, impersonator, flow, waitedMs, failure, decision } = record;
  const epoch = clock.now() - clock.monotonic();
  return {
    auditId,
    method: record.method,
    path: record.path,
    verb: record.verb,
    user: record.user,
    groups: identity?.groups ?? [],
    ...(impersonator ? { impersonator: impersonator.name } : {}),
    time: formatTime(epoch + record.startedAt),
    milliseconds: record.endedAt - record.startedAt,
    status: record.status,
    ...(failure ? { failure } : {}),
    ...(flow
      ? { flow: { flowSchema: flow.flowSchema, priorityLevel: flow.priorityLevel, waitedMilliseconds: waitedMs } }
      : {}),
    ...(decision ? { authorization: await authorizationOf(insight, asker, record, decision) } : {}),
    stages: stagesOf(record, ring),
    ...(record.admission && record.admission.runs.length > 0
      ? { admission: await admissionOf(insight, asker, record, record.admission) }
      : {}),
    commits: commitsOf(ring, record.span).map(({ revision, startedAt, endedAt }) => ({
      revision,
      milliseconds: endedAt - startedAt,
    })),
    unknown: [],
  };
}

/** The newest refusals, writes and slow requests that the asker may see. */
export async function recentRequests(
  { insight, clock }: RequestSources,
  asker: Asker,
  limit: number,
): Promise<object[]> {
  const seesAll = await insight.isAllowed(asker, accessTo('list', GLASS_GROUP, 'requests'));
  const epoch = clock.now() - clock.monotonic();
  return insight
    .newestRequests(limit, (record) => seesAll || isOwn(asker, record))
    .map(({ auditId, method, path, user, status, startedAt, endedAt, failure }) => ({
      auditId,
      method,
      path,
      user,
      status,
      time: formatTime(epoch + startedAt),
      milliseconds: endedAt - startedAt,
      ...(failure ? { failure } : {}),
    }));
}

const isOwn = (asker: Asker, { identity, impersonator }: RecordedRequest): boolean =>
  (impersonator ?? identity)?.name === asker.name;

async function maySee(insight: RequestInsight, asker: Asker, record: RecordedRequest): Promise<boolean> {
  return isOwn(asker, record) || insight.isAllowed(asker, accessTo('list', GLASS_GROUP, 'requests'));
}

async function authorizationOf(
  insight: RequestInsight,
  asker: Asker,
  record: RecordedRequest,
  { decision, reason }: { readonly decision: string; readonly reason: string },
): Promise<NonNullable<RequestAnswer['authorization']>> {
  const { answers, isUnchanged } = await insight.explainRecorded(record);
  const { isResourceRequest, verb, apiGroup, resource, subresource, name, namespace, path } = insight.accessOf(record);
  const { name: user = '', groups = [] } = record.identity ?? {};
  const question = isResourceRequest
    ? { user, groups, verb, group: apiGroup, resource, subresource, name, namespace }
    : { user, groups, verb, path };
  const visible = await visibility(insight, asker, { answers, isSelf: record.identity?.name === asker.name });
  const authorizers: readonly AuthorizerVerdict[] = answerOf(question, answers, visible).authorizers;
  return { decision, reason, authorizers, policyHasChanged: !isUnchanged };
}

async function admissionOf(
  insight: RequestInsight,
  asker: Asker,
  record: RecordedRequest,
  { runs, changes, calls, omittedCalls }: RecordedAdmission,
): Promise<NonNullable<RequestAnswer['admission']>> {
  // A patch shows what is in the object.
  const access = insight.accessOf(record);
  const mayGet = await insight.isAllowed(asker, { ...access, verb: 'get', subresource: '' });
  const plugins = runs.flatMap(({ type, plugins: names, times, refusedBy }) =>
    times.flatMap((milliseconds, i): PluginOutcome[] => {
      if (Number.isNaN(milliseconds)) return [];
      const plugin = names[i] ?? '';
      const changed =
        type === 'admit' ? changes.filter((change) => change.plugin === plugin).map(({ field }) => field) : [];
      return [
        {
          step: type,
          plugin,
          milliseconds,
          ...(changed.length > 0 ? { changed: [...new Set(changed)] } : {}),
          ...(refusedBy === i ? { refused: true as const } : {}),
        },
      ];
    }),
  );
  return {
    plugins,
    calls: calls.map(({ patch, ...call }) => ({ ...call, ...(mayGet && patch !== undefined ? { patch } : {}) })),
    ...(omittedCalls > 0 ? { omittedCalls } : {}),
  };
}

/** From one recorded time to the next. */
function stagesOf(record: RecordedRequest, ring: SpanRing): RequestStage[] {
  const { startedAt, endedAt, authorizingAt, authorizedAt, waitedMs, admission, span } = record;
  const stages: RequestStage[] = [];
  let at = startedAt;
  const until = (stage: string, time: number): void => {
    if (time > at) stages.push({ stage, milliseconds: time - at });
    at = Math.max(at, time);
  };
  if (authorizingAt === 0) {
    until('authentication and flow control', endedAt);
    return stages;
  }
  until('authentication', authorizingAt - waitedMs);
  until('queue', authorizingAt);
  until('authorization', authorizedAt);
  let next = 'decoding';
  for (const { type, startedAt: begin, endedAt: end = endedAt } of admission?.runs ?? []) {
    until(type === 'admit' ? next : 'validation', begin);
    until(type === 'admit' ? 'mutating admission' : 'validating admission', end);
    next = 'reinvocation';
  }
  for (const commit of commitsOf(ring, span)) {
    until('encoding', commit.startedAt);
    until('store', commit.endedAt);
  }
  until(span === 0 ? 'reading and encoding' : 'response', endedAt);
  return stages;
}

interface Commit {
  readonly revision: number;
  readonly startedAt: number;
  readonly endedAt: number;
}

/** Spans of others begin meanwhile. */
const LOOKED_AT = 5_000;

function commitsOf(ring: SpanRing, span: number): Commit[] {
  if (span === 0) return [];
  return ring
    .since(span, LOOKED_AT)
    .filter(({ name, parent }) => name === 'commit' && parent === span)
    .map(({ attributes, startedAt, endedAt }) => ({
      revision: Number(attributes['etcd.revision']),
      startedAt,
      endedAt: endedAt ?? startedAt,
    }));
}
