import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import tls from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { opensslCiphers, opensslCurves, http2CipherProblem } from './cipher-suites.ts';
import { ServingCertificates, type NamedCertificate, type ServingOptions } from './serving-certificates.ts';
import { makeCertificate } from './testing/index.ts';

let server: tls.Server | undefined;
afterEach(() => void server?.close());

const pair = async (name: string, dns: readonly string[] = []) => {
  const { pem, keyPem } = await makeCertificate({ subject: `CN=${name}`, dns });
  return { certificate: pem, key: keyPem };
};

async function serve(options: ServingOptions): Promise<ServingCertificates> {
  const certificates = new ServingCertificates(options);
  server = tls.createServer(certificates.serverOptions());
  server.on('tlsClientError', () => {});
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return certificates;
}

/** The common name of the certificate that the server shows. */
async function shown(servername: string, options: tls.ConnectionOptions = {}): Promise<string | string[] | undefined> {
  const { port } = server!.address() as AddressInfo;
  const socket = tls.connect({ port, host: '127.0.0.1', servername, rejectUnauthorized: false, ...options });
  try {
    await once(socket, 'secureConnect');
    return socket.getPeerCertificate().subject.CN;
  } finally {
    socket.destroy();
  }
}

describe('named certificates', () => {
  const named = async (): Promise<NamedCertificate[]> => [
    { ...(await pair('explicit', ['unlisted.example'])), names: ['a.example', '*.wild.example'] },
    { ...(await pair('cn.example', ['b.example', '*.inside.example', 'a.example'])), names: [] },
    { ...(await pair('second', [])), names: ['a.example', 'x.wild.example'] },
  ];

  it.each([
    ['a name that is given', 'a.example', 'explicit'],
    ['in capital letters', 'A.EXAMPLE', 'explicit'],
    ['under a wildcard', 'y.wild.example', 'explicit'],
    ['before a wildcard', 'x.wild.example', 'second'],
    ['not two labels under a wildcard', 'z.y.wild.example', 'own'],
    ['a name in the certificate', 'b.example', 'cn.example'],
    ['its common name', 'cn.example', 'cn.example'],
    ['a wildcard in the certificate', 'y.inside.example', 'cn.example'],
    ['only valid for the name', 'unlisted.example', 'explicit'],
    ["the server's own, which is valid for the name too", 'own.example', 'own'],
    ['nobody knows', 'c.example', 'own'],
    ['no name', '', 'own'],
  ])('%s: %s', async (_, name, expected) => {
    await serve({ ...(await pair('own', ['own.example'])), named: await named() });
    expect(await shown(name)).toBe(expected);
  });

  it('change while the server runs', async () => {
    const own = await pair('own');
    const certificates = await serve({ ...own, named: [{ ...(await pair('before')), names: ['a.example'] }] });
    expect([await shown('a.example'), await shown('b.example')]).toEqual(['before', 'own']);
    certificates.renew({ ...(await pair('new')), named: [{ ...(await pair('after')), names: ['a.example'] }] });
    certificates.refresh(server!);
    expect([await shown('a.example'), await shown('b.example')]).toEqual(['after', 'new']);
  });

  it('stay when the new ones are not usable', async () => {
    const own = await pair('own');
    const certificates = await serve({ ...own, named: [{ ...(await pair('before')), names: ['a.example'] }] });
    const mismatched = { certificate: own.certificate, key: (await pair('other')).key, names: ['a.example'] };
    expect(() => certificates.renew({ ...own, named: [mismatched] })).toThrow('key values mismatch');
    expect(await shown('a.example')).toBe('before');
  });
});

describe('TLS settings', () => {
  it('allow the given cipher suites', async () => {
    const ciphers = opensslCiphers(['TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384']);
    await serve({ ...(await pair('own')), ciphers });
    expect(await shown('', { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES256-GCM-SHA384' })).toBe('own');
    await expect(shown('', { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES128-GCM-SHA256' })).rejects.toThrow(
      /handshake failure/,
    );
    expect(await shown('', { minVersion: 'TLSv1.3' })).toBe('own');
  });

  it('allow the given curves', async () => {
    await serve({ ...(await pair('own')), curves: opensslCurves(['24']) });
    expect(await shown('', { ecdhCurve: 'P-384' })).toBe('own');
    await expect(shown('', { ecdhCurve: 'P-256' })).rejects.toThrow(/handshake failure/);
  });

  it.each([
    ['a suite', () => opensslCiphers(['TLS_NONE']), "Cipher suite TLS_NONE not supported or doesn't exist"],
    ['a number', () => opensslCurves(['70000']), 'curve preference 70000 is out of range (must be 1-65535)'],
    ['twice', () => opensslCurves(['23', '23']), 'duplicate curve preference 23'],
    ['a curve', () => opensslCurves(['99']), 'curve preference 99 is not supported'],
    ['a word', () => opensslCurves(['P-256']), 'curve preference "P-256" is not a number'],
  ])('refuse %s that is not there', (_, convert, message) => expect(convert).toThrow(message));

  it('must have a suite that HTTP/2 requires', () => {
    expect(http2CipherProblem([])).toBeUndefined();
    expect(http2CipherProblem(['TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256'])).toBeUndefined();
    expect(http2CipherProblem(['TLS_RSA_WITH_AES_128_CBC_SHA'])).toMatch(
      /^http2: TLSConfig.CipherSuites is missing an HTTP\/2-required/,
    );
  });
});
