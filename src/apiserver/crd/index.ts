/**
 * CustomResourceDefinitions and custom resources. `crd-manager.ts` is the controller of definitions; `serve-definition.ts`
 * builds the served resource of each version from a decoder (`custom-decode.ts`), pruning and defaulting
 * (`prune-and-default.ts`), apply types (`custom-type.ts`), validation (`custom-validation.ts`), and conversion
 * (`version-views.ts`, `conversion-webhook.ts`). Outside this folder a custom kind is served like any other, except for a
 * few messages that upstream words differently.
 */
export { CrdManager } from './crd-manager.ts';
export { readCustomScale, replicasSteps, requireReplicas, writeCustomReplicas } from './custom-scale.ts';
export { customSubresourceVerb, customVerb, isCustomPath } from './route-custom.ts';
