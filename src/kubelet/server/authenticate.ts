/** Who is asking: a client certificate of the cluster's CA, or a token that the API server vouches for. */
import type { IncomingMessage } from 'node:http';
import type { PeerCertificate, TLSSocket } from 'node:tls';
import type { TokenReview } from '../../api/generated/authentication-v1.ts';
import type { Client } from '../../client/index.ts';
import type { Clock } from '../../kernel/index.ts';

export interface Caller {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

export interface AuthenticationSettings {
  readonly anonymous: boolean;
  readonly webhook: boolean;
  readonly cacheMs: number;
}

const MAX_CACHED = 4096;

export class Authenticator {
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #settings: AuthenticationSettings;
  readonly #cache = new Map<string, { readonly caller: Caller | undefined; readonly until: number }>();

  constructor(client: Client, clock: Clock, settings: AuthenticationSettings) {
    this.#client = client;
    this.#clock = clock;
    this.#settings = settings;
  }

  /** Undefined when the request must be refused with 401. */
  async authenticate(request: IncomingMessage): Promise<Caller | undefined> {
    const socket = request.socket as TLSSocket;
    if (socket.encrypted && socket.authorized) {
      const certificate = socket.getPeerCertificate();
      if (certificate?.subject !== undefined) return callerOf(certificate);
    }
    const token = /^Bearer\s+(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
    if (token !== undefined) return this.#settings.webhook ? this.#review(token) : undefined;
    return this.#settings.anonymous ? { name: 'system:anonymous', groups: ['system:unauthenticated'] } : undefined;
  }

  async #review(token: string): Promise<Caller | undefined> {
    const now = this.#clock.monotonic();
    const cached = this.#cache.get(token);
    if (cached !== undefined && now < cached.until) return cached.caller;
    const review: TokenReview = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', metadata: {}, spec: { token } };
    const { status } = await this.#client.resource('authentication.k8s.io/v1/tokenreviews').create(review as never).then((answer) => answer as unknown as TokenReview);
    const user = status?.authenticated === true ? status.user : undefined;
    const caller = user && { name: user.username ?? '', ...(user.uid === undefined ? {} : { uid: user.uid }), groups: user.groups ?? [], ...(user.extra === undefined ? {} : { extra: user.extra }) };
    if (this.#cache.size >= MAX_CACHED) this.#cache.clear();
    this.#cache.set(token, { caller, until: now + this.#settings.cacheMs });
    return caller;
  }
}

function callerOf({ subject }: PeerCertificate): Caller {
  const organizations = subject.O as string | string[] | undefined;
  return { name: String(subject.CN), groups: [...(organizations === undefined ? [] : [organizations].flat()), 'system:authenticated'] };
}
