/**
 * Credentials of a ServiceAccount in kube-system: `client` requests tokens (TokenRequest) and renews them before they
 * expire.
 */
import type { TokenRequest } from '../api/generated/authentication-v1.ts';
import type { Context } from '../kernel/index.ts';
import type { Client } from './client.ts';
import { anonymous, type Credentials } from './credentials.ts';
import { isAlreadyExists, isNotFound } from './errors.ts';

const NAMESPACE = 'kube-system';
const LIFETIME_SECONDS = 3600;
/** A token is renewed after this part of its lifetime. */
const RENEW_AT = 0.8;

export function serviceAccountCredentials(ctx: Context, client: Client, name: string): Credentials {
  let current: { readonly token: string; readonly renewAt: number } | undefined;
  let asking: Promise<string> | undefined;

  const accounts = client.resource('v1/serviceaccounts');
  const request = async (): Promise<string> => {
    const tokens = accounts.subresource<TokenRequest>({ namespace: NAMESPACE, name }, 'token');
    const body: TokenRequest = {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      metadata: {},
      spec: { audiences: [], expirationSeconds: LIFETIME_SECONDS },
    };
    const ask = (): Promise<TokenRequest> => tokens.create(body, { signal: ctx.signal });
    const answer = await ask().catch(async (error: unknown) => {
      if (!isNotFound(error)) throw error;
      await accounts
        .create({ metadata: { name, namespace: NAMESPACE } }, { signal: ctx.signal })
        .catch((refused: unknown) => {
          if (!isAlreadyExists(refused)) throw refused;
        });
      return ask();
    });
    const token = answer.status?.token;
    if (!token) throw new Error(`no token for the ServiceAccount ${NAMESPACE}/${name} in the answer`);
    current = { token, renewAt: ctx.clock.monotonic() + LIFETIME_SECONDS * 1000 * RENEW_AT };
    return token;
  };

  return {
    ...anonymous,
    async authorization() {
      if (current && ctx.clock.monotonic() < current.renewAt) return `Bearer ${current.token}`;
      asking ??= request().finally(() => (asking = undefined));
      return `Bearer ${await asking}`;
    },
    refused() {
      const had = current !== undefined;
      current = undefined;
      return had;
    },
  };
}
