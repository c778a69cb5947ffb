/**
 * What RBAC rules and bindings mean: whom a binding is for, whether a rule allows a request, and what the nearest rules lack
 * that do not. Upstream's `RuleAllows` and `appliesTo`.
 */
import type { PolicyRule, RoleRef, Subject } from '../api/generated/rbac-v1.ts';
import { quote } from '../base/index.ts';

/** A request as authorizers see it. */
export interface AccessRequest {
  readonly verb: string;
  readonly isResourceRequest: boolean;
  readonly apiGroup: string;
  readonly resource: string;
  readonly subresource: string;
  readonly name: string;
  readonly namespace: string;
  /** Of a request that is for no resource. */
  readonly path: string;
}

/** A binding's effect on one of its subjects. */
export interface RoleGrant {
  /** Empty for a ClusterRoleBinding. */
  readonly namespace: string;
  readonly binding: string;
  readonly roleRef: RoleRef;
  readonly subject: Subject;
}

interface Identity {
  readonly name: string;
  readonly groups: readonly string[];
}

/**
 * The key of a subject: equal to one of `identityKeys` of the users that it names. A ServiceAccount subject names the user
 * that its tokens authenticate as.
 */
export function subjectKey(subject: Subject, bindingNamespace: string): string | undefined {
  switch (subject.kind) {
    case 'User':
      return `User ${subject.name}`;
    case 'Group':
      return `Group ${subject.name}`;
    case 'ServiceAccount': {
      const namespace = subject.namespace || bindingNamespace;
      return namespace === '' ? undefined : `User system:serviceaccount:${namespace}:${subject.name}`;
    }
    default:
      return undefined;
  }
}

export const identityKeys = ({ name, groups }: Identity): string[] => [
  `User ${name}`,
  ...groups.map((group) => `Group ${group}`),
];

export const apiGroupMatches = ({ apiGroups = [] }: PolicyRule, group: string): boolean =>
  apiGroups.includes(group) || apiGroups.includes('*');

/** A rule without resourceNames is for all of them. */
export const resourceNameMatches = ({ resourceNames }: PolicyRule, name: string): boolean =>
  !resourceNames?.length || resourceNames.includes(name);

export const nonResourceUrlMatches = (pattern: string, url: string): boolean =>
  pattern === '*' || pattern === url || (pattern.endsWith('*') && url.startsWith(pattern.replace(/(?<!\*)\*+$/, '')));

const verbMatches = ({ verbs }: PolicyRule, verb: string): boolean => verbs.includes(verb) || verbs.includes('*');

function resourceMatches({ resources = [] }: PolicyRule, { resource, subresource }: AccessRequest): boolean {
  if (resources.includes('*')) return true;
  if (subresource === '') return resources.includes(resource);
  return resources.includes(`${resource}/${subresource}`) || resources.includes(`*/${subresource}`);
}

/** What a rule would have to name in addition, or a binding to reach. */
type Lack = 'verb' | 'apiGroup' | 'resource' | 'resourceName' | 'nonResourceURL' | 'namespace' | 'role';

/** How far each lack is from what was asked for: another verb of the same resource is nearer than another resource. */
const DISTANCE: Readonly<Record<Lack, number>> = {
  resourceName: 1,
  namespace: 2,
  verb: 2,
  role: 3,
  nonResourceURL: 8,
  apiGroup: 6,
  resource: 8,
};

export interface NearMiss {
  readonly grant: RoleGrant;
  /** Absent where the role does not exist, or may not be read. */
  readonly rule?: PolicyRule;
  readonly lacks: readonly Lack[];
}

export interface RbacFinding {
  /** The first that allows the request. */
  readonly allowedBy?: { readonly grant: RoleGrant; readonly rule: PolicyRule };
  /** Those that allow the most similar requests, the nearest first; none if one allows it. */
  readonly nearest: readonly NearMiss[];
  /** How many bindings name the user or one of its groups. */
  readonly bindings: number;
}

const MAX_NEAREST = 5;
/** What is farther than the nearest by more than this tells nothing besides it. */
const SIMILAR = 3;

/** `rulesOf` returns undefined for a role that does not exist. Cluster-wide grants come first. */
export function findInRoles(
  grants: readonly RoleGrant[],
  rulesOf: (grant: RoleGrant) => readonly PolicyRule[] | undefined,
  request: AccessRequest,
): RbacFinding {
  const misses: NearMiss[] = [];
  for (const grant of grants) {
    const reaches = grant.namespace === '' || grant.namespace === request.namespace;
    const elsewhere: readonly Lack[] = reaches ? [] : ['namespace'];
    const rules = rulesOf(grant);
    if (!rules) misses.push({ grant, lacks: [...elsewhere, 'role'] });
    for (const rule of rules ?? []) {
      const lacks = lacksOf(rule, request);
      if (!lacks) continue;
      if (lacks.length === 0 && reaches) return { allowedBy: { grant, rule }, nearest: [], bindings: grants.length };
      misses.push({ grant, rule, lacks: [...elsewhere, ...lacks] });
    }
  }
  const sorted = misses
    .filter(({ lacks }) => !isAboutSomethingElse(lacks))
    .map((miss) => ({ miss, distance: miss.lacks.reduce((sum, lack) => sum + DISTANCE[lack], 0) }))
    .sort((a, b) => a.distance - b.distance);
  const nearest = sorted
    .filter(({ distance }) => distance <= sorted[0]!.distance + SIMILAR)
    .slice(0, MAX_NEAREST)
    .map(({ miss }) => miss);
  return { nearest, bindings: grants.length };
}

/** A rule of another resource that lacks even more is no near miss: such rules everybody has. */
const isAboutSomethingElse = (lacks: readonly Lack[]): boolean =>
  lacks.length > 1 && (lacks.includes('resource') || lacks.includes('nonResourceURL'));

/** undefined for a rule about something else: paths where a resource is asked for, or the other way round. */
function lacksOf(rule: PolicyRule, request: AccessRequest): Lack[] | undefined {
  const verb: Lack[] = verbMatches(rule, request.verb) ? [] : ['verb'];
  if (!request.isResourceRequest) {
    const urls = rule.nonResourceURLs ?? [];
    if (urls.length === 0) return undefined;
    return urls.some((pattern) => nonResourceUrlMatches(pattern, request.path)) ? verb : [...verb, 'nonResourceURL'];
  }
  if (!rule.resources?.length) return undefined;
  return [
    ...verb,
    ...(apiGroupMatches(rule, request.apiGroup) ? [] : (['apiGroup'] as const)),
    ...(resourceMatches(rule, request) ? [] : (['resource'] as const)),
    ...(resourceNameMatches(rule, request.name) ? [] : (['resourceName'] as const)),
  ];
}

/** In upstream's words for the reason of a decision. */
export function describeGrant({ namespace, binding, roleRef, subject }: RoleGrant): string {
  const role = `${roleRef.kind} ${quote(roleRef.name)}`;
  const to =
    subject.kind === 'ServiceAccount'
      ? `ServiceAccount ${quote(`${subject.name}/${subject.namespace || namespace}`)}`
      : `${subject.kind} ${quote(subject.name)}`;
  const by =
    namespace === '' ? `ClusterRoleBinding ${quote(binding)}` : `RoleBinding ${quote(`${binding}/${namespace}`)}`;
  return `${by} of ${role} to ${to}`;
}
