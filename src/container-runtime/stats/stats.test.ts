import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createTestContext } from '../../kernel/index.ts';
import { cgroupMounts, openCgroupTree } from './cgroup-tree.ts';
import { parsePressure, readCgroupUsage, readOomKills } from './cgroup-usage.ts';
import { LayerUsages } from './layer-usages.ts';
import { parseNetDev } from './network-usage.ts';
import { UsageReadings } from './usage-readings.ts';

const made: string[] = [];
afterEach(() => {
  for (const folder of made.splice(0)) fs.rmSync(folder, { recursive: true });
});

/** A cgroup file system as files; gives its root. */
function files(content: Readonly<Record<string, string>>): string {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), 'cgroups-'));
  made.push(root);
  for (const [file, text] of Object.entries(content)) {
    fs.mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    fs.writeFileSync(path.join(root, file), text);
  }
  return root;
}

describe('cgroups', () => {
  it('finds the hierarchies of version 1, with spaces in paths', () => {
    const mountinfo =
      '30 1 0:26 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n31 1 0:27 / /odd\\040path rw - cgroup cgroup rw,memory\n32 1 0:28 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n';
    const { unified, controllers } = cgroupMounts(mountinfo);
    expect(unified).toBe('/sys/fs/cgroup/unified');
    expect(Object.fromEntries(controllers)).toEqual({
      cpu: '/sys/fs/cgroup/cpu,cpuacct',
      cpuacct: '/sys/fs/cgroup/cpu,cpuacct',
      memory: '/odd path',
    });
  });

  it('reads the usage of version 2', () => {
    const root = files({
      'pod/cpu.stat': 'usage_usec 1500\nuser_usec 1000\n',
      'pod/cpu.pressure': 'some avg10=1.50 avg60=0.00 avg300=0.00 total=99\n',
      'pod/memory.current': '1000\n',
      'pod/memory.max': 'max\n',
      'pod/memory.stat': 'anon 300\ninactive_file 400\npgfault 7\npgmajfault 1\n',
      'pod/memory.swap.current': '5\n',
      'pod/memory.swap.max': '50\n',
      'pod/pids.current': '3\n',
    });
    const tree = openCgroupTree(`32 1 0:28 / ${root} rw - cgroup2 cgroup2 rw\n`);
    expect(tree.version).toBe(2);
    expect(readCgroupUsage(tree, '/pod')).toEqual({
      cpuNanoseconds: 1_500_000,
      cpuPressure: { Some: { Total: 99, Avg10: 1.5, Avg60: 0, Avg300: 0 } },
      memory: { usage: 1000, workingSet: 600, rss: 300, limit: undefined, pageFaults: 7, majorPageFaults: 1 },
      swap: { usage: 5, limit: 50 },
      processes: 3,
    });
    expect(readCgroupUsage(tree, '/none')).toBeUndefined();
  });

  it('reads the usage of version 1', () => {
    const root = files({
      'acct/pod/cpuacct.usage': '123456\n',
      'memory/pod/memory.usage_in_bytes': '1000\n',
      'memory/pod/memory.limit_in_bytes': '9223372036854771712\n',
      'memory/pod/memory.stat': 'rss 1\ntotal_rss 300\ntotal_inactive_file 1200\ntotal_pgfault 7\ntotal_pgmajfault 1\n',
      'pids/pod/pids.current': '2\n',
    });
    const tree = openCgroupTree(
      ['acct:cpuacct', 'memory:memory', 'pids:pids']
        .map((entry) => entry.split(':'))
        .map(([folder, controller]) => `1 1 0:1 / ${root}/${folder} rw - cgroup cgroup rw,${controller}`)
        .join('\n'),
    );
    expect(tree.version).toBe(1);
    expect(readCgroupUsage(tree, '/pod')).toEqual({
      cpuNanoseconds: 123_456,
      memory: { usage: 1000, workingSet: 0, rss: 300, limit: undefined, pageFaults: 7, majorPageFaults: 1 },
      processes: 2,
    });
  });

  it.each<{ version: number; content: Record<string, string>; mount: (root: string) => string }>([
    {
      version: 2,
      content: { 'pod/memory.events': 'low 0\nhigh 0\nmax 9\noom 3\noom_kill 2\n' },
      mount: (root: string) => `32 1 0:28 / ${root} rw - cgroup2 cgroup2 rw\n`,
    },
    {
      version: 1,
      content: { 'pod/memory.oom_control': 'oom_kill_disable 0\nunder_oom 0\noom_kill 2\n' },
      mount: (root: string) => `1 1 0:1 / ${root} rw - cgroup cgroup rw,memory\n`,
    },
  ])('counts OOM kills of version $version', ({ version, content, mount }) => {
    const tree = openCgroupTree(mount(files(content)));
    expect(tree.version).toBe(version);
    expect(readOomKills(tree, '/pod')).toBe(2);
    expect(readOomKills(tree, '/none')).toBe(0);
  });

  it('reads pressure of both kinds', () => {
    expect(
      parsePressure('some avg10=0.00 avg60=0.00 avg300=0.00 total=1\nfull avg10=0.00 avg60=0.25 avg300=0.00 total=2'),
    ).toEqual({
      Some: { Total: 1, Avg10: 0, Avg60: 0, Avg300: 0 },
      Full: { Total: 2, Avg10: 0, Avg60: 0.25, Avg300: 0 },
    });
    expect(parsePressure(undefined)).toBeUndefined();
  });
});

describe('network counters', () => {
  it('cover every interface but loopback', () => {
    const text =
      'Inter-|   Receive\n face |bytes\n    lo: 9 9 0 0 0 0 0 0 9 9 0 0 0 0 0 0\n  eth0: 100 2 3 0 0 0 0 0 200 4 5 0 0 0 0 0\n';
    expect(parseNetDev(text)).toEqual([
      {
        name: 'eth0',
        rxBytes: { value: 100 },
        rxErrors: { value: 3 },
        txBytes: { value: 200 },
        txErrors: { value: 5 },
      },
    ]);
  });
});

describe('readings of usage', () => {
  const setUp = () => {
    const root = files({
      'pod/cpu.stat': 'usage_usec 10\n',
      'pod/memory.current': '1\n',
      'pod/c/cpu.stat': 'usage_usec 5\n',
      'pod/c/memory.current': '1\n',
    });
    const { clock } = createTestContext();
    const write = (file: string, text: string): void => fs.writeFileSync(path.join(root, file), text);
    return {
      clock,
      write,
      readings: new UsageReadings(clock, openCgroupTree(`32 1 0:28 / ${root} rw - cgroup2 cgroup2 rw\n`)),
    };
  };

  it('are cached while no container runs, and read again afterwards', () => {
    const { write, readings } = setUp();
    const first = readings.read('/pod');
    write('pod/memory.current', '2\n');
    expect(readings.read('/pod')).toBe(first);
    write('pod/cpu.stat', 'usage_usec 11\n');
    expect(readings.read('/pod')?.usage.memory.usage).toBe(2);
  });

  it('expire, because the kernel changes them on its own', async () => {
    const { clock, write, readings } = setUp();
    readings.read('/pod');
    write('pod/memory.current', '2\n');
    await clock.advance(60_000);
    expect(readings.read('/pod')?.usage.memory.usage).toBe(2);
  });

  it('of a container are good while its pod sleeps, and no longer', async () => {
    const { clock, write, readings } = setUp();
    const container = readings.read('/pod/c', readings.read('/pod'));
    await clock.advance(1000);
    expect(readings.read('/pod/c', readings.read('/pod'))).toBe(container);
    write('pod/cpu.stat', 'usage_usec 11\n');
    write('pod/c/cpu.stat', 'usage_usec 6\n');
    expect(readings.read('/pod/c', readings.read('/pod'))?.usage.cpuNanoseconds).toBe(6000);
  });

  it('are absent for a cgroup that is gone', () => {
    expect(setUp().readings.read('/gone')).toBeUndefined();
  });
});

describe('the size of container layers', () => {
  const setUp = (tookMs: number) => {
    const { clock } = createTestContext();
    let counts = 0;
    const usages = new LayerUsages(clock, async () => {
      counts++;
      if (tookMs > 0) await clock.sleep(tookMs);
      return { bytes: counts, inodes: 1 };
    });
    const reading = () => ({
      at: 0,
      usage: {
        cpuNanoseconds: 0,
        memory: { usage: 0, workingSet: 0, rss: 0, limit: undefined, pageFaults: 0, majorPageFaults: 0 },
        processes: 1,
      },
    });
    return { clock, usages, reading, counts: () => counts };
  };

  it('is counted again only after they ran', async () => {
    const { usages, reading, counts } = setUp(0);
    const asleep = reading();
    await usages.of('c', asleep);
    await usages.of('c', asleep);
    expect(counts()).toBe(1);
    await usages.of('c', reading());
    expect(counts()).toBe(2);
  });

  it('is counted each time unless the containers are known to be stopped', async () => {
    const { usages, counts } = setUp(0);
    for (let i = 0; i < 3; i++) await usages.of('c', undefined);
    expect(counts()).toBe(3);
    for (let i = 0; i < 3; i++) await usages.of('c', 'ended');
    expect(counts()).toBe(4);
  });

  it('is counted once for concurrent callers, and not again at once when it takes long', async () => {
    const { clock, usages, reading, counts } = setUp(100);
    const all = [usages.of('c', reading()), usages.of('c', reading())];
    await clock.advance(100);
    expect(await Promise.all(all)).toEqual([
      { bytes: 1, inodes: 1 },
      { bytes: 1, inodes: 1 },
    ]);
    await clock.advance(1900);
    expect(await usages.of('c', reading())).toEqual({ bytes: 1, inodes: 1 });
    await clock.advance(100);
    const again = usages.of('c', reading());
    await clock.advance(100);
    expect(await again).toEqual({ bytes: 2, inodes: 1 });
    expect(counts()).toBe(2);
  });
});
