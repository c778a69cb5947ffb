/** Generates a self-signed serving certificate. */
import { webcrypto } from 'node:crypto';
import type { Context } from '../kernel/index.ts';
import type { CertificateAndKey } from '../net/tls/index.ts';
import * as x509 from '../net/x509/index.ts';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const YEAR_MS = 365 * 24 * 3600 * 1000;

/** A serving certificate for clients that do not verify it, such as probes and scrapers on the same machine. */
export async function selfSignedCertificate(
  { clock, random }: Pick<Context, 'clock' | 'random'>,
  name: string,
): Promise<CertificateAndKey> {
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned(
    {
      serialNumber: `01${random.uid().replaceAll('-', '').slice(0, 16)}`,
      name: [{ CN: [`${name}@${Math.floor(clock.now() / 1000)}`] }],
      notBefore: new Date(clock.now()),
      notAfter: new Date(clock.now() + YEAR_MS),
      keys,
      signingAlgorithm: ALGORITHM,
      extensions: [
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature | x509.KeyUsageFlags.keyEncipherment, true),
        new x509.SubjectAlternativeNameExtension([
          { type: 'dns', value: 'localhost' },
          { type: 'ip', value: '127.0.0.1' },
        ]),
      ],
    },
    webcrypto,
  );
  const key = x509.PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey), 'PRIVATE KEY');
  return { certificate: certificate.toString('pem'), key };
}
