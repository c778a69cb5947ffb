import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { BridgeNetwork, startContainerRuntime } from '../src/container-runtime/index.ts';
import { connectToRuntime, type ContainerRuntime } from '../src/cri/index.ts';
import type { Context } from '../src/kernel/index.ts';
import { until } from '../src/kernel/testing/index.ts';
import { inNetns } from '../src/net/netns/index.ts';
import { findProgram } from './requires.ts';
import { busyboxImage, dockerArchive, type TestImage } from './test-images.ts';

/** A container runtime of a test's node: ours in this process, or containerd beside it. */
export interface NodeRuntime {
  readonly cri: ContainerRuntime;
  /** Whether exec, attach and port-forward are served in the node's namespace instead of the process's. */
  readonly streamsInNetns: boolean;
  load(image: TestImage): Promise<void>;
  /** Ends the runtime; containers go on. */
  stop(): Promise<void>;
}

export interface RuntimePlace {
  readonly dataDirectory: string;
  readonly stateDirectory: string;
  readonly netns: string;
  readonly cgroupParent: string;
}

export type StartRuntime = (ctx: Context, place: RuntimePlace) => Promise<NodeRuntime>;

export const ownRuntime: StartRuntime = async (outer, { dataDirectory, stateDirectory, netns, cgroupParent }) => {
  const stop = new AbortController();
  const ctx = { ...outer, signal: stop.signal };
  const network = await BridgeNetwork.open(ctx, { nodeNetns: netns, stateDirectory: join(dataDirectory, 'network') });
  const runtime = await startContainerRuntime(ctx, {
    rootDirectory: join(dataDirectory, 'runtime'),
    stateDirectory,
    network,
    nodeNetns: netns,
    cgroupParent,
  });
  return {
    cri: runtime,
    streamsInNetns: false,
    load: async (image) => void (await runtime.imageStore.loadArchive(Readable.from([dockerArchive(image)]))),
    async stop() {
      stop.abort(new Error('stopped'));
      await runtime.finished;
      await network.close();
    },
  };
};

const PAUSE = 'k8ts.test/pause:1';

/** containerd with directories and a socket of its own, inside the node's network namespace if it has one. */
export async function containerd(
  ctx: Context,
  {
    dataDirectory,
    stateDirectory,
    netns,
  }: Omit<RuntimePlace, 'netns' | 'cgroupParent'> & { netns: string | undefined },
): Promise<NodeRuntime> {
  const directory = join(dataDirectory, 'containerd');
  const cni = join(directory, 'cni');
  for (const path of [directory, cni, stateDirectory]) mkdirSync(path, { recursive: true });
  const socket = join(stateDirectory, 'containerd.sock');
  writeFileSync(
    join(cni, '10-bridge.conflist'),
    JSON.stringify({
      cniVersion: '1.0.0',
      name: 'test',
      plugins: [
        {
          type: 'bridge',
          bridge: 'cni0',
          isGateway: true,
          ipam: {
            type: 'host-local',
            dataDir: join(directory, 'ipam'),
            ranges: [[{ subnet: '10.244.0.0/24' }]],
            routes: [{ dst: '0.0.0.0/0' }],
          },
        },
      ],
    }),
  );
  writeFileSync(
    join(directory, 'config.toml'),
    `version = 2
root = "${join(directory, 'root')}"
state = "${join(stateDirectory, 'containerd')}"
disabled_plugins = ["io.containerd.snapshotter.v1.btrfs", "io.containerd.snapshotter.v1.zfs", "io.containerd.snapshotter.v1.aufs", "io.containerd.snapshotter.v1.devmapper"]
[grpc]
  address = "${socket}"
[plugins."io.containerd.internal.v1.opt"]
  path = "${join(directory, 'opt')}"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "${PAUSE}"
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "${cni}"
`,
  );
  const program = findProgram('containerd');
  if (program === undefined) throw new Error('containerd is not installed');
  const child = inNetns(netns, () =>
    spawn(program, ['--config', join(directory, 'config.toml')], {
      stdio: ['ignore', 'pipe', 'pipe'],
      // It looks for its shim in the PATH first.
      env: { ...process.env, PATH: `${dirname(program)}${delimiter}${process.env.PATH}` },
    }),
  );
  const log: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data: Buffer) => log.push(data.toString()));
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const cri = connectToRuntime(`unix://${socket}`);
  await untilAnswers(ctx, cri, log);
  const load = async (image: TestImage): Promise<void> => {
    const importing = spawn(
      findProgram('ctr')!,
      ['--address', socket, '--namespace', 'k8s.io', 'images', 'import', '-'],
      {
        stdio: ['pipe', 'ignore', 'pipe'],
      },
    );
    let problem = '';
    importing.stderr.on('data', (data: Buffer) => (problem += data.toString()));
    importing.stdin.end(dockerArchive(image));
    await new Promise<void>((resolve, reject) =>
      importing.once('exit', (code) =>
        code === 0 ? resolve() : reject(new Error(`ctr images import ended with ${code}: ${problem}`)),
      ),
    );
  };
  await load(busyboxImage(PAUSE, { process: { Entrypoint: ['sleep', '2147483647'], Env: ['PATH=/bin'] } }));
  return {
    cri,
    streamsInNetns: true,
    load,
    async stop() {
      cri.close();
      child.kill('SIGTERM');
      await exited;
    },
  };
}

async function untilAnswers({ clock }: Context, cri: ContainerRuntime, log: readonly string[]): Promise<void> {
  const answers = (): Promise<boolean> =>
    cri.runtime.version({}).then(
      () => true,
      () => false,
    );
  await until('containerd answers', answers, { clock, intervalMs: 100, details: () => log.slice(-5).join('') });
}
