/** Request header authentication: a front proxy, known by its client certificate, names the user in headers. */
import { ownValue, setOwn } from '../../base/index.ts';
import type { Clock } from '../../kernel/index.ts';
import { ClientCertificates, commonName } from '../../net/tls/index.ts';
import type { ApiRequest, PeerCertificate, UserInfo } from '../request/request.ts';
import { withAuthenticated, type Authenticator } from './authenticator.ts';
import { unescapeExtraKey } from './extra-key.ts';
import { identityHeaders } from './identity-headers.ts';

export interface RequestHeaderConfig {
  /** Returns the current PEM bundle. */
  readonly clientCa: () => string;
  /** Common names of proxies; if empty, any certificate of the CA will do. */
  readonly allowedNames: readonly string[];
  readonly usernameHeaders: readonly string[];
  readonly uidHeaders: readonly string[];
  readonly groupHeaders: readonly string[];
  readonly extraHeaderPrefixes: readonly string[];
}

export const DEFAULT_REQUEST_HEADERS = {
  allowedNames: ['front-proxy-client'],
  usernameHeaders: ['X-Remote-User'],
  uidHeaders: ['X-Remote-Uid'],
  groupHeaders: ['X-Remote-Group'],
  extraHeaderPrefixes: ['X-Remote-Extra-'],
} as const;

export class RequestHeaderAuthenticator implements Authenticator {
  readonly name = 'requestheader';
  #certificates: ClientCertificates;
  #config: RequestHeaderConfig;

  constructor(clock: Clock, config: RequestHeaderConfig) {
    this.#certificates = new ClientCertificates(clock, config.clientCa);
    const lower = (names: readonly string[]): string[] => names.map((name) => name.toLowerCase());
    this.#config = {
      ...config,
      usernameHeaders: lower(config.usernameHeaders),
      uidHeaders: lower(config.uidHeaders),
      groupHeaders: lower(config.groupHeaders),
      extraHeaderPrefixes: lower(config.extraHeaderPrefixes),
    };
  }

  authenticate(request: ApiRequest): UserInfo | undefined {
    if (!request.peerCertificate) return undefined;
    const name = first(request, this.#config.usernameHeaders);
    if (!name || !this.#isProxy(request.peerCertificate)) return undefined;
    const uid = first(request, this.#config.uidHeaders);
    const extra = extraOf(request, this.#config.extraHeaderPrefixes);
    return {
      name,
      ...(uid ? { uid } : {}),
      groups: withAuthenticated(this.#config.groupHeaders.flatMap((header) => identityHeaders(request, header))),
      ...(Object.keys(extra).length > 0 ? { extra } : {}),
    };
  }

  #isProxy(peer: PeerCertificate): boolean {
    const subject = this.#certificates.verify(peer);
    if (subject instanceof Error) return false;
    const { allowedNames } = this.#config;
    return allowedNames.length === 0 || allowedNames.includes(commonName(subject));
  }
}

const first = (request: ApiRequest, headers: readonly string[]): string | undefined =>
  headers.map((header) => identityHeaders(request, header)[0]?.trim()).find((value) => !!value);

function extraOf(request: ApiRequest, prefixes: readonly string[]): Record<string, string[]> {
  const extra: Record<string, string[]> = {};
  for (const prefix of prefixes) {
    for (const header in request.headers) {
      if (!header.startsWith(prefix)) continue;
      const key = unescapeExtraKey(header.slice(prefix.length));
      setOwn(extra, key, [...(ownValue(extra, key) ?? []), ...identityHeaders(request, header)]);
    }
  }
  return extra;
}
