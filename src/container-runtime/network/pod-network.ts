/**
 * How a sandbox gets its network. The runtime makes and pins a network namespace, then asks a `PodNetwork` to put an
 * interface and addresses into it; which one that is (the built-in bridge, or the user's CNI plugins) is configuration.
 *
 * Every method may be called again after a crash in the middle of it: `attach` of an attached sandbox gives the addresses
 * it has, `detach` of one that was never attached does nothing. Pods of the host network are never given to it.
 */
export interface PodNetwork {
  readonly kind: 'bridge' | 'cni';
  /**
   * Gives the sandbox its interface, addresses, routes, host ports and bandwidth limits. On failure nothing of it is
   * left, in the sandbox or on the node.
   */
  attach(sandbox: NetworkSandbox): Promise<Attachment>;
  /** Takes all of that back. The namespace may be gone already: then `netnsPath` is left out or does not exist. */
  detach(sandbox: NetworkSandbox): Promise<void>;
  /** What `attach` gave; undefined for a sandbox that is not attached. Reads memory: it may be called in every sync. */
  attachment(id: string): Attachment | undefined;
  /** Asks the network itself whether the attachment is still in place (CNI: CHECK). Throws what is wrong with it. */
  check(sandbox: NetworkSandbox): Promise<void>;
  /** Whether sandboxes can be attached now: the NetworkReady condition of the runtime's status. */
  ready(): Promise<NetworkStatus>;
  /**
   * The node's pod ranges (CRI UpdateRuntimeConfig). Until the first call the built-in bridge is not ready, unless it
   * remembers ranges from before. Ranges that changed apply to new sandboxes; CNI gets them by its own configuration.
   */
  configure(config: PodNetworkConfig): Promise<void>;
  /** Releases what belongs to sandboxes that are no longer there: addresses, interfaces, host ports (CNI: GC). */
  reconcile(liveSandboxIds: Iterable<string>): Promise<void>;
  /** Writes nothing and removes nothing: sandboxes outlive the process. Frees sockets and timers. */
  close(): Promise<void>;
}

export interface NetworkSandbox {
  /** The sandbox's id; addresses and interfaces belong to it. */
  readonly id: string;
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  /** The pinned network namespace, e.g. /run/k8ts/…/net. */
  readonly netnsPath?: string;
  /** The pod's annotations: kubernetes.io/ingress-bandwidth and kubernetes.io/egress-bandwidth are read. */
  readonly annotations?: Readonly<Record<string, string>>;
  readonly portMappings?: readonly PortMapping[];
  /** Sysctls of the pod's network namespace (net.*), set before the interface comes up. */
  readonly sysctls?: Readonly<Record<string, string>>;
  /** The sandbox's cgroup, for CNI plugins with the capability "cgroupPath". */
  readonly cgroupParent?: string;
}

export interface PortMapping {
  readonly protocol: 'TCP' | 'UDP' | 'SCTP';
  readonly containerPort: number;
  /** 0 or absent: not mapped. */
  readonly hostPort?: number;
  /** Empty or absent: every address of the node. */
  readonly hostIp?: string;
}

export interface Attachment {
  /** The pod's addresses, the first one primary, without prefix lengths. */
  readonly ips: readonly string[];
  /** The interface inside the sandbox. */
  readonly interfaceName: string;
  readonly mac?: string;
  readonly gateways?: readonly string[];
  readonly mtu?: number;
}

export interface NetworkStatus {
  readonly ready: boolean;
  /** For the condition: NetworkPluginNotReady with what is missing. */
  readonly reason?: string;
  readonly message?: string;
}

export interface PodNetworkConfig {
  /** One range per family, e.g. ["10.244.1.0/24", "fd00:1::/64"]. */
  readonly podCidrs: readonly string[];
}

/** An attachment could not be made, checked or taken back; the message names the sandbox and the step. */
export class PodNetworkError extends Error {
  constructor(
    readonly code:
      | 'not-configured'
      | 'no-address-left'
      | 'host-port-taken'
      | 'bad-annotation'
      | 'bad-configuration'
      | 'plugin-failed'
      | 'not-attached'
      | 'kernel-refused',
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'PodNetworkError';
  }
}
