/** `k8ts join`: makes this machine a node of a cluster, in the foreground until a signal, or with --detach. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {
  addressTowards,
  findEtcd,
  isCertificateKey,
  joinCluster,
  joinServer,
  machineRecordOf,
  parseBootstrapToken,
  realNodesObstacle,
  serverOptions,
  type ClusterOptions,
} from '../cluster/index.ts';
import { flagsHelp, type FlagTable, type FlagValues, UsageError } from '../flags/index.ts';
import type { Context } from '../kernel/index.ts';
import { machineAddresses } from '../net/interfaces/index.ts';
import { checkEncryption } from './check-encryption.ts';
import { CommandError, machineDirFlag, outputFlag } from './command.ts';
import { detach } from './detach.ts';
import { snapshotsOf } from './etcd-flags.ts';
import { checkFileLimit } from './file-limit.ts';
import { boundLogFile } from './log-rotation.ts';
import { Progress } from './output.ts';
import { configFlag, parseConfigured } from './parse-configured.ts';
import { claimDirectory } from './process-file.ts';
import { printReady, secondsSinceProcessStart } from './ready.ts';
import { registryMirrors } from './registry-mirrors.ts';
import { runServer } from './run-server.ts';
import { takeServiceNotifier, type ServiceNotifier } from './service-notifier.ts';
import { untilSignal } from './until-signal.ts';
import { flags as upFlags } from './up.ts';

export const flags = {
  ...configFlag,
  server: { kind: 'text', summary: 'Address of the server, as the argument: https://SERVER:6443' },
  token: { kind: 'text', secret: true, summary: 'Bootstrap token of the cluster; needed once' },
  'ca-hash': { kind: 'text', summary: "Hash of the cluster's CA (sha256:…), which the server must have" },
  'control-plane': { kind: 'switch', summary: 'Become another server, with an API server and a member of etcd' },
  'certificate-key': {
    kind: 'text',
    secret: true,
    summary: 'Opens the keys of the cluster, with --control-plane; only the line of "k8ts token create" has it',
  },
  'etcd-binary': upFlags['etcd-binary'],
  'etcd-snapshot-schedule': upFlags['etcd-snapshot-schedule'],
  'etcd-snapshot-retention': upFlags['etcd-snapshot-retention'],
  'node-name': { kind: 'text', summary: 'Name of the node (default: the host name)' },
  'node-ip': { kind: 'text', summary: 'Addresses of this machine that others reach it by (default: its first)' },
  encrypt: { kind: 'switch', summary: "Encrypt what pods send between machines with the kernel's WireGuard" },
  'cni-conf-dir': {
    kind: 'text',
    path: true,
    summary: 'Use the CNI configuration of this directory instead of the built-in pod network',
  },
  'cni-bin-dir': {
    kind: 'texts',
    path: true,
    default: ['/opt/cni/bin', '/usr/lib/cni', '/usr/libexec/cni'],
    summary: 'Directories of CNI plugins',
  },
  'load-archive': { kind: 'repeated', path: true, default: [], summary: 'Image archive to load at the start' },
  'registry-mirror': upFlags['registry-mirror'],
  'registry-hosts-dir': upFlags['registry-hosts-dir'],
  ...machineDirFlag,
  detach: { kind: 'switch', commandLineOnly: true, summary: 'Return when the node is Ready, and leave it running' },
  wait: { kind: 'duration', default: 60_000, summary: 'How long to wait for the node to be Ready' },
  ...outputFlag,
  v: { kind: 'whole', shorthand: 'v', default: 0, summary: 'Log verbosity' },
} as const satisfies FlagTable;

type Values = FlagValues<typeof flags>;

const USAGE = `k8ts join: make this machine a node of a cluster

  k8ts join https://SERVER:6443 --token TOKEN [--ca-hash HASH]     "k8ts token create" on the server prints this line
  k8ts join … --control-plane --certificate-key KEY                another server: "k8ts token create --control-plane"
  k8ts join                                                        start again on a machine that has joined`;

export async function run(argv: readonly string[]): Promise<number> {
  const { values, positional, help, warnings } = parseConfigured(argv, flags, {
    defaultDirectory: flags['data-dir'].default,
    positional: true,
  });
  for (const warning of warnings) console.error(warning);
  if (help) {
    console.log(flagsHelp(flags, { usage: USAGE }));
    return 0;
  }
  const directory = path.resolve(values['data-dir']);
  if (values['control-plane'] || serverOptions(directory))
    return runJoinedServer(argv, { values, positional, directory });
  const first = await firstJoin(values, positional, directory);
  checkMachine();
  checkFileLimit();
  const notifier = takeServiceNotifier();
  if (values.detach) return detach('join', argv, { directory, waitMs: values.wait, output: values.output });
  const { release: releaseDirectory } = claimDirectory(directory, false);
  try {
    const { ctx, stop, release } = untilSignal({ name: 'join', verbosity: values.v });
    boundLogFile(ctx);
    try {
      return await runNode(ctx, { values, directory, first, stop, notifier });
    } finally {
      release();
    }
  } finally {
    await releaseDirectory();
  }
}

interface ServerJoin {
  readonly values: Values;
  readonly positional: readonly string[];
  readonly directory: string;
}

/** A machine that becomes a server, or is one. */
async function runJoinedServer(
  argv: readonly string[],
  { values, positional, directory }: ServerJoin,
): Promise<number> {
  const known = serverOptions(directory);
  const first = positional.length > 0 || !known ? await firstJoin(values, positional, directory) : undefined;
  const { 'certificate-key': certificateKey = '' } = values;
  if (known && first)
    throw new CommandError(
      `this machine is a server in ${directory} already: "k8ts join --data-dir ${directory}" starts it, "k8ts leave" ends that`,
    );
  if (first && machineRecordOf(directory))
    throw new CommandError(`this machine is a worker in ${directory}; "k8ts leave" ends that`);
  if (first && !isCertificateKey(certificateKey))
    throw new UsageError('--control-plane needs --certificate-key, which "k8ts token create --control-plane" prints');
  const snapshots = snapshotsOf(values, known?.managedEtcd?.snapshots);
  checkMachine();
  checkFileLimit();
  const notifier = takeServiceNotifier();
  if (values.detach) return detach('join', argv, { directory, waitMs: values.wait, output: values.output });
  const { socket, release: releaseDirectory } = claimDirectory(directory, false);
  try {
    const { ctx, stop, release } = untilSignal({ verbosity: values.v, tracer: 'memory' });
    boundLogFile(ctx);
    try {
      if (first) {
        findEtcd(values['etcd-binary']);
        const progress = new Progress();
        await joinServer(ctx, {
          ...first,
          directory,
          certificateKey,
          etcdBinary: values['etcd-binary'],
          snapshots,
          onProgress: (step) => progress.show(step),
        }).finally(() => progress.clear());
      }
      const { port } = serverOptions(directory)!;
      return await runServer(ctx, {
        settings: { wait: values.wait, output: values.output, console: false, port, 'data-dir': directory },
        options: () => ({ ...serverOptions(directory)!, registries: registriesOf(values) }),
        notices: [],
        runtimeDirectory: directory,
        socket,
        stop,
        notifier,
      });
    } finally {
      release();
    }
  } finally {
    await releaseDirectory();
  }
}

type First = Parameters<typeof joinCluster>[1]['first'];

/** Undefined for a machine that has joined before. */
async function firstJoin(values: Values, positional: readonly string[], directory: string): Promise<First> {
  const [server = values.server, ...rest] = positional;
  if (rest.length > 0) throw new UsageError(`unexpected ${rest.join(' ')}\n\n${USAGE}`);
  const known = machineRecordOf(directory);
  if (server === undefined && known) return undefined;
  // The configuration file of a machine that has joined still names its server; the token may be gone.
  if (known && known.server === trimmed(server ?? '') && (values.token === undefined || positional.length === 0))
    return undefined;
  if (server === undefined || values.token === undefined)
    throw new UsageError(
      `this machine has not joined a cluster in ${directory}; "k8ts token create" on the server prints the line that joins it`,
    );
  if (known && known.server !== trimmed(server))
    throw new CommandError(
      `this machine has joined ${known.server} in ${directory}; "k8ts leave" ends that, or choose another --data-dir`,
    );
  const token = parseBootstrapToken(values.token);
  if (!token) throw new UsageError('--token is not a bootstrap token, such as abcdef.0123456789abcdef');
  const hash = values['ca-hash'];
  if (hash !== undefined && !/^sha256:[0-9a-f]{64}$/i.test(hash))
    throw new UsageError('--ca-hash is not a hash, such as sha256: and 64 hexadecimal digits');
  if (!/^https:\/\/[^/]+$/.test(trimmed(server)))
    throw new UsageError(`${JSON.stringify(server)} is not the address of a server, such as https://192.0.2.1:6443`);
  if (values.encrypt) await checkEncryption();
  const addresses = values['node-ip']?.split(',') ?? machineAddresses(await addressTowards(trimmed(server)));
  if (addresses.length === 0)
    throw new CommandError('this machine has no address that others could reach; see "ip address"');
  return {
    server: trimmed(server),
    token,
    caHash: hash,
    nodeName: (values['node-name'] ?? os.hostname()).toLowerCase(),
    addresses,
    ...(values.encrypt ? { encrypt: true } : {}),
    ...(values['cni-conf-dir'] === undefined
      ? {}
      : { cniConfDir: path.resolve(values['cni-conf-dir']), cniBinDir: values['cni-bin-dir'] }),
  };
}

const trimmed = (server: string): string => (server.endsWith('/') ? server.slice(0, -1) : server);

function checkMachine(): void {
  const obstacle = realNodesObstacle();
  if (obstacle) throw new CommandError(obstacle.reason);
  if (process.getuid?.() !== 0) throw new CommandError('only root can make a machine a node: run this with sudo');
}

interface Run {
  readonly values: Values;
  readonly directory: string;
  readonly first: First;
  readonly stop: (reason?: unknown) => void;
  readonly notifier: ServiceNotifier;
  /** It has run before in this process. */
  readonly isAgain?: boolean;
}

/** Starts the machine again when the CA of its cluster has changed. */
async function runNode(ctx: Context, run: Run): Promise<number> {
  while ((await runNodeOnce(ctx, run)) === 'changed') run = { ...run, isAgain: true };
  if (ctx.signal.reason instanceof CommandError) throw ctx.signal.reason;
  if (run.values.output !== 'json') console.log('stopped; containers keep running ("k8ts leave" ends them)');
  return 0;
}

async function runNodeOnce(
  ctx: Context,
  { values, directory, first, stop, notifier, isAgain = false }: Run,
): Promise<'stopped' | 'changed'> {
  const progress = new Progress();
  const late = ctx.clock.after(values.wait, () =>
    stop(new CommandError(`the node was not Ready after ${values.wait / 1000} s; see what it does with -v 2`)),
  );
  try {
    const machine = await joinCluster(ctx, {
      directory,
      first: isAgain ? undefined : first,
      registries: registriesOf(values),
      onProgress: (step) => progress.show(step),
    });
    for (const archive of isAgain ? [] : values['load-archive'])
      await machine.node.runtime.imageStore.loadArchive(fs.createReadStream(archive), { signal: ctx.signal });
    await Promise.race([machine.ready, machine.finished]);
    late.cancel();
    progress.clear();
    if (!ctx.signal.aborted && !isAgain) {
      tellReady(ctx, values, machine.record);
      notifier.ready(ctx, `node ${machine.record.nodeName}`);
    }
    return await machine.finished;
  } catch (error) {
    throw ctx.signal.aborted ? ctx.signal.reason : error;
  } finally {
    late.cancel();
    progress.clear();
  }
}

const registriesOf = (values: Values): NonNullable<ClusterOptions['registries']> => ({
  ...(values['registry-mirror'] ? { hosts: registryMirrors(values['registry-mirror']) } : {}),
  ...(values['registry-hosts-dir'] ? { hostsDirectory: path.resolve(values['registry-hosts-dir']) } : {}),
});

function tellReady(ctx: Context, { output }: Values, { server, nodeName }: { server: string; nodeName: string }): void {
  const ready = {
    server,
    kubeconfig: undefined,
    node: nodeName,
    pid: process.pid,
    readySeconds: secondsSinceProcessStart(ctx.clock),
    notice: `node         ${nodeName}`,
  };
  printReady(output, ready);
  process.send?.({ ready });
}
