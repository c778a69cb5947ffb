import type { Secret, ServiceAccount } from '../../api/generated/core-v1.ts';

export const TOKEN_SECRET_TYPE = 'kubernetes.io/service-account-token';
export const ACCOUNT_NAME = 'kubernetes.io/service-account.name';
export const ACCOUNT_UID = 'kubernetes.io/service-account.uid';

/** Whether a Secret is for tokens of an account: by name, and by uid where it has one. */
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

/** The account of a token Secret, as a key. */
export function accountKeyOf({ type, metadata }: Secret): string | undefined {
  const name = metadata.annotations?.[ACCOUNT_NAME];
  return type === TOKEN_SECRET_TYPE && name ? `${metadata.namespace ?? ''}/${name}` : undefined;
}
