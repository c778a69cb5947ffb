/** Bootstrap token Secrets: expiration, and whether a token may be used for signing. */
import type { Secret } from '../../api/generated/core-v1.ts';
import { ownValue } from '../../base/index.ts';

const BOOTSTRAP_TOKEN_TYPE = 'bootstrap.kubernetes.io/token';
export const BOOTSTRAP_TOKEN_SCOPE = { namespace: 'kube-system', fieldSelector: `type=${BOOTSTRAP_TOKEN_TYPE}` };

const tokenField = (secret: Secret, name: string): string =>
  Buffer.from(ownValue(secret.data, name) ?? '', 'base64').toString();

/** When the token expires; undefined when it does not, and 0 when the time is invalid. */
export function expirationOf(secret: Secret): number | undefined {
  const text = tokenField(secret, 'expiration');
  if (text === '') return undefined;
  const at = Date.parse(text);
  return Number.isNaN(at) ? 0 : at;
}

/** The id and secret of a token that may be used for signing; undefined for any other Secret. */
export function signingToken(secret: Secret, now: number): { id: string; secret: string } | undefined {
  const id = tokenField(secret, 'token-id');
  const token = tokenField(secret, 'token-secret');
  if (secret.metadata.name !== `bootstrap-token-${id}` || !/^[a-z0-9]{6}$/.test(id) || token === '') return undefined;
  if (tokenField(secret, 'usage-bootstrap-signing') !== 'true') return undefined;
  const expiration = expirationOf(secret);
  return expiration !== undefined && expiration <= now ? undefined : { id, secret: token };
}
