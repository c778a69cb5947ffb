import { chmodSync, existsSync, mkdtempSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import {
  startContainerRuntime,
  type ContainerRuntimeOptions,
  type RunningContainerRuntime,
} from '../src/container-runtime/index.ts';
import { BridgeNetwork } from '../src/container-runtime/network/index.ts';
import {
  connectToRuntime,
  serveRuntime,
  type ContainerConfig,
  type CriConnection,
  type PodSandboxConfig,
} from '../src/cri/index.ts';
import { createContext } from '../src/kernel/index.ts';
import { createNetns, deleteNetns } from '../src/net/netns/index.ts';
import { busyboxImage, dockerArchive, type TestImage } from './test-images.ts';

/** A runtime of its own on this machine: directories, a network namespace as its node, a cgroup parent, a socket. */
export interface RuntimeFixture {
  readonly directory: string;
  readonly stateDirectory: string;
  readonly cgroupParent: string;
  readonly image: TestImage;
  readonly nodeNetns: string;
  /** The current one; `restart` replaces it. */
  runtime: RunningContainerRuntime;
  /** A client over the socket. */
  client: CriConnection;
  /** Ends it and starts it again; `meanwhile` happens while it is away. */
  restart(options?: { meanwhile?: () => void }): Promise<void>;
  /** Removes every sandbox and ends everything. */
  close(): Promise<void>;
}

let fixtures = 0;

export async function startRuntimeFixture(options: Partial<ContainerRuntimeOptions> = {}): Promise<RuntimeFixture> {
  const name = `crt-${process.pid}-${fixtures++}`;
  const directory = mkdtempSync(join(tmpdir(), `${name}-`));
  // Users of a user namespace must be able to get to their root file system.
  chmodSync(directory, 0o711);
  const stateDirectory = `/run/k8ts-test/${name}`;
  const cgroupParent = `/${name}`;
  const nodeNetns = `${stateDirectory}-node`;
  createNetns(nodeNetns);
  const image = busyboxImage();

  const start = async (): Promise<{
    runtime: RunningContainerRuntime;
    client: CriConnection;
    stop(): Promise<void>;
  }> => {
    const stopped = new AbortController();
    const ctx = createContext({
      signal: stopped.signal,
      writeLog: (line) => void (process.env.K8TS_TEST_LOG ? process.stderr.write(`${line}\n`) : 0),
    });
    const network = await BridgeNetwork.open(ctx, { nodeNetns, stateDirectory: join(directory, 'network') });
    await network.configure({ podCidrs: ['10.199.1.0/24'] });
    const runtime = await startContainerRuntime(ctx, {
      rootDirectory: join(directory, 'root'),
      stateDirectory,
      network,
      nodeNetns,
      nodeHostname: 'node-of-the-test',
      cgroupParent,
      ...options,
    });
    const server = serveRuntime(runtime);
    const socket = `unix://${join(directory, 'cri.sock')}`;
    rmSync(join(directory, 'cri.sock'), { force: true });
    await server.listen(socket);
    const client = connectToRuntime(socket);
    return {
      runtime,
      client,
      async stop() {
        client.close();
        server.close();
        stopped.abort();
        await runtime.finished;
        await network.close();
      },
    };
  };

  let running = await start();
  await running.runtime.imageStore.loadArchive(Readable.from([dockerArchive(image)]));
  const fixture: RuntimeFixture = {
    ...{ directory, stateDirectory, cgroupParent, image, nodeNetns, runtime: running.runtime, client: running.client },
    async restart({ meanwhile = () => {} } = {}) {
      await running.stop();
      meanwhile();
      running = await start();
      fixture.runtime = running.runtime;
      fixture.client = running.client;
    },
    async close() {
      const { items = [] } = await fixture.runtime.runtime.listPodSandbox({});
      await Promise.all(items.map(({ id = '' }) => fixture.runtime.runtime.removePodSandbox({ podSandboxId: id })));
      await running.stop();
      deleteNetns(nodeNetns);
      removeCgroups(cgroupParent);
      rmSync(stateDirectory, { recursive: true, force: true });
      rmSync(directory, { recursive: true, force: true });
    },
  };
  return fixture;
}

/** The pods' cgroups are the kubelet's; in these tests, ours. */
export function removeCgroups(parent: string): void {
  const hierarchies = existsSync('/sys/fs/cgroup/cgroup.procs')
    ? ['/sys/fs/cgroup']
    : readdirSync('/sys/fs/cgroup').map((name) => join('/sys/fs/cgroup', name));
  for (const hierarchy of hierarchies) {
    const folder = join(hierarchy, parent);
    if (!existsSync(folder)) continue;
    const below = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isDirectory());
    for (const path of [
      ...below
        .map((entry) => join(entry.parentPath, entry.name))
        .sort()
        .reverse(),
      folder,
    ])
      rmdirSync(path);
  }
}

let pods = 0;

/** A pod's sandbox configuration with what every test needs; `change` replaces parts. */
export function sandboxConfig(fixture: RuntimeFixture, change: Partial<PodSandboxConfig> = {}): PodSandboxConfig {
  const number = ++pods;
  return {
    metadata: { name: `pod-${number}`, uid: `uid-${number}`, namespace: 'default', attempt: 0 },
    hostname: `pod-${number}`,
    logDirectory: join(fixture.directory, 'logs', `pod-${number}`),
    dnsConfig: { servers: ['10.96.0.10'], searches: ['default.svc.cluster.local'], options: ['ndots:5'] },
    labels: { app: 'test' },
    linux: {
      cgroupParent: `${fixture.cgroupParent}/pod-${number}`,
      securityContext: { namespaceOptions: { pid: 'CONTAINER' } },
    },
    ...change,
  };
}

/** A container of the busybox image that runs a shell command. */
export function containerConfig(
  fixture: RuntimeFixture,
  command: string,
  change: Partial<ContainerConfig> = {},
): ContainerConfig {
  return {
    metadata: { name: 'main', attempt: 0 },
    image: { image: fixture.image.id },
    command: ['sh', '-c', command],
    logPath: 'main/0.log',
    ...change,
    linux: {
      ...change.linux,
      securityContext: {
        namespaceOptions: { pid: 'CONTAINER' },
        seccomp: { profileType: 'RuntimeDefault' },
        ...change.linux?.securityContext,
      },
    },
  };
}

export interface RunningContainer {
  readonly sandboxId: string;
  readonly containerId: string;
  readonly sandbox: PodSandboxConfig;
}

/** Sandbox, container, started. */
export async function runContainer(
  fixture: RuntimeFixture,
  command: string,
  change: { sandbox?: Partial<PodSandboxConfig>; container?: Partial<ContainerConfig> } = {},
): Promise<RunningContainer> {
  const { runtime } = fixture.client;
  const sandbox = sandboxConfig(fixture, change.sandbox);
  const { podSandboxId: sandboxId = '' } = await runtime.runPodSandbox({ config: sandbox });
  const config = containerConfig(fixture, command, change.container);
  const { containerId = '' } = await runtime.createContainer({
    podSandboxId: sandboxId,
    config,
    sandboxConfig: sandbox,
  });
  await runtime.startContainer({ containerId });
  return { sandboxId, containerId, sandbox };
}

export async function execText(fixture: RuntimeFixture, containerId: string, ...cmd: string[]): Promise<string> {
  const { stdout, stderr, exitCode = 0 } = await fixture.client.runtime.execSync({ containerId, cmd });
  if (exitCode !== 0)
    throw new Error(`${cmd.join(' ')} ended with ${exitCode}: ${Buffer.from(stderr ?? []).toString()}`);
  return Buffer.from(stdout ?? []).toString();
}
