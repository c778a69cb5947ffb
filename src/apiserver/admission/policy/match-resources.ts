/** Matches requests against matchConstraints of a policy or matchResources of a binding. */
import type { MatchResources, NamedRuleWithOperations } from '../../../api/generated/admissionregistration-v1.ts';
import type { AdmissionAttributes } from '../admission.ts';
import {
  equivalentResources,
  LazySelector,
  matchesNamespaceSelector,
  matchesObjectSelector,
  matchesRule,
  type ResourceName,
} from '../request-matching.ts';
import { equivalentVersion, requestedVersion, type MatchedVersion } from '../versioned-objects.ts';

export class ResourceMatcher {
  readonly #namespaceSelector: LazySelector;
  readonly #objectSelector: LazySelector;
  readonly #resources: MatchResources;

  constructor(resources: MatchResources) {
    this.#resources = resources;
    this.#namespaceSelector = new LazySelector(resources.namespaceSelector);
    this.#objectSelector = new LazySelector(resources.objectSelector);
  }

  /** The version in which the policy sees the request; undefined if it does not match. */
  async match(attributes: AdmissionAttributes): Promise<MatchedVersion | undefined> {
    const { resourceRules = [], excludeResourceRules = [] } = this.#resources;
    const matched =
      resourceRules.length === 0 ? requestedVersion(attributes) : this.#matchRules(resourceRules, attributes);
    if (!matched || this.#matchRules(excludeResourceRules, attributes)) return undefined;
    if (!matchesObjectSelector(this.#objectSelector, attributes)) return undefined;
    return (await matchesNamespaceSelector(this.#namespaceSelector, attributes)) ? matched : undefined;
  }

  #matchRules(rules: readonly NamedRuleWithOperations[], attributes: AdmissionAttributes): MatchedVersion | undefined {
    if (rules.length === 0) return undefined;
    if (rules.some((rule) => matchesNamedRule(rule, attributes, attributes.served)))
      return requestedVersion(attributes);
    if (this.#resources.matchPolicy === 'Exact') return undefined;
    for (const rule of rules) {
      const found = equivalentResources(attributes.registry, attributes.served).find((resource) =>
        matchesNamedRule(rule, attributes, resource),
      );
      if (found) return equivalentVersion(attributes, found);
    }
    return undefined;
  }
}

function matchesNamedRule(
  rule: NamedRuleWithOperations,
  attributes: AdmissionAttributes,
  resource: ResourceName,
): boolean {
  if (!matchesRule(rule, attributes, resource)) return false;
  const { resourceNames = [] } = rule;
  return resourceNames.length === 0 || resourceNames.includes(attributes.name);
}
