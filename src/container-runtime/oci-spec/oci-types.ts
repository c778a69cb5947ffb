/** Types of the OCI runtime spec (config.json) that Linux containers use. */

export interface OciSpec {
  ociVersion: string;
  process: OciProcess;
  root: { path: string; readonly?: boolean };
  hostname?: string;
  mounts: OciMount[];
  hooks?: Partial<Record<OciHookName, OciHook[]>>;
  annotations?: Record<string, string>;
  linux: OciLinux;
}

export type OciHookName =
  | 'prestart'
  | 'createRuntime'
  | 'createContainer'
  | 'startContainer'
  | 'poststart'
  | 'poststop';

interface OciHook {
  path: string;
  args?: string[];
  env?: string[];
  timeout?: number;
}

export interface OciProcess {
  terminal?: boolean;
  consoleSize?: { height: number; width: number };
  user: { uid: number; gid: number; additionalGids?: number[]; umask?: number };
  args: string[];
  env: string[];
  cwd: string;
  capabilities?: OciCapabilities;
  rlimits?: { type: string; hard: number; soft: number }[];
  noNewPrivileges?: boolean;
  apparmorProfile?: string;
  selinuxLabel?: string;
  oomScoreAdj?: number;
}

export interface OciCapabilities {
  bounding: string[];
  effective: string[];
  permitted: string[];
  inheritable: string[];
  ambient: string[];
}

export interface OciMount {
  destination: string;
  type: string;
  source: string;
  options: string[];
}

export interface OciNamespace {
  type: 'pid' | 'network' | 'ipc' | 'uts' | 'mount' | 'user' | 'cgroup';
  path?: string;
}

export interface OciIdMapping {
  containerID: number;
  hostID: number;
  size: number;
}

export interface OciDevice {
  type: 'c' | 'b' | 'p';
  path: string;
  major: number;
  minor: number;
  fileMode?: number;
  uid?: number;
  gid?: number;
}

export interface OciDeviceRule {
  allow: boolean;
  access: string;
  type?: 'a' | 'b' | 'c';
  major?: number;
  minor?: number;
}

export interface OciResources {
  devices?: OciDeviceRule[];
  cpu?: { shares?: number; quota?: number; period?: number; cpus?: string; mems?: string };
  memory?: { limit?: number; swap?: number };
  pids?: { limit: number };
  hugepageLimits?: { pageSize: string; limit: number }[];
  unified?: Record<string, string>;
}

export interface OciSeccomp {
  defaultAction: string;
  defaultErrnoRet?: number;
  architectures?: string[];
  flags?: string[];
  syscalls?: OciSyscallRule[];
}

export interface OciSyscallRule {
  names: string[];
  action: string;
  errnoRet?: number;
  args?: { index: number; value: number; valueTwo?: number; op: string }[];
}

export interface OciLinux {
  uidMappings?: OciIdMapping[];
  gidMappings?: OciIdMapping[];
  namespaces: OciNamespace[];
  devices?: OciDevice[];
  resources: OciResources;
  /** Absent: the container stays in the cgroup of the OCI runtime. */
  cgroupsPath?: string;
  rootfsPropagation?: string;
  seccomp?: OciSeccomp;
  maskedPaths?: string[];
  readonlyPaths?: string[];
  mountLabel?: string;
  sysctl?: Record<string, string>;
}
