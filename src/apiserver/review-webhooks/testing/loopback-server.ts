/** A TLS server on loopback for tests, with a certificate from its own CA. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { stringify } from 'yaml';
import { createContext } from '../../../kernel/index.ts';
import { createAuthority, issue } from '../../pki/certificates.ts';

export interface LoopbackServer {
  readonly url: string;
  /** PEM */
  readonly ca: string;
  /** The requests so far, with parsed bodies. */
  readonly received: { path: string; body: unknown }[];
  /** A kubeconfig that names the server. */
  readonly kubeconfig: string;
  close(): Promise<void>;
}

type Answer = (
  path: string,
  body: unknown,
) => { status?: number; body: unknown } | Promise<{ status?: number; body: unknown }>;

export async function startLoopbackServer(answer: Answer): Promise<LoopbackServer> {
  const ctx = createContext({ writeLog: () => {} });
  const authority = await createAuthority(ctx, 'loopback-ca');
  const pair = await issue(ctx, authority, {
    commonName: 'loopback',
    usage: 'server',
    addresses: ['127.0.0.1'],
    dnsNames: ['localhost'],
  });
  const received: LoopbackServer['received'] = [];
  const server = https.createServer({ key: pair.key, cert: pair.certificate }, (request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const text = Buffer.concat(pieces).toString('utf8');
      const body: unknown = text === '' ? undefined : JSON.parse(text);
      const url = request.url ?? '';
      received.push({ path: url, body });
      void Promise.resolve(answer(url, body)).then(({ status = 200, body: result }) => {
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(result));
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const directory = await mkdtemp(path.join(os.tmpdir(), 'k8ts-webhook-'));
  const kubeconfig = path.join(directory, 'kubeconfig');
  await writeFile(kubeconfig, kubeconfigText(`${url}/review`, authority.certificate), { mode: 0o600 });
  return {
    url,
    ca: authority.certificate,
    received,
    kubeconfig,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await rm(directory, { recursive: true });
    },
  };
}

const kubeconfigText = (server: string, ca: string): string =>
  stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      { name: 'webhook', cluster: { server, 'certificate-authority-data': Buffer.from(ca).toString('base64') } },
    ],
    users: [{ name: 'apiserver', user: {} }],
    contexts: [{ name: 'webhook', context: { cluster: 'webhook', user: 'apiserver' } }],
    'current-context': 'webhook',
  });
