/**
 * Patches: JSON patch, JSON merge patch and strategic merge patch, read from request bodies, applied to objects, and
 * made from the difference of two objects. Nothing here changes its arguments; results share what stayed the same. What
 * comes out is not canonical yet.
 */
export {
  createStrategicMergePatch,
  createThreeWayStrategicMergePatch,
  type ThreeWay,
} from './create-strategic-merge-patch.ts';
export {
  decodeJsonPatch,
  decodeMergePatch,
  decodeStrategicMergePatch,
  type DecodedPatch,
  type FieldValidation,
  type JsonPatchOperation,
  type PatchBody,
} from './decode-patch.ts';
export { applyJsonPatch } from './json-patch.ts';
export { applyMergePatch, createMergePatch } from './merge-patch.ts';
export { patchObject, patchSteps, type PatchedValue, type PatchRequest } from './patch-object.ts';
export { applyStrategicMergePatch } from './strategic-merge-patch.ts';
export { withinDepth } from './within-depth.ts';
