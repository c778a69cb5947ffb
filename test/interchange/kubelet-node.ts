/**
 * A node on which the kubelets of both sides follow one another, on one container runtime: containers go on. `exec` passes
 * through the API server to the kubelet as a WebSocket, and ends with the command's exit code.
 */
import { execFile, execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  createWriteStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { ContainerStatus } from '../../src/api/generated/core-v1.ts';
import { issueCertificate, loadAuthority } from '../../src/apiserver/index.ts';
import { until } from '../../src/kernel/testing/index.ts';
import { freePort } from '../free-port.ts';
import { builtProgram } from '../k8ts-process.ts';
import { containerd, type NodeRuntime } from '../node-runtimes.ts';
import { findProgram } from '../requires.ts';
import { busyboxImage, dockerArchive } from '../test-images.ts';
import { ControlPlane, type Side } from './control-plane.ts';
import { errorsOf } from './logs.ts';
import { exists } from './workloads.ts';

/** The API server reaches the kubelet by the name of its node. */
const NODE = 'localhost';
/** Of this process only: its processes are killed in the end. */
const CGROUP = `/k8ts-interchange-${process.pid}`;
const POD = 'web';
const IMAGE = 'docker.io/library/busybox:test';
const SETTLED_MS = 15_000;
const LIMIT_MS = 60_000;

/** Upstream's kubelet has the device plugins at a fixed place, which other kubelets of the machine have, too. */
const DEVICE_PLUGINS = '/var/lib/kubelet/device-plugins';
const WITH_OWN_DEVICE_PLUGINS =
  `mkdir -p "$0/kubelet/device-plugins" ${DEVICE_PLUGINS} && ` +
  `mount --bind "$0/kubelet/device-plugins" ${DEVICE_PLUGINS} && exec "$@"`;

/** What the cells of kubelets need. */
export const KUBELETS = [
  'root',
  'kube-apiserver',
  'kube-controller-manager',
  'kubelet',
  'etcd',
  'kubectl',
  'runc',
  'busybox',
  'umount',
  'unshare',
] as const;

export type Runtime = 'k8ts' | 'containerd';

interface KubeletNodeOptions {
  readonly apiServer: Side;
  readonly runtime: Runtime;
  /** Fields of the KubeletConfiguration, beside those that every node here has. */
  readonly configuration?: object;
}

export class KubeletNode {
  readonly plane: ControlPlane;
  readonly directory = mkdtempSync('/tmp/k8ts-kubelets-');
  readonly #children = new Set<ChildProcess>();
  #containerd: NodeRuntime | undefined;
  #flags: readonly string[] = [];
  #kubelet: { side: Side; child: ChildProcess; logFile: string } | undefined;
  readonly #kubeletLogs: string[] = [];

  private constructor(plane: ControlPlane) {
    this.plane = plane;
  }

  static async create({ apiServer, runtime, configuration = {} }: KubeletNodeOptions): Promise<KubeletNode> {
    const plane = await ControlPlane.start('upstream', apiServer, ['--kubelet-preferred-address-types=Hostname']);
    const node = new KubeletNode(plane);
    try {
      await plane.run('kube-controller-manager', apiServer);
      await plane.client.resource('rbac.authorization.k8s.io/v1/clusterrolebindings').create({
        metadata: { name: 'kubelet-client' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'system:kubelet-api-admin' },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'kube-apiserver-kubelet-client' }],
      });
      const socket = await (runtime === 'containerd' ? node.#startContainerd() : node.#startOwnRuntime());
      const account = (): Promise<boolean> => exists(plane.client, 'v1/serviceaccounts', 'default', 'default');
      await until('the default ServiceAccount exists', account, { limitMs: LIMIT_MS });
      node.#flags = await node.#writeKubeletFiles({ socket, configuration });
      return node;
    } catch (error) {
      await node.close();
      throw error;
    }
  }

  /** The kubelet's log since its start. */
  kubeletLog(): string {
    return this.#kubelet ? readFileSync(this.#kubelet.logFile, 'utf8') : '';
  }

  /** What the kubelets and the control plane have logged as errors so far. */
  errors(): string[] {
    const ofKubelets = this.#kubeletLogs.flatMap((file) => errorsOf(readFileSync(file, 'utf8')));
    const ofPlane = (['kube-apiserver', 'kube-controller-manager'] as const).flatMap((component) =>
      errorsOf(this.plane.log(component)).map((line) => `${component} ${line}`),
    );
    return [...new Set([...ofKubelets.map((line) => `kubelet ${line}`), ...ofPlane])].map((line) =>
      line.replaceAll(this.directory, 'DIRECTORY'),
    );
  }

  /** A file in the kubelet's directory. */
  stateFile(name: string): string {
    return readFileSync(this.kubeletFile(name), 'utf8');
  }

  kubeletFile(name: string): string {
    return join(this.directory, 'kubelet', name);
  }

  async startKubelet(side: Side): Promise<void> {
    const logFile = join(this.directory, `kubelet-${side}-${this.#kubeletLogs.length}.log`);
    this.#kubeletLogs.push(logFile);
    this.#kubelet = { side, child: await this.#start(side, 'kubelet', { flags: this.#flags, logFile }), logFile };
  }

  async endKubelet(): Promise<void> {
    const child = this.#kubelet?.child;
    if (child) await end(child);
  }

  /** One kubelet follows the other; it must run long enough to have synced every pod. */
  async exchangeKubelet(side: Side): Promise<void> {
    await this.endKubelet();
    await this.startKubelet(side);
    await this.plane.ctx.clock.sleep(SETTLED_MS);
    if (this.#kubelet!.child.exitCode !== null)
      throw new Error(`the kubelet of ${side} ended:\n${this.kubeletLog().slice(-3000)}`);
  }

  async untilRegistered(): Promise<void> {
    const isThere = async (): Promise<boolean> => {
      const { items } = await this.plane.client.resource('v1/nodes').list();
      return items.some(({ status }) => status?.conditions?.some(({ type }) => type === 'Ready'));
    };
    await until('the node registers', isThere, this.#wait());
  }

  /** Starts a pod and waits until its container runs. */
  async runPod(resources: object = {}, name = POD): Promise<ContainerStatus> {
    await this.plane.client.resource('v1/pods').create({
      metadata: { name, namespace: 'default' },
      spec: {
        nodeName: NODE,
        hostNetwork: true,
        automountServiceAccountToken: false,
        tolerations: [{ operator: 'Exists' }],
        terminationGracePeriodSeconds: 1,
        containers: [
          {
            name: 'c',
            image: IMAGE,
            imagePullPolicy: 'Never',
            command: ['sh', '-c', 'trap exit TERM; while :; do sleep 1; done'],
            resources,
          },
        ],
      },
    });
    const isRunning = async (): Promise<boolean> => (await this.status(name))?.state?.running !== undefined;
    await until('the container runs', isRunning, this.#wait());
    return (await this.status(name))!;
  }

  async status(name = POD): Promise<ContainerStatus | undefined> {
    const pod = await this.plane.client.resource('v1/pods').get({ namespace: 'default', name });
    return pod.status?.containerStatuses?.[0];
  }

  /** What the kubelets said about the pod, for a failed expectation. */
  async explainRestart(): Promise<string> {
    const status = await this.status();
    if (!status?.restartCount) return '';
    const { items } = await this.plane.client.resource('v1/events').list({ namespace: 'default' });
    const events = items.map(({ reason, message }) => `${reason}: ${message}`);
    return [JSON.stringify(status), ...events, this.kubeletLog().slice(-5000)].join('\n');
  }

  /** Exit code and output of a command in the pod. */
  exec(command: string, pod = POD): Promise<{ code: unknown; stdout: string; stderr: string }> {
    return new Promise((resolve) =>
      execFile(
        findProgram('kubectl')!,
        [`--kubeconfig=${this.plane.kubeconfig}`, 'exec', pod, '--', 'sh', '-c', command],
        { timeout: 20_000 },
        (error, stdout, stderr) => resolve({ code: error?.code ?? 0, stdout, stderr }),
      ),
    );
  }

  async close(): Promise<void> {
    await this.#removePods().catch(() => {});
    for (const child of [...this.#children].reverse()) await end(child);
    // Where the pod is still there, because its kubelet failed, conmon or the shim and the container go on.
    for (const root of ['', ...readdirSync('/sys/fs/cgroup')]) killAll(join('/sys/fs/cgroup', root, CGROUP));
    this.#killContainers();
    await this.#containerd?.stop();
    await this.plane.stop();
    // Upstream's kubelet mounts its directory onto itself.
    const mounts = readFileSync('/proc/self/mountinfo', 'utf8').split('\n');
    const below = mounts
      .map((line) => line.split(' ')[4] ?? '')
      .filter((path) => path.startsWith(`${this.directory}/`));
    for (const path of below.reverse()) execFileSync('umount', ['-l', path]);
    rmSync(this.directory, { recursive: true, force: true });
    for (const root of ['', ...readdirSync('/sys/fs/cgroup')]) removeCgroup(join('/sys/fs/cgroup', root, CGROUP));
  }

  #wait(): { limitMs: number; intervalMs: number; details: () => string } {
    return { limitMs: LIMIT_MS, intervalMs: 500, details: () => this.kubeletLog().slice(-3000) };
  }

  async #startOwnRuntime(): Promise<string> {
    const path = (name: string): string => join(this.directory, name);
    mkdirSync(path('state'));
    writeFileSync(path('image.tar'), dockerArchive(busyboxImage(IMAGE)));
    await this.#start('k8ts', 'container-runtime', {
      flags: [
        `--listen=${path('cri.sock')}`,
        `--root=${path('root')}`,
        `--state=${path('state')}`,
        `--load-archive=${path('image.tar')}`,
        '--network=none',
        `--cgroup-parent=${CGROUP}`,
      ],
      logFile: path('container-runtime.log'),
    });
    await until('the runtime listens', () => existsSync(path('cri.sock')), { limitMs: LIMIT_MS });
    return path('cri.sock');
  }

  async #startContainerd(): Promise<string> {
    const stateDirectory = join(this.directory, 'state');
    const place = { dataDirectory: this.directory, stateDirectory, netns: undefined };
    this.#containerd = await containerd(this.plane.ctx, place);
    await this.#containerd.load(busyboxImage(IMAGE));
    return join(stateDirectory, 'containerd.sock');
  }

  /** containerd's shims outlive it. */
  #killContainers(): void {
    if (!this.#containerd) return;
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
        if (!command.includes('containerd-shim') || !command.includes(this.directory)) continue;
        process.kill(Number(pid), 'SIGKILL');
      } catch {
        // It has ended meanwhile.
      }
    }
  }

  async #removePods(): Promise<void> {
    const pods = this.plane.client.resource('v1/pods');
    for (const { metadata } of (await pods.list({ namespace: 'default' })).items)
      await pods.delete({ namespace: 'default', name: metadata.name! });
    await until('the pods are gone', async () => (await pods.list({ namespace: 'default' })).items.length === 0, {
      limitMs: 30_000,
      intervalMs: 500,
    });
  }

  async #start(
    side: Side,
    component: string,
    { flags, logFile }: { flags: readonly string[]; logFile: string },
  ): Promise<ChildProcess> {
    const [command, args] =
      side === 'upstream'
        ? [
            'unshare',
            ['--mount', 'sh', '-c', WITH_OWN_DEVICE_PLUGINS, this.directory, findProgram(component)!, ...flags],
          ]
        : [process.execPath, [await builtProgram(), component, ...flags]];
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    const log = createWriteStream(logFile);
    child.stdout.pipe(log, { end: false });
    child.stderr.pipe(log, { end: false });
    this.#children.add(child);
    return child;
  }

  async #writeKubeletFiles({ socket, configuration }: { socket: string; configuration: object }): Promise<string[]> {
    const { plane } = this;
    const path = (name: string): string => join(this.directory, name);
    const authority = await loadAuthority({
      certificate: readFileSync(plane.file('ca.crt'), 'utf8'),
      key: readFileSync(plane.file('ca.key'), 'utf8'),
    });
    const { certificate, key } = await issueCertificate(plane.ctx, authority, {
      commonName: `system:node:${NODE}`,
      organizations: ['system:nodes'],
      usage: 'client',
    });
    const admin = JSON.parse(readFileSync(plane.kubeconfig, 'utf8')) as Record<string, unknown>;
    const user = { 'client-certificate': path('node.crt'), 'client-key': path('node.key') };
    writeFileSync(user['client-certificate'], certificate);
    writeFileSync(user['client-key'], key, { mode: 0o600 });
    writeFileSync(path('kubelet.kubeconfig'), JSON.stringify({ ...admin, users: [{ name: 'a', user }] }));
    const common = kubeletConfiguration({
      port: await freePort(),
      clientCAFile: plane.file('ca.crt'),
      socket,
      podLogsDir: path('pods'),
    });
    writeFileSync(path('kubelet.json'), JSON.stringify({ ...common, ...configuration }));
    return [
      `--config=${path('kubelet.json')}`,
      `--kubeconfig=${path('kubelet.kubeconfig')}`,
      `--root-dir=${path('kubelet')}`,
      `--cert-dir=${path('pki')}`,
      `--hostname-override=${NODE}`,
    ];
  }
}

export interface KubeletStory {
  readonly first: Side;
  readonly second: Side;
  /** Of the container. */
  readonly resources?: object;
  /** Called while each of the kubelets runs. */
  readonly afterEach?: () => void;
}

/** The errors that all parts log while upstream's kubelet is started again and again on upstream's control plane. */
export async function errorsOfUpstreamAlone(runtime: Runtime): Promise<string[]> {
  const node = await KubeletNode.create({ apiServer: 'upstream', runtime });
  try {
    await exchangeKubelets(node, { first: 'upstream', second: 'upstream' });
    return node.errors();
  } finally {
    await node.close();
  }
}

/** The story of a cell: a pod's container and `exec` into it, through an exchange of kubelets and back. */
export async function exchangeKubelets(
  node: KubeletNode,
  { first, second, resources, afterEach = () => {} }: KubeletStory,
): Promise<void> {
  await node.startKubelet(first);
  await node.untilRegistered();
  const before = await node.runPod(resources);
  const answer = { code: 3, stdout: 'out\n', stderr: 'err\ncommand terminated with exit code 3\n' };
  for (const side of [second, first]) {
    expect(await node.exec('echo out; echo err >&2; exit 3')).toEqual(answer);
    afterEach();
    await node.exchangeKubelet(side);
    const now = await node.status();
    expect([now?.containerID, now?.restartCount, now?.state], await node.explainRestart()).toEqual([
      before.containerID,
      0,
      before.state,
    ]);
  }
  expect(await node.exec('echo out; echo err >&2; exit 3')).toEqual(answer);
  afterEach();
}

function killAll(cgroup: string): void {
  if (!existsSync(join(cgroup, 'cgroup.procs'))) return;
  for (const pid of readFileSync(join(cgroup, 'cgroup.procs'), 'utf8').split('\n').filter(Boolean)) {
    try {
      process.kill(Number(pid), 'SIGKILL');
    } catch {
      // Killed already, by another hierarchy.
    }
  }
  for (const { name } of readdirSync(cgroup, { withFileTypes: true }).filter((entry) => entry.isDirectory()))
    killAll(join(cgroup, name));
}

/** With those of its containers, if they are empty. */
function removeCgroup(path: string): void {
  if (!existsSync(path)) return;
  for (const { name } of readdirSync(path, { withFileTypes: true }).filter((entry) => entry.isDirectory()))
    removeCgroup(join(path, name));
  try {
    rmdirSync(path);
  } catch {
    // Of cgroups of version 1, some are one under two names.
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await Promise.race([once(child, 'exit'), new Promise((resolve) => setTimeout(resolve, 10_000))]);
  child.kill('SIGKILL');
}

interface Endpoints {
  readonly port: number;
  readonly clientCAFile: string;
  readonly socket: string;
  readonly podLogsDir: string;
}

/** One configuration for both. Pods get no cgroups of their own: the test must not touch those of the machine. */
const kubeletConfiguration = ({ port, clientCAFile, socket, podLogsDir }: Endpoints): object => ({
  apiVersion: 'kubelet.config.k8s.io/v1beta1',
  kind: 'KubeletConfiguration',
  address: '127.0.0.1',
  port,
  readOnlyPort: 0,
  healthzPort: 0,
  authentication: { anonymous: { enabled: false }, webhook: { enabled: true }, x509: { clientCAFile } },
  authorization: { mode: 'Webhook' },
  containerRuntimeEndpoint: `unix://${socket}`,
  cgroupDriver: 'cgroupfs',
  cgroupsPerQOS: false,
  enforceNodeAllocatable: [],
  failCgroupV1: false,
  failSwapOn: false,
  podLogsDir,
  evictionHard: {
    'memory.available': '0%',
    'nodefs.available': '0%',
    'imagefs.available': '0%',
    'nodefs.inodesFree': '0%',
  },
  imageGCHighThresholdPercent: 100,
  syncFrequency: '1s',
});
