/** Certificates of any shape for tests, made without openssl. */
import { webcrypto } from 'node:crypto';
import * as x509 from '../../x509/index.ts';
import { CLIENT_AUTH, SERVER_AUTH } from '../verify-chain.ts';

export interface Shape {
  /** `CN=a, O=b` */
  readonly subject?: string;
  /** Absent: self-signed. */
  readonly issuer?: MadeCertificate;
  readonly dns?: readonly string[];
  readonly ips?: readonly string[];
  /** A number is the longest path below it; absent: the certificate says nothing of it. */
  readonly ca?: boolean | number;
  readonly usages?: readonly string[];
  readonly keyUsage?: number;
  /** Days from now. */
  readonly from?: number;
  readonly to?: number;
  readonly keys?: CryptoKeyPair;
  readonly extensions?: readonly x509.Extension[];
  /** Without the identifiers by which issuers are found. */
  readonly withoutKeyIds?: boolean;
}

type CryptoKeyPair = webcrypto.CryptoKeyPair;

export interface MadeCertificate {
  readonly raw: Buffer;
  readonly pem: string;
  readonly keyPem: string;
  readonly keys: CryptoKeyPair;
  readonly subject: string;
}

const EC = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const DAY_MS = 24 * 3600 * 1000;
let serial = 1;

export async function makeCertificate(shape: Shape = {}): Promise<MadeCertificate> {
  const {
    subject = 'CN=test',
    issuer,
    dns = [],
    ips = [],
    ca,
    usages,
    keyUsage,
    from = -1,
    to = 1,
    extensions = [],
    withoutKeyIds,
  } = shape;
  const keys = shape.keys ?? (await webcrypto.subtle.generateKey(EC, true, ['sign', 'verify']));
  const names = [
    ...dns.map((value) => ({ type: 'dns' as const, value })),
    ...ips.map((value) => ({ type: 'ip' as const, value })),
  ];
  const made = await x509.X509CertificateGenerator.create(
    {
      serialNumber: (serial++).toString(16).padStart(2, '0'),
      subject,
      issuer: issuer?.subject ?? subject,
      notBefore: new Date(Date.now() + from * DAY_MS),
      notAfter: new Date(Date.now() + to * DAY_MS),
      signingAlgorithm: EC,
      publicKey: keys.publicKey,
      signingKey: (issuer?.keys ?? keys).privateKey,
      extensions: [
        ...(ca === undefined
          ? []
          : [new x509.BasicConstraintsExtension(ca !== false, typeof ca === 'number' ? ca : undefined, true)]),
        ...(names.length > 0 ? [new x509.SubjectAlternativeNameExtension(names)] : []),
        ...(usages ? [new x509.ExtendedKeyUsageExtension([...usages])] : []),
        ...(keyUsage === undefined ? [] : [new x509.KeyUsagesExtension(keyUsage, true)]),
        ...(withoutKeyIds ? [] : [await x509.SubjectKeyIdentifierExtension.create(keys.publicKey)]),
        ...(withoutKeyIds ? [] : [await x509.AuthorityKeyIdentifierExtension.create((issuer?.keys ?? keys).publicKey)]),
        ...extensions,
      ],
    },
    webcrypto as never,
  );
  const key = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64');
  return {
    raw: Buffer.from(made.rawData),
    pem: `${made.toString('pem')}\n`,
    keyPem: `-----BEGIN PRIVATE KEY-----\n${key.match(/.{1,64}/g)!.join('\n')}\n-----END PRIVATE KEY-----\n`,
    keys,
    subject,
  };
}

export { CLIENT_AUTH, SERVER_AUTH };
