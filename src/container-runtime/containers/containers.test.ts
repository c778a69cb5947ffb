import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cgroupsPath } from '../cgroup-path.ts';
import { namespaceOfSysctl, sysctlPath } from '../linux/sysctls.ts';
import { ociMessage } from '../oci-runtime.ts';
import type { OciSpec } from '../oci-spec/oci-types.ts';
import { locateProgram } from '../programs.ts';
import { pauseProgram } from '../sandboxes/pause-program.ts';
import { resolvConf } from '../sandboxes/sandbox-files.ts';
import { applyCdiDevices } from './cdi-devices.ts';
import { readRootfsFile, resolveInRoot } from './rootfs-files.ts';

let directory: string;
beforeEach(() => {
  directory = fs.mkdtempSync(path.join(os.tmpdir(), 'containers-'));
});
afterEach(() => fs.rmSync(directory, { recursive: true }));

describe('files of an image', () => {
  it('are read without leaving the directory, despite symbolic links', () => {
    const root = path.join(directory, 'root');
    fs.mkdirSync(path.join(root, 'etc'), { recursive: true });
    fs.mkdirSync(path.join(root, 'usr/etc'), { recursive: true });
    fs.writeFileSync(path.join(directory, 'secret'), 'secret');
    fs.writeFileSync(path.join(root, 'usr/etc/passwd'), 'inside');
    const links = {
      'etc/passwd': '/usr/etc/passwd',
      'etc/up': '../../../secret',
      'etc/absolute': path.join(directory, 'secret'),
      'etc/loop': 'loop',
      out: '/../..',
    };
    for (const [file, target] of Object.entries(links)) fs.symlinkSync(target, path.join(root, file));
    expect(readRootfsFile(root, '/etc/passwd')).toBe('inside');
    expect(readRootfsFile(root, '/etc/up')).toBe('');
    expect(readRootfsFile(root, '/etc/absolute')).toBe('');
    expect(resolveInRoot(root, '/out/etc')).toBe(path.join(root, 'etc'));
    expect(() => resolveInRoot(root, '/etc/loop')).toThrow('too many symbolic links');
    expect(readRootfsFile(root, '/etc')).toBe('');
    expect(readRootfsFile(root, '/missing')).toBe('');
  });
});

describe('cgroup paths', () => {
  const naming = { systemdCgroups: false, defaultCgroupParent: '/k8ts' };
  it.each([
    {
      name: 'of a pod',
      systemd: false,
      parent: '/kubepods/burstable/podx',
      runtime: '/kubepods/burstable/podx/id',
      absolute: '/kubepods/burstable/podx/id',
    },
    { name: 'without a pod', systemd: false, parent: undefined, runtime: '/k8ts/id', absolute: '/k8ts/id' },
    {
      name: 'of a slice',
      systemd: true,
      parent: 'kubepods-burstable.slice',
      runtime: 'kubepods-burstable.slice:k8ts:id',
      absolute: '/kubepods.slice/kubepods-burstable.slice/k8ts-id.scope',
    },
  ])('$name', ({ systemd, parent, runtime, absolute }) => {
    expect(cgroupsPath({ ...naming, systemdCgroups: systemd }, parent, 'id')).toEqual({ runtime, absolute });
  });
  it('stay in the tree', () => expect(() => cgroupsPath(naming, '/../x', 'id')).toThrow('leaves the tree'));
  it('need a slice with systemd', () =>
    expect(() => cgroupsPath({ ...naming, systemdCgroups: true }, '/kubepods', 'id')).toThrow(
      'is not a systemd slice',
    ));
});

describe('sysctls', () => {
  it.each([
    ['net.ipv4.ip_forward', 'net'],
    ['net/ipv4/conf/eth0.1/forwarding', 'net'],
    ['kernel.shmmax', 'ipc'],
    ['fs.mqueue.msg_max', 'ipc'],
    ['kernel.domainname', 'uts'],
    ['kernel.panic', undefined],
    ['vm.swappiness', undefined],
  ])('%s belongs to %s', (name, namespace) => {
    expect(namespaceOfSysctl(name)).toBe(namespace);
  });
  it('are files below /proc/sys', () => {
    expect(sysctlPath('net.ipv4.ip_forward')).toBe('/proc/sys/net/ipv4/ip_forward');
    expect(sysctlPath('net/ipv4/conf/eth0.1/forwarding')).toBe('/proc/sys/net/ipv4/conf/eth0.1/forwarding');
    for (const wrong of ['net/../kernel/panic', 'net..x', '', 'net/ipv4/\0'])
      expect(() => sysctlPath(wrong)).toThrow('is not the name of a sysctl');
  });
});

describe('errors of OCI runtimes', () => {
  it.each([
    [
      'time="2026" level=error msg="runc create failed: exec: \\"x\\": not found"\n',
      'runc create failed: exec: "x": not found',
    ],
    ['{"level":"error","msg":"from json"}', 'from json'],
    ['plain words', 'plain words'],
    ['', 'no error message'],
  ])('%s', (text, message) => {
    expect(ociMessage(text)).toBe(message);
  });
});

describe('CDI devices', () => {
  const spec = (): OciSpec => ({
    ociVersion: '',
    process: { user: { uid: 0, gid: 0 }, args: [], env: ['A=1'], cwd: '/' },
    root: { path: '/' },
    mounts: [],
    linux: { namespaces: [], resources: { devices: [] }, cgroupsPath: '' },
  });
  beforeEach(() => {
    const vendor = {
      cdiVersion: '0.6.0',
      kind: 'vendor.com/gpu',
      containerEdits: { env: ['ALL=1'] },
      devices: [
        {
          name: 'gpu0',
          containerEdits: {
            env: ['GPU=0'],
            deviceNodes: [{ path: '/dev/gpu0', hostPath: '/dev/null' }],
            mounts: [{ hostPath: '/lib/gpu', containerPath: '/lib/gpu' }],
            hooks: [{ hookName: 'createContainer', path: '/bin/hook' }],
            additionalGids: [44],
          },
        },
      ],
    };
    fs.writeFileSync(path.join(directory, 'vendor.json'), JSON.stringify(vendor));
  });
  it('add the edits of their vendor', () => {
    const edited = spec();
    applyCdiDevices(edited, [{ name: 'vendor.com/gpu=gpu0' }], [directory]);
    expect(edited.process.env).toEqual(['A=1', 'ALL=1', 'GPU=0']);
    expect(edited.linux.devices).toMatchObject([{ path: '/dev/gpu0', type: 'c', major: 1, minor: 3 }]);
    expect(edited.linux.resources.devices).toEqual([{ allow: true, access: 'rwm', type: 'c', major: 1, minor: 3 }]);
    expect(edited.mounts).toEqual([
      { destination: '/lib/gpu', source: '/lib/gpu', type: 'bind', options: ['rbind', 'ro'] },
    ]);
    expect(edited.hooks).toEqual({ createContainer: [{ path: '/bin/hook' }] });
    expect(edited.process.user.additionalGids).toEqual([44]);
  });
  it('that are not described are refused', () =>
    expect(() => applyCdiDevices(spec(), [{ name: 'vendor.com/gpu=gpu9' }], [directory])).toThrow(
      'unresolvable CDI devices vendor.com/gpu=gpu9',
    ));
});

describe('small things', () => {
  it('resolv.conf', () =>
    expect(resolvConf({ servers: ['1.1.1.1', '::1'], searches: ['a', 'b'], options: ['ndots:5'] })).toBe(
      'search a b\nnameserver 1.1.1.1\nnameserver ::1\noptions ndots:5\n',
    ));
  it.each([
    ['x64', 62],
    ['arm64', 183],
  ])('the pause program for %s is an ELF executable', (machine, number) => {
    const program = pauseProgram(machine);
    expect(program.subarray(0, 4).toString('latin1')).toBe('\u007fELF');
    expect(program.readUInt16LE(18)).toBe(number);
    expect(program.length).toBeLessThan(256);
  });
  it('a machine without a pause program is named', () => expect(() => pauseProgram('mips')).toThrow('mips'));
  it('a missing program is named with its package', () =>
    expect(() => locateProgram('/nowhere/conmon', 'it holds output')).toThrow(
      'the program "/nowhere/conmon" is not installed: it holds output (Debian package conmon)',
    ));
});
