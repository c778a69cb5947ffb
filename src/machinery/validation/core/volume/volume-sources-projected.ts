/** Validates projected volumes. */
import type {
  ClusterTrustBundleProjection,
  ConfigMapProjection,
  PodCertificateProjection,
  ProjectedVolumeSource,
  ServiceAccountTokenProjection,
  VolumeProjection,
} from '../../../../api/generated/core-v1.ts';
import {
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupported,
  type Path,
  required,
} from '../../../errors/index.ts';
import { goStruct } from '../../go-struct.ts';
import { validateLabelSelector } from '../../label-selector.ts';
import { clusterTrustBundleName, validateSignerName } from '../../signer-name.ts';
import type { PodRules } from '../pod/pod-rules.ts';
import { validateLocalNonReservedPath } from './file-paths.ts';
import { validateDownwardApiFile, validateFileMode, validateKeyToPath } from './volume-sources-local.ts';

export function validateProjectedVolume(
  errors: FieldError[],
  { defaultMode, sources }: ProjectedVolumeSource,
  at: Path,
  rules: PodRules,
): void {
  validateFileMode(errors, defaultMode, at.child('defaultMode'));
  const paths: PathsOfVolume = { seen: new Set(), volume: at };
  for (const [i, source] of (sources ?? []).entries())
    validateSource(errors, source, at.child('sources').index(i), { paths, rules });
}

interface PathsOfVolume {
  readonly seen: Set<string>;
  /** The path that conflicts are reported at. */
  readonly volume: Path;
}

function addPath(errors: FieldError[], path: string, { seen, volume }: PathsOfVolume, shown: string): void {
  if (seen.has(path)) errors.push(invalidValue(volume, shown, 'conflicting duplicate paths'));
  seen.add(path);
}

function validateSource(
  errors: FieldError[],
  source: VolumeProjection,
  at: Path,
  { paths, rules }: { paths: PathsOfVolume; rules: PodRules },
): void {
  const { secret, configMap, downwardAPI, serviceAccountToken, clusterTrustBundle, podCertificate } = source;
  if (secret) validateItems(errors, secret, at.child('secret'), paths);
  if (configMap) validateItems(errors, configMap, at.child('configMap'), paths);
  if (downwardAPI) {
    for (const file of downwardAPI.items ?? []) {
      validateDownwardApiFile(errors, file, at.child('downwardAPI'));
      if (file.path) addPath(errors, file.path, paths, file.path);
    }
  }
  if (serviceAccountToken)
    validateToken(errors, serviceAccountToken, at.child('serviceAccountToken'), { paths, rules });
  if (clusterTrustBundle) validateTrustBundle(errors, clusterTrustBundle, at.child('clusterTrustBundle'), paths);
  if (podCertificate) validatePodCertificate(errors, podCertificate, at.child('podCertificate'), paths);
  const given = [secret, configMap, downwardAPI, serviceAccountToken, clusterTrustBundle, podCertificate].filter(
    Boolean,
  ).length;
  if (given > 1) errors.push(forbiddenField(at, 'may not specify more than 1 volume type per source'));
}

function validateItems(
  errors: FieldError[],
  { name = '', items = [] }: ConfigMapProjection,
  at: Path,
  paths: PathsOfVolume,
): void {
  if (name === '') errors.push(required(at.child('name')));
  for (const [i, item] of items.entries()) {
    validateKeyToPath(errors, item, at.child('items').index(i));
    if (item.path) addPath(errors, item.path, paths, name);
  }
}

const TOKEN_MIN_SECONDS = 10 * 60;
const TOKEN_MAX_SECONDS = 2 ** 32;

function validateToken(
  errors: FieldError[],
  { expirationSeconds = 0, path = '' }: ServiceAccountTokenProjection,
  at: Path,
  { paths, rules }: { paths: PathsOfVolume; rules: PodRules },
): void {
  if (expirationSeconds < TOKEN_MIN_SECONDS) {
    errors.push(
      invalidValue(at.child('expirationSeconds'), expirationSeconds, 'may not specify a duration less than 10 minutes'),
    );
  }
  if (expirationSeconds > TOKEN_MAX_SECONDS) {
    errors.push(
      invalidValue(
        at.child('expirationSeconds'),
        expirationSeconds,
        'may not specify a duration larger than 2^32 seconds',
      ),
    );
  }
  if (path === '') errors.push(required(paths.volume.child('path')));
  else if (!rules.allowNonLocalProjectedTokenPath)
    validateLocalNonReservedPath(errors, path, paths.volume.child('path'));
}

function validateTrustBundle(
  errors: FieldError[],
  bundle: ClusterTrustBundleProjection,
  at: Path,
  paths: PathsOfVolume,
): void {
  const { name, signerName, labelSelector, path = '' } = bundle;
  if (name !== undefined && signerName !== undefined) {
    errors.push(
      invalidValue(
        at,
        goStruct('io.k8s.api.core.v1.ClusterTrustBundleProjection', bundle),
        'only one of name and signerName may be used',
      ),
    );
  } else if (name !== undefined) {
    if (name === '') errors.push(required(at.child('name'), 'must be a valid object name'));
    const colon = name.lastIndexOf(':');
    const signer = colon < 0 ? '' : name.slice(0, colon).replaceAll(':', '/');
    for (const message of clusterTrustBundleName(name, signer)) {
      errors.push(invalidValue(at.child('name'), name, `not a valid clustertrustbundlename: ${message}`));
    }
    if (labelSelector)
      errors.push(
        invalidValue(at.child('labelSelector'), labelSelector, 'labelSelector must be unset if name is specified'),
      );
  } else if (signerName !== undefined) {
    if (signerName === '') errors.push(required(at.child('signerName'), 'must be a valid signer name'));
    validateSignerName(errors, signerName, at.child('signerName'));
    validateLabelSelector(errors, labelSelector, at.child('labelSelector'));
  } else errors.push(required(at, 'either name or signerName must be specified'));
  if (path === '') errors.push(required(at.child('path')));
  validateLocalNonReservedPath(errors, path, at.child('path'));
  addPath(errors, path, paths, path);
}

const KEY_TYPES = ['ECDSAP256', 'ECDSAP384', 'ECDSAP521', 'ED25519', 'RSA3072', 'RSA4096'];
const CERTIFICATE_MIN_SECONDS = 60 * 60;
const CERTIFICATE_MAX_SECONDS = 91 * 24 * 60 * 60;
const KUBERNETES_CERTIFICATE_MAX_SECONDS = 24 * 60 * 60;

function validatePodCertificate(
  errors: FieldError[],
  certificate: PodCertificateProjection,
  at: Path,
  paths: PathsOfVolume,
): void {
  const { signerName = '', keyType = '', maxExpirationSeconds: seconds } = certificate;
  validateSignerName(errors, signerName, at.child('signerName'));
  if (!KEY_TYPES.includes(keyType)) errors.push(notSupported(at.child('keyType'), keyType, KEY_TYPES));
  if (seconds !== undefined) {
    const here = at.child('maxExpirationSeconds');
    const max = signerName.startsWith('kubernetes.io/') ? KUBERNETES_CERTIFICATE_MAX_SECONDS : CERTIFICATE_MAX_SECONDS;
    if (seconds < CERTIFICATE_MIN_SECONDS) {
      errors.push(
        invalidValue(here, seconds, `if provided, maxExpirationSeconds must be >= ${CERTIFICATE_MIN_SECONDS}`),
      );
    }
    if (seconds > max) errors.push(invalidValue(here, seconds, `if provided, maxExpirationSeconds must be <= ${max}`));
  }
  const files = (['credentialBundlePath', 'keyPath', 'certificateChainPath'] as const).filter(
    (name) => certificate[name],
  );
  for (const name of files) {
    validateLocalNonReservedPath(errors, certificate[name]!, at.child(name));
    addPath(errors, certificate[name]!, paths, certificate[name]!);
  }
  if (files.length === 0)
    errors.push(required(at, 'specify at least one of credentialBundlePath, keyPath, and certificateChainPath'));
}
