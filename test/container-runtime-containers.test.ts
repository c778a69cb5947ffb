import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ContainerConfig, ContainerEventResponse, LinuxContainerSecurityContext } from '../src/cri/index.ts';
import {
  containerConfig,
  execText,
  runContainer,
  startRuntimeFixture,
  type RunningContainer,
  type RuntimeFixture,
} from './container-runtime-fixture.ts';
import { requires } from './requires.ts';
import { busyboxImage, dockerArchive } from './test-images.ts';

const missing = requires('root', 'runc', 'conmon', 'busybox');
if (missing) console.warn(`container-runtime-containers: skipped, ${missing}`);

const OWN_PID: LinuxContainerSecurityContext = { namespaceOptions: { pid: 'CONTAINER' } };

describe.skipIf(missing)('containers of the container runtime', () => {
  let fixture: RuntimeFixture;
  /** One sandbox for all: only what containers are made of differs. */
  let pod: RunningContainer;
  let attempt = 0;
  beforeAll(async () => {
    fixture = await startRuntimeFixture();
    pod = await runContainer(fixture, 'sleep 1000');
    const image = busyboxImage('docker.io/library/configured:test', {
      process: {
        Env: ['FROM_IMAGE=1', 'BOTH=image'],
        Entrypoint: ['sh', '-c'],
        Cmd: ['env; pwd; id; exec sleep 1000'],
        WorkingDir: '/tmp',
        User: '1234:5678',
        StopSignal: 'SIGUSR1',
      },
    });
    await fixture.runtime.imageStore.loadArchive(Readable.from([dockerArchive(image)]));
  });
  afterAll(() => fixture?.close());

  async function start(command: string, change: Partial<ContainerConfig> = {}): Promise<string> {
    const config = containerConfig(fixture, command, {
      metadata: { name: 'extra', attempt: ++attempt },
      logPath: `extra/${attempt}.log`,
      ...change,
    });
    const { containerId = '' } = await fixture.client.runtime.createContainer({
      podSandboxId: pod.sandboxId,
      config,
      sandboxConfig: pod.sandbox,
    });
    await fixture.client.runtime.startContainer({ containerId });
    return containerId;
  }
  const log = (): string => readFileSync(join(pod.sandbox.logDirectory!, `extra/${attempt}.log`), 'utf8');
  const status = async (containerId: string) => (await fixture.client.runtime.containerStatus({ containerId })).status!;
  const ended = async (containerId: string) => {
    await expect.poll(async () => (await status(containerId)).state).toBe('CONTAINER_EXITED');
    return status(containerId);
  };
  const secured = (securityContext: LinuxContainerSecurityContext): Partial<ContainerConfig> => ({
    linux: { securityContext: { ...OWN_PID, ...securityContext } },
  });

  it('runs the command of the image, as its user', async () => {
    const containerId = await start('', {
      image: { image: 'docker.io/library/configured:test' },
      command: [],
      envs: [{ key: 'BOTH', value: Buffer.from('pod') }],
    });
    await expect.poll(log).toContain('uid=1234 gid=5678');
    for (const line of ['FROM_IMAGE=1', 'BOTH=pod', `HOSTNAME=${pod.sandbox.hostname!}`, '/tmp'])
      expect(log()).toMatch(new RegExp(`stdout F ${line}$`, 'm'));
    expect(await status(containerId)).toMatchObject({
      user: { linux: { uid: 1234, gid: 5678, supplementalGroups: [5678] } },
      stopSignal: 'SIGUSR1',
    });
  });

  it('confines: capabilities, seccomp, no new privileges, read-only root, masked paths', async () => {
    const id = await start(
      'sleep 1000',
      secured({
        seccomp: {},
        noNewPrivs: true,
        readonlyRootfs: true,
        maskedPaths: ['/proc/version'],
        readonlyPaths: ['/proc/sys'],
        capabilities: { dropCapabilities: ['ALL'], addCapabilities: ['NET_BIND_SERVICE'] },
      }),
    );
    const proc = await execText(fixture, id, 'cat', '/proc/1/status');
    expect(proc).toMatch(/CapBnd:\t0000000000000400\n/);
    expect(proc).toMatch(/NoNewPrivs:\t1\nSeccomp:\t2\n/);
    await expect(execText(fixture, id, 'touch', '/x')).rejects.toThrow('Read-only file system');
    await expect(execText(fixture, id, 'unshare', '-n', 'true')).rejects.toThrow(/Operation not permitted/);
    expect(await execText(fixture, id, 'wc', '-c', '/proc/version')).toBe('0 /proc/version\n');
    await expect(execText(fixture, id, 'sh', '-c', 'echo 1 > /proc/sys/kernel/panic')).rejects.toThrow(
      'Read-only file system',
    );
  });

  it('gives privileged containers access to the machine', async () => {
    const id = await start('sleep 1000', secured({ privileged: true }));
    expect(await execText(fixture, id, 'cat', '/proc/1/status')).toMatch(/Seccomp:\t0\n/);
    await execText(
      fixture,
      id,
      'sh',
      '-c',
      'mount -t tmpfs none /mnt 2>/dev/null || (mkdir /mnt && mount -t tmpfs none /mnt)',
    );
    expect(await execText(fixture, id, 'ls', '/dev')).toContain('loop-control');
  });

  it.each([
    {
      name: 'a profile of the node',
      seccomp: (file: string) => ({ profileType: 'Localhost' as const, localhostRef: file }),
      mkdir: 'Operation not permitted',
    },
    { name: 'none', seccomp: () => ({ profileType: 'Unconfined' as const }), mkdir: undefined },
  ])('accepts as seccomp profile: $name', async ({ seccomp, mkdir }) => {
    const file = join(fixture.directory, 'seccomp.json');
    writeFileSync(
      file,
      JSON.stringify({
        defaultAction: 'SCMP_ACT_ALLOW',
        syscalls: [{ names: ['mkdir', 'mkdirat'], action: 'SCMP_ACT_ERRNO' }],
      }),
    );
    const id = await start('sleep 1000', secured({ seccomp: seccomp(file) }));
    const made = execText(fixture, id, 'mkdir', '/new');
    await (mkdir === undefined ? expect(made).resolves.toBe('') : expect(made).rejects.toThrow(mkdir));
  });

  it('reports exit codes, and out-of-memory kills', async () => {
    expect(await ended(await start('exit 42'))).toMatchObject({ exitCode: 42, reason: 'Error' });
    expect(await ended(await start('true'))).toMatchObject({ exitCode: 0, reason: 'Completed' });
    const memory = { linux: { resources: { memoryLimitInBytes: 16 * 1024 * 1024 }, securityContext: OWN_PID } };
    expect(await ended(await start('dd if=/dev/zero of=/dev/null bs=100M', memory))).toMatchObject({
      exitCode: 137,
      reason: 'OOMKilled',
    });
  });

  it('limits, and changes limits while it runs', async () => {
    const id = await start('sleep 1000', {
      linux: {
        resources: { memoryLimitInBytes: 64 * 2 ** 20, cpuShares: 512, cpuQuota: 50_000, cpuPeriod: 100_000 },
        securityContext: OWN_PID,
      },
    });
    const limit = async (): Promise<string> =>
      execText(
        fixture,
        id,
        'sh',
        '-c',
        'cat /sys/fs/cgroup/memory.max /sys/fs/cgroup/memory/memory.limit_in_bytes 2>/dev/null || true',
      );
    expect(await limit()).toBe(`${64 * 2 ** 20}\n`);
    await fixture.client.runtime.updateContainerResources({
      containerId: id,
      linux: { memoryLimitInBytes: 128 * 2 ** 20, cpuQuota: 25_000 },
    });
    expect(await limit()).toBe(`${128 * 2 ** 20}\n`);
    expect((await status(id)).resources!.linux).toMatchObject({
      memoryLimitInBytes: 128 * 2 ** 20,
      cpuQuota: 25_000,
      cpuShares: 512,
      cpuPeriod: 100_000,
    });
  });

  it('continues in a new log file when the old one was renamed', async () => {
    const id = await start('i=0; while true; do echo line $((i=i+1)); sleep 0.02; done');
    const file = join(pod.sandbox.logDirectory!, `extra/${attempt}.log`);
    await expect.poll(log).toContain('line 2');
    renameSync(file, `${file}.old`);
    await fixture.client.runtime.reopenContainerLog({ containerId: id });
    await expect.poll(log).toMatch(/line \d+/);
    const lines = [
      ...readFileSync(`${file}.old`, 'utf8').matchAll(/line (\d+)/g),
      ...log().matchAll(/line (\d+)/g),
    ].map((match) => Number(match[1]));
    expect(lines).toEqual(lines.map((_, index) => index + 1));
  });

  it('a stop ends with its caller, and the container gets no SIGKILL', async () => {
    const id = await start('trap "echo asked" TERM; echo ready; while true; do sleep 0.05; done');
    // The first process of a container gets no signal that it does not handle.
    await expect.poll(log).toContain('ready');
    const gone = new AbortController();
    const stopped = fixture.runtime.runtime.stopContainer({ containerId: id, timeout: 1000 }, { signal: gone.signal });
    stopped.catch(() => {});
    await expect.poll(log).toContain('asked');
    gone.abort(new Error('the kubelet ended'));
    await expect(stopped).rejects.toThrow('the kubelet ended');
    expect((await status(id)).state).toBe('CONTAINER_RUNNING');
    await fixture.client.runtime.stopContainer({ containerId: id, timeout: 0 });
    expect((await ended(id)).exitCode).toBe(137);
  });

  it('kills a command that takes too long', async () => {
    const exec = fixture.client.runtime.execSync({ containerId: pod.containerId, cmd: ['sleep', '54321'], timeout: 1 });
    await expect(exec).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' });
    await expect.poll(() => execText(fixture, pod.containerId, 'ps')).not.toContain('sleep 54321');
    await expect(
      fixture.client.runtime.execSync({ containerId: pod.containerId, cmd: ['nosuchcommand'] }),
    ).rejects.toThrow(/executable file not found/);
  });

  it('sends events as they happen', async () => {
    const stop = new AbortController();
    const seen: ContainerEventResponse[] = [];
    const listening = (async () => {
      for await (const event of fixture.client.runtime.getContainerEvents({}, { signal: stop.signal }))
        seen.push(event);
    })();
    await expect
      .poll(async () => {
        const probe = await start('true');
        await ended(probe);
        await fixture.client.runtime.removeContainer({ containerId: probe });
        return seen.length > 0;
      })
      .toBe(true);
    seen.length = 0;
    const id = await start('exit 3');
    await ended(id);
    await fixture.client.runtime.removeContainer({ containerId: id });
    await expect
      .poll(() =>
        seen
          .filter((event) => event.containerId === id)
          .map((event) => event.containerEventType ?? 'CONTAINER_CREATED_EVENT'),
      )
      .toEqual([
        'CONTAINER_CREATED_EVENT',
        'CONTAINER_STARTED_EVENT',
        'CONTAINER_STOPPED_EVENT',
        'CONTAINER_DELETED_EVENT',
      ]);
    const stopped = seen.find(
      (event) => event.containerId === id && event.containerEventType === 'CONTAINER_STOPPED_EVENT',
    )!;
    expect(stopped.containersStatuses!.find((container) => container.id === id)).toMatchObject({
      state: 'CONTAINER_EXITED',
      exitCode: 3,
    });
    expect(stopped.podSandboxStatus!.id).toBe(pod.sandboxId);
    stop.abort();
    await listening;
  });

  it('mounts images as volumes', async () => {
    const id = await start('sleep 1000', {
      mounts: [
        { containerPath: '/image', image: { image: 'docker.io/library/configured:test' } },
        { containerPath: '/sub', image: { image: fixture.image.id }, imageSubPath: 'bin' },
      ],
    });
    expect(await execText(fixture, id, 'ls', '/image/bin/busybox', '/sub/busybox')).toBe(
      '/image/bin/busybox\n/sub/busybox\n',
    );
    await expect(execText(fixture, id, 'touch', '/image/x')).rejects.toThrow('Read-only file system');
    await fixture.client.runtime.removeContainer({ containerId: id });
    expect(readFileSync('/proc/self/mountinfo', 'utf8')).not.toContain(id);
  });

  it('reports usage', async () => {
    const { stats } = await fixture.client.runtime.containerStats({ containerId: pod.containerId });
    expect(stats).toMatchObject({
      attributes: { id: pod.containerId },
      cpu: { usageCoreNanoSeconds: { value: expect.any(Number) as number } },
      writableLayer: { usedBytes: { value: expect.any(Number) as number } },
    });
    expect(stats!.memory!.workingSetBytes!.value).toBeGreaterThan(0);
    const { stats: sandbox } = await fixture.client.runtime.podSandboxStats({ podSandboxId: pod.sandboxId });
    expect(sandbox!.linux!.network!.defaultInterface).toMatchObject({ name: 'eth0' });
    expect(sandbox!.linux!.memory!.usageBytes!.value).toBeGreaterThanOrEqual(stats!.memory!.rssBytes!.value!);
    const { podMetrics } = await fixture.client.runtime.listPodSandboxMetrics({});
    const names = podMetrics!
      .find((metrics) => metrics.podSandboxId === pod.sandboxId)!
      .containerMetrics!.flatMap((container) => container.metrics!.map((metric) => metric.name));
    expect(names).toContain('container_memory_working_set_bytes');
  });

  it('answers every method of the contract', async () => {
    const { runtime } = fixture.client;
    const first = async <Item>(items: AsyncIterable<Item>): Promise<Item | undefined> => {
      for await (const item of items) return item;
      return undefined;
    };
    expect(await runtime.version({})).toMatchObject({ runtimeName: 'k8ts', runtimeApiVersion: 'v1' });
    expect((await runtime.status({ verbose: true })).status!.conditions).toMatchObject([
      { type: 'RuntimeReady', status: true },
      { type: 'NetworkReady', status: true },
    ]);
    expect(await runtime.runtimeConfig({})).toEqual({ linux: { cgroupDriver: 'CGROUPFS' } });
    expect(
      await runtime.updateRuntimeConfig({ runtimeConfig: { networkConfig: { podCidr: '10.199.1.0/24' } } }),
    ).toEqual({});
    expect(
      await runtime.updatePodSandboxResources({ podSandboxId: pod.sandboxId, resources: { cpuShares: 2 } }),
    ).toEqual({});
    expect((await runtime.listPodSandbox({ filter: { id: pod.sandboxId.slice(0, 12) } })).items).toHaveLength(1);
    expect((await runtime.listPodSandbox({ filter: { labelSelector: { app: 'other' } } })).items ?? []).toEqual([]);
    expect(
      (await runtime.listContainers({ filter: { id: pod.containerId, state: { state: 'CONTAINER_RUNNING' } } }))
        .containers,
    ).toHaveLength(1);
    expect((await first(runtime.streamPodSandboxes({})))!.podSandboxes!.length).toBeGreaterThan(0);
    expect((await first(runtime.streamContainers({})))!.containers!.length).toBeGreaterThan(0);
    expect((await first(runtime.streamContainerStats({})))!.containerStats!.length).toBeGreaterThan(0);
    expect((await first(runtime.streamPodSandboxStats({})))!.podSandboxStats!.length).toBeGreaterThan(0);
    expect((await first(runtime.streamPodSandboxMetrics({})))!.podSandboxMetrics!.length).toBeGreaterThan(0);
    expect(
      (await runtime.listContainerStats({ filter: { podSandboxId: pod.sandboxId } })).stats!.length,
    ).toBeGreaterThan(0);
    expect((await runtime.listPodSandboxStats({})).stats!.length).toBeGreaterThan(0);
    expect((await runtime.listMetricDescriptors({})).descriptors!.length).toBeGreaterThan(5);
    await expect(runtime.checkpointContainer({ containerId: pod.containerId })).rejects.toMatchObject({
      code: 'UNIMPLEMENTED',
      message: expect.stringContaining('checkpoint') as string,
    });
    expect((await fixture.client.images.listImages({})).images!.length).toBeGreaterThan(1);
  });

  it.each([
    { name: 'status of a container', call: () => fixture.client.runtime.containerStatus({ containerId: 'nosuch' }) },
    { name: 'status of a sandbox', call: () => fixture.client.runtime.podSandboxStatus({ podSandboxId: 'nosuch' }) },
    { name: 'start', call: () => fixture.client.runtime.startContainer({ containerId: 'nosuch' }) },
    { name: 'exec', call: () => fixture.client.runtime.execSync({ containerId: 'nosuch', cmd: ['true'] }) },
    { name: 'stats', call: () => fixture.client.runtime.containerStats({ containerId: 'nosuch' }) },
    {
      name: 'an image',
      call: () =>
        fixture.client.runtime.createContainer({
          podSandboxId: pod.sandboxId,
          config: containerConfig(fixture, '', { metadata: { name: 'n' }, image: { image: 'nosuch' } }),
        }),
    },
  ])('returns NOT_FOUND for unknown objects: $name', async ({ call }: { call: () => Promise<unknown> }) => {
    await expect(call()).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('refuses a second container of the same name and attempt', async () => {
    await start('sleep 1000', { metadata: { name: 'twice', attempt: 7 } });
    await expect(start('sleep 1000', { metadata: { name: 'twice', attempt: 7 } })).rejects.toThrow('is reserved for');
  });
});
