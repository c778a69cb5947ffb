import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { DbusConnection } from '../src/kubelet/shutdown/dbus-connection.ts';
import { openLogind, type LogindOptions } from '../src/kubelet/shutdown/logind.ts';
import { makePod, startKubeletFixture, type KubeletFixture } from '../src/kubelet/testing/index.ts';
import { requires } from './requires.ts';

const missing = requires('dbus-daemon');

/** A real message bus, with a logind on it that tells of shutdowns when the test says so. */
describe.skipIf(missing)(`a machine that shuts down${missing ? ` (${missing})` : ''}`, () => {
  const directory = mkdtempSync(join(tmpdir(), 'k8ts-shutdown-'));
  const socket = join(directory, 'bus');
  let daemon: ChildProcess;
  let logind: DbusConnection;
  let delayMicroseconds = 5_000_000n;
  const asked: string[] = [];
  let f: KubeletFixture;
  const locks: string[] = [];

  beforeAll(async () => {
    daemon = spawn('dbus-daemon', ['--session', '--nofork', '--nopidfile', `--address=unix:path=${socket}`], {
      stdio: 'ignore',
    });
    // The socket is there a moment before anybody listens on it.
    logind = await vi.waitFor(() => DbusConnection.open(socket), { timeout: 60_000, interval: 20 });
    await logind.requestName('org.freedesktop.login1');
    await logind.requestName('org.freedesktop.systemd1');
    logind.listen(({ type, member, serial, sender, body }) => {
      if (type !== 'call') return;
      asked.push([member, ...body].join(' '));
      // As logind does when it reads its configuration again.
      if (member === 'KillUnit')
        delayMicroseconds =
          BigInt(/InhibitDelayMaxSec=(\d+)/.exec(readFileSync(join(directory, '99-kubelet.conf'), 'utf8'))?.[1] ?? 0) *
          1_000_000n;
      const answer = member === 'Get' ? { signature: 'v', body: [delayMicroseconds] } : { body: [] };
      logind.send({
        type: 'answer',
        replySerial: serial,
        ...(sender === undefined ? {} : { destination: sender }),
        ...answer,
      });
    });
  });
  afterAll(() => {
    logind?.close();
    daemon?.kill();
    rmSync(directory, { recursive: true, force: true });
  });
  beforeEach(async () => {
    delayMicroseconds = 5_000_000n;
    locks.length = 0;
    asked.length = 0;
    f = await startKubeletFixture();
  });
  afterEach(() => f.stop());

  const prepareForShutdown = (isComing: boolean): void =>
    logind.send({
      type: 'signal',
      path: '/org/freedesktop/login1',
      interface: 'org.freedesktop.login1.Manager',
      member: 'PrepareForShutdown',
      signature: 'b',
      body: [isComing],
    });
  const options: LogindOptions = {
    socket,
    configurationDirectory: directory,
    inhibit: () => {
      locks.push('locked');
      return Promise.resolve({ release: () => void locks.push('released') });
    },
  };
  const start = async (config: object): Promise<void> => {
    await f.start(config, { openLogind: () => openLogind(options) });
    // By then the kubelet has subscribed to the signals.
    await f.until('the lock is held', () => locks.length === 1);
  };
  const main = { name: 'main', image: 'busybox', imagePullPolicy: 'IfNotPresent' };

  it('ends its pods in order, within their time, before the lock is released', async () => {
    f.runtime.scripts.set('slow', { stopMs: Infinity });
    await start({ shutdownGracePeriod: 30_000, shutdownGracePeriodCriticalPods: 10_000 });
    expect(asked).toContain('KillUnit systemd-logind.service all 1');
    await f.create(makePod('web', { terminationGracePeriodSeconds: 3 }));
    await f.create(
      makePod('stubborn', { terminationGracePeriodSeconds: 600, containers: [{ ...main, name: 'slow' }] }),
    );
    await f.create(
      makePod('system', { priorityClassName: 'system-node-critical', containers: [{ ...main, name: 'critical' }] }),
    );
    for (const name of ['web', 'stubborn', 'system']) await f.untilPhase(name, 'Running');
    prepareForShutdown(true);
    await f.until(
      'the node says so',
      async () =>
        (await f.client.resource('v1/nodes').get({ name: 'node-1' })).status?.conditions?.find(
          ({ type }) => type === 'Ready',
        )?.message === 'node is shutting down',
    );
    await f.create(makePod('late'));
    expect((await f.untilPhase('late', 'Failed')).status).toMatchObject({
      reason: 'NodeShutdown',
      message: 'Pod was rejected: Pod was rejected as the node is shutting down.',
    });
    await f.until('the lock is released', () => locks.length === 2);
    expect(f.runtime.calls.filter((call) => call.startsWith('StopContainer'))).toEqual([
      'StopContainer main 3',
      'StopContainer slow 20',
      'StopContainer critical 10',
    ]);
    for (const name of ['web', 'stubborn', 'system']) {
      const { status } = await f.untilPhase(name, 'Failed');
      expect(status).toMatchObject({
        reason: 'Terminated',
        message: 'Pod was terminated in response to imminent node shutdown.',
      });
      expect(status?.conditions?.find(({ type }) => type === 'DisruptionTarget')).toMatchObject({
        status: 'True',
        reason: 'TerminationByKubelet',
        message: 'Pod was terminated in response to imminent node shutdown.',
      });
    }
    const state = JSON.parse(readFileSync(join(f.rootDirectory, 'graceful_node_shutdown_state'), 'utf8')) as Record<
      string,
      string
    >;
    expect(Object.keys(state)).toEqual(['startTime', 'endTime']);
    expect(await f.events('node-1')).toContain('Shutdown: Shutdown manager detected shutdown event');
  });

  it('stays a node when it does not go down after all', async () => {
    await start({ shutdownGracePeriodByPodPriority: [{ priority: 0, shutdownGracePeriodSeconds: 2 }] });
    expect(asked.some((call) => call.startsWith('KillUnit'))).toBe(false);
    prepareForShutdown(true);
    await f.until('the lock is released', () => locks.length === 2);
    prepareForShutdown(false);
    await f.until('it is held again', () => locks.length === 3);
    await f.create(makePod('a'));
    await f.untilPhase('a', 'Running');
  });
});
