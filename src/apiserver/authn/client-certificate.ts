/** X.509 client certificates: the common name is the user name, the organizations are the groups. */
import { createHash } from 'node:crypto';
import type { Clock } from '../../kernel/index.ts';
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

export class ClientCertificateAuthenticator implements Authenticator {
  readonly name = 'x509';
  #certificates: ClientCertificates;
  #users = new WeakMap<PeerCertificate, UserInfo | null>();

  /** `clientCa` returns the current PEM bundle of client CAs. */
  constructor(clock: Clock, clientCa: () => string) {
    this.#certificates = new ClientCertificates(clock, clientCa);
  }

  authenticate({ peerCertificate: peer }: ApiRequest): UserInfo | undefined {
    if (!peer) return undefined;
    const subject = this.#certificates.verify(peer);
    if (subject instanceof Error) {
      if (isOutOfDate(subject)) throw unauthorized();
      return undefined;
    }
    let user = this.#users.get(peer);
    if (user === undefined) {
      user = userOf(peer, subject) ?? null;
      this.#users.set(peer, user);
    }
    return user ?? undefined;
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
