/** Runs a server of a cluster until it is stopped: `k8ts up`, and `k8ts join --control-plane`. */
import { setMaxListeners } from 'node:events';
import path from 'node:path';
import type { Pod } from '../api/generated/core-v1.ts';
import { errorMessage } from '../base/index.ts';
import { loadKubeconfig } from '../client/index.ts';
import {
  connectHostNetwork,
  Faults,
  publishPort,
  readClusterRecord,
  serveControlSocket,
  startCluster,
  updateClusterRecord,
  type Cluster,
  type ClusterOptions,
  type HostNetwork,
  type Inside,
  type WorkOutcome,
  type StoppedWork,
} from '../cluster/index.ts';
import type { Console } from '../console/index.ts';
import { PrometheusRegistry, type Context } from '../kernel/index.ts';
import { CommandError } from './command.ts';
import type { Experiments } from './console-laboratory.ts';
import type { PodName } from './console-questions.ts';
import { clusterName, mergeKubeconfig } from './merge-kubeconfig.ts';
import { Progress } from './output.ts';
import { printReady, secondsSinceProcessStart } from './ready.ts';
import type { ServiceNotifier } from './service-notifier.ts';
import { startConsole } from './start-console.ts';
import { startSnapshots } from './start-snapshots.ts';

/** Of the flags that start a server. */
interface ServerSettings {
  readonly wait: number;
  readonly output: string;
  readonly console: boolean;
  readonly 'console-port'?: number;
  readonly port: number;
  /** Where the kubeconfig is merged into. */
  readonly kubeconfig?: string;
  readonly ephemeral?: boolean;
  readonly 'data-dir'?: string;
  readonly 'etcd-servers'?: readonly string[];
  readonly 'snapshot-interval'?: number;
  readonly 'snapshot-retention'?: number;
  readonly 'snapshot-dir'?: string;
}

interface ServerRun {
  readonly settings: ServerSettings;
  /** Asked for at each start: the store may have moved. */
  readonly options: () => ClusterOptions;
  /** What users are told besides. */
  readonly notices: readonly (string | undefined)[];
  /** Where the kubeconfig and the socket are; the data too, unless it is kept in memory. */
  readonly runtimeDirectory: string;
  readonly socket: string;
  readonly stop: (reason?: unknown) => void;
  readonly notifier?: ServiceNotifier;
  /** For a cluster in the namespaces of an ordinary user. */
  readonly inside?: Inside;
}

/** Work on the store or the CAs needs a cluster that does not run: it is stopped for it and started again. */
export async function runServer(ctx: Context, run: ServerRun): Promise<number> {
  let outcome: WorkOutcome | undefined;
  for (;;) {
    const pause = new AbortController();
    const asked: { work?: StoppedWork } = {};
    const signal = AbortSignal.any([ctx.signal, pause.signal]);
    setMaxListeners(0, signal);
    const code = await runCluster(
      { ...ctx, signal, metrics: outcome ? new PrometheusRegistry() : ctx.metrics },
      {
        ...run,
        whole: ctx,
        outcome,
        isPaused: () => asked.work !== undefined && !ctx.signal.aborted,
        pauseFor: (work) => {
          asked.work = work;
          pause.abort(new Error('the cluster is stopped for work on its data'));
        },
      },
    );
    if (asked.work === undefined || ctx.signal.aborted) return code;
    outcome = await asked.work(ctx).then(
      (done) => ({ done }),
      (error: unknown) => ({ error: errorMessage(error) }),
    );
    ctx.logger.info('The work that the cluster was stopped for has ended', { ...outcome });
  }
}

interface Round extends ServerRun {
  /** Lasts until the process ends, over all rounds. */
  readonly whole: Context;
  /** Of the work before this start. */
  readonly outcome: WorkOutcome | undefined;
  readonly isPaused: () => boolean;
  readonly pauseFor: (work: StoppedWork) => void;
}

async function runCluster(ctx: Context, round: Round): Promise<number> {
  const { settings, stop, inside } = round;
  const hostNetwork = inside && connectHostNetwork();
  const progress = new Progress();
  const options = round.options();
  let reached: string | undefined;
  const late = ctx.clock.after(settings.wait, () => stop(new CommandError(tooLate(settings, options, reached))));
  const faults = new Faults(ctx.clock, ctx.random.fork('faults'));
  let cluster: Cluster;
  try {
    cluster = await startCluster(ctx, {
      ...options,
      ...(settings.console ? { intercept: interceptOnceUsed(faults) } : {}),
      ...(inside && hostNetwork ? { hostNetwork, limits: inside.limits } : {}),
      ownThread: true,
      // A service restarts for a new release or configuration.
      keepContainers: round.notifier?.isService ?? false,
      ...(settings.kubeconfig
        ? {
            onKubeconfig: (text) =>
              mergeKubeconfig(path.resolve(settings.kubeconfig!), text, clusterName(settings['data-dir'])),
          }
        : {}),
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
    return await serveCluster(ctx, { ...round, cluster, faults, ...(hostNetwork ? { hostNetwork } : {}) });
  } catch (error) {
    stop(error);
    await cluster.finished.catch(() => undefined);
    throw error;
  }
}

/** Start steps that wait for etcd. */
const ANSWERED_BY_ETCD: ReadonlySet<string> = new Set(['API server answers', 'nodes registered']);

function tooLate(
  { wait, 'etcd-servers': etcd }: ServerSettings,
  { managedEtcd }: ClusterOptions,
  reached: string | undefined,
): string {
  if (managedEtcd && reached === undefined)
    return `etcd on this machine was not ready after ${wait / 1000} s: more than half of its members must be up; see what it does with -v 2`;
  if (etcd && !ANSWERED_BY_ETCD.has(reached ?? ''))
    return `etcd has not answered at ${etcd.join(', ')} for ${wait / 1000} s; is it running, and is that its address?`;
  return `the cluster was not ready after ${wait / 1000} s; give it more time with --wait, or see what it does with -v 2`;
}

interface Serving extends Round {
  readonly cluster: Cluster;
  readonly faults: Faults;
  /** The user's network, for a cluster in namespaces. */
  readonly hostNetwork?: HostNetwork;
}

async function serveCluster(
  ctx: Context,
  { settings, cluster, faults, inside, hostNetwork, ...round }: Serving,
): Promise<number> {
  const { socket, stop, pauseFor, outcome } = round;
  const pid = inside?.pid ?? process.pid;
  const control = await serveControlSocket(ctx, cluster, { socket, stop, pid, pauseFor, outcome });
  if (settings.kubeconfig) {
    const file = path.resolve(settings.kubeconfig);
    await mergeKubeconfig(file, cluster.kubeconfig, clusterName(settings['data-dir']));
    if (!settings.ephemeral) await rememberKubeconfig(path.resolve(settings['data-dir'] ?? '.k8ts'), file);
  }
  const webConsole = settings.console ? await openConsole(ctx, { cluster, settings, faults, hostNetwork }) : undefined;
  const ready = {
    server: cluster.server,
    kubeconfig: settings.kubeconfig ? path.resolve(settings.kubeconfig) : cluster.kubeconfigFile,
    pid: process.pid,
    readySeconds: secondsSinceProcessStart(ctx.clock),
    ...(cluster.ingress ? { ingress: cluster.ingress } : {}),
    ...(webConsole ? { console: webConsole.createLink() } : {}),
    ...notices([
      ...round.notices,
      settings.kubeconfig ? undefined : rootsKubeconfig(),
      inside && !inside.limits ? NO_LIMITS : undefined,
    ]),
  };
  // Outside, the command that started the namespaces prints it.
  if (!inside) printReady(settings.output, ready);
  if (process.connected) process.send?.({ ready });
  if (outcome === undefined) round.notifier?.ready(round.whole, `API server ${cluster.server}`);
  const snapshots = settings.ephemeral
    ? undefined
    : startSnapshots(ctx, { store: cluster.store, directory: round.runtimeDirectory }, settings);
  await cluster.finished;
  await snapshots;
  await control.finished;
  await webConsole?.finished;
  if (settings.output !== 'json' && !round.isPaused()) console.log('stopped');
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
  readonly settings: ServerSettings;
  readonly faults: Faults;
  readonly hostNetwork: HostNetwork | undefined;
}

/** Only a socket until somebody opens the link. */
async function openConsole(
  ctx: Context,
  { cluster, settings, faults, hostNetwork }: Opening,
): Promise<Console | undefined> {
  if (cluster.kubeconfigFile === undefined) return undefined;
  const config = await loadKubeconfig({ clock: ctx.clock, file: cluster.kubeconfigFile });
  const port = settings['console-port'] ?? (settings.port === 0 ? 0 : settings.port + 1);
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
    if (settings['console-port'] !== undefined) throw error;
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

const NO_LIMITS =
  'Limits of containers are not enforced: systemd delegates no cgroup with cpu, memory and pids to this user.';

const rootsKubeconfig = (): string | undefined =>
  process.getuid?.() === 0 && process.env['SUDO_UID'] !== undefined
    ? 'The kubeconfig belongs to root: use "sudo kubectl --kubeconfig FILE", or start with --kubeconfig ~/.kube/config, which stays owned by you.'
    : undefined;
