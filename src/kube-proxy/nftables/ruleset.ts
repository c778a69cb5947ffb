/**
 * What has been told to the kernel, and the transaction that makes it what it should be. Only changed Services are
 * looked at: a changed endpoint costs the elements of its Service, whatever else there is.
 */
import type { Protocol, ServicePlan } from '../service-plan.ts';
import { baseTable, sharedChains, tableOf, type BaseTableOptions } from './base-table.ts';
import { serviceFragment, type ContainerName, type Fragment, type SharedSize } from './fragment.ts';

/** Containers whose elements several Services may share. */
const SHARED: ReadonlySet<ContainerName> = new Set(['cluster-ips', 'hairpin-connections']);

const EMPTY: Fragment = { elements: new Map(), chains: new Map(), sets: new Map(), shared: new Set() };

interface Change {
  readonly deleted: Map<ContainerName, string[]>;
  readonly added: Map<ContainerName, string[]>;
}

export class NftablesRuleset {
  readonly #fragments = new Map<string, Fragment>();
  readonly #uses = new Map<string, number>();
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
    return [...baseTable(this.options), ...this.#commands(plans)].join('\n');
  }

  /** Only what has changed: the named Services' plans, empty for one that is gone. '' when nothing has. */
  update(plans: ReadonlyMap<string, readonly ServicePlan[]>): string {
    return this.#commands(plans).join('\n');
  }

  #commands(plans: ReadonlyMap<string, readonly ServicePlan[]>): string[] {
    const { family } = this.options;
    const change: Change = { deleted: new Map(), added: new Map() };
    const prepare: string[] = [];
    const rules: string[] = [];
    const cleanUp: string[] = [];
    for (const [service, ofService] of plans) {
      const mine = ofService.filter((plan) => plan.family === family);
      const before = this.#fragments.get(service) ?? EMPTY;
      const after = mine.length === 0 ? EMPTY : merged(mine.map(serviceFragment));
      if (after === EMPTY) this.#fragments.delete(service);
      else this.#fragments.set(service, after);
      for (const shared of after.shared) {
        if (this.#shared.has(shared)) continue;
        this.#shared.add(shared);
        const [protocol, size] = shared.split(' ') as [Protocol, string];
        prepare.push(...sharedChains(family, protocol, Number(size)));
      }
      this.#changeOwn(before, after, { prepare, rules, cleanUp });
      this.#changeElements(before, after, change);
    }
    return [
      ...prepare,
      ...[...change.deleted].map(([container, elements]) => `delete element ${this.table} ${container} { ${elements.join(', ')} }`),
      ...rules,
      ...[...change.added].map(([container, elements]) => `add element ${this.table} ${container} { ${elements.join(', ')} }`),
      ...cleanUp,
    ];
  }

  /** Chains and sets of one Service: made before anything leads there, removed after nothing does. */
  #changeOwn(before: Fragment, after: Fragment, to: { prepare: string[]; rules: string[]; cleanUp: string[] }): void {
    for (const [name, declaration] of after.sets) if (!before.sets.has(name)) to.prepare.push(`add set ${this.table} ${name} ${declaration}`);
    for (const name of after.chains.keys()) if (!before.chains.has(name)) to.prepare.push(`add chain ${this.table} ${name}`);
    for (const [name, rules] of after.chains) {
      const old = before.chains.get(name);
      if (old && old.join('\n') === rules.join('\n')) continue;
      if (old) to.rules.push(`flush chain ${this.table} ${name}`);
      to.rules.push(...rules.map((rule) => `add rule ${this.table} ${name} ${rule}`));
    }
    const gone = [...before.chains.keys()].filter((name) => !after.chains.has(name));
    to.cleanUp.push(...gone.map((name) => `flush chain ${this.table} ${name}`), ...gone.map((name) => `delete chain ${this.table} ${name}`));
    for (const name of before.sets.keys()) if (!after.sets.has(name)) to.cleanUp.push(`delete set ${this.table} ${name}`);
  }

  #changeElements(before: Fragment, after: Fragment, change: Change): void {
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
        push(change.added, container, value === '' ? key : `${key} : ${value}`);
      }
    }
  }

  /** Whether this was the first use. */
  #taken(container: ContainerName, key: string): boolean {
    const id = `${container} ${key}`;
    const uses = (this.#uses.get(id) ?? 0) + 1;
    this.#uses.set(id, uses);
    return uses === 1;
  }

  /** Whether this was the last use. */
  #released(container: ContainerName, key: string): boolean {
    const id = `${container} ${key}`;
    const uses = (this.#uses.get(id) ?? 0) - 1;
    if (uses > 0) this.#uses.set(id, uses);
    else this.#uses.delete(id);
    return uses <= 0;
  }
}

function push(map: Map<ContainerName, string[]>, container: ContainerName, element: string): void {
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
