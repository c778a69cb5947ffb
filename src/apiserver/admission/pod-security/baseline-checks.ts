/** Pod Security checks of the baseline level, which prevents known privilege escalations. */
import type { PodSpec, SELinuxOptions } from '../../../api/generated/core-v1.ts';
import { appArmorProfile } from './app-armor.ts';
import {
  containersText,
  containersWhere,
  hasUserNamespace,
  joinQuoted,
  plural,
  settersText,
  type Check,
  type CheckPod,
} from './check.ts';
import { hostProbesAndLifecycle } from './host-probes-and-lifecycle.ts';
import { seccompAnnotations, seccompProfile } from './seccomp.ts';

const DEFAULT_CAPABILITIES = new Set([
  'AUDIT_WRITE',
  'CHOWN',
  'DAC_OVERRIDE',
  'FOWNER',
  'FSETID',
  'KILL',
  'MKNOD',
  'NET_BIND_SERVICE',
  'SETFCAP',
  'SETGID',
  'SETPCAP',
  'SETUID',
  'SYS_CHROOT',
]);

const capabilitiesCheck =
  (allowed: ReadonlySet<string>, reason: string): CheckPod =>
  (spec) => {
    const added = new Set<string>();
    const containers = containersWhere(spec, ({ securityContext }) => {
      const bad = (securityContext?.capabilities?.add ?? []).filter((name) => !allowed.has(name));
      for (const name of bad) added.add(name);
      return bad.length > 0;
    });
    if (containers.length === 0) return undefined;
    return {
      reason,
      detail: `${containersText(containers)} must not include ${joinQuoted([...added].sort())} in securityContext.capabilities.add`,
    };
  };

const hostNamespaces: CheckPod = (spec) => {
  const set = (['hostNetwork', 'hostPID', 'hostIPC'] as const).filter((field) => spec[field]);
  return set.length > 0
    ? { reason: 'host namespaces', detail: set.map((field) => `${field}=true`).join(', ') }
    : undefined;
};

const hostPathVolumes: CheckPod = (spec) => {
  const names = (spec.volumes ?? []).filter(({ hostPath }) => hostPath).map(({ name }) => name);
  return names.length > 0
    ? { reason: 'hostPath volumes', detail: `${plural('volume', 'volumes', names.length)} ${joinQuoted(names)}` }
    : undefined;
};

const hostPorts: CheckPod = (spec) => {
  const ports = new Set<string>();
  const containers = containersWhere(spec, (container) => {
    const used = (container.ports ?? []).flatMap(({ hostPort }) => (hostPort ? [String(hostPort)] : []));
    for (const port of used) ports.add(port);
    return used.length > 0;
  });
  if (containers.length === 0) return undefined;
  const detail = `${containersText(containers)} ${plural('uses', 'use', containers.length)} ${plural('hostPort', 'hostPorts', ports.size)} ${[...ports].sort().join(', ')}`;
  return { reason: 'hostPort', detail };
};

const privileged: CheckPod = (spec) => {
  const containers = containersWhere(spec, ({ securityContext }) => securityContext?.privileged === true);
  return containers.length > 0
    ? { reason: 'privileged', detail: `${containersText(containers)} must not set securityContext.privileged=true` }
    : undefined;
};

export const procMount: CheckPod = (spec) => {
  const types = new Set<string>();
  const containers = containersWhere(spec, ({ securityContext }) => {
    const type = securityContext?.procMount;
    if (type === undefined || type === 'Default') return false;
    types.add(type);
    return true;
  });
  if (containers.length === 0) return undefined;
  return {
    reason: 'procMount',
    detail: `${containersText(containers)} must not set securityContext.procMount to ${joinQuoted([...types].sort())}`,
  };
};

const seLinuxOptions =
  (allowedTypes: ReadonlySet<string>): CheckPod =>
  (spec) => {
    const badTypes = new Set<string>();
    let [user, role] = [false, false];
    const isBad = (options: SELinuxOptions | undefined): boolean => {
      if (!options) return false;
      const badType = !allowedTypes.has(options.type ?? '');
      if (badType) badTypes.add(options.type!);
      user ||= !!options.user;
      role ||= !!options.role;
      return badType || !!options.user || !!options.role;
    };
    const podIsBad = isBad(spec.securityContext?.seLinuxOptions);
    const setters = settersText(
      podIsBad,
      containersWhere(spec, ({ securityContext }) => isBad(securityContext?.seLinuxOptions)),
    );
    if (setters === '') return undefined;
    const data = [
      ...(badTypes.size > 0 ? [`${plural('type', 'types', badTypes.size)} ${joinQuoted([...badTypes].sort())}`] : []),
      ...(user ? ['user may not be set'] : []),
      ...(role ? ['role may not be set'] : []),
    ];
    return {
      reason: 'seLinuxOptions',
      detail: `${setters} set forbidden securityContext.seLinuxOptions: ${data.join('; ')}`,
    };
  };

const SELINUX_TYPES = ['', 'container_t', 'container_init_t', 'container_kvm_t'];

const SYSCTLS = [
  'kernel.shm_rmid_forced',
  'net.ipv4.ip_local_port_range',
  'net.ipv4.tcp_syncookies',
  'net.ipv4.ping_group_range',
  'net.ipv4.ip_unprivileged_port_start',
];
const SYSCTLS_27 = [...SYSCTLS, 'net.ipv4.ip_local_reserved_ports'];
const SYSCTLS_29 = [
  ...SYSCTLS_27,
  'net.ipv4.tcp_keepalive_time',
  'net.ipv4.tcp_fin_timeout',
  'net.ipv4.tcp_keepalive_intvl',
  'net.ipv4.tcp_keepalive_probes',
];
const SYSCTLS_32 = [...SYSCTLS_29, 'net.ipv4.tcp_rmem', 'net.ipv4.tcp_wmem'];

const sysctls =
  (allowed: readonly string[]): CheckPod =>
  (spec) => {
    const bad = (spec.securityContext?.sysctls ?? []).map(({ name }) => name).filter((name) => !allowed.includes(name));
    return bad.length > 0 ? { reason: 'forbidden sysctls', detail: bad.join(', ') } : undefined;
  };

const windowsHostProcess: CheckPod = (spec) => {
  const setters = settersText(
    spec.securityContext?.windowsOptions?.hostProcess === true,
    containersWhere(spec, ({ securityContext }) => securityContext?.windowsOptions?.hostProcess === true),
  );
  return setters === ''
    ? undefined
    : { reason: 'hostProcess', detail: `${setters} must not set securityContext.windowsOptions.hostProcess=true` };
};

const relaxedInUserNamespace =
  (check: CheckPod): CheckPod =>
  (spec: PodSpec, metadata) =>
    hasUserNamespace(spec) ? undefined : check(spec, metadata);

/** Violations are reported in this order. */
export const BASELINE_CHECKS: readonly Check[] = [
  { id: 'appArmorProfile', versions: [{ since: 0, check: appArmorProfile }] },
  {
    id: 'capabilities_baseline',
    versions: [{ since: 0, check: capabilitiesCheck(DEFAULT_CAPABILITIES, 'non-default capabilities') }],
  },
  { id: 'hostNamespaces', versions: [{ since: 0, check: hostNamespaces }] },
  { id: 'hostPathVolumes', versions: [{ since: 0, check: hostPathVolumes }] },
  { id: 'hostPorts', versions: [{ since: 0, check: hostPorts }] },
  { id: 'hostProbesAndHostLifecycle', versions: [{ since: 34, check: hostProbesAndLifecycle }] },
  { id: 'privileged', versions: [{ since: 0, check: privileged }] },
  {
    id: 'procMount_baseline',
    versions: [
      { since: 0, check: procMount },
      { since: 35, check: relaxedInUserNamespace(procMount) },
    ],
  },
  {
    id: 'seLinuxOptions',
    versions: [
      { since: 0, check: seLinuxOptions(new Set(SELINUX_TYPES)) },
      { since: 31, check: seLinuxOptions(new Set([...SELINUX_TYPES, 'container_engine_t'])) },
    ],
  },
  {
    id: 'seccompProfile_baseline',
    versions: [
      { since: 0, check: seccompAnnotations },
      { since: 19, check: seccompProfile },
    ],
  },
  {
    id: 'sysctls',
    versions: [
      { since: 0, check: sysctls(SYSCTLS) },
      { since: 27, check: sysctls(SYSCTLS_27) },
      { since: 29, check: sysctls(SYSCTLS_29) },
      { since: 32, check: sysctls(SYSCTLS_32) },
    ],
  },
  { id: 'windowsHostProcess', versions: [{ since: 0, check: windowsHostProcess }] },
];
