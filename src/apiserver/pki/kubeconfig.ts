/** Writes a kubeconfig with a new client certificate. */
import { parse, stringify } from 'yaml';
import type { Context } from '../../kernel/index.ts';
import { issue, type Authority } from './certificates.ts';

interface KubeconfigOptions {
  readonly server: string;
  readonly ca: Authority;
  readonly clusterName?: string;
  readonly user: string;
  readonly organizations?: readonly string[];
}

/** Issues a client certificate for the user; the organization system:masters makes it an administrator. */
export async function kubeconfigFor(ctx: Context, options: KubeconfigOptions): Promise<string> {
  const { certificate, key } = await issue(ctx, options.ca, {
    commonName: options.user,
    ...(options.organizations ? { organizations: options.organizations } : {}),
    usage: 'client',
  });
  const cluster = options.clusterName ?? 'k8ts';
  const context = `${options.user}@${cluster}`;
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  return stringify(
    {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [
        {
          name: cluster,
          cluster: { 'certificate-authority-data': base64(options.ca.certificate), server: options.server },
        },
      ],
      users: [
        {
          name: options.user,
          user: { 'client-certificate-data': base64(certificate), 'client-key-data': base64(key) },
        },
      ],
      contexts: [{ name: context, context: { cluster, user: options.user } }],
      'current-context': context,
      preferences: {},
    },
    { lineWidth: 0 },
  );
}

interface Kubeconfig {
  readonly clusters?: readonly { readonly cluster?: { readonly server?: string } }[];
  readonly users?: readonly { readonly user?: { readonly 'client-certificate-data'?: string } }[];
}

/** The server and the client certificate (PEM) of a kubeconfig that `kubeconfigFor` wrote. */
export function readOwnKubeconfig(text: string): { server: string; certificate: string } {
  const { clusters, users } = parse(text) as Kubeconfig;
  const [server, data] = [clusters?.[0]?.cluster?.server, users?.[0]?.user?.['client-certificate-data']];
  if (server === undefined || data === undefined)
    throw new Error('the kubeconfig has no server, or no client certificate');
  return { server, certificate: Buffer.from(data, 'base64').toString() };
}
