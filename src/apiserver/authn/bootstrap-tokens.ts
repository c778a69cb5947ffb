/** Tokens by which new nodes join: `id.secret`, kept as Secrets in kube-system. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Secret } from '../../api/generated/core-v1.ts';
import { ownValue } from '../../base/index.ts';
import type { Clock } from '../../kernel/index.ts';
import type { Registry } from '../registry/registry.ts';
import type { TokenAnswer, TokenAuthenticator } from './authenticator.ts';

const TOKEN = /^([a-z0-9]{6})\.([a-z0-9]{16})$/;
const EXTRA_GROUP = /^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/;

export class BootstrapTokens implements TokenAuthenticator {
  readonly name = 'bootstrap-token';
  readonly #clock: Clock;
  readonly #registry: Registry;

  constructor(clock: Clock, registry: Registry) {
    this.#clock = clock;
    this.#registry = registry;
  }

  authenticateToken(token: string): TokenAnswer | undefined {
    const match = TOKEN.exec(token);
    if (!match) return undefined;
    const [, id = '', secret = ''] = match;
    const stored = this.#registry.lookup('', 'v1', 'secrets', 'kube-system', `bootstrap-token-${id}`) as unknown as
      | Secret
      | undefined;
    if (!stored || stored.metadata?.deletionTimestamp || stored.type !== 'bootstrap.kubernetes.io/token')
      return undefined;
    const read = (key: string): string => Buffer.from(ownValue(stored.data, key) ?? '', 'base64').toString('utf8');
    if (!sameText(read('token-secret'), secret) || read('token-id') !== id) return undefined;
    if (isExpired(read('expiration'), this.#clock.now()) || read('usage-bootstrap-authentication') !== 'true')
      return undefined;
    const groups = groupsOf(read('auth-extra-groups'));
    return groups && { user: { name: `system:bootstrap:${id}`, groups } };
  }
}

/** Equal texts, without telling by the time it takes how much of them is equal. */
function sameText(a: string, b: string): boolean {
  const hash = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(a), hash(b));
}

/** An expiration that cannot be read has passed. */
function isExpired(expiration: string, now: number): boolean {
  if (expiration === '') return false;
  const at = Date.parse(expiration);
  return Number.isNaN(at) || now > at;
}

/** undefined: a group that a bootstrap token may not give, so it gives nothing. */
function groupsOf(extra: string): string[] | undefined {
  const names = extra === '' ? [] : extra.split(',');
  if (!names.every((name) => EXTRA_GROUP.test(name))) return undefined;
  return ['system:bootstrappers', ...names.filter((name, i) => names.indexOf(name) === i).sort()];
}
