/**
 * Reads from kubelets with a component's ServiceAccount, which each kubelet authenticates and authorizes. Kubelets of
 * other machines need a serving certificate of the cluster's authority (`serverTLSBootstrap`).
 */
import type { Node } from '../api/generated/core-v1.ts';
import { KUBERNETES_VERSION } from '../api/kubernetes-version.ts';
import { Client, HttpTransport, serviceAccountCredentials } from '../client/index.ts';
import type { Context } from '../kernel/index.ts';
import type { SimulatedNodes } from '../simulated-kubelet/index.ts';
import type { ControlPlane } from './control-plane.ts';
import { ADMIN } from './identities.ts';

interface KubeletReaderOptions {
  readonly controlPlane: ControlPlane;
  readonly simulatedNodes: SimulatedNodes;
  /** The ServiceAccount of kube-system that reads. */
  readonly account: string;
}

const KUBELET_PORT = 10250;
const ADDRESS_TYPES = ['InternalIP', 'ExternalIP', 'Hostname'];

type ReadNode = (node: Node, path: string, signal: AbortSignal) => Promise<string>;

export function kubeletReader(ctx: Context, options: KubeletReaderOptions): ReadNode {
  const { controlPlane, simulatedNodes, account } = options;
  const credentials = serviceAccountCredentials(ctx, controlPlane.clientAs(ADMIN, 'k8ts', ctx.signal), account);
  return async (node, path, signal) => {
    const simulated = simulatedNodes.read(node.metadata.name ?? '', path);
    if (simulated !== undefined) return simulated;
    const config = { server: kubeletAddress(node), ca: controlPlane.pki.ca.certificate, credentials, namespace: '' };
    const transport = new HttpTransport({ config, clock: ctx.clock });
    const client = new Client({ transport, clock: ctx.clock, userAgent: `${account}/${KUBERNETES_VERSION}` });
    try {
      const pieces: Uint8Array[] = [];
      for await (const piece of await client.stream({ method: 'GET', path, signal })) pieces.push(piece);
      return Buffer.concat(pieces).toString('utf8');
    } finally {
      await client.close();
    }
  };
}

function kubeletAddress({ metadata, status }: Node): string {
  const addresses = status?.addresses ?? [];
  const address = ADDRESS_TYPES.flatMap((type) => addresses.filter((candidate) => candidate.type === type))[0]?.address;
  if (address === undefined) throw new Error(`the node ${metadata.name} has no address`);
  const port = status?.daemonEndpoints?.kubeletEndpoint?.Port ?? KUBELET_PORT;
  return `https://${address.includes(':') ? `[${address}]` : address}:${port}`;
}
