import { describe, expect, it } from 'vitest';
import type { Container, PodSpec, SecurityContext } from '../../../api/generated/core-v1.ts';
import { container } from '../testing/index.ts';
import { evaluatePod, violationsText } from './evaluate.ts';
import type { Level, LevelVersion } from './policy.ts';

const GOOD: SecurityContext = {
  allowPrivilegeEscalation: false,
  runAsNonRoot: true,
  capabilities: { drop: ['ALL'] },
  seccompProfile: { type: 'RuntimeDefault' },
};

const one = (fields: Partial<Container>): Partial<PodSpec> => ({ containers: [container(fields)] });
const withContext = (securityContext: SecurityContext): Partial<PodSpec> => one({ securityContext });
const good = (securityContext: SecurityContext, more: Partial<PodSpec> = {}): Partial<PodSpec> => ({
  ...withContext({ ...GOOD, ...securityContext }),
  ...more,
});

interface Row {
  readonly spec: Partial<PodSpec>;
  readonly says: string;
  readonly annotations?: Record<string, string>;
  readonly version?: LevelVersion['version'];
}

function evaluated(level: Level, { spec, annotations, version = 'latest' }: Omit<Row, 'says'>): string {
  return violationsText(
    evaluatePod(
      { level, version },
      { containers: [container()], ...spec },
      { ...(annotations ? { annotations } : {}) },
    ),
  );
}

const BASELINE: Record<string, Row> = {
  'nothing in particular': { spec: {}, says: '' },
  'host namespaces': {
    spec: { hostNetwork: true, hostPID: true, hostIPC: true },
    says: 'host namespaces (hostNetwork=true, hostPID=true, hostIPC=true)',
  },
  'host paths': {
    spec: {
      volumes: [
        { name: 'v', hostPath: { path: '/' } },
        { name: 'w', hostPath: { path: '/' } },
      ],
    },
    says: 'hostPath volumes (volumes "v", "w")',
  },
  'host ports': {
    spec: {
      containers: [
        container({
          ports: [
            { containerPort: 1, hostPort: 9090 },
            { containerPort: 2, hostPort: 80 },
          ],
        }),
      ],
    },
    says: 'hostPort (container "c" uses hostPorts 80, 9090)',
  },
  privileged: {
    spec: {
      ...withContext({ privileged: true }),
      initContainers: [container({ name: 'i', securityContext: { privileged: true } })],
    },
    says: 'privileged (containers "i", "c" must not set securityContext.privileged=true)',
  },
  'an ephemeral container': {
    spec: { ephemeralContainers: [{ name: 'e', image: 'x', securityContext: { privileged: true } }] },
    says: 'privileged (container "e" must not set securityContext.privileged=true)',
  },
  'default capabilities': { spec: withContext({ capabilities: { add: ['CHOWN', 'KILL'] } }), says: '' },
  'other capabilities': {
    spec: withContext({ capabilities: { add: ['SYS_ADMIN', 'NET_RAW'] } }),
    says: 'non-default capabilities (container "c" must not include "NET_RAW", "SYS_ADMIN" in securityContext.capabilities.add)',
  },
  'no seccomp': {
    spec: {
      securityContext: { seccompProfile: { type: 'Unconfined' } },
      ...withContext({ seccompProfile: { type: 'Unconfined' } }),
    },
    says: 'seccompProfile (pod and container "c" must not set securityContext.seccompProfile.type to "Unconfined")',
  },
  'no seccomp by annotation, before v1.19': {
    spec: {},
    annotations: { 'seccomp.security.alpha.kubernetes.io/pod': 'unconfined' },
    version: 18,
    says: 'seccompProfile (forbidden annotation seccomp.security.alpha.kubernetes.io/pod="unconfined")',
  },
  'no seccomp by annotation, later': {
    spec: {},
    annotations: { 'seccomp.security.alpha.kubernetes.io/pod': 'unconfined' },
    says: '',
  },
  'no AppArmor': {
    spec: withContext({ appArmorProfile: { type: 'Unconfined' } }),
    says: 'forbidden AppArmor profile (container "c" must not set AppArmor profile type to "Unconfined")',
  },
  'no AppArmor by annotation': {
    spec: {},
    annotations: { 'container.apparmor.security.beta.kubernetes.io/c': 'unconfined' },
    says: 'forbidden AppArmor profile (annotation must not set AppArmor profile type to "container.apparmor.security.beta.kubernetes.io/c="unconfined"")',
  },
  'SELinux options': {
    spec: { securityContext: { seLinuxOptions: { type: 'spc_t', user: 'u', role: 'r' } } },
    says: 'seLinuxOptions (pod set forbidden securityContext.seLinuxOptions: type "spc_t"; user may not be set; role may not be set)',
  },
  'an SELinux type of v1.31': { spec: withContext({ seLinuxOptions: { type: 'container_engine_t' } }), says: '' },
  'an SELinux type of v1.31, before': {
    spec: withContext({ seLinuxOptions: { type: 'container_engine_t' } }),
    version: 30,
    says: 'seLinuxOptions (container "c" set forbidden securityContext.seLinuxOptions: type "container_engine_t")',
  },
  sysctls: {
    spec: {
      securityContext: {
        sysctls: [
          { name: 'kernel.msgmax', value: '1' },
          { name: 'net.ipv4.tcp_rmem', value: '1' },
        ],
      },
    },
    says: 'forbidden sysctls (kernel.msgmax)',
  },
  'a sysctl of v1.32, before': {
    spec: { securityContext: { sysctls: [{ name: 'net.ipv4.tcp_rmem', value: '1' }] } },
    version: 31,
    says: 'forbidden sysctls (net.ipv4.tcp_rmem)',
  },
  'an unmasked /proc': {
    spec: withContext({ procMount: 'Unmasked' }),
    says: 'procMount (container "c" must not set securityContext.procMount to "Unmasked")',
  },
  'an unmasked /proc in a user namespace': {
    spec: { ...withContext({ procMount: 'Unmasked' }), hostUsers: false },
    says: '',
  },
  'an unmasked /proc in a user namespace, before v1.35': {
    spec: { ...withContext({ procMount: 'Unmasked' }), hostUsers: false },
    version: 34,
    says: 'procMount (container "c" must not set securityContext.procMount to "Unmasked")',
  },
  'a Windows host process': {
    spec: withContext({ windowsOptions: { hostProcess: true } }),
    says: 'hostProcess (container "c" must not set securityContext.windowsOptions.hostProcess=true)',
  },
  'a probe of another host': {
    spec: one({
      livenessProbe: { httpGet: { host: '10.0.0.1', port: 80 } },
      lifecycle: { preStop: { httpGet: { host: 'a.example', port: 80 } } },
    }),
    says: 'probe or lifecycle host (container "c" uses probe or lifecycle hosts "10.0.0.1", "a.example")',
  },
  'a probe of another host, before v1.34': {
    spec: one({ livenessProbe: { httpGet: { host: '10.0.0.1', port: 80 } } }),
    version: 33,
    says: '',
  },
  root: { spec: { securityContext: { runAsUser: 0 } }, says: '' },
};

const NOTHING_SET =
  'allowPrivilegeEscalation != false (container "c" must set securityContext.allowPrivilegeEscalation=false), unrestricted capabilities (container "c" must set securityContext.capabilities.drop=["ALL"]), runAsNonRoot != true (pod or container "c" must set securityContext.runAsNonRoot=true), seccompProfile (pod or container "c" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")';

const RESTRICTED: Record<string, Row> = {
  'nothing in particular': { spec: {}, says: NOTHING_SET },
  'a future version': { spec: {}, version: 99, says: NOTHING_SET },
  'all that is asked for': { spec: good({}), says: '' },
  'what the pod says for its containers': {
    spec: {
      ...withContext({ allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } }),
      securityContext: { runAsNonRoot: true, seccompProfile: { type: 'Localhost' } },
    },
    says: '',
  },
  'the one capability': { spec: good({ capabilities: { drop: ['ALL'], add: ['NET_BIND_SERVICE'] } }), says: '' },
  'a capability of the baseline': {
    spec: good({ capabilities: { drop: ['ALL'], add: ['CHOWN'] } }),
    says: 'unrestricted capabilities (container "c" must not include "CHOWN" in securityContext.capabilities.add)',
  },
  'root by number': {
    spec: good({ runAsUser: 0 }, { securityContext: { runAsUser: 0 } }),
    says: 'runAsUser=0 (pod and container "c" must not set runAsUser=0)',
  },
  'root by number, before v1.23': { spec: good({ runAsUser: 0 }), version: 22, says: '' },
  'root on purpose': {
    spec: good({ runAsNonRoot: false }),
    says: 'runAsNonRoot != true (container "c" must not set securityContext.runAsNonRoot=false)',
  },
  'root in a user namespace': { spec: good({ runAsNonRoot: false, runAsUser: 0 }, { hostUsers: false }), says: '' },
  'root in a user namespace, before v1.35': {
    spec: good({ runAsNonRoot: false }, { hostUsers: false }),
    version: 34,
    says: 'runAsNonRoot != true (container "c" must not set securityContext.runAsNonRoot=false)',
  },
  'volumes of other types': {
    spec: good(
      {},
      {
        volumes: [
          { name: 'x', nfs: { server: 's', path: '/' } },
          { name: 'a', iscsi: { targetPortal: 'p', iqn: 'i', lun: 0 } },
        ],
      },
    ),
    says: 'restricted volume types (volumes "x", "a" use restricted volume types "iscsi", "nfs")',
  },
  'a host path, reported once': {
    spec: good({}, { volumes: [{ name: 'v', hostPath: { path: '/' } }] }),
    says: 'restricted volume types (volume "v" uses restricted volume type "hostPath")',
  },
  'an unmasked /proc in a user namespace': {
    spec: good({ procMount: 'Unmasked' }, { hostUsers: false }),
    says: 'procMount (container "c" must not set securityContext.procMount to "Unmasked")',
  },
  'Windows, where Linux alone has the means': {
    spec: { ...withContext({ runAsNonRoot: true }), os: { name: 'windows' } },
    says: '',
  },
  'Windows, before v1.25': {
    spec: { ...withContext({ runAsNonRoot: true, allowPrivilegeEscalation: false }), os: { name: 'windows' } },
    version: 24,
    says: 'unrestricted capabilities (container "c" must set securityContext.capabilities.drop=["ALL"]), seccompProfile (pod or container "c" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")',
  },
  'what v1.18 did not ask for': {
    spec: withContext({ runAsNonRoot: true, allowPrivilegeEscalation: false }),
    version: 18,
    says: '',
  },
  'the baseline first': {
    spec: good({ privileged: true, allowPrivilegeEscalation: true }),
    says: 'privileged (container "c" must not set securityContext.privileged=true), allowPrivilegeEscalation != false (container "c" must set securityContext.allowPrivilegeEscalation=false)',
  },
};

describe('baseline', () => {
  it.each(Object.entries(BASELINE))('%s', (_name, row) => expect(evaluated('baseline', row)).toBe(row.says));
});

describe('restricted', () => {
  it.each(Object.entries(RESTRICTED))('%s', (_name, row) => expect(evaluated('restricted', row)).toBe(row.says));
});

it('privileged allows everything', () => expect(evaluated('privileged', { spec: { hostPID: true } })).toBe(''));
