/** `k8ts upgrade`: this release continues a cluster, or a node, that an older one runs; containers run on meanwhile. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { KUBERNETES_VERSION } from '../api/kubernetes-version.ts';
import { errorMessage, K8TS_VERSION } from '../base/index.ts';
import { connect, loadKubeconfig, type Client } from '../client/index.ts';
import {
  cordonNode,
  drainNode,
  machineKubeconfigOf,
  machineRecordOf,
  readClusterRecord,
  type ClusterRecord,
} from '../cluster/index.ts';
import { flagsHelp, type FlagTable, type FlagValues, parseFlags } from '../flags/index.ts';
import { makeDirectorySync, type Context } from '../kernel/index.ts';
import { CommandError, outputFlag } from './command.ts';
import { stopProcess } from './down.ts';
import { print, Progress } from './output.ts';
import { type ProcessFile, readProcessFile } from './process-file.ts';
import { runningCommand, type RunningCommand } from './running-command.ts';
import { snapshotDirectoryOf } from './scheduled-snapshots.ts';
import { replaceUnitProgram, serviceOf } from './service.ts';
import { saveStore, saveWith } from './snapshot.ts';
import { untilSignal } from './until-signal.ts';
import { nodeProblem, upgradeProblem } from './version-skew.ts';

export const flags = {
  'data-dir': {
    kind: 'text',
    path: true,
    default: '.k8ts',
    summary: 'Data directory of the cluster, or of the node of a machine that has joined one (/var/lib/k8ts/node)',
  },
  check: { kind: 'switch', summary: 'Only tell whether the upgrade is possible, and what it would do' },
  drain: { kind: 'switch', summary: 'Cordon the machine and evict its pods first, and uncordon it afterwards' },
  'drain-timeout': { kind: 'duration', default: 120_000, summary: 'How long evicting pods may take' },
  snapshot: { kind: 'switch', default: true, summary: 'Save a snapshot of a cluster first, in DIR/snapshots' },
  wait: { kind: 'duration', default: 120_000, summary: 'How long stopping and starting may take, each' },
  ...outputFlag,
} as const satisfies FlagTable;

type Values = FlagValues<typeof flags>;

const USAGE = `k8ts upgrade: let this release (${K8TS_VERSION}) continue a cluster or a node that an older one runs

  k8ts upgrade --data-dir DIR            servers first, then machines that have joined, one after the other
  k8ts upgrade --data-dir DIR --check`;

/** What is upgraded. */
interface Subject {
  readonly directory: string;
  readonly kind: 'cluster' | 'node';
  /** The release that wrote the data, if it said so. */
  readonly from: string;
  readonly running: ProcessFile | undefined;
  readonly command: RunningCommand | undefined;
  /** The unit that starts it. */
  readonly service: string | undefined;
  readonly record: ClusterRecord | undefined;
}

export async function run(argv: readonly string[]): Promise<number> {
  const { values, help } = parseFlags(argv, flags);
  if (help) {
    console.log(flagsHelp(flags, { usage: USAGE }));
    return 0;
  }
  const subject = subjectIn(path.resolve(values['data-dir']));
  const { ctx, release } = untilSignal({ name: 'upgrade' });
  try {
    await check(ctx, subject);
    if (values.check) {
      print(
        values.output,
        { possible: true, from: subject.from, to: K8TS_VERSION, how: howOf(subject) },
        ({ how }) =>
          `the ${subject.kind} in ${subject.directory} can be upgraded from ${subject.from} to ${K8TS_VERSION}: ${how}`,
      );
      return 0;
    }
    const result = await upgrade(ctx, subject, values);
    print(values.output, result, () => describe(subject, result));
    return 0;
  } finally {
    release();
  }
}

function subjectIn(directory: string): Subject {
  const machine = machineRecordOf(directory);
  const record = machine ? undefined : readClusterRecord(directory);
  if (!machine && !record)
    throw new CommandError(`there is neither a cluster nor a node in ${directory}; name its directory with --data-dir`);
  const running = readProcessFile(directory);
  return {
    directory,
    kind: machine ? 'node' : 'cluster',
    from: record?.writtenBy ?? 'an older release',
    running,
    command: running && runningCommand(running.pid),
    service: serviceOf(directory),
    record,
  };
}

async function check(ctx: Context, { kind, from, directory, running, command, service }: Subject): Promise<void> {
  const problem =
    kind === 'cluster'
      ? upgradeProblem(from, K8TS_VERSION)
      : await withNodeClient(ctx, directory, async (client) =>
          nodeProblem(await serverVersion(ctx, client), KUBERNETES_VERSION),
        ).catch((error: unknown) => {
          throw new CommandError(`the server of this node does not answer: ${errorMessage(error)}`, { cause: error });
        });
  if (problem !== undefined) throw new CommandError(problem);
  if (running && !command && service === undefined)
    throw new CommandError(
      `it is not known how the process ${running.pid} was started; stop it, and start it with this release`,
    );
}

const ANSWER_MS = 10_000;

async function serverVersion({ clock }: Context, client: Client): Promise<string> {
  const { body } = await client.request({ method: 'GET', path: '/version', signal: clock.deadline(ANSWER_MS) });
  return (body as { gitVersion: string }).gitVersion;
}

const howOf = ({ running, service }: Subject): string =>
  service === undefined
    ? running
      ? `the process ${running.pid} is replaced by one of this release with the same flags`
      : 'it does not run; the next start of this release continues it'
    : `the unit ${service} gets this release and is restarted`;

interface Result {
  readonly from: string;
  readonly to: string;
  readonly snapshot?: string;
  readonly restarted: boolean;
  readonly seconds: number;
}

/** The story: save, drain, replace the process, uncordon. What fails before the process ends changes nothing. */
async function upgrade(ctx: Context, subject: Subject, values: Values): Promise<Result> {
  const progress = new Progress();
  const started = ctx.clock.monotonic();
  try {
    let snapshot: string | undefined;
    if (subject.kind === 'cluster' && values.snapshot) {
      progress.show('saving a snapshot');
      snapshot = await saveBefore(ctx, subject);
    }
    const node = values.drain ? nodeNameOf(subject) : undefined;
    if (node !== undefined) {
      progress.show(`draining ${node}`);
      await withSubjectClient(ctx, subject, (client) =>
        drainNode(ctx, client, { node, limitMs: values['drain-timeout'] }),
      );
    }
    progress.show('restarting');
    const restarted = await restart(subject, values);
    if (node !== undefined) await withSubjectClient(ctx, subject, (client) => cordonNode(client, node, false));
    const seconds = (ctx.clock.monotonic() - started) / 1000;
    return { from: subject.from, to: K8TS_VERSION, ...(snapshot ? { snapshot } : {}), restarted, seconds };
  } finally {
    progress.clear();
  }
}

async function saveBefore({ clock }: Context, { directory, from }: Subject): Promise<string | undefined> {
  // An etcd that the cluster does not own is saved by whoever does.
  if (!fs.existsSync(path.join(directory, 'etcd'))) return undefined;
  const to = snapshotDirectoryOf(directory);
  makeDirectorySync(to, { mode: 0o700 });
  const time = new Date(clock.now()).toISOString().slice(0, 19).replaceAll(':', '-');
  const file = path.join(to, `before-upgrade-from-${from.replaceAll(/[^\w.-]/g, '-')}-${time}Z.tgz`);
  await saveWith((store) => saveStore(directory, store), { directory, file });
  return file;
}

async function restart(subject: Subject, values: Values): Promise<boolean> {
  const { service, running, command, directory } = subject;
  if (service !== undefined) {
    replaceUnitProgram(service);
    return true;
  }
  if (!running || !command) return false;
  await endProcess(subject, values.wait);
  const own = [process.execPath, ...process.execArgv, process.argv[1]!];
  const failure = startInBackground(own, command, values);
  if (failure === undefined) return true;
  // The data has the format that it had, unless this release says otherwise.
  const back = startInBackground(command.program, command, values);
  throw new CommandError(
    `this release did not start: ${failure}; ${back === undefined ? `the older one runs again (${command.program.at(-1)})` : `nor did the older one: ${back}`}. The data is in ${directory}`,
  );
}

/** Older releases with a machine's node did not always end when they were asked to. */
const GRACE_MS = 15_000;

/**
 * Ends the process and leaves containers running. Nodes that are namespaces of one machine end with a cluster that is
 * asked to end, and stay when it is killed; nothing that was acknowledged is lost either way.
 */
async function endProcess({ directory, running, record }: Subject, waitMs: number): Promise<void> {
  const isRoot = fs.statSync(`/proc/${running!.pid}`).uid === 0;
  const signal = (record?.nodes?.length ?? 0) > 0 && isRoot ? 'SIGKILL' : 'SIGTERM';
  await stopProcess(directory, running!.pid, Math.min(waitMs, GRACE_MS), signal).catch(() =>
    stopProcess(directory, running!.pid, waitMs, 'SIGKILL'),
  );
}

/** An error's text, or nothing when it is ready. */
function startInBackground(
  program: readonly string[],
  { command, flags: given, directory }: RunningCommand,
  { wait }: Values,
): string | undefined {
  const [node = '', ...rest] = program;
  const others = given.filter((word) => !/^--detach(?:=.*)?$/.test(word));
  // A machine that has joined needs neither server nor token.
  const isUrl = (word: string): boolean => command === 'join' && word.startsWith('https://');
  const args = [...rest, command, ...others.filter((word) => !isUrl(word)), '--detach', '--wait', `${wait}ms`];
  const { status, stderr, error } = spawnSync(node, args, {
    cwd: directory,
    encoding: 'utf8',
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  return error?.message ?? (status === 0 ? undefined : stderr.trim());
}

const nodeNameOf = ({ directory, record }: Subject): string | undefined =>
  machineRecordOf(directory)?.nodeName ?? record?.machineNode?.nodeName;

const withSubjectClient = <T>(
  ctx: Context,
  { kind, directory }: Subject,
  use: (client: Client) => Promise<T>,
): Promise<T> =>
  withClient(ctx, kind === 'node' ? machineKubeconfigOf(directory) : path.join(directory, 'kubeconfig'), use);

const withNodeClient = <T>(ctx: Context, directory: string, use: (client: Client) => Promise<T>): Promise<T> =>
  withClient(ctx, machineKubeconfigOf(directory), use);

async function withClient<T>(ctx: Context, file: string, use: (client: Client) => Promise<T>): Promise<T> {
  const client = connect(ctx, await loadKubeconfig({ clock: ctx.clock, file }));
  try {
    return await use(client);
  } finally {
    await client.close();
  }
}

function describe({ kind, directory }: Subject, { from, to, snapshot, restarted, seconds }: Result): string {
  const what = restarted
    ? `upgraded the ${kind} in ${directory} from ${from} to ${to} in ${seconds.toFixed(1)} s; its containers ran on`
    : `the ${kind} in ${directory} does not run; the next start of this release continues it`;
  return snapshot ? `${what}\nbefore it   ${snapshot}` : what;
}
