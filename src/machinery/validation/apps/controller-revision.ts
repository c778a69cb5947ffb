/** Validation of ControllerRevisions. */
import type { ControllerRevision } from '../../../api/generated/apps-v1.ts';
import { isRecord } from '../../../base/index.ts';
import { type FieldError, path, required } from '../../errors/index.ts';
import { nameIsDnsSubdomain } from '../../names/index.ts';
import type { KindValidation } from '../kind-validation.ts';
import { metadataUpdate } from '../metadata-checks.ts';
import { validateImmutable, validateNonnegative, validateObjectMeta } from '../object-meta.ts';

const META_RULES = { namespaced: true, name: nameIsDnsSubdomain } as const;
const DATA = path('data');

export const controllerRevision: KindValidation<ControllerRevision> = {
  create: [(errors, object) => validateRevision(errors, object), (errors, object) => validateData(errors, object)],
  update: [
    metadataUpdate,
    (errors, object) => validateRevision(errors, object),
    (errors, object, old) => validateImmutable(errors, object.data, old.data, DATA),
  ],
};

function validateRevision(errors: FieldError[], object: ControllerRevision): void {
  validateObjectMeta(errors, object.metadata, META_RULES);
  validateNonnegative(errors, object.revision, path('revision'));
}

/** Data cannot change, so an update has nothing more to check. */
function validateData(errors: FieldError[], { data }: ControllerRevision): void {
  if (data === undefined || data === null) errors.push(required(DATA, 'data is mandatory'));
  else if (!isRecord(data)) errors.push(required(DATA, 'data must be a valid JSON object'));
}
