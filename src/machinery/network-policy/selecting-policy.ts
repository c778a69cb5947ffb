/** A NetworkPolicy by direction: the pods that it isolates, and its rules. */
import type { NetworkPolicy, NetworkPolicyPeer, NetworkPolicyPort } from '../../api/generated/networking-v1.ts';
import { labelSelectorAsSelector, type LabelSelectorMatcher } from '../selectors/index.ts';

export type Direction = 'ingress' | 'egress';

export interface DirectedRule {
  /** `namespace/name` */
  readonly policy: string;
  readonly namespace: string;
  readonly peers: readonly NetworkPolicyPeer[] | undefined;
  readonly ports: readonly NetworkPolicyPort[] | undefined;
}

export interface SelectingPolicy {
  readonly namespace: string;
  readonly name: string;
  readonly selector: LabelSelectorMatcher;
  /** undefined in a direction that the policy does not isolate. */
  readonly rules: Readonly<Record<Direction, readonly DirectedRule[] | undefined>>;
}

/** Without policyTypes, a policy applies to ingress, and to egress if it has egress rules. */
export function selectingPolicy({ metadata, spec }: NetworkPolicy): SelectingPolicy {
  const [namespace, name] = [metadata.namespace!, metadata.name!];
  const types = spec?.policyTypes?.length ? spec.policyTypes : ['Ingress', ...(spec?.egress?.length ? ['Egress'] : [])];
  const policy = `${namespace}/${name}`;
  return {
    namespace,
    name,
    selector: labelSelectorAsSelector(spec?.podSelector ?? {}),
    rules: {
      ingress: types.includes('Ingress')
        ? (spec?.ingress ?? []).map(({ from, ports }) => ({ policy, namespace, peers: from, ports }))
        : undefined,
      egress: types.includes('Egress')
        ? (spec?.egress ?? []).map(({ to, ports }) => ({ policy, namespace, peers: to, ports }))
        : undefined,
    },
  };
}
