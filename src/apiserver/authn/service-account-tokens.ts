/**
 * ServiceAccount tokens: issues bound tokens (TokenRequest) and authenticates bound and legacy tokens. A bound token is a
 * JWT that is valid as long as the ServiceAccount and the pod, node or Secret that it is bound to exist.
 */
import { createPrivateKey, createPublicKey, createHash, type KeyObject } from 'node:crypto';
import {
  decodeJwt,
  decodeProtectedHeader,
  errors,
  exportJWK,
  compactVerify,
  SignJWT,
  type JWK,
  type JWTPayload,
  type ProtectedHeaderParameters,
} from 'jose';
import { quote } from '../../base/index.ts';
import type { Context } from '../../kernel/index.ts';
import type { Registry } from '../registry/registry.ts';
import type { UserInfo } from '../request/request.ts';
import { InvalidTokenError, type Annotate, type TokenResponse, type TokenAuthenticator } from './authenticator.ts';
import { LegacyTokenTracker } from './legacy-token-tracker.ts';
import {
  checkBoundClaims,
  checkLegacyClaims,
  serviceAccountUser,
  type KubernetesClaims,
} from './service-account-claims.ts';

export interface BoundObject {
  readonly kind: 'Pod' | 'Node' | 'Secret';
  readonly name: string;
  readonly uid: string;
  /** The node of a bound pod. */
  readonly node?: { readonly name: string; readonly uid: string };
}

interface TokenRequestOptions {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly audiences: readonly string[];
  readonly expirationSeconds: number;
  readonly bound?: BoundObject;
  readonly warnAfterSeconds?: number;
}

export interface ServiceAccountTokenOptions {
  readonly privateKey: string;
  /** Includes the public keys of earlier signing keys. */
  readonly publicKeys: readonly string[];
  readonly issuer: string;
  /** Earlier issuers, whose tokens are still valid. */
  readonly otherIssuers?: readonly string[];
  readonly apiAudiences: readonly string[];
  /** The JWKS URI in the discovery document; this server by default. */
  readonly jwksUri?: string;
  /** The maximum expiration of a TokenRequest. */
  readonly maxExpirationSeconds?: number;
  /** Extend projected tokens to a year, for clients that never reload them; true by default. */
  readonly extendExpiration?: boolean;
}

const LEGACY_ISSUER = 'kubernetes/serviceaccount';
const MAX_CACHED_TOKENS = 10_000;

interface Verified {
  readonly payload: JWTPayload;
  readonly user: UserInfo;
}

export class ServiceAccountTokens implements TokenAuthenticator {
  readonly name = 'serviceaccount';
  readonly issuer: string;
  readonly apiAudiences: readonly string[];
  readonly legacyTokens: LegacyTokenTracker;
  readonly #issuers: ReadonlySet<string>;
  readonly #privateKey: KeyObject;
  readonly #keyId: string;
  readonly #publicKeys: ReadonlyMap<string, KeyObject>;
  readonly #verified = new Map<string, Verified>();
  readonly #metrics: Record<'legacy' | 'stale' | 'valid', { inc(): void }>;
  readonly #ctx: Context;
  readonly #registry: Registry;

  constructor(
    ctx: Context,
    registry: Registry,
    readonly options: ServiceAccountTokenOptions,
  ) {
    this.#ctx = ctx;
    this.#registry = registry;
    this.issuer = options.issuer;
    this.legacyTokens = new LegacyTokenTracker(ctx);
    this.apiAudiences = options.apiAudiences;
    this.#issuers = new Set([options.issuer, ...(options.otherIssuers ?? []), LEGACY_ISSUER]);
    this.#privateKey = createPrivateKey(options.privateKey);
    this.#publicKeys = new Map(options.publicKeys.map((pem) => [keyIdOf(createPublicKey(pem)), createPublicKey(pem)]));
    this.#keyId = keyIdOf(createPublicKey(this.#privateKey));
    const counter = (name: string, help: string): { inc(): void } =>
      ctx.metrics.counter({ name: `serviceaccount_${name}_tokens_total`, help });
    this.#metrics = {
      legacy: counter('legacy', 'Cumulative legacy service account tokens used'),
      stale: counter('stale', 'Cumulative stale projected service account tokens used'),
      valid: counter('valid', 'Cumulative valid projected service account tokens used'),
    };
  }

  async issue(options: TokenRequestOptions): Promise<{ token: string; expiration: number }> {
    const now = Math.floor(this.#ctx.clock.now() / 1000);
    const { bound } = options;
    const claims: KubernetesClaims = {
      namespace: options.namespace,
      ...(bound?.node ? { node: bound.node } : {}),
      ...(bound ? { [bound.kind.toLowerCase()]: { name: bound.name, uid: bound.uid } } : {}),
      serviceaccount: { name: options.name, uid: options.uid },
      ...(options.warnAfterSeconds ? { warnafter: now + options.warnAfterSeconds } : {}),
    };
    const expiration = now + options.expirationSeconds;
    const token = await new SignJWT({ 'kubernetes.io': claims })
      .setProtectedHeader({ alg: algorithmOf(this.#privateKey), kid: this.#keyId })
      .setIssuer(this.issuer)
      .setSubject(`system:serviceaccount:${options.namespace}:${options.name}`)
      .setAudience([...options.audiences])
      .setIssuedAt(now)
      .setNotBefore(now)
      .setExpirationTime(expiration)
      .setJti(this.#ctx.random.uid())
      .sign(this.#privateKey);
    return { token, expiration: expiration * 1000 };
  }

  authenticateToken(
    token: string,
    audiences: readonly string[],
    annotate: Annotate,
  ): Promise<TokenResponse | undefined> | TokenResponse | undefined {
    const verified = this.#verified.get(token);
    if (verified) return this.#check(verified, token, audiences, annotate);
    return this.#verify(token).then((checked) => checked && this.#check(checked, token, audiences, annotate));
  }

  /** Checks everything but the signature; done for each request, because the objects can change. */
  #check({ payload, user }: Verified, token: string, audiences: readonly string[], annotate: Annotate): TokenResponse {
    const legacy = payload.iss === LEGACY_ISSUER;
    const given = payload.aud === undefined ? this.apiAudiences : [payload.aud].flat();
    const common = audiences.filter((audience) => given.includes(audience));
    if (common.length === 0)
      throw new InvalidTokenError(
        `token audiences ${quoteAll(given)} is invalid for the target audiences ${quoteAll(audiences)}`,
      );
    if (legacy) {
      checkLegacyClaims(this.#registry, payload, token, this.legacyTokens);
      this.#metrics.legacy.inc();
      annotate('authentication.k8s.io/legacy-token', payload.sub ?? '');
    } else {
      this.#checkBoundToken(payload, annotate);
    }
    return { user, audiences: common };
  }

  /** The public keys, for issuer discovery. */
  async jwks(): Promise<{ keys: JWK[] }> {
    const keys = await Promise.all(
      [...this.#publicKeys].map(async ([kid, key]) => ({
        use: 'sig',
        kid,
        alg: algorithmOf(key),
        ...(await exportJWK(key)),
      })),
    );
    return { keys };
  }

  algorithms(): string[] {
    return [...new Set([...this.#publicKeys.values()].map(algorithmOf))].sort();
  }

  #checkBoundToken(payload: JWTPayload, annotate: Annotate): void {
    const nowMs = this.#ctx.clock.now();
    const seconds = nowMs / 1000;
    if (payload.exp !== undefined && seconds > payload.exp)
      throw new InvalidTokenError('service account token has expired');
    if (payload.nbf !== undefined && seconds < payload.nbf)
      throw new InvalidTokenError('service account token is not valid yet');
    const claims = claimsOf(payload);
    checkBoundClaims(this.#registry, claims, nowMs);
    if (!claims.warnafter) return;
    if (seconds <= claims.warnafter) return this.#metrics.valid.inc();
    this.#metrics.stale.inc();
    annotate(
      'authentication.k8s.io/stale-token',
      `subject: ${payload.sub}, seconds after warning threshold: ${Math.floor(seconds) - claims.warnafter}`,
    );
  }

  /** Verifies the signature once per token. Undefined if the token is from another issuer. */
  async #verify(token: string): Promise<Verified | undefined> {
    const issuer = issuerOf(token);
    if (issuer === undefined || !this.#issuers.has(issuer)) return undefined;
    const header = headerOf(token);
    if (!header) return undefined;
    const payload = await this.#checkSignature(token, header);
    const verified = { payload, user: serviceAccountUser(payload, claimsOf(payload)) };
    if (this.#verified.size >= MAX_CACHED_TOKENS) this.#verified.clear();
    this.#verified.set(token, verified);
    return verified;
  }

  async #checkSignature(token: string, { kid }: ProtectedHeaderParameters): Promise<JWTPayload> {
    const named = kid === undefined ? undefined : this.#publicKeys.get(kid);
    const keys = kid === undefined ? [...this.#publicKeys.values()] : named ? [named] : [];
    if (keys.length === 0) throw new InvalidTokenError('invalid signature, no keys found');
    for (const key of keys) {
      try {
        const { payload } = await compactVerify(token, key, { algorithms: [algorithmOf(key)] });
        return JSON.parse(Buffer.from(payload).toString('utf8')) as JWTPayload;
      } catch (error) {
        if (!(error instanceof errors.JOSEError)) throw error;
      }
    }
    throw new InvalidTokenError('go-jose/go-jose: error in cryptographic primitive');
  }
}

/** Undefined if the text is not a JWT. */
function headerOf(token: string): ProtectedHeaderParameters | undefined {
  try {
    return decodeProtectedHeader(token);
  } catch {
    return undefined;
  }
}

function issuerOf(token: string): string | undefined {
  try {
    return decodeJwt(token).iss;
  } catch {
    return undefined;
  }
}

function claimsOf(payload: JWTPayload): KubernetesClaims {
  const claims = payload['kubernetes.io'] as KubernetesClaims | undefined;
  if (claims?.serviceaccount) return claims;
  const text = (name: string): string => String(payload[`kubernetes.io/serviceaccount/${name}`] ?? '');
  return {
    namespace: text('namespace'),
    serviceaccount: { name: text('service-account.name'), uid: text('service-account.uid') },
  };
}

const quoteAll = (values: readonly string[]): string => `[${values.map(quote).join(' ')}]`;

const CURVE_ALGORITHMS: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({ prime256v1: 'ES256', secp384r1: 'ES384', secp521r1: 'ES512' }),
);

function algorithmOf(key: KeyObject): string {
  if (key.asymmetricKeyType === 'rsa') return 'RS256';
  const algorithm = CURVE_ALGORITHMS.get(key.asymmetricKeyDetails?.namedCurve ?? '');
  if (!algorithm) throw new Error(`ServiceAccount tokens cannot be signed with a key of type ${key.asymmetricKeyType}`);
  return algorithm;
}

/** The key ID, as upstream computes it: the SHA-256 of the key's DER form. */
const keyIdOf = (key: KeyObject): string =>
  createHash('sha256')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest('base64url');
