import { once } from 'node:events';
import fs from 'node:fs';
import https from 'node:https';
import os from 'node:os';
import path from 'node:path';
import tls from 'node:tls';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Client } from '../client/index.ts';
import { createContext, createTestContext, type Context } from '../kernel/index.ts';
import { until } from '../kernel/testing/index.ts';
import { makeCertificate, type MadeCertificate } from '../net/tls/testing/index.ts';
import { followClientCa } from './client-ca.ts';
import { serveComponent } from './serve-component.ts';
import { followServingFiles, type ServingFileFlags } from './serving-files.ts';

let end = new AbortController();
let ctx: Context;
let directory = '';
beforeEach(() => {
  end = new AbortController();
  ctx = createContext({ signal: end.signal, writeLog: () => {} });
  directory = fs.mkdtempSync(path.join(os.tmpdir(), 'k8ts-serving-'));
});
afterEach(() => {
  end.abort();
  fs.rmSync(directory, { recursive: true, force: true });
});

const file = (name: string): string => path.join(directory, name);
const write = (name: string, { pem, keyPem }: MadeCertificate): void => {
  fs.writeFileSync(file(`${name}.crt`), pem);
  fs.writeFileSync(file(`${name}.key`), keyPem);
};

const NO_CLIENT = {} as Client;

const generated = async () => {
  const { pem, keyPem } = await makeCertificate({ subject: 'CN=generated' });
  return { certificate: pem, key: keyPem };
};

async function serve(flags: ServingFileFlags, clientCaFile?: string): Promise<number> {
  const { port } = await serveComponent(ctx, {
    component: 'kube-scheduler',
    host: '127.0.0.1',
    port: 0,
    serving: await followServingFiles(ctx, flags, { name: 'kube-scheduler', generate: generated }),
    clientCa: await followClientCa(ctx, { client: NO_CLIENT, file: clientCaFile, skipLookup: true }),
    access: {
      check: () => Promise.resolve('unauthorized'),
      checkUser: ({ name }) => Promise.resolve(name === 'jane' ? 'allowed' : 'forbidden'),
    },
    alwaysAllowPaths: ['/healthz'],
    checks: [{ name: 'ping', check: () => undefined }],
  });
  return port;
}

async function shownBy(port: number, servername = ''): Promise<unknown> {
  const socket = tls.connect({ port, host: '127.0.0.1', rejectUnauthorized: false, servername });
  await once(socket, 'secureConnect');
  const { CN } = socket.getPeerCertificate().subject;
  socket.destroy();
  return CN;
}

describe('the certificates of a secure port', () => {
  it('are those that the files have now', async () => {
    write('own', await makeCertificate({ subject: 'CN=own' }));
    write('named', await makeCertificate({ subject: 'CN=named' }));
    const port = await serve({
      'tls-cert-file': file('own.crt'),
      'tls-private-key-file': file('own.key'),
      'tls-sni-cert-key': [`${file('named.crt')},${file('named.key')}:a.example`],
    });
    expect([await shownBy(port), await shownBy(port, 'a.example')]).toEqual(['own', 'named']);
    write('own', await makeCertificate({ subject: 'CN=own2' }));
    write('named', await makeCertificate({ subject: 'CN=named2' }));
    await until('the new certificate', async () => (await shownBy(port)) === 'own2');
    await until('the new named certificate', async () => (await shownBy(port, 'a.example')) === 'named2');
  });

  it('are generated in memory, or once in --cert-dir', async () => {
    expect(await shownBy(await serve({}))).toBe('generated');
    expect(await shownBy(await serve({ 'cert-dir': directory }))).toBe('generated');
    expect(fs.readdirSync(directory).toSorted()).toEqual(['kube-scheduler.crt', 'kube-scheduler.key']);
    write('kube-scheduler', await makeCertificate({ subject: 'CN=given' }));
    expect(await shownBy(await serve({ 'cert-dir': directory }))).toBe('given');
  });

  it('are refused without their key, and when they are not readable', async () => {
    await expect(serve({ 'tls-cert-file': 'a' })).rejects.toThrow('must be set together');
    const missing = `${file('a.crt')},${file('a.key')}`;
    await expect(serve({ 'tls-sni-cert-key': [missing] })).rejects.toThrow('failed to load SNI cert and key: ENOENT');
  });
});

describe('the clients of a secure port', () => {
  const statusFor = ({ pem, keyPem }: MadeCertificate, port: number): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      const identity = { cert: pem, key: keyPem, rejectUnauthorized: false, agent: false as const };
      https
        .get({ port, host: '127.0.0.1', path: '/metrics', ...identity }, (response) => {
          response.resume();
          resolve(response.statusCode);
        })
        .once('error', reject);
    });

  it('are those of the CA that --client-ca-file has now', async () => {
    const [first, second] = [
      await makeCertificate({ subject: 'CN=ca1', ca: true }),
      await makeCertificate({ subject: 'CN=ca2', ca: true }),
    ];
    const jane = await makeCertificate({ subject: 'CN=jane', issuer: second });
    write('ca', first);
    const port = await serve({}, file('ca.crt'));
    expect(await statusFor(jane, port)).toBe(403);
    write('ca', second);
    await until('jane is known', async () => (await statusFor(jane, port)) === 200);
  });

  it('are those of the CA that the API server publishes, which is read every minute', async () => {
    const test = createTestContext();
    let published: (() => object) | undefined;
    const client = {
      resource: () => ({
        get: () => (published ? Promise.resolve(published()) : Promise.reject(new Error('no such ConfigMap'))),
      }),
    } as unknown as Client;
    const ca = await followClientCa(test, { client });
    const seen: string[] = [];
    ca.onChange((bundle) => seen.push(bundle));
    expect(ca.value).toBe('');
    for (const bundle of ['a', 'a', 'b']) {
      published = () => ({ data: { 'client-ca-file': bundle } });
      await test.clock.advance(60_000);
    }
    published = undefined;
    await test.clock.advance(60_000);
    expect([ca.value, ...seen]).toEqual(['b', 'a', 'b']);
    test.stop();
  });
});
