/**
 * Who is signed in. A sign-in link holds a key that works once. A session is a cookie and a proof that the pages keep: browsers
 * send cookies of 127.0.0.1 to every port there, so what listens on another one may see the cookie, but never the proof.
 * Only hashes are kept, so that comparing them reveals nothing of the keys.
 */
import { createHash } from 'node:crypto';
import { bearerToken, type ClientConfig } from '../../client/index.ts';
import type { Context } from '../../kernel/index.ts';

const SECRET_BYTES = 32;
const SESSION_MS = 12 * 3600_000;
const MAX_SESSIONS = 64;

export interface Session {
  /** How the session reaches the API server. */
  readonly config: ClientConfig;
  readonly as: 'kubeconfig' | 'token';
  readonly endsAt: number;
  readonly proofHash: string;
}

export interface Opened {
  /** The cookie's value. */
  readonly secret: string;
  /** What the pages send besides the cookie. */
  readonly proof: string;
}

export class Sessions {
  readonly #ctx: Pick<Context, 'clock' | 'random'>;
  readonly #config: ClientConfig;
  readonly #keys = new Set<string>();
  readonly #sessions = new Map<string, Session>();

  constructor(ctx: Pick<Context, 'clock' | 'random'>, config: ClientConfig) {
    this.#ctx = ctx;
    this.#config = config;
  }

  /** A key that signs in once. */
  createKey(): string {
    const key = this.#secret();
    this.#keys.add(hashOf(key));
    return key;
  }

  /** undefined when the key is unknown or was used. */
  signInWithKey(key: string): Opened | undefined {
    return this.#keys.delete(hashOf(key)) ? this.#open({ config: this.#config, as: 'kubeconfig' }) : undefined;
  }

  /** A session with a token of the user's own has none of the kubeconfig's credentials. */
  signInWithToken(token: string): Opened {
    const { impersonate: _, ...config } = this.#config;
    return this.#open({ config: { ...config, credentials: bearerToken(token) }, as: 'token' });
  }

  find({ secret, proof }: Partial<Opened>): Session | undefined {
    if (secret === undefined || proof === undefined) return undefined;
    const hash = hashOf(secret);
    const session = this.#sessions.get(hash);
    if (session === undefined || session.proofHash !== hashOf(proof)) return undefined;
    if (session.endsAt > this.#ctx.clock.now()) return session;
    this.#sessions.delete(hash);
    return undefined;
  }

  /** Whether a session that was found earlier has neither ended nor been left. */
  isOpen(session: Session): boolean {
    return session.endsAt > this.#ctx.clock.now() && [...this.#sessions.values()].includes(session);
  }

  signOut(opened: Partial<Opened>): void {
    if (this.find(opened)) this.#sessions.delete(hashOf(opened.secret!));
  }

  #open(session: Omit<Session, 'endsAt' | 'proofHash'>): Opened {
    const [secret, proof] = [this.#secret(), this.#secret()];
    const [oldest] = this.#sessions.keys();
    if (this.#sessions.size >= MAX_SESSIONS && oldest !== undefined) this.#sessions.delete(oldest);
    const endsAt = this.#ctx.clock.now() + SESSION_MS;
    this.#sessions.set(hashOf(secret), { ...session, endsAt, proofHash: hashOf(proof) });
    return { secret, proof };
  }

  #secret(): string {
    return Buffer.from(this.#ctx.random.bytes(SECRET_BYTES)).toString('base64url');
  }
}

const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('base64');
