/** Namespaces: their finalizers and conditions have rules of their own; the rest is metadata. */
import type { Namespace } from '../../../api/generated/core-v1.ts';
import { path, type FieldError } from '../field-error.ts';
import type { KindValidation } from '../kind-validation.ts';
import { nameIsDnsLabel } from '../names.ts';
import { validateFinalizerName, validateObjectMeta, validateObjectMetaUpdate } from '../object-meta.ts';

const FINALIZERS = path('spec', 'finalizers');

function metadata(errors: FieldError[], object: Namespace): void {
  validateObjectMeta(errors, object.metadata ?? {}, { namespaced: false, name: nameIsDnsLabel });
}

function metadataUpdate(errors: FieldError[], object: Namespace, old: Namespace): void {
  validateObjectMetaUpdate(errors, object.metadata ?? {}, old.metadata ?? {});
}

function finalizers(errors: FieldError[], object: Namespace): void {
  for (const finalizer of object.spec?.finalizers ?? []) validateFinalizerName(errors, finalizer, FINALIZERS);
}

export const namespace: KindValidation<Namespace> = {
  create: [metadata, finalizers],
  update: [metadataUpdate],
};
