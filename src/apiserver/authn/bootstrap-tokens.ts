/** Bootstrap tokens, by which new nodes join: `id.secret`, stored as Secrets in kube-system. */
import type { Secret } from '../../api/generated/core-v1.ts';
import { ownValue } from '../../base/index.ts';
import type { Clock } from '../../kernel/index.ts';
import type { Registry } from '../registry/registry.ts';
import type { TokenAuthenticator, TokenResponse } from './authenticator.ts';
import { constantTimeEqual } from './constant-time-equal.ts';

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

  authenticateToken(token: string): TokenResponse | undefined {
    const match = TOKEN.exec(token);
    if (!match) return undefined;
    const [, id = '', secret = ''] = match;
    const stored = this.#registry.lookup('', 'v1', 'secrets', 'kube-system', `bootstrap-token-${id}`) as unknown as
      | Secret
      | undefined;
    if (!stored || stored.metadata?.deletionTimestamp || stored.type !== 'bootstrap.kubernetes.io/token')
      return undefined;
    const read = (key: string): string => Buffer.from(ownValue(stored.data, key) ?? '', 'base64').toString('utf8');
    if (!constantTimeEqual(read('token-secret'), secret) || read('token-id') !== id) return undefined;
    if (isExpired(read('expiration'), this.#clock.now()) || read('usage-bootstrap-authentication') !== 'true')
      return undefined;
    const groups = groupsOf(read('auth-extra-groups'));
    return groups && { user: { name: `system:bootstrap:${id}`, groups } };
  }
}

/** A token with an invalid expiration is expired. */
function isExpired(expiration: string, now: number): boolean {
  if (expiration === '') return false;
  const at = Date.parse(expiration);
  return Number.isNaN(at) || now > at;
}

/** Undefined if a group is not one that bootstrap tokens may have: then the token is not accepted. */
function groupsOf(extra: string): string[] | undefined {
  const names = extra === '' ? [] : extra.split(',');
  if (!names.every((name) => EXTRA_GROUP.test(name))) return undefined;
  return ['system:bootstrappers', ...names.filter((name, i) => names.indexOf(name) === i).sort()];
}
