/** controller-runtime's envtest on k8ts: its commands, as it calls them, with its files. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { issueCertificate, openPki } from '../src/apiserver/index.ts';
import { createContext } from '../src/kernel/index.ts';
import { freePort } from './free-port.ts';
import { builtProgram } from './k8ts-process.ts';

const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'k8ts-envtest-'));
const children: ChildProcess[] = [];
let assets: string;
beforeAll(async () => {
  const { stdout, status } = spawnSync(
    process.execPath,
    [await builtProgram(), 'envtest', '--directory', path.join(scratch, 'assets')],
    { encoding: 'utf8' },
  );
  expect(status).toBe(0);
  assets = stdout.trim();
});
afterAll(async () => {
  await Promise.all(
    children.map(async (child) => {
      if (child.exitCode !== null) return;
      child.kill('SIGTERM');
      await once(child, 'exit');
    }),
  );
  fs.rmSync(scratch, { recursive: true, force: true });
});

const get = (module: typeof http | typeof https, url: string, options: https.RequestOptions = {}): Promise<string> =>
  new Promise((resolve) => {
    module
      .get(url, options, (response) => {
        let text = '';
        response.on('data', (piece: Buffer) => (text += piece.toString()));
        response.on('end', () => resolve(`${response.statusCode} ${text}`));
      })
      .on('error', (error) => resolve(String(error)));
  });

function start(name: string, args: readonly string[]): void {
  // envtest starts its programs in a group of their own, to end all of it.
  const child = spawn(path.join(assets, name), args, { stdio: 'ignore', detached: true });
  children.push(child);
}

it('has the programs by their names, which answer as envtest expects', () => {
  expect(fs.readdirSync(assets).sort()).toEqual(['etcd', 'kube-apiserver', 'kubectl']);
  for (const name of ['etcd', 'kube-apiserver']) {
    const { stdout, status } = spawnSync(path.join(assets, name), ['--help'], { encoding: 'utf8' });
    expect(status).toBe(0);
    // It looks for flags by this pattern; k8ts has none of the insecure ones.
    expect(stdout).not.toMatch(/^\s*--insecure-port\b/m);
    expect(stdout).toMatch(name === 'etcd' ? /^\s*--listen-client-urls\b/m : /^\s*--etcd-servers\b/m);
  }
});

it('serves the API with the flags and certificates of envtest', async () => {
  const [etcdPort, peerPort, apiPort] = await Promise.all([freePort(), freePort(), freePort()]);
  const [etcdUrl, server] = [`http://127.0.0.1:${etcdPort}`, `https://127.0.0.1:${apiPort}`];
  start('etcd', [
    `--advertise-client-urls=${etcdUrl}`,
    `--data-dir=${path.join(scratch, 'etcd')}`,
    `--listen-client-urls=${etcdUrl}`,
    `--listen-peer-urls=http://127.0.0.1:${peerPort}`,
  ]);
  await expect.poll(() => get(http, `${etcdUrl}/health`)).toMatch(/^200 /);

  const certificates = path.join(scratch, 'certificates');
  fs.mkdirSync(certificates);
  const ctx = createContext({ writeLog: () => {} });
  const pki = await openPki(ctx, path.join(scratch, 'pki'), { addresses: ['127.0.0.1'], dnsNames: ['localhost'] });
  const files = {
    'apiserver.crt': 'apiserver.crt',
    'apiserver.key': 'apiserver.key',
    // A certificate, not a public key.
    'sa-signer.crt': 'front-proxy-ca.crt',
    'sa-signer.key': 'front-proxy-ca.key',
    'client-cert-auth-ca.crt': 'ca.crt',
  };
  for (const [to, from] of Object.entries(files))
    fs.copyFileSync(path.join(scratch, 'pki', from), path.join(certificates, to));
  start('kube-apiserver', [
    '--allow-privileged=true',
    '--authorization-mode=RBAC',
    '--bind-address=127.0.0.1',
    `--cert-dir=${certificates}`,
    `--client-ca-file=${path.join(certificates, 'client-cert-auth-ca.crt')}`,
    '--disable-admission-plugins=ServiceAccount',
    `--etcd-servers=${etcdUrl}`,
    `--secure-port=${apiPort}`,
    `--service-account-issuer=${server}/`,
    `--service-account-key-file=${path.join(certificates, 'sa-signer.crt')}`,
    `--service-account-signing-key-file=${path.join(certificates, 'sa-signer.key')}`,
    '--service-cluster-ip-range=10.0.0.0/24',
  ]);
  const ca = pki.ca.certificate;
  await expect.poll(() => get(https, `${server}/healthz`, { ca })).toMatch(/^200 /);
  const admin = await issueCertificate(ctx, pki.ca, {
    commonName: 'default',
    organizations: ['system:masters'],
    usage: 'client',
  });
  const credentials = { ca, cert: admin.certificate, key: admin.key };
  expect(await get(https, `${server}/api/v1/namespaces/default`, { ca })).toMatch(/^40[13] /);
  expect(await get(https, `${server}/api/v1/namespaces/default`, credentials)).toMatch(/^200 /);
});
