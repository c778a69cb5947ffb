/** Validates seccomp and AppArmor profiles, as fields and as deprecated annotations. */
import type { AppArmorProfile, PodSpec, SeccompProfile } from '../../../../api/generated/core-v1.ts';
import type { ObjectMeta } from '../../../../api/generated/meta-v1.ts';
import { ownValue, quote } from '../../../../base/index.ts';
import {
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupported,
  type Path,
  required,
  tooLong,
} from '../../../errors/index.ts';
import { utf8Longer } from '../../../names/index.ts';
import { goStruct } from '../../go-struct.ts';
import { validateLocalDescendingPath } from '../volume/file-paths.ts';
import { eachContainer } from './pod-containers.ts';

const PROFILE_TYPES = ['Localhost', 'RuntimeDefault', 'Unconfined'];
const LOCALHOST_PROFILE_MAX = 4095;

export const SECCOMP_POD_ANNOTATION = 'seccomp.security.alpha.kubernetes.io/pod';
export const SECCOMP_CONTAINER_ANNOTATION = 'container.seccomp.security.alpha.kubernetes.io/';
export const APP_ARMOR_ANNOTATION = 'container.apparmor.security.beta.kubernetes.io/';

export function validateSeccompProfile(errors: FieldError[], profile: SeccompProfile, at: Path): void {
  const { type = '', localhostProfile } = profile;
  if (type === '') errors.push(required(at.child('type'), 'type is required when seccompProfile is set'));
  else if (!PROFILE_TYPES.includes(type)) errors.push(notSupported(at.child('type'), type, PROFILE_TYPES));
  if (type === 'Localhost') {
    if (localhostProfile === undefined)
      errors.push(required(at.child('localhostProfile'), 'must be set when seccomp type is Localhost'));
    else validateLocalDescendingPath(errors, localhostProfile, at.child('localhostProfile'));
  } else if (localhostProfile !== undefined) {
    const shown = goStruct('io.k8s.api.core.v1.SeccompProfile', profile);
    errors.push(invalidValue(at.child('localhostProfile'), shown, 'can only be set when seccomp type is Localhost'));
  }
}

export function validateAppArmorProfile(
  errors: FieldError[],
  { type = '', localhostProfile: profile }: AppArmorProfile,
  at: Path,
): void {
  const here = at.child('localhostProfile');
  if (type === 'Localhost') {
    if (profile === undefined) {
      errors.push(required(here, 'must be set when AppArmor type is Localhost'));
      return;
    }
    if (profile.trim() !== profile) errors.push(invalidValue(here, profile, 'must not be padded with whitespace'));
    else if (profile === '') errors.push(required(here, 'must be set when AppArmor type is Localhost'));
    if (utf8Longer(profile, LOCALHOST_PROFILE_MAX)) errors.push(tooLong(here, LOCALHOST_PROFILE_MAX));
  } else if (type === 'RuntimeDefault' || type === 'Unconfined') {
    if (profile !== undefined)
      errors.push(invalidValue(here, profile, 'can only be set when AppArmor type is Localhost'));
  } else if (type === '') errors.push(required(at.child('type'), 'type is required when appArmorProfile is set'));
  else errors.push(notSupported(at.child('type'), type, PROFILE_TYPES));
}

export function validateSeccompAnnotations(
  errors: FieldError[],
  annotations: Readonly<Record<string, string>>,
  at: Path,
): void {
  for (const key in annotations) {
    if (key !== SECCOMP_POD_ANNOTATION && !key.startsWith(SECCOMP_CONTAINER_ANNOTATION)) continue;
    const profile = ownValue(annotations, key)!;
    if (profile === 'runtime/default' || profile === 'docker/default' || profile === 'unconfined') continue;
    if (profile.startsWith('localhost/'))
      validateLocalDescendingPath(errors, profile.slice('localhost/'.length), at.child(key));
    else errors.push(invalidValue(at.child(key), profile, 'must be a valid seccomp profile'));
  }
}

export function validateAppArmorAnnotations(
  errors: FieldError[],
  annotations: Readonly<Record<string, string>>,
  spec: PodSpec,
  at: Path,
): void {
  for (const key in annotations) {
    if (!key.startsWith(APP_ARMOR_ANNOTATION)) continue;
    const name = key.slice(APP_ARMOR_ANNOTATION.length);
    let found = false;
    eachContainer(spec, (container) => (found ||= container.name === name));
    if (!found) errors.push(invalidValue(at.key(key), name, 'container not found'));
    const profile = ownValue(annotations, key)!;
    if (
      profile !== '' &&
      profile !== 'runtime/default' &&
      profile !== 'unconfined' &&
      !profile.startsWith('localhost/')
    ) {
      errors.push(invalidValue(at.key(key), profile, `invalid AppArmor profile name: ${quote(profile)}`));
    }
  }
}

interface ProfileField {
  readonly type?: string;
  readonly localhostProfile?: string;
}

/** The annotation and the field must match if both are set. */
function validateMatch(
  errors: FieldError[],
  annotation: string,
  field: ProfileField,
  at: Path,
  word: 'seccomp' | 'apparmor',
): void {
  const runtimeDefaults = word === 'seccomp' ? ['runtime/default', 'docker/default'] : ['runtime/default'];
  const sameType =
    field.type === 'Unconfined'
      ? annotation === 'unconfined'
      : field.type === 'RuntimeDefault'
        ? runtimeDefaults.includes(annotation)
        : field.type !== 'Localhost' || annotation.startsWith('localhost/');
  if (!sameType) errors.push(forbiddenField(at.child('type'), `${word} type in annotation and field must match`));
  else if (field.type === 'Localhost' && annotation.slice('localhost/'.length) !== field.localhostProfile) {
    errors.push(forbiddenField(at.child('localhostProfile'), `${word} profile in annotation and field must match`));
  }
}

export function validateProfileAnnotationsMatch(
  errors: FieldError[],
  metadata: ObjectMeta,
  spec: PodSpec,
  at: Path,
): void {
  const { annotations } = metadata;
  if (!annotations) return;
  const pod = spec.securityContext;
  const podAnnotation = annotations[SECCOMP_POD_ANNOTATION];
  if (pod?.seccompProfile && podAnnotation !== undefined) {
    validateMatch(errors, podAnnotation, pod.seccompProfile, at.child('securityContext', 'seccompProfile'), 'seccomp');
  }
  eachContainer(spec, (container, where) => {
    const profile = container.securityContext?.seccompProfile;
    const annotation = ownValue(annotations, SECCOMP_CONTAINER_ANNOTATION + container.name);
    if (!profile || annotation === undefined) return;
    validateMatch(errors, annotation, profile, where(at).child('securityContext', 'seccompProfile'), 'seccomp');
  });
  if (spec.os?.name === 'windows') return;
  eachContainer(spec, (container, where) => {
    const profile = container.securityContext?.appArmorProfile ?? pod?.appArmorProfile;
    const annotation = ownValue(annotations, APP_ARMOR_ANNOTATION + container.name);
    if (!profile || annotation === undefined) return;
    validateMatch(errors, annotation, profile, where(at).child('securityContext', 'appArmorProfile'), 'apparmor');
  });
}
