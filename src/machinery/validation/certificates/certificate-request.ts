/** Validates PKCS#10 certificate requests: their form and signature. */
import { constants, createPublicKey, verify, type KeyObject, type VerifyKeyObjectInput } from 'node:crypto';
import { pemBlocks } from '../../../base/index.ts';

/** Go's error for the request; undefined if it is valid. */
export function certificateRequestProblem(pem: string): string | undefined {
  const [block] = pemBlocks(pem);
  if (block?.type !== 'CERTIFICATE REQUEST') return 'PEM block type must be CERTIFICATE REQUEST';
  const request = parseRequest(block.bytes);
  return typeof request === 'string' ? request : signatureProblem(request);
}

/** The public key of a request in DER, and whether the key signed it; undefined if it is none. */
export function certificateRequestOf(der: Buffer): { publicKey: Buffer; isSigned: boolean } | undefined {
  const request = parseRequest(der);
  if (typeof request === 'string') return undefined;
  return { publicKey: request.publicKey, isSigned: signatureProblem(request) === undefined };
}

interface Element {
  readonly tag: number;
  readonly constructed: boolean;
  /** The whole element, and what is in it. */
  readonly raw: Buffer;
  readonly content: Buffer;
}

interface Request {
  readonly signed: Buffer;
  readonly publicKey: Buffer;
  readonly algorithm: string;
  readonly parameters: Buffer;
  readonly signature: Buffer;
}

const SEQUENCE = 16;
const TRUNCATED = 'asn1: syntax error: data truncated';

function readElement(bytes: Buffer): Element | undefined {
  const [first, lengthByte] = bytes;
  if (first === undefined || lengthByte === undefined) return undefined;
  let header = 2;
  let length = lengthByte;
  if (lengthByte & 0x80) {
    const count = lengthByte & 0x7f;
    if (count === 0 || count > 4 || bytes.length < 2 + count) return undefined;
    length = bytes.readUIntBE(2, count);
    header += count;
  }
  if (bytes.length < header + length) return undefined;
  const raw = bytes.subarray(0, header + length);
  return { tag: first & 0x1f, constructed: (first & 0x20) !== 0, raw, content: raw.subarray(header) };
}

function readSequence(bytes: Buffer): Element[] | undefined {
  const elements: Element[] = [];
  for (let rest = bytes; rest.length > 0;) {
    const element = readElement(rest);
    if (!element) return undefined;
    elements.push(element);
    rest = rest.subarray(element.raw.length);
  }
  return elements;
}

function parseRequest(der: Buffer): Request | string {
  const outer = readElement(der);
  if (!outer) return TRUNCATED;
  if (outer.tag !== SEQUENCE || !outer.constructed) {
    const found = `{class:${der[0]! >> 6} tag:${outer.tag} length:${outer.content.length} isCompound:${outer.constructed}}`;
    const options =
      '{optional:false explicit:false application:false private:false defaultValue:<nil> tag:<nil> stringType:0 timeType:0 set:false omitEmpty:false}';
    return `asn1: structure error: tags don't match (16 vs ${found}) ${options} certificateRequest @2`;
  }
  if (outer.raw.length < der.length) return 'asn1: syntax error: trailing data';
  const [info, algorithm, signature] = readSequence(outer.content) ?? [];
  const [, , publicKey] = (info && readSequence(info.content)) ?? [];
  const [oid, parameters] = (algorithm && readSequence(algorithm.content)) ?? [];
  if (!info || !publicKey || !oid || !signature) return 'asn1: structure error: sequence truncated';
  return {
    signed: info.raw,
    publicKey: publicKey.raw,
    algorithm: oid.content.toString('hex'),
    parameters: parameters?.raw ?? Buffer.alloc(0),
    // A BIT STRING begins with the number of unused bits.
    signature: signature.content.subarray(1),
  };
}

/** Signature algorithms by the bytes of their object identifiers. */
const ALGORITHMS: ReadonlyMap<string, { readonly hash: string | null; readonly key: string }> = new Map(
  Object.entries<{ readonly hash: string | null; readonly key: string }>({
    '2a864886f70d010105': { hash: 'sha1', key: 'rsa' },
    '2a864886f70d01010b': { hash: 'sha256', key: 'rsa' },
    '2a864886f70d01010c': { hash: 'sha384', key: 'rsa' },
    '2a864886f70d01010d': { hash: 'sha512', key: 'rsa' },
    '2a864886f70d01010a': { hash: 'sha256', key: 'rsa-pss' },
    '2a8648ce3d0401': { hash: 'sha1', key: 'ec' },
    '2a8648ce3d040302': { hash: 'sha256', key: 'ec' },
    '2a8648ce3d040303': { hash: 'sha384', key: 'ec' },
    '2a8648ce3d040304': { hash: 'sha512', key: 'ec' },
    '2b6570': { hash: null, key: 'ed25519' },
  }),
);
const FAILURES: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({
    rsa: 'crypto/rsa: verification error',
    'rsa-pss': 'crypto/rsa: verification error',
    ec: 'x509: ECDSA verification failure',
    ed25519: 'x509: Ed25519 verification failure',
  }),
);
const UNKNOWN_ALGORITHM = 'x509: cannot verify signature: algorithm unimplemented';
/** For RSA-PSS the parameters name the hash. */
const PSS_HASHES: readonly (readonly [string, string])[] = [
  ['608648016503040203', 'sha512'],
  ['608648016503040202', 'sha384'],
  ['608648016503040201', 'sha256'],
];

function signatureProblem({ signed, publicKey, algorithm, parameters, signature }: Request): string | undefined {
  const known = ALGORITHMS.get(algorithm);
  if (!known) return UNKNOWN_ALGORITHM;
  let key: KeyObject;
  try {
    key = createPublicKey({ key: publicKey, format: 'der', type: 'spki' });
  } catch {
    return 'x509: failed to parse public key';
  }
  const keyType = key.asymmetricKeyType;
  if (keyType !== known.key && !(known.key === 'rsa-pss' && keyType === 'rsa')) {
    return `x509: signature algorithm specifies an ${known.key.toUpperCase()} public key, but have public key of type ${keyType}`;
  }
  const input: VerifyKeyObjectInput = { key };
  let hash = known.hash;
  if (known.key === 'rsa-pss') {
    const hex = parameters.toString('hex');
    hash = PSS_HASHES.find(([oid]) => hex.includes(oid))?.[1] ?? 'sha256';
    input.padding = constants.RSA_PKCS1_PSS_PADDING;
    input.saltLength = constants.RSA_PSS_SALTLEN_AUTO;
  }
  try {
    return verify(hash, signed, input, signature) ? undefined : FAILURES.get(known.key);
  } catch {
    return FAILURES.get(known.key);
  }
}
