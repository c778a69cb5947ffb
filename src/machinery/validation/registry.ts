/**
 * Every kind's validation, by `group/plural`; by `group/version/plural` where a group's versions are different
 * things to check.
 */
import { groupBodies, groupValidations } from './group-validations.ts';
import type { KindValidation } from './kind-validation.ts';
import { namespace } from './core/namespace.ts';

export const validations: Readonly<Record<string, KindValidation>> = {
  '/namespaces': namespace,
  ...groupValidations,
};

/** Bodies that are posted to a subresource and are objects of a kind of their own. */
export const bodyValidations: Readonly<Record<string, KindValidation>> = {
  ...groupBodies,
};
