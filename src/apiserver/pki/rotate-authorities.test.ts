import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createContext } from '../../kernel/index.ts';
import { bundlePool, certificatesOfPem, CLIENT_AUTH, isSignedBy, verifyChain } from '../../net/tls/index.ts';
import { certificatesIn, issue, loadAuthority } from './certificates.ts';
import { openEtcdPki, openPki } from './files.ts';
import {
  createNextAuthorities,
  forgetPreviousAuthorities,
  rotationState,
  signWithNextAuthorities,
  trustNextAuthorities,
} from './rotate-authorities.ts';

const serving = { dnsNames: ['localhost'], addresses: ['127.0.0.1'], signingKey: 'ec' } as const;
const ctx = createContext({ writeLog: () => undefined });
let directory: string;
beforeEach(() => (directory = fs.mkdtempSync(path.join(os.tmpdir(), 'k8ts-rotation-'))));
afterEach(() => fs.rmSync(directory, { recursive: true }));

const open = async () => ({
  ...(await openPki(ctx, directory, serving)),
  etcd: await openEtcdPki(ctx, directory, serving),
});

/** Whether who trusts the bundle accepts the certificate. */
function accepts(bundle: string, certificate: string): boolean {
  try {
    const [leaf] = certificatesOfPem(certificate);
    verifyChain(leaf!, { anchors: bundlePool(bundle), now: ctx.clock.now(), usage: CLIENT_AUTH });
    return true;
  } catch {
    return false;
  }
}

describe('the rotation of the CAs', () => {
  it('leaves no moment at which what was issued before or after a step is refused', async () => {
    const first = await open();
    expect(rotationState(directory)).toBe('none');

    await trustNextAuthorities(directory, await createNextAuthorities(ctx, directory));
    expect(rotationState(directory)).toBe('trusted');
    const begun = await open();
    for (const [before, now] of [
      [first.ca, begun.ca],
      [first.frontProxyCa, begun.frontProxyCa],
      [first.etcd.ca, begun.etcd.ca],
    ] as const) {
      expect(certificatesIn(now.certificate)).toEqual([before.certificate, expect.any(String)]);
      expect(now.key).toBe(before.key);
    }
    expect(begun.kubeletClient).toEqual(first.kubeletClient);

    await signWithNextAuthorities(directory);
    expect(rotationState(directory)).toBe('switched');
    const switched = await open();
    expect(switched.ca.certificate).toBe(certificatesIn(begun.ca.certificate).reverse().join(''));
    expect(switched.ca.key).not.toBe(first.ca.key);
    for (const certificate of [first.kubeletClient.certificate, switched.kubeletClient.certificate])
      for (const { ca } of [begun, switched]) expect(accepts(ca.certificate, certificate)).toBe(true);
    expect(isSignedBy(switched.etcd.certificates['etcd-peer'].certificate, switched.etcd.ca.certificate)).toBe(true);
    expect(accepts(first.ca.certificate, switched.kubeletClient.certificate)).toBe(false);

    await forgetPreviousAuthorities(directory);
    expect(rotationState(directory)).toBe('none');
    const finished = await open();
    expect(certificatesIn(finished.ca.certificate)).toHaveLength(1);
    expect(finished.kubeletClient).toEqual(switched.kubeletClient);
    expect(accepts(finished.ca.certificate, first.kubeletClient.certificate)).toBe(false);
    expect(accepts(finished.ca.certificate, finished.kubeletClient.certificate)).toBe(true);
    expect(fs.existsSync(path.join(directory, 'next'))).toBe(false);
  });

  it('does a step again that was interrupted', async () => {
    await open();
    const next = await createNextAuthorities(ctx, directory);
    await trustNextAuthorities(directory, { ...next });
    await trustNextAuthorities(directory, next);
    expect(certificatesIn(fs.readFileSync(path.join(directory, 'ca.crt'), 'utf8'))).toHaveLength(2);
    // One of three keys was exchanged when the process was killed.
    fs.renameSync(path.join(directory, 'next', 'ca.key'), path.join(directory, 'ca.key'));
    expect(rotationState(directory)).toBe('trusted');
    await open();
    await signWithNextAuthorities(directory);
    expect(rotationState(directory)).toBe('switched');
    const { ca, etcd } = await open();
    expect([ca.key, etcd.ca.key]).toEqual([next.ca!.key, next['etcd-ca']!.key]);
  });

  it('keeps keys to their owner', async () => {
    await open();
    await trustNextAuthorities(directory, await createNextAuthorities(ctx, directory));
    const modeOf = (name: string): number => fs.statSync(path.join(directory, name)).mode & 0o777;
    expect([modeOf('next'), modeOf('next/ca.key'), modeOf('next/etcd/ca.key'), modeOf('ca.crt')]).toEqual([
      0o700, 0o600, 0o600, 0o644,
    ]);
    await signWithNextAuthorities(directory);
    expect(modeOf('ca.key')).toBe(0o600);
  });

  it('refuses a key that belongs to none of the certificates', async () => {
    const { ca, frontProxyCa } = await open();
    expect(() => loadAuthority({ certificate: ca.certificate, key: frontProxyCa.key })).toThrow(
      'belongs to none of its certificates',
    );
    const issued = await issue(ctx, ca, { commonName: 'someone', usage: 'client' });
    const isBy = ({ certificate }: { certificate: string }) => isSignedBy(issued.certificate, certificate);
    expect([isBy(ca), isBy(frontProxyCa)]).toEqual([true, false]);
  });
});
