/** A server and a machine of the release before are upgraded one after the other, while their pods answer requests. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Pod } from '../../src/api/generated/core-v1.ts';
import { until } from '../../src/kernel/testing/index.ts';
import { everything, requires } from '../requires.ts';
import { busyboxImage, dockerArchive, webImage } from '../test-images.ts';
import { containerOf as container, kubectlOn } from './kubectl.ts';
import { Machines, type Machine } from './machines.ts';

/** Stands in for the release before as long as there are no tags: 0.1.0 before it could be upgraded. */
const PREVIOUS = '9f1d37bd';

const root = path.join(import.meta.dirname, '..', '..');
const hasPrevious = spawnSync('git', ['cat-file', '-e', `${PREVIOUS}^{commit}`], { cwd: root }).status === 0;
const missing = !everything
  ? 'long form'
  : hasPrevious
    ? requires('root', 'runc', 'conmon', 'nft', 'ip', 'busybox', 'kubectl', 'git', 'tar')
    : `the repository has no commit ${PREVIOUS}`;

/** Builds the release before into a directory. Resolves to its program. */
function buildPrevious(directory: string): string {
  fs.mkdirSync(directory, { recursive: true });
  const archive = spawnSync('git', ['archive', PREVIOUS], { cwd: root, maxBuffer: 2 ** 29 });
  expect(archive.status).toBe(0);
  expect(spawnSync('tar', ['-x', '-C', directory], { input: archive.stdout }).status).toBe(0);
  fs.symlinkSync(path.join(root, 'node_modules'), path.join(directory, 'node_modules'));
  const built = spawnSync(process.execPath, ['scripts/build.mjs'], { cwd: directory, encoding: 'utf8' });
  expect(built.status, built.stderr).toBe(0);
  return path.join(directory, 'dist', 'k8ts.js');
}

/** Asks the address about 50 times a second, from a process of its own, until it is told to end. */
function constantRequests(netns: string, address: string): { end(): Promise<{ answered: number; failed: string[] }> } {
  const script = `
    const http = require('node:http');
    let answered = 0, ended = false; const failed = [];
    const ask = () => new Promise((resolve) => {
      const request = http.get({ host: '${address}', port: 8080, path: '/', timeout: 2000, agent: false }, (response) => {
        response.resume().on('end', () => { answered++; resolve(); });
      });
      request.on('timeout', () => request.destroy(new Error('timeout')));
      request.on('error', (error) => { failed.push(new Date().toISOString() + ' ' + error.message); resolve(); });
    });
    process.stdin.on('end', () => { ended = true; }).resume();
    (async () => { while (!ended) { await ask(); await new Promise((r) => setTimeout(r, 20)); }
      process.stdout.write(JSON.stringify({ answered, failed })); })();`;
  const child = spawn('nsenter', [`--net=${netns}`, process.execPath, '-e', script], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  return {
    async end() {
      child.stdin.end();
      await once(child, 'close');
      return JSON.parse(output) as { answered: number; failed: string[] };
    },
  };
}

describe.skipIf(missing !== undefined)(`an upgrade${missing === undefined ? '' : ` (${missing})`}`, () => {
  let machines: Machines;
  let server: Machine;
  let worker: Machine;
  let previous: string;

  beforeAll(async () => {
    machines = new Machines();
    previous = buildPrevious(path.join(machines.scratch, 'previous'));
    const archive = path.join(machines.scratch, 'images.tar');
    fs.writeFileSync(archive, dockerArchive(busyboxImage(), webImage()));
    server = machines.add('server');
    worker = machines.add('worker');
    const old = (machine: Machine, ...args: string[]): Promise<string> =>
      machine.runAsync(process.execPath, previous, ...args);
    const waiting = ['--detach', '--wait', '3m'];
    await old(
      server,
      ...['up', '--bind-address', server.address, '--data-dir', server.directory, '--node-name', 'server'],
      ...['--console=false', ...waiting],
    );
    await old(server, 'image', 'load', archive, '--data-dir', server.directory);
    const { command } = JSON.parse(
      await old(server, 'token', 'create', '--data-dir', server.directory, '-o', 'json'),
    ) as { command: string };
    await old(
      worker,
      ...command.split(' ').slice(1),
      ...['--data-dir', worker.directory, '--node-name', 'worker', '--node-ip', worker.address],
      ...['--load-archive', archive, ...waiting],
    );
  }, 600_000);

  afterAll(async () => {
    for (const machine of [worker, server])
      await machine?.k8ts(['down', '--data-dir', machine.directory]).catch(() => undefined);
    await machines.remove();
  }, 120_000);

  const { kubectl, apply } = kubectlOn(
    () => machines,
    () => server,
  );
  const web = async (name: string, node: string): Promise<void> => {
    const spec = { nodeName: node, containers: [container('www')] };
    await apply({ apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec });
    await kubectl('wait', '--for=condition=Ready', `pod/${name}`, '--timeout=120s');
  };
  const podOf = async (name: string): Promise<Pod> =>
    JSON.parse(await kubectl('get', 'pod', name, '-o', 'json')) as Pod;
  const containerOf = async (name: string): Promise<{ id: string | undefined; restarts: number | undefined }> => {
    const status = (await podOf(name)).status?.containerStatuses?.[0];
    return { id: status?.containerID, restarts: status?.restartCount };
  };
  const pidOf = (machine: Machine): number =>
    (JSON.parse(fs.readFileSync(path.join(machine.directory, 'k8ts.pid'), 'utf8')) as { pid: number }).pid;

  it('keeps pods running and answering, machine by machine, and loses no write', async () => {
    await web('on-server', 'server');
    await web('on-worker', 'worker');
    await kubectl('create', 'configmap', 'before', '--from-literal=a=b');
    const before = { server: await containerOf('on-server'), worker: await containerOf('on-worker') };
    const requests = await Promise.all(
      (['on-server', 'on-worker'] as const).map(async (name) => {
        const machine = name === 'on-server' ? server : worker;
        return constantRequests(machine.netns, (await podOf(name)).status!.podIP!);
      }),
    );

    expect(await server.k8ts(['upgrade', '--data-dir', server.directory, '--check'])).toContain('can be upgraded');
    const [oldServer, oldWorker] = [pidOf(server), pidOf(worker)];
    const upgraded = JSON.parse(
      await server.k8ts(['upgrade', '--data-dir', server.directory, '--wait', '3m', '-o', 'json']),
    ) as { snapshot: string; restarted: boolean };
    expect(upgraded.restarted).toBe(true);
    expect(fs.existsSync(upgraded.snapshot)).toBe(true);
    expect(pidOf(server)).not.toBe(oldServer);
    expect(fs.readFileSync(`/proc/${pidOf(server)}/cmdline`, 'utf8')).not.toContain(previous);

    // The machine of the release before works with the new server.
    expect(pidOf(worker)).toBe(oldWorker);
    await web('new-on-old', 'worker');
    await kubectl('create', 'configmap', 'between', '--from-literal=a=b');

    const node = JSON.parse(
      await worker.k8ts(['upgrade', '--data-dir', worker.directory, '--wait', '3m', '-o', 'json']),
    ) as { restarted: boolean };
    expect(node.restarted).toBe(true);
    expect(pidOf(worker)).not.toBe(oldWorker);
    await until(
      'all nodes are Ready',
      async () => !(await kubectl('get', 'nodes', '--no-headers')).includes('NotReady'),
      { limitMs: 120_000, intervalMs: 500 },
    );

    for (const { answered, failed } of await Promise.all(requests.map((one) => one.end()))) {
      expect(failed).toEqual([]);
      expect(answered).toBeGreaterThan(100);
    }
    expect({ server: await containerOf('on-server'), worker: await containerOf('on-worker') }).toEqual(before);
    expect(await kubectl('get', 'configmaps', 'before', 'between', '-o', 'name')).toBe(
      'configmap/before\nconfigmap/between\n',
    );
    expect((await kubectl('logs', 'on-worker')).length).toBeGreaterThanOrEqual(0);
    await kubectl('exec', 'on-server', '--', 'true');
  }, 600_000);

  it('drains a machine first when asked to', async () => {
    await worker.k8ts(['upgrade', '--data-dir', worker.directory, '--drain', '--wait', '3m']);
    expect(await kubectl('get', 'pods', '--field-selector', 'spec.nodeName=worker', '-o', 'name')).toBe('');
    const node = JSON.parse(await kubectl('get', 'node', 'worker', '-o', 'json')) as {
      spec: { unschedulable?: boolean };
    };
    expect(node.spec.unschedulable ?? false).toBe(false);
    await web('after-drain', 'worker');
  }, 300_000);
});
