/**
 * Server-side apply: who owns which field of an object, and what an applied configuration makes of it. Everything
 * goes by the schema's types (which lists and maps merge, by which keys), so custom resources work like built-in ones.
 * `updateManagedFields` is called on every create, update and patch, `applyPatch` on apply.
 */
export { updateManagedFields, type ManagedFieldsUpdate } from './update-managed-fields.ts';
export type { ResetFields } from './reset-fields.ts';
export type { OtherVersion, OtherVersions } from './versions.ts';
export type { FieldSet } from './field-set.ts';
