/**
 * Patches: JSON patch, JSON merge patch and strategic merge patch. `patchObject` decodes a request body and applies it to the
 * live object. Nothing here changes its arguments; results share unchanged parts and are not in canonical form yet.
 */
export type { PatchBody } from './decode-patch.ts';
export { applyJsonPatch } from './json-patch.ts';
export { patchObject, type PatchRequest, patchSteps } from './patch-object.ts';
export { withinDepth } from './within-depth.ts';
export { restoredIntegers, restoreError } from './restore-error.ts';
