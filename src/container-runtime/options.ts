/** Options of the container runtime. */
import type { ImageStoreOptions } from './images/index.ts';
import type { PodNetwork } from './network/index.ts';

export interface ContainerRuntimeOptions {
  /** State that survives a reboot: images, snapshots, records of sandboxes and containers. */
  readonly rootDirectory: string;
  /** State that a reboot removes: pinned namespaces, bundles, conmon's sockets. Each node on a machine has its own. */
  readonly stateDirectory: string;
  /** The pod network. Without one only hostNetwork pods can run. */
  readonly network?: PodNetwork;
  /** OCI runtimes by runtime handler; default `runc`. */
  readonly handlers?: Readonly<Record<string, OciRuntimeOptions>>;
  /** The handler of sandboxes without a RuntimeClass; default `runc`. */
  readonly defaultHandler?: string;
  readonly conmon?: string;
  /** Default `cgroupfs`. */
  readonly cgroupDriver?: 'cgroupfs' | 'systemd';
  /** The cgroup parent of sandboxes that name none; default `/k8ts`. Each node on a machine has its own. */
  readonly cgroupParent?: string;
  /**
   * False where cgroups cannot be created: containers stay in the cgroup of the runtime, and limits are not enforced.
   * Default true.
   */
  readonly limits?: boolean;
  /** The node's pinned network namespace; default the process's own. */
  readonly nodeNetns?: string;
  /** The node's host name, which its hostNetwork pods have; default the machine's. */
  readonly nodeHostname?: string;
  /** Where exec, attach and port-forward are served, in the process's namespace; default 127.0.0.1 and a free port. */
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
