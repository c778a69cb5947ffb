/** X.509 client certificates: the common name is the user, organizations are its groups. */
import * as x509 from '../../machinery/x509.ts';
import { X509Certificate } from 'node:crypto';
import { unauthorized } from '../../machinery/status.ts';
import type { Clock } from '../../kernel/index.ts';
import type { ApiRequest, PeerCertificate, UserInfo } from '../request.ts';
import type { Authenticator } from './authenticator.ts';

const CREDENTIAL_ID = 'authentication.kubernetes.io/credential-id';
const UID_OID = '1.3.6.1.4.1.57683.2';

export class ClientCertificateAuthenticator implements Authenticator {
  readonly name = 'x509';
  #users = new WeakMap<PeerCertificate, { user: UserInfo; notBefore: number; notAfter: number } | null>();

  constructor(
    private readonly clock: Clock,
    /** PEM bundle of the client CAs; read anew when it changes. */
    private readonly clientCa: () => string,
  ) {}

  authenticate(request: ApiRequest): UserInfo | undefined {
    const peer = request.peerCertificate;
    if (!peer) return undefined;
    let known = this.#users.get(peer);
    if (known === undefined) {
      known = this.#verify(peer) ?? null;
      this.#users.set(peer, known);
    }
    if (!known) return undefined;
    const now = this.clock.now();
    if (now < known.notBefore || now > known.notAfter) throw unauthorized();
    return known.user;
  }

  #verify(peer: PeerCertificate): { user: UserInfo; notBefore: number; notAfter: number } | undefined {
    const certificate = new X509Certificate(peer.raw);
    const authorities = this.clientCa().match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
    const signed = authorities.some((pem) => {
      const ca = new X509Certificate(pem);
      return certificate.checkIssued(ca) && certificate.verify(ca.publicKey);
    });
    if (!signed || !isClientCertificate(certificate)) return undefined;
    const parsed = new x509.X509Certificate(peer.raw);
    const name = parsed.subjectName.getField('CN')[0] ?? '';
    if (name === '') return undefined;
    const uid = parsed.subjectName.getField(UID_OID)[0];
    const fingerprint = certificate.fingerprint256.replaceAll(':', '').toLowerCase();
    const user: UserInfo = {
      name,
      ...(uid ? { uid } : {}),
      groups: [...parsed.subjectName.getField('O'), 'system:authenticated'],
      extra: { [CREDENTIAL_ID]: [`X509SHA256=${fingerprint}`] },
    };
    return { user, notBefore: parsed.notBefore.getTime(), notAfter: parsed.notAfter.getTime() };
  }
}

/** Node lists extended key usages by OID. */
const isClientCertificate = (certificate: X509Certificate): boolean => {
  const usages = certificate.keyUsage as readonly string[] | undefined;
  return usages === undefined || usages.includes('1.3.6.1.5.5.7.3.2') || usages.includes('2.5.29.37.0');
};
