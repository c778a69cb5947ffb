/** Validates CSI, ephemeral and image volumes. */
import type {
  CSIPersistentVolumeSource,
  CSIVolumeSource,
  EphemeralVolumeSource,
  ImageVolumeSource,
  SecretReference,
} from '../../../../api/generated/core-v1.ts';
import { type FieldError, invalidValue, notSupported, type Path, required, tooLong } from '../../../errors/index.ts';
import { dns1123Label, dns1123Subdomain, nameIsDnsSubdomain, utf8Longer } from '../../../names/index.ts';
import { validatePersistentVolumeClaimTemplate } from './claim-spec.ts';

const PULL_POLICIES = ['Always', 'IfNotPresent', 'Never'];

export function validatePullPolicy(errors: FieldError[], policy: string | undefined, at: Path): void {
  if (!policy) errors.push(required(at));
  else if (!PULL_POLICIES.includes(policy)) errors.push(notSupported(at, policy, PULL_POLICIES));
}

export function validateCsiDriverName(errors: FieldError[], name: string, at: Path): void {
  if (name === '') {
    errors.push(required(at));
    return;
  }
  if (utf8Longer(name, 63)) errors.push(tooLong(at, 63));
  for (const message of dns1123Subdomain(name.toLowerCase())) errors.push(invalidValue(at, name, message));
}

export function validateCsiVolume(
  errors: FieldError[],
  { driver = '', nodePublishSecretRef }: CSIVolumeSource,
  at: Path,
): void {
  validateCsiDriverName(errors, driver, at.child('driver'));
  if (!nodePublishSecretRef) return;
  const { name = '' } = nodePublishSecretRef;
  if (name === '') errors.push(required(at.child('nodePublishSecretRef', 'name')));
  else for (const message of nameIsDnsSubdomain(name)) errors.push(invalidValue(at.child('name'), name, message));
}

const SECRET_REFERENCES = [
  'controllerPublishSecretRef',
  'controllerExpandSecretRef',
  'nodePublishSecretRef',
  'nodeExpandSecretRef',
] as const;

export function validateCsiPersistentVolume(errors: FieldError[], source: CSIPersistentVolumeSource, at: Path): void {
  validateCsiDriverName(errors, source.driver ?? '', at.child('driver'));
  if (!source.volumeHandle) errors.push(required(at.child('volumeHandle')));
  for (const name of SECRET_REFERENCES) {
    const reference = source[name];
    if (reference) validateSecretReference(errors, reference, at.child(name));
  }
}

function validateSecretReference(errors: FieldError[], { name, namespace }: SecretReference, at: Path): void {
  if (!name) errors.push(required(at.child('name')));
  else for (const message of dns1123Subdomain(name)) errors.push(invalidValue(at.child('name'), name, message));
  if (!namespace) errors.push(required(at.child('namespace')));
  else
    for (const message of dns1123Label(namespace)) errors.push(invalidValue(at.child('namespace'), namespace, message));
}

export function validateEphemeralVolume(
  errors: FieldError[],
  { volumeClaimTemplate }: EphemeralVolumeSource,
  at: Path,
): void {
  if (!volumeClaimTemplate) errors.push(required(at.child('volumeClaimTemplate')));
  else validatePersistentVolumeClaimTemplate(errors, volumeClaimTemplate, at.child('volumeClaimTemplate'));
}

export function validateImageVolume(
  errors: FieldError[],
  { reference, pullPolicy }: ImageVolumeSource,
  at: Path,
  resourceIsPod: boolean,
): void {
  if (resourceIsPod && !reference) errors.push(required(at.child('reference')));
  validatePullPolicy(errors, pullPolicy, at.child('pullPolicy'));
}
