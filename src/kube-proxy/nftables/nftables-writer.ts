/** Rules through `nft`: one process, one transaction a change. */
import { runIn } from '../../kernel/netns/index.ts';
import type { Plans, RuleWriter } from '../rule-writer.ts';
import type { BaseTableOptions } from './base-table.ts';
import { NftablesRuleset } from './ruleset.ts';

export interface NftablesOptions {
  /** The node's network namespace; undefined is the process's own. */
  readonly netns: string | undefined;
  readonly families: readonly BaseTableOptions[];
}

export class NftablesWriter implements RuleWriter {
  readonly #rulesets: readonly NftablesRuleset[];

  constructor(private readonly options: NftablesOptions) {
    this.#rulesets = options.families.map((family) => new NftablesRuleset(family));
  }

  replaceAll(plans: Plans): Promise<void> {
    return this.#apply(this.#rulesets.map((ruleset) => ruleset.replaceAll(plans)));
  }

  update(changed: Plans): Promise<void> {
    return this.#apply(this.#rulesets.map((ruleset) => ruleset.update(changed)));
  }

  removeAll(): Promise<void> {
    return this.#apply(this.#rulesets.map(({ table }) => `add table ${table}\ndelete table ${table}`));
  }

  async #apply(texts: readonly string[]): Promise<void> {
    const input = texts.filter((text) => text !== '').join('\n');
    if (input !== '') await runIn('nft', ['-f', '-'], { netns: this.options.netns, input });
  }
}

