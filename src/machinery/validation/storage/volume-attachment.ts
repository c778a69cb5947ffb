/** Validation of VolumeAttachments. */
import type {
  VolumeAttachment,
  VolumeAttachmentSource,
  VolumeAttachmentStatus,
  VolumeError,
} from '../../../api/generated/storage-v1.ts';
import {
  type FieldError,
  forbiddenField,
  invalidValue,
  path,
  type Path,
  required,
  tooLong,
} from '../../errors/index.ts';
import {
  dns1123Subdomain,
  IMMUTABLE_MESSAGE,
  nameIsDnsSubdomain,
  rangeMessage,
  utf8Longer,
} from '../../names/index.ts';
import { validatePersistentVolumeSpec } from '../core/volume/persistent-volume.ts';
import { validateCsiDriverName } from '../core/volume/volume-sources-csi.ts';
import { semanticEqual } from '../equality.ts';
import { goStruct } from '../go-struct.ts';
import type { KindValidation } from '../kind-validation.ts';
import { metadata, metadataAgain } from '../metadata-checks.ts';
import { bytesOf } from './parameters.ts';

const SPEC = path('spec');
const STATUS = path('status');
const META_RULES = { namespaced: false, name: nameIsDnsSubdomain } as const;
const MAX_METADATA_BYTES = 256 * 1024;
const MAX_MESSAGE_BYTES = 1024;
const EXACTLY_ONE = 'must specify exactly one of inlineVolumeSpec and persistentVolumeName';

export const volumeAttachment: KindValidation<VolumeAttachment> = {
  create: [
    metadata(META_RULES),
    (errors, object) => validateAttachment(errors, object),
    (errors, object) => validateNewAttachment(errors, object),
  ],
  update: [
    metadataAgain(META_RULES),
    (errors, object) => validateAttachment(errors, object),
    (errors, object, old) => {
      if (semanticEqual(object.spec, old.spec)) return;
      errors.push(
        invalidValue(SPEC, goStruct('io.k8s.api.storage.v1.VolumeAttachmentSpec', object.spec), IMMUTABLE_MESSAGE),
      );
    },
  ],
};

function validateAttachment(errors: FieldError[], { spec, status }: VolumeAttachment): void {
  validateCsiDriverName(errors, spec?.attacher ?? '', SPEC.child('attacher'));
  validateSource(errors, spec?.source ?? {}, SPEC.child('source'));
  const nodeName = spec?.nodeName ?? '';
  for (const message of dns1123Subdomain(nodeName))
    errors.push(invalidValue(SPEC.child('nodeName'), nodeName, message));
  if (status) validateStatus(errors, status);
}

/** A rule of v1, which applies only on create. */
function validateNewAttachment(errors: FieldError[], { spec }: VolumeAttachment): void {
  const name = spec?.source?.persistentVolumeName;
  if (name == null) return;
  for (const message of dns1123Subdomain(name))
    errors.push(invalidValue(path('spec.source.persistentVolumeName'), name, message));
}

function validateSource(
  errors: FieldError[],
  { inlineVolumeSpec, persistentVolumeName: name }: VolumeAttachmentSource,
  at: Path,
): void {
  if (inlineVolumeSpec == null && name == null) errors.push(required(at, EXACTLY_ONE));
  else if (inlineVolumeSpec != null && name != null) errors.push(forbiddenField(at, EXACTLY_ONE));
  else if (name != null) {
    if (name === '')
      errors.push(required(at.child('persistentVolumeName'), 'must specify non empty persistentVolumeName'));
  } else if (inlineVolumeSpec) {
    validatePersistentVolumeSpec(errors, inlineVolumeSpec, at.child('inlineVolumeSpec'), { name: '', inline: true });
  }
}

function validateStatus(
  errors: FieldError[],
  { attachmentMetadata, attachError, detachError }: VolumeAttachmentStatus,
): void {
  if (bytesOf(Object.entries(attachmentMetadata ?? {})) > MAX_METADATA_BYTES) {
    errors.push(tooLong(STATUS.child('attachmentMetadata'), MAX_METADATA_BYTES));
  }
  if (attachError) validateVolumeError(errors, attachError, STATUS.child('attachError'));
  if (detachError) validateVolumeError(errors, detachError, STATUS.child('detachError'));
}

function validateVolumeError(errors: FieldError[], { message = '', errorCode }: VolumeError, at: Path): void {
  // As upstream, the message names the limit of another field.
  if (utf8Longer(message, MAX_MESSAGE_BYTES)) errors.push(tooLong(at.child('message'), MAX_METADATA_BYTES));
  if (errorCode != null && errorCode < 0)
    errors.push(invalidValue(at.child('errorCode'), errorCode, rangeMessage(0, 2 ** 31 - 1)));
}
