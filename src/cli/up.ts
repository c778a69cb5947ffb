/** `k8ts up`: a cluster in the foreground until Ctrl-C, or in the background with --detach. */
import os from 'node:os';
import path from 'node:path';
import type { Pod } from '../api/generated/core-v1.ts';
import { servedApis } from '../apiserver/index.ts';
import { loadKubeconfig } from '../client/index.ts';
import {
  Faults,
  ADDONS,
  readClusterRecord,
  connectHostNetwork,
  insideNamespaces,
  isLoopbackHost,
  machineAddresses,
  publishPort,
  realNodesObstacle,
  rootlessObstacle,
  serveControlSocket,
  startCluster,
  type Addon,
  type Cluster,
  type ClusterOptions,
  type HostNetwork,
  type ClusterRecord,
  type Inside,
  type Obstacle,
  updateClusterRecord,
} from '../cluster/index.ts';
import type { Console } from '../console/index.ts';
import { flagsHelp, type FlagTable, type FlagValues, parseFlags } from '../flags/index.ts';
import type { Context, ContextOptions } from '../kernel/index.ts';
import { checkEncryption } from './check-encryption.ts';
import { checkUpFlags } from './check-up-flags.ts';
import { CommandError, outputFlag } from './command.ts';
import type { Experiments } from './console-laboratory.ts';
import type { PodName } from './console-questions.ts';
import { detach } from './detach.ts';
import { checkFileLimit } from './file-limit.ts';
import { clusterName, mergeKubeconfig } from './merge-kubeconfig.ts';
import { printNotice, Progress } from './output.ts';
import { claimDirectory, ephemeralDirectory, readProcessFile } from './process-file.ts';
import { printReady, secondsSinceProcessStart } from './ready.ts';
import { registryMirrors } from './registry-mirrors.ts';
import { startConsole } from './start-console.ts';
import { untilSignal } from './until-signal.ts';
import { upRootless } from './up-rootless.ts';

export const flags = {
  'data-dir': { kind: 'text', summary: 'Data directory of the cluster (default .k8ts)' },
  ephemeral: { kind: 'switch', summary: 'Keep everything in memory' },
  'etcd-servers': { kind: 'texts', summary: 'Keep the cluster in a real etcd instead' },
  port: { kind: 'whole', default: 6443, summary: 'Port of the API server; 0 selects a free one' },
  'bind-address': { kind: 'text', default: '127.0.0.1', summary: 'Address that the API server listens on' },
  'advertise-address': {
    kind: 'text',
    summary: 'Address under which other machines reach this one (default: --bind-address, or the first)',
  },
  'node-name': { kind: 'text', summary: "Name of this machine's node, with --bind-address (default: the host name)" },
  encrypt: {
    kind: 'switch',
    summary: "Encrypt what pods send to other machines with the kernel's WireGuard, with --bind-address",
  },
  'load-balancer-pool': {
    kind: 'texts',
    summary: 'Address ranges for LoadBalancer Services, which machines announce on their link',
  },
  kubeconfig: {
    kind: 'text',
    summary: 'File into which the admin kubeconfig is merged (default DIR/kubeconfig)',
  },
  nodes: {
    kind: 'whole',
    summary: 'Nodes that run containers; simulated ones where that is impossible (default 1, with --simulated-nodes 0)',
  },
  egress: { kind: 'switch', summary: 'Allow containers to connect to addresses outside the cluster' },
  'registry-mirror': {
    kind: 'texts',
    summary: 'Mirrors of registries, URL for all or HOST=URL for one, which are tried first',
  },
  'registry-hosts-dir': {
    kind: 'text',
    summary: 'Directory of registry mirrors and certificates, as containerd’s certs.d',
  },
  'simulated-nodes': { kind: 'whole', default: 0, summary: 'Nodes that run no containers' },
  controllers: {
    kind: 'texts',
    default: ['*'],
    summary: 'Controllers to run: * for all, -name to disable one, none for none',
  },
  addons: {
    kind: 'texts',
    default: [...ADDONS],
    summary: `Addons to install: ${ADDONS.join(', ')}, or none`,
  },
  'runtime-config': { kind: 'pairs', summary: 'API versions to serve besides the stable ones: api/all=true for all' },
  'feature-gates': { kind: 'pairs', summary: 'Feature gates of the API server: NAME=true, or AllAlpha=true for all' },
  'service-cluster-ip-range': { kind: 'text', default: '10.96.0.0/16', summary: 'CIDR ranges of Services' },
  'cluster-cidr': { kind: 'text', default: '10.244.0.0/16', summary: 'CIDR ranges of pods' },
  console: { kind: 'switch', default: true, summary: 'Serve the web console' },
  'console-port': {
    kind: 'whole',
    summary: 'Port of the web console; 0 selects a free one (default: the one after --port, if it is free)',
  },
  history: {
    kind: 'duration',
    default: 60 * 60_000,
    summary: 'How long old revisions are kept, for "k8ts history" and "k8ts at"; at most 24 MiB',
  },
  tracing: { kind: 'switch', default: true, summary: 'Keep the newest spans in memory, for "k8ts trace"' },
  detach: { kind: 'switch', summary: 'Return when the cluster is ready, and leave it running' },
  wait: { kind: 'duration', default: 60_000, summary: 'How long to wait for the cluster to be ready' },
  ...outputFlag,
  v: { kind: 'whole', shorthand: 'v', default: 0, summary: 'Log verbosity' },
} as const satisfies FlagTable;

type Values = FlagValues<typeof flags>;

const contextOf = ({ v, tracing }: Values): Omit<ContextOptions, 'signal'> => ({
  verbosity: v,
  ...(tracing ? { tracer: 'memory' } : {}),
});

export async function run(argv: readonly string[]): Promise<number> {
  const { values, help } = parseFlags(argv, flags);
  if (help) {
    console.log(flagsHelp(flags, { usage: 'k8ts up: start a cluster' }));
    return 0;
  }
  checkUpFlags(values);
  if (values.encrypt) await checkEncryption();
  registryMirrors(values['registry-mirror'] ?? []);
  servedApis(values['runtime-config'] ?? {}, values['feature-gates'] ?? {});
  checkFileLimit();
  const directory =
    values.ephemeral && values['data-dir'] === undefined ? undefined : path.resolve(values['data-dir'] ?? '.k8ts');
  const record = directory === undefined ? undefined : readClusterRecord(directory);
  const planned = plan(values, record);
  const inside = insideNamespaces();
  // Beside a cluster that runs in the directory, this start is refused and removes nothing.
  const isRefused = directory !== undefined && readProcessFile(directory) !== undefined;
  if (planned.removal && !inside && !isRefused) printNotice(values.output, planned.removal);
  if (values.detach)
    return detach('up', argv, { ...(directory ? { directory } : {}), waitMs: values.wait, output: values.output });
  if (inside) return upInside(inside, { values, planned });
  const runtimeDirectory = directory ?? (process.env['K8TS_EPHEMERAL_DIRECTORY'] || (await ephemeralDirectory()));
  const { socket, release: releaseDirectory } = claimDirectory(runtimeDirectory, values.ephemeral ?? false);
  try {
    if (planned.nodes > 0 && process.getuid?.() !== 0)
      return await upRootless(argv, {
        runtimeDirectory,
        socket,
        output: values.output,
        ephemeral: !directory,
        egress: values.egress ?? false,
      });
    const { ctx, stop, release } = untilSignal(contextOf(values));
    try {
      return await runCluster(ctx, { values, planned, runtimeDirectory, socket, stop });
    } finally {
      release();
    }
  } finally {
    await releaseDirectory();
  }
}

/** The cluster of an ordinary user, in the namespaces that `upRootless` has made. */
async function upInside(inside: Inside, { values, planned }: Pick<Run, 'values' | 'planned'>): Promise<number> {
  const { ctx, stop, release } = untilSignal(contextOf(values));
  process.on('message', (message: { stop?: true } | null) => message?.stop && stop());
  // Who started the namespaces is gone.
  process.once('disconnect', () => process.exit(1));
  try {
    return await runCluster(ctx, { ...inside, values, planned, stop, inside });
  } finally {
    release();
    // An error is still to be told, but nothing waits for more messages.
    process.channel?.unref();
  }
}

interface Plan {
  readonly nodes: number;
  readonly simulatedNodes: number;
  /** The node that this machine itself is. */
  readonly machineNode?: NonNullable<ClusterOptions['machineNode']>;
  /** Simulated nodes in place of nodes that run containers. */
  readonly standIns?: number;
  readonly addons: readonly Addon[];
  readonly controllers: readonly string[];
  /** A notice for the user. */
  readonly notice?: string;
  /** Warns about what this start discards, before it does. */
  readonly removal?: string;
}

/** Decides between real and simulated nodes. Without flags, the nodes of the last start come back. */
function plan(values: Values, record: ClusterRecord | undefined): Plan {
  const standIns = record?.standIns ?? [];
  const remembered = record?.nodes && (record.nodes.length || standIns.length);
  const wanted = values.nodes ?? remembered ?? (values['simulated-nodes'] > 0 ? 0 : 1);
  const addons = values.addons.filter((name) => name !== 'none' && name !== '');
  const unknown = addons.find((name) => !(ADDONS as readonly string[]).includes(name));
  if (unknown !== undefined)
    throw new CommandError(`there is no addon ${unknown}; there are ${ADDONS.join(', ')}, and none`);
  const rest = {
    addons: addons as Addon[],
    controllers: values.controllers.filter((name) => name !== 'none' && name !== ''),
  };
  const obstacle = wanted > 0 ? nodesObstacle() : undefined;
  if (!obstacle && isMachineWanted(values, record))
    return { ...rest, nodes: 0, simulatedNodes: 0, machineNode: machineNode(values) };
  if (record?.machineNode)
    throw new CommandError(
      `the node of this cluster is the machine itself; start it with --bind-address ${record.machineNode.addresses[0]} and without --nodes, or with another --data-dir`,
    );
  const surplus = (record?.nodes ?? []).slice(obstacle ? 0 : wanted);
  const replaced = obstacle || wanted === 0 ? [] : standIns;
  const removal =
    surplus.length > 0
      ? removing(surplus, obstacle?.reason ?? `--nodes ${wanted}, and there were ${record!.nodes!.length}`)
      : replaced.length > 0
        ? removing(replaced, 'nodes can run containers now')
        : {};
  if (!obstacle) return { ...rest, ...removal, nodes: wanted, simulatedNodes: values['simulated-nodes'] };
  if (obstacle.kind === 'missing' && values.nodes !== undefined)
    throw new CommandError(`${obstacle.reason}; or run simulated nodes with --nodes 0 --simulated-nodes ${wanted}`);
  const notice = `${wanted === 1 ? 'The node is' : `${wanted} nodes are`} simulated and run${wanted === 1 ? 's' : ''} no containers: ${obstacle.reason}.`;
  return {
    ...rest,
    ...removal,
    nodes: 0,
    simulatedNodes: values['simulated-nodes'] + wanted,
    standIns: wanted,
    notice,
  };
}

/** With an address that other machines reach, this machine's node is one that they reach, too. */
const isMachineWanted = (values: Values, record: ClusterRecord | undefined): boolean =>
  values.nodes === undefined &&
  values['simulated-nodes'] === 0 &&
  !values.ephemeral &&
  !isLoopbackHost(values['bind-address']) &&
  process.getuid?.() === 0 &&
  values.addons.includes('join') &&
  (record?.nodes ?? []).length === 0;

function machineNode(values: Values): NonNullable<ClusterOptions['machineNode']> {
  const bind = values['bind-address'];
  const first = values['advertise-address'] ?? (bind === '0.0.0.0' || bind === '::' ? undefined : bind);
  const addresses = machineAddresses(first);
  if (addresses.length === 0)
    throw new CommandError('this machine has no address that others could reach; see "ip address"');
  const encrypt = values.encrypt ? { encrypt: true } : {};
  return { nodeName: (values['node-name'] ?? os.hostname()).toLowerCase(), addresses, ...encrypt };
}

/** Root runs containers as it is, other users in namespaces of their own. */
const nodesObstacle = (): Obstacle | undefined =>
  process.platform === 'linux' && process.getuid?.() !== 0 ? rootlessObstacle() : realNodesObstacle();

const removing = (nodes: readonly string[], reason: string): Pick<Plan, 'removal'> => ({
  removal: `Removing ${nodes.join(', ')} with ${nodes.length === 1 ? 'its' : 'their'} pods: ${reason}.`,
});

interface Run {
  readonly values: Values;
  readonly planned: Plan;
  /** Where the kubeconfig and the socket are; the data too, unless it is kept in memory. */
  readonly runtimeDirectory: string;
  readonly socket: string;
  readonly stop: (reason?: unknown) => void;
  /** For a cluster in the namespaces of an ordinary user. */
  readonly inside?: Inside;
}

async function runCluster(ctx: Context, run: Run): Promise<number> {
  const { values, planned, runtimeDirectory, stop, inside } = run;
  const hostNetwork = inside && connectHostNetwork();
  const progress = new Progress();
  const options = clusterOptions(values, planned, runtimeDirectory);
  let reached: string | undefined;
  const late = ctx.clock.after(values.wait, () => stop(new CommandError(tooLate(values, reached))));
  const faults = new Faults(ctx.clock, ctx.random.fork('faults'));
  let cluster: Cluster;
  try {
    cluster = await startCluster(ctx, {
      ...options,
      ...(values.console ? { intercept: interceptOnceUsed(faults) } : {}),
      ...(inside && hostNetwork ? { hostNetwork, limits: inside.limits } : {}),
      ownThread: true,
      onProgress: (step) => progress.show((reached = step)),
    });
  } catch (error) {
    /** An interrupted start fails in many ways, with one cause. */
    throw ctx.signal.aborted ? ctx.signal.reason : error;
  } finally {
    late.cancel();
    progress.clear();
  }
  if (ctx.signal.aborted) {
    await cluster.finished.catch(() => undefined);
    throw ctx.signal.reason;
  }
  try {
    return await serveCluster(ctx, { ...run, cluster, faults, ...(hostNetwork ? { hostNetwork } : {}) });
  } catch (error) {
    stop(error);
    await cluster.finished.catch(() => undefined);
    throw error;
  }
}

/** Start steps that wait for etcd. */
const ANSWERED_BY_ETCD: ReadonlySet<string> = new Set(['API server answers', 'nodes registered']);

function tooLate({ wait, 'etcd-servers': etcd }: Values, reached: string | undefined): string {
  if (etcd && !ANSWERED_BY_ETCD.has(reached ?? ''))
    return `etcd has not answered at ${etcd.join(', ')} for ${wait / 1000} s; is it running, and is that its address?`;
  return `the cluster was not ready after ${wait / 1000} s; give it more time with --wait, or see what it does with -v 2`;
}

interface Serving extends Omit<Run, 'runtimeDirectory'> {
  readonly cluster: Cluster;
  readonly faults: Faults;
  /** The user's network, for a cluster in namespaces. */
  readonly hostNetwork?: HostNetwork;
}

async function serveCluster(
  ctx: Context,
  { values, planned, socket, stop, cluster, faults, inside, hostNetwork }: Serving,
): Promise<number> {
  const control = await serveControlSocket(ctx, cluster, { socket, stop, pid: inside?.pid ?? process.pid });
  if (values.kubeconfig) {
    const file = path.resolve(values.kubeconfig);
    await mergeKubeconfig(file, cluster.kubeconfig, clusterName(values['data-dir']));
    if (!values.ephemeral) await rememberKubeconfig(path.resolve(values['data-dir'] ?? '.k8ts'), file);
  }
  const webConsole = values.console ? await openConsole(ctx, { cluster, values, faults, hostNetwork }) : undefined;
  const ready = {
    server: cluster.server,
    kubeconfig: values.kubeconfig ? path.resolve(values.kubeconfig) : cluster.kubeconfigFile,
    pid: process.pid,
    readySeconds: secondsSinceProcessStart(ctx.clock),
    ...(cluster.ingress ? { ingress: cluster.ingress } : {}),
    ...(webConsole ? { console: webConsole.createLink() } : {}),
    ...notices([
      planned.notice,
      values.kubeconfig ? undefined : rootsKubeconfig(),
      inside && !inside.limits ? NO_LIMITS : undefined,
      planned.machineNode ? HOW_TO_JOIN : undefined,
    ]),
  };
  // Outside, the command that started the namespaces prints it.
  if (!inside) printReady(values.output, ready);
  process.send?.({ ready });
  await cluster.finished;
  await control.finished;
  await webConsole?.finished;
  if (values.output !== 'json') console.log('stopped');
  return 0;
}

/** Requests pass untouched until the laboratory orders the first fault. */
const interceptOnceUsed =
  (faults: Faults): NonNullable<ClusterOptions['intercept']> =>
  (handle) => {
    const faulty = faults.intercept(handle);
    return (request) => (faults.isUsed ? faulty(request) : handle(request));
  };

function experimentsOf({ simulatedNodes, components }: Cluster, faults: Faults): Experiments {
  return {
    get nodes() {
      return simulatedNodes.names;
    },
    addNodes: (count) => simulatedNodes.add({ count }),
    removeNode: (name) => simulatedNodes.remove(name),
    faults: {
      errors: (options) => faults.errors(options),
      conflicts: (options) => faults.conflicts(options),
      timeoutsAfterWrite: (options) => faults.timeoutsAfterWrite(options),
      delay: (ms, options) => faults.delay(ms, options),
      silenceNode: (name, silent) => simulatedNodes.silence(name, silent),
      kill: (component) => components.stop(component),
      restart: (component) => components.start(component),
    },
  };
}

interface Opening {
  readonly cluster: Cluster;
  readonly values: Values;
  readonly faults: Faults;
  readonly hostNetwork: HostNetwork | undefined;
}

/** Only a socket until somebody opens the link. */
async function openConsole(
  ctx: Context,
  { cluster, values, faults, hostNetwork }: Opening,
): Promise<Console | undefined> {
  if (cluster.kubeconfigFile === undefined) return undefined;
  const config = await loadKubeconfig({ clock: ctx.clock, file: cluster.kubeconfigFile });
  const port = values['console-port'] ?? (values.port === 0 ? 0 : values.port + 1);
  const options = {
    config,
    schedulingDecision: (pod: PodName) => Promise.resolve(cluster.schedulingDecision(pod)),
    wouldFit: (pod: Pod) => Promise.resolve(cluster.wouldFit(pod)),
    ...(cluster.fleet ? {} : { experiments: experimentsOf(cluster, faults) }),
  };
  // The loopback of a rootless cluster's namespace is not the user's: the user's gets the same port.
  const start = async (wanted: number): Promise<Console> =>
    startConsole(ctx, {
      ...options,
      port: hostNetwork ? await publishPort(hostNetwork, { host: '127.0.0.1', port: wanted }) : wanted,
    });
  try {
    return await start(port);
  } catch (error) {
    if (values['console-port'] !== undefined) throw error;
    return start(0);
  }
}

/** For `k8ts delete`. */
async function rememberKubeconfig(directory: string, file: string): Promise<void> {
  const known = readClusterRecord(directory)?.kubeconfigs ?? [];
  if (!known.includes(file)) await updateClusterRecord(directory, { kubeconfigs: [...known, file] });
}

const notices = (all: readonly (string | undefined)[]): { notice?: string } => {
  const said = all.filter((notice) => notice !== undefined);
  return said.length > 0 ? { notice: said.join('\n') } : {};
};

const HOW_TO_JOIN = 'Other machines join with the line that "k8ts token create" prints.';

const NO_LIMITS =
  'Limits of containers are not enforced: systemd delegates no cgroup with cpu, memory and pids to this user.';

const rootsKubeconfig = (): string | undefined =>
  process.getuid?.() === 0 && process.env['SUDO_UID'] !== undefined
    ? 'The kubeconfig belongs to root: use "sudo kubectl --kubeconfig FILE", or start with --kubeconfig ~/.kube/config, which stays owned by you.'
    : undefined;

function clusterOptions(values: Values, planned: Plan, directory: string): ClusterOptions {
  return {
    ...(values.ephemeral ? { kubeconfig: path.join(directory, 'kubeconfig') } : { dataDirectory: directory }),
    ...(values['etcd-servers'] ? { etcdServers: values['etcd-servers'] } : {}),
    bindAddress: values['bind-address'],
    port: values.port,
    serviceClusterIpRange: values['service-cluster-ip-range'],
    clusterCidr: values['cluster-cidr'],
    historyMs: values.history,
    ...(values['runtime-config'] ? { runtimeConfig: values['runtime-config'] } : {}),
    ...(values['feature-gates'] ? { featureGates: values['feature-gates'] } : {}),
    controllers: planned.controllers,
    addons: planned.addons,
    nodes: planned.nodes,
    ...(planned.machineNode ? { machineNode: planned.machineNode } : {}),
    ...(values['advertise-address'] ? { advertiseAddress: values['advertise-address'] } : {}),
    ...(values['load-balancer-pool'] ? { loadBalancerPool: values['load-balancer-pool'] } : {}),
    ...(values.egress ? { egress: true } : {}),
    registries: {
      ...(values['registry-mirror'] ? { hosts: registryMirrors(values['registry-mirror']) } : {}),
      ...(values['registry-hosts-dir'] ? { hostsDirectory: path.resolve(values['registry-hosts-dir']) } : {}),
    },
    simulatedNodes: planned.simulatedNodes,
    ...(planned.standIns ? { standIns: planned.standIns } : {}),
  };
}
