/** Certificates: a CA, and what it signs for servers and clients. ECDSA P-256: small and quick to sign with. */
import * as x509 from '../../machinery/x509.ts';
import { webcrypto } from 'node:crypto';
import type { Context } from '../../kernel/index.ts';

type CryptoKey = webcrypto.CryptoKey;
type CryptoKeyPair = webcrypto.CryptoKeyPair;

x509.cryptoProvider.set('default', webcrypto as never);

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const DAY_MS = 24 * 3600 * 1000;

export interface KeyPair {
  /** PEM */
  readonly certificate: string;
  readonly key: string;
}

export interface Authority extends KeyPair {
  readonly issuer: x509.X509Certificate;
  readonly signingKey: CryptoKey;
}

type Dates = Pick<Context, 'clock' | 'random'>;

export async function createAuthority(ctx: Dates, commonName: string, days = 3650): Promise<Authority> {
  const keys = await generateKeys();
  const issuer = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serialNumber(ctx),
    name: [{ CN: [commonName] }],
    ...validity(ctx, days),
    keys,
    signingAlgorithm: ALGORITHM,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature | x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.keyEncipherment, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { certificate: issuer.toString('pem'), key: await exportKey(keys.privateKey), issuer, signingKey: keys.privateKey };
}

export async function loadAuthority(pair: KeyPair): Promise<Authority> {
  const signingKey = await webcrypto.subtle.importKey('pkcs8', x509.PemConverter.decodeFirst(pair.key), ALGORITHM, true, ['sign']);
  return { ...pair, issuer: new x509.X509Certificate(pair.certificate), signingKey };
}

export interface CertificateRequest {
  readonly commonName: string;
  readonly organizations?: readonly string[];
  readonly usage: 'server' | 'client' | 'both';
  readonly dnsNames?: readonly string[];
  readonly addresses?: readonly string[];
  readonly days?: number;
}

const SERVER_AUTH = '1.3.6.1.5.5.7.3.1';
const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2';

export async function issue(ctx: Dates, authority: Authority, request: CertificateRequest): Promise<KeyPair> {
  const keys = await generateKeys();
  const names: x509.JsonGeneralName[] = [
    ...(request.dnsNames ?? []).map((value) => ({ type: 'dns' as const, value })),
    ...(request.addresses ?? []).map((value) => ({ type: 'ip' as const, value })),
  ];
  const usages = request.usage === 'server' ? [SERVER_AUTH] : request.usage === 'client' ? [CLIENT_AUTH] : [SERVER_AUTH, CLIENT_AUTH];
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: serialNumber(ctx),
    subject: [...(request.organizations ?? []).map((O) => ({ O: [O] })), { CN: [request.commonName] }],
    issuer: authority.issuer.subject,
    ...validity(ctx, request.days ?? 365),
    publicKey: keys.publicKey,
    signingKey: authority.signingKey,
    signingAlgorithm: ALGORITHM,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature | x509.KeyUsageFlags.keyEncipherment, true),
      new x509.ExtendedKeyUsageExtension(usages),
      ...(names.length > 0 ? [new x509.SubjectAlternativeNameExtension(names)] : []),
      await x509.AuthorityKeyIdentifierExtension.create(authority.issuer.publicKey),
    ],
  });
  return { certificate: certificate.toString('pem'), key: await exportKey(keys.privateKey) };
}

/** RSA, because that is what ServiceAccount tokens are signed with (RS256). */
export async function createSigningKey(): Promise<{ privateKey: string; publicKey: string }> {
  const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256', modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]) };
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const spki = await webcrypto.subtle.exportKey('spki', keys.publicKey);
  return { privateKey: await exportKey(keys.privateKey), publicKey: x509.PemConverter.encode(spki, 'PUBLIC KEY') };
}

export function expiresAt(certificatePem: string): number {
  return new x509.X509Certificate(certificatePem).notAfter.getTime();
}

const generateKeys = async (): Promise<CryptoKeyPair> =>
  (await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])) as CryptoKeyPair;

async function exportKey(key: CryptoKey): Promise<string> {
  return x509.PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY');
}

/** A little in the past, so that a client whose clock is behind accepts it at once. */
function validity(ctx: Dates, days: number): { notBefore: Date; notAfter: Date } {
  const now = ctx.clock.now();
  return { notBefore: new Date(now - 5 * 60 * 1000), notAfter: new Date(now + days * DAY_MS) };
}

/** Positive and not zero, as X.509 wants it. */
function serialNumber(ctx: Dates): string {
  const bytes = ctx.random.bytes(16);
  bytes[0] = (bytes[0]! & 0x7f) | 0x40;
  return Buffer.from(bytes).toString('hex');
}
