/** The steps of a connection that the kernels of its nodes decide: what their rules really do with its first packet. */
import type { Pod } from '../../api/generated/core-v1.ts';
import { familyOf } from '../../component-helpers/index.ts';
import type { ConnectionStep } from '../answers.ts';
import type { NodeRules } from '../kernel-rules/ruleset.ts';
import { KernelRules, type Destination } from '../kernel-rules/walk-packet.ts';

/** undefined for a node whose kernel cannot be looked into: a simulated one, or one of another machine. */
export type ReadNodeRules = (node: string) => Promise<NodeRules | undefined>;

interface KernelStepsOptions {
  readonly read: ReadNodeRules | undefined;
  readonly source: Pod;
  /** `TCP` */
  readonly protocol: string;
}

const MAX_SHOWN = 10;

export class KernelSteps {
  readonly #options: KernelStepsOptions;
  readonly #known = new Map<string, Promise<KernelRules | undefined>>();

  constructor(options: KernelStepsOptions) {
    this.#options = options;
  }

  get #node(): string {
    return this.#options.source.spec?.nodeName ?? '';
  }

  #packet(to: Destination, isTranslated: boolean): Parameters<KernelRules['walk']>[1] {
    const { source, protocol } = this.#options;
    return {
      family: familyOf(to.address),
      source: source.status?.podIP ?? '',
      destination: to.address,
      port: to.port,
      protocol: protocol.toLowerCase(),
      isTranslated,
    };
  }

  /** Whether the source's node translates a Service's address to the endpoints that it should. */
  async translation(service: Destination, wanted: readonly Destination[]): Promise<ConnectionStep | undefined> {
    const rules = await this.#rulesOf(this.#node);
    if (!rules) return undefined;
    const packet = this.#packet(service, false);
    const { passes, endedBy, destinations } = rules.walk('prerouting', packet);
    const title = textOf(service);
    const step = 'Kernel rules';
    const remedy = `see that kube-proxy runs on node ${this.#node}, and what it logs: it writes these rules`;
    if (destinations.length === 0) {
      const ends = passes ? rules.walk('forward', packet).endedBy : endedBy;
      return {
        step,
        passes: false,
        message: passes
          ? `the kernel of node ${this.#node} has no rule that translates ${title}, so connections to it fail`
          : `the kernel of node ${this.#node} drops packets to ${title} before they are translated`,
        evidence: ends.slice(0, MAX_SHOWN).map((end) => `ended by ${end}`),
        remedy: passes ? remedy : REMOVE_RULE,
      };
    }
    const has = destinations.map(textOf);
    const lacks = wanted.map(textOf).filter((one) => !has.includes(one));
    const stale = has.filter((one) => !wanted.some((endpoint) => textOf(endpoint) === one));
    const isCurrent = lacks.length === 0 && stale.length === 0;
    return {
      step,
      // Some endpoints of several are enough for some connections.
      ...(isCurrent ? { passes: true } : stale.length === has.length ? { passes: false } : {}),
      message: isCurrent
        ? `the kernel of node ${this.#node} translates ${title} to these endpoints`
        : `the kernel of node ${this.#node} translates ${title} to ${has.slice(0, MAX_SHOWN).join(', ')}: these are not the endpoints of now`,
      ...(isCurrent
        ? {}
        : {
            evidence: [
              ...lacks.map((one) => `${one} is missing`),
              ...stale.map((one) => `${one} is not an endpoint any more`),
            ].slice(0, MAX_SHOWN),
            remedy,
          }),
    };
  }

  /** Whether the rules of the nodes between source and destination let the packet pass. */
  async path(to: Destination, pod: Pod | undefined, isTranslated: boolean): Promise<ConnectionStep[]> {
    const last = pod?.spec?.nodeName;
    const steps: ConnectionStep[] = [];
    for (const node of new Set([this.#node, ...(last === undefined ? [] : [last])])) {
      const rules = await this.#rulesOf(node);
      if (!rules) continue;
      const isLocal = node === last && pod?.spec?.hostNetwork === true;
      steps.push(
        this.#passing(rules, { node, to, hook: isLocal ? 'input' : 'forward', isLast: node === last, isTranslated }),
      );
    }
    return steps;
  }

  #passing(
    rules: KernelRules,
    {
      node,
      to,
      hook,
      isLast,
      isTranslated,
    }: {
      readonly node: string;
      readonly to: Destination;
      readonly hook: 'input' | 'forward';
      /** The destination is on this node. */
      readonly isLast: boolean;
      readonly isTranslated: boolean;
    },
  ): ConnectionStep {
    const packet = {
      ...this.#packet(to, isTranslated),
      ...(node === this.#node ? {} : { inputInterface: rules.uplink }),
      ...(isLast ? {} : { outputInterface: rules.uplink }),
    };
    // On the source's node a Service's packet has met the chains before routing under its old address.
    const isBefore = isTranslated && node === this.#node;
    const outcomes = [...(isBefore ? [] : [rules.walk('prerouting', packet)]), rules.walk(hook, packet)];
    const ending = outcomes.find(({ passes }) => !passes);
    const perhaps = outcomes.flatMap(({ endedBy }) => endedBy).slice(0, MAX_SHOWN);
    const step = `Kernel of ${node}`;
    if (ending)
      return {
        step,
        passes: false,
        message: `the rules of node ${node} end packets to ${textOf(to)}: ${ending.endedBy.at(-1) ?? ''}`,
        remedy: REMOVE_RULE,
      };
    return {
      step,
      passes: true,
      message: `the rules of node ${node} let packets to ${textOf(to)} pass`,
      ...(perhaps.length > 0
        ? { evidence: perhaps.map((end) => `unless a mark or an interface makes this rule match: ${end}`) }
        : {}),
    };
  }

  async #rulesOf(node: string): Promise<KernelRules | undefined> {
    const known = this.#known.get(node) ?? this.#read(node);
    this.#known.set(node, known);
    return known;
  }

  async #read(node: string): Promise<KernelRules | undefined> {
    const read = node === '' ? undefined : await this.#options.read?.(node);
    return read && new KernelRules(read);
  }
}

const REMOVE_RULE =
  'find out who wrote that rule ("nft list ruleset" in the network of the node shows it), and remove it if it is not meant';

const textOf = ({ address, port }: Destination): string =>
  address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
