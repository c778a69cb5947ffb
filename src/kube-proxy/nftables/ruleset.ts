/**
 * Tracks the nftables rules that the kernel has and computes the transaction for a change. Only changed Services are
 * compared, so a changed endpoint costs the elements of its own Service, however many Services there are.
 */
import type { Protocol, ServicePlan } from '../../component-helpers/index.ts';
import { baseTable, sharedChains, tableOf, type BaseTableOptions } from './base-table.ts';
import type { ElementTexts } from './element-bytes.ts';
import { serviceRules, type SetName, type ServiceRules, type SharedChainKey } from './service-rules.ts';

/** Sets whose elements several Services may share, so uses are counted. */
const REFERENCE_COUNTED: ReadonlySet<SetName> = new Set(['cluster-ips', 'hairpin-connections']);

const EMPTY: ServiceRules = { elements: new Map(), chains: new Map(), sets: new Map(), shared: new Set() };

/** The shared chains for these numbers of endpoints exist from the start, so that most Services need elements only. */
const USUAL_SIZES = Array.from({ length: 10 }, (_, index) => index + 1);

/** One transaction, in the order in which the kernel has to see its parts. */
export class RulesetChange implements ElementTexts {
  readonly prepare: string[] = [];
  readonly deleted = new Map<SetName, string[]>();
  readonly rules: string[] = [];
  readonly added = new Map<SetName, [key: string, value: string][]>();
  readonly cleanUp: string[] = [];

  readonly #table: string;

  constructor(table: string) {
    this.#table = table;
  }

  /** Whether the change adds and deletes elements and nothing else. */
  get onlyElements(): boolean {
    return this.prepare.length + this.rules.length + this.cleanUp.length === 0;
  }

  get isEmpty(): boolean {
    return this.onlyElements && this.deleted.size + this.added.size === 0;
  }

  /** The change as nft commands; '' when nothing changes. */
  get text(): string {
    const elements = (entries: readonly (readonly [key: string, value: string])[]): string =>
      entries.map(([key, value]) => (value === '' ? key : `${key} : ${value}`)).join(', ');
    return [
      ...this.prepare,
      ...[...this.deleted].map(([set, keys]) => `delete element ${this.#table} ${set} { ${keys.join(', ')} }`),
      ...this.rules,
      ...[...this.added].map(([set, entries]) => `add element ${this.#table} ${set} { ${elements(entries)} }`),
      ...this.cleanUp,
    ].join('\n');
  }
}

export class NftablesRuleset {
  readonly #services = new Map<string, ServiceRules>();
  /** How many Services use an element of a reference-counted set. */
  readonly #references = new Map<SetName, Map<string, number>>();
  readonly #sharedChains = new Set<SharedChainKey>();

  #options: BaseTableOptions;

  constructor(options: BaseTableOptions) {
    this.#options = options;
  }

  /** Takes effect with the next `replaceAll`. */
  setServiceCidrs(serviceCidrs: readonly string[]): void {
    this.#options = { ...this.#options, serviceCidrs };
  }

  /** The Services' own sets, which hold the clients of each endpoint with session affinity. */
  get affinitySets(): ReadonlyMap<string, string> {
    return new Map([...this.#services.values()].flatMap(({ sets }) => [...sets]));
  }

  get table(): string {
    return tableOf(this.#options.family);
  }

  /** A transaction that replaces all rules. */
  replaceAll(plans: ReadonlyMap<string, readonly ServicePlan[]>): string {
    this.#services.clear();
    this.#references.clear();
    this.#sharedChains.clear();
    const change = new RulesetChange(this.table);
    change.prepare.push(...baseTable(this.#options));
    for (const protocol of ['tcp', 'udp'] as const)
      for (const size of USUAL_SIZES) this.#ensureSharedChains(`${protocol} ${size}`, change);
    this.#change(plans, change);
    return change.text;
  }

  /** The change for the Services in `plans`. An empty list deletes the Service's rules. */
  update(plans: ReadonlyMap<string, readonly ServicePlan[]>): RulesetChange {
    const change = new RulesetChange(this.table);
    this.#change(plans, change);
    return change;
  }

  #change(plans: ReadonlyMap<string, readonly ServicePlan[]>, change: RulesetChange): void {
    const { family } = this.#options;
    for (const [service, servicePlans] of plans) {
      const familyPlans = servicePlans.filter((plan) => plan.family === family);
      const before = this.#services.get(service) ?? EMPTY;
      const after =
        familyPlans.length === 0
          ? EMPTY
          : familyPlans.length === 1
            ? serviceRules(familyPlans[0]!, this.#options)
            : merge(familyPlans.map((plan) => serviceRules(plan, this.#options)));
      if (after === EMPTY) this.#services.delete(service);
      else this.#services.set(service, after);
      for (const shared of after.shared) this.#ensureSharedChains(shared, change);
      this.#changeChains(before, after, change);
      this.#changeElements(before, after, change);
    }
  }

  #ensureSharedChains(shared: SharedChainKey, { prepare }: RulesetChange): void {
    if (this.#sharedChains.has(shared)) return;
    this.#sharedChains.add(shared);
    const [protocol, size] = shared.split(' ') as [Protocol, string];
    prepare.push(...sharedChains(this.#options, protocol, Number(size)));
  }

  /** Adds a Service's own chains and sets before elements refer to them, and deletes them after. */
  #changeChains(before: ServiceRules, after: ServiceRules, to: RulesetChange): void {
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
    const deletedChains = [...before.chains.keys()].filter((name) => !after.chains.has(name));
    to.cleanUp.push(
      ...deletedChains.map((name) => `flush chain ${this.table} ${name}`),
      ...deletedChains.map((name) => `delete chain ${this.table} ${name}`),
    );
    for (const name of before.sets.keys())
      if (!after.sets.has(name)) to.cleanUp.push(`delete set ${this.table} ${name}`);
  }

  #changeElements(before: ServiceRules, after: ServiceRules, change: RulesetChange): void {
    for (const [set, elements] of before.elements) {
      for (const [key, value] of elements) {
        const now = after.elements.get(set)?.get(key);
        if (now === value) continue;
        if (REFERENCE_COUNTED.has(set) && !this.#release(set, key)) continue;
        push(change.deleted, set, key);
      }
    }
    for (const [set, elements] of after.elements) {
      for (const [key, value] of elements) {
        if (before.elements.get(set)?.get(key) === value) continue;
        if (REFERENCE_COUNTED.has(set) && !this.#acquire(set, key)) continue;
        push(change.added, set, [key, value]);
      }
    }
  }

  /** Returns whether this was the first reference. */
  #acquire(set: SetName, key: string): boolean {
    const ofSet = this.#referencesOf(set);
    const uses = ofSet.get(key) ?? 0;
    ofSet.set(key, uses + 1);
    return uses === 0;
  }

  /** Returns whether this was the last reference. */
  #release(set: SetName, key: string): boolean {
    const ofSet = this.#referencesOf(set);
    const uses = (ofSet.get(key) ?? 0) - 1;
    if (uses > 0) ofSet.set(key, uses);
    else ofSet.delete(key);
    return uses <= 0;
  }

  #referencesOf(set: SetName): Map<string, number> {
    const known = this.#references.get(set);
    if (known) return known;
    const created = new Map<string, number>();
    this.#references.set(set, created);
    return created;
  }
}

function push<Element>(map: Map<SetName, Element[]>, set: SetName, element: Element): void {
  const list = map.get(set);
  if (list) list.push(element);
  else map.set(set, [element]);
}

/** Combines the rules of a Service's ports. */
function merge(rules: readonly ServiceRules[]): ServiceRules {
  const elements = new Map<SetName, Map<string, string>>();
  for (const service of rules) {
    for (const [set, ofSet] of service.elements) {
      const all = elements.get(set) ?? new Map<string, string>();
      elements.set(set, all);
      for (const [key, value] of ofSet) all.set(key, value);
    }
  }
  return {
    elements,
    chains: new Map(rules.flatMap(({ chains }) => [...chains])),
    sets: new Map(rules.flatMap(({ sets }) => [...sets])),
    shared: new Set(rules.flatMap(({ shared }) => [...shared])),
  };
}
