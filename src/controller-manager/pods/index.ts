/**
 * Pods as the controllers of workloads see them: which of them count, which are ready and available, which go first when
 * there are too many, how they are made from a template, found by their owner, adopted and released.
 */
export { isActive, isAvailable, isReady, isTerminal, isTerminating, availableInMs, podCondition, readyCondition } from './pod-state.ts';
export { comparePodsForDeletion, type RankedPod } from './deletion-order.ts';
export { PodControl, type CreatePodOptions } from './pod-control.ts';
export { podsByOwner, type PodsByOwner } from './pods-by-owner.ts';
export { safeHash, templateHash } from './template-hash.ts';
export { matchesNode, matchesSelector } from './node-affinity.ts';
export { tolerates, untolerated } from './tolerations.ts';
