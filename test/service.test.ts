/** The units of `k8ts service`, checked by systemd itself, and the start of a service against a socket in place of systemd's. */
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { connect, loadKubeconfig } from '../src/client/index.ts';
import { createContext } from '../src/kernel/index.ts';
import { until } from '../src/kernel/testing/index.ts';
import { receiveUnixDatagrams } from '../src/net/netns/testing/index.ts';
import { builtProgram } from './k8ts-process.ts';
import { everything, requires } from './requires.ts';
import { busyboxImage, dockerArchive } from './test-images.ts';

const root = fs.mkdtempSync(path.join(os.tmpdir(), 'k8ts-service-'));
afterAll(() => fs.rmSync(root, { recursive: true, force: true }));

const k8ts = async (...args: readonly string[]): Promise<{ code: number | null; out: string; err: string }> => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [await builtProgram(), ...args], { encoding: 'utf8' });
  return { code: status, out: stdout, err: stderr };
};

describe('k8ts service', () => {
  const skip = requires('systemd-analyze', 'systemctl');
  const unit = path.join(root, 'etc/systemd/system/k8ts.service');
  const config = path.join(root, 'etc/k8ts/k8ts.yaml');

  it.each([
    ['a server with containers', 'up', 'data-dir: /var/lib/k8ts/cluster\nbind-address: 192.0.2.1\n'],
    ['a server without containers', 'up', 'data-dir: "/var/lib/k8ts/50% of $it"\nnodes: 0\n'],
    ['a machine that has joined', 'join', 'data-dir: /var/lib/k8ts/node\n'],
  ])('writes a unit that systemd accepts: %s', async (_, command, text) => {
    fs.mkdirSync(path.dirname(config), { recursive: true });
    fs.writeFileSync(config, text);
    const { code, out, err } = await k8ts('service', 'install', '--dry-run', '--for', command, '--root', root);
    expect(code, err).toBe(0);
    expect(out).toMatch(new RegExp(`ExecStart=.* ${command} --config /etc/k8ts/k8ts.yaml\n`));
    expect(out).toContain('Type=notify');
    expect(out).toContain('KillMode=process');
    expect(out).toContain('Delegate=yes');
    expect(out.includes('ProtectSystem=strict\n')).toBe(text.includes('nodes: 0'));
    if (skip) return;
    const file = path.join(fs.mkdtempSync(path.join(root, 'verify-')), 'k8ts.service');
    fs.writeFileSync(file, out);
    const verified = spawnSync('systemd-analyze', ['verify', '--man=no', file], { encoding: 'utf8' });
    expect(verified.stderr.split('\n').filter((line) => line.includes('k8ts'))).toEqual([]);
  });

  it('installs into an image, tells its state, and leaves configuration and data', async (test) => {
    if (skip) test.skip(skip);
    fs.rmSync(path.dirname(config), { recursive: true, force: true });
    const installed = await k8ts('service', 'install', '--root', root, '-o', 'json');
    expect(installed.code, installed.err).toBe(0);
    expect(JSON.parse(installed.out)).toMatchObject({ unit, config, started: false });
    expect(fs.statSync(config).mode & 0o777).toBe(0o600);
    expect(fs.statSync(path.join(root, 'var/lib/k8ts/cluster')).mode & 0o777).toBe(0o700);
    const wants = fs.lstatSync(path.join(root, 'etc/systemd/system/multi-user.target.wants/k8ts.service'));
    expect(wants.isSymbolicLink()).toBe(true);
    expect(JSON.parse((await k8ts('service', 'status', '--root', root, '-o', 'json')).out)).toMatchObject({
      enabled: 'enabled',
      runs: 'k8ts up',
    });
    expect((await k8ts('config', 'check', config)).code).toBe(0);
    expect((await k8ts('service', 'uninstall', '--root', root)).code).toBe(0);
    expect(fs.existsSync(unit)).toBe(false);
    expect(fs.existsSync(config)).toBe(true);
    expect((await k8ts('service', 'status', '--root', root)).code).toBe(1);
  });

  it('refuses a configuration that is wrong, and one without a data directory', async () => {
    fs.mkdirSync(path.dirname(config), { recursive: true });
    fs.writeFileSync(config, 'prot: 1\n');
    expect((await k8ts('service', 'install', '--dry-run', '--root', root)).err).toContain('did you mean port?');
    fs.writeFileSync(config, 'port: 6443\n');
    expect((await k8ts('service', 'install', '--dry-run', '--root', root)).err).toContain(
      'add "data-dir: /var/lib/k8ts',
    );
  });
});

it.runIf(process.platform === 'linux')(
  'starts as a service: ready when it is, alive, stopping, by its configuration file',
  async () => {
    const directory = path.join(root, 'cluster');
    const socket = path.join(root, 'notify');
    const receiver = receiveUnixDatagrams(socket);
    const file = path.join(root, 'server.yaml');
    fs.writeFileSync(file, 'data-dir: cluster\nport: 0\nnodes: 0\naddons: []\nconsole: false\n');
    const child = spawn(process.execPath, [await builtProgram(), 'up', '--config', file, '-o', 'json'], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, NOTIFY_SOCKET: socket, WATCHDOG_USEC: '1000000' },
    });
    const heard: string[] = [];
    let printed = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
    const hears = (what: string): Promise<void> =>
      until(`systemd hears ${what}`, () => {
        heard.push(...receiver.received());
        return heard.some((text) => text.startsWith(what));
      });
    try {
      await hears('READY=1');
      expect(JSON.parse(printed.split('\n')[0]!)).toMatchObject({ pid: child.pid });
      expect(heard[0]).toMatch(/^READY=1\nSTATUS=API server https:\/\/127\.0\.0\.1:\d+\n$/);
      expect(fs.existsSync(path.join(directory, 'cluster.json'))).toBe(true);
      await hears('WATCHDOG=1');
      child.kill('SIGTERM');
      await hears('STOPPING=1');
      await new Promise((resolve) => child.once('exit', resolve));
    } finally {
      child.kill('SIGKILL');
      receiver.close();
    }
  },
);

const noContainers = everything ? requires('root', 'runc', 'conmon', 'nft', 'ip', 'busybox') : 'long form';

it.skipIf(noContainers !== undefined)(
  `keeps containers running while the service restarts${noContainers === undefined ? '' : ` (${noContainers})`}`,
  async () => {
    const ctx = createContext();
    const directory = path.join(root, 'nodes');
    const file = path.join(root, 'nodes.yaml');
    fs.writeFileSync(file, 'data-dir: nodes\nport: 0\nnodes: 1\naddons: []\nconsole: false\nwait: 3m\n');
    const archive = path.join(root, 'images.tar');
    fs.writeFileSync(archive, dockerArchive(busyboxImage()));
    const start = async (): Promise<{ stop(): Promise<void> }> => {
      const receiver = receiveUnixDatagrams(`@k8ts-service-test-${process.pid}`);
      const child = spawn(process.execPath, [await builtProgram(), 'up', '--config', file], {
        stdio: ['ignore', 'ignore', 'inherit'],
        env: { ...process.env, NOTIFY_SOCKET: `@k8ts-service-test-${process.pid}` },
      });
      await until(
        'the service is ready',
        () => {
          if (child.exitCode !== null) throw new Error('the service ended');
          return receiver.received().some((text) => text.startsWith('READY=1'));
        },
        { limitMs: 180_000 },
      );
      receiver.close();
      return {
        async stop() {
          child.kill('SIGTERM');
          await new Promise((resolve) => child.once('exit', resolve));
        },
      };
    };
    const podStatus = async (): Promise<{ containerID: string; restartCount: number } | undefined> => {
      const client = connect(ctx, await loadKubeconfig({ clock: ctx.clock, file: path.join(directory, 'kubeconfig') }));
      try {
        const { status } = await client.resource('v1/pods').get({ name: 'main', namespace: 'default' });
        const [container] = status?.containerStatuses ?? [];
        if (!container?.ready) return undefined;
        return { containerID: container.containerID ?? '', restartCount: container.restartCount };
      } finally {
        await client.close();
      }
    };
    try {
      const first = await start();
      expect((await k8ts('image', 'load', archive, '--data-dir', directory)).code).toBe(0);
      const client = connect(ctx, await loadKubeconfig({ clock: ctx.clock, file: path.join(directory, 'kubeconfig') }));
      await client.resource('v1/pods').create({
        metadata: { name: 'main', namespace: 'default' },
        spec: {
          containers: [
            {
              name: 'main',
              image: 'docker.io/library/busybox:test',
              imagePullPolicy: 'Never',
              command: ['sh', '-c', 'trap exit TERM; while :; do sleep 1; done'],
            },
          ],
        },
      });
      await client.close();
      await until('the pod runs', async () => (await podStatus()) !== undefined, { limitMs: 120_000, intervalMs: 200 });
      const before = await podStatus();
      await first.stop();
      const second = await start();
      await until('the pod is ready', async () => (await podStatus()) !== undefined, {
        limitMs: 120_000,
        intervalMs: 200,
      });
      expect(await podStatus()).toEqual(before);
      await second.stop();
    } finally {
      await k8ts('down', '--data-dir', directory);
    }
  },
  600_000,
);
