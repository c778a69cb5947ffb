/** A self-signed serving certificate, the default when the cluster signs none for the kubelet. */
import { webcrypto } from 'node:crypto';
import net from 'node:net';
import type { Clock, Random } from '../../kernel/index.ts';
import * as x509 from '../../net/x509/index.ts';

const YEAR_MS = 365 * 24 * 3600 * 1000;
const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

interface ServingCertificate {
  /** PEM */
  readonly certificate: string;
  readonly privateKey: string;
}

export async function selfSignedCertificate(
  { clock, random }: { clock: Clock; random: Random },
  names: readonly string[],
): Promise<ServingCertificate> {
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const now = clock.now();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned(
    {
      serialNumber: Buffer.from(random.bytes(8)).toString('hex'),
      name: `CN=${names[0] ?? 'kubelet'}@${Math.floor(now / 1000)}`,
      notBefore: new Date(now - 3600_000),
      notAfter: new Date(now + YEAR_MS),
      signingAlgorithm: ALGORITHM,
      keys: keys as Parameters<typeof x509.X509CertificateGenerator.createSelfSigned>[0]['keys'],
      extensions: [
        new x509.ExtendedKeyUsageExtension(['1.3.6.1.5.5.7.3.1']),
        new x509.SubjectAlternativeNameExtension(
          names.map((value) => ({ type: net.isIP(value) === 0 ? ('dns' as const) : ('ip' as const), value })),
        ),
      ],
    },
    webcrypto as Parameters<typeof x509.X509CertificateGenerator.createSelfSigned>[1],
  );
  const key = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64');
  return {
    certificate: certificate.toString('pem'),
    privateKey: `-----BEGIN PRIVATE KEY-----\n${key.replace(/(.{64})/g, '$1\n')}\n-----END PRIVATE KEY-----\n`,
  };
}
