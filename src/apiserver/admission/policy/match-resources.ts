/** matchConstraints of a policy and matchResources of a binding: which requests they are about. */
import type { MatchResources, NamedRuleWithOperations } from '../../../api/generated/admissionregistration-v1.ts';
import type { AdmissionAttributes } from '../admission.ts';
import {
  equivalentsOf,
  LazySelector,
  matchesNamespaceSelector,
  matchesObjectSelector,
  matchesRule,
  type ResourceName,
} from '../request-matching.ts';
import { equivalentView, ownView, type View } from '../versioned-objects.ts';

export class ResourceMatcher {
  readonly #namespaceSelector: LazySelector;
  readonly #objectSelector: LazySelector;
  readonly #resources: MatchResources;

  constructor(resources: MatchResources) {
    this.#resources = resources;
    this.#namespaceSelector = new LazySelector(resources.namespaceSelector);
    this.#objectSelector = new LazySelector(resources.objectSelector);
  }

  /** The version of the resource in which the policy looks at the request; undefined when it does not concern it. */
  async match(attributes: AdmissionAttributes): Promise<View | undefined> {
    const { resourceRules = [], excludeResourceRules = [] } = this.#resources;
    const view = resourceRules.length === 0 ? ownView(attributes) : this.#matchRules(resourceRules, attributes);
    if (!view || this.#matchRules(excludeResourceRules, attributes)) return undefined;
    if (!matchesObjectSelector(this.#objectSelector, attributes)) return undefined;
    return (await matchesNamespaceSelector(this.#namespaceSelector, attributes)) ? view : undefined;
  }

  #matchRules(rules: readonly NamedRuleWithOperations[], attributes: AdmissionAttributes): View | undefined {
    if (rules.length === 0) return undefined;
    if (rules.some((rule) => matchesNamedRule(rule, attributes, attributes.served))) return ownView(attributes);
    if (this.#resources.matchPolicy === 'Exact') return undefined;
    for (const rule of rules) {
      const found = equivalentsOf(attributes.registry, attributes.served).find((resource) =>
        matchesNamedRule(rule, attributes, resource),
      );
      if (found) return equivalentView(attributes, found);
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
