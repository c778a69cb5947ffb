/**
 * serviceaccount-token-controller: fills Secrets that ask for a ServiceAccount's token, and removes those whose account
 * does not exist. Tokens of this kind do not expire; pods get better ones from the kubelet.
 */
import { createHash, createPrivateKey, createPublicKey } from 'node:crypto';
import { SignJWT } from 'jose';
import type { Secret, ServiceAccount } from '../../api/generated/core-v1.ts';
import { ownValue } from '../../base/index.ts';
import { isNotFound, keyOf, splitKey } from '../../client/index.ts';
import { enqueueOnChange, keyedLoop, type ControllerDescriptor } from '../controller.ts';
import { ACCOUNT_UID, accountKeyOf, isTokenOf, TOKEN_SECRET_TYPE } from './token-secrets.ts';

const ISSUER = 'kubernetes/serviceaccount';
const CLAIM = 'kubernetes.io/serviceaccount/';
const BY_ACCOUNT = 'serviceAccount';

export const serviceAccountTokenController: ControllerDescriptor = {
  name: 'serviceaccount-token-controller',
  aliases: ['serviceaccount-token'],
  build(context) {
    const { client, informers, config, signal } = context;
    /** As upstream: without a key to sign with there is nothing to do. */
    if (config.serviceAccountPrivateKey === undefined) return () => Promise.resolve();
    const sign = tokenSigner(config.serviceAccountPrivateKey);
    const accounts = informers.informer('v1/serviceaccounts');
    const secrets = informers.informer(
      'v1/secrets',
      { fieldSelector: `type=${TOKEN_SECRET_TYPE}` },
      { [BY_ACCOUNT]: (secret) => [accountKeyOf(secret) ?? ''] },
    );
    const resource = client.resource('v1/secrets');

    const reconcile = async (key: string): Promise<void> => {
      const secret = secrets.get(key);
      const accountKey = secret && accountKeyOf(secret);
      if (!secret || accountKey === undefined) return;
      const cached = accounts.get(accountKey);
      const account = cached && isTokenOf(secret, cached) ? cached : await readAccount(accountKey);
      try {
        if (!account || !isTokenOf(secret, account))
          await resource.delete(splitKey(key), { preconditions: { uid: secret.metadata.uid }, signal });
        else await fill(secret, account);
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    };

    const readAccount = async (key: string): Promise<ServiceAccount | undefined> => {
      try {
        return await client.resource('v1/serviceaccounts').get(splitKey(key), { signal });
      } catch (error) {
        if (isNotFound(error)) return undefined;
        throw error;
      }
    };

    const fill = async (secret: Secret, account: ServiceAccount): Promise<void> => {
      const { namespace = '', annotations = {} } = secret.metadata;
      const data: Record<string, string> = { ...secret.data };
      if (config.rootCa !== '') data['ca.crt'] = encode(config.rootCa);
      data['namespace'] ??= encode(namespace);
      data['token'] ||= encode(await sign(secret, account));
      const complete =
        annotations[ACCOUNT_UID] === account.metadata.uid &&
        Object.entries(data).every(([name, value]) => ownValue(secret.data, name) === value);
      if (complete) return;
      await resource.update(
        {
          ...secret,
          metadata: { ...secret.metadata, annotations: { ...annotations, [ACCOUNT_UID]: account.metadata.uid ?? '' } },
          data,
        },
        { signal },
      );
    };

    const { queue, run } = keyedLoop(context, 'serviceaccount_tokens_secret', 5, reconcile);
    enqueueOnChange(secrets, queue, keyOf);
    accounts.addHandler({
      onDelete: (account) => secrets.indexer.keysByIndex(BY_ACCOUNT, keyOf(account)).forEach((key) => queue.add(key)),
    });
    return run;
  },
};

const encode = (text: string): string => Buffer.from(text).toString('base64');

function tokenSigner(pem: string): (secret: Secret, account: ServiceAccount) => Promise<string> {
  const key = createPrivateKey(pem);
  const kid = createHash('sha256')
    .update(createPublicKey(key).export({ type: 'spki', format: 'der' }))
    .digest('base64url');
  const alg = key.asymmetricKeyType === 'ec' ? 'ES256' : 'RS256';
  return (secret, account) => {
    const { namespace = '', name = '', uid = '' } = account.metadata;
    const claims = {
      [`${CLAIM}namespace`]: namespace,
      [`${CLAIM}secret.name`]: secret.metadata.name,
      [`${CLAIM}service-account.name`]: name,
      [`${CLAIM}service-account.uid`]: uid,
    };
    return new SignJWT(claims)
      .setProtectedHeader({ alg, kid })
      .setIssuer(ISSUER)
      .setSubject(`system:serviceaccount:${namespace}:${name}`)
      .sign(key);
  };
}
