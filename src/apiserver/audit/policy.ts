/** The audit policy (audit.k8s.io/v1 Policy): the first rule that matches a request decides its audit level and stages. */
import { parse } from 'yaml';
import type { RequestInfo } from '../request/request-info.ts';
import type { UserInfo } from '../request/request.ts';

const LEVELS = ['None', 'Metadata', 'Request', 'RequestResponse'] as const;
const STAGES = ['RequestReceived', 'ResponseStarted', 'ResponseComplete', 'Panic'] as const;
type AuditLevel = (typeof LEVELS)[number];
export type AuditStage = (typeof STAGES)[number];

interface Rule {
  readonly level: AuditLevel;
  readonly users?: readonly string[];
  readonly userGroups?: readonly string[];
  readonly verbs?: readonly string[];
  readonly resources?: readonly {
    readonly group?: string;
    readonly resources?: readonly string[];
    readonly resourceNames?: readonly string[];
  }[];
  readonly namespaces?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
  readonly omitStages?: readonly AuditStage[];
  readonly omitManagedFields?: boolean;
}

export interface AuditDecision {
  readonly level: AuditLevel;
  readonly omitStages: ReadonlySet<AuditStage>;
  readonly omitManagedFields: boolean;
}

export interface AuditPolicy {
  decide(user: UserInfo | undefined, info: RequestInfo): AuditDecision;
}

const NOT_AUDITED: AuditDecision = { level: 'None', omitStages: new Set(), omitManagedFields: false };

/** `text` is YAML or JSON. Throws an error that names the wrong field. */
export function loadAuditPolicy(text: string): AuditPolicy {
  const policy = (parse(text) ?? {}) as {
    apiVersion?: string;
    kind?: string;
    rules?: readonly Rule[];
    omitStages?: readonly AuditStage[];
    omitManagedFields?: boolean;
  };
  if (policy.kind !== 'Policy' || policy.apiVersion !== 'audit.k8s.io/v1')
    throw new Error(`expected a Policy of audit.k8s.io/v1, got ${policy.kind} of ${policy.apiVersion}`);
  const { rules = [], omitStages = [] } = policy;
  if (rules.length === 0) throw new Error('loaded illegal policy with 0 rules');
  checkStages(omitStages, 'omitStages');
  rules.forEach(checkRule);
  const decisions = rules.map((rule): AuditDecision => ({
    level: rule.level,
    omitStages: new Set([...omitStages, ...(rule.omitStages ?? [])]),
    omitManagedFields: rule.omitManagedFields ?? policy.omitManagedFields ?? false,
  }));
  return {
    decide(user, info) {
      const index = rules.findIndex((rule) => matches(rule, user, info));
      return index < 0 ? NOT_AUDITED : decisions[index]!;
    },
  };
}

function checkRule(rule: Rule, index: number): void {
  if (!LEVELS.includes(rule.level))
    throw new Error(
      `rules[${index}].level: Unsupported value: "${rule.level}": supported values: "Metadata", "None", "Request", "RequestResponse"`,
    );
  if (rule.nonResourceURLs?.length && (rule.resources?.length || rule.namespaces?.length)) {
    throw new Error(
      `rules[${index}].nonResourceURLs: Invalid value: rules cannot apply to both regular resources and non-resource URLs`,
    );
  }
  checkStages(rule.omitStages ?? [], `rules[${index}].omitStages`);
}

function checkStages(stages: readonly AuditStage[], at: string): void {
  for (const stage of stages)
    if (!STAGES.includes(stage))
      throw new Error(`${at}: Invalid value: "${stage}": allowed stages are ${STAGES.join(',')}`);
}

function matches(rule: Rule, user: UserInfo | undefined, info: RequestInfo): boolean {
  if (rule.users?.length && !(user && rule.users.includes(user.name))) return false;
  if (rule.userGroups?.length && !user?.groups.some((group) => rule.userGroups!.includes(group))) return false;
  if (rule.verbs?.length && !rule.verbs.includes(info.verb)) return false;
  if (rule.namespaces?.length || rule.resources?.length) return info.isResourceRequest && matchesResource(rule, info);
  if (rule.nonResourceURLs?.length)
    return !info.isResourceRequest && rule.nonResourceURLs.some((pattern) => matchesPath(pattern, info.path));
  return true;
}

function matchesResource({ namespaces, resources }: Rule, info: RequestInfo): boolean {
  if (namespaces?.length && !namespaces.includes(info.namespace)) return false;
  if (!resources?.length) return true;
  const combined = info.subresource === '' ? info.resource : `${info.resource}/${info.subresource}`;
  return resources.some(({ group = '', resources: names = [], resourceNames = [] }) => {
    if (group !== info.apiGroup) return false;
    if (resourceNames.length > 0 && !resourceNames.includes(info.name)) return false;
    if (names.length === 0) return true;
    return names.some(
      (name) =>
        name === combined ||
        name === '*' ||
        (info.subresource !== '' && (name === `*/${info.subresource}` || name === `${info.resource}/*`)),
    );
  });
}

const matchesPath = (pattern: string, path: string): boolean =>
  pattern === '*' || pattern === path || (pattern.endsWith('*') && path.startsWith(pattern.slice(0, -1)));
