/** Rule coverage: which permissions of a role does another set of rules not grant? The escalation check uses it too. */
import type { PolicyRule } from '../../api/generated/rbac-v1.ts';
import { deepEqual } from '../../base/index.ts';

/** The permissions of `wanted` that `granted` does not cover, as rules with one verb and one resource, name or URL. */
export function uncoveredRules(granted: readonly PolicyRule[], wanted: readonly PolicyRule[]): PolicyRule[] {
  // At nearly every start the rules are as they were written.
  if (deepEqual(granted, wanted)) return [];
  return wanted.flatMap(singleRules).filter((single) => !granted.some((rule) => covers(rule, single)));
}

/** Splits a rule into rules with one group, resource, verb and name, or one verb and URL. */
export function singleRules(rule: PolicyRule): PolicyRule[] {
  const { apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  // The rule may not be validated yet, and its verbs null.
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

/** `pods/status` is covered by `*`, `pods/status` and `*` in the place of `pods`. */
function coversResource(granted: readonly string[], wanted: string): boolean {
  if (granted.includes('*') || granted.includes(wanted)) return true;
  const slash = wanted.indexOf('/');
  return slash >= 0 && granted.includes(`*${wanted.slice(slash)}`);
}

/** No names means all names, which a rule with some names does not cover. */
const coversNames = (granted: readonly string[], wanted: readonly string[]): boolean =>
  granted.length === 0 || (wanted.length > 0 && wanted.every((name) => granted.includes(name)));

const coversURL = (pattern: string, url: string): boolean =>
  pattern === url || (pattern.endsWith('*') && url.startsWith(pattern.replace(/(?<!\*)\*+$/, '')));
