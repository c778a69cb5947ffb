/** Certificates of a running cluster are exchanged under clients that stay connected. */
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import https from 'node:https';
import os from 'node:os';
import path from 'node:path';
import tls from 'node:tls';
import { promisify } from 'node:util';
import { afterAll, expect, it } from 'vitest';
import { parse } from 'yaml';
import { builtProgram } from './k8ts-process.ts';

const run = promisify(execFile);
const root = fs.mkdtempSync(path.join(os.tmpdir(), 'k8ts-certs-'));
const directory = path.join(root, 'cluster');
const k8ts = async (...args: readonly string[]): Promise<string> =>
  (await run(process.execPath, [await builtProgram(), ...args, '--data-dir', directory])).stdout;
afterAll(async () => {
  await k8ts('down').catch(() => undefined);
  fs.rmSync(root, { recursive: true, force: true });
});

interface Access extends tls.SecureContextOptions {
  readonly ca: Buffer;
  readonly cert: Buffer;
  readonly key: Buffer;
}

function accessOf(file: string): { server: URL; access: Access } {
  const config = parse(fs.readFileSync(file, 'utf8')) as {
    clusters: [{ cluster: Record<string, string> }];
    users: [{ user: Record<string, string> }];
  };
  const { cluster } = config.clusters[0];
  const { user } = config.users[0];
  const bytes = (text: string | undefined): Buffer => Buffer.from(text!, 'base64');
  return {
    server: new URL(cluster['server']!),
    access: {
      ca: bytes(cluster['certificate-authority-data']),
      cert: bytes(user['client-certificate-data']),
      key: bytes(user['client-key-data']),
    },
  };
}

const connected = (server: URL, access: Access): Promise<tls.TLSSocket> =>
  new Promise((resolve, reject) => {
    const socket = tls.connect({ host: server.hostname, port: Number(server.port), ...access }, () => resolve(socket));
    socket.on('error', reject);
  });

const get = (server: URL, access: Access, agent?: https.Agent): Promise<number> =>
  new Promise((resolve, reject) => {
    https
      .get(new URL('/api/v1/namespaces', server), { ...access, ...(agent ? { agent } : {}) }, (response) => {
        response.resume().once('end', () => resolve(response.statusCode!));
      })
      .once('error', reject);
  });

it('renews the serving certificate, the clients and the kubeconfig without a restart', async () => {
  const { pid } = JSON.parse(
    await k8ts('up', '--port', '0', '--nodes', '0', '--addons', 'none', '--detach', '-o', 'json'),
  ) as { pid: number };
  const kubeconfig = path.join(directory, 'kubeconfig');
  const before = accessOf(kubeconfig);
  const agent = new https.Agent({ keepAlive: true, maxSockets: 1 });
  expect(await get(before.server, before.access, agent)).toBe(200);
  const first = await connected(before.server, before.access);
  // The server ends a connection on which no request comes, and the certificate is then no longer known.
  const { serialNumber } = first.getPeerCertificate();
  expect(await k8ts('certs', 'check')).toMatch(/apiserver +\d{4}-\S+ +36\dd +ca\n/);

  expect(await k8ts('certs', 'renew', 'all')).toBe(
    'renewed apiserver, apiserver-kubelet-client, front-proxy-client, kubeconfig\n',
  );
  const after = accessOf(kubeconfig);
  const second = await connected(after.server, after.access);
  expect(second.getPeerCertificate().serialNumber).not.toBe(serialNumber);
  expect(second.authorized).toBe(true);
  const stored = new (await import('node:crypto')).X509Certificate(
    fs.readFileSync(path.join(directory, 'pki', 'apiserver.crt')),
  );
  expect(second.getPeerCertificate().serialNumber).toBe(stored.serialNumber);
  expect(after.access.cert).not.toEqual(before.access.cert);
  expect(fs.statSync(kubeconfig).mode & 0o777).toBe(0o600);
  // The connection that was open, the old credentials and the new ones all work.
  expect(await get(before.server, before.access, agent)).toBe(200);
  expect(await get(before.server, before.access)).toBe(200);
  expect(await get(after.server, after.access)).toBe(200);
  process.kill(pid, 0);
  for (const socket of [first, second]) socket.destroy();
  agent.destroy();
});

it('refuses unknown names, and renews while the cluster is stopped', async () => {
  await expect(k8ts('certs', 'renew', 'apisrver')).rejects.toThrow(/did you mean apiserver\?/);
  await k8ts('down');
  const file = path.join(directory, 'pki', 'apiserver.crt');
  const before = fs.readFileSync(file, 'utf8');
  await k8ts('certs', 'renew', 'apiserver');
  const renewed = fs.readFileSync(file, 'utf8');
  expect(renewed).not.toBe(before);
  await k8ts('up', '--port', '0', '--nodes', '0', '--addons', 'none', '--detach');
  expect(fs.readFileSync(file, 'utf8')).toBe(renewed);
});

it('exchanges the CA in three steps, and refuses what the one before has signed', async () => {
  const kubeconfig = path.join(directory, 'kubeconfig');
  const before = accessOf(kubeconfig);
  await expect(k8ts('certs', 'rotate-ca', 'switch')).rejects.toThrow(/there is no next CA yet/);
  await expect(k8ts('certs', 'rotate-ca', 'start')).rejects.toThrow(/rotate-ca begin\|switch\|finish/);
  expect(await k8ts('certs', 'rotate-ca', 'begin')).toBe('the next CA is trusted besides the present one\n');
  const begun = accessOf(kubeconfig);
  // Another start may have another port.
  const withAuthorities = { ...before.access, ca: begun.access.ca };
  expect(await get(begun.server, before.access)).toBe(200);

  await k8ts('certs', 'rotate-ca', 'switch');
  const switched = accessOf(kubeconfig);
  expect(await get(switched.server, switched.access)).toBe(200);
  expect(await get(switched.server, withAuthorities)).toBe(200);
  await expect(get(switched.server, before.access)).rejects.toThrow(/self-signed|unable to verify|signature/);

  // A machine's address may be another one by now, as in another network.
  await k8ts('down');
  await k8ts('up', '--port', '0', '--nodes', '0', '--addons', 'none', '--advertise-address', '192.0.2.99', '--detach');
  await k8ts('certs', 'rotate-ca', 'finish');
  const finished = accessOf(kubeconfig);
  expect(await get(finished.server, finished.access)).toBe(200);
  expect(await get(finished.server, { ...switched.access, ca: finished.access.ca })).toBe(200);
  expect([401, 403]).toContain(await get(finished.server, withAuthorities));
  await expect(k8ts('certs', 'renew', 'etcd-peer')).rejects.toThrow(/it runs no etcd/);
});
