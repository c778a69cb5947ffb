/**
 * ServiceAccount tokens: JWTs that the server signs itself and that stand for a ServiceAccount as long as it, and the
 * pod, node or Secret that the token is bound to, exist.
 */
import { createPrivateKey, createPublicKey, createHash, type KeyObject } from 'node:crypto';
import { exportJWK, jwtVerify, SignJWT, decodeProtectedHeader, decodeJwt, type JWK, type JWTPayload } from 'jose';
import type { Context } from '../../kernel/index.ts';
import type { Registry } from '../registry/registry.ts';
import type { ApiRequest, UserInfo } from '../request.ts';
import { headerOf } from '../request.ts';
import { unauthorized } from '../../machinery/status.ts';
import type { Authenticator } from './authenticator.ts';

export interface BoundObject {
  readonly kind: 'Pod' | 'Node' | 'Secret';
  readonly name: string;
  readonly uid: string;
  /** The node of a bound pod. */
  readonly node?: { readonly name: string; readonly uid: string };
}

export interface TokenRequestOptions {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly audiences: readonly string[];
  readonly expirationSeconds: number;
  readonly bound?: BoundObject;
  readonly warnAfterSeconds?: number;
}

interface KubernetesClaims {
  namespace: string;
  serviceaccount: { name: string; uid: string };
  pod?: { name: string; uid: string };
  node?: { name: string; uid: string };
  secret?: { name: string; uid: string };
  warnafter?: number;
}

export interface TokenKeys {
  readonly privateKey: string;
  /** Those that may have signed older tokens too. */
  readonly publicKeys: readonly string[];
}

const EXTRA = 'authentication.kubernetes.io/';

export class ServiceAccountTokens implements Authenticator {
  readonly name = 'serviceaccount';
  readonly #privateKey: KeyObject;
  readonly #keyId: string;
  readonly #publicKeys: Map<string, KeyObject>;
  #verified = new Map<string, { payload: JWTPayload; until: number }>();

  constructor(
    private readonly ctx: Context,
    private readonly registry: Registry,
    keys: TokenKeys,
    readonly issuer: string,
    readonly apiAudiences: readonly string[],
  ) {
    this.#privateKey = createPrivateKey(keys.privateKey);
    this.#publicKeys = new Map(keys.publicKeys.map((pem) => [keyIdOf(createPublicKey(pem)), createPublicKey(pem)]));
    this.#keyId = keyIdOf(createPublicKey(this.#privateKey));
  }

  async issue(options: TokenRequestOptions): Promise<{ token: string; expiration: number }> {
    const now = Math.floor(this.ctx.clock.now() / 1000);
    const { bound } = options;
    const claims: KubernetesClaims = {
      namespace: options.namespace,
      serviceaccount: { name: options.name, uid: options.uid },
      ...(bound ? { [bound.kind.toLowerCase()]: { name: bound.name, uid: bound.uid } } : {}),
      ...(bound?.node ? { node: bound.node } : {}),
      ...(options.warnAfterSeconds ? { warnafter: now + options.warnAfterSeconds } : {}),
    };
    const expiration = now + options.expirationSeconds;
    const token = await new SignJWT({ 'kubernetes.io': claims })
      .setProtectedHeader({ alg: 'RS256', kid: this.#keyId })
      .setIssuer(this.issuer)
      .setSubject(`system:serviceaccount:${options.namespace}:${options.name}`)
      .setAudience([...options.audiences])
      .setIssuedAt(now)
      .setNotBefore(now)
      .setExpirationTime(expiration)
      .setJti(this.ctx.random.uid())
      .sign(this.#privateKey);
    return { token, expiration: expiration * 1000 };
  }

  async authenticate(request: ApiRequest): Promise<UserInfo | undefined> {
    const match = /^bearer\s+(\S+)$/i.exec((headerOf(request, 'authorization') ?? '').trim());
    if (!match || !this.#isOurs(match[1]!)) return undefined;
    return (await this.verify(match[1]!, this.apiAudiences)).user;
  }

  /** For TokenReview: undefined when the token is not one of ours. */
  async review(token: string, audiences: readonly string[]): Promise<{ user: UserInfo; audiences: string[] } | undefined> {
    if (!this.#isOurs(token)) return undefined;
    return this.verify(token, audiences.length > 0 ? audiences : this.apiAudiences);
  }

  async verify(token: string, audiences: readonly string[]): Promise<{ user: UserInfo; audiences: string[] }> {
    const payload = await this.#checkSignature(token);
    const given = [payload.aud ?? []].flat();
    const common = audiences.filter((audience) => given.includes(audience));
    if (common.length === 0) throw unauthorized();
    return { user: this.#userOf(payload), audiences: common };
  }

  /** The documents behind OIDC discovery of these tokens. */
  async jwks(): Promise<{ keys: JWK[] }> {
    const keys = await Promise.all([...this.#publicKeys].map(async ([kid, key]) => ({ use: 'sig', kid, alg: 'RS256', ...(await exportJWK(key)) })));
    return { keys };
  }

  #isOurs(token: string): boolean {
    if (this.#verified.has(token)) return true;
    try {
      return decodeJwt(token).iss === this.issuer;
    } catch {
      return false;
    }
  }

  /** A token that was good once is good until it expires: the signature is checked once a token. */
  async #checkSignature(token: string): Promise<JWTPayload> {
    const nowSeconds = this.ctx.clock.now() / 1000;
    const known = this.#verified.get(token);
    if (known && nowSeconds < known.until) return known.payload;
    const key = this.#publicKeys.get(decodeProtectedHeader(token).kid ?? '') ?? [...this.#publicKeys.values()][0];
    if (!key) throw unauthorized();
    try {
      const { payload } = await jwtVerify(token, key, { issuer: this.issuer, currentDate: new Date(this.ctx.clock.now()) });
      if (this.#verified.size > 10_000) this.#verified.clear();
      this.#verified.set(token, { payload, until: payload.exp ?? 0 });
      return payload;
    } catch {
      throw unauthorized();
    }
  }

  /** Checked live: a token dies with the account or the object that it is bound to. */
  #userOf(payload: JWTPayload): UserInfo {
    const claims = payload['kubernetes.io'] as KubernetesClaims | undefined;
    if (!claims) throw unauthorized();
    const { namespace, serviceaccount: account } = claims;
    this.#mustExist('serviceaccounts', namespace, account);
    const extra: Record<string, string[]> = {};
    if (payload.jti) extra[`${EXTRA}credential-id`] = [`JTI=${payload.jti}`];
    if (claims.pod) {
      this.#mustExist('pods', namespace, claims.pod);
      extra[`${EXTRA}pod-name`] = [claims.pod.name];
      extra[`${EXTRA}pod-uid`] = [claims.pod.uid];
    }
    if (claims.secret) this.#mustExist('secrets', namespace, claims.secret);
    if (claims.node) {
      if (!claims.pod) this.#mustExist('nodes', '', claims.node);
      extra[`${EXTRA}node-name`] = [claims.node.name];
      if (claims.node.uid) extra[`${EXTRA}node-uid`] = [claims.node.uid];
    }
    return {
      name: `system:serviceaccount:${namespace}:${account.name}`,
      uid: account.uid,
      groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
      extra,
    };
  }

  #mustExist(plural: string, namespace: string, bound: { name: string; uid: string }): void {
    const object = this.registry.lookup('', 'v1', plural, namespace, bound.name);
    if (!object || object.metadata.uid !== bound.uid) throw unauthorized();
    const { deletionTimestamp } = object.metadata;
    // A pod that is being deleted keeps its identity for a minute more, to finish what it does.
    if (deletionTimestamp && this.ctx.clock.now() > Date.parse(deletionTimestamp) + 60_000) throw unauthorized();
  }
}

/** As upstream computes it: the SHA-256 of the key's DER form. */
const keyIdOf = (key: KeyObject): string =>
  createHash('sha256').update(key.export({ type: 'spki', format: 'der' })).digest('base64url');
