/** X.509 client certificates: the common name is the user name, the organizations are the groups. */
import { createHash } from 'node:crypto';
import type { Context } from '../../kernel/index.ts';
import { unauthorized } from '../../machinery/errors/index.ts';
import {
  CertificateError,
  certificatesOfDer,
  ClientCertificates,
  commonName,
  organizations,
  valuesOf,
  type Name,
} from '../../net/tls/index.ts';
import type { ApiRequest, PeerCertificate, UserInfo } from '../request/request.ts';
import { withAuthenticated, type Authenticator } from './authenticator.ts';

const CREDENTIAL_ID = 'authentication.kubernetes.io/credential-id';
const UID_OID = '1.3.6.1.4.1.57683.2';

const [HOUR_SECONDS, DAY_SECONDS] = [3600, 86_400];
const LIFETIMES = [
  ...[0, HOUR_SECONDS / 2, HOUR_SECONDS, 2 * HOUR_SECONDS, 6 * HOUR_SECONDS, 12 * HOUR_SECONDS],
  ...[1, 2, 4, 7, 30, 90, 180, 360].map((days) => days * DAY_SECONDS),
];

interface KnownClient {
  /** Null for a certificate without a common name. */
  readonly user: UserInfo | null;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

export class ClientCertificateAuthenticator implements Authenticator {
  readonly name = 'x509';
  readonly #ctx: Pick<Context, 'clock' | 'metrics'>;
  readonly #certificates: ClientCertificates;
  readonly #clients = new WeakMap<PeerCertificate, KnownClient>();
  readonly #lifetimes;

  /** `clientCa` returns the current PEM bundle of client CAs. */
  constructor(ctx: Pick<Context, 'clock' | 'metrics'>, clientCa: () => string) {
    this.#ctx = ctx;
    this.#certificates = new ClientCertificates(ctx.clock, clientCa);
    this.#lifetimes = ctx.metrics.histogram({
      name: 'apiserver_client_certificate_expiration_seconds',
      help: 'Remaining lifetime of the certificates that requests were authenticated with.',
      buckets: LIFETIMES,
    });
  }

  authenticate({ peerCertificate: peer }: ApiRequest): UserInfo | undefined {
    if (!peer) return undefined;
    const subject = this.#certificates.verify(peer);
    if (subject instanceof Error) {
      if (isOutOfDate(subject)) throw unauthorized();
      return undefined;
    }
    let client = this.#clients.get(peer);
    if (client === undefined) {
      const expiresAt = certificatesOfDer(peer.raw)[0]!.notAfter;
      client = { user: userOf(peer, subject) ?? null, expiresAt };
      this.#clients.set(peer, client);
    }
    this.#lifetimes.observe((client.expiresAt - this.#ctx.clock.now()) / 1000);
    return client.user ?? undefined;
  }
}

const isOutOfDate = (problem: Error): boolean =>
  problem instanceof CertificateError && (problem.code === 'CERT_HAS_EXPIRED' || problem.code === 'CERT_NOT_YET_VALID');

/** Undefined for a certificate without a common name. */
function userOf(peer: PeerCertificate, subject: Name): UserInfo | undefined {
  const name = commonName(subject);
  if (name === '') return undefined;
  const uids = valuesOf(subject, UID_OID);
  if (uids.length > 1) throw unauthorized();
  const fingerprint = createHash('sha256').update(certificatesOfDer(peer.raw)[0]!.raw).digest('hex');
  return {
    name,
    ...(uids[0] ? { uid: uids[0] } : {}),
    groups: withAuthenticated(organizations(subject)),
    extra: { [CREDENTIAL_ID]: [`X509SHA256=${fingerprint}`] },
  };
}
