/** Validation of Namespaces: finalizers and phase. */
import type { Namespace } from '../../../api/generated/core-v1.ts';
import { type FieldError, invalidValue, path, type Path } from '../../errors/index.ts';
import { nameIsDnsLabel } from '../../names/index.ts';
import type { KindValidation } from '../kind-validation.ts';
import { metadata, metadataAgain, metadataUpdate } from '../metadata-checks.ts';
import { validateFinalizerName, validateStandardFinalizer } from '../object-meta.ts';

const RULES = { namespaced: false, name: nameIsDnsLabel } as const;
const FINALIZERS = path('spec', 'finalizers');

function validateFinalizer(errors: FieldError[], finalizer: string, at: Path): void {
  validateFinalizerName(errors, finalizer, at);
  validateStandardFinalizer(errors, finalizer, at);
}

function finalizers(errors: FieldError[], object: Namespace): void {
  for (const finalizer of object.spec?.finalizers ?? []) validateFinalizer(errors, finalizer, FINALIZERS);
}

function finalizersUpdate(errors: FieldError[], object: Namespace): void {
  for (const [i, finalizer] of (object.spec?.finalizers ?? []).entries())
    validateFinalizer(errors, finalizer, FINALIZERS.index(i));
}

/** The phase is Terminating if and only if the namespace is being deleted. */
function phaseUpdate(errors: FieldError[], object: Namespace): void {
  const phase = object.status?.phase ?? '';
  const deleted = Boolean(object.metadata?.deletionTimestamp);
  const expected = deleted ? 'Terminating' : 'Active';
  if (phase === expected) return;
  const message = `may only be '${expected}' if \`deletionTimestamp\` is ${deleted ? 'not empty' : 'empty'}`;
  errors.push(invalidValue(path('status', 'Phase'), phase, message));
}

export const namespace: KindValidation<Namespace> = {
  create: [metadata(RULES), finalizers],
  // As upstream, an update validates the metadata twice.
  update: [metadataAgain(RULES), (errors, object) => finalizers(errors, object), metadataUpdate],
  status: [metadataUpdate, phaseUpdate],
  subresources: { finalize: [metadataUpdate, finalizersUpdate] },
};
