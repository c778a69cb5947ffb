/** Clusters in memory that were killed: what they left on the machine goes with the next start and with `k8ts down`. */
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect, loadKubeconfig, type Client } from '../src/client/index.ts';
import { fabricId } from '../src/cluster/fabric/claims.ts';
import { blackholeMetric } from '../src/cluster/fabric/wanted-routes.ts';
import { createContext } from '../src/kernel/index.ts';
import { builtProgram, startK8ts, type K8tsProcess } from './k8ts-process.ts';
import { everything, requires } from './requires.ts';
import { busyboxImage, dockerArchive } from './test-images.ts';

const missing = everything ? requires('root', 'runc', 'conmon', 'nft', 'ip', 'busybox') : 'only with K8TS_EVERYTHING=1';
const run = promisify(execFile);

describe.skipIf(missing !== undefined)(
  `clusters in memory that are killed${missing === undefined ? '' : ` (${missing})`}`,
  () => {
    const directory = mkdtempSync(join(tmpdir(), 'killed-'));
    const stop = new AbortController();
    const ctx = createContext({ signal: stop.signal, writeLog: () => {} });
    const running: K8tsProcess[] = [];
    let archive: string;

    beforeAll(() => {
      archive = join(directory, 'images.tar');
      writeFileSync(archive, dockerArchive(busyboxImage()));
    });
    afterAll(async () => {
      stop.abort(new Error('the test has ended'));
      for (const cluster of running) await cluster.stop();
      rmSync(directory, { recursive: true, force: true });
    });

    const k8ts = async (...args: string[]): Promise<{ code: number; text: string }> => {
      try {
        const { stdout } = await run(process.execPath, [await builtProgram(), ...args]);
        return { code: 0, text: stdout };
      } catch (error) {
        const { code, stderr } = error as { code: number; stderr: string };
        return { code, text: stderr };
      }
    };
    /** A cluster with one node and a Pod that runs on it. */
    const start = async (name: string): Promise<K8tsProcess & { fabric: string }> => {
      const cluster = await startK8ts({
        flags: ['--data-dir', join(directory, name), '--nodes', '1', '--addons', 'none'],
      });
      running.push(cluster);
      expect(await k8ts('image', 'load', archive, '--data-dir', join(directory, name))).toMatchObject({ code: 0 });
      const client: Client = connect(ctx, await loadKubeconfig({ file: cluster.kubeconfig, clock: ctx.clock }), {
        userAgent: 'test',
      });
      await client.resource('v1/pods').create({
        metadata: { name: 'sleeper', namespace: 'default' },
        spec: {
          containers: [
            {
              name: 'c',
              image: 'docker.io/library/busybox:test',
              imagePullPolicy: 'Never',
              command: ['sleep', '3600'],
            },
          ],
        },
      });
      await expect
        .poll(
          async () => (await client.resource('v1/pods').get({ name: 'sleeper', namespace: 'default' })).status?.phase,
        )
        .toBe('Running');
      await client.close();
      return { ...cluster, stop: cluster.stop, fabric: `k8ts-p${cluster.pid}` };
    };
    /** What is on the machine of a cluster: its rules, routes, interfaces, mounts, processes, state and cgroups. */
    const traces = async (fabric: string): Promise<string[]> => {
      const id = fabricId(fabric);
      const tables = (await run('nft', ['list', 'tables'])).stdout.split('\n').filter((line) => line.includes(id));
      const routes = (await run('ip', ['route'])).stdout
        .split('\n')
        .filter((line) => line.includes(`metric ${blackholeMetric(id)}`) || line.includes(id));
      const links = (await run('ip', ['-d', 'link'])).stdout
        .split('\n')
        .filter((line) => line.includes(`cluster ${fabric}`));
      const mounts = readFileSync('/proc/self/mounts', 'utf8')
        .split('\n')
        .filter((line) => line.includes(`/${fabric}/`));
      const processes = readdirSync('/proc').filter(
        (pid) => /^\d+$/.test(pid) && cgroupOf(pid).includes(`/${fabric}/`),
      );
      const files = [`/run/k8ts/fabric/${fabric}`, `/run/k8ts/${fabric}`, join(tmpdir(), fabric, 'nodes')].filter(
        (file) => existsSync(file),
      );
      const cgroups = ['', ...readdirSync('/sys/fs/cgroup')]
        .map((hierarchy) => join('/sys/fs/cgroup', hierarchy, fabric))
        .filter((place) => existsSync(place));
      return [
        ...tables,
        ...routes,
        ...links,
        ...mounts,
        ...processes.map((pid) => `process ${pid}`),
        ...files,
        ...cgroups,
      ];
    };

    it('the next cluster that starts removes their leftovers, and so does down; live clusters stay', async () => {
      const first = await start('first');
      await first.stop('SIGKILL');
      const left = await traces(first.fabric);
      for (const kind of [
        /^table inet /,
        /^blackhole /,
        /^process /,
        /^\/run\/k8ts\/fabric/,
        /^overlay/,
        /cluster k8ts-p/,
        /^\/sys\/fs\/cgroup/,
      ])
        expect(
          left.some((trace) => kind.test(trace)),
          String(kind),
        ).toBe(true);

      const second = await start('second');
      expect(await traces(first.fabric)).toEqual([]);
      const alive = await traces(second.fabric);
      expect(alive.length).toBeGreaterThan(5);
      const nobody = await k8ts('down', '--data-dir', join(directory, 'first'));
      expect(nobody).toMatchObject({ code: 1, text: expect.stringContaining('no cluster is running') as string });
      expect(await traces(second.fabric)).toEqual(alive);

      await second.stop('SIGKILL');
      expect(await k8ts('down', '--data-dir', join(directory, 'first'))).toMatchObject({
        code: 0,
        text: expect.stringContaining(second.fabric) as string,
      });
      expect(await traces(second.fabric)).toEqual([]);
    });
  },
);

function cgroupOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cgroup`, 'utf8');
  } catch {
    return '';
  }
}
