/**
 * Pods of workload controllers: creation from a template, adoption and release, lookup by owner, and the order of
 * deletion.
 */
export { comparePodsForDeletion } from './deletion-order.ts';
export { PodControl, type CreatePodOptions } from './pod-control.ts';
export { podsByOwner, type PodsByOwner } from './pods-by-owner.ts';
export { revisionHash, templateHash } from './template-hash.ts';
