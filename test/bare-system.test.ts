/** The two commands of the README on a system that has Node and npm and nothing else: they install what they need. */
import { existsSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BARE_SYSTEM_NEEDS, type BareProcess, type BareSystem, startBareSystem } from './bare-system.ts';
import { everything, quietMachine, requires } from './requires.ts';

const missing = everything ? requires(...BARE_SYSTEM_NEEDS) : 'only with K8TS_EVERYTHING=1';
const title = `a system with Node and npm alone${missing === undefined ? '' : ` (${missing})`}`;
const MINUTE_MS = 60_000;

describe.skipIf(missing !== undefined)(title, () => {
  let system: BareSystem;
  beforeAll(async () => {
    system = await startBareSystem();
  }, 15 * MINUTE_MS);
  afterAll(() => system?.close(), 5 * MINUTE_MS);

  const has = (file: string): boolean => existsSync(join(system.root, file));

  interface Ran {
    readonly output: string;
    readonly nodes: string;
    /** From the command to the cluster that is ready. */
    readonly seconds: number;
  }

  /** `npm start` until its cluster is ready, the cluster's nodes then, and Ctrl-C; what it has printed meanwhile. */
  async function runCluster(environment: Record<string, string> = {}): Promise<Ran> {
    const startedAt = performance.now();
    const running = system.start(['npm', 'start'], environment);
    const patience = { timeout: 10 * MINUTE_MS, interval: 500 };
    await expect.poll(() => shown(running), patience).toMatch(/^running:[^]*ready in \d+\.\d\d s/);
    const seconds = (performance.now() - startedAt) / 1000;
    const list = system.start(['bin/k8ts', 'nodes', 'list']);
    expect(await list.ended, list.output()).toBe(0);
    running.kill('SIGINT');
    await running.ended;
    return { output: running.output(), nodes: list.output(), seconds };
  }

  let installing = 0;
  it(
    'npm start installs no package with K8TS_NO_INSTALL, and simulates its node',
    async () => {
      const { output, nodes, seconds } = await runCluster({ K8TS_NO_INSTALL: '1' });
      installing += seconds;
      expect(output).toContain('Missing for containers: runc, conmon, nft, ip, tc, conntrack. K8TS_NO_INSTALL is set');
      expect(output).not.toContain('Installing with apt-get');
      expect(output).toMatch(/The node is simulated and runs no containers: containers need runc/);
      expect(nodes).toMatch(/^\S+ +simulated +true$/m);
      expect(has('usr/sbin/runc')).toBe(false);
    },
    12 * MINUTE_MS,
  );

  it(
    'npm start installs the packages of a node and starts one that runs containers, in less than two minutes',
    async () => {
      const { output, nodes, seconds } = await runCluster();
      installing += seconds;
      console.log(`bare system: ${installing.toFixed(1)} s with the installation of dependencies and packages`);
      expect(installing).toBeLessThan(120);
      const packages = 'runc conmon nftables iproute2 conntrack';
      expect(output).toContain(`Installing with apt-get (K8TS_NO_INSTALL=1 prevents it): ${packages}\n`);
      expect(output).not.toMatch(/Missing for|simulated/);
      expect(output).toMatch(/stopped\n$/);
      expect(nodes).toMatch(/^\S+ +real +true$/m);
      expect(has('usr/sbin/runc')).toBe(true);
      expect(has('usr/sbin/policy-rc.d')).toBe(false);
    },
    12 * MINUTE_MS,
  );

  it(
    'npm start installs nothing the second time',
    async () => {
      const { output, nodes } = await runCluster();
      expect(output).not.toMatch(/Installing|Missing for/);
      expect(nodes).toMatch(/^\S+ +real +true$/m);
    },
    3 * MINUTE_MS,
  );

  it(
    'npm test installs the programs of tests, and runs those of a file, with containers',
    async () => {
      const running = system.start(['npm', 'test', '--', 'test/container-runtime.test.ts']);
      const code = await running.ended;
      const output = running.output();
      expect(output).toMatch(
        /Installing with apt-get .*busybox-static .* etcd-server etcd-client .* kubernetes-client /,
      );
      expect(output).not.toMatch(/Missing for/);
      expect(output).toMatch(/\n\d+ passed, 0 failed\n$/);
      expect(code).toBe(0);
      const processes = system.start(['sh', '-c', 'cat /proc/[0-9]*/comm']);
      await processes.ended;
      expect(processes.output(), 'services of the packages').not.toMatch(/etcd|registry|dbus/);
    },
    20 * MINUTE_MS,
  );

  it(
    'npm test passes, with at most 5 % skipped, in less than six minutes once everything is installed',
    async () => {
      const startedAt = performance.now();
      // `times` prints the processor time of the shell, then that of its children.
      const running = system.start(['sh', '-c', 'npm test; code=$?; echo; times; exit $code']);
      const code = await running.ended;
      const seconds = (performance.now() - startedAt) / 1000;
      const output = running.output();
      const [summary = '', , , processor = ''] = output.trimEnd().split('\n').slice(-4);
      const load = loadavg()[0]!.toFixed(1);
      console.log(`bare system: ${summary} in ${seconds.toFixed(0)} s, processor time ${processor}, load ${load}`);
      const { passed = '', skipped = '0' } = SUMMARY.exec(summary)?.groups ?? {};
      expect(code, output.slice(-20_000)).toBe(0);
      expect(Number(skipped) / (Number(passed) + Number(skipped))).toBeLessThanOrEqual(0.05);
      expect(output).not.toMatch(/Installing with apt-get|Missing for/);
      if (quietMachine) expect(seconds).toBeLessThan(6 * 60);
    },
    45 * MINUTE_MS,
  );
});

/** The last line of `npm test`. */
const SUMMARY = /^(?<passed>\d+) passed, 0 failed(?:, (?<skipped>\d+) skipped)?$/;

function shown(running: BareProcess): string {
  return `${running.child.exitCode === null ? 'running' : 'ended'}: ${running.output()}`;
}
