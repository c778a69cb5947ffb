/**
 * The interface of pod networks. The runtime creates and pins a sandbox's network namespace; the `PodNetwork` (the
 * built-in bridge or CNI plugins, by configuration) adds an interface and addresses.
 *
 * All methods are idempotent, so that they can be repeated after a crash: `attach` of an attached sandbox returns its
 * addresses, `detach` of one that is not attached does nothing. hostNetwork pods are never attached.
 */
export interface PodNetwork {
  readonly kind: 'bridge' | 'cni';
  /**
   * Adds the sandbox's interface, addresses, routes, host ports and bandwidth limits. A failed call leaves nothing
   * behind.
   */
  attach(sandbox: NetworkSandbox): Promise<Attachment>;
  /** Undoes `attach`. If the namespace is gone already, `netnsPath` is absent or does not exist. */
  detach(sandbox: NetworkSandbox): Promise<void>;
  /**
   * The result of `attach`; undefined for a sandbox that is not attached. Reads memory only, so it may be called
   * often.
   */
  attachment(id: string): Attachment | undefined;
  /** Checks that the attachment is intact (CNI CHECK); throws if not. */
  check(sandbox: NetworkSandbox): Promise<void>;
  /** The NetworkReady condition of the runtime's status. */
  ready(): Promise<NetworkStatus>;
  /**
   * Sets the node's pod CIDRs (CRI UpdateRuntimeConfig). The built-in bridge is not ready before the first call,
   * unless it has recorded CIDRs. Changed CIDRs apply to new sandboxes; most CNI plugins have their own configuration.
   */
  configure(config: PodNetworkConfig): Promise<void>;
  /** Releases addresses, interfaces and host ports of sandboxes that no longer exist (CNI GC). */
  reconcile(liveSandboxIds: Iterable<string>): Promise<void>;
  /** Closes sockets and timers. Attachments stay, because sandboxes outlive the process. */
  close(): Promise<void>;
}

export interface NetworkSandbox {
  /** The sandbox's id, which owns addresses and interfaces. */
  readonly id: string;
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  /** The pinned network namespace, e.g. /run/k8ts/…/net. */
  readonly netnsPath?: string;
  /** The pod's annotations; kubernetes.io/ingress-bandwidth and kubernetes.io/egress-bandwidth limit the bandwidth. */
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
  /** The reason of the condition, such as NetworkPluginNotReady. */
  readonly reason?: string;
  readonly message?: string;
}

export interface PodNetworkConfig {
  /** One CIDR per family, e.g. ["10.244.1.0/24", "fd00:1::/64"]. */
  readonly podCidrs: readonly string[];
}

/** Attaching, checking or detaching a sandbox failed; the message names the sandbox and the step. */
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
