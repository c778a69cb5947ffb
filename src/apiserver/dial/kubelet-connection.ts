/** How the API server reaches the kubelet of a node. */
import type { Duplex } from 'node:stream';
import type { Node } from '../../api/generated/core-v1.ts';
import { failure } from '../../machinery/errors/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import { TlsTrust } from '../../net/tls/index.ts';
import type { Registry } from '../registry/registry.ts';
import type { AddressSource, DialPolicy } from './dial-policy.ts';
import type { PermittedTarget } from './target.ts';

export interface KubeletConnection {
  /** Where the node's kubelet listens and how to speak to it; fails with 404 when there is no such node. */
  target(nodeName: string, options?: KubeletTargetOptions): Promise<PermittedTarget>;
}

interface KubeletTargetOptions {
  /** `node` when the caller chooses what is asked of the kubelet, as nodes/proxy does. Default `kubelet`. */
  readonly source?: AddressSource & ('kubelet' | 'node');
  /** Does not verify the kubelet's certificate, as a request for logs may ask. */
  readonly insecureSkipVerify?: boolean;
}

export interface NodeConnections {
  /** Connections to the kubelets that are in this process; undefined for all others. */
  readonly connectToNode?: (nodeName: string) => (() => Duplex) | undefined;
}

export interface KubeletClientOptions extends NodeConnections {
  /** The client certificate; it may have been renewed since the last call. */
  readonly keys: () => { readonly certificate: string; readonly key: string };
  /** Who signed the kubelets' serving certificates; without it they are not verified, as upstream does by default. */
  readonly ca?: string;
  readonly preferredAddressTypes?: readonly string[];
}

const ADDRESS_TYPES = ['Hostname', 'InternalDNS', 'InternalIP', 'ExternalDNS', 'ExternalIP'];
const KUBELET_PORT = 10250;

export class KubeletClient implements KubeletConnection {
  #known: { readonly certificate: string; readonly trust: TlsTrust; readonly anyServer: TlsTrust } | undefined;

  constructor(
    private readonly registry: Registry,
    private readonly policy: DialPolicy,
    private readonly options: KubeletClientOptions,
  ) {}

  #trust(insecureSkipVerify: boolean): TlsTrust {
    const { certificate, key } = this.options.keys();
    if (this.#known?.certificate !== certificate) {
      const { ca } = this.options;
      const own = { cert: certificate, key };
      const anyServer = new TlsTrust({ ...own, insecureSkipVerify: true });
      this.#known = { certificate, anyServer, trust: ca ? new TlsTrust({ ...own, ca }) : anyServer };
    }
    return insecureSkipVerify ? this.#known.anyServer : this.#known.trust;
  }

  async target(
    nodeName: string,
    { source = 'kubelet', insecureSkipVerify = false }: KubeletTargetOptions = {},
  ): Promise<PermittedTarget> {
    const served = this.registry.require('', 'v1', 'nodes');
    const { object } = await this.registry.objects.get(served, { namespace: '', name: nodeName });
    const { status } = object as Node & KubeObject;
    const port = status?.daemonEndpoints?.kubeletEndpoint?.Port || KUBELET_PORT;
    const target = { host: this.#addressOf(object as Node & KubeObject), port, tls: this.#trust(insecureSkipVerify) };
    const connect = this.options.connectToNode?.(nodeName);
    return this.policy.permit(connect ? { ...target, connect } : target, source);
  }

  #addressOf({ status }: Node): string {
    const addresses = status?.addresses ?? [];
    for (const type of this.options.preferredAddressTypes ?? ADDRESS_TYPES) {
      const found = addresses.find((address) => address.type === type);
      if (found) return found.address;
    }
    const known = addresses.map(({ type, address }) => `{${type} ${address}}`).join(' ');
    throw failure(500, '', `no preferred addresses found; known addresses: [${known}]`);
  }
}
