/** Secrets of type kubernetes.io/service-account-token. */
import type { Secret, ServiceAccount } from '../../api/generated/core-v1.ts';

export const TOKEN_SECRET_TYPE = 'kubernetes.io/service-account-token';
const ACCOUNT_NAME = 'kubernetes.io/service-account.name';
export const ACCOUNT_UID = 'kubernetes.io/service-account.uid';

/** Whether a Secret is a token of the account, by name, and by uid if it is annotated. */
export function isTokenOf(secret: Secret, account: ServiceAccount): boolean {
  const { namespace, annotations = {} } = secret.metadata;
  if (
    secret.type !== TOKEN_SECRET_TYPE ||
    namespace !== account.metadata.namespace ||
    annotations[ACCOUNT_NAME] !== account.metadata.name
  )
    return false;
  return !annotations[ACCOUNT_UID] || annotations[ACCOUNT_UID] === account.metadata.uid;
}

/** The key of a token Secret's ServiceAccount. */
export function accountKeyOf({ type, metadata }: Secret): string | undefined {
  const name = metadata.annotations?.[ACCOUNT_NAME];
  return type === TOKEN_SECRET_TYPE && name ? `${metadata.namespace ?? ''}/${name}` : undefined;
}
