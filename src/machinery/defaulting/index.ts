/**
 * What an object has when its author says nothing. Defaults that hold wherever a message stands are declared with the field
 * in `src/api`; those that depend on other fields or on the kind are functions here, one file a group, found through
 * `registry.ts` by the message they belong to. Upstream makes some changes while it converts between versions
 * (`stringData` into `data`, the two names of a ServiceAccount): these are here too.
 */
export { applyDefaults, defaultMessage, type DefaultingContext } from './apply-defaults.ts';
export { pullPolicyOf } from './image-pull-policy.ts';
export { inDeclaredOrder } from './declared-order.ts';
export { defaultPodLevelResources } from './core-pod-resources.ts';
