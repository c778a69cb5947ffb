/** Checks that a certificate and a private key match, with the errors of Go's crypto/tls. */
import { createPrivateKey, createPublicKey, X509Certificate, type KeyObject } from 'node:crypto';
import { pemBlocks } from '../../../base/index.ts';

export function keyPairProblem(certificates: string, key: string): string | undefined {
  const certificateBlocks = [...pemBlocks(certificates)];
  const first = certificateBlocks.find(({ type }) => type === 'CERTIFICATE');
  if (!first) return missingCertificate(certificateBlocks.map(({ type }) => type));
  const keyBlocks = [...pemBlocks(key)];
  const own = keyBlocks.find(({ type }) => type === 'PRIVATE KEY' || type.endsWith(' PRIVATE KEY'));
  if (!own) return missingKey(keyBlocks.map(({ type }) => type));
  const certificate = parse(() => new X509Certificate(first.text));
  if (!certificate) return 'x509: malformed certificate';
  const privateKey = parse(() => createPrivateKey(own.text));
  if (!privateKey) return 'tls: failed to parse private key';
  return mismatch(certificate.publicKey, createPublicKey(privateKey));
}

function parse<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

const isPrivateKey = (type: string | undefined): boolean => type?.endsWith('PRIVATE KEY') ?? false;

function missingCertificate(skipped: readonly string[]): string {
  if (skipped.length === 0) return 'tls: failed to find any PEM data in certificate input';
  if (skipped.length === 1 && isPrivateKey(skipped[0])) {
    return 'tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched';
  }
  return `tls: failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM blocks of the following types: [${skipped.join(' ')}]`;
}

function missingKey(skipped: readonly string[]): string {
  if (skipped.length === 0) return 'tls: failed to find any PEM data in key input';
  if (skipped.length === 1 && skipped[0] === 'CERTIFICATE') {
    return 'tls: found a certificate rather than a key in the PEM for the private key';
  }
  const sought = 'PEM block with type ending in "PRIVATE KEY" in key input';
  return `tls: failed to find ${sought} after skipping PEM blocks of the following types: [${skipped.join(' ')}]`;
}

function mismatch(ofCertificate: KeyObject, ofKey: KeyObject): string | undefined {
  if (ofCertificate.asymmetricKeyType !== ofKey.asymmetricKeyType)
    return 'tls: private key type does not match public key type';
  const encoding = { type: 'spki', format: 'der' } as const;
  const same = ofCertificate.export(encoding).equals(ofKey.export(encoding));
  return same ? undefined : 'tls: private key does not match public key';
}
