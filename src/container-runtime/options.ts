import type { ImageStoreOptions } from './images/index.ts';
import type { PodNetwork } from './network/index.ts';

export interface ContainerRuntimeOptions {
  /** What must survive a reboot: images, snapshots, what is known of sandboxes and containers. */
  readonly rootDirectory: string;
  /** What a reboot takes away: pinned namespaces, bundles, fifos of conmon. Nodes that share a machine have one each. */
  readonly stateDirectory: string;
  /** The network of sandboxes. Without one only pods of the host network can run. */
  readonly network?: PodNetwork;
  /** OCI runtimes by the name of their handler; `runc` alone when it is absent. */
  readonly handlers?: Readonly<Record<string, OciRuntimeOptions>>;
  /** The handler of sandboxes that name none; default `runc`. */
  readonly defaultHandler?: string;
  readonly conmon?: string;
  /** Default `cgroupfs`. */
  readonly cgroupDriver?: 'cgroupfs' | 'systemd';
  /** Where containers go whose sandbox names no parent; default `/k8ts`. Nodes that share a machine have one each. */
  readonly cgroupParent?: string;
  /** The network namespace of the node, pinned to a file; absent: that of the process. */
  readonly nodeNetns?: string;
  /** Where streams are served, in the namespace of the process; default 127.0.0.1 and a free port. */
  readonly streamingAddress?: { readonly host: string; readonly port: number };
  /** Default /etc/cdi and /var/run/cdi. */
  readonly cdiDirectories?: readonly string[];
  /** Registries, limits, pinned images. */
  readonly images?: Omit<ImageStoreOptions, 'root'>;
}

interface OciRuntimeOptions {
  /** The program, by path or by name. */
  readonly path: string;
}
