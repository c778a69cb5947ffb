/** The kubelet's serving certificate: signed by the cluster (serverTLSBootstrap) or self-signed and stored. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import fs from 'node:fs/promises';
import path from 'node:path';
import type { Client } from '../../client/index.ts';
import { makeDirectory, type Context } from '../../kernel/index.ts';
import { nextRotationDeadline, sleepUntil, validityOf } from '../../net/tls/index.ts';
import { runCertificateManager } from './certificate-manager.ts';
import { CertificateStore } from './certificate-store.ts';
import type { IssuedCertificate } from './request-certificate.ts';
import { selfSignedCertificate } from './self-signed.ts';

interface ServingCertificateOptions {
  readonly client: Client;
  readonly nodeName: string;
  readonly names: readonly string[];
  readonly directory: string;
  /** PEM of the CA that signs. */
  readonly issuer?: string | undefined;
  readonly onCertificate: (issued: IssuedCertificate) => void;
}

export async function rotateServingCertificate(
  ctx: Context,
  { client, nodeName, names, directory, issuer, onCertificate }: ServingCertificateOptions,
): Promise<void> {
  const store = new CertificateStore(directory, 'kubelet-server');
  const current = await store.current();
  if (current !== undefined && current.validTo > ctx.clock.now()) onCertificate(current);
  await runCertificateManager(ctx, {
    name: 'serving-certificate',
    client,
    store,
    order: { signerName: 'kubernetes.io/kubelet-serving', nodeName, names },
    issuer,
    onCertificate,
  });
}

interface IssuedRenewal {
  readonly certificate: string;
  readonly issue: () => Promise<IssuedCertificate>;
  readonly onCertificate: (issued: IssuedCertificate) => void;
}

/** Renews a certificate that the owner of the kubelet issues by itself. */
export async function renewIssuedCertificate(
  ctx: Context,
  { certificate: first, issue, onCertificate }: IssuedRenewal,
): Promise<void> {
  let current = first;
  for (;;) {
    await sleepUntil(ctx, nextRotationDeadline(validityOf(current), ctx.random));
    if (ctx.signal.aborted) return;
    const issued = await issue();
    current = issued.certificate;
    onCertificate(issued);
  }
}

/** The self-signed certificate in `kubelet.crt` and `kubelet.key`; created once, so that it survives a restart. */
export async function storedSelfSignedCertificate(
  ctx: Context,
  directory: string,
  names: readonly string[],
): Promise<IssuedCertificate> {
  const [certificateFile, keyFile] = [path.join(directory, 'kubelet.crt'), path.join(directory, 'kubelet.key')];
  const read = (file: string): Promise<string> => fs.readFile(file, 'utf8').catch(() => '');
  const [certificate, privateKey] = await Promise.all([read(certificateFile), read(keyFile)]);
  if (isKeyPair(certificate, privateKey)) return { certificate, privateKey };
  const made = await selfSignedCertificate(ctx, names);
  await makeDirectory(directory, { mode: 0o750 });
  await fs.writeFile(certificateFile, made.certificate, { mode: 0o644 });
  await fs.writeFile(keyFile, made.privateKey, { mode: 0o600 });
  return made;
}

/** False also for files that a killed kubelet wrote in part. */
function isKeyPair(certificate: string, privateKey: string): boolean {
  try {
    return new X509Certificate(certificate).checkPrivateKey(createPrivateKey(privateKey));
  } catch {
    return false;
  }
}
