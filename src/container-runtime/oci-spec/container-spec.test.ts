import { describe, expect, it } from 'vitest';
import type { ContainerConfig, LinuxContainerSecurityContext } from '../../cri/index.ts';
import { capabilitiesOfMask, containerCapabilities } from './capabilities.ts';
import { containerSpec, type ContainerSpecInput, type HostFeatures } from './container-spec.ts';
import { bindMountOf, orderedMounts } from './mounts.ts';
import { commandLine, environment, stopSignalOf, workingDirectory } from './process.ts';
import { mergedResources, ociResources } from './resources.ts';
import { seccompChoice, seccompProfile } from './seccomp.ts';
import { signalNumber } from './signals.ts';
import { resolveUser } from './users.ts';

const ALL = capabilitiesOfMask('1ffffffffff');
const host: HostFeatures = {
  architecture: 'x64',
  capabilities: ALL,
  minOomScoreAdj: -1000,
  cgroupVersion: 2,
  limits: true,
  userNamespace: false,
  swapLimits: true,
  hugePageLimits: true,
  apparmor: false,
  selinux: false,
};

function input(
  security: LinuxContainerSecurityContext = {},
  config: ContainerConfig = {},
  change: Partial<ContainerSpecInput> = {},
): ContainerSpecInput {
  return {
    sandboxId: 's1',
    podName: 'web',
    podNamespace: 'default',
    podUid: 'u1',
    config: {
      command: ['run'],
      ...config,
      linux: { ...config.linux, securityContext: { namespaceOptions: { pid: 'CONTAINER' }, ...security } },
    },
    image: {},
    imageName: 'busybox',
    rootfs: '/rootfs',
    user: { uid: 0, gid: 0, supplementalGroups: [0] },
    hostname: 'web',
    namespaces: { network: '/ns/net', ipc: '/ns/ipc', uts: '/ns/uts' },
    hostNetwork: false,
    mounts: [],
    sandboxMounts: [],
    devices: [],
    allowEveryDevice: security.privileged ?? false,
    cgroupsPath: '/pod/c1',
    host,
    readSeccompProfile: () => '{"defaultAction":"SCMP_ACT_LOG"}',
    ...change,
  };
}

describe('containerSpec', () => {
  it('puts a container into its sandbox', () => {
    const { linux, process, root } = containerSpec(input());
    expect(linux.namespaces).toEqual([
      { type: 'mount' },
      { type: 'network', path: '/ns/net' },
      { type: 'ipc', path: '/ns/ipc' },
      { type: 'uts', path: '/ns/uts' },
      { type: 'pid' },
      { type: 'cgroup' },
    ]);
    expect(linux.cgroupsPath).toBe('/pod/c1');
    expect(linux.resources.devices).toEqual([{ allow: false, access: 'rwm' }]);
    expect(root).toEqual({ path: '/rootfs', readonly: false });
    expect(process).toMatchObject({
      args: ['run'],
      cwd: '/',
      noNewPrivileges: false,
      user: { uid: 0, gid: 0, additionalGids: [0] },
    });
  });

  it.each([
    { name: 'of its own', pid: 'CONTAINER' as const, expected: { type: 'pid' } },
    { name: 'of the pod', pid: 'POD' as const, expected: { type: 'pid', path: '/ns/pid' } },
    { name: 'of its target', pid: 'TARGET' as const, expected: { type: 'pid', path: '/proc/7/ns/pid' } },
    { name: 'of the machine', pid: 'NODE' as const, expected: undefined },
  ])('has a PID namespace $name', ({ pid, expected }) => {
    const { linux } = containerSpec(
      input({ namespaceOptions: { pid } }, {}, { namespaces: { pid: '/ns/pid' }, targetPid: '/proc/7/ns/pid' }),
    );
    expect(linux.namespaces.find((namespace) => namespace.type === 'pid')).toEqual(expected);
  });

  it('removes all restrictions from a privileged container', () => {
    const { linux, process, mounts } = containerSpec(
      input({
        privileged: true,
        maskedPaths: ['/proc/kcore'],
        seccomp: {},
        apparmor: { profileType: 'Localhost', localhostRef: 'x' },
      }),
    );
    expect(linux.maskedPaths).toBeUndefined();
    expect(linux.seccomp).toBeUndefined();
    expect(process.apparmorProfile).toBeUndefined();
    expect(process.capabilities!.bounding).toEqual(ALL);
    expect(linux.resources.devices).toEqual([{ allow: true, access: 'rwm' }]);
    expect(mounts.find((mount) => mount.destination === '/sys')!.options).toContain('rw');
  });

  it('refuses an AppArmor profile where there is no AppArmor, but not the default one', () => {
    expect(() => containerSpec(input({ apparmor: { profileType: 'Localhost', localhostRef: 'strict' } }))).toThrow(
      'this machine has no AppArmor',
    );
    expect(containerSpec(input({ apparmor: {} })).process.apparmorProfile).toBeUndefined();
    expect(
      containerSpec(
        input(
          { apparmor: { profileType: 'Localhost', localhostRef: 'strict' } },
          {},
          { host: { ...host, apparmor: true } },
        ),
      ).process.apparmorProfile,
    ).toBe('strict');
  });

  it('labels by SELinux only where it is', () => {
    const options = { selinuxOptions: { type: 'spc_t', level: 's0:c1,c2' } };
    expect(containerSpec(input(options)).process.selinuxLabel).toBeUndefined();
    expect(containerSpec(input(options, {}, { host: { ...host, selinux: true } })).process.selinuxLabel).toBe(
      'system_u:system_r:spc_t:s0:c1,c2',
    );
  });

  it('does not protect a process from the OOM killer more than the runtime', () => {
    const config = { linux: { resources: { oomScoreAdj: -997 } } };
    expect(containerSpec(input({}, config)).process.oomScoreAdj).toBe(-997);
    expect(containerSpec(input({}, config, { host: { ...host, minOomScoreAdj: 0 } })).process.oomScoreAdj).toBe(0);
  });

  it('joins a user namespace with its mappings', () => {
    const uids = [{ hostId: 65_536, containerId: 0, length: 65_536 }];
    const { linux } = containerSpec(
      input(
        { namespaceOptions: { pid: 'CONTAINER', usernsOptions: { mode: 'POD', uids, gids: uids } } },
        {},
        { namespaces: { user: '/ns/user' } },
      ),
    );
    expect(linux.namespaces).toContainEqual({ type: 'user', path: '/ns/user' });
    expect(linux.uidMappings).toEqual([{ containerID: 0, hostID: 65_536, size: 65_536 }]);
  });
});

describe('capabilities', () => {
  const of = (capabilities: LinuxContainerSecurityContext['capabilities']) =>
    containerCapabilities({ privileged: false, capabilities, available: ALL });
  it.each([
    {
      name: 'drop all and add one',
      given: { dropCapabilities: ['ALL'], addCapabilities: ['NET_BIND_SERVICE'] },
      expected: ['CAP_NET_BIND_SERVICE'],
    },
    {
      name: 'add all and drop one',
      given: { addCapabilities: ['ALL'], dropCapabilities: ['sys_admin'] },
      expected: ALL.filter((name) => name !== 'CAP_SYS_ADMIN'),
    },
    {
      name: 'drop wins over add',
      given: { addCapabilities: ['NET_ADMIN'], dropCapabilities: ['ALL', 'NET_ADMIN'] },
      expected: [],
    },
    {
      name: 'with the prefix',
      given: { dropCapabilities: ['all'], addCapabilities: ['CAP_KILL'] },
      expected: ['CAP_KILL'],
    },
  ])('$name', ({ given, expected }) => {
    expect(of(given).bounding).toEqual(expected);
  });
  it('has fourteen by default', () => expect(of(undefined).effective).toHaveLength(14));
  it('keeps ambient ones through an exec', () =>
    expect(of({ dropCapabilities: ['ALL'], addAmbientCapabilities: ['NET_RAW'] })).toMatchObject({
      ambient: ['CAP_NET_RAW'],
      inheritable: ['CAP_NET_RAW'],
      bounding: ['CAP_NET_RAW'],
    }));
  it('refuses unknown ones', () =>
    expect(() => of({ addCapabilities: ['FLY'] })).toThrow('unknown capability "CAP_FLY"'));
});

describe('seccomp', () => {
  it.each<{ name: string; context: LinuxContainerSecurityContext; expected: object }>([
    { name: 'nothing said', context: {}, expected: { type: 'unconfined' } },
    { name: 'RuntimeDefault, the zero of the enumeration', context: { seccomp: {} }, expected: { type: 'default' } },
    { name: 'Unconfined', context: { seccomp: { profileType: 'Unconfined' } }, expected: { type: 'unconfined' } },
    {
      name: 'Localhost',
      context: { seccomp: { profileType: 'Localhost', localhostRef: '/p.json' } },
      expected: { type: 'localhost', file: '/p.json' },
    },
    {
      name: 'the older notation',
      context: { seccompProfilePath: 'localhost//p.json' },
      expected: { type: 'localhost', file: '/p.json' },
    },
    { name: 'privileged', context: { privileged: true, seccomp: {} }, expected: { type: 'unconfined' } },
  ])('$name', ({ context, expected }) => {
    expect(seccompChoice(context)).toEqual(expected);
  });

  const options = { machine: 'x64', capabilities: [] as string[], readProfile: () => '' };
  it('refuses namespaces without CAP_SYS_ADMIN, and makes C libraries work without clone3', () => {
    const allowed = (capabilities: string[]) =>
      seccompProfile({ type: 'default' }, { ...options, capabilities })!.syscalls!;
    expect(allowed([]).flatMap((rule) => rule.names)).not.toContain('unshare');
    expect(allowed([]).find((rule) => rule.names.includes('clone3'))).toMatchObject({
      action: 'SCMP_ACT_ERRNO',
      errnoRet: 38,
    });
    expect(allowed([]).find((rule) => rule.names.includes('clone'))!.args).toEqual([
      { index: 0, value: 0x7e02_0000, valueTwo: 0, op: 'SCMP_CMP_MASKED_EQ' },
    ]);
    expect(allowed(['CAP_SYS_ADMIN']).flatMap((rule) => rule.names)).toContain('unshare');
  });
  it('reads profiles in Docker’s form, with rules that depend on capabilities', () => {
    const text = JSON.stringify({
      defaultAction: 'SCMP_ACT_ERRNO',
      archMap: [{ architecture: 'A', subArchitectures: ['B'] }],
      syscalls: [
        { names: ['a'], action: 'SCMP_ACT_ALLOW', includes: { caps: ['CAP_KILL'] } },
        { name: 'b', action: 'SCMP_ACT_ALLOW', excludes: { caps: ['CAP_KILL'] } },
      ],
    });
    expect(seccompProfile({ type: 'localhost', file: '/p' }, { ...options, readProfile: () => text })).toEqual({
      defaultAction: 'SCMP_ACT_ERRNO',
      architectures: ['A', 'B'],
      syscalls: [{ names: ['b'], action: 'SCMP_ACT_ALLOW' }],
    });
    expect(() => seccompProfile({ type: 'localhost', file: '/p' }, { ...options, readProfile: () => '{}' })).toThrow(
      'the seccomp profile /p has no defaultAction',
    );
  });
});

describe('users', () => {
  const files = {
    passwd: 'root:x:0:0::/root:/bin/sh\nweb:x:33:44::/:\n# comment\nbroken\n',
    group: 'staff:x:50:web,other\nwheel:x:10:root\nweb:x:44:\n',
  };
  it.each<{
    name: string;
    context?: LinuxContainerSecurityContext;
    image?: string;
    expected: [number, number, number[]];
  }>([
    { name: 'nobody says anything', expected: [0, 0, [0, 10]] },
    { name: 'the image by name', image: 'web', expected: [33, 44, [44, 50]] },
    { name: 'the image by name and group', image: 'web:staff', expected: [33, 50, [50]] },
    { name: 'the image by numbers that it does not know', image: '1000:2000', expected: [1000, 2000, [2000]] },
    { name: 'a number that the image knows', context: { runAsUser: { value: 33 } }, expected: [33, 44, [44, 50]] },
    {
      name: 'user and group of the pod',
      context: { runAsUser: { value: 5 }, runAsGroup: { value: 6 } },
      image: 'web',
      expected: [5, 6, [6]],
    },
    { name: 'user 0, which proto3 leaves out', context: { runAsUser: {} }, image: 'web', expected: [0, 0, [0, 10]] },
    {
      name: 'groups of the pod with those of the image',
      context: { supplementalGroups: [7, 50] },
      image: 'web',
      expected: [33, 44, [44, 50, 7]],
    },
    {
      name: 'groups of the pod only',
      context: { supplementalGroups: [7], supplementalGroupsPolicy: 'Strict' },
      image: 'web',
      expected: [33, 44, [44, 7]],
    },
  ])('$name', ({ context, image, expected }) => {
    const user = resolveUser(context, image, files);
    expect([user.uid, user.gid, user.supplementalGroups]).toEqual(expected);
  });
  it.each([
    {
      name: 'a name that the image does not know',
      context: undefined,
      image: 'nobody',
      message: 'no user "nobody" is found in the image',
    },
    {
      name: 'a group that the image does not know',
      context: undefined,
      image: 'web:nogroup',
      message: 'no group "nogroup" is found in the image',
    },
    {
      name: 'a group without a user',
      context: { runAsGroup: { value: 1 } },
      image: 'web',
      message: 'a group to run as is given without a user',
    },
    { name: 'a number that is too large', context: undefined, image: '4294967295', message: 'is too large' },
  ])('refuses $name', ({ context, image, message }) => {
    expect(() => resolveUser(context, image, files)).toThrow(message);
  });
});

describe('process', () => {
  const image = {
    Entrypoint: ['/entry'],
    Cmd: ['a', 'b'],
    Env: ['PATH=/p', 'A=1'],
    WorkingDir: 'work',
    StopSignal: 'SIGQUIT',
  };
  it.each<{ name: string; config: ContainerConfig; expected: string[] }>([
    { name: 'the image’s', config: {}, expected: ['/entry', 'a', 'b'] },
    { name: 'arguments replace the image’s', config: { args: ['x'] }, expected: ['/entry', 'x'] },
    { name: 'a command replaces both', config: { command: ['/c'] }, expected: ['/c'] },
    { name: 'command and arguments', config: { command: ['/c'], args: ['x'] }, expected: ['/c', 'x'] },
  ])('command: $name', ({ config, expected }) => {
    expect(commandLine(config, image)).toEqual(expected);
  });
  it('needs a command', () => expect(() => commandLine({}, {})).toThrow('no command specified'));
  it('environment: later ones replace earlier ones', () => {
    expect(
      environment({ tty: true, envs: [{ key: 'A', value: Buffer.from('2') }, { key: 'EMPTY' }] }, image, 'web'),
    ).toEqual(['PATH=/p', 'HOSTNAME=web', 'TERM=xterm', 'A=2', 'EMPTY=']);
  });
  it('working directory', () =>
    expect([
      workingDirectory({}, image),
      workingDirectory({ workingDir: '/w' }, image),
      workingDirectory({}, {}),
    ]).toEqual(['/work', '/w', '/']));
  it('stop signal', () =>
    expect([
      stopSignalOf({}, image),
      stopSignalOf({ stopSignal: 'SIGINT' }, image),
      stopSignalOf({ stopSignal: 'RUNTIME_DEFAULT' }, {}),
    ]).toEqual(['SIGQUIT', 'SIGINT', 'SIGTERM']));
  it.each([
    ['TERM', 15],
    ['SIGKILL', 9],
    ['10', 10],
    ['SIGRTMIN+3', 37],
    ['SIGRTMINPLUS3', 37],
    ['SIGRTMAX', 64],
    ['SIGRTMAXMINUS1', 63],
    ['SIGCLD', 17],
  ])('signal %s is %i', (name, number) => {
    expect(signalNumber(name)).toBe(number);
  });
  it.each(['SIGNOPE', '0', '65', 'RTMIN+99'])('signal %s is invalid', (name) =>
    expect(() => signalNumber(name)).toThrow('there is no signal'),
  );
});

describe('mounts', () => {
  it.each([
    { name: 'plain', mount: {}, options: ['rbind', 'rprivate', 'rw'] },
    { name: 'read-only', mount: { readonly: true }, options: ['rbind', 'rprivate', 'ro'] },
    {
      name: 'recursively read-only',
      mount: { readonly: true, recursiveReadOnly: true },
      options: ['rbind', 'rprivate', 'ro', 'rro'],
    },
    {
      name: 'from the machine',
      mount: { propagation: 'PROPAGATION_HOST_TO_CONTAINER' as const },
      options: ['rbind', 'rslave', 'rw'],
    },
    {
      name: 'both ways',
      mount: { propagation: 'PROPAGATION_BIDIRECTIONAL' as const },
      options: ['rbind', 'rshared', 'rw'],
    },
  ])('$name', ({ mount, options }) => {
    expect(bindMountOf({ containerPath: '/a/', hostPath: '/b', ...mount })).toEqual({
      destination: '/a',
      type: 'bind',
      source: '/b',
      options,
    });
  });
  it.each([
    { name: 'recursively read-only without read-only', mount: { containerPath: '/a', recursiveReadOnly: true } },
    {
      name: 'recursively read-only and shared',
      mount: {
        containerPath: '/a',
        readonly: true,
        recursiveReadOnly: true,
        propagation: 'PROPAGATION_BIDIRECTIONAL' as const,
      },
    },
    { name: 'a relative path', mount: { containerPath: 'a' } },
  ])('refuses $name', ({ mount }) => {
    expect(() => bindMountOf({ hostPath: '/b', ...mount })).toThrow();
  });
  it('orders parents before children; a given mount replaces a default', () => {
    const mount = (destination: string, source = 'x') => ({ destination, type: 'bind', source, options: [] });
    expect(
      orderedMounts(
        [mount('/proc'), mount('/dev/shm', 'default')],
        [mount('/a/b/c'), mount('/a'), mount('/dev/shm', 'given')],
      ).map(({ destination, source }) => `${destination} ${source}`),
    ).toEqual(['/proc x', '/a x', '/dev/shm given', '/a/b/c x']);
  });
});

const SUPPORTED = { swapLimits: true, hugePageLimits: true };

describe('resources', () => {
  it('omits zeros, and disables swap for limited memory', () => {
    expect(ociResources({ cpuShares: 2, cpuQuota: 0, memoryLimitInBytes: 10, cpusetCpus: '' }, SUPPORTED)).toEqual({
      cpu: { shares: 2 },
      memory: { limit: 10, swap: 10 },
    });
    expect(ociResources({ memoryLimitInBytes: 10, memorySwapLimitInBytes: 30 }, SUPPORTED).memory).toEqual({
      limit: 10,
      swap: 30,
    });
    expect(ociResources({ memoryLimitInBytes: 10 }, { ...SUPPORTED, swapLimits: false }).memory).toEqual({ limit: 10 });
    expect(
      ociResources({ hugepageLimits: [{ pageSize: '2MB', limit: 4 }], unified: { 'memory.high': '5' } }, SUPPORTED),
    ).toEqual({ hugepageLimits: [{ pageSize: '2MB', limit: 4 }], unified: { 'memory.high': '5' } });
  });
  it('leaves out limits of huge pages where no hugetlb cgroup is mounted', () =>
    expect(
      ociResources(
        { cpuShares: 2, hugepageLimits: [{ pageSize: '2MB', limit: 0 }] },
        { ...SUPPORTED, hugePageLimits: false },
      ),
    ).toEqual({ cpu: { shares: 2 } }));
  it('an update changes only the named fields', () =>
    expect(mergedResources({ cpuShares: 2, memoryLimitInBytes: 10 }, { memoryLimitInBytes: 20, cpuShares: 0 })).toEqual(
      { cpuShares: 2, memoryLimitInBytes: 20 },
    ));
});
