/**
 * serviceaccount-token-controller: fills in Secrets of type kubernetes.io/service-account-token, and deletes those whose
 * ServiceAccount does not exist. These tokens do not expire; pods use the bound tokens that the kubelet requests.
 * Without `--service-account-private-key-file` the controller does nothing, as upstream.
 */
import { createHash, createPrivateKey, createPublicKey } from 'node:crypto';
import { SignJWT } from 'jose';
import type { Secret, ServiceAccount } from '../../api/generated/core-v1.ts';
import { ownValue } from '../../base/index.ts';
import { keyOf, splitKey, type SharedInformer } from '../../client/index.ts';
import {
  keyedController,
  keysOnChange,
  watch,
  type ControllerContext,
  type ControllerDescriptor,
  type Reconciler,
} from '../controller.ts';
import { ignoreNotFound } from '../ignore-not-found.ts';
import { ACCOUNT_UID, accountKeyOf, isTokenOf, TOKEN_SECRET_TYPE } from './token-secrets.ts';

const ISSUER = 'kubernetes/serviceaccount';
const CLAIM = 'kubernetes.io/serviceaccount/';
const BY_ACCOUNT = 'serviceAccount';

export const serviceAccountTokenController: ControllerDescriptor = {
  name: 'serviceaccount-token-controller',
  aliases: ['serviceaccount-token'],
  build(context) {
    const { informers, config } = context;
    if (config.serviceAccountPrivateKey === undefined) return () => Promise.resolve();
    const accounts = informers.informer('v1/serviceaccounts');
    const secrets = informers.informer(
      'v1/secrets',
      { fieldSelector: `type=${TOKEN_SECRET_TYPE}` },
      { [BY_ACCOUNT]: (secret) => [accountKeyOf(secret) ?? ''] },
    );
    const sign = tokenSigner(config.serviceAccountPrivateKey);
    return keyedController(context, {
      queue: 'serviceaccount_tokens_secret',
      workers: 5,
      reconciler: (worker) => new TokenSecretReconciler(worker, { accounts, secrets, sign }),
      watches: [
        watch(
          secrets,
          keysOnChange((secret) => [keyOf(secret)]),
        ),
        watch(accounts, { deleted: (account) => secrets.indexer.keysByIndex(BY_ACCOUNT, keyOf(account)) }),
      ],
    });
  },
};

interface TokenSecretParts {
  readonly accounts: SharedInformer<ServiceAccount>;
  readonly secrets: SharedInformer<Secret>;
  sign(secret: Secret, account: ServiceAccount): Promise<string>;
}

class TokenSecretReconciler implements Reconciler {
  readonly #context: ControllerContext;
  readonly #parts: TokenSecretParts;

  constructor(context: ControllerContext, parts: TokenSecretParts) {
    this.#context = context;
    this.#parts = parts;
  }

  async reconcile(key: string): Promise<void> {
    const { client, signal } = this.#context;
    const secret = this.#parts.secrets.get(key);
    const accountKey = secret && accountKeyOf(secret);
    if (!secret || accountKey === undefined) return;
    const cached = this.#parts.accounts.get(accountKey);
    const account = cached && isTokenOf(secret, cached) ? cached : await this.#liveAccount(accountKey);
    await ignoreNotFound(async () => {
      if (account && isTokenOf(secret, account)) await this.#fill(secret, account);
      else
        await client
          .resource('v1/secrets')
          .delete(splitKey(key), { preconditions: { uid: secret.metadata.uid }, signal });
    });
  }

  #liveAccount(key: string): Promise<ServiceAccount | undefined> {
    const { client, signal } = this.#context;
    return ignoreNotFound(() => client.resource('v1/serviceaccounts').get(splitKey(key), { signal }));
  }

  async #fill(secret: Secret, account: ServiceAccount): Promise<void> {
    const { client, config, signal } = this.#context;
    const { namespace = '', annotations = {} } = secret.metadata;
    const data: Record<string, string> = { ...secret.data };
    if (config.rootCa !== '') data['ca.crt'] = encode(config.rootCa);
    data['namespace'] ??= encode(namespace);
    data['token'] ||= encode(await this.#parts.sign(secret, account));
    const isComplete =
      annotations[ACCOUNT_UID] === account.metadata.uid &&
      Object.entries(data).every(([name, value]) => ownValue(secret.data, name) === value);
    if (isComplete) return;
    const metadata = {
      ...secret.metadata,
      annotations: { ...annotations, [ACCOUNT_UID]: account.metadata.uid ?? '' },
    };
    await client.resource('v1/secrets').update({ ...secret, metadata, data }, { signal });
  }
}

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
