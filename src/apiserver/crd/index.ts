/**
 * Custom resources: from a CustomResourceDefinition to a kind that is served like any other. `crd-manager.ts` follows the
 * definitions; `serve-definition.ts` makes the served resource of each version: a decoder, pruner and defaulter
 * (`coerce.ts`), types for apply (`custom-type.ts`), validation (`custom-validation.ts`) and views of what is stored
 * (`stored-form.ts`). Nothing outside of this folder knows that a kind is custom, but for a few answers that upstream
 * words differently.
 */
export { CrdManager, CLEANUP_FINALIZER, type CrdManagerOptions } from './crd-manager.ts';
export { readCustomScale, replicasSteps, requireReplicas, writeCustomReplicas } from './custom-scale.ts';
export { customSubresourceVerb, customVerb, isCustomPath } from './route-custom.ts';
