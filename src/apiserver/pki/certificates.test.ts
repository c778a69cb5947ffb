import { createPrivateKey, generateKeyPairSync, sign, verify, webcrypto, X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createTestContext } from '../../kernel/index.ts';
import * as x509 from '../../net/x509/index.ts';
import { createAuthority, createSigningKey, expiresAt, issue, loadAuthority } from './certificates.ts';

const ctx = createTestContext();

describe('a certificate', () => {
  it('is signed by its authority, and has its usages', async () => {
    const authority = await createAuthority(ctx, 'kubernetes');
    const { certificate, key } = await issue(ctx, authority, {
      commonName: 'kube-apiserver',
      organizations: ['a', 'b'],
      usage: 'server',
      dnsNames: ['localhost', 'kubernetes.default.svc'],
      addresses: ['127.0.0.1', '::1'],
    });
    const [leaf, root] = [new X509Certificate(certificate), new X509Certificate(authority.certificate)];
    expect(leaf.verify(root.publicKey)).toBe(true);
    expect(leaf.checkIssued(root)).toBe(true);
    expect(root.verify(root.publicKey)).toBe(true);
    expect([root.ca, leaf.ca]).toEqual([true, false]);
    expect(leaf.subject).toBe('O=a\nO=b\nCN=kube-apiserver');
    expect(leaf.subjectAltName).toBe(
      'DNS:localhost, DNS:kubernetes.default.svc, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1',
    );
    expect(leaf.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1']);
    expect(leaf.checkPrivateKey(createPrivateKey(key))).toBe(true);
    expect(expiresAt(certificate) - ctx.clock.now()).toBeCloseTo(365 * 24 * 3600 * 1000, -4);
  });

  it('is parsed by another library', async () => {
    const authority = await createAuthority(ctx, 'kubernetes');
    const { certificate } = await issue(ctx, authority, { commonName: 'jane', usage: 'both' });
    const parsed = new x509.X509Certificate(certificate);
    expect(parsed.getExtension(x509.KeyUsagesExtension)?.usages).toBe(
      x509.KeyUsageFlags.digitalSignature | x509.KeyUsageFlags.keyEncipherment,
    );
    expect(parsed.getExtension(x509.ExtendedKeyUsageExtension)?.usages).toEqual([
      '1.3.6.1.5.5.7.3.1',
      '1.3.6.1.5.5.7.3.2',
    ]);
    const rootId = new x509.X509Certificate(authority.certificate).getExtension(
      x509.SubjectKeyIdentifierExtension,
    )?.keyId;
    expect(parsed.getExtension(x509.AuthorityKeyIdentifierExtension)?.keyId).toBe(rootId);
    expect(parsed.issuer).toBe('CN=kubernetes');
  });
});

it.each([
  ['ECDSA', { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }],
  [
    'RSA',
    { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256', modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]) },
  ],
])('an authority of another program is used, with its name and key: %s', async (_, signingAlgorithm) => {
  const keys = (await webcrypto.subtle.generateKey(signingAlgorithm, true, [
    'sign',
    'verify',
  ])) as webcrypto.CryptoKeyPair;
  const made = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: '01',
    name: 'O=Somebody, CN=their-ca',
    keys,
    signingAlgorithm,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.SubjectKeyIdentifierExtension('0102030405060708'),
    ],
  });
  const key = x509.PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey), 'PRIVATE KEY');
  const authority = await loadAuthority({ certificate: made.toString('pem'), key });
  const leaf = new X509Certificate((await issue(ctx, authority, { commonName: 'x', usage: 'client' })).certificate);
  expect(leaf.checkIssued(new X509Certificate(made.toString('pem')))).toBe(true);
  expect(leaf.verify(new X509Certificate(made.toString('pem')).publicKey)).toBe(true);
});

it.each(['rsa', 'ec'] as const)('a %s key signs, and its public half verifies', async (type) => {
  const { privateKey, publicKey } = await createSigningKey(type);
  const data = Buffer.from('token');
  expect(verify('sha256', data, publicKey, sign('sha256', data, privateKey))).toBe(true);
  expect(
    verify(
      'sha256',
      data,
      publicKey,
      sign('sha256', data, generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey),
    ),
  ).toBe(false);
});
