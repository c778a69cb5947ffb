import { execFile, execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tls from 'node:tls';
import type { Client } from '../src/client/index.ts';
import { createClusterObjects } from '../src/cluster/cluster-objects.ts';
import type { ClusterOptions } from '../src/cluster/cluster-options.ts';
import { startControlPlane, type ControlPlane } from '../src/cluster/control-plane.ts';
import { controllerClients } from '../src/cluster/controller-clients.ts';
import { ADMIN, componentUser, nodeUser } from '../src/cluster/identities.ts';
import { DEFAULT_CONFIG, run as runControllerManager } from '../src/controller-manager/index.ts';
import { createContext, RunGroup, type Context } from '../src/kernel/index.ts';
import { until } from '../src/kernel/testing/index.ts';
import type { KubeletConfig, KubeletOptions } from '../src/kubelet/index.ts';
import { removeKubeletState } from '../src/kubelet/index.ts';
import { createNetns, deleteNetns, runIn } from '../src/net/netns/index.ts';
import { DEFAULT_CONFIG as DEFAULT_SCHEDULER_CONFIG, run as runScheduler } from '../src/scheduler/index.ts';
import { removeCgroups } from './container-runtime-fixture.ts';
import { ownRuntime, type StartRuntime } from './node-runtimes.ts';
import { startRealNode, type RealNode } from './real-node.ts';
import { findProgram } from './requires.ts';
import { busyboxImage, webImage } from './test-images.ts';

/** A cluster of one node that runs containers, all in this process: API server, controllers, scheduler, runtime, kubelet. */
export interface NodeCluster {
  readonly ctx: Context;
  readonly directory: string;
  readonly kubeconfig: string;
  readonly controlPlane: ControlPlane;
  readonly client: Client;
  node: RealNode;
  readonly netns: string;
  /** Ends kubelet and runtime and starts them again, with other settings if need be; containers go on. */
  restartNode(kubelet?: Partial<KubeletConfig>): Promise<void>;
  kubectl(args: string | readonly string[], stdin?: string): Promise<KubectlOutcome>;
  /** The output; throws when kubectl fails. */
  ok(args: string | readonly string[], stdin?: string): Promise<string>;
  until(what: string, condition: () => Promise<boolean> | boolean): Promise<void>;
  close(): Promise<void>;
}

export interface KubectlOutcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

let clusters = 0;
const NODE = 'node-1';

export interface NodeClusterOptions {
  readonly port?: number;
  /** Default: ours. */
  readonly startRuntime?: StartRuntime;
  readonly kubelet?: Partial<KubeletConfig>;
  /** The node's disk is a tmpfs of this size, e.g. `160m`, for kubelet and runtime together. */
  readonly diskSize?: string;
  /** Where upstream's pace is too slow for a test. */
  readonly periods?: KubeletOptions['periods'];
}

export async function startNodeCluster(options: NodeClusterOptions = {}): Promise<NodeCluster> {
  const name = `kubelet-${process.pid}-${clusters++}`;
  const directory = mkdtempSync(join(tmpdir(), `${name}-`));
  // Processes of user namespaces must be able to walk down to their files.
  chmodSync(directory, 0o711);
  mkdirSync(join(directory, 'node'), { mode: 0o711 });
  if (options.diskSize !== undefined)
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${options.diskSize},mode=711`, 'tmpfs', join(directory, 'node')]);
  const stateParent = `/run/k8ts-test/${name}`;
  const netns = `${stateParent}-node`;
  createNetns(netns);
  await runIn('ip', ['link', 'set', 'lo', 'up'], { netns });
  const stop = new AbortController();
  const writeLog = (line: string): void => void (process.env['K8TS_TEST_LOG'] ? process.stderr.write(`${line}\n`) : 0);
  const ctx = createContext({ signal: stop.signal, writeLog, verbosity: Number(process.env['K8TS_TEST_LOG'] ?? 0) });
  const group = new RunGroup({ signal: ctx.signal });
  let node: RealNode | undefined;
  const clusterOptions: ClusterOptions = {
    bindAddress: '127.0.0.1',
    port: options.port ?? 0,
    serviceClusterIpRange: '10.96.0.0/16',
    clusterCidr: '10.244.0.0/16',
    controllers: ['*'],
    addons: ['storage'],
    kubeconfig: join(directory, 'kubeconfig'),
    signingKey: 'ec',
  };
  const controlPlane: ControlPlane = await startControlPlane(ctx, clusterOptions, {
    connectToNode: (wanted) => {
      const target = node;
      if (wanted !== NODE || target === undefined) return undefined;
      // The node's addresses are in its namespace alone; the API server gets a connection from inside it.
      const { certificate, key } = controlPlane.pki.kubeletClient;
      return () => tls.connect({ socket: target.connect(), cert: certificate, key, rejectUnauthorized: false });
    },
  });
  const admin = controlPlane.clientAs(ADMIN, 'test');
  await createClusterObjects(admin, clusterOptions);
  group.start('kube-controller-manager', () =>
    runControllerManager(ctx, {
      ...controllerClients(controlPlane, ctx.signal),
      config: {
        ...DEFAULT_CONFIG,
        clusterCidr: '10.244.0.0/16',
        rootCa: controlPlane.pki.ca.certificate,
        clusterSigningCertificate: controlPlane.pki.ca.certificate,
        clusterSigningKey: controlPlane.pki.ca.key,
        serviceAccountPrivateKey: controlPlane.pki.serviceAccount.privateKey,
        leaderElect: false,
        hostPathProvisionerDirectory: join(directory, 'volumes'),
      },
      identity: 'test',
    }),
  );
  group.start('kube-scheduler', () =>
    runScheduler(ctx, {
      client: controlPlane.clientAs(componentUser('kube-scheduler'), 'kube-scheduler'),
      config: { ...DEFAULT_SCHEDULER_CONFIG, leaderElect: false },
      identity: 'test',
    }),
  );

  const cgroupRoot = `/k8ts-${name}`;
  const startRuntime = options.startRuntime ?? ownRuntime;
  const place = { dataDirectory: join(directory, 'node'), stateDirectory: join(stateParent, NODE), netns };
  const startNode = (changed: Partial<KubeletConfig> = {}): Promise<RealNode> =>
    startRealNode(ctx, {
      ...place,
      name: NODE,
      client: controlPlane.clientAs(nodeUser(NODE), 'kubelet'),
      startRuntime,
      cgroupRoot,
      clientCa: controlPlane.pki.ca.certificate,
      kubelet: { ...options.kubelet, ...changed },
      ...(options.periods === undefined ? {} : { periods: options.periods }),
    });
  node = await startNode();
  const first = node;

  const cluster: NodeCluster = {
    ctx,
    directory,
    kubeconfig: join(directory, 'kubeconfig'),
    controlPlane,
    client: admin,
    node: first,
    netns,
    async restartNode(changed) {
      await cluster.node.stop();
      cluster.node = node = await startNode(changed);
    },
    kubectl: (args, stdin = '') => runKubectl(join(directory, 'kubeconfig'), args, stdin),
    async ok(args, stdin = '') {
      const { code, stdout, stderr } = await cluster.kubectl(args, stdin);
      if (code !== 0) throw new Error(`kubectl ${String(args)} ended with ${code}\n${stdout}${stderr}`);
      return stdout;
    },
    until: (what, condition) => until(what, condition, { intervalMs: 50 }),
    async close() {
      await cluster.node.stop();
      stop.abort(new Error('closed'));
      await group.wait().catch(() => {});
      await controlPlane.finished.catch(() => {});
      await removePods(startRuntime, { ...place, cgroupParent: cgroupRoot });
      await removeKubeletState({ rootDirectory: join(place.dataDirectory, 'kubelet'), cgroupRoot });
      removeCgroups(cgroupRoot);
      deleteNetns(netns);
      if (options.diskSize !== undefined) execFileSync('umount', [join(directory, 'node')]);
      rmSync(stateParent, { recursive: true, force: true });
      rmSync(directory, { recursive: true, force: true });
    },
  };
  writeFileSync(join(directory, 'kubeconfig'), controlPlane.kubeconfig, { mode: 0o600 });
  await cluster.node.runtime.load(busyboxImage('docker.io/library/busybox:latest'));
  await cluster.node.runtime.load(webImage('docker.io/library/www:latest'));
  await cluster.until(
    'the node is ready',
    async () =>
      (await cluster.client.resource('v1/nodes').get({ name: NODE })).status?.conditions?.some(
        ({ type, status }) => type === 'Ready' && status === 'True',
      ) ?? false,
  );
  return cluster;
}

/** Takes the runtime up once more, without anyone who would start things again, and removes what it has. */
async function removePods(startRuntime: StartRuntime, place: Parameters<StartRuntime>[1]): Promise<void> {
  const runtime = await startRuntime(createContext({ writeLog: () => {} }), place);
  const { items = [] } = await runtime.cri.runtime.listPodSandbox({});
  for (const { id = '' } of items) {
    await runtime.cri.runtime.stopPodSandbox({ podSandboxId: id });
    await runtime.cri.runtime.removePodSandbox({ podSandboxId: id });
  }
  await runtime.stop();
}

const KUBECTL = findProgram('kubectl') ?? 'kubectl';

function runKubectl(kubeconfig: string, args: string | readonly string[], stdin: string): Promise<KubectlOutcome> {
  const words =
    typeof args === 'string'
      ? (args.match(/(?:'[^']*'|[^\s'])+/g) ?? []).map((word) => word.replaceAll("'", ''))
      : [...args];
  return new Promise((resolve) => {
    const child = execFile(
      KUBECTL,
      words,
      { env: { ...process.env, KUBECONFIG: kubeconfig }, timeout: 120_000, maxBuffer: 1 << 26 },
      (error, stdout, stderr) => resolve({ code: error ? Number(error.code ?? 1) : 0, stdout, stderr }),
    );
    child.stdin?.end(stdin);
  });
}
