import { logKey, revisionOfLogKey, withoutReplaced } from './records.ts';
import { putFact, tableBytes, type Tables, wholeTable } from './tables.ts';

/** How much history is kept by default. Beyond either limit the oldest part is compacted. */
export interface HistoryLimits {
  revisions: number;
  bytes: number;
}

interface CompactorOptions {
  tables(): Tables;
  limits: HistoryLimits;
  compactRevision: number;
  /** History before this revision is not readable. */
  compacted(revision: number): void;
}

/** How many log entries are removed per transaction. */
const MIN_STEP = 64;
const MAX_STEP = 1024;
/** A slower transaction makes the next step smaller, a faster one makes it larger: new commits wait for it in memory. */
const SLOW_COMMIT_MS = 40;
const QUICK_COMMIT_MS = 20;
/** The log's size is checked once in this many revisions. */
const OBSERVE_EVERY = 500;

/**
 * Removes the beginning of the log. Readers see the new limit at once; the entries are removed a few at a time, in the
 * transactions that write new ones, so that they take up no more room than it takes to write them. The entries of the compacted revision
 * itself stay, because a watch may start there, but without the pairs that they replaced.
 */
export class Compactor {
  #compactRevision: number;
  /** Whether entries before `compactRevision` may remain. */
  #unfinished: boolean;
  #factWritten: boolean;
  /** Entries of the compacted revision up to this key are stripped. */
  #stripped = '';
  #step: { stripped: string; last: boolean; compactRevision: number } | undefined;
  #nextCheck = 0;
  #stepSize = 64;
  readonly #options: CompactorOptions;

  constructor(options: CompactorOptions) {
    this.#options = options;
    this.#compactRevision = options.compactRevision;
    // An earlier process may have died in the middle of a compaction.
    this.#unfinished = options.compactRevision > 0;
    this.#factWritten = true;
  }

  get hasWork(): boolean {
    return this.#unfinished;
  }

  compactTo(revision: number): void {
    if (revision <= this.#compactRevision) return;
    this.#compactRevision = revision;
    this.startOver();
    this.#options.compacted(revision);
  }

  /** Restarts the removal: for a new limit, after a failed step, or in a copy of the file. */
  startOver(): void {
    this.#unfinished = this.#compactRevision > 0;
    this.#factWritten = false;
    this.#stripped = '';
    this.#step = undefined;
  }

  /** Compacts when the history has outgrown its limits; the log has everything up to the revision `stored`. */
  observe(stored: number): void {
    if (stored < this.#nextCheck || this.#unfinished) return;
    this.#nextCheck = stored + OBSERVE_EVERY;
    const { limits, tables } = this.#options;
    const oldest = this.#oldestRevision();
    if (oldest === undefined) return;
    const revisions = stored - oldest;
    const bytes = tableBytes(tables().log);
    if (revisions <= limits.revisions && bytes <= limits.bytes) return;
    const share = Math.min(limits.revisions / Math.max(1, revisions), limits.bytes / bytes, 1);
    // Down to seven eighths of the limit, so that it does not start again at once.
    this.compactTo(stored - Math.floor(revisions * share * 0.875));
  }

  /** Adds the next removals to the current transaction, after which the log has everything up to the revision `stored`. */
  writeStep(writers: number, stored: number): void {
    if (!this.#unfinished) return;
    const compactRevision = this.#compactRevision;
    const tables = this.#options.tables();
    if (!this.#factWritten) putFact(tables, 'compactRevision', compactRevision);
    this.#factWritten = true;
    // At least twice what is being written, or the history would outgrow its limits.
    const limit = Math.max(this.#stepSize, 2 * writers);
    let count = 0;
    for (const key of tables.log.getKeys({ start: '\0', end: logKey(compactRevision, 0), limit })) {
      tables.log.remove(key);
      count++;
    }
    let stripped = this.#stripped;
    const range = { start: stripped || logKey(compactRevision, 0), end: logKey(compactRevision + 1, 0) };
    if (count < limit) {
      for (const { key, value } of tables.log.getRange(range)) {
        if (key === this.#stripped) continue;
        if (count === limit) break;
        const entry = withoutReplaced(value);
        if (entry !== undefined) tables.log.put(key, entry);
        stripped = key;
        count++;
      }
    }
    this.#step = { stripped, last: count < limit && stored >= compactRevision, compactRevision };
  }

  stepDurable(commitMs: number): void {
    const step = this.#step;
    this.#step = undefined;
    if (commitMs > SLOW_COMMIT_MS) this.#stepSize = Math.max(MIN_STEP, this.#stepSize / 2);
    else if (commitMs < QUICK_COMMIT_MS) this.#stepSize = Math.min(MAX_STEP, this.#stepSize * 2);
    if (step === undefined || step.compactRevision !== this.#compactRevision) return;
    this.#stripped = step.stripped;
    if (step.last) this.#unfinished = false;
  }

  #oldestRevision(): number | undefined {
    for (const key of this.#options.tables().log.getKeys({ ...wholeTable(), limit: 1 })) return revisionOfLogKey(key);
    return undefined;
  }
}
