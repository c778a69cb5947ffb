/** The parts of an X.509 certificate that verification needs, parsed from its DER. OpenSSL verifies the signatures. */
import { X509Certificate } from 'node:crypto';
import { ownValue } from '../../base/index.ts';
import { elements, oidText, TAG, type Element } from './der.ts';
import { alternativeNames, nameConstraints, type AlternativeNames, type NameConstraints } from './general-names.ts';
import { readName, type Name } from './name.ts';

export interface Certificate {
  readonly raw: Buffer;
  readonly version: number;
  readonly serial: Buffer;
  readonly subject: Name;
  readonly issuer: Buffer;
  readonly notBefore: number;
  readonly notAfter: number;
  /** The whole SubjectPublicKeyInfo. */
  readonly publicKey: Buffer;
  readonly signatureAlgorithm: string;
  readonly basicConstraints?: { readonly isCa: boolean; readonly maxPathLength?: number };
  /** The bits of the first octet, counted from the left; absent: any use. */
  readonly keyUsage?: number;
  /** Object identifiers; absent: any use. */
  readonly extendedKeyUsages?: readonly string[];
  /** Absent when there is no such extension. */
  readonly alternativeNames?: AlternativeNames;
  readonly nameConstraints?: NameConstraints;
  readonly subjectKeyId?: Buffer;
  readonly authorityKeyId?: Buffer;
  /** Critical extensions that are not understood: the certificate must be refused. */
  readonly unhandledCritical: readonly string[];
  /** For OpenSSL. */
  readonly native: () => X509Certificate;
}

type Extensions = {
  -readonly [
    Key in
      | 'basicConstraints'
      | 'keyUsage'
      | 'extendedKeyUsages'
      | 'alternativeNames'
      | 'nameConstraints'
      | 'subjectKeyId'
      | 'authorityKeyId'
  ]?: Certificate[Key];
};

/** Throws when the bytes are not a certificate. */
export function parseCertificate(raw: Buffer): Certificate {
  const [whole, ...rest] = elements(raw);
  if (whole?.tag !== TAG.sequence || rest.length > 0) throw malformed('certificate');
  const [tbs, algorithm] = elements(whole.content);
  const fields = elements(expect(tbs, TAG.sequence));
  const version = fields[0]?.tag === 0xa0 ? versionOf(fields.shift()!) : 1;
  const [serial, , issuer, validity, subject, publicKey, ...optional] = fields;
  const [notBefore, notAfter] = elements(expect(validity, TAG.sequence)).map(timeOf);
  if (notBefore === undefined || notAfter === undefined) throw malformed('validity');
  expect(issuer, TAG.sequence);
  expect(publicKey, TAG.sequence);
  const extensions = optional.find(({ tag }) => tag === 0xa3);
  const read = readExtensions(extensions);
  let native: X509Certificate | undefined;
  return {
    raw,
    version,
    serial: expect(serial, TAG.integer),
    subject: readName(subject),
    issuer: issuer!.whole,
    notBefore,
    notAfter,
    publicKey: publicKey!.whole,
    signatureAlgorithm: oidText(expect(elements(expect(algorithm, TAG.sequence))[0], TAG.oid)),
    ...read.known,
    unhandledCritical: read.unhandledCritical,
    native: () => (native ??= new X509Certificate(raw)),
  };
}

/** All certificates in a text of PEM blocks; unreadable ones are skipped, as in Go. */
export function certificatesOfPem(pem: string): Certificate[] {
  const [begin, end] = ['-----BEGIN CERTIFICATE-----', '-----END CERTIFICATE-----'];
  const found: Certificate[] = [];
  for (let at = pem.indexOf(begin); at >= 0;) {
    const stop = pem.indexOf(end, at);
    if (stop < 0) break;
    try {
      found.push(parseCertificate(Buffer.from(pem.slice(at + begin.length, stop), 'base64')));
    } catch {
      // An unreadable certificate is skipped.
    }
    at = pem.indexOf(begin, stop);
  }
  return found;
}

/** The concatenated DER certificates of a peer, its own first. */
export const certificatesOfDer = (chain: Buffer): Certificate[] =>
  elements(chain).map(({ whole }) => parseCertificate(whole));

const malformed = (part: string): Error => new Error(`x509: malformed ${part}`);

function expect(element: Element | undefined, tag: number): Buffer {
  if (element?.tag !== tag) throw malformed('certificate');
  return element.content;
}

const versionOf = ({ content }: Element): number => {
  const version = expect(elements(content)[0], TAG.integer);
  if (version.length !== 1 || version[0]! > 2) throw malformed('version');
  return version[0]! + 1;
};

/** The years of the short form are 1950 to 2049. */
function timeOf({ tag, content }: Element): number {
  const text = content.toString('latin1');
  const digits = tag === TAG.utcTime ? (Number(text.slice(0, 2)) >= 50 ? '19' : '20') + text : text;
  const match = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/.exec(digits);
  const known = tag === TAG.utcTime || tag === TAG.generalizedTime;
  const time =
    match && known ? Date.parse(`${match[1]}-${match[2]}-${match[3]}T${match[4]}:${match[5]}:${match[6]}Z`) : NaN;
  if (Number.isNaN(time)) throw malformed('time');
  return time;
}

/** Readers of extensions, by object identifier; a reader returns false when it understood nothing. */
const READERS: Readonly<Record<string, (value: Buffer, into: Extensions) => boolean>> = {
  '2.5.29.14': (value, into) => {
    into.subjectKeyId = only(value, TAG.octetString);
    return true;
  },
  '2.5.29.15': (value, into) => {
    into.keyUsage = only(value, TAG.bitString)[1] ?? 0;
    return true;
  },
  '2.5.29.17': (value, into) => {
    const names = alternativeNames(only(value, TAG.sequence));
    into.alternativeNames = names;
    return names.dnsNames.length + names.addresses.length + names.emails.length + names.uris.length > 0;
  },
  '2.5.29.19': (value, into) => {
    into.basicConstraints = basicConstraintsOf(only(value, TAG.sequence));
    return true;
  },
  '2.5.29.30': (value, into) => {
    into.nameConstraints = nameConstraints(only(value, TAG.sequence));
    return !into.nameConstraints.hasUnknown;
  },
  // CRL distribution points, policies, authority information access: ignored.
  '2.5.29.31': () => true,
  '2.5.29.32': () => true,
  '1.3.6.1.5.5.7.1.1': () => true,
  '2.5.29.35': (value, into) => {
    const id = elements(only(value, TAG.sequence)).find(({ tag }) => tag === 0x80);
    if (id) into.authorityKeyId = id.content;
    return true;
  },
  '2.5.29.37': (value, into) => {
    into.extendedKeyUsages = elements(only(value, TAG.sequence)).map((usage) => oidText(expect(usage, TAG.oid)));
    return true;
  },
};

function readExtensions(given: Element | undefined): { known: Extensions; unhandledCritical: string[] } {
  const known: Extensions = {};
  const unhandledCritical: string[] = [];
  const seen = new Set<string>();
  for (const extension of given ? elements(only(given.content, TAG.sequence)) : []) {
    const [id, ...rest] = elements(expect(extension, TAG.sequence));
    const name = oidText(expect(id, TAG.oid));
    if (seen.has(name)) throw new Error('x509: certificate contains duplicate extensions');
    seen.add(name);
    const critical = rest[0]?.tag === TAG.boolean ? rest.shift()!.content[0] === 0xff : false;
    const reader = ownValue(READERS, name);
    const understood = reader?.(expect(rest[0], TAG.octetString), known) ?? false;
    if (critical && !understood) unhandledCritical.push(name);
  }
  return { known, unhandledCritical };
}

function only(bytes: Buffer, tag: number): Buffer {
  const [first, ...rest] = elements(bytes);
  if (rest.length > 0) throw malformed('extension');
  return expect(first, tag);
}

function basicConstraintsOf(content: Buffer): { isCa: boolean; maxPathLength?: number } {
  const parts = elements(content);
  const isCa = parts[0]?.tag === TAG.boolean ? parts.shift()!.content[0] === 0xff : false;
  if (parts.length === 0) return { isCa };
  const length = expect(parts[0], TAG.integer);
  if (length.length === 0 || length.length > 4 || length[0]! & 0x80) throw malformed('basic constraints');
  return { isCa, maxPathLength: length.readUIntBE(0, length.length) };
}
