/** How objects get from one version of a custom kind to another. */
import { pemBlocks } from '../../../base/index.ts';
import {
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupported,
  type Path,
  required,
} from '../../errors/index.ts';
import { dns1035Label } from '../../names/index.ts';
import { validateWebhookClientConfig } from '../webhook-client-config.ts';
import type { InternalConversion } from './internal-form.ts';

const STRATEGIES = ['None', 'Webhook'];
const REVIEW_VERSIONS = ['v1', 'v1beta1'];
const NOT_FOR_NONE = 'should not be set when strategy is not set to Webhook';

export interface ConversionRules {
  readonly knownReviewVersion: boolean;
  readonly anyCaBundle: boolean;
}

export function validateConversion(
  errors: FieldError[],
  conversion: InternalConversion,
  at: Path,
  rules: ConversionRules,
): void {
  const { strategy, webhookClientConfig: config, conversionReviewVersions: versions } = conversion;
  const [configAt, versionsAt] = [at.child('webhookClientConfig'), at.child('conversionReviewVersions')];
  if (strategy === '') errors.push(required(at.child('strategy')));
  else if (!STRATEGIES.includes(strategy)) errors.push(notSupported(at.child('strategy'), strategy, STRATEGIES));
  if (strategy !== 'Webhook') {
    if (config) errors.push(forbiddenField(configAt, NOT_FOR_NONE));
    if (versions.length > 0) errors.push(forbiddenField(versionsAt, NOT_FOR_NONE));
    return;
  }
  if (!config) errors.push(required(configAt, 'required when strategy is set to Webhook'));
  else {
    validateWebhookClientConfig(errors, config, configAt);
    if (config.caBundle && !rules.anyCaBundle && !isCaBundle(config.caBundle)) {
      const detail = 'unable to load root certificates: unable to parse bytes as PEM block';
      errors.push(invalidValue(configAt.child('caBundle'), config.caBundle, detail));
    }
  }
  validateReviewVersions(errors, versions, versionsAt, rules);
}

export const isCaBundle = (base64: string): boolean => {
  for (const { type } of pemBlocks(Buffer.from(base64, 'base64').toString('latin1')))
    if (type === 'CERTIFICATE') return true;
  return false;
};

export const hasKnownReviewVersion = (versions: readonly string[]): boolean =>
  versions.some((version) => REVIEW_VERSIONS.includes(version));

function validateReviewVersions(
  errors: FieldError[],
  versions: readonly string[],
  at: Path,
  { knownReviewVersion }: ConversionRules,
): void {
  if (versions.length === 0) {
    errors.push(required(at));
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
