import { expect, it } from 'vitest';
import { cgroupCheck, exitCode, forwardCheck, isModule } from './doctor.ts';

const V1 = ['cpu', 'cpuacct', 'memory', 'pids']
  .map((name) => `33 32 0:29 / /sys/fs/cgroup/${name} rw,relatime - cgroup cgroup rw,${name}`)
  .join('\n');

it.each([
  { title: 'version 2', mounts: '', controllers: 'cpuset cpu io memory pids\n', name: 'cgroup v2', ok: true },
  { title: 'version 2 without memory', mounts: '', controllers: 'cpu pids\n', name: 'cgroup v2', ok: false },
  { title: 'version 1', mounts: V1, controllers: '', name: 'cgroup v1', ok: true },
  {
    title: 'version 1 without cpu',
    mounts: V1.replaceAll(/,cpu$/gm, ',x'),
    controllers: '',
    name: 'cgroup v1',
    ok: false,
  },
  { title: 'none', mounts: '20 1 0:19 / /sys rw - sysfs sysfs rw', controllers: '', name: 'cgroups', ok: false },
])('limits of containers with cgroups: $title', ({ mounts, controllers, name, ok }) => {
  expect(cgroupCheck(mounts, controllers)).toMatchObject({ name, ok });
});

it('exits with 1 for required checks that fail, and not for optional ones', () => {
  const check = { name: 'x', purpose: 'y' };
  expect(exitCode([{ ...check, ok: true }])).toBe(0);
  expect(exitCode([{ ...check, ok: false, optional: true }])).toBe(0);
  expect(
    exitCode([
      { ...check, ok: true },
      { ...check, ok: false },
    ]),
  ).toBe(1);
});

it('finds modules in the kernel’s lists', () => {
  const lists = 'kernel/drivers/net/vxlan/vxlan.ko.xz: kernel/net/ipv4/udp_tunnel.ko.xz\nkernel/drivers/net/dummy.ko';
  expect([isModule('vxlan', lists), isModule('dummy', lists), isModule('wireguard', lists)]).toEqual([
    true,
    true,
    false,
  ]);
  expect(isModule('udp_tunnel', lists)).toBe(false);
});

it('warns of a chain that drops what is forwarded', () => {
  const chain = (policy: string): string =>
    `chain FORWARD {\n type filter hook forward priority filter; policy ${policy};`;
  expect([forwardCheck(chain('drop')).ok, forwardCheck(chain('accept')).ok, forwardCheck('').ok]).toEqual([
    false,
    true,
    true,
  ]);
});
