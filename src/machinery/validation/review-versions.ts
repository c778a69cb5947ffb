/** Validates which versions of a review (AdmissionReview, ConversionReview) a webhook accepts. */
import { type FieldError, invalidValue, type Path, required } from '../errors/index.ts';
import { dns1035Label } from '../names/index.ts';

/** The versions that the API server sends. */
export const REVIEW_VERSIONS = ['v1', 'v1beta1'];

export const hasKnownReviewVersion = (versions: readonly string[]): boolean =>
  versions.some((version) => REVIEW_VERSIONS.includes(version));

interface ReviewVersionRules {
  /** At least one of the versions must be known. */
  readonly knownReviewVersion: boolean;
  /** The detail of the error for an empty list. */
  readonly requiredDetail?: string;
}

export function validateReviewVersions(
  errors: FieldError[],
  versions: readonly string[],
  at: Path,
  { knownReviewVersion, requiredDetail }: ReviewVersionRules,
): void {
  if (versions.length === 0) {
    errors.push(required(at, requiredDetail));
    return;
  }
  const seen = new Set<string>();
  for (const [i, version] of versions.entries()) {
    if (seen.has(version)) {
      errors.push(invalidValue(at.index(i), version, 'duplicate version'));
      continue;
    }
    seen.add(version);
    for (const message of dns1035Label(version)) errors.push(invalidValue(at.index(i), version, message));
  }
  if (knownReviewVersion && !hasKnownReviewVersion(versions)) {
    errors.push(invalidValue(at, versions, `must include at least one of ${REVIEW_VERSIONS.join(', ')}`));
  }
}
