/** The kubelet's client certificate: stored in `--cert-dir` and rotated before it expires. */
import { KUBERNETES_VERSION } from '../../api/kubernetes-version.ts';
import { connect, type Client, type ClientConfig, type Credentials } from '../../client/index.ts';
import { writeFileDurably, type Context } from '../../kernel/index.ts';
import { runCertificateManager } from './certificate-manager.ts';
import { CertificateStore } from './certificate-store.ts';
import { requestCertificate, type IssuedCertificate } from './request-certificate.ts';

const CLIENT_SIGNER = 'kubernetes.io/kube-apiserver-client-kubelet';

const storeIn = (directory: string): CertificateStore => new CertificateStore(directory, 'kubelet-client');

export const clientCertificateFile = (directory: string): string => storeIn(directory).file;

/** Whether there is a certificate that has not expired. */
export async function hasClientCertificate(directory: string, now: number): Promise<boolean> {
  return ((await storeIn(directory).current())?.validTo ?? 0) > now;
}

export const storeClientCertificate = (directory: string, issued: IssuedCertificate, now: number): Promise<void> =>
  storeIn(directory).store(issued, now);

/** A kubeconfig that refers to the certificate file, so that a rotated certificate is used at once. */
function kubeconfigFor({
  server,
  ca,
  directory,
}: {
  readonly server: string;
  readonly ca: string | undefined;
  readonly directory: string;
}): string {
  const file = clientCertificateFile(directory);
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        name: 'default-cluster',
        cluster: {
          server,
          ...(ca === undefined ? {} : { 'certificate-authority-data': Buffer.from(ca).toString('base64') }),
        },
      },
    ],
    contexts: [
      { name: 'default-context', context: { cluster: 'default-cluster', namespace: 'default', user: 'default-auth' } },
    ],
    'current-context': 'default-context',
    users: [{ name: 'default-auth', user: { 'client-certificate': file, 'client-key': file } }],
  });
}

interface Bootstrap {
  /** The credentials of the request: a bootstrap token. */
  readonly config: ClientConfig;
  readonly nodeName: string;
  /** Where the certificate is stored. */
  readonly directory: string;
  /** Where the new credentials are written. */
  readonly kubeconfig: string;
}

/** TLS bootstrap: requests the node's first client certificate, and writes a kubeconfig that refers to it. */
export async function bootstrapClientCertificate(
  ctx: Context,
  { config, nodeName, directory, kubeconfig }: Bootstrap,
): Promise<void> {
  const client = connect(ctx, config, { userAgent: `kubelet/${KUBERNETES_VERSION}` });
  try {
    ctx.logger.info('Requesting a client certificate with the bootstrap kubeconfig');
    const issued = await requestCertificate(ctx, client, { signerName: CLIENT_SIGNER, nodeName, isFirst: true });
    await storeClientCertificate(directory, issued, ctx.clock.now());
  } finally {
    await client.close();
  }
  await writeClientKubeconfig(kubeconfig, { server: config.server, ca: config.ca, directory });
}

export const writeClientKubeconfig = (file: string, options: Parameters<typeof kubeconfigFor>[0]): Promise<void> =>
  writeFileDurably(file, kubeconfigFor(options));

/**
 * Open connections still use the old certificate, and the server rejects it once it has expired: the first rejection
 * after a rotation makes the client reconnect.
 */
export function renewableCredentials(inner: Credentials): { readonly credentials: Credentials; renewed(): void } {
  let isNew = false;
  return {
    credentials: {
      authorization: () => inner.authorization(),
      certificate: () => inner.certificate(),
      refused: () => {
        const mayHelp = inner.refused() || isNew;
        isNew = false;
        return mayHelp;
      },
    },
    renewed: () => (isNew = true),
  };
}

interface ClientRotation {
  readonly client: Client;
  readonly directory: string;
  readonly nodeName: string;
  /** PEM of the CA that signs. */
  readonly issuer?: string | undefined;
  readonly onRenewed: () => void;
}

export function rotateClientCertificate(
  ctx: Context,
  { client, directory, nodeName, issuer, onRenewed }: ClientRotation,
): Promise<void> {
  return runCertificateManager(ctx, {
    name: 'client-certificate',
    client,
    store: storeIn(directory),
    order: { signerName: CLIENT_SIGNER, nodeName },
    issuer,
    onCertificate: onRenewed,
  });
}
