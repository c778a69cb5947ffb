/**
 * Server-side apply and managedFields: which manager owns which field of an object, and what an applied configuration makes
 * of it. The schema's types decide (which lists and maps merge, by which keys), so custom resources work like built-in ones.
 * The API server calls `applyPatch` on apply and `updateManagedFields` on every other write.
 */
export { applyPatch, checkKind } from './apply-patch.ts';
export { type ApplyType, compileMessage } from './apply-type.ts';
export type { FieldSet } from './field-set.ts';
export { ignoreManagedFieldsTimestamps } from './ignore-timestamps.ts';
export { fieldSetText, rememberFieldSetText } from './interned-field-sets.ts';
export { managedFieldsOfCreator, managedFieldsSteps, managedFieldsText } from './managed-fields.ts';
export { mergeTyped } from './merge-typed.ts';
export type { ResetFields } from './reset-fields.ts';
export { managedFieldsOfParent, managedFieldsOfScale, type ReplicasPaths } from './scale.ts';
export { typedErrorText } from './typed-errors.ts';
export { updateManagedFields } from './update-managed-fields.ts';
export type { OtherVersions } from './versions.ts';
