/** What NetworkPolicies mean: which pods one isolates, in which direction, and which connections its rules allow. */
export { peerSelects, portSelects } from './peers.ts';
export { selectingPolicy, type Direction, type DirectedRule, type SelectingPolicy } from './selecting-policy.ts';
export { policyVerdict } from './verdict.ts';
