/** Validation of ResourceClaims, ResourceClaimTemplates and DeviceClasses. */
import type {
  DeviceClass,
  DeviceClassSpec,
  ResourceClaim,
  ResourceClaimSpec,
  ResourceClaimTemplate,
  ResourceClaimTemplateSpec,
} from '../../../api/generated/resource-v1.ts';
import { type FieldError, invalidValue, path, type Path } from '../../errors/index.ts';
import { IMMUTABLE_MESSAGE, nameIsDnsSubdomain } from '../../names/index.ts';
import type { CelCompiler } from '../cel-compiler.ts';
import { isExtendedResource } from '../core/resource-names.ts';
import { semanticEqual } from '../equality.ts';
import { goStruct } from '../go-struct.ts';
import type { KindValidation } from '../kind-validation.ts';
import { metadata, metadataAgain, metadataUpdate } from '../metadata-checks.ts';
import { validateTemplateObjectMeta } from '../object-meta.ts';
import { validateBoundedList } from './bounded.ts';
import { validateClaimStatus } from './claim-status.ts';
import { MAX_CONFIG, validateDeviceClaim, validateDeviceConfiguration, validateSelectors } from './device-claim.ts';

const SPEC = path('spec');
const NAMESPACED = { namespaced: true, name: nameIsDnsSubdomain } as const;
const CLUSTER = { namespaced: false, name: nameIsDnsSubdomain } as const;

export const resourceClaim: KindValidation<ResourceClaim> = {
  create: [metadata(NAMESPACED), (errors, object, { cel }) => validateClaimSpec(errors, object.spec, SPEC, cel)],
  update: [
    metadataAgain(NAMESPACED),
    metadataUpdate,
    (errors, object, old) => validateUnchanged(errors, [object.spec, old.spec], 'ResourceClaimSpec'),
  ],
  status: [metadataUpdate, validateClaimStatus],
};

export const resourceClaimTemplate: KindValidation<ResourceClaimTemplate> = {
  create: [metadata(NAMESPACED), (errors, object, { cel }) => validateTemplateSpec(errors, object.spec, cel)],
  update: [
    metadataAgain(NAMESPACED),
    (errors, object, _old, { cel }) => validateTemplateSpec(errors, object.spec, cel),
    metadataUpdate,
    (errors, object, old) => validateUnchanged(errors, [object.spec, old.spec], 'ResourceClaimTemplateSpec'),
  ],
};

/** Declarative validation checks no more than the name. */
const DEVICE_CLASS_METADATA = { ...CLUSTER, uncheckedGenerateName: true } as const;

export const deviceClass: KindValidation<DeviceClass> = {
  create: [metadata(DEVICE_CLASS_METADATA), (errors, object, { cel }) => validateClassSpec(errors, object.spec, cel)],
  update: [
    metadataAgain(DEVICE_CLASS_METADATA),
    metadataUpdate,
    (errors, object, _old, { cel }) => validateClassSpec(errors, object.spec, cel),
  ],
};

function validateClaimSpec(
  errors: FieldError[],
  spec: ResourceClaimSpec | undefined,
  at: Path,
  cel: CelCompiler | undefined,
): void {
  validateDeviceClaim(errors, spec?.devices ?? {}, at.child('devices'), cel);
}

function validateUnchanged(errors: FieldError[], [spec, old]: readonly [unknown, unknown], type: string): void {
  if (semanticEqual(spec, old)) return;
  errors.push(invalidValue(SPEC, goStruct(`io.k8s.api.resource.v1.${type}`, spec), IMMUTABLE_MESSAGE));
}

function validateTemplateSpec(
  errors: FieldError[],
  spec: ResourceClaimTemplateSpec | undefined,
  cel: CelCompiler | undefined,
): void {
  validateTemplateObjectMeta(errors, spec?.metadata ?? {}, SPEC.child('metadata'));
  validateClaimSpec(errors, spec?.spec, SPEC.child('spec'), cel);
}

function validateClassSpec(
  errors: FieldError[],
  spec: DeviceClassSpec | undefined,
  cel: CelCompiler | undefined,
): void {
  validateSelectors(errors, spec?.selectors, SPEC.child('selectors'), cel);
  validateBoundedList(errors, spec?.config, SPEC.child('config'), {
    max: MAX_CONFIG,
    item: (found, config, at) => validateDeviceConfiguration(found, config.opaque, at.child('opaque')),
  });
  const extended = spec?.extendedResourceName;
  if (extended != null && !isExtendedResource(extended)) {
    errors.push(invalidValue(SPEC.child('extendedResourceName'), extended, 'must be a valid extended resource name'));
  }
}
