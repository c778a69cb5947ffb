/** Validates the conversion between the versions of a custom resource. */
import { pemBlocks } from '../../../base/index.ts';
import {
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupported,
  type Path,
  required,
} from '../../errors/index.ts';
import { validateReviewVersions } from '../review-versions.ts';
import { validateWebhookClientConfig } from '../webhook-client-config.ts';
import type { InternalConversion } from './internal-form.ts';

const STRATEGIES = ['None', 'Webhook'];
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
