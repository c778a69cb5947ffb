/** Whether one certificate signed another, with the keys and algorithms that Go's crypto/x509 accepts. */
import { ownValue } from '../../base/index.ts';
import type { Certificate } from './certificate.ts';
import { elements, oidText, TAG } from './der.ts';

/** Go's error for a wrong signature. */
const ALGORITHMS: Readonly<Record<string, { readonly wrong: string } | { readonly insecure: string }>> = {
  '1.2.840.113549.1.1.11': { wrong: 'crypto/rsa: verification error' },
  '1.2.840.113549.1.1.12': { wrong: 'crypto/rsa: verification error' },
  '1.2.840.113549.1.1.13': { wrong: 'crypto/rsa: verification error' },
  '1.2.840.113549.1.1.10': { wrong: 'crypto/rsa: verification error' },
  '1.2.840.10045.4.3.2': { wrong: 'x509: ECDSA verification failure' },
  '1.2.840.10045.4.3.3': { wrong: 'x509: ECDSA verification failure' },
  '1.2.840.10045.4.3.4': { wrong: 'x509: ECDSA verification failure' },
  '1.3.101.112': { wrong: 'x509: Ed25519 verification failure' },
  '1.2.840.113549.1.1.4': { insecure: 'MD5-RSA' },
  '1.2.840.113549.1.1.5': { insecure: 'SHA1-RSA' },
  '1.2.840.10045.4.1': { insecure: 'ECDSA-SHA1' },
};

/** keyCertSign */
const SIGNS_CERTIFICATES = 0x04;

/** Why `parent` did not sign `child`; undefined when it did. */
export function signatureProblem(child: Certificate, parent: Certificate): string | undefined {
  const { version, basicConstraints, keyUsage } = parent;
  const mayNotSign =
    (version === 3 && basicConstraints === undefined) ||
    basicConstraints?.isCa === false ||
    (keyUsage !== undefined && (keyUsage & SIGNS_CERTIFICATES) === 0);
  if (mayNotSign) return 'x509: invalid signature: parent certificate cannot sign this kind of certificate';
  const algorithm = ownValue(ALGORITHMS, child.signatureAlgorithm);
  if (algorithm === undefined) return 'x509: cannot verify signature: algorithm unimplemented';
  if ('insecure' in algorithm) return `x509: cannot verify signature: insecure algorithm ${algorithm.insecure}`;
  try {
    return child.native().verify(parent.native().publicKey) ? undefined : algorithm.wrong;
  } catch {
    return algorithm.wrong;
  }
}

const RSA = '1.2.840.113549.1.1.1';
const EC = '1.2.840.10045.2.1';
const ED25519 = '1.3.101.112';
/** P-224, P-256, P-384, P-521; explicit curve parameters are refused. */
const CURVES = new Set(['1.3.132.0.33', '1.2.840.10045.3.1.7', '1.3.132.0.34', '1.3.132.0.35']);
/** As Go's crypto/tls: verifying with a longer key takes long, and peers choose their intermediates' keys. */
const [MIN_RSA_BITS, MAX_RSA_BITS] = [1024, 8192];

export function canVerifyWith(publicKey: Buffer): boolean {
  try {
    return isKnownKey(publicKey);
  } catch {
    return false;
  }
}

function isKnownKey(publicKey: Buffer): boolean {
  const [algorithm, bits] = elements(elements(publicKey)[0]?.content ?? Buffer.alloc(0));
  const [id, parameters] = algorithm ? elements(algorithm.content) : [];
  if (id?.tag !== TAG.oid || bits?.tag !== TAG.bitString) return false;
  switch (oidText(id.content)) {
    case RSA: {
      const length = modulusBits(bits.content.subarray(1));
      return length >= MIN_RSA_BITS && length <= MAX_RSA_BITS;
    }
    case EC:
      return parameters?.tag === TAG.oid && CURVES.has(oidText(parameters.content));
    case ED25519:
      return true;
    default:
      return false;
  }
}

function modulusBits(key: Buffer): number {
  const modulus = elements(elements(key)[0]?.content ?? Buffer.alloc(0))[0]?.content ?? Buffer.alloc(0);
  const first = modulus.findIndex((byte) => byte !== 0);
  return first < 0 ? 0 : (modulus.length - first) * 8 - Math.clz32(modulus[first]!) + 24;
}
