/** The namespaces of a sandbox: which it has of its own, how they are made, and where they are pinned. */
import fs from 'node:fs';
import type { NamespaceOption, PodSandboxConfig } from '../../cri/index.ts';
import { makeDirectorySync } from '../../kernel/index.ts';
import { mountTmpfs, unmountAll } from '../linux/mounts.ts';
import {
  createPinnedNamespaces,
  isPinned,
  pinNamespaceOf,
  setHostname,
  unpin,
  type PinnedKind,
} from '../linux/namespaces.ts';
import { namespaceOfSysctl, sysctlPath, writeSysctl } from '../linux/sysctls.ts';
import type { SandboxNamespaces } from '../oci-spec/namespaces.ts';
import type { SandboxPaths } from '../state-paths.ts';

/** What CRI gives when the field is absent: the enumeration's zero, POD. */
export interface SandboxModes {
  readonly hostNetwork: boolean;
  readonly hostIpc: boolean;
  readonly hostUts: boolean;
  readonly sharedPid: boolean;
  readonly userNamespace: boolean;
}

export function sandboxModes(config: PodSandboxConfig, nodeNetns: string | undefined): SandboxModes {
  const options: NamespaceOption = config.linux?.securityContext?.namespaceOptions ?? {};
  const hostNetwork = options.network === 'NODE';
  return {
    hostNetwork,
    hostIpc: options.ipc === 'NODE',
    // A node with a network namespace of its own has a host name of its own too.
    hostUts: hostNetwork && nodeNetns === undefined,
    sharedPid: (options.pid ?? 'POD') === 'POD',
    userNamespace: options.usernsOptions?.mode === 'POD' && (options.usernsOptions.uids ?? []).length > 0,
  };
}

/** Where containers of the sandbox find its namespaces; what is missing is the machine's. */
export function sandboxNamespaces(
  paths: SandboxPaths,
  modes: SandboxModes,
  nodeNetns: string | undefined,
): SandboxNamespaces {
  const network = modes.hostNetwork ? nodeNetns : paths.net;
  return {
    ...(network === undefined ? {} : { network }),
    ...(modes.hostIpc ? {} : { ipc: paths.ipc }),
    ...(modes.hostUts ? {} : { uts: paths.uts }),
    ...(modes.sharedPid ? { pid: paths.pid } : {}),
    ...(modes.userNamespace ? { user: paths.user } : {}),
  };
}

/** The namespaces that need no process: made in a moment by this thread. */
export function makeNamespaces(
  paths: SandboxPaths,
  modes: SandboxModes,
  { hostname, sysctls }: { hostname: string; sysctls: Readonly<Record<string, string>> },
): void {
  const files: Partial<Record<PinnedKind, string>> = {
    ...(modes.hostNetwork ? {} : { net: paths.net }),
    ...(modes.hostIpc ? {} : { ipc: paths.ipc }),
    ...(modes.hostUts ? {} : { uts: paths.uts }),
  };
  createPinnedNamespaces(files, () => {
    if (!modes.hostUts && hostname !== '') setHostname(hostname);
    for (const [name, value] of Object.entries(sysctls)) writeSysctl(name, value);
  });
}

/** Sysctls by who sets them: the network when it attaches, or whoever makes the namespaces. */
export function splitSysctls(
  config: PodSandboxConfig,
  modes: SandboxModes,
): { network: Record<string, string>; others: Record<string, string> } {
  const network: Record<string, string> = {};
  const others: Record<string, string> = {};
  for (const [name, value] of Object.entries(config.linux?.sysctls ?? {})) {
    sysctlPath(name);
    const namespace = namespaceOfSysctl(name);
    if (namespace === undefined)
      throw new Error(`the sysctl ${JSON.stringify(name)} is not one of a sandbox: it would change the whole machine`);
    const ofHost = { net: modes.hostNetwork, ipc: modes.hostIpc, uts: modes.hostUts } as const;
    if (ofHost[namespace])
      throw new Error(
        `the sysctl ${JSON.stringify(name)} cannot be set in a sandbox that shares its namespace with the machine`,
      );
    if (namespace === 'net') network[name] = value;
    else others[name] = value;
  }
  return { network, others };
}

/** Keeps the namespaces that the process of a user namespace or of a shared PID namespace was made with. */
export function pinProcessNamespaces(pid: number, paths: SandboxPaths, modes: SandboxModes): void {
  if (modes.userNamespace) {
    pinNamespaceOf(pid, 'user', paths.user);
    if (!modes.hostNetwork) pinNamespaceOf(pid, 'net', paths.net);
    if (!modes.hostIpc) pinNamespaceOf(pid, 'ipc', paths.ipc);
    if (!modes.hostUts) pinNamespaceOf(pid, 'uts', paths.uts);
  }
  if (modes.sharedPid) pinNamespaceOf(pid, 'pid', paths.pid);
}

const SHM_OPTIONS = 'mode=1777,size=65536k';

/** The memory that containers of the sandbox share; with the machine's IPC namespace it is the machine's. */
export function mountSharedMemory(paths: SandboxPaths): void {
  makeDirectorySync(paths.shm);
  mountTmpfs(paths.shm, SHM_OPTIONS);
}

/** Whether the sandbox's files and everything that it pinned are still there: a reboot takes them away. */
export function isStillThere(paths: SandboxPaths, modes: SandboxModes): boolean {
  const expected = [
    ...(modes.hostNetwork ? [] : [paths.net]),
    ...(modes.hostIpc ? [] : [paths.ipc]),
    ...(modes.hostUts ? [] : [paths.uts]),
    ...(modes.sharedPid ? [paths.pid] : []),
    ...(modes.userNamespace ? [paths.user] : []),
  ];
  return fs.existsSync(paths.resolvConf) && expected.every(isPinned);
}

/** Takes away everything of the above, as far as it is there. */
export function releaseNamespaces(paths: SandboxPaths): void {
  unmountAll(paths.shm);
  for (const file of [paths.pid, paths.net, paths.ipc, paths.uts, paths.user]) unpin(file);
}
