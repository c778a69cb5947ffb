/** Decides whether a request matches a webhook, and in which version of the resource. */
import { forbidden } from '../../../machinery/errors/index.ts';
import type { AdmissionAttributes } from '../admission.ts';
import type { MatchConditionEvaluator } from '../match-conditions.ts';
import {
  equivalentResources,
  matchesNamespaceSelector,
  matchesObjectSelector,
  matchesRule,
} from '../request-matching.ts';
import { equivalentVersion, requestedVersion, type MatchedVersion } from '../versioned-objects.ts';
import type { Webhook } from './webhook.ts';

export interface Invocation {
  readonly webhook: Webhook;
  readonly matched: MatchedVersion;
}

export async function matchWebhook(
  webhook: Webhook,
  attributes: AdmissionAttributes,
  conditions: MatchConditionEvaluator,
): Promise<Invocation | undefined> {
  const matched = matchRules(webhook, attributes);
  if (!matched) return undefined;
  if (!(await matchesNamespaceSelector(webhook.namespaceSelector, attributes))) return undefined;
  if (!matchesObjectSelector(webhook.objectSelector, attributes)) return undefined;
  if (webhook.matchConditions.length > 0) {
    const { matches, error } = await conditions.evaluate(webhook, attributes, matched);
    if (error !== undefined) throw forbidden(attributes.groupResource, attributes.name, error);
    if (!matches) return undefined;
  }
  return { webhook, matched };
}

/** Rules are checked first, because they are cheap. */
function matchRules(
  { rules, matchesEquivalents }: Webhook,
  attributes: AdmissionAttributes,
): MatchedVersion | undefined {
  if (rules.some((rule) => matchesRule(rule, attributes, attributes.served))) return requestedVersion(attributes);
  if (!matchesEquivalents) return undefined;
  const equivalents = equivalentResources(attributes.registry, attributes.served);
  if (equivalents.length === 0) return undefined;
  for (const rule of rules) {
    const found = equivalents.find((resource) => matchesRule(rule, attributes, resource));
    if (found) return equivalentVersion(attributes, found);
  }
  return undefined;
}
