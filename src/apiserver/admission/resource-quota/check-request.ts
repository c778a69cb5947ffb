/** CheckRequest of ResourceQuota: does a request fit into the quotas of its namespace, and what is their usage with it? */
import type { Pod, ScopedResourceSelectorRequirement } from '../../../api/generated/core-v1.ts';
import { failure } from '../../../machinery/errors/index.ts';
import { matchesScopes, scopesOf, trackedNames, usageOf } from '../../../machinery/quota/index.ts';
import type { AdmissionAttributes } from '../admission.ts';
import { newForbidden } from '../new-forbidden.ts';
import { missingPodResources } from './pod-constraints.ts';
import type { QuotaUsage } from './quota-usage.ts';
import { quantitiesText, subtractNonNegative, mask, add, removeZeros, type Quantities } from './resource-quantities.ts';

export interface LimitedResource {
  readonly apiGroup?: string;
  readonly resource: string;
  /** Resources whose name contains one of these cannot be consumed without a covering quota. */
  readonly matchContains?: readonly string[];
  readonly matchScopes?: readonly ScopedResourceSelectorRequirement[];
}

interface QuotaRules {
  readonly limited: readonly LimitedResource[];
  readonly now: number;
}

/** Returns the new usage of each quota that the request changes. Throws a 403 if it exceeds a quota. */
export function checkRequest(
  quotas: readonly QuotaUsage[],
  attributes: AdmissionAttributes,
  rules: QuotaRules,
): Map<QuotaUsage, Quantities> {
  const { served, object, oldObject, operation } = attributes;
  const { group, plural } = served;
  const matching = quotas.filter((quota) => isMatchingQuota(attributes, quota));
  const usage = usageOf(group, plural, object, rules.now);
  const negative = [...usage].filter(([, quantity]) => quantity.sign() < 0).map(([name]) => name);
  if (negative.length > 0)
    throw newForbidden(attributes, `quota usage is negative for resource(s): ${negative.sort().join(',')}`);
  checkLimited(attributes, { quotas, matching, usage, limited: rules.limited });

  const before = operation === 'UPDATE' && oldObject?.metadata.resourceVersion ? oldObject : undefined;
  const increase = before ? subtractNonNegative(usage, usageOf(group, plural, before, rules.now)) : usage;
  const uses = new Map<QuotaUsage, Quantities>();
  for (const quota of matching) {
    // An update that moves an object into a quota's scope is charged the whole usage.
    const delta = removeZeros(before && isInScope(attributes, quota, before) ? increase : usage);
    const requested = mask(delta, quota.hard);
    if (requested.size === 0) continue;
    const charged = add(quota.charged, requested);
    if (attributes.subresource !== 'status') checkFits(attributes, quota, requested, charged);
    uses.set(quota, charged);
  }
  return uses;
}

function isMatchingQuota(attributes: AdmissionAttributes, { name, quota, hard, used }: QuotaUsage): boolean {
  const { served, object } = attributes;
  const names = trackedNames(served.group, served.plural, hard.keys());
  if (names.length === 0 || !matchesScopes(served.group, served.plural, object, scopesOf(quota))) return false;
  const missing =
    served.plural === 'pods' && served.group === '' ? missingPodResources(object as unknown as Pod, names) : undefined;
  if (missing) throw newForbidden(attributes, `failed quota: ${name}: must specify ${missing}`);
  if (!names.every((tracked) => used.has(tracked)))
    throw newForbidden(attributes, `status unknown for quota: ${name}, resources: ${names.sort().join(',')}`);
  return true;
}

const isInScope = ({ served }: AdmissionAttributes, { quota }: QuotaUsage, object: unknown): boolean =>
  matchesScopes(served.group, served.plural, object, scopesOf(quota));

function checkFits(
  attributes: AdmissionAttributes,
  { name, hard, charged: used }: QuotaUsage,
  requested: Quantities,
  charged: Quantities,
): void {
  const exceeded = new Set([...requested.keys()].filter((key) => charged.get(key)!.cmp(hard.get(key)!) > 0));
  if (exceeded.size === 0) return;
  const text = (quantities: Quantities): string => quantitiesText(mask(quantities, exceeded));
  throw newForbidden(
    attributes,
    `exceeded quota: ${name}, requested: ${text(requested)}, used: ${text(used)}, limited: ${text(hard)}`,
  );
}

interface LimitedCheck {
  readonly quotas: readonly QuotaUsage[];
  readonly matching: readonly QuotaUsage[];
  readonly usage: Quantities;
  readonly limited: readonly LimitedResource[];
}

/** Limited resources and scopes cannot be consumed without a quota that covers them. */
function checkLimited(attributes: AdmissionAttributes, { quotas, matching, usage, limited }: LimitedCheck): void {
  const { group, plural } = attributes.served;
  const limits = limited.filter(({ apiGroup = '', resource }) => apiGroup === group && resource === plural);
  if (limits.length === 0) return;
  const covered = new Set(matching.flatMap(({ hard }) => trackedNames(group, plural, hard.keys())));
  const uncovered = [...usage]
    .filter(
      ([name, quantity]) =>
        quantity.sign() > 0 &&
        limits.some(({ matchContains = [] }) => matchContains.some((part) => name.includes(part))) &&
        !covered.has(name),
    )
    .map(([name]) => name);
  if (uncovered.length > 0)
    throw newForbidden(attributes, `insufficient quota to consume: ${uncovered.sort().join(',')}`);
  const scopes = limits
    .flatMap(({ matchScopes = [] }) => matchScopes)
    .filter((scope) => matchesScopes(group, plural, attributes.object, [scope]));
  const matched = new Set(
    quotas
      .flatMap(({ quota }) => scopesOf(quota))
      .filter((scope) => matchesScopes(group, plural, attributes.object, [scope]))
      .map(({ scopeName }) => scopeName),
  );
  const unmatched = scopes.filter(({ scopeName }) => !matched.has(scopeName));
  if (unmatched.length > 0)
    throw failure(
      500,
      '',
      `insufficient quota to match these scopes: [${unmatched.map((scope) => `{${scope.scopeName} ${scope.operator} [${(scope.values ?? []).join(' ')}]}`).join(' ')}]`,
    );
}
