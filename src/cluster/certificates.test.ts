import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  CERTIFICATES,
  issueCertificate,
  kubeconfigFor,
  openEtcdPki,
  openPki,
  renewEtcdCertificates,
  type ApiServer,
  type ClusterPki,
  type EtcdCertificateName,
} from '../apiserver/index.ts';
import { createContext, VirtualClock, type Context } from '../kernel/index.ts';
import { validityOf } from '../net/tls/index.ts';
import { Certificates, RENEWABLE, type RenewableName } from './certificates.ts';
import { listCertificates, renewStopped } from './stored-certificates.ts';

const DAY_MS = 24 * 3600_000;
const serving = { dnsNames: ['localhost'], addresses: ['127.0.0.1'], signingKey: 'ec' } as const;

let directory: string;
let clock: VirtualClock;
let ctx: Context;
let stopped: AbortController;
let pki: ClusterPki;
let kubeconfig: string;
let etcdCertificates: Record<EtcdCertificateName, string>;

beforeEach(async () => {
  directory = fs.mkdtempSync(path.join(os.tmpdir(), 'k8ts-certificates-'));
  clock = new VirtualClock();
  stopped = new AbortController();
  ctx = createContext({ clock, signal: stopped.signal, writeLog: () => undefined });
  pki = await openPki(ctx, path.join(directory, 'pki'), serving);
  const { certificates } = await openEtcdPki(ctx, path.join(directory, 'pki'), serving);
  etcdCertificates = {
    'apiserver-etcd-client': certificates['apiserver-etcd-client'].certificate,
    'etcd-server': certificates['etcd-server'].certificate,
    'etcd-peer': certificates['etcd-peer'].certificate,
  };
  kubeconfig = await adminKubeconfig();
});
afterEach(() => fs.rmSync(directory, { recursive: true }));

const adminKubeconfig = async (): Promise<string> => {
  const text = await kubeconfigFor(ctx, { server: 'https://127.0.0.1:1', ca: pki.ca, user: 'admin' });
  fs.writeFileSync(path.join(directory, 'kubeconfig'), text);
  return text;
};

describe('Certificates', () => {
  /** In memory, unless a test says otherwise: on a virtual clock no day passes while files are written. */
  function running(
    renewKubeconfig = adminKubeconfig,
    pkiDirectory?: string,
  ): {
    certificates: Certificates;
    finished: Promise<void>;
    renewals: { name: string; day: number }[];
  } {
    const renewals: { name: string; day: number }[] = [];
    const start = clock.now();
    const note = (name: string): void => void renewals.push({ name, day: (clock.now() - start) / DAY_MS });
    const names = Object.fromEntries(Object.entries(CERTIFICATES).map(([name, { keys }]) => [keys, name]));
    const apiServer = {
      renewKeys: (renewed: object) => Object.keys(renewed).forEach((key) => note(names[key]!)),
    } as unknown as ApiServer;
    const issued: Record<EtcdCertificateName, string> = { ...etcdCertificates };
    const etcd = {
      certificates: issued,
      renewCertificates: async (renewed: readonly EtcdCertificateName[]): Promise<void> => {
        renewed.forEach(note);
        if (pkiDirectory !== undefined) await renewEtcdCertificates(ctx, pkiDirectory, renewed);
        for (const name of renewed)
          issued[name] = (await issueCertificate(ctx, pki.ca, { commonName: name, usage: 'client' })).certificate;
      },
    };
    const certificates = new Certificates(ctx, {
      apiServer,
      pki,
      serving,
      directory: pkiDirectory,
      kubeconfig,
      etcd,
      renewKubeconfig: async () => {
        const text = await renewKubeconfig();
        note('kubeconfig');
        return text;
      },
    });
    return { certificates, finished: certificates.run(), renewals };
  }

  /** Timers fire one by one, and keys are made between them. */
  async function pass(days: number): Promise<void> {
    for (let day = 0; day < days; day++) {
      await clock.advance(DAY_MS);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  it('renews each once within 70 to 90 percent of its life, again and again', async () => {
    const { finished, renewals } = running();
    await pass(365 * 0.69);
    expect(renewals).toEqual([]);
    await pass(365 * 0.22);
    expect(renewals.map(({ name }) => name).sort()).toEqual([...RENEWABLE].sort());
    for (const { name, day } of renewals) {
      expect(day, name).toBeGreaterThan(365 * 0.69);
      expect(day, name).toBeLessThan(365 * 0.91 + 1);
    }
    await pass(365 * 2);
    expect(renewals.length).toBeGreaterThanOrEqual(3 * RENEWABLE.length);
    stopped.abort();
    await finished;
  });

  it('stores what it renews, and leaves the CAs', async () => {
    const before = Object.fromEntries(listCertificates(directory).map(({ name, expires }) => [name, expires]));
    const { certificates, finished } = running(adminKubeconfig, path.join(directory, 'pki'));
    await clock.advance(201 * DAY_MS);
    await certificates.renew(RENEWABLE);
    for (const { name, expires } of listCertificates(directory))
      if ((RENEWABLE as readonly string[]).includes(name))
        expect(expires, name).toBeGreaterThan(before[name]! + 200 * DAY_MS);
      else expect(expires, name).toBe(before[name]);
    const keyFile = path.join(directory, 'pki', 'apiserver.key');
    expect(fs.statSync(keyFile).mode & 0o777).toBe(0o600);
    stopped.abort();
    await finished;
  });

  it('renews on demand, which postpones the next renewal', async () => {
    const { certificates, finished, renewals } = running();
    await pass(200);
    await certificates.renew(['apiserver']);
    expect(renewals.map(({ name }) => name)).toEqual(['apiserver']);
    await pass(150);
    expect(renewals.filter(({ name }) => name === 'apiserver')).toHaveLength(1);
    expect(renewals).toHaveLength(RENEWABLE.length);
    stopped.abort();
    await finished;
  });

  it('tries again when a renewal fails', async () => {
    let failures = 3;
    const { finished, renewals } = running(async () => {
      if (failures-- > 0) throw new Error('no space left on device');
      return adminKubeconfig();
    });
    await pass(365 * 0.92);
    expect(failures).toBeLessThan(0);
    expect(renewals.filter(({ name }) => name === 'kubeconfig')).toHaveLength(1);
    stopped.abort();
    await finished;
  });
});

it('renews certificates of a stopped cluster, for the names that they have', async () => {
  const pem = (): string => fs.readFileSync(path.join(directory, 'pki', 'apiserver.crt'), 'utf8');
  const before = pem();
  await clock.advance(100 * DAY_MS);
  expect(await renewStopped(ctx, directory, RENEWABLE)).toEqual(RENEWABLE);
  expect(fs.readFileSync(path.join(directory, 'pki', 'etcd', 'peer.crt'), 'utf8')).not.toBe(
    etcdCertificates['etcd-peer'],
  );
  expect(validityOf(pem()).validTo).toBeGreaterThan(validityOf(before).validTo + 99 * DAY_MS);
  const opened = await openPki(ctx, path.join(directory, 'pki'), serving);
  expect(opened.apiserver.certificate).toBe(pem());
  await expect(renewStopped(ctx, path.join(directory, 'nowhere'), ['apiserver'] as RenewableName[])).rejects.toThrow(
    /has no ca.crt and ca.key/,
  );
});

it('renews no certificates of an etcd that a stopped cluster does not run', async () => {
  fs.rmSync(path.join(directory, 'pki', 'etcd'), { recursive: true });
  fs.rmSync(path.join(directory, 'pki', 'apiserver-etcd-client.crt'));
  const renewed = await renewStopped(ctx, directory, RENEWABLE);
  expect(RENEWABLE.filter((name) => !renewed.includes(name))).toEqual([
    'apiserver-etcd-client',
    'etcd-server',
    'etcd-peer',
  ]);
});

it('renews at the start what nobody renewed in time', async () => {
  await clock.advance(330 * DAY_MS);
  const opened = await openPki(ctx, path.join(directory, 'pki'), serving);
  expect(opened.apiserver.certificate).not.toBe(pki.apiserver.certificate);
  expect(opened.ca.certificate).toBe(pki.ca.certificate);
});
