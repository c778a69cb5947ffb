/** Bootstrap tokens: Secrets of kube-system that authenticate a machine until it has a certificate of its own. */
import type { Secret } from '../../api/generated/core-v1.ts';
import { formatTime, ownValue } from '../../base/index.ts';
import type { Client } from '../../client/index.ts';
import type { Context, Random } from '../../kernel/index.ts';

export interface BootstrapToken {
  readonly id: string;
  readonly secret: string;
}

interface ListedToken {
  readonly id: string;
  /** When it expires; undefined: never. */
  readonly expiration?: string;
  readonly usages: readonly string[];
  readonly description?: string;
}

const NAMESPACE = 'kube-system';
const TYPE = 'bootstrap.kubernetes.io/token';
const TOKEN = /^([a-z0-9]{6})\.([a-z0-9]{16})$/;
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789';
const NODE_GROUP = 'system:bootstrappers:k8ts:default-node-token';
const USAGE_PREFIX = 'usage-bootstrap-';

/** `abcdef.0123456789abcdef`; undefined for anything else. */
export function parseBootstrapToken(text: string): BootstrapToken | undefined {
  const [, id, secret] = TOKEN.exec(text) ?? [];
  return id === undefined || secret === undefined ? undefined : { id, secret };
}

const randomText = (random: Random, length: number): string =>
  Array.from({ length }, () => ALPHABET[random.integer(ALPHABET.length)]).join('');

/** A token with which a machine can join for `ttlMs`; 0: for ever. */
export async function createBootstrapToken(
  { clock, random }: Pick<Context, 'clock' | 'random'>,
  client: Client,
  { ttlMs, description = '' }: { readonly ttlMs: number; readonly description?: string },
): Promise<BootstrapToken> {
  const token = { id: randomText(random, 6), secret: randomText(random, 16) };
  await client.resource('v1/secrets').create({
    type: TYPE,
    metadata: { name: `bootstrap-token-${token.id}`, namespace: NAMESPACE },
    stringData: {
      'token-id': token.id,
      'token-secret': token.secret,
      'usage-bootstrap-authentication': 'true',
      'usage-bootstrap-signing': 'true',
      'auth-extra-groups': NODE_GROUP,
      ...(ttlMs > 0 ? { expiration: formatTime(clock.now() + ttlMs) } : {}),
      ...(description === '' ? {} : { description }),
    },
  });
  return token;
}

/** Without their secrets. */
export async function listBootstrapTokens(client: Client): Promise<ListedToken[]> {
  const { items } = await client.resource('v1/secrets').list({ namespace: NAMESPACE, fieldSelector: `type=${TYPE}` });
  return items.map(listedToken);
}

function listedToken(secret: Secret): ListedToken {
  const field = (name: string): string => Buffer.from(ownValue(secret.data, name) ?? '', 'base64').toString();
  const [expiration, description] = [field('expiration'), field('description')];
  return {
    id: field('token-id'),
    usages: Object.keys(secret.data ?? {})
      .filter((name) => name.startsWith(USAGE_PREFIX) && field(name) === 'true')
      .map((name) => name.slice(USAGE_PREFIX.length))
      .sort(),
    ...(expiration === '' ? {} : { expiration }),
    ...(description === '' ? {} : { description }),
  };
}

export async function deleteBootstrapToken(client: Client, id: string): Promise<void> {
  await client.resource('v1/secrets').delete({ name: `bootstrap-token-${id}`, namespace: NAMESPACE });
}
