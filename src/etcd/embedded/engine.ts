import type { Clock } from '../../kernel/index.ts';
import type { Draft } from '../apply-txn.ts';
import type { Commit, Engine, EngineEvents } from '../engine.ts';
import { HistoricalLayers } from '../historical-layers.ts';
import type { SpeedOptions } from '../speed-options.ts';
import { type KeyValue, StoreError } from '../store.ts';
import { layeredView, type View } from '../view.ts';
import { type GroupSize, largestGroup, oneCommit } from './commit-groups.ts';
import { Compactor, type HistoryLimits } from './compactor.ts';
import { FileKeys } from './file-keys.ts';
import { emptyLayer, FileWriter, type Layer, withChanges } from './file-writer.ts';
import { everyKey } from './key-filter.ts';
import { LogHistory } from './log-history.ts';
import { noPairCache, type PairCache, RecentPairs } from './pair-cache.ts';
import { QuotaMonitor } from './quota-monitor.ts';
import { MAX_KEY_BYTES, type Tables, tableSizes, tablesView } from './tables.ts';
import { WriteAheadLog } from './write-ahead-log.ts';

interface Waiting {
  commit: Commit;
  resolve(): void;
  reject(error: unknown): void;
}

interface EmbeddedEngineOptions {
  tables: Tables;
  directory: string;
  clock: Clock;
  revision: number;
  compactRevision: number;
  /** The newest entry of the write-ahead log that the tables have. */
  logSequence: number;
  quotaBytes: number;
  cacheBytes: number;
  history: HistoryLimits;
  speed: SpeedOptions;
}

/**
 * Keeps the store in one LMDB file with a write-ahead log beside it. Commits that arrive while a group is being written to the
 * log form the next group: one wait for the disk for all of them. Then they are published, and the file gets them later. Two
 * layers over the file have what it lacks: that of the file writer is the published state, `pending` has the commits on top
 * that are not durable yet and is the state for the next transaction.
 */
export class EmbeddedEngine implements Engine {
  readonly history: LogHistory;
  readonly quota: QuotaMonitor;
  readonly #compactor: Compactor;
  tables: Tables;
  #file: View;
  readonly #cache: PairCache;
  readonly #keys: FileKeys | undefined;
  #pending = emptyLayer;
  readonly #log: WriteAheadLog;
  readonly #fileWriter: FileWriter;
  readonly #clock: Clock;
  #published: number;
  #queue: Waiting[] = [];
  #writing: Waiting[] = [];
  #group: Promise<void> | undefined;
  #scheduled = false;
  #paused: Promise<void> | undefined;
  #closing = false;
  #closed = false;
  readonly #oldLayers: HistoricalLayers;
  readonly #events: EngineEvents;
  readonly #speed: SpeedOptions;
  readonly #groupSize: GroupSize;

  constructor(options: EmbeddedEngineOptions, events: EngineEvents) {
    this.#events = events;
    this.tables = options.tables;
    this.#speed = options.speed;
    this.#groupSize = options.speed.commitGroups ? largestGroup : oneCommit;
    this.#cache = options.speed.pairCache ? new RecentPairs(options.cacheBytes) : noPairCache;
    if (options.speed.keyFilter) this.#keys = new FileKeys(() => this.tables, options.clock);
    this.#file = this.#openView();
    this.#clock = options.clock;
    this.#published = options.revision;
    this.quota = new QuotaMonitor(options.directory, options.quotaBytes, () => tableSizes(this.tables));
    this.history = new LogHistory(
      { tables: () => this.tables, publishedView: () => this.#publishedView() },
      options.clock,
      options.revision,
    );
    this.#oldLayers = new HistoricalLayers(this.history);
    this.#compactor = new Compactor({
      tables: () => this.tables,
      limits: options.history,
      compactRevision: options.compactRevision,
      compacted: (revision) => {
        this.history.dropBefore(revision);
        this.#oldLayers.dropBefore(revision);
        this.#events.onCompacted(revision);
      },
    });
    this.#log = new WriteAheadLog(options.directory, options.logSequence);
    this.#fileWriter = new FileWriter({
      tables: () => this.tables,
      clock: options.clock,
      compactor: this.#compactor,
      storedSequence: options.logSequence,
      storedRevision: options.revision,
      onStored: (commits) => this.#stored(commits),
    });
    if (this.#compactor.hasWork) this.#fileWriter.wake();
  }

  draft(): Draft {
    return new LayerDraft(this.#file, this.#pending);
  }

  viewAt(revision: number): View {
    if (revision > this.#published) return this.#viewAtPending(revision);
    const newest = this.#publishedView();
    return revision === this.#published ? newest : layeredView(newest, this.#oldLayers.backTo(revision));
  }

  commit(commit: Commit): Promise<void> {
    if (commit.draft instanceof LayerDraft && commit.record !== undefined) {
      this.#pending = commit.draft.layer;
    }
    return new Promise((resolve, reject) => {
      this.#queue.push({ commit, resolve, reject });
      this.#schedule();
    });
  }

  settled(): Promise<void> | undefined {
    const last = this.#queue.at(-1) ?? this.#writing.at(-1);
    if (last === undefined) return undefined;
    return new Promise((resolve, reject) => {
      const { resolve: before, reject: failed } = last;
      last.resolve = () => (before(), resolve());
      last.reject = (error) => (failed(error), reject(error));
    });
  }

  async compact(revision: number, { physical }: { physical: boolean }): Promise<void> {
    this.#compactor.compactTo(revision);
    // The file has the new limit: a compaction that was acknowledged survives a crash.
    await this.flush();
    while (physical && this.#compactor.hasWork && !this.#closing && this.#fileWriter.failure === undefined) {
      this.#fileWriter.wake();
      await (this.#fileWriter.idle() ?? this.#clock.yield());
    }
  }

  /** Resolves when the file has everything that is durable. */
  async flush(): Promise<void> {
    try {
      await this.#fileWriter.flush();
    } catch (cause) {
      throw this.quota.explain(cause);
    }
  }

  checkQuota(): void {
    this.quota.check();
  }

  sizes(): { total: number; inUse: number } {
    return tableSizes(this.tables);
  }

  /** Runs `work` while nothing is being written, to the log or to the file, and nothing begins; the file has everything. */
  async exclusively<T>(work: () => Promise<T>): Promise<T> {
    while (this.#paused !== undefined) await this.#paused;
    const result = (this.#group ?? Promise.resolve()).then(() => this.#fileWriter.hold(work));
    this.#paused = result.then(ignore, ignore);
    try {
      return await result;
    } finally {
      this.#paused = undefined;
      this.#schedule();
    }
  }

  switchTo(tables: Tables): void {
    this.tables = tables;
    this.#file = this.#openView();
    this.#compactor.startOver();
  }

  #openView(): View {
    return tablesView(this.tables, {
      cache: this.#cache,
      keys: this.#keys ?? everyKey,
      slab: this.#speed.slab,
    });
  }

  async close(): Promise<void> {
    this.#closing = true;
    while (this.#group !== undefined || this.#paused !== undefined || this.#queue.length > 0) {
      await (this.#paused ?? this.#group ?? Promise.resolve());
    }
    this.#closed = true;
    this.#fileWriter.close();
    await this.#keys?.close();
    // What does not get into the file is still in the log.
    const isWhole = await this.#fileWriter.flush().then(
      () => true,
      () => false,
    );
    await this.#fileWriter.idle();
    await this.#log.close({ isWhole });
    await this.tables.environment.close();
  }

  /** The state at a revision that is committed in memory but not yet durable. */
  #viewAtPending(revision: number): View {
    let layer = emptyLayer;
    for (const { commit } of [...this.#writing, ...this.#queue]) {
      if (commit.record !== undefined && commit.record.revision <= revision) layer = withChanges(layer, commit);
    }
    return layeredView(this.#publishedView(), layer);
  }

  #publishedView(): View {
    return layeredView(this.#file, this.#fileWriter.layer);
  }

  #schedule(): void {
    if (this.#scheduled || this.#closed) return;
    this.#scheduled = true;
    // Writers of the same turn of the event loop join one group.
    queueMicrotask(() => {
      this.#scheduled = false;
      if (this.#group !== undefined || this.#paused !== undefined || this.#closed) return;
      if (this.#queue.length > 0) this.#group = this.#writeGroup();
    });
  }

  async #writeGroup(): Promise<void> {
    const writing = this.#queue.splice(0, this.#groupSize(this.#queue));
    this.#writing = writing;
    const commits = writing.map(({ commit }) => commit);
    try {
      // Nothing is acknowledged that the file may never get.
      if (this.#fileWriter.failure !== undefined || this.#fileWriter.isBehind) await this.#fileWriter.flush();
      const sequence = await this.#log.append(commits, this.#fileWriter.storedSequence);
      this.#fileWriter.add(sequence, commits);
    } catch (cause) {
      this.#fail(cause);
      return;
    }
    this.#writing = [];
    this.#group = undefined;
    this.#settle(writing);
    if (this.#queue.length > 0) this.#schedule();
  }

  #settle(written: readonly Waiting[]): void {
    for (const { commit } of written) {
      if (commit.record === undefined) continue;
      this.history.append(commit.record);
      this.#published = commit.record.revision;
    }
    if (this.#queue.length === 0) this.#pending = this.#fileWriter.layer;
    this.#events.onDurable(written.map(({ commit }) => commit));
    for (const { resolve } of written) resolve();
  }

  #stored(commits: readonly Commit[]): void {
    let revision: number | undefined;
    for (const { record } of commits) {
      revision = record?.revision ?? revision;
      for (const { type, kv, prevKv } of record?.changes ?? []) {
        if (prevKv === undefined) this.#keys?.add(kv.key);
        if (type === 'put') this.#cache.set(kv);
        else this.#cache.delete(kv.key);
      }
    }
    this.#pending = this.#withUnpublished();
    if (revision !== undefined) this.#compactor.observe(revision);
    this.quota.observe(commits.length);
  }

  /** Fails all queued commits: they build on the results of the failed ones. */
  #fail(cause: unknown): void {
    const lost = [...this.#writing, ...this.#queue];
    this.#writing = [];
    this.#queue = [];
    this.#group = undefined;
    this.#pending = this.#fileWriter.layer;
    this.#events.onFailed();
    const error = this.quota.explain(cause);
    for (const { reject } of lost) reject(error);
  }

  #withUnpublished(): Layer {
    let layer = this.#fileWriter.layer;
    for (const { commit } of this.#writing) layer = withChanges(layer, commit);
    for (const { commit } of this.#queue) layer = withChanges(layer, commit);
    return layer;
  }
}

class LayerDraft implements Draft {
  readonly #file: View;

  constructor(
    file: View,
    public layer: Layer,
  ) {
    this.#file = file;
  }

  get(key: string): KeyValue | undefined {
    return this.layer.get(key) ?? (this.layer.size > 0 && this.layer.has(key) ? undefined : this.#file.get(key));
  }

  scan(start: string, end: string | undefined, visit: (kv: KeyValue) => boolean | void): void {
    layeredView(this.#file, this.layer).scan(start, end, visit);
  }

  count(start: string, end: string | undefined): number {
    return layeredView(this.#file, this.layer).count(start, end);
  }

  has(key: string): boolean {
    return layeredView(this.#file, this.layer).has(key);
  }

  write(key: string, kv: KeyValue | undefined): void {
    checkKeyLength(key);
    this.layer = this.layer.set(key, kv);
  }
}

function checkKeyLength(key: string): void {
  if (key.length <= MAX_KEY_BYTES) return;
  throw new StoreError(
    'unsupported',
    `the embedded store supports keys of up to ${MAX_KEY_BYTES} bytes, this key has ${key.length}`,
  );
}

function ignore(): void {}
