/** Validates the environment of containers: env, valueFrom and envFrom. */
import type {
  ConfigMapKeySelector,
  EnvFromSource,
  EnvVar,
  FileKeySelector,
  ObjectFieldSelector,
  ResourceFieldSelector,
  Volume,
} from '../../../../api/generated/core-v1.ts';
import {
  type FieldError,
  invalidValue,
  notFoundValue,
  notSupported,
  type Path,
  required,
} from '../../../errors/index.ts';
import {
  configMapKey,
  dns1123Label,
  nameIsDnsSubdomain,
  qualifiedName,
  relaxedEnvVarName,
} from '../../../names/index.ts';
import { quantityOf } from '../../quantities.ts';
import { validateNoBacksteps } from '../volume/file-paths.ts';

export function validateEnv(errors: FieldError[], env: readonly EnvVar[], at: Path): void {
  for (let i = 0; i < env.length; i++) {
    const variable = env[i]!;
    if (!variable.name) errors.push(required(at.index(i).child('name')));
    else
      for (const message of relaxedEnvVarName(variable.name))
        errors.push(invalidValue(at.index(i).child('name'), variable.name, message));
    if (variable.valueFrom) validateValueFrom(errors, variable, at.index(i).child('valueFrom'));
  }
}

function validateValueFrom(errors: FieldError[], variable: EnvVar, at: Path): void {
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef } = variable.valueFrom!;
  if (fieldRef) validateFieldRef(errors, fieldRef, at.child('fieldRef'), ENV_FIELDS);
  if (resourceFieldRef)
    validateResourceFieldRef(errors, resourceFieldRef, at.child('resourceFieldRef'), { inVolume: false });
  if (configMapKeyRef) validateKeySelector(errors, configMapKeyRef, at.child('configMapKeyRef'));
  if (secretKeyRef) validateKeySelector(errors, secretKeyRef, at.child('secretKeyRef'));
  if (fileKeyRef) validateFileKeyRef(errors, fileKeyRef, at.child('fileKeyRef'));
  const sources = [fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef].filter(
    (source) => source !== undefined,
  ).length;
  if (sources === 0) {
    const message =
      'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`';
    errors.push(invalidValue(at, '', message));
  } else if (variable.value) errors.push(invalidValue(at, '', 'may not be specified when `value` is not empty'));
  else if (sources > 1) errors.push(invalidValue(at, '', 'may not have more than one field specified at a time'));
}

/** Fields of a pod in the downward API: all of them, those for env, and those for volumes. */
const POD_FIELDS = new Set([
  'metadata.annotations',
  'metadata.labels',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.restartPolicy',
  'spec.serviceAccountName',
  'spec.schedulerName',
  'status.phase',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
]);
const ENV_FIELDS = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
];
export const VOLUME_FIELDS = [
  'metadata.annotations',
  'metadata.labels',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
];

export function validateFieldRef(
  errors: FieldError[],
  reference: ObjectFieldSelector,
  at: Path,
  supported: readonly string[],
): void {
  const { apiVersion = '', fieldPath = '' } = reference;
  if (apiVersion === '') {
    errors.push(required(at.child('apiVersion')));
    return;
  }
  if (fieldPath === '') {
    errors.push(required(at.child('fieldPath')));
    return;
  }
  const subscripted = splitSubscript(fieldPath);
  const problem = conversionProblem(apiVersion, fieldPath, subscripted?.path);
  if (problem) {
    errors.push(invalidValue(at.child('fieldPath'), fieldPath, `error converting fieldPath: ${problem}`));
  } else if (subscripted) {
    const key = subscripted.path === 'metadata.annotations' ? subscripted.key.toLowerCase() : subscripted.key;
    for (const message of qualifiedName(key)) errors.push(invalidValue(at, key, message));
  } else if (!supported.includes(canonicalField(fieldPath))) {
    errors.push(notSupported(at.child('fieldPath'), canonicalField(fieldPath), supported));
  }
}

/** `metadata.labels['app']`: the path before the first bracket, and the key. */
function splitSubscript(fieldPath: string): { path: string; key: string } | undefined {
  const open = fieldPath.indexOf("['");
  if (open <= 0 || !fieldPath.endsWith("']") || fieldPath.length < open + "['']".length) return undefined;
  return { path: fieldPath.slice(0, open), key: fieldPath.slice(open + "['".length, -"']".length) };
}

/** `spec.host` is the old name of `spec.nodeName`. */
const canonicalField = (fieldPath: string): string => (fieldPath === 'spec.host' ? 'spec.nodeName' : fieldPath);

function conversionProblem(
  apiVersion: string,
  fieldPath: string,
  subscriptedPath: string | undefined,
): string | undefined {
  if (apiVersion !== 'v1') return `unsupported pod version: ${apiVersion}`;
  if (subscriptedPath !== undefined) {
    if (subscriptedPath === 'metadata.annotations' || subscriptedPath === 'metadata.labels') return undefined;
    return `field label does not support subscript: ${fieldPath}`;
  }
  return POD_FIELDS.has(canonicalField(fieldPath)) ? undefined : `field label not supported: ${fieldPath}`;
}

const RESOURCE_FIELDS = [
  'limits.cpu',
  'limits.ephemeral-storage',
  'limits.memory',
  'requests.cpu',
  'requests.ephemeral-storage',
  'requests.memory',
];
const HUGE_PAGE_FIELD = /^(requests|limits)\.hugepages-/;

export function validateResourceFieldRef(
  errors: FieldError[],
  reference: ResourceFieldSelector,
  at: Path,
  { inVolume }: { inVolume: boolean },
): void {
  const { containerName = '', resource = '' } = reference;
  if (inVolume && containerName === '') errors.push(required(at.child('containerName')));
  else if (resource === '') errors.push(required(at.child('resource')));
  else if (!RESOURCE_FIELDS.includes(resource) && !HUGE_PAGE_FIELD.test(resource)) {
    errors.push(notSupported(at.child('resource'), resource, RESOURCE_FIELDS));
  }
  validateDivisor(errors, reference, at.child('divisor'));
}

const SIZE_DIVISORS = ['1', '1k', '1M', '1G', '1T', '1P', '1E', '1Ki', '1Mi', '1Gi', '1Ti', '1Pi', '1Ei'];

function validateDivisor(
  errors: FieldError[],
  { resource = '', divisor = '0' }: ResourceFieldSelector,
  at: Path,
): void {
  const text = quantityOf(divisor).toString();
  if (text === '0') return;
  if (resource.endsWith('.cpu')) {
    if (text === '1m' || text === '1') return;
    errors.push(invalidValue(at, resource, "only divisor's values 1m and 1 are supported with the cpu resource"));
    return;
  }
  if (SIZE_DIVISORS.includes(text)) return;
  const name = resource.endsWith('.memory')
    ? 'memory'
    : resource.endsWith('.ephemeral-storage')
      ? 'local ephemeral storage'
      : HUGE_PAGE_FIELD.test(resource)
        ? 'hugepages'
        : undefined;
  if (name)
    errors.push(
      invalidValue(
        at,
        resource,
        `only divisor's values ${SIZE_DIVISORS.join(', ')} are supported with the ${name} resource`,
      ),
    );
}

function validateKeySelector(errors: FieldError[], { name = '', key = '' }: ConfigMapKeySelector, at: Path): void {
  for (const message of nameIsDnsSubdomain(name)) errors.push(invalidValue(at.child('name'), name, message));
  if (key === '') errors.push(required(at.child('key')));
  else for (const message of configMapKey(key)) errors.push(invalidValue(at.child('key'), key, message));
}

function validateFileKeyRef(errors: FieldError[], reference: FileKeySelector, at: Path): void {
  const { key = '', volumeName = '', path = '' } = reference;
  if (key === '') errors.push(required(at.child('key')));
  for (const message of key === '' ? [] : relaxedEnvVarName(key))
    errors.push(invalidValue(at.child('key'), key, message));
  if (volumeName === '') errors.push(required(at.child('volumeName')));
  for (const message of volumeName === '' ? [] : dns1123Label(volumeName))
    errors.push(invalidValue(at.child('volumeName'), volumeName, message));
  if (path === '') errors.push(required(at.child('path')));
  else validateNoBacksteps(errors, path, at.child('path'));
}

/** fileKeyRef must refer to an emptyDir volume. */
export function validateFileKeyVolumes(
  errors: FieldError[],
  env: readonly EnvVar[],
  at: Path,
  volumes: ReadonlyMap<string, Volume>,
): void {
  for (const [i, { valueFrom }] of env.entries()) {
    if (!valueFrom?.fileKeyRef) continue;
    const { volumeName = '' } = valueFrom.fileKeyRef;
    const here = at.index(i).child('valueFrom', 'fileKeyRef', 'volumeName');
    const volume = volumes.get(volumeName);
    if (!volume) errors.push(notFoundValue(here, volumeName));
    else if (!volume.emptyDir)
      errors.push(invalidValue(here, volumeName, 'referenced volume must be of type emptyDir'));
  }
}

export function validateEnvFrom(errors: FieldError[], sources: readonly EnvFromSource[], at: Path): void {
  for (const [i, { prefix, configMapRef, secretRef }] of sources.entries()) {
    const here = at.index(i);
    if (prefix)
      for (const message of relaxedEnvVarName(prefix)) errors.push(invalidValue(here.child('prefix'), prefix, message));
    if (configMapRef) validateEnvSourceName(errors, configMapRef.name, here.child('configMapRef', 'name'));
    if (secretRef) validateEnvSourceName(errors, secretRef.name, here.child('secretRef', 'name'));
    if (!configMapRef && !secretRef)
      errors.push(invalidValue(at, '', 'must specify one of: `configMapRef` or `secretRef`'));
    else if (configMapRef && secretRef)
      errors.push(invalidValue(at, '', 'may not have more than one field specified at a time'));
  }
}

function validateEnvSourceName(errors: FieldError[], name: string | undefined, at: Path): void {
  if (!name) errors.push(required(at));
  else for (const message of nameIsDnsSubdomain(name, true)) errors.push(invalidValue(at, name, message));
}
