/** The Linux namespaces of a sandbox: which are its own, how they are created, and where they are pinned. */
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

/** The namespace modes of CRI's NamespaceOption; an absent field means POD, the enum's zero. */
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
    // With several nodes on one machine, each node has its own host name.
    hostUts: hostNetwork && nodeNetns === undefined,
    sharedPid: (options.pid ?? 'POD') === 'POD',
    userNamespace: options.usernsOptions?.mode === 'POD' && (options.usernsOptions.uids ?? []).length > 0,
  };
}

/** A pod in the node's network has the node's host name, unless it asks for another one. */
export const sandboxHostname = (config: PodSandboxConfig, nodeHostname: string): string =>
  config.hostname || (config.linux?.securityContext?.namespaceOptions?.network === 'NODE' ? nodeHostname : '');

/** The namespaces that the sandbox's containers join; those not listed are the host's. */
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

/** Creates the namespaces that need no process. */
export function createNamespaces(
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

/** Splits sysctls into those of the network namespace, which the pod network sets, and others. */
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

/** Pins the namespaces of the infra process. */
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

/** /dev/shm of the sandbox's containers; with hostIPC they use the host's. */
export function mountSharedMemory(paths: SandboxPaths): void {
  makeDirectorySync(paths.shm);
  mountTmpfs(paths.shm, SHM_OPTIONS);
}

/** Whether the sandbox's files and pinned namespaces exist; a reboot removes them. */
export function sandboxExists(paths: SandboxPaths, modes: SandboxModes): boolean {
  const expected = [
    ...(modes.hostNetwork ? [] : [paths.net]),
    ...(modes.hostIpc ? [] : [paths.ipc]),
    ...(modes.hostUts ? [] : [paths.uts]),
    ...(modes.sharedPid ? [paths.pid] : []),
    ...(modes.userNamespace ? [paths.user] : []),
  ];
  return fs.existsSync(paths.resolvConf) && expected.every(isPinned);
}

/** Unpins the sandbox's namespaces and unmounts its /dev/shm. Missing ones are skipped. */
export function releaseNamespaces(paths: SandboxPaths): void {
  unmountAll(paths.shm);
  for (const file of [paths.pid, paths.net, paths.ipc, paths.uts, paths.user]) unpin(file);
}
