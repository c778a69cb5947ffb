/** ABAC: a file with one policy in JSON per line; a request is allowed if a policy matches it. */
import type { PolicyRule } from '../../api/generated/rbac-v1.ts';
import { quote } from '../../base/index.ts';
import type { UserInfo } from '../request/request.ts';
import {
  ALLOW,
  noOpinion,
  type AuthorizationAttributes,
  type Authorizer,
  type Decision,
  type ResolvedRules,
} from './authorizer.ts';

interface AbacPolicy {
  readonly user?: string;
  readonly group?: string;
  readonly readonly?: boolean;
  readonly apiGroup?: string;
  readonly resource?: string;
  readonly namespace?: string;
  readonly nonResourcePath?: string;
}

/** How many policies of a user are shown that do not allow a request. */
const MAX_NEAREST = 5;
const READS = new Set(['get', 'list', 'watch']);

export class AbacAuthorizer implements Authorizer {
  readonly name = 'ABAC';
  #policies: AbacPolicy[] = [];

  /** Throws for a line that is not a policy. */
  constructor(file: string) {
    for (const [index, line] of file.split(/\r?\n/).entries()) {
      const text = line.trim();
      if (text === '' || text.startsWith('#')) continue;
      this.#policies.push(parsePolicy(text, index + 1));
    }
  }

  authorize(attributes: AuthorizationAttributes): Decision {
    return this.#policies.some((policy) => matches(policy, attributes)) ? ALLOW : noOpinion('No policy matched.');
  }

  explain(attributes: AuthorizationAttributes): { readonly nearest: readonly string[] } {
    const own = this.#policies.filter((policy) => subjectMatches(policy, attributes.user));
    const allowing = own.find((policy) => matches(policy, attributes));
    return { nearest: (allowing ? [allowing] : own.slice(0, MAX_NEAREST)).map((policy) => JSON.stringify(policy)) };
  }

  rulesFor(user: UserInfo, namespace: string): ResolvedRules {
    const rules = this.#policies
      .filter(
        (policy) =>
          subjectMatches(policy, user) &&
          (policy.namespace === '*' || policy.namespace === namespace || !!policy.nonResourcePath),
      )
      .flatMap(ruleOf);
    return { rules, incomplete: false };
  }
}

function parsePolicy(text: string, line: number): AbacPolicy {
  let parsed: { apiVersion?: string; kind?: string; spec?: AbacPolicy };
  try {
    parsed = JSON.parse(text) as typeof parsed;
  } catch (error) {
    throw new Error(`line ${line} of the authorization policy file is not JSON`, { cause: error });
  }
  if (
    parsed.kind !== 'Policy' ||
    parsed.apiVersion !== 'abac.authorization.kubernetes.io/v1beta1' ||
    typeof parsed.spec !== 'object'
  ) {
    throw new Error(
      `line ${line} of the authorization policy file is no ${quote('abac.authorization.kubernetes.io/v1beta1')} Policy`,
    );
  }
  return parsed.spec;
}

const matches = (policy: AbacPolicy, attributes: AuthorizationAttributes): boolean =>
  subjectMatches(policy, attributes.user) &&
  (!policy.readonly || READS.has(attributes.verb)) &&
  (attributes.isResourceRequest ? resourceMatches(policy, attributes) : pathMatches(policy, attributes.path));

/** A policy without user and group matches no one. */
function subjectMatches({ user = '', group = '' }: AbacPolicy, { name, groups }: UserInfo): boolean {
  if (user === '' && group === '') return false;
  const userMatches = user === '' || user === name || (user === '*' && groups.includes('system:authenticated'));
  const groupMatches =
    group === '' || groups.includes(group) || (group === '*' && groups.includes('system:authenticated'));
  return userMatches && groupMatches;
}

const resourceMatches = (
  { namespace = '', resource = '', apiGroup = '' }: AbacPolicy,
  attributes: AuthorizationAttributes,
): boolean =>
  [
    [namespace, attributes.namespace],
    [resource, attributes.resource],
    [apiGroup, attributes.apiGroup],
  ].every(([wanted, given]) => wanted === '*' || wanted === given);

function pathMatches({ nonResourcePath = '' }: AbacPolicy, path: string): boolean {
  if (nonResourcePath === '') return false;
  if (nonResourcePath === '*' || nonResourcePath === path) return true;
  return nonResourcePath.endsWith('*') && path.startsWith(nonResourcePath.slice(0, -1));
}

function ruleOf({ readonly: readOnly, apiGroup = '', resource = '', nonResourcePath = '' }: AbacPolicy): PolicyRule[] {
  const verbs = readOnly ? [...READS] : ['*'];
  return [
    ...(resource !== '' ? [{ verbs, apiGroups: [apiGroup], resources: [resource] }] : []),
    ...(nonResourcePath !== '' ? [{ verbs: readOnly ? ['get'] : ['*'], nonResourceURLs: [nonResourcePath] }] : []),
  ];
}
