/** Whether a client's certificate was signed by one of the authorities of a bundle, which may change while we run. */
import { X509Certificate } from 'node:crypto';
import type { Clock } from '../../kernel/index.ts';
import type { PeerCertificate } from '../request.ts';

interface Checked {
  readonly bundle: string;
  readonly signed: boolean;
  readonly notBefore: number;
  readonly notAfter: number;
}

export class CertificateVerifier {
  #checked = new WeakMap<PeerCertificate, Checked>();
  #bundle = '';
  #authorities: X509Certificate[] = [];

  constructor(
    private readonly clock: Clock,
    private readonly clientCa: () => string,
  ) {}

  /** Signed by one of ours, for clients, and of today. */
  verify(peer: PeerCertificate): boolean {
    const bundle = this.clientCa();
    let checked = this.#checked.get(peer);
    if (checked?.bundle !== bundle) {
      checked = this.#check(peer, bundle);
      this.#checked.set(peer, checked);
    }
    const now = this.clock.now();
    return checked.signed && now >= checked.notBefore && now <= checked.notAfter;
  }

  /** Signed by one of ours, though perhaps not of today any more. */
  isSigned(peer: PeerCertificate): boolean {
    this.verify(peer);
    return this.#checked.get(peer)?.signed ?? false;
  }

  #check(peer: PeerCertificate, bundle: string): Checked {
    if (bundle !== this.#bundle) {
      this.#authorities = (bundle.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []).map((pem) => new X509Certificate(pem));
      this.#bundle = bundle;
    }
    const certificate = new X509Certificate(peer.raw);
    const signed = isClientCertificate(certificate) && this.#authorities.some((ca) => certificate.checkIssued(ca) && certificate.verify(ca.publicKey));
    return { bundle, signed, notBefore: Date.parse(certificate.validFrom), notAfter: Date.parse(certificate.validTo) };
  }
}

/** Node lists extended key usages by OID. */
const isClientCertificate = (certificate: X509Certificate): boolean => {
  const usages = certificate.keyUsage as readonly string[] | undefined;
  return usages === undefined || usages.includes('1.3.6.1.5.5.7.3.2') || usages.includes('2.5.29.37.0');
};
