import { once } from 'node:events';
import https from 'node:https';
import net from 'node:net';
import tls from 'node:tls';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createContext, type Context, type FollowedFiles } from '../../kernel/index.ts';
import { makeCertificate, type MadeCertificate } from '../../net/tls/testing/index.ts';
import { DEFAULT_KUBELET_CONFIGURATION } from '../configuration/kubelet-configuration.ts';
import { serveKubelet } from './serve-kubelet.ts';

/** What files say, without files. */
class Changing<Value> implements FollowedFiles<Value> {
  value: Value;
  readonly #listeners: ((value: Value) => void)[] = [];

  constructor(value: Value) {
    this.value = value;
  }

  onChange(listener: (value: Value) => void): void {
    this.#listeners.push(listener);
  }

  set(value: Value): void {
    this.value = value;
    for (const listener of this.#listeners) listener(value);
  }
}

let end = new AbortController();
let ctx: Context;
beforeEach(() => {
  end = new AbortController();
  ctx = createContext({ signal: end.signal, writeLog: () => {} });
});
afterEach(() => end.abort());

async function freePort(): Promise<number> {
  const server = net.createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as net.AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const served = ({ pem, keyPem }: MadeCertificate) => ({ certificate: pem, privateKey: keyPem });

const serve = async (config: object): Promise<number> => {
  const { port } = await serveKubelet(ctx, {
    config: {
      ...DEFAULT_KUBELET_CONFIGURATION,
      nodeName: 'n',
      nodeAddresses: ['127.0.0.1'],
      address: '127.0.0.1',
      port: 0,
      healthzPort: 0,
      authorization: { mode: 'AlwaysAllow' },
      ...config,
    },
    client: {},
    stats: { summary: () => Promise.resolve({}), claimVolumes: () => Promise.resolve([]) },
    manager: { pods: () => [{ metadata: { name: 'p' }, spec: { containers: [{ name: 'c' }] } }] },
  } as never);
  return port;
};

async function shownBy(port: number, options: tls.ConnectionOptions = {}): Promise<unknown> {
  const socket = tls.connect({ port, host: '127.0.0.1', rejectUnauthorized: false, ...options });
  try {
    await once(socket, 'secureConnect');
    return socket.getPeerCertificate().subject.CN;
  } finally {
    socket.destroy();
  }
}

const statusFor = ({ pem, keyPem }: MadeCertificate, port: number): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const identity = { cert: pem, key: keyPem, rejectUnauthorized: false, agent: false as const };
    https
      .get({ port, host: '127.0.0.1', path: '/nothing', ...identity }, (response) => {
        response.resume();
        resolve(response.statusCode);
      })
      .once('error', reject);
  });

describe("the kubelet's server", () => {
  it('serves with the certificate that its files have now', async () => {
    const [first, second] = [await makeCertificate({ subject: 'CN=1' }), await makeCertificate({ subject: 'CN=2' })];
    const certificate = new Changing(served(first));
    const port = await serve({ serving: { ...served(first), followed: { certificate } } });
    expect(await shownBy(port)).toBe('1');
    certificate.set(served(second));
    expect(await shownBy(port)).toBe('2');
  });

  it('accepts the clients of the CA that its file has now', async () => {
    const own = await makeCertificate();
    const cas = [
      await makeCertificate({ subject: 'CN=ca1', ca: true }),
      await makeCertificate({ subject: 'CN=ca2', ca: true }),
    ] as const;
    const clients = await Promise.all(cas.map((issuer) => makeCertificate({ subject: 'CN=jane', issuer })));
    const clientCa = new Changing(cas[0].pem);
    const port = await serve({ serving: { ...served(own), followed: { clientCa } } });
    const statuses = () => Promise.all(clients.map((client) => statusFor(client, port)));
    expect(await statuses()).toEqual([404, 401]);
    clientCa.set(cas[1].pem);
    expect(await statuses()).toEqual([401, 404]);
  });

  it('serves what only reads without authentication on its read-only port', async () => {
    const readOnlyPort = await freePort();
    await serve({ readOnlyPort, authorization: { mode: 'Webhook' } });
    const get = async (target: string): Promise<[number, string]> => {
      const response = await fetch(`http://127.0.0.1:${readOnlyPort}${target}`);
      return [response.status, await response.text()];
    };
    expect(await get('/healthz')).toEqual([200, 'ok']);
    expect(await get('/pods')).toEqual([200, expect.stringContaining('"items":[{"metadata":{"name":"p"}')]);
    expect(await get('/metrics')).toEqual([200, expect.any(String)]);
    for (const path of ['/exec/default/p/c', '/containerLogs/default/p/c', '/configz', '/logs/'])
      expect(await get(path)).toEqual([405, 'Debug endpoints are disabled.']);
    expect(await get('/other')).toEqual([404, '404 page not found\n']);
  });

  it('has the cipher suites that it is told', async () => {
    const own = await makeCertificate({ subject: 'CN=own' });
    const port = await serve({
      serving: served(own),
      tlsCipherSuites: ['TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384'],
    });
    const older = { maxVersion: 'TLSv1.2' as const };
    expect(await shownBy(port, { ...older, ciphers: 'ECDHE-ECDSA-AES256-GCM-SHA384' })).toBe('own');
    await expect(shownBy(port, { ...older, ciphers: 'ECDHE-ECDSA-AES128-GCM-SHA256' })).rejects.toThrow(
      'handshake failure',
    );
  });
});
