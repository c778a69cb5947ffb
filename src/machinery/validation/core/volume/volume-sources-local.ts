/** Validates hostPath, local, gitRepo, secret, configMap and downwardAPI volumes. */
import type {
  ConfigMapVolumeSource,
  DownwardAPIVolumeFile,
  DownwardAPIVolumeSource,
  GitRepoVolumeSource,
  HostPathVolumeSource,
  KeyToPath,
  LocalVolumeSource,
  SecretVolumeSource,
} from '../../../../api/generated/core-v1.ts';
import { type FieldError, invalidValue, notSupported, type Path, required } from '../../../errors/index.ts';
import { validateFieldRef, validateResourceFieldRef, VOLUME_FIELDS } from '../pod/container-env.ts';
import { validateLocalDescendingPath, validateLocalNonReservedPath, validateNoBacksteps } from './file-paths.ts';

const HOST_PATH_TYPES = [
  '',
  'BlockDevice',
  'CharDevice',
  'Directory',
  'DirectoryOrCreate',
  'File',
  'FileOrCreate',
  'Socket',
];

export function validateHostPath(errors: FieldError[], { path = '', type }: HostPathVolumeSource, at: Path): void {
  if (path === '') {
    errors.push(required(at.child('path')));
    return;
  }
  validateNoBacksteps(errors, path, at.child('path'));
  if (type !== undefined && !HOST_PATH_TYPES.includes(type))
    errors.push(notSupported(at.child('type'), type, HOST_PATH_TYPES));
}

export function validateLocalVolume(errors: FieldError[], { path = '' }: LocalVolumeSource, at: Path): void {
  if (path === '') errors.push(required(at.child('path')));
  else validateNoBacksteps(errors, path, at.child('path'));
}

export function validateGitRepo(
  errors: FieldError[],
  { repository, directory = '' }: GitRepoVolumeSource,
  at: Path,
): void {
  if (!repository) errors.push(required(at.child('repository')));
  validateLocalDescendingPath(errors, directory, at.child('directory'));
}

export function validateSecretVolume(
  errors: FieldError[],
  { secretName, defaultMode, items = [] }: SecretVolumeSource,
  at: Path,
): void {
  if (!secretName) errors.push(required(at.child('secretName')));
  validateFileMode(errors, defaultMode, at.child('defaultMode'));
  for (let i = 0; i < items.length; i++) validateKeyToPath(errors, items[i]!, at.child('items').index(i));
}

export function validateConfigMapVolume(
  errors: FieldError[],
  { name, defaultMode, items = [] }: ConfigMapVolumeSource,
  at: Path,
): void {
  if (!name) errors.push(required(at.child('name')));
  validateFileMode(errors, defaultMode, at.child('defaultMode'));
  for (let i = 0; i < items.length; i++) validateKeyToPath(errors, items[i]!, at.child('items').index(i));
}

export function validateKeyToPath(errors: FieldError[], { key, path = '', mode }: KeyToPath, at: Path): void {
  if (!key) errors.push(required(at.child('key')));
  if (path === '') errors.push(required(at.child('path')));
  validateLocalNonReservedPath(errors, path, at.child('path'));
  validateFileMode(errors, mode, at.child('mode'));
}

export function validateFileMode(errors: FieldError[], mode: number | undefined, at: Path): void {
  if (mode !== undefined && (mode < 0 || mode > 0o777)) {
    errors.push(invalidValue(at, mode, 'must be a number between 0 and 0777 (octal), both inclusive'));
  }
}

export function validateDownwardApiVolume(
  errors: FieldError[],
  { defaultMode, items = [] }: DownwardAPIVolumeSource,
  at: Path,
): void {
  validateFileMode(errors, defaultMode, at.child('defaultMode'));
  for (const file of items) validateDownwardApiFile(errors, file, at);
}

/** As upstream, the error has the path of the volume, not of the file. */
export function validateDownwardApiFile(errors: FieldError[], file: DownwardAPIVolumeFile, at: Path): void {
  const { path = '', fieldRef, resourceFieldRef } = file;
  if (path === '') errors.push(required(at.child('path')));
  validateLocalNonReservedPath(errors, path, at.child('path'));
  if (fieldRef) {
    validateFieldRef(errors, fieldRef, at.child('fieldRef'), VOLUME_FIELDS);
    if (resourceFieldRef)
      errors.push(invalidValue(at, 'resource', 'fieldRef and resourceFieldRef can not be specified simultaneously'));
  } else if (resourceFieldRef)
    validateResourceFieldRef(errors, resourceFieldRef, at.child('resourceFieldRef'), { inVolume: true });
  else errors.push(required(at, 'one of fieldRef and resourceFieldRef is required'));
  validateFileMode(errors, file.mode, at.child('mode'));
}
