import type { Clock, Timer } from '../../kernel/index.ts';
import type { Commit } from '../engine.ts';
import { OrderedMap } from '../ordered-map.ts';
import type { KeyValue } from '../store.ts';
import type { Compactor } from './compactor.ts';
import { atomically, putFact, type Tables } from './tables.ts';
import { writeCommits } from './write-commits.ts';

/** Keys that differ from the file; undefined for deleted ones. */
export type Layer = OrderedMap<string, KeyValue | undefined>;

export const emptyLayer: Layer = OrderedMap.empty();

export function withChanges(layer: Layer, { record }: Pick<Commit, 'record'>): Layer {
  let changed = layer;
  for (const { type, kv } of record?.changes ?? []) changed = changed.set(kv.key, type === 'put' ? kv : undefined);
  return changed;
}

/** Commits that one write made durable in the log. */
interface Entry {
  readonly sequence: number;
  readonly commits: readonly Commit[];
  readonly bytes: number;
}

interface FileWriterOptions {
  tables(): Tables;
  readonly clock: Clock;
  readonly compactor: Compactor;
  readonly storedSequence: number;
  readonly storedRevision: number;
  /** The file has these commits. */
  onStored(commits: readonly Commit[]): void;
}

/** The file gets commits when so many wait, or after so long. */
const MANY_COMMITS = 1000;
const MANY_BYTES = 512 * 1024;
const STORE_AFTER_MS = 100;
/** The pages of a large transaction stay in the file as free ones. */
const BYTES_PER_TRANSACTION = 1024 * 1024;
/** With more than this, writers wait for the file. */
const MAX_WAITING_BYTES = 32 * 1024 * 1024;
const MAX_WAITING_COMMITS = 20_000;

/**
 * Brings commits, which the log has made durable, into the file, many of them in one transaction. Until then `layer` has
 * their changes.
 */
export class FileWriter {
  layer = emptyLayer;
  /** The newest entry of the log that the file has. */
  storedSequence: number;
  /** Why the last transaction failed; the next one tries again. */
  failure: Error | undefined;
  #storedRevision: number;
  #waiting: Entry[] = [];
  #waitingBytes = 0;
  #waitingCommits = 0;
  #running: Promise<void> | undefined;
  #timer: Timer | undefined;
  /** The transactions that have begun, and the newest that has ended. */
  #begun = 0;
  #ended = 0;
  #held = false;
  #closing = false;
  readonly #options: FileWriterOptions;

  constructor(options: FileWriterOptions) {
    this.#options = options;
    this.storedSequence = options.storedSequence;
    this.#storedRevision = options.storedRevision;
  }

  add(sequence: number, commits: readonly Commit[]): void {
    let bytes = 0;
    for (const commit of commits) {
      this.layer = withChanges(this.layer, commit);
      for (const { kv, prevKv } of commit.record?.changes ?? []) bytes += kv.value.length + (prevKv?.value.length ?? 0);
    }
    this.#waiting.push({ sequence, commits, bytes });
    this.#waitingBytes += bytes;
    this.#waitingCommits += commits.length;
    if (this.#hasMany) this.wake();
    else this.#timer ??= this.#options.clock.after(STORE_AFTER_MS, () => this.wake());
  }

  get #hasMany(): boolean {
    return this.#waitingCommits >= MANY_COMMITS || this.#waitingBytes >= MANY_BYTES;
  }

  /** So much waits for the file that writers should wait, too. */
  get isBehind(): boolean {
    return this.#waitingBytes > MAX_WAITING_BYTES || this.#waitingCommits > MAX_WAITING_COMMITS;
  }

  /** Writes what waits, and a step of a compaction. */
  wake(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    if (this.#running || this.#held || (this.#waiting.length === 0 && !this.#options.compactor.hasWork)) return;
    const begun = ++this.#begun;
    this.#running = this.#write().finally(() => {
      this.#running = undefined;
      this.#ended = begun;
      if (this.failure !== undefined || this.#closing) return;
      if (this.#hasMany || this.#options.compactor.hasWork) this.wake();
    });
  }

  /** Resolves when a transaction that is under way has ended. */
  idle(): Promise<void> | undefined {
    return this.#running;
  }

  /** Resolves when the file has every commit so far, and the limit of the newest compaction; rejects when it cannot. */
  async flush(): Promise<void> {
    const before = this.#begun;
    const newest = this.#waiting.at(-1)?.sequence ?? this.storedSequence;
    do {
      this.wake();
      if (!this.#running) return;
      await this.#running;
      if (this.failure !== undefined) throw this.failure;
    } while (this.#ended <= before || this.storedSequence < newest);
  }

  /** Runs `work` when the file has every commit, and writes nothing meanwhile. */
  async hold<T>(work: () => Promise<T>): Promise<T> {
    await this.flush();
    this.#held = true;
    try {
      await this.#running;
      return await work();
    } finally {
      this.#held = false;
      this.wake();
    }
  }

  close(): void {
    this.#closing = true;
    this.#timer?.cancel();
  }

  async #write(): Promise<void> {
    const { tables, clock, compactor } = this.#options;
    const entries = this.#nextEntries();
    const commits = entries.flatMap((entry) => entry.commits);
    const start = clock.monotonic();
    const file = tables();
    const stored = commits.findLast(({ record }) => record)?.record?.revision ?? this.#storedRevision;
    try {
      await atomically(file, () => {
        writeCommits(file, commits);
        if (entries.length > 0) putFact(file, 'logSequence', entries.at(-1)!.sequence);
        compactor.writeStep(commits.length, stored);
      });
    } catch (cause) {
      this.failure = cause instanceof Error ? cause : new Error(String(cause));
      file.environment.resetReadTxn();
      compactor.startOver();
      return;
    }
    this.failure = undefined;
    this.#storedRevision = stored;
    file.environment.resetReadTxn();
    compactor.stepDurable(clock.monotonic() - start);
    this.#waiting.splice(0, entries.length);
    for (const { sequence, bytes, commits: stored } of entries) {
      this.storedSequence = sequence;
      this.#waitingBytes -= bytes;
      this.#waitingCommits -= stored.length;
    }
    this.layer = emptyLayer;
    for (const entry of this.#waiting) for (const commit of entry.commits) this.layer = withChanges(this.layer, commit);
    this.#options.onStored(commits);
  }

  #nextEntries(): Entry[] {
    let bytes = 0;
    let count = 0;
    while (count < this.#waiting.length && bytes < BYTES_PER_TRANSACTION) bytes += this.#waiting[count++]!.bytes;
    return this.#waiting.slice(0, count);
  }
}
