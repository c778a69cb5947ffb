/** Signs certificates with a CA of the cluster. */
import { createPrivateKey, webcrypto } from 'node:crypto';
import type { Clock, Random } from '../../kernel/index.ts';
import * as x509 from '../../net/x509/index.ts';
import type { RequestedCertificate } from './request.ts';

x509.cryptoProvider.set('default', webcrypto as never);

const BACKDATE_MS = 5 * 60_000;
/** Lifetimes up to this are not shortened by backdating. */
const SHORT_MS = 8 * 3600_000;

/** OpenSSL's curve names to those of Web Crypto. */
const CURVES: ReadonlyMap<string, string> = new Map(
  Object.entries({ prime256v1: 'P-256', secp384r1: 'P-384', secp521r1: 'P-521' }),
);

const KEY_USAGES: ReadonlyMap<string, number> = new Map(
  Object.entries<number>({
    signing: x509.KeyUsageFlags.digitalSignature,
    'digital signature': x509.KeyUsageFlags.digitalSignature,
    'content commitment': x509.KeyUsageFlags.nonRepudiation,
    'key encipherment': x509.KeyUsageFlags.keyEncipherment,
    'key agreement': x509.KeyUsageFlags.keyAgreement,
    'data encipherment': x509.KeyUsageFlags.dataEncipherment,
    'cert sign': x509.KeyUsageFlags.keyCertSign,
    'crl sign': x509.KeyUsageFlags.cRLSign,
    'encipher only': x509.KeyUsageFlags.encipherOnly,
    'decipher only': x509.KeyUsageFlags.decipherOnly,
  }),
);

const EXTENDED_USAGES: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({
    any: '2.5.29.37.0',
    'server auth': '1.3.6.1.5.5.7.3.1',
    'client auth': '1.3.6.1.5.5.7.3.2',
    'code signing': '1.3.6.1.5.5.7.3.3',
    'email protection': '1.3.6.1.5.5.7.3.4',
    's/mime': '1.3.6.1.5.5.7.3.4',
    'ipsec end system': '1.3.6.1.5.5.7.3.5',
    'ipsec tunnel': '1.3.6.1.5.5.7.3.6',
    'ipsec user': '1.3.6.1.5.5.7.3.7',
    timestamping: '1.3.6.1.5.5.7.3.8',
    'ocsp signing': '1.3.6.1.5.5.7.3.9',
    'microsoft sgc': '1.3.6.1.4.1.311.10.3.3',
    'netscape sgc': '2.16.840.1.113730.4.1',
  }),
);

interface SigningOptions {
  readonly usages: readonly string[];
  readonly lifetimeMs: number;
}

export class CertificateAuthority {
  readonly #certificate: string;
  #parsed: x509.X509Certificate | undefined;
  readonly #key: Promise<webcrypto.CryptoKey>;
  readonly #algorithm: { name: string; hash: string; namedCurve?: string };

  constructor(certificate: string, key: string) {
    this.#certificate = certificate;
    const parsed = createPrivateKey(key);
    const curve = CURVES.get(parsed.asymmetricKeyDetails?.namedCurve ?? '');
    const imported =
      parsed.asymmetricKeyType === 'ec'
        ? { name: 'ECDSA', namedCurve: curve ?? 'P-256' }
        : { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' };
    this.#algorithm = { ...imported, hash: 'SHA-256' };
    this.#key = webcrypto.subtle.importKey('pkcs8', parsed.export({ type: 'pkcs8', format: 'der' }), imported, false, [
      'sign',
    ]);
    this.#key.catch(() => {});
  }

  /** Parsed at the first request, because that takes time and most test clusters have none. */
  get #issuer(): x509.X509Certificate {
    return (this.#parsed ??= new x509.X509Certificate(this.#certificate));
  }

  async sign(
    ctx: { clock: Clock; random: Random },
    request: RequestedCertificate,
    { usages, lifetimeMs }: SigningOptions,
  ): Promise<string> {
    const now = ctx.clock.now();
    const from = now - BACKDATE_MS;
    const until = Math.min((lifetimeMs <= SHORT_MS ? now : from) + lifetimeMs, this.#issuer.notAfter.getTime());
    const keyUsage = usages.reduce((flags, usage) => flags | (KEY_USAGES.get(usage) ?? 0), 0);
    const extended = [...new Set(usages.flatMap((usage) => EXTENDED_USAGES.get(usage) ?? []))];
    const { alternative } = request;
    const certificate = await x509.X509CertificateGenerator.create({
      serialNumber: serialNumber(ctx.random),
      // The names keep their encoding, because verifiers compare the bytes.
      subject: request.parsed.subjectName,
      issuer: this.#issuer.subjectName,
      notBefore: new Date(from),
      notAfter: new Date(until),
      publicKey: request.parsed.publicKey,
      signingKey: (await this.#key) as never,
      signingAlgorithm: this.#algorithm,
      extensions: [
        ...(keyUsage === 0 ? [] : [new x509.KeyUsagesExtension(keyUsage, true)]),
        ...(extended.length === 0 ? [] : [new x509.ExtendedKeyUsageExtension(extended)]),
        new x509.BasicConstraintsExtension(false, undefined, true),
        await x509.AuthorityKeyIdentifierExtension.create(this.#issuer.publicKey),
        ...(alternative ? [alternative] : []),
      ],
    });
    return `${certificate.toString('pem')}\n`;
  }
}

/** X.509 requires a positive number. */
function serialNumber(random: Random): string {
  const bytes = Buffer.from(random.bytes(16));
  bytes[0] = (bytes.readUInt8(0) & 0x7f) | 0x40;
  return bytes.toString('hex');
}
