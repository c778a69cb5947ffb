/**
 * Pods as the controllers of workloads handle them: which go first when there are too many, how they are made from a
 * template, found by their owner, adopted and released.
 */
export { comparePodsForDeletion, type RankedPod } from './deletion-order.ts';
export { PodControl, type CreatePodOptions } from './pod-control.ts';
export { podsByOwner, type PodsByOwner } from './pods-by-owner.ts';
export { safeHash, templateHash } from './template-hash.ts';
