/**
 * Verifies a certificate: there must be a chain from it to a trust anchor through certificates that the peer sent, each
 * signed by the next, all of them valid now, authorized to sign, and for the requested usage. As in Go's crypto/x509,
 * every certificate in the pool is an anchor, whether self-signed, an intermediate, or the peer's own; an anchor must
 * be valid, too.
 */
import { CertificateError } from './certificate-error.ts';
import type { Certificate } from './certificate.ts';
import { constraintViolation } from './general-names.ts';
import { commonName, organizations } from './name.ts';
import { canVerifyWith, signatureProblem } from './signature.ts';
import { CertificatePool } from './trust-anchors.ts';
import { verifyHostname } from './verify-hostname.ts';

export const SERVER_AUTH = '1.3.6.1.5.5.7.3.1';
export const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2';
const ANY_USAGE = '2.5.29.37.0';

export interface VerifyOptions {
  readonly anchors: CertificatePool;
  /** The other certificates that the peer sent; they are not trusted by themselves. */
  readonly intermediates?: readonly Certificate[];
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly usage: typeof SERVER_AUTH | typeof CLIENT_AUTH;
  /** The name or address that the certificate must be for; absent: any. */
  readonly host?: string;
}

/** Enough for chains of a dozen certificates; a peer could send hundreds with the same name. */
const MAX_SIGNATURE_CHECKS = 20;

interface Search extends Omit<VerifyOptions, 'intermediates'> {
  readonly intermediates: CertificatePool;
  signatureChecks: number;
  /** Whether a chain was complete, but not for this use. */
  wrongUsage: boolean;
}

/** The chain, the peer's certificate first; throws a CertificateError when there is none. */
export function verifyChain(leaf: Certificate, options: VerifyOptions): readonly Certificate[] {
  checkValid(leaf, 'leaf', [], options.now);
  if (options.host !== undefined) verifyHostname(leaf, options.host);
  const search: Search = {
    ...options,
    intermediates: new CertificatePool(options.intermediates ?? []),
    signatureChecks: 0,
    wrongUsage: false,
  };
  const found = options.anchors.contains(leaf) ? complete([leaf], search) : extend([leaf], search);
  if (Array.isArray(found)) return found as readonly Certificate[];
  if (search.wrongUsage)
    throw new CertificateError('INVALID_PURPOSE', 'certificate specifies an incompatible key usage');
  throw (
    (found as CertificateError | undefined) ??
    new CertificateError('CERT_UNTRUSTED', 'certificate signed by unknown authority')
  );
}

type Found = readonly Certificate[] | CertificateError | undefined;

/** The first chain from here to an anchor, or why there is none. */
function extend(chain: readonly Certificate[], search: Search): Found {
  const last = chain.at(-1)!;
  let problem: CertificateError | undefined;
  let hint: { readonly reason: string; readonly candidate: Certificate } | undefined;
  const candidates = [
    ...search.anchors.parentsOf(last).map((certificate) => ({ certificate, isAnchor: true })),
    ...search.intermediates.parentsOf(last).map((certificate) => ({ certificate, isAnchor: false })),
  ];
  for (const { certificate, isAnchor } of candidates) {
    if (!canVerifyWith(certificate.publicKey) || chain.some((other) => isSameParty(other, certificate))) continue;
    if (++search.signatureChecks > MAX_SIGNATURE_CHECKS) {
      return new CertificateError(
        'CERT_REJECTED',
        'signature check attempts limit reached while verifying certificate chain',
      );
    }
    const reason = signatureProblem(last, certificate);
    if (reason !== undefined) {
      hint ??= { reason, candidate: certificate };
      continue;
    }
    try {
      checkValid(certificate, isAnchor ? 'anchor' : 'intermediate', chain, search.now);
    } catch (error) {
      problem = error as CertificateError;
      hint ??= { reason: problem.message, candidate: certificate };
      continue;
    }
    const found = isAnchor ? complete([...chain, certificate], search) : extend([...chain, certificate], search);
    if (Array.isArray(found)) return found as readonly Certificate[];
    problem = (found as CertificateError | undefined) ?? problem;
  }
  return (
    problem ??
    new CertificateError(
      'CERT_UNTRUSTED',
      `certificate signed by unknown authority${hint ? hintText(hint.reason, hint.candidate) : ''}`,
    )
  );
}

function complete(chain: readonly Certificate[], search: Search): Found {
  const isFor = ({ extendedKeyUsages: usages }: Certificate): boolean =>
    usages === undefined || usages.includes(search.usage) || usages.includes(ANY_USAGE);
  if (chain.every(isFor)) return chain;
  search.wrongUsage = true;
  return undefined;
}

/** A certificate with the same name and key would make a circle. */
const isSameParty = (a: Certificate, b: Certificate): boolean =>
  a.subject.raw.equals(b.subject.raw) && a.publicKey.equals(b.publicKey);

function checkValid(
  certificate: Certificate,
  role: 'leaf' | 'intermediate' | 'anchor',
  chain: readonly Certificate[],
  now: number,
): void {
  const { unhandledCritical, notBefore, notAfter, basicConstraints, nameConstraints } = certificate;
  if (unhandledCritical.length > 0) throw new CertificateError('CERT_REJECTED', 'unhandled critical extension');
  if (now < notBefore)
    throw expired('CERT_NOT_YET_VALID', `current time ${timeText(now)} is before ${timeText(notBefore)}`);
  // The whole of the last second counts.
  if (now >= notAfter + 1000)
    throw expired('CERT_HAS_EXPIRED', `current time ${timeText(now)} is after ${timeText(notAfter)}`);
  if (nameConstraints && role !== 'leaf') {
    for (const { alternativeNames } of chain) {
      const violation = alternativeNames && constraintViolation(nameConstraints, alternativeNames);
      if (violation)
        throw new CertificateError(
          'CERT_REJECTED',
          `a root or intermediate certificate is not authorized to sign for this name: ${violation}`,
        );
    }
  }
  if (role === 'intermediate' && basicConstraints?.isCa !== true) {
    throw new CertificateError('INVALID_CA', 'certificate is not authorized to sign other certificates');
  }
  if (basicConstraints?.maxPathLength !== undefined && chain.length - 1 > basicConstraints.maxPathLength) {
    throw new CertificateError('INVALID_CA', 'too many intermediates for path length constraint');
  }
}

const expired = (code: 'CERT_HAS_EXPIRED' | 'CERT_NOT_YET_VALID', detail: string): CertificateError =>
  new CertificateError(code, `certificate has expired or is not yet valid: ${detail}`);

const timeText = (milliseconds: number): string => new Date(milliseconds).toISOString().replace(/\.\d+Z$/, 'Z');

function hintText(reason: string, candidate: Certificate): string {
  const name =
    commonName(candidate.subject) ||
    organizations(candidate.subject)[0] ||
    `serial:${BigInt(`0x${candidate.serial.toString('hex')}`)}`;
  return ` (possibly because of ${JSON.stringify(reason)} while trying to verify candidate authority certificate ${JSON.stringify(name)})`;
}
