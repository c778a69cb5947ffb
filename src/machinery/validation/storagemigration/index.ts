/** Validation of the storagemigration.k8s.io group: StorageVersionMigrations. */
import type { StorageVersionMigration } from '../../../api/generated/storagemigration-v1beta1.ts';
import { type FieldError, invalidValue, path, required } from '../../errors/index.ts';
import { dns1035Label, dns1123Subdomain, IMMUTABLE_MESSAGE, nameIsDnsSubdomain } from '../../names/index.ts';
import { semanticEqual } from '../equality.ts';
import { goStruct } from '../go-struct.ts';
import type { KindValidation } from '../kind-validation.ts';
import { metadata, metadataAgain, metadataUpdate } from '../metadata-checks.ts';
import { validateConditions } from '../object-meta.ts';

const SPEC = path('spec');
const RESOURCE = SPEC.child('resource');
const STATUS = path('status');
const CONDITIONS = STATUS.child('conditions');
const META_RULES = { namespaced: false, name: nameIsDnsSubdomain } as const;
/** A positive number without leading zeros, of 64 bits at most. */
const RESOURCE_VERSION = /^[1-9]\d{0,38}$/;

const storageVersionMigration: KindValidation<StorageVersionMigration> = {
  create: [metadata(META_RULES), validateResource],
  update: [metadataAgain(META_RULES), validateResource, metadataUpdate, validateSpecUnchanged],
  status: [metadataUpdate, validateStatus],
};

function validateResource(errors: FieldError[], { spec }: StorageVersionMigration): void {
  const { group = '', resource = '' } = spec?.resource ?? {};
  if (resource === '') errors.push(required(RESOURCE.child('resource'), 'resource is required to be set'));
  else {
    const messages = dns1035Label(resource);
    if (messages.length > 0) errors.push(invalidValue(RESOURCE.child('resource'), resource, messages.join(',')));
  }
  const messages = group === '' ? [] : dns1123Subdomain(group);
  if (messages.length > 0) errors.push(invalidValue(RESOURCE.child('group'), group, messages.join(',')));
}

function validateSpecUnchanged(
  errors: FieldError[],
  { spec }: StorageVersionMigration,
  old: StorageVersionMigration,
): void {
  if (semanticEqual(spec, old.spec)) return;
  const shown = goStruct('io.k8s.api.storagemigration.v1beta1.StorageVersionMigrationSpec', spec);
  errors.push(invalidValue(SPEC, shown, IMMUTABLE_MESSAGE));
}

const isTrue = ({ status }: StorageVersionMigration, type: string): boolean =>
  status?.conditions?.find((condition) => condition.type === type)?.status === 'True';

function validateStatus(errors: FieldError[], object: StorageVersionMigration, old: StorageVersionMigration): void {
  const { resourceVersion = '', conditions = [] } = object.status ?? {};
  const at = STATUS.child('resourceVersion');
  if (resourceVersion !== '' && !RESOURCE_VERSION.test(resourceVersion))
    errors.push(invalidValue(at, resourceVersion, `resource version is not well formed: ${resourceVersion}`));
  validateConditions(errors, conditions, CONDITIONS);
  const before = old.status?.resourceVersion ?? '';
  if (before !== '' && before !== resourceVersion) errors.push(invalidValue(at, resourceVersion, IMMUTABLE_MESSAGE));
  const [succeeded, failed] = [isTrue(object, 'Succeeded'), isTrue(object, 'Failed')];
  const refuse = (detail: string) => errors.push(invalidValue(CONDITIONS, conditions, detail));
  if (succeeded && failed) refuse('Both success and failed conditions cannot be true at the same time');
  if (isTrue(old, 'Succeeded') && !succeeded) refuse('Success condition cannot be set to false once it is true');
  if (isTrue(old, 'Failed') && !failed) refuse('Failed condition cannot be set to false once it is true');
}

export const storagemigrationValidations: Readonly<Record<string, KindValidation>> = {
  'storagemigration.k8s.io/storageversionmigrations': storageVersionMigration,
};
