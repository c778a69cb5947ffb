/** Which FlowSchema a request belongs to: the first that matches, by precedence and then by name. */
import type {
  FlowSchema,
  NonResourcePolicyRule,
  PolicyRulesWithSubjects,
  ResourcePolicyRule,
  Subject,
} from '../../api/generated/flowcontrol-v1.ts';
import type { RequestInfo } from '../request/request-info.ts';
import type { UserInfo } from '../request/request.ts';

export interface MatchedSchema {
  readonly name: string;
  readonly uid: string;
  readonly priorityLevel: string;
  readonly distinguisher: 'ByUser' | 'ByNamespace' | undefined;
}

interface Candidate {
  readonly schema: MatchedSchema;
  readonly rules: readonly PolicyRulesWithSubjects[];
}

export class FlowSchemas {
  #sorted: { schema: MatchedSchema; rules: readonly PolicyRulesWithSubjects[] }[];
  /** The schemas whose subjects match a user, computed once for each: subjects are the larger half of the work. */
  #ofUser = new WeakMap<UserInfo, Candidate[]>();

  constructor(schemas: readonly FlowSchema[]) {
    this.#sorted = [...schemas]
      .sort((a, b) => precedence(a) - precedence(b) || (nameOf(a) < nameOf(b) ? -1 : 1))
      .map((schema) => ({
        schema: {
          name: nameOf(schema),
          uid: schema.metadata?.uid ?? '',
          priorityLevel: schema.spec?.priorityLevelConfiguration?.name ?? '',
          distinguisher: schema.spec?.distinguisherMethod?.type as MatchedSchema['distinguisher'],
        },
        rules: schema.spec?.rules ?? [],
      }));
  }

  match(user: UserInfo, info: RequestInfo): MatchedSchema | undefined {
    for (const { schema, rules } of this.#candidates(user))
      if (rules.some((rule) => ruleMatches(rule, info))) return schema;
    return undefined;
  }

  #candidates(user: UserInfo): readonly Candidate[] {
    let candidates = this.#ofUser.get(user);
    if (!candidates) {
      candidates = this.#sorted.flatMap(({ schema, rules }) => {
        const ofUser = rules.filter(({ subjects }) => subjects.some((subject) => subjectMatches(subject, user)));
        return ofUser.length > 0 ? [{ schema, rules: ofUser }] : [];
      });
      this.#ofUser.set(user, candidates);
    }
    return candidates;
  }
}

const nameOf = (schema: FlowSchema): string => schema.metadata?.name ?? '';
const precedence = (schema: FlowSchema): number => schema.spec?.matchingPrecedence ?? 1000;

function subjectMatches(subject: Subject, { name, groups }: UserInfo): boolean {
  switch (subject.kind) {
    case 'User':
      return subject.user?.name === '*' || subject.user?.name === name;
    case 'Group':
      return subject.group?.name === '*' || groups.includes(subject.group?.name ?? '');
    case 'ServiceAccount': {
      const { namespace, name: account } = subject.serviceAccount ?? { namespace: '', name: '' };
      return account === '*'
        ? name.startsWith(`system:serviceaccount:${namespace}:`)
        : name === `system:serviceaccount:${namespace}:${account}`;
    }
    default:
      return false;
  }
}

const ruleMatches = ({ resourceRules, nonResourceRules }: PolicyRulesWithSubjects, info: RequestInfo): boolean =>
  info.isResourceRequest
    ? (resourceRules ?? []).some((rule) => resourceMatches(rule, info))
    : (nonResourceRules ?? []).some((rule) => pathMatches(rule, info));

function resourceMatches(rule: ResourcePolicyRule, info: RequestInfo): boolean {
  if (!has(rule.verbs, info.verb) || !has(rule.apiGroups, info.apiGroup)) return false;
  const resource = info.subresource === '' ? info.resource : `${info.resource}/${info.subresource}`;
  if (!has(rule.resources, resource)) return false;
  return info.namespace === '' ? (rule.clusterScope ?? false) : has(rule.namespaces ?? [], info.namespace);
}

function pathMatches(rule: NonResourcePolicyRule, { verb, path }: RequestInfo): boolean {
  if (!has(rule.verbs, verb)) return false;
  return rule.nonResourceURLs.some(
    (url) => url === '*' || url === path || (url.endsWith('/*') && path.startsWith(url.slice(0, -1))),
  );
}

const has = (values: readonly string[], wanted: string): boolean => values.includes(wanted) || values.includes('*');
