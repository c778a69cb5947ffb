/**
 * The joining side of discovery. The first answer comes over a connection that cannot be verified yet: its signature
 * shows that the server knows the token, and `caHash` that its CA is the expected one. Then it is read again, over a
 * connection that the CA verifies.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { parse } from 'yaml';
import { certificatesIn } from '../../apiserver/index.ts';
import { errorMessage, isRecord, ownValue } from '../../base/index.ts';
import { anonymous, connect } from '../../client/index.ts';
import type { Context } from '../../kernel/index.ts';
import type { BootstrapToken } from './bootstrap-tokens.ts';
import { caHash } from './ca-hash.ts';

interface DiscoveredCluster {
  /** PEM */
  readonly ca: string;
}

class DiscoveryError extends Error {
  override readonly name = 'DiscoveryError';
  readonly code = 'discovery';
}

interface DiscoveryOptions {
  /** `https://HOST:PORT` */
  readonly server: string;
  readonly token: BootstrapToken;
  /** The expected hash of the CA. */
  readonly caHash?: string | undefined;
}

export async function discoverCluster(ctx: Context, options: DiscoveryOptions): Promise<DiscoveredCluster> {
  const { server, token } = options;
  const first = await readSignedInfo(ctx, server, token);
  const ca = caOf(first.kubeconfig);
  // There are two while the CA is rotated. The one that was pinned has to verify the server: the other is its word alone.
  const certificates = certificatesIn(ca);
  const pinned = certificates.find((one) => caHash(one) === options.caHash?.toLowerCase());
  if (options.caHash !== undefined && pinned === undefined)
    throw new DiscoveryError(
      `the CA of ${server} has the hash ${certificates.map(caHash).join(', ')}, and not ${options.caHash}: this is another cluster`,
    );
  const again = await readInfo(ctx, server, { ca: pinned ?? ca });
  if (again.kubeconfig !== first.kubeconfig)
    throw new DiscoveryError(`${server} gave another cluster-info over the verified connection`);
  return { ca };
}

/** A new token is signed a moment after it was created. */
const SIGNING_ATTEMPTS = 20;
const SIGNING_WAIT_MS = 100;

async function readSignedInfo(ctx: Context, server: string, token: BootstrapToken): Promise<ClusterInfo> {
  for (let attempt = 1; ; attempt++) {
    const info = await readInfo(ctx, server, {});
    if (signatureOf(info, token) !== undefined || attempt === SIGNING_ATTEMPTS) {
      verifySignature(info, token);
      return info;
    }
    await ctx.clock.sleep(SIGNING_WAIT_MS, ctx.signal);
  }
}

interface ClusterInfo {
  readonly kubeconfig: string;
  readonly data: Readonly<Record<string, string>>;
}

async function readInfo(ctx: Context, server: string, { ca }: { ca?: string }): Promise<ClusterInfo> {
  const trust = ca === undefined ? { insecureSkipTlsVerify: true } : { ca };
  const client = connect(ctx, { server, ...trust, credentials: anonymous, namespace: '' });
  try {
    const { data = {} } = await client
      .resource('v1/configmaps')
      .get({ name: 'cluster-info', namespace: 'kube-public' }, { signal: ctx.signal });
    const { kubeconfig } = data;
    if (kubeconfig === undefined) throw new DiscoveryError(`the cluster-info of ${server} has no kubeconfig`);
    return { kubeconfig, data };
  } catch (error) {
    if (error instanceof DiscoveryError) throw error;
    throw new DiscoveryError(`cannot read the cluster-info of ${server}: ${errorMessage(error)}`, { cause: error });
  } finally {
    await client.close();
  }
}

const signatureOf = ({ data }: ClusterInfo, { id }: BootstrapToken): string | undefined =>
  ownValue(data, `jws-kubeconfig-${id}`);

/** A JWS without its payload, which is the kubeconfig. */
function verifySignature(info: ClusterInfo, token: BootstrapToken): void {
  const { id, secret } = token;
  const [header = '', payload, signature = ''] = (signatureOf(info, token) ?? '').split('.');
  if (header === '')
    throw new DiscoveryError(
      `the cluster does not know the token ${id}: it has expired or was deleted; "k8ts token create" on the server makes another`,
    );
  const content = Buffer.from(info.kubeconfig).toString('base64url');
  const expected = createHmac('sha256', secret).update(`${header}.${content}`).digest();
  const given = Buffer.from(signature, 'base64url');
  if (payload !== '' || given.length !== expected.length || !timingSafeEqual(given, expected))
    throw new DiscoveryError(`the cluster-info is not signed with the token ${id}: its secret is another one`);
}

/** The CAs (PEM) of the kubeconfig in `cluster-info`. */
export function caOf(kubeconfig: string): string {
  const config: unknown = parse(kubeconfig);
  const clusters: unknown = isRecord(config) ? config['clusters'] : undefined;
  const [entry] = Array.isArray(clusters) ? (clusters as unknown[]) : [];
  const cluster: unknown = isRecord(entry) ? entry['cluster'] : undefined;
  const ca: unknown = isRecord(cluster) ? cluster['certificate-authority-data'] : undefined;
  if (typeof ca !== 'string') throw new DiscoveryError('the cluster-info has no certificate-authority-data');
  return Buffer.from(ca, 'base64').toString();
}
