import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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
if (missing) console.warn(`container-runtime: skipped, ${missing}`);

describe.skipIf(missing)('the container runtime over CRI', () => {
  let fixture: RuntimeFixture;
  beforeAll(async () => {
    fixture = await startRuntimeFixture();
  });
  afterAll(() => fixture?.close());

  it('runs a container: network, files of the sandbox, log, exec, stop, status', async () => {
    const { runtime } = fixture.client;
    const { sandboxId, containerId, sandbox } = await runContainer(
      fixture,
      'echo out; echo err >&2; hostname; trap "exit 9" TERM; while true; do sleep 0.05; done',
    );
    const status = await runtime.podSandboxStatus({ podSandboxId: sandboxId });
    expect(status.status).toMatchObject({
      state: 'SANDBOX_READY',
      network: { ip: expect.stringMatching(/^10\.199\.1\./) as string },
    });

    expect(await execText(fixture, containerId, 'cat', '/etc/resolv.conf')).toBe(
      'search default.svc.cluster.local\nnameserver 10.96.0.10\noptions ndots:5\n',
    );
    expect(await execText(fixture, containerId, 'ip', '-o', '-4', 'addr', 'show', 'eth0')).toContain(
      status.status!.network!.ip!,
    );
    const failed = await runtime.execSync({ containerId, cmd: ['sh', '-c', 'echo a; echo b >&2; exit 7'] });
    expect({ ...failed, stdout: String(failed.stdout), stderr: String(failed.stderr) }).toEqual({
      exitCode: 7,
      stdout: 'a\n',
      stderr: 'b\n',
    });

    const log = readFileSync(join(sandbox.logDirectory!, 'main/0.log'), 'utf8').trim().split('\n');
    expect(log.map((line) => line.replace(/^\S+ /, '')).sort()).toEqual([
      'stderr F err',
      'stdout F out',
      `stdout F ${sandbox.hostname}`,
    ]);

    await runtime.stopContainer({ containerId, timeout: 10 });
    const { status: ended } = await runtime.containerStatus({ containerId });
    expect(ended).toMatchObject({
      state: 'CONTAINER_EXITED',
      exitCode: 9,
      reason: 'Error',
      image: { image: fixture.image.name },
    });
    await runtime.stopContainer({ containerId });
    await runtime.stopPodSandbox({ podSandboxId: sandboxId });
    await runtime.stopPodSandbox({ podSandboxId: sandboxId });
    expect((await runtime.podSandboxStatus({ podSandboxId: sandboxId })).status!.state).toBe('SANDBOX_NOTREADY');
    await runtime.removePodSandbox({ podSandboxId: sandboxId });
    await runtime.removePodSandbox({ podSandboxId: sandboxId });
    await expect(runtime.podSandboxStatus({ podSandboxId: sandboxId })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(runtime.containerStatus({ containerId })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('keeps containers running over its own restart, and records those that ended meanwhile', async () => {
    const stays = await runContainer(fixture, 'exec sleep 1000');
    const ends = await runContainer(fixture, 'sleep 0.3; exit 5');
    const before = (await fixture.client.runtime.containerStatus({ containerId: stays.containerId, verbose: true }))
      .info!.info!;
    await fixture.restart();
    const { runtime } = fixture.client;
    const after = await runtime.containerStatus({ containerId: stays.containerId, verbose: true });
    expect(after.status!.state).toBe('CONTAINER_RUNNING');
    expect((JSON.parse(after.info!.info!) as { pid: number }).pid).toBe((JSON.parse(before) as { pid: number }).pid);
    await expect
      .poll(async () => (await runtime.containerStatus({ containerId: ends.containerId })).status)
      .toMatchObject({ state: 'CONTAINER_EXITED', exitCode: 5 });
    expect(await execText(fixture, stays.containerId, 'echo', 'here')).toBe('here\n');
  });

  it('knows after a reboot which containers ran, and that they have stopped', async () => {
    const { containerId, sandboxId, sandbox } = await runContainer(fixture, 'exec sleep 1000');
    await fixture.restart({ meanwhile: () => forgetState(fixture, { sandboxId, containerId }) });
    const { runtime } = fixture.client;
    expect((await runtime.podSandboxStatus({ podSandboxId: sandboxId })).status).toMatchObject({
      state: 'SANDBOX_NOTREADY',
      metadata: sandbox.metadata,
    });
    expect((await runtime.containerStatus({ containerId })).status).toMatchObject({
      state: 'CONTAINER_EXITED',
      exitCode: 255,
      reason: 'Unknown',
    });
    await expect(
      runtime.createContainer({
        podSandboxId: sandboxId,
        config: containerConfig(fixture, 'true', { metadata: { name: 'more' } }),
      }),
    ).rejects.toThrow('is not running');
    await runtime.removePodSandbox({ podSandboxId: sandboxId });
    expect(existsSync(join(fixture.directory, 'root/images/snapshots', containerId))).toBe(false);
  });

  it('reports a command that cannot run, from StartContainer', async () => {
    const { runtime } = fixture.client;
    const sandbox = sandboxConfig(fixture);
    const { podSandboxId = '' } = await runtime.runPodSandbox({ config: sandbox });
    const config = containerConfig(fixture, '', { command: ['/no/such/program'] });
    const { containerId = '' } = await runtime.createContainer({ podSandboxId, config, sandboxConfig: sandbox });
    await expect(runtime.startContainer({ containerId })).rejects.toThrow(/no such file or directory/);
    expect((await runtime.containerStatus({ containerId })).status).toMatchObject({
      state: 'CONTAINER_EXITED',
      exitCode: 128,
      reason: 'StartError',
    });
    expect(existsSync(join(fixture.stateDirectory, 'oci/runc', containerId))).toBe(false);
  });
});

/** What a reboot does to one pod: its processes and its namespaces are gone, and all that is not on disk. */
function forgetState(
  fixture: RuntimeFixture,
  { sandboxId, containerId }: { sandboxId: string; containerId: string },
): void {
  const bundle = join(fixture.stateDirectory, 'c', containerId);
  for (const file of ['conmon.pid', 'pid']) process.kill(Number(readFileSync(join(bundle, file), 'utf8')), 'SIGKILL');
  execFileSync('runc', ['--root', join(fixture.stateDirectory, 'oci/runc'), 'delete', '--force', containerId]);
  rmSync(bundle, { recursive: true });
  rmSync(join(fixture.stateDirectory, 'exits', containerId), { force: true });
  const folder = join(fixture.stateDirectory, 's', sandboxId);
  for (const mounted of ['net', 'ipc', 'uts', 'shm']) execFileSync('umount', [join(folder, mounted)]);
  rmSync(folder, { recursive: true });
}
