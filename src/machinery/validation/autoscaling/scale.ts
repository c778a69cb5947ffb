/** Validation of Scales, the bodies of the scale subresource. */
import type { Scale } from '../../../api/generated/autoscaling-v1.ts';
import { path } from '../../errors/index.ts';
import { nameIsDnsSubdomain } from '../../names/index.ts';
import type { KindValidation } from '../kind-validation.ts';
import { metadata } from '../metadata-checks.ts';
import { validateNonnegative } from '../object-meta.ts';

export const scale: KindValidation<Scale> = {
  create: [
    metadata({ namespaced: true, name: nameIsDnsSubdomain }),
    (errors, object) => validateNonnegative(errors, object.spec?.replicas, path('spec', 'replicas')),
  ],
  update: [],
};
