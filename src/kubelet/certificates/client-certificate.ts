/** The kubelet's client certificate: asked for with bootstrap credentials, kept in a file, renewed before it ends. */
import { X509Certificate } from 'node:crypto';
import fs from 'node:fs/promises';
import path from 'node:path';
import type { Client } from '../../client/index.ts';
import { childContext, type Context } from '../../kernel/index.ts';
import { messageOf } from '../images/image-manager.ts';
import { requestCertificate, type IssuedCertificate } from './request-certificate.ts';

const CURRENT = 'kubelet-client-current.pem';
const RETRY_MS = 10_000;

export const clientCertificateFile = (directory: string): string => path.join(directory, CURRENT);

/** Whether there is a certificate that still holds. */
export async function hasClientCertificate(directory: string, now: number): Promise<boolean> {
  const pem = await fs.readFile(clientCertificateFile(directory), 'utf8').catch(() => undefined);
  return pem !== undefined && expiryOf(pem) > now;
}

export function expiryOf(pem: string): number {
  return Date.parse(new X509Certificate(pem).validTo);
}

/** Certificate and key in one dated file; a link points to the newest, as other tools expect it. */
export async function storeClientCertificate(directory: string, { certificate, privateKey }: IssuedCertificate, now: number): Promise<void> {
  await fs.mkdir(directory, { recursive: true, mode: 0o750 });
  const dated = `kubelet-client-${new Date(now).toISOString().replace(/:/g, '-').replace(/\..*$/, '').replace('T', '-')}.pem`;
  await fs.writeFile(path.join(directory, dated), `${certificate}${privateKey}`, { mode: 0o600 });
  const link = clientCertificateFile(directory);
  await fs.rm(`${link}.tmp`, { force: true });
  await fs.symlink(path.join(directory, dated), `${link}.tmp`);
  await fs.rename(`${link}.tmp`, link);
}

/** A kubeconfig that names the certificate's file, so that a renewed one is used as soon as it is there. */
export function kubeconfigFor({ server, ca, directory }: { readonly server: string; readonly ca: string | undefined; readonly directory: string }): string {
  const file = clientCertificateFile(directory);
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'default-cluster', cluster: { server, ...(ca === undefined ? {} : { 'certificate-authority-data': Buffer.from(ca).toString('base64') }) } }],
    contexts: [{ name: 'default-context', context: { cluster: 'default-cluster', namespace: 'default', user: 'default-auth' } }],
    'current-context': 'default-context',
    users: [{ name: 'default-auth', user: { 'client-certificate': file, 'client-key': file } }],
  });
}

/** Renews somewhere between 70 and 90 percent of the certificate's life, so that nodes do not all come at once. */
export async function rotateClientCertificate(outer: Context, { client, directory, nodeName }: { client: Client; directory: string; nodeName: string }): Promise<void> {
  const ctx = childContext(outer, 'client-certificate');
  const { clock, random, signal, logger } = ctx;
  while (!signal.aborted) {
    const pem = await fs.readFile(clientCertificateFile(directory), 'utf8');
    const { validFrom, validTo } = new X509Certificate(pem);
    const [from, to] = [Date.parse(validFrom), Date.parse(validTo)];
    const renewAt = from + (to - from) * (0.7 + 0.2 * random.next());
    await clock.sleep(Math.max(0, Math.min(renewAt - clock.now(), 24 * 3600_000)), signal).catch(() => {});
    if (signal.aborted || clock.now() < renewAt) continue;
    try {
      await storeClientCertificate(directory, await requestCertificate(ctx, client, { signerName: 'kubernetes.io/kube-apiserver-client-kubelet', nodeName }), clock.now());
      logger.info('The client certificate was renewed');
    } catch (error) {
      if (signal.aborted) return;
      logger.v(1).info('The client certificate could not be renewed yet', { err: messageOf(error) });
      await clock.sleep(RETRY_MS, signal).catch(() => {});
    }
  }
}
