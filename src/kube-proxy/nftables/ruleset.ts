/**
 * What has been told to the kernel, and the transaction that makes it what it should be. Only changed Services are
 * looked at: a changed endpoint costs the elements of its Service, whatever else there is.
 */
import type { Protocol, ServicePlan } from '../service-plan.ts';
import { baseTable, sharedChains, tableOf, type BaseTableOptions } from './base-table.ts';
import type { ElementTexts } from './element-bytes.ts';
import { serviceFragment, type ContainerName, type Fragment, type SharedSize } from './fragment.ts';

/** Containers whose elements several Services may share. */
const SHARED: ReadonlySet<ContainerName> = new Set(['cluster-ips', 'hairpin-connections']);

const EMPTY: Fragment = { elements: new Map(), chains: new Map(), sets: new Map(), shared: new Set() };

/** How many endpoints Services mostly have: the chains for these are there from the start, so that Services come and go by elements alone. */
const USUAL_SIZES = Array.from({ length: 10 }, (_, index) => index + 1);

/** What has to be told to the kernel, in this order. */
export class RulesetChange implements ElementTexts {
  readonly prepare: string[] = [];
  readonly deleted = new Map<ContainerName, string[]>();
  readonly rules: string[] = [];
  readonly added = new Map<ContainerName, [key: string, value: string][]>();
  readonly cleanUp: string[] = [];

  constructor(private readonly table: string) {}

  /** Whether nothing but elements comes and goes. */
  get onlyElements(): boolean {
    return this.prepare.length + this.rules.length + this.cleanUp.length === 0;
  }

  get isEmpty(): boolean {
    return this.onlyElements && this.deleted.size + this.added.size === 0;
  }

  /** As nft's commands; '' when nothing changes. */
  get text(): string {
    const elements = (entries: readonly (readonly [key: string, value: string])[]): string =>
      entries.map(([key, value]) => (value === '' ? key : `${key} : ${value}`)).join(', ');
    return [
      ...this.prepare,
      ...[...this.deleted].map(
        ([container, keys]) => `delete element ${this.table} ${container} { ${keys.join(', ')} }`,
      ),
      ...this.rules,
      ...[...this.added].map(
        ([container, entries]) => `add element ${this.table} ${container} { ${elements(entries)} }`,
      ),
      ...this.cleanUp,
    ].join('\n');
  }
}

export class NftablesRuleset {
  readonly #fragments = new Map<string, Fragment>();
  /** How many Services use an element of a shared container. */
  readonly #uses = new Map<ContainerName, Map<string, number>>();
  readonly #shared = new Set<SharedSize>();

  constructor(private readonly options: BaseTableOptions) {}

  get table(): string {
    return tableOf(this.options.family);
  }

  /** Everything anew, in place of whatever is there. */
  replaceAll(plans: ReadonlyMap<string, readonly ServicePlan[]>): string {
    this.#fragments.clear();
    this.#uses.clear();
    this.#shared.clear();
    const change = new RulesetChange(this.table);
    change.prepare.push(...baseTable(this.options));
    for (const protocol of ['tcp', 'udp'] as const)
      for (const size of USUAL_SIZES) this.#share(`${protocol} ${size}`, change);
    this.#change(plans, change);
    return change.text;
  }

  /** Only what has changed: the named Services' plans, empty for one that is gone. */
  update(plans: ReadonlyMap<string, readonly ServicePlan[]>): RulesetChange {
    const change = new RulesetChange(this.table);
    this.#change(plans, change);
    return change;
  }

  #change(plans: ReadonlyMap<string, readonly ServicePlan[]>, change: RulesetChange): void {
    const { family } = this.options;
    for (const [service, ofService] of plans) {
      const mine = ofService.filter((plan) => plan.family === family);
      const before = this.#fragments.get(service) ?? EMPTY;
      const after =
        mine.length === 0 ? EMPTY : mine.length === 1 ? serviceFragment(mine[0]!) : merged(mine.map(serviceFragment));
      if (after === EMPTY) this.#fragments.delete(service);
      else this.#fragments.set(service, after);
      for (const shared of after.shared) this.#share(shared, change);
      this.#changeOwn(before, after, change);
      this.#changeElements(before, after, change);
    }
  }

  #share(shared: SharedSize, { prepare }: RulesetChange): void {
    if (this.#shared.has(shared)) return;
    this.#shared.add(shared);
    const [protocol, size] = shared.split(' ') as [Protocol, string];
    prepare.push(...sharedChains(this.options.family, protocol, Number(size)));
  }

  /** Chains and sets of one Service: made before anything leads there, removed after nothing does. */
  #changeOwn(before: Fragment, after: Fragment, to: RulesetChange): void {
    for (const [name, declaration] of after.sets)
      if (!before.sets.has(name)) to.prepare.push(`add set ${this.table} ${name} ${declaration}`);
    for (const name of after.chains.keys())
      if (!before.chains.has(name)) to.prepare.push(`add chain ${this.table} ${name}`);
    for (const [name, rules] of after.chains) {
      const old = before.chains.get(name);
      if (old && old.join('\n') === rules.join('\n')) continue;
      if (old) to.rules.push(`flush chain ${this.table} ${name}`);
      to.rules.push(...rules.map((rule) => `add rule ${this.table} ${name} ${rule}`));
    }
    const gone = [...before.chains.keys()].filter((name) => !after.chains.has(name));
    to.cleanUp.push(
      ...gone.map((name) => `flush chain ${this.table} ${name}`),
      ...gone.map((name) => `delete chain ${this.table} ${name}`),
    );
    for (const name of before.sets.keys())
      if (!after.sets.has(name)) to.cleanUp.push(`delete set ${this.table} ${name}`);
  }

  #changeElements(before: Fragment, after: Fragment, change: RulesetChange): void {
    for (const [container, elements] of before.elements) {
      for (const [key, value] of elements) {
        const now = after.elements.get(container)?.get(key);
        if (now === value) continue;
        if (SHARED.has(container) && !this.#released(container, key)) continue;
        push(change.deleted, container, key);
      }
    }
    for (const [container, elements] of after.elements) {
      for (const [key, value] of elements) {
        if (before.elements.get(container)?.get(key) === value) continue;
        if (SHARED.has(container) && !this.#taken(container, key)) continue;
        push(change.added, container, [key, value]);
      }
    }
  }

  /** Whether this was the first use. */
  #taken(container: ContainerName, key: string): boolean {
    const ofContainer = this.#usesOf(container);
    const uses = ofContainer.get(key) ?? 0;
    ofContainer.set(key, uses + 1);
    return uses === 0;
  }

  /** Whether this was the last use. */
  #released(container: ContainerName, key: string): boolean {
    const ofContainer = this.#usesOf(container);
    const uses = (ofContainer.get(key) ?? 0) - 1;
    if (uses > 0) ofContainer.set(key, uses);
    else ofContainer.delete(key);
    return uses <= 0;
  }

  #usesOf(container: ContainerName): Map<string, number> {
    const known = this.#uses.get(container);
    if (known) return known;
    const made = new Map<string, number>();
    this.#uses.set(container, made);
    return made;
  }
}

function push<Element>(map: Map<ContainerName, Element[]>, container: ContainerName, element: Element): void {
  const list = map.get(container);
  if (list) list.push(element);
  else map.set(container, [element]);
}

/** A Service's ports together. */
function merged(fragments: readonly Fragment[]): Fragment {
  const elements = new Map<ContainerName, Map<string, string>>();
  for (const fragment of fragments) {
    for (const [container, ofContainer] of fragment.elements) {
      const all = elements.get(container) ?? new Map<string, string>();
      elements.set(container, all);
      for (const [key, value] of ofContainer) all.set(key, value);
    }
  }
  return {
    elements,
    chains: new Map(fragments.flatMap(({ chains }) => [...chains])),
    sets: new Map(fragments.flatMap(({ sets }) => [...sets])),
    shared: new Set(fragments.flatMap(({ shared }) => [...shared])),
  };
}
