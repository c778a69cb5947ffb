/** `k8ts up`: a cluster in the foreground until Ctrl-C, or in the background with --detach. */
import os from 'node:os';
import path from 'node:path';
import { servedApis } from '../apiserver/index.ts';
import {
  ADDONS,
  PROFILES,
  readClusterRecord,
  insideNamespaces,
  isLoopbackHost,
  realNodesObstacle,
  rootlessObstacle,
  type Addon,
  type ClusterOptions,
  type ClusterRecord,
  type Inside,
  type ManagedEtcdOptions,
  type Obstacle,
  type Profile,
} from '../cluster/index.ts';
import { flagsHelp, type FlagTable, type FlagValues } from '../flags/index.ts';
import type { ContextOptions } from '../kernel/index.ts';
import { machineAddresses } from '../net/interfaces/index.ts';
import { auditFile, auditFlags } from './audit-file.ts';
import { checkEncryption } from './check-encryption.ts';
import { checkUpFlags } from './check-up-flags.ts';
import { CommandError, outputFlag } from './command.ts';
import { detach } from './detach.ts';
import { etcdFlags, etcdTlsOf, managedEtcdOf } from './etcd-flags.ts';
import { checkFileLimit } from './file-limit.ts';
import { boundLogFile } from './log-rotation.ts';
import { printNotice } from './output.ts';
import { configFlag, parseConfigured } from './parse-configured.ts';
import { claimDirectory, ephemeralDirectory, readProcessFile } from './process-file.ts';
import { registryMirrors } from './registry-mirrors.ts';
import { runServer } from './run-server.ts';
import { takeServiceNotifier } from './service-notifier.ts';
import { snapshotFlags } from './start-snapshots.ts';
import { untilSignal } from './until-signal.ts';
import { upRootless } from './up-rootless.ts';

export const flags = {
  ...configFlag,
  'data-dir': { kind: 'text', path: true, summary: 'Data directory of the cluster (default .k8ts)' },
  ephemeral: { kind: 'switch', summary: 'Keep everything in memory' },
  ...etcdFlags,
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
    path: true,
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
    path: true,
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
  profile: { kind: 'text', only: PROFILES, summary: 'Settings under one name: cis for the CIS Kubernetes Benchmark' },
  ...auditFlags,
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
  ...snapshotFlags,
  tracing: { kind: 'switch', default: true, summary: 'Keep the newest spans in memory, for "k8ts trace"' },
  detach: {
    kind: 'switch',
    commandLineOnly: true,
    summary: 'Return when the cluster is ready, and leave it running',
  },
  wait: { kind: 'duration', default: 60_000, summary: 'How long to wait for the cluster to be ready' },
  ...outputFlag,
  v: { kind: 'whole', shorthand: 'v', default: 0, summary: 'Log verbosity' },
} as const satisfies FlagTable;

/** Without --data-dir. */
export const DEFAULT_DIRECTORY = '.k8ts';

type Values = FlagValues<typeof flags>;

const contextOf = ({ v, tracing }: Values): Omit<ContextOptions, 'signal'> => ({
  verbosity: v,
  ...(tracing ? { tracer: 'memory' } : {}),
});

export async function run(argv: readonly string[]): Promise<number> {
  const { values, help, warnings } = parseConfigured(argv, flags, { defaultDirectory: DEFAULT_DIRECTORY });
  for (const warning of warnings) console.error(warning);
  if (help) {
    console.log(flagsHelp(flags, { usage: 'k8ts up: start a cluster' }));
    return 0;
  }
  checkUpFlags(values);
  etcdTlsOf(values);
  if (values.encrypt) await checkEncryption();
  registryMirrors(values['registry-mirror'] ?? []);
  servedApis(values['runtime-config'] ?? {}, values['feature-gates'] ?? {});
  checkFileLimit();
  const notifier = takeServiceNotifier();
  const directory =
    values.ephemeral && values['data-dir'] === undefined
      ? undefined
      : path.resolve(values['data-dir'] ?? DEFAULT_DIRECTORY);
  const planned = planOf(values, directory);
  const inside = insideNamespaces();
  // Beside a cluster that runs in the directory, this start is refused and removes nothing.
  const isRefused = directory !== undefined && readProcessFile(directory) !== undefined;
  if (planned.removal && !inside && !isRefused) printNotice(values.output, planned.removal);
  if (values.detach)
    return detach('up', argv, { ...(directory ? { directory } : {}), waitMs: values.wait, output: values.output });
  if (inside) return upInside(inside, { values, planned });
  const runtimeDirectory = directory ?? (process.env['K8TS_EPHEMERAL_DIRECTORY'] || (await ephemeralDirectory()));
  const ephemeral = values.ephemeral ?? false;
  if (planned.nodes > 0 && process.getuid?.() !== 0)
    return withDirectory({ runtimeDirectory, ephemeral }, (socket) =>
      upRootless(argv, {
        ...{ runtimeDirectory, socket, notifier },
        output: values.output,
        ephemeral: !directory,
        egress: values.egress ?? false,
      }),
    );
  // Whoever sees that the directory is taken may send a signal.
  const { ctx, stop, release } = untilSignal(contextOf(values));
  try {
    return await withDirectory({ runtimeDirectory, ephemeral }, (socket) => {
      boundLogFile(ctx);
      return runServer(ctx, {
        ...{ runtimeDirectory, socket, stop, notifier },
        settings: values,
        options: () => clusterOptions(values, planOf(values, directory), runtimeDirectory),
        notices: noticesOf(planned),
      });
    });
  } finally {
    release();
  }
}

/** The directory belongs to this process meanwhile. */
async function withDirectory(
  { runtimeDirectory, ephemeral }: { readonly runtimeDirectory: string; readonly ephemeral: boolean },
  use: (socket: string) => Promise<number>,
): Promise<number> {
  const { socket, release } = claimDirectory(runtimeDirectory, ephemeral);
  try {
    return await use(socket);
  } finally {
    await release();
  }
}

/** The cluster of an ordinary user, in the namespaces that `upRootless` has made. */
async function upInside(
  inside: Inside,
  { values, planned }: { readonly values: Values; readonly planned: Plan },
): Promise<number> {
  const { ctx, stop, release } = untilSignal(contextOf(values));
  boundLogFile(ctx);
  process.on('message', (message: { stop?: true } | null) => message?.stop && stop());
  // Who started the namespaces is gone.
  process.once('disconnect', () => process.exit(1));
  try {
    return await runServer(ctx, {
      ...inside,
      settings: values,
      options: () => clusterOptions(values, planned, inside.runtimeDirectory),
      notices: noticesOf(planned),
      stop,
      inside,
    });
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
  /** The member of etcd on this machine. */
  readonly etcd?: ManagedEtcdOptions;
  /** Simulated nodes in place of nodes that run containers. */
  readonly standIns?: number;
  readonly addons: readonly Addon[];
  readonly controllers: readonly string[];
  /** A notice for the user. */
  readonly notice?: string;
  /** Warns about what this start discards, before it does. */
  readonly removal?: string;
}

/** What the flags and the last start ask for. */
function planOf(values: Values, directory: string | undefined): Plan {
  const record = directory === undefined ? undefined : readClusterRecord(directory);
  const etcd = managedEtcdOf(values, {
    directory,
    record,
    memberName: nodeNameOf(values),
    bindAddress: values['bind-address'],
    advertiseAddress: values['advertise-address'],
  });
  return { ...plan(values, record), ...(etcd ? { etcd } : {}) };
}

const noticesOf = ({ notice, machineNode: machine }: Plan): (string | undefined)[] => [
  notice,
  machine ? HOW_TO_JOIN : undefined,
];

const HOW_TO_JOIN = 'Other machines join with the line that "k8ts token create" prints.';

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
  return { nodeName: nodeNameOf(values), addresses, ...encrypt };
}

const nodeNameOf = (values: Values): string => (values['node-name'] ?? os.hostname()).toLowerCase();

/** Root runs containers as it is, other users in namespaces of their own. */
const nodesObstacle = (): Obstacle | undefined =>
  process.platform === 'linux' && process.getuid?.() !== 0 ? rootlessObstacle() : realNodesObstacle();

const removing = (nodes: readonly string[], reason: string): Pick<Plan, 'removal'> => ({
  removal: `Removing ${nodes.join(', ')} with ${nodes.length === 1 ? 'its' : 'their'} pods: ${reason}.`,
});

function clusterOptions(values: Values, planned: Plan, directory: string): ClusterOptions {
  return {
    ...(values.ephemeral ? { kubeconfig: path.join(directory, 'kubeconfig') } : { dataDirectory: directory }),
    ...(values['etcd-servers'] ? { etcdServers: values['etcd-servers'] } : {}),
    ...etcdTlsOf(values),
    ...(planned.etcd ? { managedEtcd: planned.etcd } : {}),
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
    ...(values.profile ? { profile: values.profile as Profile } : {}),
    ...auditFile(values, directory),
    registries: {
      ...(values['registry-mirror'] ? { hosts: registryMirrors(values['registry-mirror']) } : {}),
      ...(values['registry-hosts-dir'] ? { hostsDirectory: path.resolve(values['registry-hosts-dir']) } : {}),
    },
    simulatedNodes: planned.simulatedNodes,
    ...(planned.standIns ? { standIns: planned.standIns } : {}),
  };
}
