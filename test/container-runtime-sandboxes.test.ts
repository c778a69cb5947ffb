import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { NamespaceOption, PodSandboxConfig } from '../src/cri/index.ts';
import {
  containerConfig,
  execText,
  runContainer,
  sandboxConfig,
  startRuntimeFixture,
  type RuntimeFixture,
} from './container-runtime-fixture.ts';
import { requires } from './requires.ts';

const missing = requires('root', 'runc', 'conmon', 'busybox');
if (missing) console.warn(`container-runtime-sandboxes: skipped, ${missing}`);

describe.skipIf(missing)('sandboxes of the container runtime', () => {
  let fixture: RuntimeFixture;
  beforeAll(async () => {
    fixture = await startRuntimeFixture();
  });
  afterAll(() => fixture?.close());

  const withNamespaces = (options: NamespaceOption, linux: PodSandboxConfig['linux'] = {}) => ({
    sandbox: {
      linux: { cgroupParent: fixture.cgroupParent, ...linux, securityContext: { namespaceOptions: options } },
    },
    container: { linux: { securityContext: { namespaceOptions: options } } },
  });

  it('shares network, host name and memory between its containers, and nothing with another sandbox', async () => {
    const first = await runContainer(fixture, 'sleep 1000');
    const second = await runContainer(fixture, 'sleep 1000');
    const { containerId: beside = '' } = await fixture.client.runtime.createContainer({
      podSandboxId: first.sandboxId,
      sandboxConfig: first.sandbox,
      config: containerConfig(fixture, 'sleep 1000', { metadata: { name: 'beside' }, logPath: 'beside.log' }),
    });
    await fixture.client.runtime.startContainer({ containerId: beside });
    await execText(fixture, first.containerId, 'sh', '-c', 'echo shared > /dev/shm/x');
    expect(await execText(fixture, beside, 'cat', '/dev/shm/x')).toBe('shared\n');
    const namespaces = async (id: string): Promise<string[]> =>
      (await execText(fixture, id, 'sh', '-c', 'for n in net ipc uts pid; do readlink /proc/1/ns/$n; done'))
        .trim()
        .split('\n');
    const [a, b, c] = await Promise.all([first.containerId, beside, second.containerId].map(namespaces));
    expect(a!.slice(0, 3)).toEqual(b!.slice(0, 3));
    expect(a![3]).not.toBe(b![3]);
    for (const [index, namespace] of c!.entries()) expect(a![index]).not.toBe(namespace);
    expect(a).not.toContain(readlinkSync('/proc/self/ns/net'));
  });

  it("has the node's host name in the node's network, and its own elsewhere", async () => {
    const seen = 'hostname; cat /etc/hostname; echo $HOSTNAME';
    for (const [options, hostname, shown] of [
      [{ network: 'NODE' }, '', 'node-of-the-test'],
      [{ network: 'NODE' }, 'asked', 'asked'],
      [{}, 'web', 'web'],
    ] as const) {
      const { sandbox, container } = withNamespaces(options);
      const { containerId } = await runContainer(fixture, 'sleep 1000', {
        sandbox: { ...sandbox, hostname },
        container,
      });
      expect(await execText(fixture, containerId, 'sh', '-c', seen)).toBe(`${shown}\n`.repeat(3));
    }
  });

  it('has no process unless the PID namespace is shared; then a small one that reaps', async () => {
    const { containerId, sandboxId } = await runContainer(fixture, 'sleep 1000', withNamespaces({ pid: 'POD' }));
    const processes = await execText(fixture, containerId, 'ps', '-o', 'pid,args');
    expect(processes).toMatch(/^ +1 \/pause$/m);
    expect(processes).toMatch(/ sleep 1000$/m);
    await execText(fixture, containerId, 'sh', '-c', '(sleep 0.01 &) ; sleep 0.2');
    expect(await execText(fixture, containerId, 'ps', '-o', 'stat,args')).not.toMatch(/^Z/m);
    const { info } = await fixture.client.runtime.podSandboxStatus({ podSandboxId: sandboxId, verbose: true });
    const { pid } = JSON.parse(info!.info!) as { pid: number };
    expect(readFileSync(`/proc/${pid}/status`, 'utf8')).toMatch(/VmRSS:\s+\d{1,2} kB/);
    await fixture.client.runtime.stopPodSandbox({ podSandboxId: sandboxId });
    expect(existsSync(`/proc/${pid}`) && !/State:\s+Z/.test(readFileSync(`/proc/${pid}/status`, 'utf8'))).toBe(false);
  });

  it('shows an ephemeral container the processes of its target', async () => {
    const target = await runContainer(fixture, 'exec sleep 777');
    const { containerId = '' } = await fixture.client.runtime.createContainer({
      podSandboxId: target.sandboxId,
      sandboxConfig: target.sandbox,
      config: containerConfig(fixture, 'sleep 1000', {
        metadata: { name: 'debugger' },
        linux: { securityContext: { namespaceOptions: { pid: 'TARGET', targetId: target.containerId } } },
      }),
    });
    await fixture.client.runtime.startContainer({ containerId });
    expect(await execText(fixture, containerId, 'ps', '-o', 'pid,args')).toMatch(/^ +1 sleep 777$/m);
  });

  it.each([
    {
      name: 'the network of the node',
      options: { network: 'NODE', pid: 'CONTAINER' } as const,
      namespace: 'net',
      of: (): string => fixture.nodeNetns,
    },
    {
      name: 'the PIDs of the machine',
      options: { pid: 'NODE' } as const,
      namespace: 'pid',
      of: (): string => '/proc/self/ns/pid',
    },
    {
      name: 'the IPC of the machine',
      options: { ipc: 'NODE', pid: 'CONTAINER' } as const,
      namespace: 'ipc',
      of: (): string => '/proc/self/ns/ipc',
    },
  ])('can have $name', async ({ options, namespace, of }) => {
    const { containerId, sandboxId } = await runContainer(fixture, 'sleep 1000', withNamespaces(options));
    const inside = (
      await execText(fixture, containerId, 'stat', '-L', '-c', '%i', `/proc/self/ns/${namespace}`)
    ).trim();
    expect(inside).toBe(String(statSync(of()).ino));
    const { status } = await fixture.client.runtime.podSandboxStatus({ podSandboxId: sandboxId });
    expect(status!.linux!.namespaces!.options).toMatchObject(options);
    if (namespace === 'net') expect(status!.network!.ip).toBe('');
    await fixture.client.runtime.removePodSandbox({ podSandboxId: sandboxId });
  });

  it('kills everything of a container in the machine’s PID namespace', async () => {
    const { containerId, sandboxId } = await runContainer(
      fixture,
      'sleep 98765 & exec sleep 98764',
      withNamespaces({ pid: 'NODE' }),
    );
    const running = (): number =>
      readdirSync('/proc').filter(
        (pid) =>
          /^\d+$/.test(pid) &&
          existsSync(`/proc/${pid}/cmdline`) &&
          readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith('sleep\u00009876'),
      ).length;
    await expect.poll(running).toBe(2);
    await fixture.client.runtime.stopContainer({ containerId, timeout: 0 });
    await fixture.client.runtime.removePodSandbox({ podSandboxId: sandboxId });
    await expect.poll(running).toBe(0);
  });

  it('maps users in a user namespace', async () => {
    const mapping = [{ hostId: 1_000_000, containerId: 0, length: 65_536 }];
    const usernsOptions = { mode: 'POD' as const, uids: mapping, gids: mapping };
    const volume = join(fixture.directory, 'volume');
    mkdirSync(volume);
    const change = withNamespaces({ pid: 'CONTAINER', usernsOptions });
    const { containerId, sandboxId } = await runContainer(fixture, 'exec sleep 1000', {
      ...change,
      container: {
        ...change.container,
        mounts: [{ containerPath: '/volume', hostPath: volume, uidMappings: mapping, gidMappings: mapping }],
      },
    });
    await execText(fixture, containerId, 'sh', '-c', 'test "$(stat -c %u /volume)" = 0; touch /volume/mine');
    expect(statSync(join(volume, 'mine')).uid).toBe(0);
    expect(await execText(fixture, containerId, 'cat', '/proc/self/uid_map')).toMatch(/^\s+0\s+1000000\s+65536\n$/);
    expect(await execText(fixture, containerId, 'id', '-u')).toBe('0\n');
    await execText(
      fixture,
      containerId,
      'sh',
      '-c',
      'echo x > /written; test "$(stat -c %u /written)" = 0; test "$(stat -c %u /bin/busybox)" = 0; ip link show eth0 >/dev/null',
    );
    const { info } = await fixture.client.runtime.containerStatus({ containerId, verbose: true });
    const { pid } = JSON.parse(info!.info!) as { pid: number };
    expect(readFileSync(`/proc/${pid}/status`, 'utf8')).toMatch(/^Uid:\s+1000000\s/m);
    await fixture.client.runtime.removePodSandbox({ podSandboxId: sandboxId });
  });

  it('sets sysctls of its namespaces and refuses those of the machine', async () => {
    const sysctls = { 'net.ipv4.ip_unprivileged_port_start': '80', 'kernel.shm_rmid_forced': '1' };
    const { containerId } = await runContainer(
      fixture,
      'sleep 1000',
      withNamespaces({ pid: 'CONTAINER' }, { sysctls }),
    );
    expect(
      await execText(
        fixture,
        containerId,
        'cat',
        '/proc/sys/net/ipv4/ip_unprivileged_port_start',
        '/proc/sys/kernel/shm_rmid_forced',
      ),
    ).toBe('80\n1\n');
    for (const wrong of ['vm.swappiness', 'kernel.core_pattern', 'net/../kernel/panic']) {
      const config = sandboxConfig(fixture, {
        linux: { sysctls: { [wrong]: '1' }, securityContext: { namespaceOptions: { pid: 'CONTAINER' } } },
      });
      await expect(fixture.client.runtime.runPodSandbox({ config })).rejects.toThrow(/sysctl/);
    }
  });

  it('leaves nothing behind when it cannot be created', async () => {
    const before = (await fixture.client.runtime.listPodSandbox({})).items?.length ?? 0;
    const config = sandboxConfig(fixture, { annotations: { 'kubernetes.io/ingress-bandwidth': 'nonsense' } });
    await expect(fixture.client.runtime.runPodSandbox({ config })).rejects.toThrow(/failed to setup network/);
    await expect(
      fixture.client.runtime.runPodSandbox({ config: sandboxConfig(fixture), runtimeHandler: 'nosuch' }),
    ).rejects.toThrow('no runtime for "nosuch" is configured');
    expect((await fixture.client.runtime.listPodSandbox({})).items?.length ?? 0).toBe(before);
    expect(readdirSync(join(fixture.stateDirectory, 's'))).toHaveLength(before);
  });

  it('mounts the volumes of the pod: propagation, read-only, missing sources, links', async () => {
    const host = join(fixture.directory, 'host');
    mkdirSync(join(host, 'real'), { recursive: true });
    writeFileSync(join(host, 'real/file'), 'content');
    const { containerId } = await runContainer(fixture, 'sleep 1000', {
      container: {
        mounts: [
          { containerPath: '/data', hostPath: join(host, 'real'), readonly: true },
          { containerPath: '/data2', hostPath: join(host, 'missing') },
          { containerPath: '/etc/hosts', hostPath: join(host, 'real/file') },
        ],
      },
    });
    expect(await execText(fixture, containerId, 'cat', '/data/file', '/etc/hosts')).toBe('contentcontent');
    await expect(execText(fixture, containerId, 'touch', '/data/new')).rejects.toThrow('Read-only file system');
    await execText(fixture, containerId, 'touch', '/data2/new');
    expect(existsSync(join(host, 'missing/new'))).toBe(true);
  });
});
