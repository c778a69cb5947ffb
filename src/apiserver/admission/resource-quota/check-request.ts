/** Whether a request fits into the quotas of its namespace, and what they would have used with it. */
import type { Pod, ScopedResourceSelectorRequirement } from '../../../api/generated/core-v1.ts';
import { failure } from '../../../machinery/errors/index.ts';
import { matchesScopes, scopesOf, trackedNames, usageOf } from '../../../machinery/quota/index.ts';
import type { Entry } from '../../storage/entry.ts';
import type { AdmissionAttributes } from '../admission.ts';
import { refuse } from '../refuse.ts';
import { missingPodResources } from './pod-constraints.ts';
import type { QuotaObject } from './quota-queue.ts';
import { amountsText, growth, only, plus, withoutZeros, type Amounts } from './usage-arithmetic.ts';

/** A quota while requests are charged to it. */
export interface RunningQuota {
  readonly name: string;
  readonly entry: Entry;
  readonly quota: QuotaObject;
  readonly hard: Amounts;
  /** As it was read. */
  readonly used: Amounts;
  /** With the requests that were let in since. */
  charged: Amounts;
}

export interface LimitedResource {
  readonly apiGroup?: string;
  readonly resource: string;
  /** Parts of names: whatever contains one of them needs a quota. */
  readonly matchContains?: readonly string[];
  readonly matchScopes?: readonly ScopedResourceSelectorRequirement[];
}

export interface QuotaRules {
  readonly limited: readonly LimitedResource[];
  readonly now: number;
}

/** The quotas that change, with what they have used then; fails with 403 when one does not have enough. */
export function checkRequest(
  quotas: readonly RunningQuota[],
  attributes: AdmissionAttributes,
  rules: QuotaRules,
): Map<RunningQuota, Amounts> {
  const { served, object, oldObject, operation } = attributes;
  const { group, plural } = served;
  const pertinent = quotas.filter((quota) => concerns(attributes, quota));
  const usage = usageOf(group, plural, object, rules.now);
  const negative = [...usage].filter(([, quantity]) => quantity.sign() < 0).map(([name]) => name);
  if (negative.length > 0)
    throw refuse(attributes, `quota usage is negative for resource(s): ${negative.sort().join(',')}`);
  checkLimited(attributes, { quotas, pertinent, usage, limited: rules.limited });

  const before = operation === 'UPDATE' && oldObject?.metadata.resourceVersion ? oldObject : undefined;
  const grown = before ? growth(usage, usageOf(group, plural, before, rules.now)) : usage;
  const uses = new Map<RunningQuota, Amounts>();
  for (const quota of pertinent) {
    // An object that comes into a quota's scope by this update counts as a whole.
    const delta = withoutZeros(before && isInScope(attributes, quota, before) ? grown : usage);
    const requested = only(delta, quota.hard);
    if (requested.size === 0) continue;
    const charged = plus(quota.charged, requested);
    if (attributes.subresource !== 'status') checkFits(attributes, quota, requested, charged);
    uses.set(quota, charged);
  }
  return uses;
}

function concerns(attributes: AdmissionAttributes, { name, quota, hard, used }: RunningQuota): boolean {
  const { served, object } = attributes;
  const names = trackedNames(served.group, served.plural, hard.keys());
  if (names.length === 0 || !matchesScopes(served.group, served.plural, object, scopesOf(quota))) return false;
  const missing =
    served.plural === 'pods' && served.group === '' ? missingPodResources(object as unknown as Pod, names) : undefined;
  if (missing) throw refuse(attributes, `failed quota: ${name}: must specify ${missing}`);
  if (!names.every((tracked) => used.has(tracked)))
    throw refuse(attributes, `status unknown for quota: ${name}, resources: ${names.sort().join(',')}`);
  return true;
}

const isInScope = ({ served }: AdmissionAttributes, { quota }: RunningQuota, object: unknown): boolean =>
  matchesScopes(served.group, served.plural, object, scopesOf(quota));

function checkFits(
  attributes: AdmissionAttributes,
  { name, hard, charged: used }: RunningQuota,
  requested: Amounts,
  charged: Amounts,
): void {
  const exceeded = new Set([...requested.keys()].filter((key) => charged.get(key)!.cmp(hard.get(key)!) > 0));
  if (exceeded.size === 0) return;
  const text = (amounts: Amounts): string => amountsText(only(amounts, exceeded));
  throw refuse(
    attributes,
    `exceeded quota: ${name}, requested: ${text(requested)}, used: ${text(used)}, limited: ${text(hard)}`,
  );
}

interface LimitedCheck {
  readonly quotas: readonly RunningQuota[];
  readonly pertinent: readonly RunningQuota[];
  readonly usage: Amounts;
  readonly limited: readonly LimitedResource[];
}

function checkLimited(attributes: AdmissionAttributes, { quotas, pertinent, usage, limited }: LimitedCheck): void {
  const { group, plural } = attributes.served;
  const own = limited.filter((one) => (one.apiGroup ?? '') === group && one.resource === plural);
  if (own.length === 0) return;
  const covered = new Set(pertinent.flatMap(({ hard }) => trackedNames(group, plural, hard.keys())));
  const uncovered = [...usage]
    .filter(
      ([name, quantity]) =>
        quantity.sign() > 0 &&
        own.some(({ matchContains = [] }) => matchContains.some((part) => name.includes(part))) &&
        !covered.has(name),
    )
    .map(([name]) => name);
  if (uncovered.length > 0) throw refuse(attributes, `insufficient quota to consume: ${uncovered.sort().join(',')}`);
  const scopes = own
    .flatMap(({ matchScopes = [] }) => matchScopes)
    .filter((scope) => matchesScopes(group, plural, attributes.object, [scope]));
  const matched = new Set(
    quotas
      .flatMap(({ quota }) => scopesOf(quota))
      .filter((scope) => matchesScopes(group, plural, attributes.object, [scope]))
      .map(({ scopeName }) => scopeName),
  );
  const open = scopes.filter(({ scopeName }) => !matched.has(scopeName));
  if (open.length > 0)
    throw failure(
      500,
      '',
      `insufficient quota to match these scopes: [${open.map((scope) => `{${scope.scopeName} ${scope.operator} [${(scope.values ?? []).join(' ')}]}`).join(' ')}]`,
    );
}
