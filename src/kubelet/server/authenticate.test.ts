import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../../client/index.ts';
import { RealClock } from '../../kernel/index.ts';
import {
  CLIENT_AUTH,
  makeCertificate,
  SERVER_AUTH,
  type MadeCertificate,
  type Shape,
} from '../../net/tls/testing/index.ts';
import { Authenticator } from './authenticate.ts';
import { serverOptions } from './serve-kubelet.ts';

let server: https.Server | undefined;
let ca: MadeCertificate;
let serving: { certificate: string; privateKey: string };

beforeAll(async () => {
  ca = await makeCertificate({ subject: 'CN=ca', ca: true });
  const made = await makeCertificate({ subject: 'CN=kubelet', ips: ['127.0.0.1'], usages: [SERVER_AUTH] });
  serving = { certificate: made.pem, privateKey: made.keyPem };
});
afterEach(() => new Promise<void>((resolve) => (server ? server.close(() => resolve()) : resolve())));

/** The name and groups that a server with this client CA sees; nothing when it does not know the caller. */
async function callerOf(clientCa: string | undefined, certificate: { pem: string; keyPem: string }): Promise<string> {
  const authenticator = new Authenticator({} as Client, new RealClock(), {
    anonymous: false,
    webhook: false,
    cacheMs: 0,
    clientCa: () => clientCa ?? '',
  });
  server = https.createServer(serverOptions(serving, clientCa), (request, response) => {
    void authenticator
      .authenticate(request)
      .then((caller) => response.end(caller ? `${caller.name} ${caller.groups.join(',')}` : ''));
  });
  // As after a renewal of the serving certificate.
  server.setSecureContext(serverOptions(serving, clientCa));
  await new Promise<void>((resolve) => server!.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return new Promise((resolve, reject) => {
    const options = {
      host: '127.0.0.1',
      port,
      cert: certificate.pem,
      key: certificate.keyPem,
      rejectUnauthorized: false,
      agent: false as const,
    };
    https
      .get(options, (response) =>
        response
          .on('data', () => {})
          .once('data', (text: Buffer) => resolve(text.toString()))
          .once('end', () => resolve('')),
      )
      .once('error', reject);
  });
}

describe('the certificate of a client of the kubelet', () => {
  it.each<[name: string, shape: Shape, caller: string]>([
    ['names it by its last common name', { subject: 'O=a, CN=first, CN=last, O=b' }, 'last a,b,system:authenticated'],
    ['counts only for clients', { subject: 'CN=jane', usages: [SERVER_AUTH] }, ''],
    ['expires', { subject: 'CN=jane', to: -0.5 }, ''],
    ['needs a name', { subject: 'O=a' }, ''],
  ])('%s', async (_name, shape, caller) => {
    expect(await callerOf(ca.pem, await makeCertificate({ usages: [CLIENT_AUTH], ...shape, issuer: ca }))).toBe(caller);
  });

  it('does not count when its authority has expired', async () => {
    const old = await makeCertificate({ subject: 'CN=old', ca: true, to: -0.5 });
    expect(await callerOf(old.pem, await makeCertificate({ subject: 'CN=jane', issuer: old }))).toBe('');
  });

  it('is ignored without a client CA', async () => {
    expect(await callerOf(undefined, await makeCertificate({ subject: 'CN=jane', issuer: ca }))).toBe('');
    // Node takes the public roots for a context of which nothing is said.
    expect(serverOptions(serving, undefined).ca).toEqual([]);
  });

  it('is verified through intermediates', async () => {
    const between = await makeCertificate({ subject: 'CN=between', issuer: ca, ca: true });
    const leaf = await makeCertificate({ subject: 'CN=jane', issuer: between });
    expect(await callerOf(ca.pem, { pem: leaf.pem + between.pem, keyPem: leaf.keyPem })).toBe(
      'jane system:authenticated',
    );
  });
});
