import type { Ingress } from '../../../api/generated/networking-v1.ts';
import type { ObjectOf, Strategy } from '../strategy.ts';
import { specChanges } from './spec-generation.ts';

/** Validation distinguishes an empty list of rules from none; both are stored as none. */
export const ingresses: Strategy<ObjectOf<Ingress>> = {
  generationChanges: (object, old) => specChanges(withoutEmptyRules(object), old),
  tracked: withoutEmptyRules,
  canonicalize(object) {
    if (object.spec?.rules?.length === 0) delete object.spec.rules;
  },
};

function withoutEmptyRules(object: ObjectOf<Ingress>): ObjectOf<Ingress> {
  if (object.spec?.rules?.length !== 0) return object;
  const { rules: _, ...spec } = object.spec;
  return { ...object, spec };
}
