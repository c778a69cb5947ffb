/**
 * Server-side apply: who owns which field of an object, and what an applied configuration makes of it. Everything
 * goes by the schema's types (which lists and maps merge, by which keys), so custom resources work like built-in ones.
 * `updateManagedFields` is called on every create, update and patch, `applyPatch` on apply.
 */
export { applyPatch, type ApplyRequest, type ApplyResult } from './apply-patch.ts';
export { extractApplied, type Extraction } from './extract.ts';
export type { FieldSet } from './field-set.ts';
export { LAST_APPLIED_ANNOTATION } from './last-applied.ts';
export { decodeManagedFields, managedFieldsOfCreator, managedFieldsText } from './managed-fields.ts';
export type { ResetFields } from './reset-fields.ts';
export { managedFieldsOfParent, managedFieldsOfScale, type ReplicasPaths, type ScaleOwnership } from './scale.ts';
export { keepUnchangedTimes } from './unchanged.ts';
export { fieldSetText } from './shared-sets.ts';
export { updateManagedFields, type ManagedFieldsUpdate } from './update-managed-fields.ts';
export type { OtherVersion, OtherVersions } from './versions.ts';
export { type ApplyType, compileMessage } from './apply-type.ts';
export { mergeTyped } from './merge-typed.ts';
export { typedErrorText } from './typed-errors.ts';
