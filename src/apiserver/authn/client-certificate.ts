/** X.509 client certificates: the common name is the user, organizations are its groups. */
import * as x509 from '../../machinery/x509.ts';
import { X509Certificate } from 'node:crypto';
import { unauthorized } from '../../machinery/status.ts';
import type { Clock } from '../../kernel/index.ts';
import type { ApiRequest, PeerCertificate, UserInfo } from '../request.ts';
import { withAuthenticated, type Authenticator } from './authenticator.ts';
import { CertificateVerifier } from './certificate-verifier.ts';

const CREDENTIAL_ID = 'authentication.kubernetes.io/credential-id';
const UID_OID = '1.3.6.1.4.1.57683.2';

export class ClientCertificateAuthenticator implements Authenticator {
  readonly name = 'x509';
  #verifier: CertificateVerifier;
  #users = new WeakMap<PeerCertificate, UserInfo | null>();

  /** `clientCa`: PEM bundle of the client CAs; read anew when it changes. */
  constructor(clock: Clock, clientCa: () => string) {
    this.#verifier = new CertificateVerifier(clock, clientCa);
  }

  authenticate({ peerCertificate: peer }: ApiRequest): UserInfo | undefined {
    if (!peer) return undefined;
    if (!this.#verifier.verify(peer)) {
      if (this.#verifier.isSigned(peer)) throw unauthorized();
      return undefined;
    }
    let user = this.#users.get(peer);
    if (user === undefined) {
      user = userOf(peer) ?? null;
      this.#users.set(peer, user);
    }
    return user ?? undefined;
  }
}

/** undefined: a certificate without a common name says nothing. */
function userOf(peer: PeerCertificate): UserInfo | undefined {
  const { subjectName } = new x509.X509Certificate(peer.raw);
  const name = subjectName.getField('CN')[0] ?? '';
  if (name === '') return undefined;
  const uids = subjectName.getField(UID_OID);
  if (uids.length > 1) throw unauthorized();
  const fingerprint = new X509Certificate(peer.raw).fingerprint256.replaceAll(':', '').toLowerCase();
  return {
    name,
    ...(uids[0] ? { uid: uids[0] } : {}),
    groups: withAuthenticated(subjectName.getField('O')),
    extra: { [CREDENTIAL_ID]: [`X509SHA256=${fingerprint}`] },
  };
}
