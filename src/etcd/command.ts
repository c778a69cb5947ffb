import { readFile } from 'node:fs/promises';
import type { Context } from '../kernel/context.ts';
import { createEtcdStore } from './client/store.ts';
import { parseAutoCompaction } from './command/auto-compaction.ts';
import { type FlagKinds, type ParsedFlags, parseFlags, UsageError } from './command/flags.ts';
import { type EtcdConfig, run } from './command/run.ts';
import { restoreSnapshot, saveSnapshot, type SnapshotStatus, snapshotStatus } from './command/snapshot-file.ts';
import type { ListenerTls } from './front/listener.ts';

export interface EtcdCommandOutput {
  /** Takes what the command prints; default: standard output. */
  write?(text: string): void;
  onReady?: EtcdConfig['onReady'];
}

const serverFlags: FlagKinds = {
  name: 'text',
  'data-dir': 'text',
  'listen-client-urls': 'text',
  'advertise-client-urls': 'text',
  'cert-file': 'text',
  'key-file': 'text',
  'trusted-ca-file': 'text',
  'client-cert-auth': 'flag',
  'quota-backend-bytes': 'text',
  'auto-compaction-mode': 'text',
  'auto-compaction-retention': 'text',
  'max-request-bytes': 'text',
  'max-txn-ops': 'text',
};

/** Flags of etcd that mean nothing for one member; taken so that existing command lines work, with a word about it. */
const ignoredFlags: FlagKinds = {
  'snapshot-count': 'text',
  'listen-peer-urls': 'text',
  'initial-advertise-peer-urls': 'text',
  'initial-cluster': 'text',
  'initial-cluster-state': 'text',
  'initial-cluster-token': 'text',
  'peer-cert-file': 'text',
  'peer-key-file': 'text',
  'peer-trusted-ca-file': 'text',
  'peer-client-cert-auth': 'flag',
  'heartbeat-interval': 'text',
  'election-timeout': 'text',
  'log-level': 'text',
  logger: 'text',
};

const saveFlags: FlagKinds = { endpoints: 'text', cacert: 'text', cert: 'text', key: 'text' };
const statusFlags: FlagKinds = { 'write-out': 'text', w: 'text' };
const restoreFlags: FlagKinds = { 'data-dir': 'text', 'skip-hash-check': 'flag', ...ignoredFlags, name: 'text' };

/** `k8ts etcd` and `k8ts etcd snapshot save|status|restore`, with the flags that users know from etcd. */
export async function runEtcdCommand(ctx: Context, argv: readonly string[], output: EtcdCommandOutput = {}): Promise<void> {
  const write = output.write ?? ((text) => void process.stdout.write(text));
  if (argv[0] !== 'snapshot') return runServer(ctx, argv, output);
  const [, verb, ...rest] = argv;
  switch (verb) {
    case 'save':
      return snapshotSave(ctx, rest, write);
    case 'status':
      return write(await snapshotStatusText(rest));
    case 'restore':
      return snapshotRestore(rest, write);
    default:
      throw new UsageError(`unknown command ${JSON.stringify(`snapshot ${verb ?? ''}`.trim())}: it is snapshot save, status or restore`);
  }
}

async function runServer(ctx: Context, argv: readonly string[], output: EtcdCommandOutput): Promise<void> {
  const parsed = parseFlags(argv, { ...serverFlags, ...ignoredFlags });
  const { values, positional } = parsed;
  if (positional.length > 0) throw new UsageError(`unexpected argument: ${positional[0]}`);
  for (const name of Object.keys({ ...values, ...parsed.flags })) {
    if (name in ignoredFlags) ctx.logger.warn('Flag has no meaning for a single member and is ignored', { flag: name });
  }
  const name = values['name'] ?? 'default';
  await run(ctx, {
    name,
    directory: values['data-dir'] ?? `${name}.etcd`,
    listenClientUrls: list(values['listen-client-urls'] ?? 'http://127.0.0.1:2379'),
    advertiseClientUrls: values['advertise-client-urls'] === undefined ? undefined : list(values['advertise-client-urls']),
    tls: await serverTls(parsed),
    quotaBytes: wholeNumber(parsed, 'quota-backend-bytes'),
    maxRequestBytes: wholeNumber(parsed, 'max-request-bytes'),
    maxTxnOperations: wholeNumber(parsed, 'max-txn-ops'),
    autoCompaction: parseAutoCompaction(values['auto-compaction-mode'], values['auto-compaction-retention']),
    onReady: output.onReady,
  });
}

async function serverTls({ values, flags }: ParsedFlags): Promise<ListenerTls | undefined> {
  const cert = values['cert-file'];
  const key = values['key-file'];
  const ca = values['trusted-ca-file'];
  if (cert === undefined && key === undefined) {
    if (flags['client-cert-auth']) throw new UsageError('--client-cert-auth needs --cert-file, --key-file and --trusted-ca-file');
    return undefined;
  }
  if (cert === undefined || key === undefined) throw new UsageError('--cert-file and --key-file belong together');
  if (flags['client-cert-auth'] && ca === undefined) throw new UsageError('--client-cert-auth needs --trusted-ca-file');
  return {
    cert: await readFile(cert),
    key: await readFile(key),
    clientCa: ca === undefined ? undefined : await readFile(ca),
    requireClientCertificate: flags['client-cert-auth'] ?? ca !== undefined,
  };
}

async function snapshotSave(ctx: Context, argv: readonly string[], write: (text: string) => void): Promise<void> {
  const { values, positional } = parseFlags(argv, saveFlags);
  const path = onlyFile(positional, 'snapshot save');
  const file = async (name: string) => (values[name] === undefined ? undefined : readFile(values[name]));
  const store = createEtcdStore({
    endpoints: list(values['endpoints'] ?? 'http://127.0.0.1:2379'),
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

async function snapshotStatusText(argv: readonly string[]): Promise<string> {
  const { values, positional } = parseFlags(argv, statusFlags);
  const status = await snapshotStatus(onlyFile(positional, 'snapshot status'));
  const format = values['write-out'] ?? values['w'] ?? 'simple';
  switch (format) {
    case 'json':
      return `${JSON.stringify(status)}\n`;
    case 'table':
      return table(status);
    case 'simple':
      return `${columns(status).map(([, value]) => value).join(', ')}\n`;
    default:
      throw new UsageError(`unknown output format ${JSON.stringify(format)}: it is simple, json or table`);
  }
}

async function snapshotRestore(argv: readonly string[], write: (text: string) => void): Promise<void> {
  const { values, flags, positional } = parseFlags(argv, restoreFlags);
  const path = onlyFile(positional, 'snapshot restore');
  const directory = values['data-dir'] ?? `${values['name'] ?? 'default'}.etcd`;
  const { revision, totalKeys } = await restoreSnapshot({ path, directory, skipHashCheck: flags['skip-hash-check'] });
  write(`Snapshot restored to ${directory}: revision ${revision}, ${totalKeys} keys\n`);
}

function columns(status: SnapshotStatus): [title: string, value: string][] {
  return [
    ['HASH', status.hash.toString(16)],
    ['REVISION', String(status.revision)],
    ['TOTAL KEYS', String(status.totalKeys)],
    ['TOTAL SIZE', humanBytes(status.totalSize)],
  ];
}

function table(status: SnapshotStatus): string {
  const cells = columns(status).map(([title, value]) => ({ title, value, width: Math.max(title.length, value.length) }));
  const line = `+${cells.map(({ width }) => '-'.repeat(width + 2)).join('+')}+\n`;
  const row = (pick: 'title' | 'value') => `|${cells.map((cell) => ` ${cell[pick].padStart(cell.width)} `).join('|')}|\n`;
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

function list(text: string): string[] {
  return text.split(',').filter((part) => part !== '');
}

function wholeNumber({ values }: ParsedFlags, name: string): number | undefined {
  const text = values[name];
  if (text === undefined) return undefined;
  if (!/^-?\d+$/.test(text)) throw new UsageError(`invalid argument ${JSON.stringify(text)} for --${name}: it takes a whole number`);
  const value = Number(text);
  return value > 0 ? value : undefined;
}
