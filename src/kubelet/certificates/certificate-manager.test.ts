import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Client, Credentials } from '../../client/index.ts';
import { createTestContext, RealClock, type TestContext } from '../../kernel/index.ts';
import { nextRotationDeadline } from '../../net/tls/index.ts';
import { runCertificateManager } from './certificate-manager.ts';
import { CertificateStore } from './certificate-store.ts';
import { renewableCredentials } from './client-certificate.ts';
import { selfSignedCertificate } from './self-signed.ts';
import { storedSelfSignedCertificate } from './serving-certificate.ts';

const DAY_MS = 24 * 3600_000;
let ctx: TestContext;
let directory: string;

beforeEach(async () => {
  ctx = createTestContext();
  directory = await fs.mkdtemp(path.join(os.tmpdir(), 'k8ts-certificates-'));
});
afterEach(() => fs.rm(directory, { recursive: true, force: true }));

/** Signs whatever is asked for, for a year. */
function signer() {
  const asked: number[] = [];
  const requests = {
    create: () => {
      asked.push(ctx.clock.now());
      return Promise.resolve({ metadata: { name: 'csr-1' } });
    },
    get: async () => ({
      status: { certificate: Buffer.from((await selfSignedCertificate(ctx, ['n'])).certificate).toString('base64') },
    }),
  };
  return { asked, client: { resource: () => requests } as unknown as Client };
}

it('requests one if there is none, and renews it between 70 and 90 percent of its lifetime', async () => {
  const { asked, client } = signer();
  const store = new CertificateStore(directory, 'kubelet-server');
  const seen: string[] = [];
  const done = runCertificateManager(ctx, {
    name: 'c',
    client,
    store,
    order: { signerName: 'kubernetes.io/kubelet-serving', nodeName: 'n' },
    onCertificate: ({ certificate }) => void seen.push(certificate),
  });
  const real = new RealClock();
  for (let i = 0; i < 200 && seen.length === 0; i++) await real.sleep(5);
  expect(seen).toHaveLength(1);
  const current = await store.current();
  expect(current?.certificate.trim()).toBe(seen[0]?.trim());
  // Keys are made, and files written, in real time.
  for (let day = 0; day < 400 && asked.length < 2; day++) {
    await real.sleep(day === 0 ? 50 : 2);
    await ctx.clock.advance(DAY_MS);
  }
  const days = ((asked[1] ?? 0) - (asked[0] ?? 0)) / DAY_MS;
  expect(days).toBeGreaterThan(0.69 * 365);
  expect(days).toBeLessThan(0.95 * 365);
  for (let i = 0; i < 200 && seen.length < 2; i++) await real.sleep(5);
  expect(seen).toHaveLength(2);
  ctx.stop();
  await done;
});

it('is renewed at once when another CA has signed it, and again while that goes on', async () => {
  const { asked, client } = signer();
  const store = new CertificateStore(directory, 'kubelet-client');
  await store.store(await selfSignedCertificate(ctx, ['n']), ctx.clock.now());
  const done = runCertificateManager(ctx, {
    name: 'c',
    client,
    store,
    order: { signerName: 'kubernetes.io/kube-apiserver-client-kubelet', nodeName: 'n' },
    issuer: (await selfSignedCertificate(ctx, ['another CA'])).certificate,
    onCertificate: () => undefined,
  });
  const real = new RealClock();
  for (let i = 0; i < 400 && asked.length < 3; i++) {
    await real.sleep(5);
    await ctx.clock.advance(1000);
  }
  expect(asked.length).toBeGreaterThanOrEqual(3);
  expect(asked[1]! - asked[0]!).toBeGreaterThanOrEqual(2000);
  expect(asked[2]! - asked[1]!).toBeGreaterThanOrEqual(4000);
  ctx.stop();
  await done;
});

it.each([
  [0, 70],
  [0.5, 80],
  [1, 90],
])('with jitter %d is renewed at %d percent', (chance, percent) => {
  expect(nextRotationDeadline({ validFrom: 0, validTo: 100 }, { next: () => chance })).toBeCloseTo(percent);
});

it('that is self-signed is kept, and created again when its key or certificate is missing', async () => {
  const first = await storedSelfSignedCertificate(ctx, directory, ['n']);
  expect(await storedSelfSignedCertificate(ctx, directory, ['n'])).toEqual(first);
  await fs.writeFile(path.join(directory, 'kubelet.key'), first.privateKey.slice(0, 60));
  const second = await storedSelfSignedCertificate(ctx, directory, ['n']);
  expect(second.certificate).not.toBe(first.certificate);
  expect(await storedSelfSignedCertificate(ctx, directory, ['n'])).toEqual(second);
});

it('of a refusal that a newer certificate may cure there is one', () => {
  const inner: Credentials = {
    authorization: () => Promise.resolve(undefined),
    certificate: () => Promise.resolve(undefined),
    refused: () => false,
  };
  const { credentials, renewed } = renewableCredentials(inner);
  expect(credentials.refused()).toBe(false);
  renewed();
  expect([credentials.refused(), credentials.refused()]).toEqual([true, false]);
});
