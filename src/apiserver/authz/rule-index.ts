/** Policy rules by verb and resource: a request looks only at the rules that name both, or a star in their place. */
import type { PolicyRule } from '../../api/generated/rbac-v1.ts';
import type { AuthorizationAttributes } from './authorizer.ts';

export type Asked = Pick<
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

  /** What the first rule that allows the request came from. */
  find(asked: Asked): T | undefined {
    const first = asked.isResourceRequest
      ? earlier(this.#onResource(asked.verb, asked), this.#onResource('*', asked))
      : earlier(onUrl(this.#urls.get(asked.verb), asked.path), onUrl(this.#urls.get('*'), asked.path));
    return first?.source;
  }

  #onResource(verb: string, asked: Asked): Item<T> | undefined {
    const byResource = this.#resources.get(verb);
    if (!byResource) return undefined;
    const { resource, subresource } = asked;
    if (subresource === '') return earlier(fits(byResource.get(resource), asked), fits(byResource.get('*'), asked));
    const named = earlier(fits(byResource.get(`${resource}/${subresource}`), asked), fits(byResource.get('*'), asked));
    return earlier(named, fits(byResource.get(`*/${subresource}`), asked));
  }
}

function push<T>(map: Map<string, Item<T>[]>, key: string, item: Item<T>): void {
  const items = map.get(key);
  if (items) items.push(item);
  else map.set(key, [item]);
}

const earlier = <T>(a: Item<T> | undefined, b: Item<T> | undefined): Item<T> | undefined =>
  !a ? b : !b || a.order < b.order ? a : b;

function fits<T>(items: readonly Item<T>[] | undefined, asked: Asked): Item<T> | undefined {
  return items?.find(({ rule }) => {
    const groups = rule.apiGroups ?? [];
    if (!groups.includes(asked.apiGroup) && !groups.includes('*')) return false;
    return !rule.resourceNames?.length || rule.resourceNames.includes(asked.name);
  });
}

const onUrl = <T>(items: readonly Item<T>[] | undefined, url: string): Item<T> | undefined =>
  items?.find(({ rule }) => (rule.nonResourceURLs ?? []).some((pattern) => urlMatches(pattern, url)));

const urlMatches = (pattern: string, url: string): boolean =>
  pattern === '*' || pattern === url || (pattern.endsWith('*') && url.startsWith(pattern.replace(/(?<!\*)\*+$/, '')));
