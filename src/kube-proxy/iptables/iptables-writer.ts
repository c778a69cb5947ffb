import type { Family } from '../../component-helpers/index.ts';
/**
 * Writes proxy rules with iptables-restore: the chains of changed Services, and the shared chains that jump to
 * Services.
 */
import { CommandFailed, runIn, spawnIn } from '../../net/netns/index.ts';
import type { Plans, RuleWriter } from '../rule-writer.ts';
import { FILTER_CHAINS, JUMPS, NAT_CHAINS, SERVICE_CHAIN } from './chains.ts';
import { serviceRules, type IptablesSettings, type ServiceRules } from './service-rules.ts';

interface IptablesFamily extends IptablesSettings {
  readonly family: Family;
  readonly masqueradeBit: number;
}

interface IptablesOptions {
  readonly netns: string | undefined;
  readonly families: readonly IptablesFamily[];
}

export class IptablesWriter implements RuleWriter {
  readonly #families: readonly FamilyRules[];

  readonly #options: IptablesOptions;

  constructor(options: IptablesOptions) {
    this.#options = options;
    this.#families = options.families.map((family) => new FamilyRules(family));
  }

  async replaceAll(plans: Plans): Promise<void> {
    for (const family of this.#families) {
      const present = await this.#serviceChains(family.command);
      await this.#restore(family, family.replaceAll(plans, present));
      await this.#ensureJumps(family.command);
    }
  }

  async update(changed: Plans): Promise<void> {
    for (const family of this.#families) await this.#restore(family, family.update(changed));
  }

  async removeAll(): Promise<void> {
    const { netns } = this.#options;
    for (const { command } of this.#families) {
      for (const { table, from, rule } of JUMPS)
        await spawnIn(command, ['-w', '5', '-t', table, '-D', from, ...rule], { netns });
      const chains = [...NAT_CHAINS, ...(await this.#serviceChains(command))];
      const lines = [...removal('nat', chains), ...removal('filter', FILTER_CHAINS)];
      await runIn(`${command}-restore`, ['-w', '5', '--noflush'], { netns, input: `${lines.join('\n')}\n` });
    }
  }

  close(): void {
    // Every change runs iptables-restore; nothing stays open.
  }

  async #restore({ command }: FamilyRules, lines: readonly string[]): Promise<void> {
    await runIn(`${command}-restore`, ['-w', '5', '--noflush', '--counters'], {
      netns: this.#options.netns,
      input: `${lines.join('\n')}\n`,
    });
  }

  /** Checks for each jump first, so that none is inserted twice. */
  async #ensureJumps(command: string): Promise<void> {
    const { netns } = this.#options;
    for (const { table, from, rule } of JUMPS) {
      const check = await spawnIn(command, ['-w', '5', '-t', table, '-C', from, ...rule], { netns });
      if (check.exitCode !== 0) await runIn(command, ['-w', '5', '-t', table, '-I', from, ...rule], { netns });
    }
  }

  async #serviceChains(command: string): Promise<string[]> {
    const { exitCode, stdout, stderr } = await spawnIn(`${command}-save`, ['-t', 'nat'], {
      netns: this.#options.netns,
    });
    if (exitCode !== 0) throw new CommandFailed(`${command}-save -t nat`, { exitCode, stdout, stderr });
    return stdout
      .split('\n')
      .flatMap((line) => (line.startsWith(':') ? [line.slice(1).split(' ')[0]!] : []))
      .filter((name) => SERVICE_CHAIN.test(name));
  }
}

class FamilyRules {
  readonly command: 'iptables' | 'ip6tables';
  readonly #rules = new Map<string, readonly ServiceRules[]>();

  readonly #settings: IptablesFamily;

  constructor(settings: IptablesFamily) {
    this.#settings = settings;
    this.command = settings.family === 'IPv4' ? 'iptables' : 'ip6tables';
  }

  replaceAll(plans: Plans, present: readonly string[]): string[] {
    this.#rules.clear();
    for (const [service] of plans) this.#derive(service, plans);
    const chains = new Map([...this.#rules.values()].flatMap((rules) => rules.flatMap((each) => [...each.chains])));
    return this.#transaction(
      chains,
      present.filter((name) => !chains.has(name)),
    );
  }

  update(changed: Plans): string[] {
    const before = new Set<string>();
    const after = new Map<string, readonly string[]>();
    for (const [service] of changed) {
      for (const rules of this.#rules.get(service) ?? []) for (const name of rules.chains.keys()) before.add(name);
      for (const rules of this.#derive(service, changed))
        for (const [name, lines] of rules.chains) after.set(name, lines);
    }
    return this.#transaction(
      after,
      [...before].filter((name) => !after.has(name)),
    );
  }

  #derive(service: string, plans: Plans): readonly ServiceRules[] {
    const rules = (plans.get(service) ?? [])
      .filter(({ family }) => family === this.#settings.family)
      .map((plan) => serviceRules(plan, this.#settings));
    if (rules.length > 0) this.#rules.set(service, rules);
    else this.#rules.delete(service);
    return rules;
  }

  /** The input of iptables-restore. Declaring a chain (`:NAME`) flushes it. */
  #transaction(chains: ReadonlyMap<string, readonly string[]>, deleted: readonly string[]): string[] {
    const all = [...this.#rules.values()].flat();
    const { nodePortAddresses, masqueradeBit } = this.#settings;
    const mark = `0x${(1 << masqueradeBit).toString(16)}`;
    const nodePortMatches =
      nodePortAddresses.length === 0
        ? ['-m addrtype --dst-type LOCAL']
        : nodePortAddresses.map((address) => `-d ${address}`);
    return [
      '*filter',
      ...FILTER_CHAINS.map((name) => `:${name} - [0:0]`),
      ...all.flatMap((rules) => [...rules.filterServices, ...rules.filterExternal, ...rules.firewall]),
      // An answer that conntrack does not know would reach the client with the endpoint's address, and be reset.
      '-A KUBE-FORWARD -m conntrack --ctstate INVALID -j DROP',
      `-A KUBE-FORWARD -m comment --comment "kubernetes forwarding rules" -m mark --mark ${mark}/${mark} -j ACCEPT`,
      '-A KUBE-FORWARD -m comment --comment "kubernetes forwarding conntrack rule" -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT',
      'COMMIT',
      '*nat',
      ...NAT_CHAINS.map((name) => `:${name} - [0:0]`),
      ...[...chains.keys(), ...deleted].map((name) => `:${name} - [0:0]`),
      `-A KUBE-POSTROUTING -m mark ! --mark ${mark}/${mark} -j RETURN`,
      `-A KUBE-POSTROUTING -j MARK --xor-mark ${mark}`,
      '-A KUBE-POSTROUTING -m comment --comment "kubernetes service traffic requiring SNAT" -j MASQUERADE --random-fully',
      `-A KUBE-MARK-MASQ -j MARK --or-mark ${mark}`,
      ...all.flatMap((rules) => rules.services),
      ...all.flatMap((rules) => rules.nodePorts),
      ...[...chains.values()].flat(),
      ...nodePortMatches.map(
        (match) =>
          `-A KUBE-SERVICES -m comment --comment "kubernetes service nodeports; NOTE: this must be the last rule in this chain" ${match} -j KUBE-NODEPORTS`,
      ),
      ...deleted.map((name) => `-X ${name}`),
      'COMMIT',
    ];
  }
}

const removal = (table: string, chains: readonly string[]): string[] => [
  `*${table}`,
  ...chains.map((name) => `:${name} - [0:0]`),
  ...chains.map((name) => `-X ${name}`),
  'COMMIT',
];
