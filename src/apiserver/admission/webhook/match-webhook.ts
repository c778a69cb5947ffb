/** Whether a webhook is to be asked about a request, and in which version of the resource. */
import { forbidden } from '../../../machinery/errors/index.ts';
import type { AdmissionAttributes } from '../admission.ts';
import type { MatchConditionEvaluator } from '../match-conditions.ts';
import { equivalentsOf, matchesNamespaceSelector, matchesObjectSelector, matchesRule } from '../request-matching.ts';
import { equivalentView, ownView, type View } from '../versioned-objects.ts';
import type { Webhook } from './webhook.ts';

export interface Invocation {
  readonly webhook: Webhook;
  readonly view: View;
}

export async function matchWebhook(
  webhook: Webhook,
  attributes: AdmissionAttributes,
  conditions: MatchConditionEvaluator,
): Promise<Invocation | undefined> {
  const view = matchRules(webhook, attributes);
  if (!view) return undefined;
  if (!(await matchesNamespaceSelector(webhook.namespaceSelector, attributes))) return undefined;
  if (!matchesObjectSelector(webhook.objectSelector, attributes)) return undefined;
  if (webhook.matchConditions.length > 0) {
    const { matches, error } = await conditions.evaluate(webhook, attributes, view);
    if (error !== undefined) throw forbidden(attributes.groupResource, attributes.name, error);
    if (!matches) return undefined;
  }
  return { webhook, view };
}

/** Rules come first: they cost next to nothing, so that a request pays little for webhooks that it does not concern. */
function matchRules({ rules, matchesEquivalents }: Webhook, attributes: AdmissionAttributes): View | undefined {
  if (rules.some((rule) => matchesRule(rule, attributes, attributes.served))) return ownView(attributes);
  if (!matchesEquivalents) return undefined;
  const equivalents = equivalentsOf(attributes.registry, attributes.served);
  if (equivalents.length === 0) return undefined;
  for (const rule of rules) {
    const found = equivalents.find((resource) => matchesRule(rule, attributes, resource));
    if (found) return equivalentView(attributes, found);
  }
  return undefined;
}
