/** `k8ts snapshot save|restore FILE`: a whole cluster, its data and its keys, in one file. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { nearest } from '../base/index.ts';
import { openEmbeddedStore, restoreSnapshot, saveSnapshot } from '../etcd/index.ts';
import { flagsHelp, type FlagTable, parseFlags, UsageError } from '../flags/index.ts';
import { makeDirectorySync, RealClock } from '../kernel/index.ts';
import { CommandError, dataDirFlag, outputFlag } from './command.ts';
import { runningCluster } from './control-client.ts';
import { print } from './output.ts';
import { readProcessFile } from './process-file.ts';
import { packSnapshot, unpackSnapshot } from './snapshot-archive.ts';

export const flags = { ...dataDirFlag, ...outputFlag } as const satisfies FlagTable;
export const verbs = ['save', 'restore'] as const;

const USAGE = `k8ts snapshot: a whole cluster, its data and its keys, in one file

  k8ts snapshot save FILE       of a cluster that runs, or is stopped
  k8ts snapshot restore FILE    into a --data-dir that has no cluster yet`;

export async function run(argv: readonly string[]): Promise<number> {
  const { values, positional, help } = parseFlags(argv, flags, { positional: true });
  if (help) {
    console.log(flagsHelp(flags, { usage: USAGE }));
    return 0;
  }
  const [verb = '', file, ...rest] = positional;
  if (verb === '') throw new UsageError('usage: k8ts snapshot save FILE, or k8ts snapshot restore FILE');
  if (!(verbs as readonly string[]).includes(verb)) {
    const near = nearest(verb, verbs);
    throw new UsageError(
      `unknown command "snapshot ${verb}"; ${near ? `did you mean snapshot ${near}?` : 'use snapshot save or restore'}`,
    );
  }
  if (file === undefined || rest.length > 0) throw new UsageError(`usage: k8ts snapshot ${verb} FILE`);
  const directory = path.resolve(values['data-dir']);
  const bytes =
    verb === 'save' ? await save(directory, path.resolve(file)) : await restore(path.resolve(file), directory);
  print(values.output, { file: path.resolve(file), directory, bytes }, () =>
    verb === 'save'
      ? `saved the cluster in ${directory} to ${file}`
      : `restored ${file} to ${directory}; start it with "k8ts up --data-dir ${values['data-dir']}"`,
  );
  return 0;
}

async function save(directory: string, file: string): Promise<number> {
  if (!fs.existsSync(path.join(directory, 'etcd')))
    throw new CommandError(`there is no cluster in ${directory}; name its directory with --data-dir`);
  return withScratch(async (scratch) => {
    const store = path.join(scratch, 'etcd.db');
    await saveStore(directory, store);
    return packSnapshot(file, { store, pki: path.join(directory, 'pki') });
  });
}

/** The store of a cluster that runs, or is stopped, with its history. */
export async function saveStore(directory: string, file: string): Promise<void> {
  if (!readProcessFile(directory)) return saveStopped(directory, file);
  const running = runningCluster({ values: { 'data-dir': directory }, given: new Set(['data-dir']) });
  await saveSnapshot(await running.stream('POST', '/snapshot'), file);
}

async function saveStopped(directory: string, file: string): Promise<void> {
  const store = await openEmbeddedStore({ directory: path.join(directory, 'etcd'), clock: new RealClock() });
  try {
    await saveSnapshot(store.snapshot(), file);
  } finally {
    await store.close();
  }
}

async function restore(file: string, directory: string): Promise<number> {
  if (!fs.existsSync(file)) throw new CommandError(`there is no file ${file}`);
  if (fs.existsSync(path.join(directory, 'etcd')) || fs.existsSync(path.join(directory, 'pki')))
    throw new CommandError(
      `there is a cluster in ${directory} already, and it was left as it is; restore to another --data-dir`,
    );
  return withScratch(async (scratch) => {
    const { store, pki, bytes } = await unpackSnapshot(file, scratch);
    makeDirectorySync(directory, { mode: 0o700 });
    await restoreSnapshot({ path: store, directory: path.join(directory, 'etcd') });
    fs.cpSync(pki, path.join(directory, 'pki'), { recursive: true });
    return bytes;
  });
}

export async function withScratch<T>(use: (directory: string) => Promise<T>): Promise<T> {
  const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'k8ts-snapshot-'));
  try {
    return await use(scratch);
  } finally {
    fs.rmSync(scratch, { recursive: true, force: true });
  }
}
