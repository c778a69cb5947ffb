import type { Clock } from '../../kernel/index.ts';
import type { Draft } from '../apply-txn.ts';
import type { Commit, Engine, EngineEvents } from '../engine.ts';
import { HistoricalLayers } from '../historical-layers.ts';
import type { LeaseState } from '../lessor.ts';
import { OrderedMap } from '../ordered-map.ts';
import type { SpeedOptions } from '../speed-options.ts';
import { type KeyValue, StoreError } from '../store.ts';
import { layeredView, type View } from '../view.ts';
import { type GroupSize, largestGroup, oneCommit } from './commit-groups.ts';
import { Compactor, type HistoryLimits } from './compactor.ts';
import { everyKey, type KeyFilter } from './key-filter.ts';
import { LogHistory } from './log-history.ts';
import { noPairCache, type PairCache, RecentPairs } from './pair-cache.ts';
import { QuotaMonitor } from './quota-monitor.ts';
import { MAX_KEY_BYTES, type Tables, tableSizes, tablesView, atomically, filterOfKeys } from './tables.ts';
import { writeCommits } from './write-commits.ts';

type Layer = OrderedMap<string, KeyValue | undefined>;

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
  quotaBytes: number;
  cacheBytes: number;
  history: HistoryLimits;
  speed: SpeedOptions;
}

const emptyLayer: Layer = OrderedMap.empty();

/**
 * Keeps the store in one LMDB file. Commits that arrive while a group is being written form the next group: one fsync
 * for all of them. Until a group is durable, two layers over the file have its changes: `pending` is the state for the
 * next transaction; `undo` restores the published state, whether or not the file already has the group.
 */
export class EmbeddedEngine implements Engine {
  readonly history: LogHistory;
  readonly quota: QuotaMonitor;
  readonly #compactor: Compactor;
  tables: Tables;
  #file: View;
  readonly #cache: PairCache;
  #keys: KeyFilter;
  #pending = emptyLayer;
  /** Built at the first read; most groups are durable before anything reads. */
  #undo: Layer | undefined;
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
    this.#keys = this.#filterOfKeys();
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
      this.#undo = undefined;
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

  async compact(revision: number, { physical, leases }: { physical: boolean; leases: LeaseState }): Promise<void> {
    this.#compactor.compactTo(revision);
    // The transaction of this commit has the new limit: a compaction that was acknowledged survives a crash.
    await this.commit({ draft: this.draft(), record: undefined, leases });
    while (physical && this.#compactor.hasWork && !this.#closing)
      await (this.#group ?? this.#paused ?? this.#clock.yield());
  }

  checkQuota(): void {
    this.quota.check();
  }

  sizes(): { total: number; inUse: number } {
    return tableSizes(this.tables);
  }

  /** Runs `work` while no group is being written and none begins. */
  async exclusively<T>(work: () => Promise<T>): Promise<T> {
    while (this.#paused !== undefined) await this.#paused;
    const result = (this.#group ?? Promise.resolve()).then(work);
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
      keys: { mayHave: (key) => this.#keys.mayHave(key) },
      slab: this.#speed.slab,
    });
  }

  #filterOfKeys(): KeyFilter {
    return this.#speed.keyFilter ? filterOfKeys(this.tables) : everyKey;
  }

  async close(): Promise<void> {
    this.#closing = true;
    while (this.#group !== undefined || this.#paused !== undefined || this.#queue.length > 0) {
      await (this.#paused ?? this.#group ?? Promise.resolve());
    }
    this.#closed = true;
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
    return layeredView(this.#file, (this.#undo ??= this.#undoLayer()));
  }

  #schedule(): void {
    if (this.#scheduled || this.#closed) return;
    this.#scheduled = true;
    // Writers of the same turn of the event loop join one group.
    queueMicrotask(() => {
      this.#scheduled = false;
      if (this.#group !== undefined || this.#paused !== undefined || this.#closed) return;
      // When the store is closing, the rest of a compaction waits for the next start.
      if (this.#queue.length === 0 && (this.#closing || !this.#compactor.hasWork)) return;
      this.#group = this.#writeGroup();
    });
  }

  async #writeGroup(): Promise<void> {
    const writing = this.#queue.splice(0, this.#groupSize(this.#queue));
    this.#writing = writing;
    const start = this.#clock.monotonic();
    try {
      await atomically(this.tables, () => {
        writeCommits(
          this.tables,
          writing.map(({ commit }) => commit),
        );
        this.#compactor.writeStep(writing.length);
      });
    } catch (cause) {
      this.#fail(cause);
      return;
    }
    this.tables.environment.resetReadTxn();
    this.#writing = [];
    this.#group = undefined;
    this.#compactor.stepDurable(this.#clock.monotonic() - start);
    this.#settle(writing);
    if (this.#queue.length > 0 || this.#compactor.hasWork) this.#schedule();
  }

  #settle(written: readonly Waiting[]): void {
    if (written.length === 0) return;
    for (const { commit } of written) {
      if (commit.record === undefined) continue;
      this.history.append(commit.record);
      for (const { type, kv, prevKv } of commit.record.changes) {
        if (prevKv === undefined) this.#keys.add(kv.key);
        if (type === 'put') this.#cache.set(kv);
        else this.#cache.delete(kv.key);
      }
      this.#published = commit.record.revision;
    }
    if (this.#keys.isFull) this.#keys = this.#filterOfKeys();
    this.#pending = this.#queue.length === 0 ? emptyLayer : this.#withoutPublished();
    this.#undo = undefined;
    this.#events.onDurable(written.map(({ commit }) => commit));
    this.#compactor.observe(this.#published);
    this.quota.observe(written.length);
    for (const { resolve } of written) resolve();
  }

  /** Fails all queued commits: they build on the results of the failed ones. */
  #fail(cause: unknown): void {
    const lost = [...this.#writing, ...this.#queue];
    this.#writing = [];
    this.#queue = [];
    this.#group = undefined;
    this.#pending = emptyLayer;
    this.#undo = undefined;
    this.tables.environment.resetReadTxn();
    this.#compactor.startOver();
    this.#events.onFailed();
    const error = this.quota.explain(cause);
    for (const { reject } of lost) reject(error);
  }

  #withoutPublished(): Layer {
    return this.#queue.reduce((layer, { commit }) => withChanges(layer, commit), emptyLayer);
  }

  /** For each key of a commit in flight, the pair that its first change replaces. */
  #undoLayer(): Layer {
    let layer = emptyLayer;
    for (const { commit } of [...this.#writing, ...this.#queue]) {
      for (const { kv, prevKv } of commit.record?.changes ?? [])
        if (!layer.has(kv.key)) layer = layer.set(kv.key, prevKv);
    }
    return layer;
  }
}

function withChanges(layer: Layer, commit: Commit): Layer {
  let changed = layer;
  for (const { type, kv } of commit.record?.changes ?? [])
    changed = changed.set(kv.key, type === 'put' ? kv : undefined);
  return changed;
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
