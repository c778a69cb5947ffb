import { familyOf } from '../../component-helpers/index.ts';
/**
 * Writes proxy rules with nftables, one transaction per change. Most changes are elements only and go to the kernel
 * over netlink; changes of chains and sets go through the nft command.
 */
import { changeElements, NetlinkSocket, runIn, spawnIn } from '../../net/netns/index.ts';
import type { Plans, RuleWriter } from '../rule-writer.ts';
import { affinityCommands, type ListedSets } from './affinity.ts';
import type { BaseTableOptions } from './base-table.ts';
import { elementChanges } from './element-bytes.ts';
import { NftablesRuleset, type RulesetChange } from './ruleset.ts';

interface NftablesOptions {
  /** The node's network namespace; undefined is the process's own. */
  readonly netns: string | undefined;
  readonly families: readonly BaseTableOptions[];
}

/** A netlink message has a size limit. Larger changes go through nft, which splits them. */
const MAX_NETLINK_ELEMENTS = 1000;

export class NftablesWriter implements RuleWriter {
  readonly #rulesets: readonly { readonly ruleset: NftablesRuleset; readonly family: BaseTableOptions['family'] }[];
  #netlink: NetlinkSocket | undefined;

  readonly #options: NftablesOptions;

  constructor(options: NftablesOptions) {
    this.#options = options;
    this.#rulesets = options.families.map((family) => ({
      ruleset: new NftablesRuleset(family),
      family: family.family,
    }));
  }

  setServiceCidrs(cidrs: readonly string[]): void {
    for (const { ruleset, family } of this.#rulesets)
      ruleset.setServiceCidrs(cidrs.filter((cidr) => familyOf(cidr) === family));
  }

  async replaceAll(plans: Plans): Promise<void> {
    const texts = [];
    for (const { ruleset } of this.#rulesets)
      texts.push(ruleset.replaceAll(plans), ...(await this.#affinityOfClients(ruleset)));
    await this.#nft(texts);
  }

  /** Commands that give clients the endpoints that they had before, also those of an earlier process. */
  async #affinityOfClients({ table, affinitySets }: NftablesRuleset): Promise<string[]> {
    if (affinitySets.size === 0) return [];
    const { exitCode, stdout } = await spawnIn('nft', ['-j', 'list', 'sets', 'table', ...table.split(' ')], {
      netns: this.#options.netns,
    });
    // There is no table yet.
    if (exitCode !== 0) return [];
    return affinityCommands(table, affinitySets, JSON.parse(stdout) as ListedSets);
  }

  async update(changed: Plans): Promise<void> {
    const changes = this.#rulesets
      .map(({ ruleset, family }) => ({ family, change: ruleset.update(changed) }))
      .filter(({ change }) => !change.isEmpty);
    if (changes.length === 0) return;
    if (
      changes.reduce((sum, { change }) => sum + (change.onlyElements ? elementCount(change) : Infinity), 0) >
      MAX_NETLINK_ELEMENTS
    ) {
      await this.#nft(changes.map(({ change }) => change.text));
      return;
    }
    const elements = changes.map(({ family, change }) => elementChanges(family, change));
    this.#netlink ??= new NetlinkSocket(this.#options.netns, 'netfilter');
    await changeElements(this.#netlink, {
      remove: elements.flatMap(({ remove = [] }) => remove),
      add: elements.flatMap(({ add = [] }) => add),
    });
  }

  removeAll(): Promise<void> {
    return this.#nft(this.#rulesets.map(({ ruleset: { table } }) => `add table ${table}\ndelete table ${table}`));
  }

  close(): void {
    this.#netlink?.close();
    this.#netlink = undefined;
  }

  async #nft(texts: readonly string[]): Promise<void> {
    await runIn('nft', ['-f', '-'], { netns: this.#options.netns, input: texts.join('\n') });
  }
}

function elementCount({ deleted, added }: RulesetChange): number {
  return [...deleted.values(), ...added.values()].reduce((sum, { length }) => sum + length, 0);
}
