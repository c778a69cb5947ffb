import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import tls, { type SecureVersion } from 'node:tls';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { certificatesOfDer } from './certificate.ts';
import { clientCertificateOptions } from './client-certificate-options.ts';
import { commonName } from './name.ts';
import { peerChain } from './peer-chain.ts';
import { CLIENT_AUTH, makeCertificate, SERVER_AUTH, type MadeCertificate } from './testing/index.ts';

let root: MadeCertificate;
let serving: MadeCertificate;
let sent: { cert: string; key: string };
let server: tls.Server | undefined;

beforeAll(async () => {
  root = await makeCertificate({ subject: 'CN=root', ca: true });
  serving = await makeCertificate({ subject: 'CN=server', ips: ['127.0.0.1'], usages: [SERVER_AUTH] });
  const upper = await makeCertificate({ subject: 'CN=upper', issuer: root, ca: true });
  const lower = await makeCertificate({ subject: 'CN=lower', issuer: upper, ca: true });
  const leaf = await makeCertificate({ subject: 'CN=jane', issuer: lower, usages: [CLIENT_AUTH] });
  sent = { cert: leaf.pem + lower.pem + upper.pem, key: leaf.keyPem };
});
afterEach(() => server?.close());

/** Common names of the client's certificates, as a server with this client CA sees them on three connections. */
async function seen(clientCa: string | undefined, version: SecureVersion): Promise<string[]> {
  const chains: string[] = [];
  server = tls.createServer(
    { cert: serving.pem, key: serving.keyPem, ...clientCertificateOptions(clientCa) },
    (socket) => {
      chains.push(
        certificatesOfDer(peerChain(socket))
          .map(({ subject }) => commonName(subject))
          .join(' '),
      );
      socket.on('error', () => {}).end('seen');
    },
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  let session: Buffer | undefined;
  for (let connection = 0; connection < 3; connection++) {
    const socket = tls.connect({
      host: '127.0.0.1',
      port,
      ...sent,
      rejectUnauthorized: false,
      maxVersion: version,
      ...(session ? { session } : {}),
    });
    socket.on('session', (offered: Buffer) => (session = offered)).resume();
    await once(socket, 'close');
  }
  return chains;
}

describe.each<SecureVersion>(['TLSv1.2', 'TLSv1.3'])('a client with intermediates, %s', (version) => {
  it('shows them on every connection, also when OpenSSL could verify them or the client resumes a session', async () => {
    const chain = expect.stringMatching(/^jane lower upper(?: root)?$/);
    expect(await seen(root.pem, version)).toEqual([chain, chain, chain]);
  });

  it('shows them to a server without a client CA', async () => {
    expect(await seen(undefined, version)).toEqual(Array(3).fill('jane lower upper'));
  });
});

it('names the client CA to clients', async () => {
  server = tls.createServer({ cert: serving.pem, key: serving.keyPem, ...clientCertificateOptions(root.pem) });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  // TLS 1.2 sends the request for a certificate in the clear.
  const received: Buffer[] = [];
  const proxy = net.createServer((client) => {
    const upstream = net.connect(port, '127.0.0.1');
    upstream.on('data', (bytes: Buffer) => received.push(bytes)).on('error', () => {});
    client
      .on('error', () => {})
      .pipe(upstream)
      .pipe(client);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const client = tls.connect({
    host: '127.0.0.1',
    port: (proxy.address() as AddressInfo).port,
    rejectUnauthorized: false,
    maxVersion: 'TLSv1.2',
    ...sent,
  });
  await once(client, 'secureConnect');
  client.destroy();
  proxy.close();
  expect(Buffer.concat(received).includes('root')).toBe(true);
});
