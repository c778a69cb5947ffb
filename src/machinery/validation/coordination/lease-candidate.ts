/** Validation of LeaseCandidates: the lease, the versions of the program, and the strategy. */
import type { LeaseCandidate, LeaseCandidateSpec } from '../../../api/generated/coordination-v1beta1.ts';
import { type FieldError, invalidValue, path, required } from '../../errors/index.ts';
import { configMapKey } from '../../names/index.ts';
import type { KindValidation } from '../kind-validation.ts';
import { anyMetadataUpdate, metadata } from '../metadata-checks.ts';
import { validateImmutable } from '../object-meta.ts';
import { compareSemanticVersions, parseSemanticVersion } from './semantic-version.ts';
import { validateStrategy } from './strategy.ts';

const SPEC = path('spec');

export const leaseCandidate: KindValidation<LeaseCandidate> = {
  create: [
    metadata({ namespaced: true, name: configMapKey, unqualifiedFinalizers: true }),
    (errors, { spec }) => validateSpec(errors, spec ?? {}),
  ],
  update: [
    anyMetadataUpdate,
    (errors, { spec }) => validateSpec(errors, spec ?? {}),
    (errors, object, old) =>
      validateImmutable(errors, object.spec?.leaseName ?? '', old.spec?.leaseName ?? '', SPEC.child('leaseName')),
  ],
};

function validateSpec(errors: FieldError[], spec: Partial<LeaseCandidateSpec>): void {
  const { leaseName, binaryVersion = '', emulationVersion = '', strategy = '' } = spec;
  if (!leaseName) errors.push(required(SPEC.child('leaseName')));
  const emulated = emulationVersion === '' ? undefined : parseVersion(errors, emulationVersion, 'emulationVersion');
  if (binaryVersion === '') errors.push(required(SPEC.child('binaryVersion')));
  const binary = binaryVersion === '' ? undefined : parseVersion(errors, binaryVersion, 'binaryVersion');
  // A version that does not parse counts as 0.0.0.
  const [own, asked] = [binary ?? ZERO, emulated ?? ZERO];
  if (binaryVersion !== '' && emulationVersion !== '' && compareSemanticVersions(own, asked) < 0) {
    const detail = 'must be greater than or equal to `emulationVersion`';
    errors.push(invalidValue(SPEC.child('binaryVersion'), binaryVersion, detail));
  }
  if (strategy === '') {
    errors.push(required(SPEC.child('strategy')));
    return;
  }
  if (strategy === 'OldestEmulationVersion' && compareSemanticVersions(asked, ZERO) === 0) {
    const detail = "must be specified when `strategy` is 'OldestEmulationVersion'";
    errors.push(required(SPEC.child('emulationVersion'), detail));
  }
  validateStrategy(errors, strategy, SPEC.child('strategy'));
}

const ZERO = parseSemanticVersion('0.0.0')!;

function parseVersion(errors: FieldError[], text: string, name: string): ReturnType<typeof parseSemanticVersion> {
  const version = parseSemanticVersion(text);
  if (!version) errors.push(invalidValue(SPEC.child(name), text, 'must be a valid semantic version'));
  return version;
}
