/** The metadata checks in the lists of the kinds. */
import type { ObjectMeta } from '../../api/generated/meta-v1.ts';
import type { CreateCheck, UpdateCheck } from './kind-validation.ts';
import {
  validateAnyObjectMetaUpdate,
  validateObjectMeta,
  validateObjectMetaUpdate,
  type ObjectMetaRules,
} from './object-meta.ts';

interface WithMetadata {
  readonly metadata?: ObjectMeta;
}

const NO_METADATA: ObjectMeta = {};

export const metadata =
  (rules: ObjectMetaRules): CreateCheck<WithMetadata> =>
  (errors, object) =>
    validateObjectMeta(errors, object.metadata ?? NO_METADATA, rules);

export const metadataUpdate: UpdateCheck<WithMetadata> = (errors, object, old) =>
  validateObjectMetaUpdate(errors, object.metadata ?? NO_METADATA, old.metadata ?? NO_METADATA);

/** For kinds whose finalizers need not be qualified. */
export const anyMetadataUpdate: UpdateCheck<WithMetadata> = (errors, object, old) =>
  validateAnyObjectMetaUpdate(errors, object.metadata ?? NO_METADATA, old.metadata ?? NO_METADATA);

/** Whether an update changes what the generation counts; only such updates are warned of it again. */
export function isNewGeneration(object: WithMetadata, old: WithMetadata | undefined): boolean {
  return !old || object.metadata?.generation !== old.metadata?.generation;
}

/** For kinds that also check the name on update. */
export const metadataAgain =
  (rules: ObjectMetaRules): UpdateCheck<WithMetadata> =>
  (errors, object) =>
    validateObjectMeta(errors, object.metadata ?? NO_METADATA, rules);
