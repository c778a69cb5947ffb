/** Authenticates requests to the kubelet API: by client certificate, or by bearer token with a TokenReview. */
import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import type { Client } from '../../client/index.ts';
import type { Clock } from '../../kernel/index.ts';
import { ClientCertificates, commonName, organizations, peerChain, type ClientChain } from '../../net/tls/index.ts';

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
  /** The CA of client certificates, PEM; if it is empty certificates are not accepted. */
  readonly clientCa: () => string;
}

const MAX_CACHED = 4096;

export class Authenticator {
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #settings: AuthenticationSettings;
  readonly #certificates: ClientCertificates;
  readonly #peers = new WeakMap<TLSSocket, ClientChain>();
  readonly #cache = new Map<string, { readonly caller: Caller | undefined; readonly until: number }>();

  constructor(client: Client, clock: Clock, settings: AuthenticationSettings) {
    this.#client = client;
    this.#clock = clock;
    this.#settings = settings;
    this.#certificates = new ClientCertificates(clock, settings.clientCa);
  }

  /** Undefined when the request is not authenticated (401). */
  async authenticate(request: IncomingMessage): Promise<Caller | undefined> {
    const byCertificate = this.#certificateCaller(request.socket as TLSSocket);
    if (byCertificate !== undefined) return byCertificate;
    const token = /^Bearer\s+(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
    if (token !== undefined) return this.#settings.webhook ? this.#review(token) : undefined;
    return this.#settings.anonymous ? { name: 'system:anonymous', groups: ['system:unauthenticated'] } : undefined;
  }

  /** Undefined without a valid client certificate. */
  #certificateCaller(socket: TLSSocket): Caller | undefined {
    if (!socket.encrypted) return undefined;
    let peer = this.#peers.get(socket);
    if (peer === undefined) this.#peers.set(socket, (peer = { raw: peerChain(socket) }));
    const subject = peer.raw.length === 0 ? undefined : this.#certificates.verify(peer);
    if (subject === undefined || subject instanceof Error || commonName(subject) === '') return undefined;
    return { name: commonName(subject), groups: [...organizations(subject), 'system:authenticated'] };
  }

  async #review(token: string): Promise<Caller | undefined> {
    const now = this.#clock.monotonic();
    const cached = this.#cache.get(token);
    if (cached !== undefined && now < cached.until) return cached.caller;
    const review = {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenReview',
      metadata: {},
      spec: { token },
    };
    const { status } = await this.#client.resource('authentication.k8s.io/v1/tokenreviews').create(review);
    const user = status?.authenticated === true ? status.user : undefined;
    const caller = user && {
      name: user.username ?? '',
      ...(user.uid === undefined ? {} : { uid: user.uid }),
      groups: user.groups ?? [],
      ...(user.extra === undefined ? {} : { extra: user.extra }),
    };
    if (this.#cache.size >= MAX_CACHED) this.#cache.clear();
    this.#cache.set(token, { caller, until: now + this.#settings.cacheMs });
    return caller;
  }
}
