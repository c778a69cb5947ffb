/** What NetworkPolicies mean: which pods one isolates, in which direction, and which connections its rules allow. */
export { peerSelects, portSelects, type PolicyPeer } from './peers.ts';
export { selectingPolicy, type Direction, type DirectedRule, type SelectingPolicy } from './selecting-policy.ts';
export { policyVerdict, type PolicyVerdict } from './verdict.ts';
