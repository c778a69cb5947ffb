/** What the server knows about requests and about access, for the features that explain decisions. */
import type { AccessRequest } from '../../component-helpers/index.ts';
import { attributesOf } from '../authz/authorize.ts';
import type { AuthorizerAnswer } from '../authz/authorizer.ts';
import type { UnionAuthorizer } from '../authz/union.ts';
import { parseRequestInfo } from '../request/request-info.ts';
import type { RequestRecord, RequestRecords } from '../request/request-records.ts';
import type { UserInfo } from '../request/request.ts';

export interface Insight {
  /** The answers of all authorizers to a request, in their order; those after the one that decided are not asked. */
  explainAccess(user: UserInfo, request: AccessRequest): Promise<readonly AuthorizerAnswer[]>;
  isAllowed(user: UserInfo, request: AccessRequest): Promise<boolean>;
  /** What was recorded about a request that was answered. */
  request(auditId: string): RequestRecord | undefined;
  newestRequests(limit: number, wanted: (record: RequestRecord) => boolean): readonly RequestRecord[];
  /** What a recorded request was for. */
  accessOf(record: RequestRecord): AccessRequest;
  /** The answers to a recorded request as they would be now, and whether the policy is the same as then. */
  explainRecorded(record: RequestRecord): Promise<{
    readonly answers: readonly AuthorizerAnswer[];
    readonly isUnchanged: boolean;
  }>;
}

interface InsightSources {
  readonly authorizer: UnionAuthorizer;
  readonly records: RequestRecords | undefined;
  readonly policyGeneration: () => number;
}

const NO_QUERY = new URLSearchParams();

export function createInsight({ authorizer, records, policyGeneration }: InsightSources): Insight {
  const infoOf = ({ method, path, query = NO_QUERY }: RequestRecord): ReturnType<typeof parseRequestInfo> =>
    parseRequestInfo(method, path, query);
  return {
    explainAccess: (user, request) => authorizer.answers({ ...request, apiVersion: '*', user }),
    isAllowed: async (user, request) =>
      (await authorizer.authorize({ ...request, apiVersion: '*', user })).decision === 'allow',
    request: (auditId) => records?.find(auditId),
    newestRequests: (limit, wanted) => records?.newest(limit, wanted) ?? [],
    accessOf: infoOf,
    async explainRecorded(record) {
      const { identity, query = NO_QUERY } = record;
      const isUnchanged = record.policyGeneration === policyGeneration();
      if (!identity) return { answers: [], isUnchanged };
      return { answers: await authorizer.answers(attributesOf(identity, infoOf(record), query)), isUnchanged };
    },
  };
}
