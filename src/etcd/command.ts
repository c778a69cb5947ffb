import { readFile } from 'node:fs/promises';
import { flagsHelp, type FlagTable, type FlagValues, parseFlags, UsageError } from '../flags/index.ts';
import type { Context } from '../kernel/index.ts';
import { createEtcdStore } from './client/store.ts';
import { parseAutoCompaction } from './command/auto-compaction.ts';
import { etcdFlags, snapshotRestoreFlags, snapshotSaveFlags, snapshotStatusFlags } from './command/flags.ts';
import { type EtcdConfig, run } from './command/run.ts';
import { restoreSnapshot, saveSnapshot, type SnapshotStatus, snapshotStatus } from './command/snapshot-file.ts';
import type { ListenerTls } from './front/listener.ts';

export interface EtcdCommandOutput {
  /** Receives the output of the command; default: standard output. */
  write?(text: string): void;
  onReady?: EtcdConfig['onReady'];
}

const USAGE = `k8ts etcd: serve a store over etcd's v3 API

  k8ts etcd snapshot save FILE       of an etcd that runs
  k8ts etcd snapshot status FILE
  k8ts etcd snapshot restore FILE    into a --data-dir that holds nothing yet`;

/** `k8ts etcd` and `k8ts etcd snapshot save|status|restore`, with the flags that users know from etcd. */
export async function runEtcdCommand(
  ctx: Context,
  argv: readonly string[],
  output: EtcdCommandOutput = {},
): Promise<void> {
  const write = output.write ?? ((text) => void process.stdout.write(text));
  if (argv[0] !== 'snapshot') return runServer(ctx, argv, { ...output, write });
  const [, verb, ...rest] = argv;
  switch (verb) {
    case 'save':
      return snapshotSave(ctx, rest, write);
    case 'status':
      return snapshotStatusCommand(rest, write);
    case 'restore':
      return snapshotRestore(rest, write);
    case '--help':
    case '-h':
      return write(`${USAGE}\n`);
    default:
      throw new UsageError(
        `unknown command ${JSON.stringify(`snapshot ${verb ?? ''}`.trim())}: use snapshot save, status or restore`,
      );
  }
}

async function runServer(
  ctx: Context,
  argv: readonly string[],
  { write, onReady }: EtcdCommandOutput & { write(text: string): void },
): Promise<void> {
  const { values, warnings, help } = parseFlags(argv, etcdFlags);
  if (help) return write(`${flagsHelp(etcdFlags, { usage: USAGE })}\n`);
  for (const warning of warnings) ctx.logger.warn(warning);
  await run(ctx, {
    name: values.name,
    directory: values['data-dir'] ?? `${values.name}.etcd`,
    listenClientUrls: values['listen-client-urls'],
    advertiseClientUrls: values['advertise-client-urls'],
    tls: await serverTls(values),
    quotaBytes: positive(values['quota-backend-bytes']),
    maxRequestBytes: positive(values['max-request-bytes']),
    maxTxnOperations: positive(values['max-txn-ops']),
    autoCompaction: parseAutoCompaction(values['auto-compaction-mode'], values['auto-compaction-retention']),
    onReady,
  });
}

async function serverTls(values: FlagValues<typeof etcdFlags>): Promise<ListenerTls | undefined> {
  const { 'cert-file': cert, 'key-file': key, 'trusted-ca-file': ca, 'client-cert-auth': clientCertAuth } = values;
  if (cert === undefined && key === undefined) {
    if (clientCertAuth) throw new UsageError('--client-cert-auth needs --cert-file, --key-file and --trusted-ca-file');
    return undefined;
  }
  if (cert === undefined || key === undefined)
    throw new UsageError('--cert-file and --key-file must be given together');
  if (clientCertAuth && ca === undefined) throw new UsageError('--client-cert-auth needs --trusted-ca-file');
  return {
    cert: await readFile(cert),
    key: await readFile(key),
    clientCa: ca === undefined ? undefined : await readFile(ca),
    requireClientCertificate: clientCertAuth ?? ca !== undefined,
  };
}

async function snapshotSave(ctx: Context, argv: readonly string[], write: (text: string) => void): Promise<void> {
  const parsed = parseFlags(argv, snapshotSaveFlags, { positional: true });
  if (parsed.help) return write(snapshotHelp('save FILE: save a snapshot of a running etcd', snapshotSaveFlags));
  const { values, positional } = parsed;
  const path = onlyFile(positional, 'snapshot save');
  const file = async (name: 'cacert' | 'cert' | 'key') =>
    values[name] === undefined ? undefined : readFile(values[name]);
  const store = createEtcdStore({
    endpoints: values.endpoints,
    tls: { ca: await file('cacert'), cert: await file('cert'), key: await file('key') },
    clock: ctx.clock,
  });
  try {
    await saveSnapshot(store.snapshot(), path);
  } finally {
    await store.close();
  }
  write(`Snapshot saved at ${path}\n`);
}

async function snapshotStatusCommand(argv: readonly string[], write: (text: string) => void): Promise<void> {
  const { values, positional, help } = parseFlags(argv, snapshotStatusFlags, { positional: true });
  if (help) return write(snapshotHelp('status FILE: show the content of a snapshot', snapshotStatusFlags));
  const status = await snapshotStatus(onlyFile(positional, 'snapshot status'));
  switch (values['write-out']) {
    case 'json':
      return write(`${JSON.stringify(status)}\n`);
    case 'table':
      return write(table(status));
    default:
      return write(
        `${columns(status)
          .map(([, value]) => value)
          .join(', ')}\n`,
      );
  }
}

async function snapshotRestore(argv: readonly string[], write: (text: string) => void): Promise<void> {
  const { values, positional, help } = parseFlags(argv, snapshotRestoreFlags, { positional: true });
  if (help) return write(snapshotHelp('restore FILE: create a store from a snapshot', snapshotRestoreFlags));
  const path = onlyFile(positional, 'snapshot restore');
  const directory = values['data-dir'] ?? `${values.name}.etcd`;
  const { revision, totalKeys } = await restoreSnapshot({ path, directory, skipHashCheck: values['skip-hash-check'] });
  write(`Snapshot restored to ${directory}: revision ${revision}, ${totalKeys} keys\n`);
}

const snapshotHelp = (usage: string, flags: FlagTable): string =>
  `${flagsHelp(flags, { usage: `k8ts etcd snapshot ${usage}` })}\n`;

function columns(status: SnapshotStatus): [title: string, value: string][] {
  return [
    ['HASH', status.hash.toString(16)],
    ['REVISION', String(status.revision)],
    ['TOTAL KEYS', String(status.totalKeys)],
    ['TOTAL SIZE', humanBytes(status.totalSize)],
  ];
}

function table(status: SnapshotStatus): string {
  const cells = columns(status).map(([title, value]) => ({
    title,
    value,
    width: Math.max(title.length, value.length),
  }));
  const line = `+${cells.map(({ width }) => '-'.repeat(width + 2)).join('+')}+\n`;
  const row = (pick: 'title' | 'value') =>
    `|${cells.map((cell) => ` ${cell[pick].padStart(cell.width)} `).join('|')}|\n`;
  return `${line}${row('title')}${line}${row('value')}${line}`;
}

function humanBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB'];
  const power = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)));
  const amount = bytes / 1000 ** power;
  return `${amount < 10 && power > 0 ? amount.toFixed(1) : Math.round(amount)} ${units[power]}`;
}

function onlyFile(positional: readonly string[], command: string): string {
  const [path, ...more] = positional;
  if (path === undefined || more.length > 0) throw new UsageError(`${command} needs one file name`);
  return path;
}

/** 0 and negative values select the default. */
const positive = (value: number): number | undefined => (value > 0 ? value : undefined);
