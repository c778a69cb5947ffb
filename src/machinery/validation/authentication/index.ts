/** Validation of the authentication group: requests for tokens. Reviews have no rules of their own. */
import type { TokenRequest } from '../../../api/generated/authentication-v1.ts';
import { invalidValue, path } from '../../errors/index.ts';
import type { KindValidation } from '../kind-validation.ts';

const NO_RULES: KindValidation = { unstored: true, create: [], update: [] };
const EXPIRATION = path('spec', 'expirationSeconds');
const MIN_SECONDS = 600;
const MAX_SECONDS = 2 ** 32;

const tokenRequest: KindValidation<TokenRequest> = {
  create: [
    (errors, { spec }) => {
      const seconds = spec?.expirationSeconds ?? 0;
      if (seconds < MIN_SECONDS)
        errors.push(invalidValue(EXPIRATION, seconds, 'may not specify a duration less than 10 minutes'));
      if (seconds > MAX_SECONDS)
        errors.push(invalidValue(EXPIRATION, seconds, 'may not specify a duration larger than 2^32 seconds'));
    },
  ],
  update: [],
};

export const authenticationValidations: Readonly<Record<string, KindValidation>> = {
  'authentication.k8s.io/selfsubjectreviews': NO_RULES,
  'authentication.k8s.io/tokenreviews': NO_RULES,
};

export const authenticationBodies: Readonly<Record<string, KindValidation>> = { TokenRequest: tokenRequest };
