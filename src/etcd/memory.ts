import type { Clock } from '../kernel/index.ts';
import type { Draft } from './apply-txn.ts';
import type { Commit, Engine, EngineEvents } from './engine.ts';
import { HistoricalLayers } from './historical-layers.ts';
import type { History, RevisionRecord } from './history.ts';
import { readMemorySnapshot, writeMemorySnapshot } from './memory-snapshot.ts';
import { emptyMemoryState, recordSize, valueSize, type MemoryState } from './memory-state.ts';
import { MvccStore } from './mvcc-store.ts';
import type { OrderedMap } from './ordered-map.ts';
import type { Alarm, KeyValue } from './store.ts';
import { layeredView, mapView, type View } from './view.ts';

export interface MemoryStoreOptions {
  clock: Clock;
  /** The bytes of another memory store's `snapshot()`. */
  snapshot?: Uint8Array;
  /** The `state()` of another memory store, whose clock this store's clock continues. */
  state?: MemoryState;
  /** History to keep. Default 24 MiB, as of the embedded store. */
  historyBytes?: number;
}

/** A store for tests and simulations. Only its `snapshot()` survives the process. */
export function createMemoryStore(options: MemoryStoreOptions): MemoryStore {
  const known = options.state ?? emptyMemoryState;
  const state = options.snapshot === undefined ? known : readMemorySnapshot(options.snapshot, options.clock);
  return new MemoryStore(options.clock, state, options.historyBytes);
}

const DEFAULT_HISTORY_BYTES = 24 * 1024 * 1024;
/** What is left when the oldest history is dropped: the limit is not reached again at once. */
const KEPT_SHARE = 0.875;

const MEMBER_ID = 0x8e9e05c52164694dn;
const CLUSTER_ID = 0xcdf818194e3a8c32n;

export class MemoryStore extends MvccStore {
  readonly keepsValues = true;
  readonly #memory: MemoryEngine;

  readonly #historyBytes: number;

  constructor(clock: Clock, state: MemoryState, historyBytes = DEFAULT_HISTORY_BYTES) {
    let memory: MemoryEngine | undefined;
    super({
      clock,
      createEngine: (events) => (memory = new MemoryEngine(state, historyBytes, events)),
      revision: state.revision,
      compactRevision: state.compactRevision,
      leases: state.leases,
      memberId: MEMBER_ID,
      clusterId: CLUSTER_ID,
    });
    this.#memory = memory!;
    this.#historyBytes = historyBytes;
  }

  /** The whole state, in constant time. */
  state(): MemoryState {
    this.checkOpen();
    return {
      pairs: this.#memory.pairs,
      revisions: this.#memory.revisions,
      historyBytes: this.#memory.historyBytes,
      revision: this.published,
      compactRevision: this.compactRevision,
      leases: this.lessor.state,
    };
  }

  /** A second store that starts with this state and diverges, in constant time. It runs on the same clock. */
  fork(): MemoryStore {
    return new MemoryStore(this.options.clock, this.state(), this.#historyBytes);
  }

  async *snapshot(): AsyncIterable<Uint8Array> {
    yield* writeMemorySnapshot(this.state(), this.options.clock);
  }

  async defragment(): Promise<void> {
    this.checkOpen();
  }

  alarms(): Promise<Alarm[]> {
    return Promise.resolve([]);
  }

  async disarm(): Promise<void> {
    this.checkOpen();
  }
}

class MemoryEngine implements Engine {
  pairs: OrderedMap<string, KeyValue>;
  revisions: OrderedMap<number, RevisionRecord>;
  historyBytes: number;
  #published: number;
  #bytes = 0;
  readonly #maxHistoryBytes: number;
  readonly #events: EngineEvents;

  constructor(state: MemoryState, maxHistoryBytes: number, events: EngineEvents) {
    this.#events = events;
    this.#maxHistoryBytes = maxHistoryBytes;
    this.historyBytes = state.historyBytes;
    this.pairs = state.pairs;
    this.revisions = state.revisions;
    this.#published = state.revision;
  }

  readonly history: History = {
    firstLoaded: 0,
    visit: (from, visit) => this.revisions.scan(from, undefined, visit),
    load: () => Promise.resolve(),
  };
  readonly #oldLayers = new HistoricalLayers(this.history);

  draft(): Draft {
    return new MemoryDraft(this.pairs);
  }

  viewAt(revision: number): View {
    const newest = mapView(this.pairs);
    return revision >= this.#published ? newest : layeredView(newest, this.#oldLayers.backTo(revision));
  }

  commit(commit: Commit): undefined {
    if (commit.record !== undefined) {
      for (const { kv, prevKv } of commit.record.changes) {
        this.#bytes += valueSize(kv) - (prevKv ? valueSize(prevKv) : 0);
      }
      if (commit.draft instanceof MemoryDraft) this.pairs = commit.draft.pairs;
      this.revisions = this.revisions.set(commit.record.revision, commit.record);
      this.historyBytes += recordSize(commit.record);
      this.#published = commit.record.revision;
    }
    this.#events.onDurable([commit]);
    if (this.historyBytes > this.#maxHistoryBytes) this.#dropOldest();
  }

  #dropOldest(): void {
    let bytes = this.historyBytes;
    let kept = this.#published;
    this.revisions.scan(undefined, this.#published, (record) => {
      if (bytes <= this.#maxHistoryBytes * KEPT_SHARE) {
        kept = record.revision;
        return false;
      }
      bytes -= recordSize(record);
      return true;
    });
    this.#dropBefore(kept);
    this.#events.onCompacted(kept);
  }

  #dropBefore(revision: number): void {
    this.revisions.scan(undefined, revision, (record) => void (this.historyBytes -= recordSize(record)));
    this.revisions = this.revisions.from(revision);
    this.#oldLayers.dropBefore(revision);
  }

  settled(): undefined {}

  async compact(revision: number): Promise<void> {
    this.#dropBefore(revision);
  }

  checkQuota(): void {}

  sizes(): { total: number; inUse: number } {
    return { total: this.#bytes, inUse: this.#bytes };
  }

  async close(): Promise<void> {}
}

class MemoryDraft implements Draft {
  constructor(public pairs: OrderedMap<string, KeyValue>) {}

  get(key: string): KeyValue | undefined {
    return this.pairs.get(key);
  }

  scan(start: string, end: string | undefined, visit: (kv: KeyValue) => boolean | void): void {
    this.pairs.scan(start, end, visit);
  }

  count(start: string, end: string | undefined): number {
    return this.pairs.count(start, end);
  }

  has(key: string): boolean {
    return this.get(key) !== undefined;
  }

  write(key: string, kv: KeyValue | undefined): void {
    this.pairs = kv === undefined ? this.pairs.delete(key) : this.pairs.set(key, kv);
  }
}
