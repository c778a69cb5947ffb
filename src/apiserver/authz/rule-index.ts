/** An index of policy rules by verb and resource, so that a request only checks the rules for its verb and resource or `*`. */
import type { PolicyRule } from '../../api/generated/rbac-v1.ts';
import { apiGroupMatches, nonResourceUrlMatches, resourceNameMatches } from '../../component-helpers/index.ts';
import type { AuthorizationAttributes } from './authorizer.ts';

type RuleAttributes = Pick<
  AuthorizationAttributes,
  'verb' | 'isResourceRequest' | 'apiGroup' | 'resource' | 'subresource' | 'name' | 'path'
>;

interface Item<T> {
  readonly order: number;
  readonly rule: PolicyRule;
  readonly source: T;
}

export class RuleIndex<T> {
  #order = 0;
  #resources = new Map<string, Map<string, Item<T>[]>>();
  #urls = new Map<string, Item<T>[]>();

  get isEmpty(): boolean {
    return this.#order === 0;
  }

  add(rule: PolicyRule, source: T): void {
    const item: Item<T> = { order: this.#order++, rule, source };
    for (const verb of rule.verbs ?? []) {
      if (rule.nonResourceURLs?.length) push(this.#urls, verb, item);
      for (const resource of rule.resources ?? []) {
        let byResource = this.#resources.get(verb);
        if (!byResource) this.#resources.set(verb, (byResource = new Map()));
        push(byResource, resource, item);
      }
    }
  }

  /** Returns the source of the first rule that allows the request. */
  find(attributes: RuleAttributes): T | undefined {
    const first = attributes.isResourceRequest
      ? firstOf(this.#findResourceRule(attributes.verb, attributes), this.#findResourceRule('*', attributes))
      : firstOf(
          firstUrlMatch(this.#urls.get(attributes.verb), attributes.path),
          firstUrlMatch(this.#urls.get('*'), attributes.path),
        );
    return first?.source;
  }

  #findResourceRule(verb: string, attributes: RuleAttributes): Item<T> | undefined {
    const byResource = this.#resources.get(verb);
    if (!byResource) return undefined;
    const { resource, subresource } = attributes;
    if (subresource === '')
      return firstOf(firstMatch(byResource.get(resource), attributes), firstMatch(byResource.get('*'), attributes));
    const named = firstOf(
      firstMatch(byResource.get(`${resource}/${subresource}`), attributes),
      firstMatch(byResource.get('*'), attributes),
    );
    return firstOf(named, firstMatch(byResource.get(`*/${subresource}`), attributes));
  }
}

function push<T>(map: Map<string, Item<T>[]>, key: string, item: Item<T>): void {
  const items = map.get(key);
  if (items) items.push(item);
  else map.set(key, [item]);
}

const firstOf = <T>(a: Item<T> | undefined, b: Item<T> | undefined): Item<T> | undefined =>
  !a ? b : !b || a.order < b.order ? a : b;

function firstMatch<T>(items: readonly Item<T>[] | undefined, attributes: RuleAttributes): Item<T> | undefined {
  return items?.find(
    ({ rule }) => apiGroupMatches(rule, attributes.apiGroup) && resourceNameMatches(rule, attributes.name),
  );
}

const firstUrlMatch = <T>(items: readonly Item<T>[] | undefined, url: string): Item<T> | undefined =>
  items?.find(({ rule }) => (rule.nonResourceURLs ?? []).some((pattern) => nonResourceUrlMatches(pattern, url)));
