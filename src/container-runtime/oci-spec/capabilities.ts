/** Linux capabilities of a container in the OCI spec. */
import type { Capability } from '../../cri/index.ts';
import type { OciCapabilities } from './oci-types.ts';

/** The default capabilities of a container. */
const DEFAULT_CAPABILITIES: readonly string[] = [
  'CAP_CHOWN',
  'CAP_DAC_OVERRIDE',
  'CAP_FSETID',
  'CAP_FOWNER',
  'CAP_MKNOD',
  'CAP_NET_RAW',
  'CAP_SETGID',
  'CAP_SETUID',
  'CAP_SETFCAP',
  'CAP_SETPCAP',
  'CAP_NET_BIND_SERVICE',
  'CAP_SYS_CHROOT',
  'CAP_KILL',
  'CAP_AUDIT_WRITE',
];

/** Every capability by its number in the kernel. */
const CAPABILITIES_BY_NUMBER: readonly string[] = (
  'CHOWN DAC_OVERRIDE DAC_READ_SEARCH FOWNER FSETID KILL SETGID SETUID SETPCAP LINUX_IMMUTABLE NET_BIND_SERVICE ' +
  'NET_BROADCAST NET_ADMIN NET_RAW IPC_LOCK IPC_OWNER SYS_MODULE SYS_RAWIO SYS_CHROOT SYS_PTRACE SYS_PACCT SYS_ADMIN ' +
  'SYS_BOOT SYS_NICE SYS_RESOURCE SYS_TIME SYS_TTY_CONFIG MKNOD LEASE AUDIT_WRITE AUDIT_CONTROL SETFCAP MAC_OVERRIDE ' +
  'MAC_ADMIN SYSLOG WAKE_ALARM BLOCK_SUSPEND AUDIT_READ PERFMON BPF CHECKPOINT_RESTORE'
)
  .split(' ')
  .map((name) => `CAP_${name}`);

/** Parses a capability set of /proc/PID/status: a hexadecimal bit mask. */
export function capabilitiesOfMask(mask: string): string[] {
  const bits = BigInt(`0x${mask}`);
  return CAPABILITIES_BY_NUMBER.filter((_, number) => (bits >> BigInt(number)) & 1n);
}

/** Kubernetes writes capabilities without the CAP_ prefix and in any case. */
function capabilityName(name: string): string {
  const upper = name.toUpperCase();
  return upper.startsWith('CAP_') ? upper : `CAP_${upper}`;
}

interface CapabilityOptions {
  readonly privileged: boolean;
  readonly capabilities: Capability | undefined;
  /** The runtime's own capabilities, which it can pass on. */
  readonly available: readonly string[];
}

/** ALL applies first, then additions, then drops: `drop: [ALL], add: [NET_BIND_SERVICE]` leaves exactly that one. */
export function containerCapabilities({
  privileged,
  capabilities = {},
  available: all,
}: CapabilityOptions): OciCapabilities {
  const { addCapabilities = [], dropCapabilities = [], addAmbientCapabilities = [] } = capabilities;
  const isAll = (name: string): boolean => name.toUpperCase() === 'ALL';
  const named = (names: readonly string[]): string[] => names.filter((name) => !isAll(name)).map(capabilityName);
  const known = (name: string): string => {
    if (!CAPABILITIES_BY_NUMBER.includes(name)) throw new Error(`unknown capability ${JSON.stringify(name)}`);
    return name;
  };
  let held = new Set(privileged ? all : DEFAULT_CAPABILITIES.filter((name) => all.includes(name)));
  if (!privileged) {
    if (addCapabilities.some(isAll)) held = new Set(all);
    if (dropCapabilities.some(isAll)) held = new Set();
    for (const name of named(addCapabilities)) held.add(known(name));
    for (const name of named(dropCapabilities)) held.delete(known(name));
  }
  const ambient = named(addAmbientCapabilities).map(known);
  for (const name of ambient) held.add(name);
  const names = [...held];
  return { bounding: names, effective: [...names], permitted: [...names], inheritable: ambient, ambient: [...ambient] };
}
