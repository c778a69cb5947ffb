import { tombstone } from '../apply-txn.ts';
import type { RevisionRecord } from '../history.ts';
import { type KeyValue, StoreError } from '../store.ts';
import { copyOut, readPair } from './records.ts';
import { atomically, putFact, readFact, type Tables } from './tables.ts';
import { type LoggedCommit, readCommits } from './wal-entries.ts';
import { readLogEntries, removeLog } from './write-ahead-log.ts';
import { type WrittenCommit, writeCommits } from './write-commits.ts';

/** How many bytes of entries one transaction gets. */
const BYTES_PER_TRANSACTION = 8 * 1024 * 1024;

/** Puts into the tables what an earlier process made durable in its log and did not get into the tables. */
export async function replayLog(directory: string, tables: Tables): Promise<void> {
  const entries = await readLogEntries(directory);
  if (entries.length === 0) return;
  const stored = Number(readFact(tables, 'logSequence') ?? 0n);
  const missing = entries.filter(({ sequence }) => sequence > stored);
  while (missing.length > 0) {
    let bytes = 0;
    let count = 0;
    while (count < missing.length && bytes < BYTES_PER_TRANSACTION) bytes += missing[count++]!.commits.length;
    const group = missing.splice(0, count);
    const newest = new Map<string, KeyValue | undefined>();
    const revision = Number(readFact(tables, 'revision') ?? 1n);
    const logged = group.flatMap(({ commits }) => readCommits(commits));
    checkConsecutive(logged, revision, directory);
    const commits = logged.map((commit) =>
      restored(commit, revision, (key) => (newest.has(key) ? newest.get(key) : pairOf(tables, key)), newest),
    );
    await atomically(tables, () => {
      writeCommits(tables, commits);
      putFact(tables, 'logSequence', group.at(-1)!.sequence);
    });
    tables.environment.resetReadTxn();
  }
  await removeLog(directory);
}

/** Every revision follows the one before it. A log that lacks one is damaged, or is that of another file. */
function checkConsecutive(commits: readonly LoggedCommit[], stored: number, directory: string): void {
  let newest = stored;
  for (const { revision } of commits) {
    if (revision === undefined || revision <= newest) continue;
    if (revision !== newest + 1) {
      const reason = `its write-ahead log has revision ${revision}, but nothing has revision ${newest + 1}`;
      throw new StoreError('corrupt', `no complete store in ${directory}: ${reason}`);
    }
    newest = revision;
  }
}

/** With what each change replaced. A defragmentation may have brought newer revisions into the tables than their last commits. */
function restored(
  { revision, changes, leaseGranted, leaseRevoked }: LoggedCommit,
  stored: number,
  before: (key: string) => KeyValue | undefined,
  newest: Map<string, KeyValue | undefined>,
): WrittenCommit {
  let record: RevisionRecord | undefined;
  if (revision !== undefined && revision > stored) {
    record = {
      revision,
      changes: changes.map(({ key, kv }) => {
        const prevKv = before(key);
        newest.set(key, kv);
        return kv === undefined
          ? { type: 'delete', kv: tombstone(key, revision), prevKv }
          : { type: 'put', kv, prevKv };
      }),
    };
  }
  return { record, ...(leaseGranted && { leaseGranted }), ...(leaseRevoked !== undefined && { leaseRevoked }) };
}

function pairOf(tables: Tables, key: string): KeyValue | undefined {
  const bytes = tables.pairs.getBinaryFast(key);
  return bytes === undefined ? undefined : readPair(key, bytes, copyOut);
}
