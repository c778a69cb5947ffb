import type { NetworkPolicySpec } from '../../api/generated/networking-v1.ts';

/** A policy that names no types is about ingress, and about egress if it has such rules. */
export function defaultNetworkPolicySpec({ policyTypes, egress }: NetworkPolicySpec): Partial<NetworkPolicySpec> {
  if (policyTypes) return {};
  return { policyTypes: egress ? ['Ingress', 'Egress'] : ['Ingress'] };
}
