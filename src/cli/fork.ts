/** `k8ts fork --at 5m`: starts a copy of a cluster as it was then, from the history of its store. */
import fs from 'node:fs';
import path from 'node:path';
import { updateClusterRecord } from '../cluster/index.ts';
import { restoreSnapshot } from '../etcd/index.ts';
import { flagsHelp, parseFlags, UsageError, type FlagTable } from '../flags/index.ts';
import { makeDirectorySync } from '../kernel/index.ts';
import { revisionOf } from './at.ts';
import { withClusterClient } from './cluster-client.ts';
import { CommandError } from './command.ts';
import { printNotice } from './output.ts';
import { readProcessFile } from './process-file.ts';
import { saveStore, withScratch } from './snapshot.ts';
import { flags as upFlags, run as up } from './up.ts';

const { port: upPort, 'data-dir': _, nodes: __, ...passed } = upFlags;

/** Flags of `k8ts up` that the copy may be started with. */
const PASSED = {
  'bind-address': passed['bind-address'],
  kubeconfig: passed.kubeconfig,
  'runtime-config': passed['runtime-config'],
  'feature-gates': passed['feature-gates'],
  'service-cluster-ip-range': passed['service-cluster-ip-range'],
  'cluster-cidr': passed['cluster-cidr'],
  controllers: passed.controllers,
  console: passed.console,
  'console-port': passed['console-port'],
  history: passed.history,
  detach: passed.detach,
  wait: passed.wait,
  output: passed.output,
  v: passed.v,
} as const satisfies FlagTable;

export const flags = {
  at: {
    kind: 'text',
    summary: 'When: 5m ago, a time such as 2026-01-02T15:04:05Z, or a revision (@1234); default: now',
  },
  from: { kind: 'text', default: '.k8ts', summary: 'Data directory of the cluster to copy' },
  'data-dir': { kind: 'text', default: '.k8ts-fork', summary: 'Data directory of the copy, which must be new' },
  port: { ...upPort, default: 0 },
  ...PASSED,
} as const satisfies FlagTable;

const HELP = `k8ts fork [--at TIME] [--from DIR] [--data-dir DIR]

Start a copy of a cluster as it was, with simulated nodes; the cluster itself goes on undisturbed

Example:
  k8ts fork --at 5m --detach`;

export async function run(argv: readonly string[]): Promise<number> {
  const { values, help } = parseFlags(argv, flags);
  if (help) {
    console.log(flagsHelp(flags, { usage: HELP }));
    return 0;
  }
  const [from, directory] = [path.resolve(values.from), path.resolve(values['data-dir'])];
  if (from === directory)
    throw new UsageError('--data-dir is the directory of the copy, and --from that of the cluster');
  if (!fs.existsSync(path.join(from, 'etcd')))
    throw new CommandError(
      `there is no cluster in ${from} whose store could be copied; name its directory with --from, unless it is kept in memory or in another etcd`,
    );
  if (fs.existsSync(path.join(directory, 'etcd')) || fs.existsSync(path.join(directory, 'pki')))
    throw new CommandError(
      `there is a cluster in ${directory} already, and it was left as it is; choose another --data-dir`,
    );
  const revision = values.at === undefined ? undefined : await pastRevision(from, values.at);
  await copy(from, directory, revision);
  printNotice(
    values.output,
    `This is a copy of the cluster in ${from}${revision === undefined ? '' : ` at revision ${revision}`}: simulated nodes stand in for its nodes and run no containers; its addresses outside the cluster are not served.`,
  );
  return up(upArguments(argv, values, from));
}

async function pastRevision(from: string, at: string): Promise<number> {
  if (/^@\d{1,15}$/.test(at)) return Number(at.slice(1));
  if (!readProcessFile(from))
    throw new CommandError(
      `the cluster in ${from} does not run, and only a running one knows the times of its revisions; name a revision, such as @1234`,
    );
  const parsed = { values: { 'data-dir': from }, given: new Set(['data-dir']) };
  return withClusterClient(parsed, { name: 'fork' }, (cluster) => revisionOf(cluster, at));
}

/** Keys are copied, too: Secrets stay readable, tokens and certificates valid. */
async function copy(from: string, directory: string, revision: number | undefined): Promise<void> {
  await withScratch(async (scratch) => {
    const store = path.join(scratch, 'etcd.db');
    await saveStore(from, store);
    makeDirectorySync(directory, { mode: 0o700 });
    await restoreSnapshot({
      path: store,
      directory: path.join(directory, 'etcd'),
      ...(revision === undefined ? {} : { revision }),
    });
    fs.cpSync(path.join(from, 'pki'), path.join(directory, 'pki'), { recursive: true });
  });
  await updateClusterRecord(directory, { nodes: [], forkOf: from });
}

interface Ranges {
  readonly clusterCidr?: string;
  readonly serviceClusterIpRange?: string;
}

/** The copy keeps the ranges of the cluster, so that its Services and nodes keep theirs. */
function upArguments(
  argv: readonly string[],
  values: { readonly port: number; readonly 'data-dir': string },
  from: string,
): string[] {
  const own = new Set(['at', 'from', 'data-dir', 'port']);
  const rest: string[] = [];
  for (let i = 0; i < argv.length; i++) {
    const name = /^--([a-z-]+)(=?)/.exec(argv[i]!);
    if (name && own.has(name[1]!)) i += name[2] === '' ? 1 : 0;
    else rest.push(argv[i]!);
  }
  const file = path.join(from, 'network.json');
  const ranges = fs.existsSync(file) ? (JSON.parse(fs.readFileSync(file, 'utf8')) as Ranges) : {};
  return [
    `--data-dir=${path.resolve(values['data-dir'])}`,
    `--port=${values.port}`,
    '--nodes=0',
    ...(ranges.clusterCidr ? [`--cluster-cidr=${ranges.clusterCidr}`] : []),
    ...(ranges.serviceClusterIpRange ? [`--service-cluster-ip-range=${ranges.serviceClusterIpRange}`] : []),
    ...rest,
  ];
}
