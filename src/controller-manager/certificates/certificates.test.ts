import { webcrypto } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as x509 from '../../net/x509/index.ts';
import { startFixture, type ControllerFixture } from '../testing/index.ts';
import { API_CLIENT, KUBELET_CLIENT, KUBELET_SERVING } from './request.ts';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const NODE: x509.JsonName = [{ O: ['system:nodes'] }, { CN: ['system:node:n'] }];
const CLIENT = ['digital signature', 'client auth'];
const SERVING = ['digital signature', 'server auth'];

let fixture: ControllerFixture;
let authority: x509.X509Certificate;

beforeAll(async () => {
  x509.cryptoProvider.set('default', webcrypto as never);
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const [notBefore, notAfter] = [new Date(Date.UTC(2025, 0, 1)), new Date(Date.UTC(2036, 0, 1))];
  authority = await x509.X509CertificateGenerator.createSelfSigned({
    name: 'CN=ca',
    keys: keys as never,
    signingAlgorithm: ALGORITHM,
    notBefore,
    notAfter,
  });
  const clusterSigningKey = x509.PemConverter.encode(
    await webcrypto.subtle.exportKey('pkcs8', keys.privateKey),
    'PRIVATE KEY',
  );
  fixture = await startFixture({
    controllers: [
      'certificatesigningrequest-approving-controller',
      'certificatesigningrequest-signing-controller',
      'certificatesigningrequest-cleaner-controller',
    ],
    config: { clusterSigningCertificate: authority.toString('pem'), clusterSigningKey },
  });
  await fixture.start();
});
afterAll(() => fixture.stop());

const requests = () => fixture.client.resource('certificates.k8s.io/v1/certificatesigningrequests');

interface Asked {
  subject?: x509.JsonName;
  names?: x509.JsonGeneralName[];
  usages?: string[];
  signerName?: string;
  expirationSeconds?: number;
}

async function make(
  name: string,
  { subject = NODE, names = [], usages = CLIENT, signerName = KUBELET_CLIENT, expirationSeconds }: Asked,
): Promise<void> {
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const extensions = names.length > 0 ? [new x509.SubjectAlternativeNameExtension(names)] : [];
  const request = await x509.Pkcs10CertificateRequestGenerator.create({
    name: subject,
    keys: keys as never,
    signingAlgorithm: ALGORITHM,
    extensions,
  });
  await requests().create({
    metadata: { name },
    spec: { request: Buffer.from(request.toString('pem')).toString('base64'), signerName, usages, expirationSeconds },
  });
}

const approve = (name: string) =>
  requests().patch(
    { name },
    { status: { conditions: [{ type: 'Approved', status: 'True', reason: 'Test' }] } },
    { type: 'merge', subresource: 'approval' },
  );
const isSigned = (name: string) => async () => (await requests().get({ name })).status?.certificate !== undefined;
const failure = async (name: string) =>
  (await requests().get({ name })).status?.conditions?.find(({ type }) => type === 'Failed');

describe('certificate controllers', () => {
  it('approve and sign requests of kubelets', async () => {
    await make('auto', {});
    await fixture.until('signed', isSigned('auto'));
    const { status } = await requests().get({ name: 'auto' });
    /** The requester is the test's admin, who may create any subresource. */
    expect(status?.conditions?.[0]).toMatchObject({
      type: 'Approved',
      reason: 'AutoApproved',
      message: 'Auto approving kubelet client certificate after SubjectAccessReview.',
    });
    const certificate = new x509.X509Certificate(Buffer.from(status?.certificate ?? '', 'base64').toString());
    expect(certificate.subject).toBe('O=system:nodes, CN=system:node:n');
    expect(await certificate.verify({ publicKey: authority.publicKey, date: new Date(fixture.clock.now()) })).toBe(
      true,
    );
    expect(certificate.getExtension(x509.ExtendedKeyUsageExtension)?.usages).toEqual(['1.3.6.1.5.5.7.3.2']);
    expect(certificate.getExtension(x509.BasicConstraintsExtension)?.ca).toBe(false);
  });

  it('sign for the requested time and names', async () => {
    await make('short', {
      signerName: KUBELET_SERVING,
      usages: SERVING,
      names: [
        { type: 'dns', value: 'n' },
        { type: 'ip', value: '10.0.0.1' },
      ],
      expirationSeconds: 3600,
    });
    await fixture.advance(1_000);
    expect(await isSigned('short')()).toBe(false);
    await approve('short');
    await fixture.until('signed', isSigned('short'));
    const certificate = new x509.X509Certificate(
      Buffer.from((await requests().get({ name: 'short' })).status?.certificate ?? '', 'base64').toString(),
    );
    expect(Math.round((certificate.notAfter.getTime() - fixture.clock.now()) / 60_000)).toBe(60);
    expect(certificate.getExtension(x509.SubjectAlternativeNameExtension)?.names.toJSON()).toEqual([
      { type: 'dns', value: 'n' },
      { type: 'ip', value: '10.0.0.1' },
    ]);
  });

  it.each<[string, Asked, string]>([
    ['usage', { signerName: API_CLIENT, usages: ['server auth'] }, 'invalid usage for client certificate: server auth'],
    ['org', { subject: [{ O: ['x'] }, { CN: ['system:node:n'] }] }, 'subject organization is not system:nodes'],
    [
      'cn',
      { subject: [{ O: ['system:nodes'] }, { CN: ['n'] }] },
      'subject common name does not begin with system:node:',
    ],
    [
      'kubelet-usage',
      { usages: ['client auth'] },
      'usages did not match [client auth digital signature key encipherment]',
    ],
    ['san', { names: [{ type: 'dns', value: 'n' }] }, 'DNS subjectAltNames are not allowed'],
    ['serving', { signerName: KUBELET_SERVING, usages: SERVING }, 'DNS or IP subjectAltName is required'],
  ])('fail a request with the wrong %s', async (name, asked, message) => {
    await make(name, asked);
    await approve(name);
    await fixture.until('failed', async () => (await failure(name)) !== undefined, 10_000);
    expect(await failure(name)).toMatchObject({ status: 'True', reason: 'SignerValidationFailure', message });
  });

  it('ignore other signers', async () => {
    await make('foreign', { signerName: 'example.com/signer' });
    await approve('foreign');
    await fixture.advance(10_000);
    expect((await requests().get({ name: 'foreign' })).status?.certificate).toBeUndefined();
  });

  it('remove answered requests, and later pending ones', async () => {
    await make('pending', { signerName: 'example.com/signer' });
    await fixture.advance(2.5 * 3600_000);
    expect((await requests().list()).items.map(({ metadata }) => metadata.name)).toEqual(['foreign', 'pending']);
    await fixture.advance(24 * 3600_000);
    expect((await requests().list()).items).toEqual([]);
  });
});
