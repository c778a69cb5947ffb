import { webcrypto } from 'node:crypto';
import { expect, it } from 'vitest';
import { createAuthority } from '../../apiserver/pki/certificates.ts';
import { createContext } from '../../kernel/index.ts';
import {
  bundlePool,
  certificatesOfPem,
  CLIENT_AUTH,
  commonName,
  organizations,
  verifyChain,
} from '../../net/tls/index.ts';
import * as x509 from '../../net/x509/index.ts';
import { CertificateAuthority } from './certificate-authority.ts';

const EC = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

it("has the issuer's name byte for byte, or Go would not find the issuer", async () => {
  const ctx = createContext({ writeLog: () => {} });
  // Its name is a UTF8String; @peculiar/x509 writes PrintableStrings by itself.
  const { certificate, key } = await createAuthority(ctx, 'kubernetes');
  const keys = await webcrypto.subtle.generateKey(EC, true, ['sign', 'verify']);
  const name = 'O=system:nodes, CN=system:node:n';
  const parsed = await x509.Pkcs10CertificateRequestGenerator.create({
    name,
    keys: keys as never,
    signingAlgorithm: EC,
  });
  const signed = await new CertificateAuthority(certificate, key).sign(ctx, { parsed } as never, {
    usages: ['client auth'],
    lifetimeMs: 3600_000,
  });
  const [leaf] = certificatesOfPem(signed);
  expect(leaf!.issuer).toEqual(certificatesOfPem(certificate)[0]!.subject.raw);
  expect([commonName(leaf!.subject), organizations(leaf!.subject)]).toEqual(['system:node:n', ['system:nodes']]);
  expect(
    verifyChain(leaf!, { anchors: bundlePool(certificate), now: ctx.clock.now(), usage: CLIENT_AUTH }),
  ).toHaveLength(2);
});
