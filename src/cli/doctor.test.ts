import { expect, it } from 'vitest';
import { cgroupCheck, exitCode } from './doctor.ts';

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
