/** Namespaced sysctls. They are written by a thread inside of the namespaces. */
import fs from 'node:fs';
import { errorMessage } from '../../base/index.ts';

/** The sysctls of the IPC and UTS namespaces; all of `net` belong to the network namespace. */
const IPC = /^(?:kernel[./](?:msgmax|msgmnb|msgmni|sem|shmall|shmmax|shmmni|shm_rmid_forced)|fs[./]mqueue[./].+)$/;
const UTS = /^kernel[./](?:hostname|domainname)$/;

type SysctlNamespace = 'net' | 'ipc' | 'uts';

/** The namespace of a sysctl; undefined if it is host-wide. */
export function namespaceOfSysctl(name: string): SysctlNamespace | undefined {
  if (/^net[./]/.test(name)) return 'net';
  if (IPC.test(name)) return 'ipc';
  return UTS.test(name) ? 'uts' : undefined;
}

/**
 * The path of a sysctl below /proc/sys. In the form with slashes, dots are part of names (`net/ipv4/conf/eth0.1/…`).
 */
export function sysctlPath(name: string): string {
  const slashed = name.includes('/') ? name : name.replaceAll('.', '/');
  if (!/^[\w./-]+$/.test(slashed) || slashed.split('/').some((part) => part === '' || part === '.' || part === '..')) {
    throw new Error(`${JSON.stringify(name)} is not the name of a sysctl`);
  }
  return `/proc/sys/${slashed}`;
}

export function writeSysctl(name: string, value: string): void {
  try {
    fs.writeFileSync(sysctlPath(name), value);
  } catch (error) {
    throw new Error(`the sysctl ${name} cannot be set to ${JSON.stringify(value)}: ${errorMessage(error)}`, {
      cause: error,
    });
  }
}
