import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { kubeconfigFor } from '../src/apiserver/index.ts';
import type { Client } from '../src/client/index.ts';
import { startControlPlane } from '../src/cluster/control-plane.ts';
import { DEFAULT_CONFIG, run as runControllerManager } from '../src/controller-manager/index.ts';
import { connectToRuntime } from '../src/cri/index.ts';
import { createContext, SeededRandom } from '../src/kernel/index.ts';
import { until } from '../src/kernel/testing/index.ts';
import { removeKubeletState } from '../src/kubelet/index.ts';
import { createNetns, deleteNetns, runIn } from '../src/net/netns/index.ts';
import { attributesOf, Collector, hex } from '../src/otlp/testing/collector.ts';
import { removeCgroups } from './container-runtime-fixture.ts';
import { ownRuntime } from './node-runtimes.ts';
import { everything, requires } from './requires.ts';
import { busyboxImage, dockerArchive } from './test-images.ts';

const missing = everything ? requires('root', 'runc', 'conmon', 'busybox') : 'only with K8TS_EVERYTHING=1';
const ROUNDS = Number(process.env['K8TS_CRASH_ROUNDS'] ?? 50);

/** Kubelet and runtime as processes of their own; killed at any time, no container is lost or doubled, and nothing leaks. */
describe.skipIf(missing)(
  `kubelet and runtime as processes${missing ? ` (${missing})` : ''}`,
  { timeout: 1_800_000 },
  () => {
    const name = `kubelet-crash-${process.pid}`;
    const directory = join(tmpdir(), name);
    const node = join(directory, 'node');
    const netns = `/run/k8ts-test/${name}-node`;
    const state = `/run/k8ts-test/${name}`;
    const cgroupRoot = `/k8ts-${name}`;
    const children = new Map<'container-runtime' | 'kubelet', ChildProcess>();
    const stop = new AbortController();
    const ctx = createContext({ signal: stop.signal, writeLog: () => {} });
    const collector = new Collector();
    let client: Client;
    let ended: Promise<unknown>;

    beforeAll(async () => {
      for (const folder of [directory, node]) mkdirSync(folder, { mode: 0o711 });
      createNetns(netns);
      const plane = await startControlPlane(
        ctx,
        {
          bindAddress: '127.0.0.1',
          port: 0,
          serviceClusterIpRange: '10.96.0.0/16',
          clusterCidr: '10.244.0.0/16',
          controllers: ['*'],
          signingKey: 'ec',
        },
        {},
      );
      client = plane.clientAs({ name: 'admin', groups: ['system:masters', 'system:authenticated'] }, 'test');
      const managed = runControllerManager(ctx, {
        client,
        config: {
          ...DEFAULT_CONFIG,
          clusterCidr: '10.244.0.0/16',
          rootCa: plane.pki.ca.certificate,
          serviceAccountPrivateKey: plane.pki.serviceAccount.privateKey,
          leaderElect: false,
        },
        identity: 'test',
      });
      ended = Promise.allSettled([managed, plane.finished]);
      writeFileSync(
        join(directory, 'kubeconfig'),
        await kubeconfigFor(ctx, {
          server: plane.server,
          ca: plane.pki.ca,
          user: 'system:node:node-1',
          organizations: ['system:nodes'],
        }),
      );
      writeFileSync(
        join(directory, 'kubelet.yaml'),
        `apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\nclusterDomain: cluster.local\nclusterDNS: [10.96.0.10]\npodLogsDir: ${join(node, 'logs', 'pods')}\ntracing: {endpoint: '${await collector.listen()}', samplingRatePerMillion: 1000000}\n`,
      );
      writeFileSync(join(directory, 'busybox.tar'), dockerArchive(busyboxImage('docker.io/library/busybox:latest')));
      await startNode();
    }, 600_000);
    afterAll(async () => {
      await Promise.all([...children.keys()].map(kill));
      await removeWhatIsLeft();
      stop.abort(new Error('closed'));
      await ended;
      collector.close();
      deleteNetns(netns);
      for (const folder of [state, directory]) rmSync(folder, { recursive: true, force: true });
    });

    /** Also of a test that failed in the middle. */
    const removeWhatIsLeft = async (): Promise<void> => {
      const runtime = await ownRuntime(ctx, {
        dataDirectory: node,
        stateDirectory: state,
        netns,
        cgroupParent: cgroupRoot,
      });
      for (const { id = '' } of (await runtime.cri.runtime.listPodSandbox({})).items ?? [])
        await runtime.cri.runtime.removePodSandbox({ podSandboxId: id });
      await runtime.stop();
      await removeKubeletState({ rootDirectory: join(node, 'kubelet'), cgroupRoot });
      removeCgroups(cgroupRoot);
    };
    const socket = (): string => join(state, 'cri.sock');
    const run = (program: 'container-runtime' | 'kubelet', flags: readonly string[]): void => {
      const child = spawn(process.execPath, ['--import', 'tsx', 'src/cli/index.ts', program, ...flags], {
        stdio: ['ignore', 'ignore', process.env['K8TS_TEST_LOG'] ? 'inherit' : 'ignore'],
      });
      children.set(program, child);
    };
    const start = {
      'container-runtime': () =>
        run('container-runtime', [
          '--listen',
          socket(),
          '--root',
          join(node, 'runtime'),
          '--state',
          state,
          '--node-netns',
          netns,
          '--cgroup-parent',
          cgroupRoot,
          ...(existsSync(join(node, 'runtime')) ? [] : ['--load-archive', join(directory, 'busybox.tar')]),
        ]),
      kubelet: () =>
        run('kubelet', [
          '--kubeconfig',
          join(directory, 'kubeconfig'),
          '--hostname-override',
          'node-1',
          '--node-ip',
          '192.0.2.10',
          '--root-dir',
          join(node, 'kubelet'),
          '--cert-dir',
          join(node, 'pki'),
          '--container-runtime-endpoint',
          `unix://${socket()}`,
          '--port',
          '0',
          '--healthz-port',
          '0',
          '--cgroup-root',
          cgroupRoot,
          '--config',
          join(directory, 'kubelet.yaml'),
        ]),
    };
    const kill = async (program: 'container-runtime' | 'kubelet'): Promise<void> => {
      const child = children.get(program);
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await gone;
    };

    /** Resolves when the runtime has the image and the node is registered. */
    const startNode = async (): Promise<void> => {
      start['container-runtime']();
      await until('the runtime answers', () => existsSync(socket()), { limitMs: 180_000 });
      const cri = connectToRuntime(`unix://${socket()}`);
      await until(
        'the image is there',
        async () => ((await cri.images.listImages({}).catch(() => ({ images: [] }))).images ?? []).length > 0,
      );
      start.kubelet();
      // Pods of a node that never was would be cleared up by the controllers.
      await until(
        'the node is there',
        () =>
          client
            .resource('v1/nodes')
            .get({ name: 'node-1' })
            .then(
              () => true,
              () => false,
            ),
        { limitMs: 180_000 },
      );
      cri.close();
    };
    const sleeper = (made: string) => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: made, namespace: 'default' },
      spec: {
        nodeName: 'node-1',
        terminationGracePeriodSeconds: 1,
        containers: [{ name: 'main', image: 'busybox', imagePullPolicy: 'Never', command: ['sleep', '100000'] }],
      },
    });

    it('the kubelet exports what it does by OTLP', async () => {
      const pods = client.resource('v1/pods');
      await pods.create(sleeper('traced'));
      const started = () => collector.spansOf('kubelet').find(({ name }) => name === 'start container');
      await until('the container is started, and its span exported', () => started() !== undefined, {
        limitMs: 120_000,
      });
      const spans = collector.spansOf('kubelet').filter((span) => attributesOf(span)['k8s.key'] === 'default/traced');
      // Events that it tells are spans, too.
      expect(spans.map(({ name }) => name)).toEqual(
        expect.arrayContaining(['sync pod', 'run pod sandbox', 'start container']),
      );
      for (const span of spans) expect(hex(span.traceId)).toMatch(/^[0-9a-f]{32}$/);
      await pods.delete({ namespace: 'default', name: 'traced' });
      await until('the pod is gone', async () => (await pods.list({ namespace: 'default' })).items.length === 0);
    });

    it(`${ROUNDS} rounds of kill -9`, async () => {
      const random = new SeededRandom('kubelet-crash');
      const pods = client.resource('v1/pods');
      const wanted = new Set<string>();
      const cri = connectToRuntime(`unix://${socket()}`);
      for (let round = 0, number = 0; round < ROUNDS; round++) {
        for (let i = random.integer(3); i >= 0; i--) {
          const made = `p${number++}`;
          await pods.create(sleeper(made));
          wanted.add(made);
        }
        for (const old of [...wanted].filter(() => random.next() < 0.3)) {
          await pods.delete({ namespace: 'default', name: old });
          wanted.delete(old);
        }
        await ctx.clock.sleep(random.integer(6000));
        const victims = (['container-runtime', 'kubelet'] as const).filter(() => random.next() < 0.6);
        await Promise.all(victims.map(kill));
        for (const victim of victims) start[victim]();
      }
      const names = async (): Promise<string[]> =>
        ((await cri.runtime.listContainers({ filter: { state: { state: 'CONTAINER_RUNNING' } } })).containers ?? [])
          .map(({ labels }) => labels?.['io.kubernetes.pod.name'] ?? '')
          .toSorted();
      await until(
        'exactly the wanted pods run',
        async () => JSON.stringify(await names().catch(() => [])) === JSON.stringify([...wanted].toSorted()),
        { limitMs: 120_000 },
      );
      for (const old of wanted) await pods.delete({ namespace: 'default', name: old });
      await until(
        'nothing is left in the runtime',
        async () => ((await cri.runtime.listPodSandbox({})).items ?? []).length === 0,
      );
      await until(
        'nothing is left in the API',
        async () => (await pods.list({ namespace: 'default' })).items.length === 0,
      );
      expect(
        readFileSync('/proc/self/mountinfo', 'utf8')
          .split('\n')
          .filter((line) => line.includes(directory) || line.includes(`${state}/`)),
      ).toEqual([]);
      await until('no pod has a directory', () => readdirSync(join(node, 'kubelet', 'pods')).length === 0);
      expect(
        readdirSync(join(node, 'logs'), { recursive: true }).filter((name) => String(name).endsWith('.log')),
      ).toEqual([]);
      expect(await runIn('ip', ['-o', 'link', 'show', 'type', 'veth'], { netns })).toBe('');
      cri.close();
    });
  },
);
