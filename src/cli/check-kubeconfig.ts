/**
 * Refuses a kubeconfig that cannot work: its certificate has expired, or its cluster was replaced. A component would
 * retry forever. A server that does not answer is not an error: it may come up.
 */
import { X509Certificate } from 'node:crypto';
import fs from 'node:fs';
import { connect, loadKubeconfig, type ClientConfig } from '../client/index.ts';
import { createContext } from '../kernel/index.ts';
import { CommandError } from './command.ts';
import { OLD_KUBECONFIG, explainError, isExpired, isOldKubeconfig } from './explain-error.ts';

const TIMEOUT_MS = 3000;

/** Checks the `--kubeconfig` file in a component's arguments, if there is one. */
export async function checkKubeconfig(argv: readonly string[]): Promise<void> {
  const at = argv.findIndex((word) => /^--kubeconfig(?:=|$)/.test(word));
  const file = argv[at]?.includes('=') ? argv[at].slice(argv[at].indexOf('=') + 1) : argv[at + 1];
  // A kubelet with a bootstrap kubeconfig requests new credentials.
  if (argv.some((word) => word.startsWith('--bootstrap-kubeconfig'))) return;
  if (at !== -1 && file && fs.existsSync(file)) await checkKubeconfigFile(file);
}

export async function checkKubeconfigFile(file: string): Promise<void> {
  const { clock } = createContext();
  const config = await loadKubeconfig({ clock, file });
  await checkCertificate(config, clock.now(), file);
  const client = connect({ clock }, config);
  try {
    await client.request({ method: 'GET', path: '/version', signal: clock.deadline(TIMEOUT_MS) });
  } catch (error) {
    if (isExpired(error)) throw new CommandError(`${file}: ${explainError(error)}`);
    if (isOldKubeconfig(error)) throw new CommandError(`${file}: ${OLD_KUBECONFIG}`);
  } finally {
    await client.close();
  }
}

/** Throws when the user has only a certificate and it has expired. */
export async function checkCertificate({ credentials }: ClientConfig, now: number, file: string): Promise<void> {
  const [certificate, authorization] = await Promise.all([credentials.certificate(), credentials.authorization()]);
  if (certificate === undefined || authorization !== undefined) return;
  const expiry = certificateExpiry(certificate.cert);
  if (expiry !== undefined && expiry < now) throw new CommandError(`${file}: ${expiredCertificate(expiry)}`);
}

export const expiredCertificate = (expiry: number): string =>
  `its client certificate expired on ${new Date(expiry).toISOString().slice(0, 10)}; "k8ts up" writes a kubeconfig with a new one at every start (DIR/kubeconfig), for other clusters ask their administrator`;

/** Undefined for an unreadable certificate, which fails later with a better error. */
export function certificateExpiry(pem: string): number | undefined {
  try {
    return Date.parse(new X509Certificate(pem).validTo);
  } catch {
    return undefined;
  }
}
