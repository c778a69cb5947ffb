/** The two commands of the README on a system that has Node and npm and nothing else: they install what they need. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BARE_SYSTEM_NEEDS, type BareProcess, type BareSystem, startBareSystem } from './bare-system.ts';
import { everything, requires } from './requires.ts';

const missing = everything ? requires(...BARE_SYSTEM_NEEDS) : 'only with K8TS_EVERYTHING=1';
const MINUTE_MS = 60_000;

describe.skipIf(missing !== undefined)(`a system with Node and npm alone${missing === undefined ? '' : ` (${missing})`}`, () => {
  let system: BareSystem;
  beforeAll(async () => {
    system = await startBareSystem();
  }, 15 * MINUTE_MS);
  afterAll(() => system?.close(), MINUTE_MS);

  const has = (file: string): boolean => existsSync(join(system.root, file));
  const finish = async (running: BareProcess): Promise<string> => {
    running.kill('SIGINT');
    await running.ended;
    return running.output();
  };
  const until = (running: BareProcess, pattern: RegExp): Promise<void> =>
    expect
      .poll(() => (running.child.exitCode === null ? running.output() : `ended: ${running.output()}`), { timeout: 10 * MINUTE_MS, interval: 500 })
      .toMatch(new RegExp(`^(?!ended)[^]*${pattern.source}`));

  it('npm start installs no package when told not to, and simulates its node', async () => {
    const running = system.start(['npm', 'start', '--', '--ephemeral'], { K8TS_NO_INSTALL: '1' });
    await until(running, /ready in \d+\.\d\d s/);
    const output = await finish(running);
    expect(output).toContain('Missing for containers: runc, conmon, nft, ip, tc, conntrack. K8TS_NO_INSTALL is set');
    expect(output).not.toContain('Installing with apt-get');
    expect(output).toMatch(/The node is simulated and runs no containers: containers need runc/);
    expect(has('usr/sbin/runc')).toBe(false);
  }, 12 * MINUTE_MS);

  it('npm start installs what a node needs and starts one that runs containers', async () => {
    const running = system.start(['npm', 'start', '--', '--ephemeral']);
    await until(running, /ready in \d+\.\d\d s/);
    const output = await finish(running);
    expect(output).toContain('Installing with apt-get (K8TS_NO_INSTALL=1 prevents it): runc conmon nftables iproute2 conntrack\n');
    expect(output).not.toMatch(/Missing for|simulated/);
    expect(output).toMatch(/stopped\n$/);
    expect(has('usr/sbin/runc')).toBe(true);
    expect(has('usr/sbin/policy-rc.d')).toBe(false);
  }, 12 * MINUTE_MS);

  it('npm start installs nothing the second time', async () => {
    const running = system.start(['npm', 'start', '--', '--ephemeral']);
    await until(running, /ready in \d+\.\d\d s/);
    expect(await finish(running)).not.toMatch(/Installing|Missing for|simulated/);
  }, 3 * MINUTE_MS);

  it('npm test installs what tests need, and runs one of containers', async () => {
    const running = system.start(['npm', 'test', '--', 'test/container-runtime.test.ts']);
    const code = await running.ended;
    expect(running.output()).toMatch(/Installing with apt-get .*busybox-static.* etcd-server etcd-client .*kubernetes-client/);
    expect(running.output()).not.toMatch(/Missing for/);
    expect(running.output()).toMatch(/\n\d+ passed, 0 failed\n$/);
    expect(code).toBe(0);
  }, 20 * MINUTE_MS);
});
