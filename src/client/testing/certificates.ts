import { webcrypto } from 'node:crypto';
import * as x509 from '../../net/x509/index.ts';

interface TestCertificate {
  cert: string;
  key: string;
}

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

/** A certificate authority, and a server and a client certificate from it, valid in any year that tests may run in. */
export async function createTestCertificates(): Promise<{
  ca: string;
  server: TestCertificate;
  client: TestCertificate;
}> {
  x509.cryptoProvider.set(webcrypto);
  const validity = { notBefore: new Date('2020-01-01'), notAfter: new Date('2120-01-01') };
  const caKeys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const ca = await x509.X509CertificateGenerator.createSelfSigned({
    name: 'CN=test-ca',
    ...validity,
    keys: caKeys,
    signingAlgorithm: ALGORITHM,
    extensions: [new x509.BasicConstraintsExtension(true, 1, true)],
  });
  const issue = async (
    subject: string,
    extensions: x509.Extension[],
    serialNumber: string,
  ): Promise<TestCertificate> => {
    const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
    const certificate = await x509.X509CertificateGenerator.create({
      serialNumber,
      subject,
      issuer: ca.subject,
      ...validity,
      publicKey: keys.publicKey,
      signingKey: caKeys.privateKey,
      signingAlgorithm: ALGORITHM,
      extensions,
    });
    const pkcs8 = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey);
    return { cert: certificate.toString('pem'), key: x509.PemConverter.encode(pkcs8, 'PRIVATE KEY') };
  };
  const names = new x509.SubjectAlternativeNameExtension([
    { type: 'dns', value: 'kubernetes' },
    { type: 'ip', value: '127.0.0.1' },
  ]);
  return {
    ca: ca.toString('pem'),
    server: await issue('CN=server', [names], '02'),
    client: await issue('CN=alice,O=dev', [], '03'),
  };
}
