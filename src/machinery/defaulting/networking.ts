/** Defaults of NetworkPolicies. */
import type { NetworkPolicySpec } from '../../api/generated/networking-v1.ts';

/** policyTypes defaults to Ingress, with Egress if the policy has egress rules. */
export function defaultNetworkPolicySpec({ policyTypes, egress }: NetworkPolicySpec): Partial<NetworkPolicySpec> {
  if (policyTypes) return {};
  return { policyTypes: egress?.length ? ['Ingress', 'Egress'] : ['Ingress'] };
}
