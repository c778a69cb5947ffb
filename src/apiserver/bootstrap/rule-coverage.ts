/** Whether some rules grant everything that others grant. */
import type { PolicyRule } from '../../api/generated/rbac-v1.ts';

/** What `wanted` grants and `granted` does not, taken apart into rules of one verb on one resource, name or URL. */
export function uncoveredRules(granted: readonly PolicyRule[], wanted: readonly PolicyRule[]): PolicyRule[] {
  return wanted.flatMap(singleRules).filter((single) => !granted.some((rule) => covers(rule, single)));
}

/** A rule taken apart: group by group, resource by resource, verb by verb, name by name; then URL by URL. */
export function singleRules(rule: PolicyRule): PolicyRule[] {
  const { apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  // A rule that validation has not seen yet may have null in place of its verbs.
  const verbs = (rule.verbs as string[] | null) ?? [];
  const names = resourceNames.length === 0 ? [{}] : resourceNames.map((name) => ({ resourceNames: [name] }));
  const onResources = apiGroups.flatMap((group) =>
    resources.flatMap((resource) =>
      verbs.flatMap((verb) =>
        names.map((name) => ({ verbs: [verb], apiGroups: [group], resources: [resource], ...name })),
      ),
    ),
  );
  const onURLs = nonResourceURLs.flatMap((url) => verbs.map((verb) => ({ verbs: [verb], nonResourceURLs: [url] })));
  return [...onResources, ...onURLs];
}

function covers(rule: PolicyRule, single: PolicyRule): boolean {
  return (
    hasAll(rule.verbs, single.verbs) &&
    hasAll(rule.apiGroups ?? [], single.apiGroups ?? []) &&
    (single.resources ?? []).every((resource) => coversResource(rule.resources ?? [], resource)) &&
    coversNames(rule.resourceNames ?? [], single.resourceNames ?? []) &&
    (single.nonResourceURLs ?? []).every((url) =>
      (rule.nonResourceURLs ?? []).some((pattern) => coversURL(pattern, url)),
    )
  );
}

const hasAll = (granted: readonly string[], wanted: readonly string[]): boolean =>
  granted.includes('*') || wanted.every((value) => granted.includes(value));

/** A subresource is granted by its own name, or for every resource by a star in the resource's place. */
function coversResource(granted: readonly string[], wanted: string): boolean {
  if (granted.includes('*') || granted.includes(wanted)) return true;
  const slash = wanted.indexOf('/');
  return slash >= 0 && granted.includes(`*${wanted.slice(slash)}`);
}

/** No names means every name; so a rule that wants every name is not covered by one that grants some. */
const coversNames = (granted: readonly string[], wanted: readonly string[]): boolean =>
  granted.length === 0 || (wanted.length > 0 && wanted.every((name) => granted.includes(name)));

const coversURL = (pattern: string, url: string): boolean =>
  pattern === url || (pattern.endsWith('*') && url.startsWith(pattern.replace(/(?<!\*)\*+$/, '')));
