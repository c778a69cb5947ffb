import type { Clock } from '../../kernel/index.ts';
import type { Change } from '../apply-txn.ts';
import type { History, RevisionRecord } from '../history.ts';
import type { KeyValue } from '../store.ts';
import type { View } from '../view.ts';
import { changeOf, type LogEntry, logKey, readLog, revisionOfLogKey } from './records.ts';
import type { Tables } from './tables.ts';

const ENTRIES_PER_STEP = 500;

interface LogHistorySource {
  tables(): Tables;
  /** All pairs as of the newest record that was appended. */
  publishedView(): View;
}

/**
 * The records since this process started are in memory as they were published; older ones are read from the log when
 * a watch or a read of an old revision needs them, and then stay until compaction.
 */
export class LogHistory implements History {
  /** Records of consecutive revisions; that of `firstLoaded` is at index `#dropped`. */
  #records: RevisionRecord[] = [];
  #dropped = 0;
  #loading: Promise<void> = Promise.resolve();
  firstLoaded: number;
  readonly #source: LogHistorySource;
  readonly #clock: Clock;

  constructor(source: LogHistorySource, clock: Clock, published: number) {
    this.#source = source;
    this.#clock = clock;
    this.firstLoaded = published + 1;
  }

  append(record: RevisionRecord): void {
    this.#records.push(record);
  }

  visit(from: number, visit: (record: RevisionRecord) => boolean | void): void {
    const records = this.#records;
    for (let i = this.#dropped + Math.max(0, from - this.firstLoaded); i < records.length; i++) {
      if (visit(records[i]!) === false) return;
    }
  }

  load(from: number): Promise<void> {
    const loading = this.#loading.then(() => (from < this.firstLoaded ? this.#readBackTo(from) : undefined));
    this.#loading = loading.catch(() => {});
    return loading;
  }

  dropBefore(revision: number): void {
    const count = Math.min(revision - this.firstLoaded, this.#records.length - this.#dropped);
    if (count <= 0) return;
    this.#records.fill(nothing(0), this.#dropped, this.#dropped + count);
    this.firstLoaded += count;
    this.#dropped += count;
    const first = this.#records[this.#dropped];
    // The pairs that the compacted revision replaced are not readable any more.
    if (first?.revision === revision) {
      this.#records[this.#dropped] = {
        revision,
        changes: first.changes.map((change) => ({ ...change, prevKv: undefined })),
      };
    }
    if (this.#dropped < 1024 || this.#dropped < this.#records.length / 2) return;
    this.#records = this.#records.slice(this.#dropped);
    this.#dropped = 0;
  }

  /**
   * Reads the log from the newest unloaded revision back to `from`. Going back, the pair that a key had after a change
   * is what the next change of that key replaced, or the current pair when there was none.
   */
  async #readBackTo(from: number): Promise<void> {
    const loadedBefore = this.firstLoaded;
    const after = new Map<string, KeyValue | undefined>();
    let seen = loadedBefore;
    const older: RevisionRecord[] = [];
    let next = loadedBefore - 1;
    while (next >= from) {
      // Revisions published since the last step have replaced pairs of the state that the log is read back from.
      this.visit(seen, (record) => {
        for (const { kv, prevKv } of record.changes) if (!after.has(kv.key)) after.set(kv.key, prevKv);
        seen = record.revision + 1;
      });
      const entries = this.#entriesBack(next, from);
      const current = this.#source.publishedView();
      for (const { revision, list } of entries) {
        older.push({ revision, changes: readChanges(revision, list, after, current) });
        next = revision - 1;
      }
      if (entries.length === 0) {
        // Revision 1 is that of the empty store and changed nothing.
        if (next === 1) older.push(nothing(next));
        break;
      }
      await this.#clock.yield();
      // Compaction has overtaken this read; the reader will find its revision compacted.
      if (this.firstLoaded !== loadedBefore) return;
    }
    this.#records = older.toReversed().concat(this.#records.slice(this.#dropped));
    this.#dropped = 0;
    this.firstLoaded = loadedBefore - older.length;
  }

  /** Whole consecutive revisions, newest first, at least ENTRIES_PER_STEP entries if there are as many. */
  #entriesBack(newest: number, oldest: number): { revision: number; list: LogEntry[] }[] {
    const found: { revision: number; list: LogEntry[] }[] = [];
    let count = 0;
    const range = { start: logKey(newest + 1, 0), end: logKey(oldest, 0), reverse: true, inclusiveEnd: true };
    for (const { key, value } of this.#source.tables().log.getRange(range)) {
      const revision = revisionOfLogKey(key);
      if (revision > newest) continue;
      const last = found.at(-1);
      if (last?.revision === revision) last.list.push(readLog(value));
      else if (count >= ENTRIES_PER_STEP || revision !== newest - found.length) break;
      else found.push({ revision, list: [readLog(value)] });
      count++;
    }
    return found;
  }
}

/** `list` is newest first and is read in that order, which `after` relies on. */
function readChanges(
  revision: number,
  list: LogEntry[],
  after: Map<string, KeyValue | undefined>,
  current: View,
): Change[] {
  const changes = list.map((entry) => {
    const pair = after.has(entry.key) ? after.get(entry.key) : current.get(entry.key);
    after.set(entry.key, entry.prevKv);
    return changeOf(entry, revision, pair);
  });
  return changes.toReversed();
}

function nothing(revision: number): RevisionRecord {
  return { revision, changes: [] };
}
