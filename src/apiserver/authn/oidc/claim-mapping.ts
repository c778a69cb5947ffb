/** Maps the claims of a JWT to a user, by claim names and prefixes or by CEL, and checks the validation rules. */
import type { JWTPayload } from 'jose';
import { quote, setOwn } from '../../../base/index.ts';
import type { UserInfo } from '../../request/request.ts';
import type { Expression } from '../../review-webhooks/index.ts';

export type ClaimSource = { readonly claim: string; readonly prefix: string } | { readonly expression: Expression };

export interface ClaimMapping {
  readonly username: ClaimSource;
  readonly groups?: ClaimSource;
  readonly uid?: { readonly claim: string } | { readonly expression: Expression };
  readonly extra?: readonly { readonly key: string; readonly expression: Expression }[];
  /** claimValidationRules: checked before the claims are mapped. */
  readonly validations?: readonly (
    | { readonly claim: string; readonly requiredValue: string }
    | { readonly expression: Expression; readonly message: string }
  )[];
  /** userValidationRules: checked on the mapped user. */
  readonly userValidations?: readonly { readonly expression: Expression; readonly message: string }[];
}

/** Throws an error that names the invalid claim. */
export function mapClaims(mapping: ClaimMapping, claims: JWTPayload): UserInfo {
  checkClaims(mapping, claims);
  const name = username(mapping.username, claims);
  if (name === '') throw new Error('username claim value is empty');
  const groups = mapping.groups ? groupsOf(mapping.groups, claims) : [];
  const uid = mapping.uid ? uidOf(mapping.uid, claims) : '';
  const extra = extraOf(mapping.extra ?? [], claims);
  if (typeof claims.jti === 'string') extra['authentication.kubernetes.io/credential-id'] = [`JTI=${claims.jti}`];
  const user: UserInfo = {
    name,
    ...(uid !== '' ? { uid } : {}),
    groups,
    ...(Object.keys(extra).length > 0 ? { extra } : {}),
  };
  checkUser(mapping, user);
  return user;
}

function checkClaims({ validations = [] }: ClaimMapping, claims: JWTPayload): void {
  for (const rule of validations) {
    if ('claim' in rule) {
      const value = claims[rule.claim];
      if (value === undefined) throw new Error(`required claim ${rule.claim} not present in ID token`);
      if (value !== rule.requiredValue)
        throw new Error(
          `required claim ${rule.claim} value does not match. Got = ${String(value)}, want = ${rule.requiredValue}`,
        );
    } else if (rule.expression.evaluate({ claims }) !== true) {
      throw new Error(
        `error evaluating claim validation expression: validation expression '${rule.expression.text}' failed: ${rule.message}`,
      );
    }
  }
}

function username(source: ClaimSource, claims: JWTPayload): string {
  if ('expression' in source) return textFrom(source.expression.evaluate({ claims }), 'username');
  const { claim, prefix } = source;
  const value = claims[claim];
  if (value === undefined) throw new Error(`parse username claims ${quote(claim)}: claim not present`);
  if (typeof value !== 'string') throw new Error(`parse username claims ${quote(claim)}: expected a string`);
  // Anybody can claim an address that the provider has not verified.
  if (claim === 'email' && claims['email_verified'] !== undefined && claims['email_verified'] !== true)
    throw new Error('email not verified');
  return prefix + value;
}

function groupsOf(source: ClaimSource, claims: JWTPayload): string[] {
  const value = 'expression' in source ? source.expression.evaluate({ claims }) : claims[source.claim];
  if (value === undefined || value === null || value === '') return [];
  const list: unknown[] = Array.isArray(value) ? value : [value];
  const names = list.map((item) => textFrom(item, 'groups'));
  const prefix = 'expression' in source ? '' : source.prefix;
  return names.filter((group) => !('expression' in source) || group !== '').map((group) => prefix + group);
}

function uidOf(source: NonNullable<ClaimMapping['uid']>, claims: JWTPayload): string {
  const value = 'expression' in source ? source.expression.evaluate({ claims }) : claims[source.claim];
  if (value === undefined)
    throw new Error(`parse uid claim ${quote('claim' in source ? source.claim : '')}: claim not present`);
  return textFrom(value, 'uid');
}

function extraOf(mappings: NonNullable<ClaimMapping['extra']>, claims: JWTPayload): Record<string, string[]> {
  const extra: Record<string, string[]> = {};
  for (const { key, expression } of mappings) {
    const value = expression.evaluate({ claims });
    const values = (Array.isArray(value) ? value : [value])
      .filter((item) => item !== null && item !== '' && item !== undefined)
      .map((item) => textFrom(item, 'extra'));
    if (values.length > 0) setOwn(extra, key, values);
  }
  return extra;
}

function checkUser({ userValidations = [] }: ClaimMapping, user: UserInfo): void {
  const shown = { username: user.name, uid: user.uid ?? '', groups: user.groups, extra: user.extra ?? {} };
  for (const { expression, message } of userValidations) {
    if (expression.evaluate({ user: shown }) !== true)
      throw new Error(
        `error evaluating user info validation rule: validation expression '${expression.text}' failed: ${message}`,
      );
  }
}

function textFrom(value: unknown, what: string): string {
  if (typeof value !== 'string') throw new Error(`${what}: expected a string`);
  return value;
}
