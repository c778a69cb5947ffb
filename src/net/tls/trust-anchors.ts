/** Trust anchors: the certificates of a CA bundle, or those of the machine. */
import { existsSync, readFileSync } from 'node:fs';
import tls from 'node:tls';
import { certificatesOfPem, type Certificate } from './certificate.ts';

export class CertificatePool {
  readonly #bySubject = new Map<string, Certificate[]>();
  readonly #raw = new Set<string>();

  constructor(certificates: Iterable<Certificate>) {
    for (const certificate of certificates) this.#add(certificate);
  }

  get size(): number {
    return this.#raw.size;
  }

  contains(certificate: Certificate): boolean {
    return this.#raw.has(certificate.raw.toString('latin1'));
  }

  /** Possible issuers: those with the named key id first, then those without a key id, then others of the same name. */
  parentsOf({ issuer, authorityKeyId }: Certificate): Certificate[] {
    const rank = ({ subjectKeyId }: Certificate): number => {
      if (!subjectKeyId || !authorityKeyId) return subjectKeyId === authorityKeyId ? 0 : 1;
      return subjectKeyId.equals(authorityKeyId) ? 0 : 2;
    };
    return [...(this.#bySubject.get(issuer.toString('latin1')) ?? [])].sort((a, b) => rank(a) - rank(b));
  }

  #add(certificate: Certificate): void {
    const raw = certificate.raw.toString('latin1');
    if (this.#raw.has(raw)) return;
    this.#raw.add(raw);
    const subject = certificate.subject.raw.toString('latin1');
    const same = this.#bySubject.get(subject);
    if (same) same.push(certificate);
    else this.#bySubject.set(subject, [certificate]);
  }
}

/** Throws client-go's error when the bundle has no certificate. */
export function bundlePool(pem: string): CertificatePool {
  const certificates = certificatesOfPem(pem);
  if (certificates.length === 0)
    throw new Error('unable to load root certificates: unable to parse bytes as PEM block');
  return new CertificatePool(certificates);
}

const SYSTEM_LISTS = [
  '/etc/ssl/certs/ca-certificates.crt',
  '/etc/pki/tls/certs/ca-bundle.crt',
  '/etc/ssl/ca-bundle.pem',
  '/etc/ssl/cert.pem',
];

let system: CertificatePool | undefined;

/** The machine's CA list, the certificates in NODE_EXTRA_CA_CERTS, and the public roots that come with Node. */
export function systemPool(): CertificatePool {
  system ??= new CertificatePool([...systemTexts()].flatMap(certificatesOfPem));
  return system;
}

function* systemTexts(): Generator<string> {
  const list = process.env['SSL_CERT_FILE'] || SYSTEM_LISTS.find((file) => existsSync(file));
  for (const file of [list, process.env['NODE_EXTRA_CA_CERTS']]) if (file) yield readable(file);
  yield* tls.rootCertificates;
}

function readable(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return '';
  }
}
