/** Creates CAs and issues server and client certificates, with ECDSA P-256 keys. */
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPair,
  generateKeyPairSync,
  sign,
  X509Certificate,
  type KeyObject,
} from 'node:crypto';
import { promisify } from 'node:util';
import { parseIp } from '../../base/index.ts';
import type { Context } from '../../kernel/index.ts';
import {
  bitString,
  elements,
  encode,
  integer,
  octetString,
  oid,
  sequence,
  TAG,
  text,
  time,
} from '../../net/tls/index.ts';

const DAY_MS = 24 * 3600 * 1000;
/** notBefore is in the past, for machines whose clock is behind, be it by an hour. */
const BACKDATE_MS = 2 * 3600 * 1000;

export interface KeyPair {
  /** PEM */
  readonly certificate: string;
  readonly key: string;
}

export interface Authority extends KeyPair {
  /**
   * PEM: the certificate that signs, and after it those that are trusted besides: the CA that comes next, or the one of
   * before.
   */
  readonly certificate: string;
  readonly signingKey: KeyObject;
  /** The DER-encoded subject, which is the issuer of its certificates. */
  readonly subject: Buffer;
  /** The subject key identifier. */
  readonly keyId: Buffer;
}

type IssueContext = Pick<Context, 'clock' | 'random'>;

export function createAuthority(ctx: IssueContext, commonName: string, days = 3650): Promise<Authority> {
  const keys = createKeys();
  const subject = distinguishedName([[COMMON_NAME, commonName]]);
  const certificate = signCertificate({
    ctx,
    days,
    subject,
    issuer: { subject, signingKey: keys.privateKey },
    publicKey: keys.publicKey,
    extensions: [
      basicConstraints(true),
      keyUsage(DIGITAL_SIGNATURE | KEY_ENCIPHERMENT | CERTIFICATE_SIGN),
      extension(SUBJECT_KEY_ID, octetString(keyIdOf(keys.publicKey))),
    ],
  });
  return Promise.resolve({
    certificate,
    key: pemOf(keys.privateKey),
    signingKey: keys.privateKey,
    subject,
    keyId: keyIdOf(keys.publicKey),
  });
}

/** The key tells which certificate of the bundle signs. */
export function loadAuthority({ certificate: bundle, key }: KeyPair): Promise<Authority> {
  const signingKey = createPrivateKey(key);
  const certificates = certificatesIn(bundle);
  const signer = certificates.find((pem) => new X509Certificate(pem).checkPrivateKey(signingKey));
  if (signer === undefined) throw new Error('the private key of the CA belongs to none of its certificates');
  const certificate = [signer, ...certificates.filter((pem) => pem !== signer)].join('');
  return Promise.resolve({ certificate, key, signingKey, ...issuerParts(signer) });
}

/** Each certificate of a PEM bundle. */
export const certificatesIn = (bundle: string): string[] =>
  (bundle.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? []).map((pem) => `${pem}\n`);

export interface CertificateRequest {
  readonly commonName: string;
  readonly organizations?: readonly string[];
  readonly usage: 'server' | 'client' | 'both';
  readonly dnsNames?: readonly string[];
  readonly addresses?: readonly string[];
  readonly days?: number;
}

const USAGES = { server: '1.3.6.1.5.5.7.3.1', client: '1.3.6.1.5.5.7.3.2' } as const;

export function issue(ctx: IssueContext, authority: Authority, request: CertificateRequest): Promise<KeyPair> {
  const keys = createKeys();
  const { usage, organizations = [], commonName, days = 365 } = request;
  const usages = usage === 'both' ? [USAGES.server, USAGES.client] : [USAGES[usage]];
  const names = alternativeNames(request);
  const certificate = signCertificate({
    ctx,
    days,
    subject: distinguishedName([
      ...organizations.map((name) => [ORGANIZATION, name] as const),
      [COMMON_NAME, commonName],
    ]),
    issuer: authority,
    publicKey: keys.publicKey,
    extensions: [
      basicConstraints(false),
      keyUsage(DIGITAL_SIGNATURE | KEY_ENCIPHERMENT),
      extension(EXTENDED_KEY_USAGE, sequence(...usages.map(oid))),
      ...(names.length > 0 ? [extension(ALTERNATIVE_NAME, sequence(...names))] : []),
      extension(AUTHORITY_KEY_ID, sequence(encode(0x80, authority.keyId))),
    ],
  });
  return Promise.resolve({ certificate, key: pemOf(keys.privateKey) });
}

/** Creates a key that signs ServiceAccount tokens: RSA for RS256, as usual, or ECDSA, which is faster to create. */
export async function createSigningKey(type: 'rsa' | 'ec' = 'rsa'): Promise<{ privateKey: string; publicKey: string }> {
  const { privateKey, publicKey } =
    type === 'ec' ? createKeys() : await promisify(generateKeyPair)('rsa', { modulusLength: 2048 });
  return { privateKey: pemOf(privateKey), publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString() };
}

export function expiresAt(certificatePem: string): number {
  return Date.parse(new X509Certificate(certificatePem).validTo);
}

const createKeys = (): { privateKey: KeyObject; publicKey: KeyObject } =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' });
const pemOf = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }).toString();
const spkiOf = (key: KeyObject): Buffer => key.export({ type: 'spki', format: 'der' });

/** The SHA-1 of the key bits, as RFC 5280 suggests. */
function keyIdOf(publicKey: KeyObject): Buffer {
  const [, bits] = elements(elements(spkiOf(publicKey))[0]!.content);
  return createHash('sha1').update(bits!.content.subarray(1)).digest();
}

const COMMON_NAME = '2.5.4.3';
const ORGANIZATION = '2.5.4.10';
const SUBJECT_KEY_ID = '2.5.29.14';
const KEY_USAGE = '2.5.29.15';
const ALTERNATIVE_NAME = '2.5.29.17';
const BASIC_CONSTRAINTS = '2.5.29.19';
const AUTHORITY_KEY_ID = '2.5.29.35';
const EXTENDED_KEY_USAGE = '2.5.29.37';

/** Bits of the key usage extension. */
const DIGITAL_SIGNATURE = 0x80;
const KEY_ENCIPHERMENT = 0x20;
const CERTIFICATE_SIGN = 0x04;

const TRUE = encode(TAG.boolean, Buffer.from([0xff]));

const extension = (id: string, value: Buffer, critical = false): Buffer =>
  sequence(oid(id), ...(critical ? [TRUE] : []), octetString(value));
const basicConstraints = (isAuthority: boolean): Buffer =>
  extension(BASIC_CONSTRAINTS, sequence(...(isAuthority ? [TRUE] : [])), true);
const keyUsage = (bits: number): Buffer =>
  extension(KEY_USAGE, bitString(Buffer.from([bits]), Math.log2(bits & -bits)), true);

function distinguishedName(parts: readonly (readonly [id: string, value: string])[]): Buffer {
  return sequence(...parts.map(([id, value]) => encode(TAG.set, sequence(oid(id), text(value)))));
}

function alternativeNames({ dnsNames = [], addresses = [] }: CertificateRequest): Buffer[] {
  return [
    ...dnsNames.map((name) => encode(0x82, Buffer.from(name, 'ascii'))),
    ...addresses.flatMap((address) => {
      const ip = parseIp(address);
      return ip ? [encode(0x87, Buffer.from(ip.bytes))] : [encode(0x82, Buffer.from(address, 'ascii'))];
    }),
  ];
}

interface CertificateFields {
  readonly ctx: IssueContext;
  readonly days: number;
  readonly subject: Buffer;
  readonly issuer: Pick<Authority, 'subject' | 'signingKey'>;
  readonly publicKey: KeyObject;
  readonly extensions: readonly Buffer[];
}

const VERSION_3 = encode(0xa0, integer(Buffer.from([2])));

function signCertificate({ ctx, days, subject, issuer, publicKey, extensions }: CertificateFields): string {
  const algorithm = signatureAlgorithm(issuer.signingKey);
  const now = ctx.clock.now();
  const validity = sequence(time(now - BACKDATE_MS), time(now + days * DAY_MS));
  const body = sequence(
    VERSION_3,
    integer(serialNumber(ctx)),
    algorithm,
    issuer.subject,
    validity,
    subject,
    spkiOf(publicKey),
    encode(0xa3, sequence(...extensions)),
  );
  const certificate = sequence(body, algorithm, bitString(sign('sha256', body, issuer.signingKey)));
  return `-----BEGIN CERTIFICATE-----\n${certificate.toString('base64').replaceAll(/.{1,64}/g, '$&\n')}-----END CERTIFICATE-----\n`;
}

function signatureAlgorithm(key: KeyObject): Buffer {
  if (key.asymmetricKeyType === 'ec') return sequence(oid('1.2.840.10045.4.3.2'));
  if (key.asymmetricKeyType === 'rsa') return sequence(oid('1.2.840.113549.1.1.11'), Buffer.from([0x05, 0x00]));
  throw new Error(`certificates cannot be signed with a key of type ${key.asymmetricKeyType}`);
}

/** Serial numbers must be positive. */
function serialNumber(ctx: IssueContext): Uint8Array {
  const bytes = ctx.random.bytes(16);
  bytes[0] = (bytes[0]! & 0x7f) | 0x40;
  return bytes;
}

/** The subject and the key identifier of a CA certificate, as they appear in the certificates that it issues. */
function issuerParts(pem: string): { subject: Buffer; keyId: Buffer } {
  const { raw } = new X509Certificate(pem);
  const fields = elements(elements(elements(raw)[0]!.content)[0]!.content);
  /** Version (optional), serial number, algorithm, issuer, validity, subject, key, … */
  const offset = fields[0]!.tag === 0xa0 ? 1 : 0;
  const wrapped = fields.find(({ tag }) => tag === 0xa3);
  const extensions = wrapped ? elements(elements(wrapped.content)[0]!.content) : [];
  const wanted = oid(SUBJECT_KEY_ID);
  const found = extensions.map(({ content }) => elements(content)).find(([id]) => id!.whole.equals(wanted));
  const keyId = found ? elements(found.at(-1)!.content)[0]!.content : keyIdOf(createPublicKey(pem));
  return { subject: fields[offset + 4]!.whole, keyId };
}
