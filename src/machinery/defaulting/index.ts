/**
 * Defaulting: the values of fields that the author of an object leaves out. Defaults that do not depend on other fields are
 * declared with the field in `src/api`. The others are functions here, one file per group, which `registry.ts` maps to their
 * messages. Changes that upstream makes during conversion (`stringData` to `data`, serviceAccount) are here too.
 */
export { applyDefaults } from './apply-defaults.ts';
export { defaultPodLevelResources } from './core-pod-resources.ts';
export { inDeclaredOrder } from './declared-order.ts';
export { pullPolicyOf } from './image-pull-policy.ts';
export type { DefaultingContext } from './message-defaults.ts';
